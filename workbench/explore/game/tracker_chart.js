// State precision and, below it on the same plies, edit distance along a game: each has an axis of its own,
// and one cursor goes through both. The shape of a mark is the class of the reply. Hooks:
// data-role="tracker-chart", "precision-point", "distance-point" (data-ply, data-y, data-class),
// "chart-cursor", "tracker-legend".

import { htmlElement, subscriptLetters, svgElement } from "../page/svg.js";
import { CLASS_WORDS } from "../page/class_words.js";
import { QUANTITIES, capitalised } from "../page/quantities.js";
import { linePath, linearScale, probabilityText, roundTicks } from "../page/chart.js";
import { CLASS_SHAPES, clickedPly, distanceInWords, distanceTop } from "./tracker_places.js";

const FRAME = { left: 40, right: 12, title: 20, between: 12, bottom: 34 };

/**
 * @typedef {Object} TrackerSpec
 * @property {Object} game The game as Python sends it.
 * @property {number} depth m of the precision that is drawn.
 * @property {number} width In CSS pixels. @property {number} height
 * @property {(ply: number) => void} onSelect
 */

/**
 * Draw both charts; moveCursor moves their cursor.
 * @param {TrackerSpec} spec
 * @returns {{element: SVGElement, moveCursor: (ply: number) => void}}
 */
export function trackerChart({ game, depth, width, height, onSelect }) {
  const [first, last] = [game.stops[0].ply, game.stops[game.stops.length - 1].ply];
  const x = linearScale([first, last], [FRAME.left + 8, width - FRAME.right - 8]);
  const tall = (height - FRAME.between - FRAME.bottom) / 2 - FRAME.title;
  const [foot, end] = [height - FRAME.bottom, width - FRAME.right];
  const panels = [
    {
      kind: "precision", foot: FRAME.title + tall, top: 1, title: subscriptLetters(`${QUANTITIES.precision.name} p_${depth}, probability`),
      value: (reply) => reply.precision[depth - 1], words: (reply) => `p_${depth} ${probabilityText(reply.precision[depth - 1])}`,
    },
    {
      kind: "distance", foot, top: distanceTop(game.replies), title: `${QUANTITIES.edit_distance.name}, share of the longer FEN`,
      value: (reply) => reply.distance, words: (reply) => `${QUANTITIES.edit_distance.name} ${distanceInWords(reply)}`,
    },
  ].map((panel) => ({ ...panel, x, y: linearScale([0, panel.top], [panel.foot, panel.foot - tall]), end }));
  const chart = svgElement("svg", {
    class: "ws-chart ws-selectable", viewBox: `0 0 ${width} ${height}`, width, height, role: "img",
    "data-role": "tracker-chart", "data-from": first, "data-to": last,
    "aria-label": `${capitalised(QUANTITIES.precision.name)} p_${depth} and ${QUANTITIES.edit_distance.name} of ${game.replies.length} replies by ply; the slider goes through them`,
  });
  const size = markSize(game.replies.length, width);
  const cursor = svgElement("line", { class: "ws-cursor", "data-role": "chart-cursor", y1: FRAME.title, y2: foot });
  chart.append(
    ...panels.flatMap(panelFrame),
    ...roundTicks(first, last, width < 600 ? 6 : 12).filter(Number.isInteger).map((tick) =>
      svgElement("text", { x: x(tick), y: foot + 14, "text-anchor": "middle" }, String(tick))),
    svgElement("text", { class: "ws-axis-label", x: (FRAME.left + end) / 2, y: height - 5, "text-anchor": "middle" }, "ply"),
    cursor,
    ...panels.map((panel) => lineGroup(panel, game.replies, size)),
  );
  chart.addEventListener("click", (event) => {
    const box = chart.getBoundingClientRect();
    const place = ((event.clientX - box.left) / box.width) * width;
    const plyWidth = Math.max(1e-9, x(first + 1) - x(first));
    onSelect(clickedPly(game, first + (place - x(first)) / plyWidth, 12 / plyWidth));
  });
  return {
    element: chart,
    moveCursor: (ply) => {
      cursor.setAttribute("x1", x(ply));
      cursor.setAttribute("x2", x(ply));
      cursor.setAttribute("data-ply", ply);
      for (const mark of chart.querySelectorAll("[data-ply].ws-point")) {
        mark.classList.toggle("ws-current", Number(mark.getAttribute("data-ply")) === ply);
      }
    },
  };
}

function markSize(count, width) {
  return Math.min(4.5, Math.max(2.2, (0.42 * (width - FRAME.left - FRAME.right)) / Math.max(1, count)));
}

function lineGroup({ kind, x, y, value, words }, replies, size) {
  const points = replies.map((reply) => ({ x: reply.ply, y: value(reply), reply }));
  const group = svgElement("g", { class: `ws-track ws-track-${kind}` });
  group.append(svgElement("path", { class: "ws-track-line", d: linePath(points, x, y) }));
  for (const { x: ply, y: height, reply } of points) {
    if (height === null) continue;
    const point = classMark(reply.reply_class, [x(ply), y(height)], size);
    for (const [name, text] of Object.entries({ role: `${kind}-point`, ply, y: height, class: reply.reply_class })) {
      point.setAttribute(`data-${name}`, String(text));
    }
    point.append(svgElement("title", {}, `Ply ${ply}: ${words(reply)}; ${CLASS_WORDS[reply.reply_class]}`));
    group.append(point);
  }
  return group;
}

/** Return the mark of a class at a point. */
export function classMark(replyClass, [x, y], size) {
  const far = size * 1.25;
  const paths = {
    triangle: `M${x - far},${y + size}L${x},${y - far}L${x + far},${y + size}Z`,
    cross: `M${x - far},${y - far}L${x + far},${y + far}M${x - far},${y + far}L${x + far},${y - far}`,
    square: `M${x - size},${y - size}H${x + size}V${y + size}H${x - size}Z`,
  };
  const shape = CLASS_SHAPES[replyClass] ?? "circle";
  if (shape === "circle") return svgElement("circle", { class: "ws-point", cx: x, cy: y, r: size });
  return svgElement("path", { class: shape === "cross" ? "ws-point ws-point-open" : "ws-point", d: paths[shape] });
}

function panelFrame({ kind, foot, top, title, y, end }) {
  return [
    ...[0, 0.5, 1].flatMap((share) => [
      svgElement("line", { class: share ? "ws-grid" : "ws-axis", x1: FRAME.left, x2: end, y1: y(share * top), y2: y(share * top) }),
      svgElement("text", { x: FRAME.left - 6, y: y(share * top) + 3.5, "text-anchor": "end" }, String(Number((share * top).toPrecision(3)))),
    ]),
    svgElement("text", { class: `ws-axis-label ws-axis-${kind}`, x: FRAME.left, y: y(top) - 7 }, title),
  ];
}

/**
 * Return what the shapes of the marks mean; nothing where all replies are valid.
 * @param {Object} game The game as Python sends it.
 * @returns {HTMLElement}
 */
export function trackerLegend(game) {
  const present = Object.keys(CLASS_SHAPES).filter((name) => game.replies.some((reply) => reply.reply_class === name));
  return htmlElement("div", { class: "ws-track-legend", "data-role": "tracker-legend", hidden: present.every((name) => name === "valid") },
    ...present.map((name) => htmlElement("span", { class: "ws-track-class" },
      svgElement("svg", { viewBox: "0 0 12 10", width: 12, height: 10, "aria-hidden": "true" }, classMark(name, [6, 5], 3.8)), CLASS_WORDS[name])));
}
