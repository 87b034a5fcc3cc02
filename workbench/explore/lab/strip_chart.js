// One strip per estimator: one dot per run, or a histogram, with the mean and the reference line.
// Hooks: data-role="strip-chart", "strip" (data-method, data-runs), "strip-dots", "strip-mean",
// "reference-line", "reference-band".

import { svgElement } from "../page/svg.js";
import { linearScale, roundTicks } from "../page/chart.js";
import { barsPath, binCounts, digits, dotsPath, valueDomain } from "./estimator_numbers.js";

const STRIP = { left: 10, right: 14, top: 30, bottom: 40, row: 50, label: 16, room: 26 };

/**
 * @typedef {Object} StripRow
 * @property {string} method @property {string} label
 * @property {number[]} values @property {number|null} mean
 * @property {number|null} error Standard error of the mean.
 *
 * @typedef {Object} StripSpec
 * @property {string} title For screen readers.
 * @property {string} xLabel
 * @property {number} width In CSS pixels: text keeps its size.
 * @property {StripRow[]} rows
 * @property {Object|null} aim As Aim in estimator_numbers.js.
 * @property {"dots"|"histogram"} drawing
 */

/** Draw the strips; call again and replace the element when there are new runs.
 * @param {StripSpec} spec @returns {SVGElement} */
export function stripChart(spec) {
  const { width, rows, aim } = spec;
  const height = STRIP.top + rows.length * STRIP.row + STRIP.bottom;
  const domain = valueDomain(rows.map(({ values }) => values), aim);
  const x = linearScale(domain, [STRIP.left, width - STRIP.right]);
  const chart = svgElement("svg", {
    class: "ws-chart ws-strips", viewBox: `0 0 ${width} ${height}`, width, height, role: "img",
    "aria-label": spec.title, "data-role": "strip-chart",
  });
  const foot = STRIP.top + rows.length * STRIP.row;
  chart.append(
    ...stripAxis(spec, x, domain, foot),
    ...(aim ? aimMarks(aim, x, foot, width) : []),
    ...rows.map((row, index) => strip(row, STRIP.top + index * STRIP.row, x, domain, spec)),
    ...(aim ? [aimLine(aim, x, foot)] : []),
    ...rows.map((row, index) => meanMark(row, STRIP.top + index * STRIP.row, x)).filter(Boolean),
  );
  return chart;
}

function strip(row, top, x, domain, { drawing, width }) {
  const group = svgElement("g", { "data-role": "strip", "data-method": row.method, "data-runs": row.values.length });
  const start = top + STRIP.label;
  const path = drawing === "histogram"
    ? svgElement("path", {
      class: "ws-bars", "data-role": "strip-dots",
      d: barsPath(binCounts(row.values, domain, 120), [STRIP.left, width - STRIP.right], start + STRIP.room, STRIP.room),
    })
    : svgElement("path", {
      class: "ws-dots", "data-role": "strip-dots",
      style: `stroke-width: ${row.values.length > 400 ? 2.4 : 3.4}px`,
      d: dotsPath(row.values, x, start + 2, STRIP.room - 4),
    });
  group.append(
    svgElement("line", { class: "ws-grid", x1: STRIP.left, x2: width - STRIP.right, y1: start + STRIP.room + 3, y2: start + STRIP.room + 3 }),
    path,
    svgElement("text", { class: "ws-strip-name", x: STRIP.left, y: top + 12 }, row.label),
  );
  return group;
}

/** The mean as a diamond with a bar of two standard errors to either side. */
function meanMark(row, top, x) {
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

function aimMarks(aim, x, foot, width) {
  const at = x(aim.value);
  const words = aim.exact ? `exact ${digits(aim.value, 5)}` : `estimated ${digits(aim.value, 5)}, 95% band`;
  const half = 3.1 * words.length;
  const label = svgElement("text", {
    class: "ws-aim-name", "text-anchor": "middle", y: 16,
    x: Math.min(width - STRIP.right - half, Math.max(STRIP.left + half, at)),
  }, words);
  if (aim.exact) return [label];
  const [low, high] = [x(aim.low), x(aim.high)];
  const band = svgElement("rect", {
    class: "ws-aim-band", "data-role": "reference-band",
    x: low, y: STRIP.top - 8, width: Math.max(1, high - low), height: foot - STRIP.top + 8,
  });
  return [band, label];
}

function aimLine(aim, x, foot) {
  return svgElement("line", {
    class: aim.exact ? "ws-aim-line" : "ws-aim-line ws-aim-estimated", "data-role": "reference-line",
    "data-value": aim.value, x1: x(aim.value), x2: x(aim.value), y1: STRIP.top - 8, y2: foot,
  });
}

function stripAxis({ xLabel, width }, x, domain, foot) {
  const ticks = roundTicks(domain[0], domain[1], width < 500 ? 4 : 7);
  return [
    ...ticks.map((tick) => svgElement("line", { class: "ws-grid", x1: x(tick), x2: x(tick), y1: STRIP.top - 4, y2: foot })),
    svgElement("line", { class: "ws-axis", x1: STRIP.left, x2: width - STRIP.right, y1: foot, y2: foot }),
    ...ticks.map((tick) => svgElement("text", { x: x(tick), y: foot + 14, "text-anchor": "middle" }, String(tick))),
    svgElement("text", { class: "ws-axis-label", x: (STRIP.left + width - STRIP.right) / 2, y: foot + 32, "text-anchor": "middle" }, xLabel),
  ];
}
