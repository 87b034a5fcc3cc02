// The scatter's arithmetic: where a row lies, which rows are near a place or inside a lasso, how to zoom.

/**
 * @typedef {Object} Axis
 * @property {number} low @property {number} high The ends.
 * @property {boolean} whole Whether values are whole numbers: half a unit is added on either side, so
 *   that each has a column of its own.
 *
 * @typedef {Object} PlotFrame
 * @property {number} left @property {number} top @property {number} width @property {number} height
 *   Of the plot itself, in pixels.
 * @property {{across: Axis, up: Axis}} axes
 *
 * @typedef {Object} Points Rows with a place, in the order in which they are drawn.
 * @property {Int32Array} rows @property {Float32Array} xs @property {Float32Array} ys Pixels.
 */

/**
 * @param {number} width Of the whole, in pixels. @param {number} height
 * @param {{across: Axis, up: Axis}} axes
 * @returns {PlotFrame}
 */
export function plotFrame(width, height, axes) {
  const margin = { left: 46, right: 14, top: 14, bottom: 40 };
  return {
    left: margin.left,
    top: margin.top,
    width: Math.max(10, width - margin.left - margin.right),
    height: Math.max(10, height - margin.top - margin.bottom),
    axes,
  };
}

/**
 * The axis of a column: of the whole run, or of the range chosen.
 * @param {{digits: number, range: Array<number|null>, values: Float64Array}} column Its range: of all
 *   values that are possible, null for an open end, which is that of the run.
 * @param {Array<number|null>} chosen
 * @returns {Axis}
 */
export function plotAxis({ digits, range, values }, chosen) {
  const whole = digits === 0;
  const least = range[0] ?? extreme(values, Math.min);
  const most = range[1] ?? extreme(values, Math.max);
  const [first, last] = [chosen[0] ?? least, Math.min(chosen[1] ?? most, range[1] ?? Infinity)];
  const low = Math.max(range[0] ?? -Infinity, whole ? Math.floor(first) : first);
  return { low, high: Math.max(low + (whole ? 1 : 0.001), whole ? Math.ceil(last) : last), whole };
}

/** @returns {number} The least or the greatest of the values that are defined; 0 if none is. */
function extreme(values, pick) {
  const found = values.reduce((best, value) => (Number.isNaN(value) ? best : pick(best ?? value, value)), null);
  return found ?? 0;
}

/** @param {PlotFrame} frame @param {number} across @param {number} up */
export function toPixel({ left, top, width, height, axes }, across, up) {
  return { x: left + shareOf(axes.across, across) * width, y: top + (1 - shareOf(axes.up, up)) * height };
}

function shareOf({ low, high, whole }, value) {
  return whole ? (value - low + 0.5) / (high - low + 1) : (value - low) / (high - low);
}

/**
 * Round numbers from a lowest to a highest value.
 * @param {number[]} ends @param {number} wanted About how many. @param {number} least Of a step.
 * @returns {number[]}
 */
export function ticksBetween([low, high], wanted, least) {
  const rough = (high - low) / Math.max(1, wanted);
  const decade = 10 ** Math.floor(Math.log10(rough));
  const step = Math.max(least, [1, 2, 5, 10].map((unit) => unit * decade).find((unit) => unit >= rough * (1 - 1e-9)));
  const ticks = [];
  for (let count = Math.ceil(low / step - 1e-9); count * step <= high + 1e-9; count += 1) ticks.push(Number((count * step).toPrecision(12)));
  return ticks;
}

/** Equal rows are moved apart by so many pixels at most; within a column of whole numbers by more. */
const APART = 2.5;
const MOST_APART = 9;
const SHARE_OF_COLUMN = 0.42;

/** The largest integer of 32 bits, and multipliers without a common pattern. */
const WHOLE_HASH = 2 ** 32;
const HASHES = [2654435761, 2246822519, 3266489917];

/** @returns {number} From 0 to 1, the same for the same row, in no order of the rows. */
function mixed(row, kind) {
  let value = Math.imul(row + 1, HASHES[kind]);
  value = Math.imul(value ^ (value >>> 15), HASHES[(kind + 1) % 3]);
  return ((value ^ (value >>> 13)) >>> 0) / WHOLE_HASH;
}

/**
 * All rows of a run in an order in which no group covers the others, always the same.
 * @param {number} count @returns {Int32Array}
 */
export function mixedRows(count) {
  const keys = Float64Array.from({ length: count }, (_, row) => mixed(row, 2));
  return Int32Array.from(keys.keys()).sort((one, other) => keys[one] - keys[other]);
}

