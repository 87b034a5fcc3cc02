// State precision (left axis) and edit distance (right axis) along a game; the shape of a mark is
// the class of the reply. Hooks: data-role="tracker-chart", "precision-point", "distance-point"
// (data-ply, data-y, data-class), "chart-cursor", "tracker-legend".

import { htmlElement, svgElement } from "../page/svg.js";
import { CLASS_WORDS } from "../page/class_words.js";
import { QUANTITIES, capitalised } from "../page/quantities.js";
import { linePath, linearScale, roundTicks } from "../page/chart.js";
import { CLASS_SHAPES, clickedPly, distanceInWords, distanceTop } from "./tracker_places.js";

const FRAME = { left: 56, right: 58, top: 10, bottom: 38 };

/**
 * @typedef {Object} TrackerSpec
 * @property {Object} game The game as Python sends it.
 * @property {number} depth m of the precision that is drawn.
 * @property {number} width In CSS pixels. @property {number} height
 * @property {(ply: number) => void} onSelect
 */

/**
 * Draw the chart; moveCursor moves its cursor.
 * @param {TrackerSpec} spec
 * @returns {{element: SVGElement, moveCursor: (ply: number) => void}}
 */
export function trackerChart({ game, depth, width, height, onSelect }) {
  const [first, last] = [game.stops[0].ply, game.stops[game.stops.length - 1].ply];
  const top = distanceTop(game.replies);
  const x = linearScale([first, last], [FRAME.left + 10, width - FRAME.right - 10]);
  const left = linearScale([0, 1], [height - FRAME.bottom, FRAME.top]);
  const right = linearScale([0, top], [height - FRAME.bottom, FRAME.top]);
  const chart = svgElement("svg", {
    class: "ws-chart ws-selectable", viewBox: `0 0 ${width} ${height}`, width, height, role: "img",
    "data-role": "tracker-chart", "data-from": first, "data-to": last,
    "aria-label": `${capitalised(QUANTITIES.precision.name)} p_${depth} and ${QUANTITIES.edit_distance.name} of ${game.replies.length} replies by ply; the slider below goes through them`,
  });
  const size = markSize(game.replies.length, width);
  const precision = game.replies.map((reply) => ({ x: reply.ply, y: reply.precision[depth - 1], reply }));
  const distance = game.replies.map((reply) => ({ x: reply.ply, y: reply.distance, reply }));
  const cursor = svgElement("line", { class: "ws-cursor", "data-role": "chart-cursor", y1: FRAME.top - 4, y2: height - FRAME.bottom });
  chart.append(
    ...frame({ x, left, right, top, depth, width, height, first, last }),
    cursor,
    lineGroup("distance", distance, x, right, size, (reply) => `${QUANTITIES.edit_distance.name} ${distanceInWords(reply)}`),
    lineGroup("precision", precision, x, left, size, (reply) => `p_${depth} ${reply.precision[depth - 1].toFixed(4)}`),
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

function lineGroup(kind, points, x, y, size, words) {
  const group = svgElement("g", { class: `ws-track ws-track-${kind}` });
  group.append(svgElement("path", { class: "ws-track-line", d: linePath(points, x, y) }));
  for (const { x: ply, y: value, reply } of points) {
    if (value === null) continue;
    const point = classMark(reply.reply_class, [x(ply), y(value)], size);
    for (const [name, text] of Object.entries({ role: `${kind}-point`, ply, y: value, class: reply.reply_class })) {
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

function frame({ x, left, right, top, depth, width, height, first, last }) {
  const [start, end, foot] = [FRAME.left, width - FRAME.right, height - FRAME.bottom];
  const middle = (foot + FRAME.top) / 2;
  const label = (place, turn, text, kind) =>
    svgElement("text", { class: `ws-axis-label ws-axis-${kind}`, "text-anchor": "middle", transform: `translate(${place} ${middle}) rotate(${turn})` }, text);
  return [
    ...[0, 0.25, 0.5, 0.75, 1].flatMap((tick) => [
      svgElement("line", { class: "ws-grid", x1: start, x2: end, y1: left(tick), y2: left(tick) }),
      svgElement("text", { x: start - 6, y: left(tick) + 3.5, "text-anchor": "end" }, String(tick)),
      svgElement("text", { x: end + 6, y: left(tick) + 3.5 }, String(Number((tick * top).toPrecision(3)))),
    ]),
    ...roundTicks(first, last, width < 600 ? 6 : 12).filter(Number.isInteger).map((tick) =>
      svgElement("text", { x: x(tick), y: foot + 15, "text-anchor": "middle" }, String(tick))),
    svgElement("line", { class: "ws-axis", x1: start, x2: end, y1: foot, y2: foot }),
    svgElement("text", { class: "ws-axis-label", x: (start + end) / 2, y: height - 6, "text-anchor": "middle" }, "ply"),
    label(12, -90, `${QUANTITIES.precision.name} p_${depth}`, "precision"),
    label(width - 12, 90, `${QUANTITIES.edit_distance.name} / longer FEN`, "distance"),
  ];
}

/**
 * Return what the lines and marks of the chart mean, as text that wraps where the page is narrow.
 * @param {Object} game The game as Python sends it. @param {number} depth m of the precision.
 * @returns {HTMLElement}
 */
export function trackerLegend(game, depth) {
  const entry = (kind, width, marks, words) => htmlElement("span", { class: `ws-track-${kind}` },
    svgElement("svg", { viewBox: `0 0 ${width} 10`, width, height: 10, "aria-hidden": "true" }, ...marks), words);
  const line = (kind, words) => entry(kind, 28,
    [svgElement("path", { class: "ws-track-line", d: "M0,5H28" }), classMark("valid", [14, 5], 3.6)], words);
  const present = Object.keys(CLASS_SHAPES).filter((name) => game.replies.some((reply) => reply.reply_class === name));
  return htmlElement("div", { class: "ws-track-legend", "data-role": "tracker-legend" },
    line("precision", `p_${depth} (left axis)`), line("distance", `${QUANTITIES.edit_distance.name} (right axis)`),
    ...present.map((name) => entry("class", 12, [classMark(name, [6, 5], 3.8)], CLASS_WORDS[name])));
}
