// The scatter's arithmetic: where a value lies, which rows lie at one spot, which spot is nearest,
// and the outlines of the marks.

/** Marks differ in shape first; with seven colours, a repeated shape has another colour. */
export const MARK_SHAPES = ["circle", "square", "triangle", "diamond", "cross", "wedge", "plus", "star"];
export const MARK_COLOURS = 7;

/**
 * @typedef {Object} PlotFrame
 * @property {number} left @property {number} top @property {number} width @property {number} height
 *   Of the plot itself, in pixels.
 * @property {number} highest The edit distance at the right end.
 */

/**
 * @param {number} width Of the whole, in pixels. @param {number} height
 * @param {number} highest The highest edit distance.
 * @returns {PlotFrame}
 */
export function plotFrame(width, height, highest) {
  const margin = { left: 46, right: 14, top: 14, bottom: 40 };
  return {
    left: margin.left,
    top: margin.top,
    width: Math.max(10, width - margin.left - margin.right),
    height: Math.max(10, height - margin.top - margin.bottom),
    highest: Math.max(1, highest),
  };
}

/** @param {PlotFrame} frame @param {number} distance @param {number} precision */
export function toPixel(frame, distance, precision) {
  return {
    x: frame.left + (distance / frame.highest) * frame.width,
    y: frame.top + (1 - precision) * frame.height,
  };
}

/** @param {PlotFrame} frame @param {number} x @param {number} y */
export function fromPixel(frame, x, y) {
  return {
    distance: ((x - frame.left) / frame.width) * frame.highest,
    precision: 1 - (y - frame.top) / frame.height,
  };
}

/**
 * Round numbers from 0 to a highest value.
 * @param {number} highest @param {number} wanted About how many.
 * @returns {number[]}
 */
export function distanceTicks(highest, wanted) {
  const rough = highest / Math.max(1, wanted);
  const decade = 10 ** Math.floor(Math.log10(rough));
  const step = Math.max(1, [1, 2, 5, 10].map((unit) => unit * decade).find((unit) => unit >= rough));
  const ticks = [];
  for (let tick = 0; tick <= highest; tick += step) ticks.push(tick);
  return ticks;
}

/**
 * Put rows with the same distance, precision and mark together.
 * @param {Iterable<number>} rows
 * @param {Float64Array} distances @param {Float64Array} precisions
 * @param {Int32Array} codes Of the marks.
 * @returns {{spots: Array<{distance: number, precision: number, code: number, rows: number[]}>,
 *   left: number}} left: rows without a distance or a precision, which have no spot.
 */
export function gatherSpots(rows, distances, precisions, codes) {
  const spots = new Map();
  let left = 0;
  for (const row of rows) {
    const distance = distances[row];
    const precision = precisions[row];
    if (Number.isNaN(distance) || Number.isNaN(precision)) {
      left += 1;
      continue;
    }
    const key = `${distance} ${precision} ${codes[row]}`;
    const spot = spots.get(key);
    if (spot) spot.rows.push(row);
    else spots.set(key, { distance, precision, code: codes[row], rows: [row] });
  }
  return { spots: [...spots.values()], left };
}

/** @param {number} count Rows at one spot. @returns {number} Half the width of its mark in pixels. */
export function markRadius(count) {
  return Math.min(9, 3.2 + 0.55 * Math.log2(count));
}

/**
 * The spots under the pointer, nearest first.
 * @param {Array<Object>} spots @param {PlotFrame} frame
 * @param {number} x @param {number} y @param {number} reach In pixels.
 */
export function spotsNear(spots, frame, x, y, reach = 9) {
  const found = [];
  for (const spot of spots) {
    const at = toPixel(frame, spot.distance, spot.precision);
    const off = Math.hypot(at.x - x, at.y - y);
    if (off <= reach) found.push({ spot, off });
  }
  return found.sort((one, other) => one.off - other.off).map((each) => each.spot);
}

/**
 * The row that a click opens: of the rows under the pointer the one after the row that is open.
 * @param {number[]} rows @param {number} opened
 * @returns {number|null}
 */
export function nextOf(rows, opened) {
  if (rows.length === 0) return null;
  return rows[(rows.indexOf(opened) + 1) % rows.length];
}

/**
 * The ranges that a dragged rectangle covers; an end at or beyond the plot's border is open.
 * @param {PlotFrame} frame @param {{x: number, y: number}} from @param {{x: number, y: number}} to
 * @returns {{distance: Array<number|null>, precision: Array<number|null>}}
 */
export function brushedRanges(frame, from, to) {
  const one = fromPixel(frame, Math.min(from.x, to.x), Math.max(from.y, to.y));
  const other = fromPixel(frame, Math.max(from.x, to.x), Math.min(from.y, to.y));
  const low = Math.ceil(one.distance);
  const high = Math.max(low, Math.floor(other.distance));
  const tidy = (value) => Number(value.toFixed(3));
  return {
    distance: [low <= 0 ? null : low, other.distance >= frame.highest ? null : high],
    precision: [
      one.precision <= 0 ? null : tidy(one.precision),
      other.precision >= 1 ? null : tidy(other.precision),
    ],
  };
}

/**
 * Draw the outline of a mark.
 * @param {CanvasRenderingContext2D} context
 * @param {number} code Of the mark. @param {number} x @param {number} y @param {number} radius
 */
export function traceMark(context, code, x, y, radius) {
  const shape = MARK_SHAPES[Math.max(0, code) % MARK_SHAPES.length];
  context.beginPath();
  if (shape === "circle") {
    context.arc(x, y, radius, 0, 2 * Math.PI);
    return;
  }
  const corners = markCorners(shape);
  corners.forEach(([right, down], index) => {
    const act = index === 0 ? "moveTo" : "lineTo";
    context[act](x + right * radius, y + down * radius);
  });
  context.closePath();
}

/** @param {string} shape @returns {number[][]} Corners around (0, 0), of about the area of a circle. */
export function markCorners(shape) {
  const arm = 0.36;
  const end = 1.15;
  const plus = [
    [-arm, -end], [arm, -end], [arm, -arm], [end, -arm], [end, arm], [arm, arm],
    [arm, end], [-arm, end], [-arm, arm], [-end, arm], [-end, -arm], [-arm, -arm],
  ];
  const half = Math.SQRT1_2;
  const turned = plus.map(([x, y]) => [half * (x - y), half * (x + y)]);
  const star = Array.from({ length: 10 }, (_, index) => {
    const angle = (Math.PI * index) / 5 - Math.PI / 2;
    const out = index % 2 ? 0.55 : 1.35;
    return [out * Math.cos(angle), out * Math.sin(angle)];
  });
  return {
    square: [[-0.9, -0.9], [0.9, -0.9], [0.9, 0.9], [-0.9, 0.9]],
    triangle: [[0, -1.25], [1.15, 0.85], [-1.15, 0.85]],
    wedge: [[0, 1.25], [1.15, -0.85], [-1.15, -0.85]],
    diamond: [[0, -1.35], [1.1, 0], [0, 1.35], [-1.1, 0]],
    plus,
    cross: turned,
    star,
  }[shape];
}
