// The scatter of many rows: counts in cells, coloured by the logarithm of the count.

import { spelledCount } from "../page/spelled_count.js";
import { fromPixel, toPixel } from "./scatter_points.js";
import { channelsOf } from "./mark_shapes.js";

/** With more rows than this the scatter shows counts in cells, not a mark for each. */
export const MOST_MARKS = 600;

const CELL_PIXELS = 7;

/**
 * @typedef {Object} Cell
 * @property {number} x @property {number} y @property {number} width @property {number} height
 * @property {Object[]} spots @property {number} count Of rows; of the chosen mark, if there is one.
 *
 * @typedef {Object} Density
 * @property {Map<string, Cell>} cells @property {number} most The highest count of a cell.
 * @property {Object} grid What places a value in a cell.
 */

/**
 * Count the rows in cells. A cell of whole numbers covers the same number of them as every other, so
 * that no column looks fuller because it holds more.
 * @param {Object[]} spots As gatherSpots returns them. @param {Object} frame
 * @param {number|null} chosen Code of the mark to count, or null for all.
 * @returns {Density} most: of all marks together, whatever is chosen.
 */
export function densityCells(spots, frame, chosen) {
  const { width, height, axes } = frame;
  const grid = { frame, steps: { across: cellStep(axes.across, width), up: cellStep(axes.up, height) } };
  const cells = new Map();
  let most = 1;
  for (const spot of spots) {
    const place = placeOnGrid(grid, spot.across, spot.up);
    const key = place.join(" ");
    if (!cells.has(key)) cells.set(key, { ...cellBox(grid, place), spots: [], count: 0, all: 0 });
    const cell = cells.get(key);
    cell.spots.push(spot);
    cell.all += spot.rows.length;
    if (chosen === null || spot.code === chosen) cell.count += spot.rows.length;
    if (cell.all > most) most = cell.all;
  }
  return { cells, most, grid };
}

/** @returns {number} How much of an axis a cell covers. */
function cellStep({ low, high, whole }, pixels) {
  if (whole) return Math.max(1, Math.ceil((CELL_PIXELS * (high - low + 1)) / pixels));
  return (high - low) / Math.max(1, Math.floor(pixels / CELL_PIXELS));
}

/** @returns {number[]} Column and level of the cell that a value lies in. */
function placeOnGrid({ frame: { axes }, steps }, across, up) {
  return [cellIndex(axes.across, steps.across, across), cellIndex(axes.up, steps.up, up)];
}

function cellIndex({ low, high, whole }, step, value) {
  if (whole) return Math.floor((value + 0.5 - low) / step);
  return Math.min(Math.round((high - low) / step) - 1, Math.floor((value - low) / step + 1e-6));
}

function cellBox({ frame, steps }, [column, level]) {
  const [left, right] = cellEnds(frame.axes.across, steps.across, column);
  const [bottom, top] = cellEnds(frame.axes.up, steps.up, level);
  const one = toPixel(frame, left, top);
  const other = toPixel(frame, right, bottom);
  return { x: one.x, y: one.y, width: other.x - one.x, height: other.y - one.y };
}

function cellEnds({ low, high, whole }, step, index) {
  const first = low + index * step - (whole ? 0.5 : 0);
  return [first, whole ? Math.min(high + 0.5, first + step) : first + step];
}

/** @param {Density} density @param {number} x @param {number} y @returns {Cell|null} */
export function cellAt({ cells, grid }, x, y) {
  const { across, up } = fromPixel(grid.frame, x, y);
  return cells.get(placeOnGrid(grid, across, up).join(" ")) ?? null;
}

/** @param {number} count At least 1. @param {number} most @returns {number} From 0 to 1, for 1 to most. */
export function densityShare(count, most) {
  return most <= 1 ? 1 : Math.log(count) / Math.log(most);
}

/**
 * @param {string[]} stops Colours such as "#0b5fa5", evenly apart. @param {number} share From 0 to 1.
 * @returns {string}
 */
export function rampColour(stops, share) {
  const place = Math.min(stops.length - 1, Math.max(0, share * (stops.length - 1)));
  const index = Math.min(stops.length - 2, Math.floor(place));
  const [one, other] = [stops[index], stops[index + 1]].map(channelsOf);
  return `rgb(${one.map((value, channel) => Math.round(value + (place - index) * (other[channel] - value))).join(", ")})`;
}

/** @param {number} most @returns {number[]} Counts for the key: 1, 10, 100, ... and the most. */
export function keyCounts(most) {
  const counts = [];
  for (let count = 1; count < most * 0.6; count *= 10) counts.push(count);
  return [...counts, most];
}

/**
 * @param {Object[]} spots @param {string[]} names Of the marks.
 * @returns {string} How many rows of each mark, the most first; at most four of them.
 */
export function marksInWords(spots, names) {
  const counts = new Map();
  for (const { code, rows } of spots) counts.set(code, (counts.get(code) ?? 0) + rows.length);
  const sorted = [...counts].sort((one, other) => other[1] - one[1]);
  const parts = sorted.slice(0, 4).map(([code, count]) => `${names[code] ?? "none"} ${spelledCount(count)}`);
  if (sorted.length > 4) parts.push(`${sorted.length - 4} more`);
  return parts.join(", ");
}
