// A small line chart with error bars. Hooks: data-role="chart", "chart-point" (with data-series,
// data-x, data-y), "chart-error", "chart-cursor".

import { svgElement } from "./svg.js";

/**
 * @typedef {Object} ChartPoint
 * @property {number} x
 * @property {number|null} y Null is undefined: no mark, and the line has a gap.
 * @property {number} [low] With high: the ends of the error bar; no bar where both equal y.
 * @property {number} [high]
 * @property {string} [note] Shown when the pointer rests on the mark.
 *
 * @typedef {Object} ChartSeries
 * @property {string} name
 * @property {ChartPoint[]} points By rising x.
 * @property {string} [look] "true", "predicted", "shared" or "plain": colour, dash and mark of
 *   theme.css and SERIES_MARKS.
 *
 * @typedef {Object} ChartSpec
 * @property {string} title What the chart shows, for screen readers.
 * @property {string} xLabel
 * @property {string} yLabel
 * @property {ChartSeries[]} series
 * @property {[number, number]} [xDomain] Default: the smallest and largest x.
 * @property {[number, number]} [yDomain] Default: 0 to 1.
 * @property {number[]} [xTicks] Default: chosen.
 * @property {number} [width] In units of the drawing; it grows with its container. Default 320.
 * @property {number} [height] Default 190.
 * @property {number|null} [cursor] An x that an upright line marks.
 * @property {(x: number) => void} [onSelect] Called with the nearest x of a point when clicked.
 */

const SERIES_MARKS = { true: "circle", predicted: "square", shared: "diamond", plain: "circle" };
const CHART_MARGIN = { left: 42, right: 12, top: 24, bottom: 34 };

/**
 * Draw a chart; call again and replace the element when the data change.
 * @param {ChartSpec} spec
 * @returns {SVGElement}
 */
export function lineChart(spec) {
  const width = spec.width ?? 320;
  const height = spec.height ?? 190;
  const xs = [...new Set(spec.series.flatMap(({ points }) => points.map(({ x }) => x)))].sort(
    (one, other) => one - other,
  );
  const xDomain = spec.xDomain ?? (xs.length ? [xs[0], xs[xs.length - 1]] : [0, 1]);
  const yDomain = spec.yDomain ?? [0, 1];
  const x = linearScale(xDomain, [CHART_MARGIN.left + 8, width - CHART_MARGIN.right - 8]);
  const y = linearScale(yDomain, [height - CHART_MARGIN.bottom, CHART_MARGIN.top]);
  const chart = svgElement("svg", {
    class: "ws-chart", viewBox: `0 0 ${width} ${height}`, role: "img",
    "aria-label": spec.title, "data-role": "chart",
  });
  chart.append(
    ...axes(spec, x, y, xDomain, yDomain, { width, height }),
    ...cursorLine(spec, x, height),
    ...spec.series.map((series, index) => seriesGroup(series, x, y, spec.series.slice(index + 1).some((later) => coincide(series, later, y)))),
    legend(spec.series, width),
  );
  if (spec.onSelect && xs.length) {
    chart.classList.add("ws-selectable");
    chart.addEventListener("click", (event) => {
      const box = chart.getBoundingClientRect();
      const at = ((event.clientX - box.left) / box.width) * width;
      spec.onSelect(nearest(xs, (value) => Math.abs(x(value) - at)));
    });
  }
  return chart;
}

/**
 * Return the function that maps a domain onto a range; a domain of no width maps to its middle.
 * @param {[number, number]} domain @param {[number, number]} range
 */
export function linearScale([from, to], [start, end]) {
  if (from === to) return () => (start + end) / 2;
  return (value) => start + ((value - from) / (to - from)) * (end - start);
}

/**
 * Return round numbers between two ends: multiples of 1, 2 or 5 times a power of ten.
 * @param {number} from @param {number} to @param {number} [about] About as many as wanted.
 * @returns {number[]}
 */
export function roundTicks(from, to, about = 5) {
  if (!(to > from)) return [from];
  const rough = (to - from) / Math.max(1, about);
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((size) => size >= rough * 0.999);
  const ticks = [];
  for (let index = Math.ceil(from / step - 1e-9); index * step <= to + step * 1e-9; index += 1) {
    ticks.push(Number((index * step).toPrecision(12)));
  }
  return ticks;
}

/** Return the value with the smallest penalty. */
export function nearest(values, badness) {
  return values.reduce((best, value) => (badness(value) < badness(best) ? value : best));
}

/**
 * Write a probability: four decimals, or three digits and a power of ten where these would be 0.
 * @param {number|null|undefined} value
 * @returns {string}
 */
export function probabilityText(value) {
  if (value === null || value === undefined || Number.isNaN(value)) return "undefined";
  if (value !== 0 && Math.abs(value) < 0.00005) return value.toExponential(2).replace("e-", "e−");
  return value.toFixed(4);
}

/** Return one path for the points that are defined; an undefined one makes a gap. */
export function linePath(points, x, y) {
  let pen = "M";
  const parts = [];
  for (const point of points) {
    if (point.y === null || point.y === undefined || Number.isNaN(point.y)) pen = "M";
    else {
      parts.push(`${pen}${x(point.x).toFixed(2)},${y(point.y).toFixed(2)}`);
      pen = "L";
    }
  }
  return parts.join("");
}

