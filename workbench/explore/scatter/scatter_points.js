// The scatter's arithmetic: where a value lies, which rows lie at one spot, which spot is nearest.

/**
 * @typedef {Object} PlotFrame
 * @property {number} left @property {number} top @property {number} width @property {number} height
 *   Of the plot itself, in pixels.
 * @property {{distance: number[], precision: number[]}} ends The lowest and the highest values; half
 *   a character is added on either side, so that a distance has a column of its own.
 *
 * @typedef {Object} Spot Rows with the same distance, precision and mark.
 * @property {number} distance @property {number} precision @property {number} code
 * @property {number[]} rows
 * @property {number} right @property {number} down Pixels from the place, where several share it.
 */

/**
 * @param {number} width Of the whole, in pixels. @param {number} height
 * @param {{distance: number[], precision: number[]}} ends
 * @returns {PlotFrame}
 */
export function plotFrame(width, height, ends) {
  const margin = { left: 46, right: 14, top: 14, bottom: 40 };
  return {
    left: margin.left,
    top: margin.top,
    width: Math.max(10, width - margin.left - margin.right),
    height: Math.max(10, height - margin.top - margin.bottom),
    ends,
  };
}

/**
 * The ends of the axes: of the whole run, or of the ranges chosen.
 * @param {{distance: Array<number|null>, precision: Array<number|null>}} ranges
 * @param {number} highest The highest edit distance of the run.
 * @returns {{distance: number[], precision: number[]}}
 */
export function plotEnds({ distance, precision }, highest) {
  const low = Math.max(0, Math.floor(distance[0] ?? 0));
  const bottom = Math.max(0, precision[0] ?? 0);
  return {
    distance: [low, Math.max(low + 1, Math.ceil(distance[1] ?? highest))],
    precision: [bottom, Math.max(bottom + 0.001, Math.min(1, precision[1] ?? 1))],
  };
}

/** @param {PlotFrame} frame @param {number} distance @param {number} precision */
export function toPixel({ left, top, width, height, ends }, distance, precision) {
  const [low, high] = ends.distance;
  const [bottom, ceiling] = ends.precision;
  return {
    x: left + ((distance - low + 0.5) / (high - low + 1)) * width,
    y: top + ((ceiling - precision) / (ceiling - bottom)) * height,
  };
}

/** @param {PlotFrame} frame @param {number} x @param {number} y */
export function fromPixel({ left, top, width, height, ends }, x, y) {
  const [low, high] = ends.distance;
  const [bottom, ceiling] = ends.precision;
  return {
    distance: low - 0.5 + ((x - left) / width) * (high - low + 1),
    precision: ceiling - ((y - top) / height) * (ceiling - bottom),
  };
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
 * Put rows with the same distance, precision and mark together, in the order in which they are drawn:
 * large marks first, then mixed, so that no group covers the others.
 * @param {Iterable<number>} rows
 * @param {Float64Array} distances @param {Float64Array} precisions
 * @param {Int32Array} codes Of the marks.
 * @returns {{spots: Spot[], left: number}} left: rows without a distance or a precision, which have
 *   no spot.
 */
export function gatherSpots(rows, distances, precisions, codes) {
  const places = new Map();
  const spots = [];
  let left = 0;
  for (const row of rows) {
    const distance = distances[row];
    const precision = precisions[row];
    if (Number.isNaN(distance) || Number.isNaN(precision)) {
      left += 1;
      continue;
    }
    const key = `${distance} ${precision}`;
    if (!places.has(key)) places.set(key, new Map());
    const place = places.get(key);
    const code = codes[row];
    if (!place.has(code)) {
      const spot = { distance, precision, code, rows: [], ...besidePlace(place.size) };
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
  const { x, y } = toPixel(frame, spot.distance, spot.precision);
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
 * @param {{distance: Array<number|null>, precision: Array<number|null>}} ranges
 * @returns {{distance: Array<number|null>, precision: Array<number|null>}}
 */
export function brushedRanges(frame, from, to, ranges) {
  const one = fromPixel(frame, Math.min(from.x, to.x), Math.max(from.y, to.y));
  const other = fromPixel(frame, Math.max(from.x, to.x), Math.min(from.y, to.y));
  const low = Math.ceil(one.distance);
  const high = Math.max(low, Math.floor(other.distance));
  const tidy = (value) => Number(value.toFixed(3));
  const { distance, precision } = frame.ends;
  return {
    distance: [
      low <= distance[0] ? ranges.distance[0] : low,
      other.distance >= distance[1] ? ranges.distance[1] : high,
    ],
    precision: [
      one.precision <= precision[0] ? ranges.precision[0] : tidy(one.precision),
      other.precision >= precision[1] ? ranges.precision[1] : tidy(other.precision),
    ],
  };
}
