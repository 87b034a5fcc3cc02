// The scatter's arithmetic: where a value lies, which rows lie at one spot, which spot is nearest.

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
 * @typedef {Object} Spot Rows with the same values and mark.
 * @property {number} across @property {number} up @property {number} code
 * @property {number[]} rows
 * @property {number} right @property {number} down Pixels from the place, where several share it.
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

/** @param {PlotFrame} frame @param {number} x @param {number} y */
export function fromPixel({ left, top, width, height, axes }, x, y) {
  return { across: valueAt(axes.across, (x - left) / width), up: valueAt(axes.up, 1 - (y - top) / height) };
}

function shareOf({ low, high, whole }, value) {
  return whole ? (value - low + 0.5) / (high - low + 1) : (value - low) / (high - low);
}

function valueAt({ low, high, whole }, share) {
  return whole ? low - 0.5 + share * (high - low + 1) : low + share * (high - low);
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

/**
 * Put rows with the same values and mark together, in the order in which they are drawn:
 * large marks first, then mixed, so that no group covers the others.
 * @param {Iterable<number>} rows
 * @param {Float64Array} acrosses @param {Float64Array} ups
 * @param {Int32Array} codes Of the marks.
 * @returns {{spots: Spot[], left: number}} left: rows without one of the values, which have no spot.
 */
export function gatherSpots(rows, acrosses, ups, codes) {
  const places = new Map();
  const spots = [];
  let left = 0;
  for (const row of rows) {
    const across = acrosses[row];
    const up = ups[row];
    if (Number.isNaN(across) || Number.isNaN(up)) {
      left += 1;
      continue;
    }
    const key = `${across} ${up}`;
    if (!places.has(key)) places.set(key, new Map());
    const place = places.get(key);
    const code = codes[row];
    if (!place.has(code)) {
      const spot = { across, up, code, rows: [], ...besidePlace(place.size) };
      place.set(code, spot);
      spots.push(spot);
    }
    place.get(code).rows.push(row);
  }
  spots.sort((one, other) => other.rows.length - one.rows.length || mixed(one.rows[0]) - mixed(other.rows[0]));
  return { spots, left };
}

/** Where the index-th mark at one place is drawn: around it, as seeds lie in a sunflower. */
function besidePlace(index) {
  const angle = index * 2.399963;
  const radius = 4 * Math.sqrt(index);
  return { right: radius * Math.cos(angle), down: radius * Math.sin(angle) };
}

/** @returns {number} The same for the same row, in no order of the rows. */
function mixed(row) {
  return Math.imul(row + 1, 2654435761) >>> 0;
}

/** @param {PlotFrame} frame @param {Spot} spot */
export function spotPixel(frame, spot) {
  const { x, y } = toPixel(frame, spot.across, spot.up);
  return { x: x + spot.right, y: y + spot.down };
}

/** @param {number} count Rows at one spot. @returns {number} Half the width of its mark in pixels. */
export function markRadius(count) {
  return Math.min(9, 3.2 + 0.55 * Math.log2(count));
}

/**
 * The spots under the pointer, nearest first.
 * @param {Spot[]} spots @param {PlotFrame} frame
 * @param {number} x @param {number} y @param {number} reach In pixels.
 */
export function spotsNear(spots, frame, x, y, reach = 9) {
  const found = [];
  for (const spot of spots) {
    const at = spotPixel(frame, spot);
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
 * The ranges that a dragged rectangle covers; an end at or beyond the plot's border stays as it is.
 * @param {PlotFrame} frame @param {{x: number, y: number}} from @param {{x: number, y: number}} to
 * @param {{across: Array<number|null>, up: Array<number|null>}} ranges
 * @returns {{across: Array<number|null>, up: Array<number|null>}}
 */
export function brushedRanges(frame, from, to, ranges) {
  const one = fromPixel(frame, Math.min(from.x, to.x), Math.max(from.y, to.y));
  const other = fromPixel(frame, Math.max(from.x, to.x), Math.min(from.y, to.y));
  return Object.fromEntries(["across", "up"].map((name) => [
    name, brushedRange(frame.axes[name], one[name], other[name], ranges[name]),
  ]));
}

function brushedRange({ low, high, whole }, first, last, range) {
  const start = whole ? Math.ceil(first) : Number(first.toFixed(3));
  const end = whole ? Math.max(start, Math.floor(last)) : Number(last.toFixed(3));
  return [(whole ? start : first) <= low ? range[0] : start, last >= high ? range[1] : end];
}
