// One strip per estimator: one dot per run, or a histogram, with the mean and the reference line.
// Hooks: data-role="strip-chart", "strip" (data-method, data-runs, data-low, data-high), "strip-dots", "strip-mean",
// "reference-line", "reference-band".

import { svgElement } from "../page/svg.js";
import { linearScale, roundTicks } from "../page/chart.js";
import { barsPath, binCounts, digits, dotsPath, ownDomain, signedDigits, valueDomain } from "./estimator_numbers.js";

const STRIP = { left: 10, right: 14, top: 26, bottom: 40, foot: 24, row: 50, label: 16, room: 26 };

/**
 * @typedef {Object} StripRow
 * @property {string} method @property {string} label
 * @property {number[]} values @property {number|null} mean
 * @property {number|null} error Standard error of the mean.
 * @property {string} explanation What the estimator does; it appears on pointing.
 *
 * @typedef {Object} StripSpec
 * @property {string} title For screen readers.
 * @property {string} xLabel
 * @property {number} width In CSS pixels: text keeps its size.
 * @property {StripRow[]} rows
 * @property {Object|null} aim As Aim in estimator_numbers.js.
 * @property {"dots"|"histogram"} drawing
 * @property {"own"|"shared"} scale Whether each estimator has an axis of its own, with the aim in its middle.
 */

/** Draw the strips; call again and replace the element when there are new runs.
 * @param {StripSpec} spec @returns {SVGElement} */
export function stripChart(spec) {
  const { width, rows, aim } = spec;
  const own = spec.scale === "own";
  const height = STRIP.top + rows.length * STRIP.row + (own ? STRIP.foot : STRIP.bottom);
  const shared = valueDomain(rows.map(({ values }) => values), aim);
  const ends = [STRIP.left, width - STRIP.right];
  const strips = rows.map((row, index) => {
    const domain = own ? ownDomain(row.values, aim) : shared;
    return { row, own, domain, ends, x: linearScale(domain, ends), top: STRIP.top + index * STRIP.row };
  });
  const chart = svgElement("svg", {
    class: "ws-chart ws-strips", viewBox: `0 0 ${width} ${height}`, width, height, role: "img",
    "aria-label": spec.title, "data-role": "strip-chart",
  });
  const foot = STRIP.top + rows.length * STRIP.row;
  const x = linearScale(own ? ownDomain([], aim) : shared, ends);
  chart.append(
    ...(own ? [footWords(spec, height)] : stripAxis(spec, x, shared, foot, height)),
    ...strips.map((each) => strip(each, spec)),
    ...(aim ? aimMarks(aim, x, foot, width) : []),
    ...strips.map(stripWords),
    ...strips.map(meanMark).filter(Boolean),
  );
  return chart;
}

/** The runs of one estimator, above a line; the band is that of an aim that is estimated. */
function strip({ row, domain, ends, x, top }, { drawing, aim }) {
  const start = top + STRIP.label;
  const base = start + STRIP.room + 3;
  const path = drawing === "histogram"
    ? svgElement("path", {
      class: "ws-bars", "data-role": "strip-dots",
      d: barsPath(binCounts(row.values, domain, 120), ends, start + STRIP.room, STRIP.room),
    })
    : svgElement("path", {
      class: "ws-dots", "data-role": "strip-dots",
      style: `stroke-width: ${row.values.length > 400 ? 2.4 : 3.4}px`,
      d: dotsPath(row.values, x, start + 2, STRIP.room - 4),
    });
  return svgElement("g", { "data-role": "strip", "data-method": row.method, "data-runs": row.values.length, "data-low": domain[0], "data-high": domain[1] },
    svgElement("line", { class: "ws-grid", x1: ends[0], x2: ends[1], y1: base, y2: base }),
    aim && !aim.exact && svgElement("rect", {
      class: "ws-aim-band", "data-role": "reference-band",
      x: x(aim.low), y: start, width: Math.max(1, x(aim.high) - x(aim.low)), height: STRIP.room,
    }),
    path);
}

/** The estimator's name, and how far its own axis goes. */
function stripWords({ row, own, domain, ends, top }) {
  const half = (domain[1] - domain[0]) / 2;
  return svgElement("g", {},
    svgElement("text", { class: "ws-strip-name", x: ends[0], y: top + 12 }, row.label, row.explanation && svgElement("title", {}, row.explanation)),
    own && row.values.length > 0 && svgElement("text", { class: "ws-strip-ends", x: ends[1], y: top + 12, "text-anchor": "end" },
      `${signedDigits(-half)} to ${signedDigits(half)}`));
}

function footWords({ xLabel, width }, height) {
  return svgElement("text", { class: "ws-axis-label", x: width / 2, y: height - 6, "text-anchor": "middle" }, xLabel);
}

/** The mean as a diamond with a bar of two standard errors to either side. */
function meanMark({ row, top, x }) {
  if (row.mean === null) return null;
  const y = top + STRIP.label + STRIP.room / 2;
  const at = x(row.mean);
  const group = svgElement("g", { class: "ws-mean", "data-role": "strip-mean", "data-method": row.method });
  if (row.error !== null) {
    const [low, high] = [x(row.mean - 2 * row.error), x(row.mean + 2 * row.error)];
    group.append(svgElement("path", { class: "ws-mean-error", d: `M${low},${y}H${high}M${low},${y - 4}V${y + 4}M${high},${y - 4}V${y + 4}` }));
  }
  group.append(
    svgElement("path", { class: "ws-mean-mark", d: `M${at - 5},${y}L${at},${y - 6.5}L${at + 5},${y}L${at},${y + 6.5}Z` }),
    svgElement("title", {}, `${row.label}: mean of ${row.values.length} runs ${digits(row.mean, 5)}`),
  );
  return group;
}

/** The line that all runs aim at, with its value. */
function aimMarks(aim, x, foot, width) {
  const at = x(aim.value);
  const words = aim.exact ? `exact ${digits(aim.value, 5)}` : `estimated ${digits(aim.value, 5)}, 95% band`;
  const half = 3.1 * words.length;
  return [
    svgElement("text", {
      class: "ws-aim-name", "text-anchor": "middle", y: 16,
      x: Math.min(width - STRIP.right - half, Math.max(STRIP.left + half, at)),
    }, words),
    svgElement("line", {
      class: aim.exact ? "ws-aim-line" : "ws-aim-line ws-aim-estimated", "data-role": "reference-line",
      "data-value": aim.value, x1: at, x2: at, y1: STRIP.top - 8, y2: foot,
    }),
  ];
}

function stripAxis({ xLabel, width }, x, domain, foot, height) {
  const ticks = roundTicks(domain[0], domain[1], width < 500 ? 4 : 7);
  return [
    ...ticks.map((tick) => svgElement("line", { class: "ws-grid", x1: x(tick), x2: x(tick), y1: STRIP.top - 4, y2: foot })),
    svgElement("line", { class: "ws-axis", x1: STRIP.left, x2: width - STRIP.right, y1: foot, y2: foot }),
    ...ticks.map((tick) => svgElement("text", { x: x(tick), y: foot + 14, "text-anchor": "middle" }, String(tick))),
    footWords({ xLabel, width }, height),
  ];
}