function axes(spec, x, y, xDomain, yDomain, { width, height }) {
  const right = width - CHART_MARGIN.right;
  const yTicks = roundTicks(yDomain[0], yDomain[1], 4);
  const xTicks = spec.xTicks ?? roundTicks(xDomain[0], xDomain[1], 6);
  return [
    ...yTicks.flatMap((tick) => [
      svgElement("line", { class: "ws-grid", x1: CHART_MARGIN.left, x2: right, y1: y(tick), y2: y(tick) }),
      svgElement("text", { class: "ws-tick", x: CHART_MARGIN.left - 6, y: y(tick) + 3.5, "text-anchor": "end" }, `${tick}`),
    ]),
    ...xTicks.map((tick) =>
      svgElement("text", { class: "ws-tick", x: x(tick), y: height - CHART_MARGIN.bottom + 14, "text-anchor": "middle" }, `${tick}`),
    ),
    svgElement("line", { class: "ws-axis", x1: CHART_MARGIN.left, x2: right, y1: y(yDomain[0]), y2: y(yDomain[0]) }),
    svgElement("text", { class: "ws-axis-label", x: (CHART_MARGIN.left + right) / 2, y: height - 4, "text-anchor": "middle" }, spec.xLabel),
    svgElement("text", {
      class: "ws-axis-label", "text-anchor": "middle",
      transform: `translate(11 ${(height - CHART_MARGIN.bottom + CHART_MARGIN.top) / 2}) rotate(-90)`,
    }, spec.yLabel),
  ];
}

function cursorLine({ cursor }, x, height) {
  if (cursor === null || cursor === undefined) return [];
  return [svgElement("line", {
    class: "ws-cursor", "data-role": "chart-cursor", x1: x(cursor), x2: x(cursor),
    y1: CHART_MARGIN.top, y2: height - CHART_MARGIN.bottom,
  })];
}

/** Whether a later line would hide an earlier one: on both, two neighbours, or a lone point, are the same to a pixel. */
function coincide(series, later, y) {
  const same = series.points.map((point, index) => {
    const other = later.points[index];
    return other?.x === point.x && Number.isFinite(point.y) && Number.isFinite(other.y) && Math.abs(y(point.y) - y(other.y)) < 1;
  });
  return same.some((here, index) => here && (same.length === 1 || same[index + 1]));
}

/** A line below another that coincides with it is wider, so that both are seen. */
function seriesGroup(series, x, y, below) {
  const look = series.look ?? "plain";
  const group = svgElement("g", { class: `ws-series ws-look-${look}${below ? " ws-below" : ""}` });
  group.append(svgElement("path", { class: "ws-line", d: linePath(series.points, x, y) }));
  for (const point of series.points) {
    if (point.y === null || point.y === undefined || Number.isNaN(point.y)) continue;
    const at = [x(point.x), y(point.y)];
    if (point.low !== undefined && point.high !== undefined && point.high > point.low) {
      group.append(errorBar(at[0], y(point.low), y(point.high)));
    }
    const dot = mark(SERIES_MARKS[look] ?? "circle", at, below ? 5.4 : 3.4);
    dot.setAttribute("data-role", "chart-point");
    dot.setAttribute("data-series", series.name);
    dot.setAttribute("data-x", String(point.x));
    dot.setAttribute("data-y", String(point.y));
    const note = point.note ?? `${series.name} at ${point.x}: ${probabilityText(point.y)}`;
    dot.append(svgElement("title", {}, note));
    group.append(dot);
  }
  return group;
}

function errorBar(x, low, high) {
  const cap = 3.5;
  return svgElement("path", {
    class: "ws-error", "data-role": "chart-error",
    d: `M${x},${low}V${high}M${x - cap},${low}H${x + cap}M${x - cap},${high}H${x + cap}`,
  });
}

/** Return a mark of a shape at a point; the shapes distinguish series without colour. */
export function mark(shape, [x, y], radius) {
  if (shape === "square") {
    return svgElement("rect", { class: "ws-mark", x: x - radius, y: y - radius, width: 2 * radius, height: 2 * radius });
  }
  if (shape === "diamond") {
    const far = radius * 1.3;
    return svgElement("path", { class: "ws-mark", d: `M${x - far},${y}L${x},${y - far}L${x + far},${y}L${x},${y + far}Z` });
  }
  return svgElement("circle", { class: "ws-mark", cx: x, cy: y, r: radius });
}

function legend(seriesList, width) {
  const group = svgElement("g", { class: "ws-legend" });
  let x = CHART_MARGIN.left;
  for (const { name, look = "plain" } of seriesList) {
    const entry = svgElement("g", { class: `ws-series ws-look-${look}` },
      svgElement("path", { class: "ws-line", d: `M${x},9H${x + 22}` }),
      mark(SERIES_MARKS[look] ?? "circle", [x + 11, 9], 3.2),
      svgElement("text", { class: "ws-legend-text", x: x + 27, y: 12.5 }, name),
    );
    group.append(entry);
    x += 42 + 6.2 * name.length;
    if (x > width) break;
  }
  return group;
}