/**
 * The rows that have both values, in the order of all.
 * @param {Int32Array} every As mixedRows returns them. @param {Iterable<number>} rows
 * @param {Float64Array} acrosses @param {Float64Array} ups
 * @returns {Int32Array}
 */
export function plottedRows(every, rows, acrosses, ups) {
  const plotted = new Uint8Array(every.length);
  for (const row of rows) plotted[row] = !Number.isNaN(acrosses[row]) && !Number.isNaN(ups[row]);
  return every.filter((row) => plotted[row]);
}

/**
 * Where rows lie in pixels, each moved a little, always the same way, so that equal ones are seen.
 * @param {Int32Array} rows @param {Float64Array} acrosses @param {Float64Array} ups @param {PlotFrame} frame
 * @returns {Points}
 */
export function placePoints(rows, acrosses, ups, frame) {
  const { axes, width, height } = frame;
  const [right, down] = [apart(axes.across, width), apart(axes.up, height)];
  const xs = new Float32Array(rows.length);
  const ys = new Float32Array(rows.length);
  rows.forEach((row, index) => {
    xs[index] = frame.left + shareOf(axes.across, acrosses[row]) * width + (2 * mixed(row, 0) - 1) * right;
    ys[index] = frame.top + (1 - shareOf(axes.up, ups[row])) * height + (2 * mixed(row, 1) - 1) * down;
  });
  return { rows, xs, ys };
}

function apart({ low, high, whole }, pixels) {
  return whole ? Math.min(MOST_APART, (SHARE_OF_COLUMN * pixels) / (high - low + 1)) : APART;
}

/** @param {number} count Marks in view. @returns {{radius: number, opacity: number, plain: boolean}} plain: filled with their colour. */
export function markSize(count) {
  if (count > 8000) return { radius: 2, opacity: 0.5, plain: true };
  if (count > 1500) return { radius: 2.6, opacity: 0.65, plain: true };
  return { radius: count > 300 ? 3.4 : 4.4, opacity: 0.85, plain: false };
}

/**
 * The rows within reach of a place, nearest first.
 * @param {Points} points @param {number} x @param {number} y @param {number} reach In pixels.
 * @returns {number[]}
 */
export function rowsNear({ rows, xs, ys }, x, y, reach) {
  const near = [];
  for (let index = 0; index < rows.length; index += 1) {
    const off = Math.hypot(xs[index] - x, ys[index] - y);
    if (off <= reach) near.push([rows[index], off]);
  }
  return near.sort((one, other) => one[1] - other[1]).map(([row]) => row);
}

/**
 * The rows inside a line that is closed from its end to its beginning, by the even-odd rule.
 * @param {Points} points @param {Array<{x: number, y: number}>} lasso
 * @returns {number[]} Ascending.
 */
export function rowsInside({ rows, xs, ys }, lasso) {
  const inside = [];
  for (let index = 0; index < rows.length; index += 1) {
    const [x, y] = [xs[index], ys[index]];
    let odd = false;
    for (let end = 0, start = lasso.length - 1; end < lasso.length; start = end, end += 1) {
      const [one, other] = [lasso[start], lasso[end]];
      if (one.y > y !== other.y > y && x < one.x + ((y - one.y) / (other.y - one.y)) * (other.x - one.x)) odd = !odd;
    }
    if (odd) inside.push(rows[index]);
  }
  return inside.sort((one, other) => one - other);
}

/**
 * An axis that covers a part of another.
 * @param {Axis} axis As it is. @param {Axis} base The whole; the part never leaves it.
 * @param {number} factor Below 1 to see less. @param {number} share Of the axis, from 0 to 1, that stays where it is.
 * @param {number} [moved] By how much of its length the part moves on.
 * @returns {Axis}
 */
export function zoomedAxis(axis, base, factor, share, moved = 0) {
  const [low, high] = endsOf(axis);
  const [least, most] = endsOf(base);
  const length = Math.min(most - least, Math.max((high - low) * factor, base.whole ? 1 : (most - least) / 500));
  const start = low + share * (high - low) - share * length + moved * length;
  const from = Math.min(Math.max(start, least), most - length);
  const half = base.whole ? 0.5 : 0;
  return { low: from + half, high: from + length - half, whole: base.whole };
}

/** @param {Axis} axis @returns {number[]} What it covers, the halves beside whole numbers too. */
function endsOf({ low, high, whole }) {
  return whole ? [low - 0.5, high + 0.5] : [low, high];
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
