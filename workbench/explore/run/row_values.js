// Rows of a run without the page: columns out of bytes, texts of cells, what a scrolled list shows,
// where a key leads.

import { spelledCount } from "../page/spelled_count.js";
import { legible } from "../scatter/mark_shapes.js";

/** By the bytes of a code. */
const CODES = { 1: Int8Array, 2: Int16Array, 4: Int32Array };

/**
 * @typedef {Object} RunColumn
 * @property {string} name
 * @property {string} label
 * @property {string} [title] What it is, where the label does not say it.
 * @property {boolean} shown
 * @property {"number"|"text"} kind
 * @property {number} [digits] Of a number column, after the point.
 * @property {Float64Array} [values] Of a number column, NaN where undefined.
 * @property {string[]} [levels] Of a text column.
 * @property {string[]} [short] The levels as cells show them, if not in full.
 * @property {Object[]} [looks] Of the levels, for a column that marks can show.
 * @property {Int8Array|Int16Array|Int32Array} [codes] Of a text column, -1 where missing.
 */

/**
 * Copy the bytes of a view: what arrives in a message need not lie at a multiple of eight.
 * @param {DataView|ArrayBuffer} view
 * @returns {ArrayBuffer}
 */
function copiedBytes(view) {
  if (view instanceof ArrayBuffer) return view;
  return view.buffer.slice(view.byteOffset, view.byteOffset + view.byteLength);
}

/**
 * Read the columns that Python sent.
 * @param {{count?: number, columns?: Object[]}} data
 * @returns {{count: number, columns: RunColumn[], byName: Map<string, RunColumn>}}
 */
export function readColumns(data) {
  const columns = (data.columns ?? []).map((column) =>
    column.kind === "number"
      ? { ...column, values: new Float64Array(copiedBytes(column.values)) }
      : { ...column, codes: new CODES[column.width](copiedBytes(column.codes)), looks: column.looks.map(lookOnPages) },
  );
  const byName = new Map(columns.map((column) => [column.name, column]));
  return { count: data.count ?? 0, columns, byName };
}

/** A look with its colour on a light and on a dark page. */
function lookOnPages(look) {
  return { ...look, light: legible(look.colour, false), dark: legible(look.colour, true) };
}

/**
 * @param {RunColumn} column @param {number} row
 * @returns {string} "none" where a number or a text is missing.
 */
export function cellText(column, row) {
  if (column.kind === "number") {
    const value = column.values[row];
    return Number.isNaN(value) ? "none" : value.toFixed(column.digits);
  }
  const code = column.codes[row];
  return code < 0 ? "none" : (column.short ?? column.levels)[code];
}

/** @param {RunColumn} column @param {number} row @returns {string|null} A level in full, where its cell is shorter. */
export function cellTitle(column, row) {
  const level = column.levels?.[column.codes[row]];
  return level && (level !== cellText(column, row) || level.length > 20) ? level : null;
}

/**
 * @param {RunColumn} column
 * @returns {number} A width in characters that fits each word of the label and most cells.
 */
export function columnWidth(column) {
  const label = Math.max(...column.label.split(" ").map((word) => word.length)) + 3;
  if (column.kind === "number") return Math.max(label, 4 + column.digits);
  const longest = (column.short ?? column.levels).reduce((most, level) => Math.max(most, level.length), 4);
  return Math.max(label, Math.min(longest + 1, 20));
}

/**
 * Which rows of a long list to make for the part of it that is in view.
 * @param {number} top How far the list is scrolled, in pixels.
 * @param {number} height Of the view.
 * @param {number} rowHeight
 * @param {number} count Rows in all.
 * @param {number} spare Rows made beyond the view, on either side.
 * @returns {{first: number, last: number, before: number, after: number}} Rows first up to but not
 *   including last, and the space in pixels that the others take.
 */
export function visibleWindow(top, height, rowHeight, count, spare = 8) {
  const first = Math.min(Math.max(0, Math.floor(top / rowHeight) - spare), Math.max(0, count - 1));
  const last = Math.min(count, Math.ceil((Math.max(0, top) + height) / rowHeight) + spare);
  const end = Math.max(first, last);
  return { first, last: end, before: first * rowHeight, after: (count - end) * rowHeight };
}

/**
 * How far to scroll so that a row is in view; as little as possible.
 * @param {number} place @param {number} top @param {number} height @param {number} rowHeight
 * @returns {number} The new scroll position.
 */
export function scrolledTo(place, top, height, rowHeight) {
  const start = place * rowHeight;
  if (start < top) return start;
  if (start + rowHeight > top + height) return start + rowHeight - height;
  return top;
}

/**
 * Where a key leads in a list.
 * @param {string} key Such as "ArrowDown".
 * @param {number} place @param {number} count @param {number} page Rows a page.
 * @returns {number|null} Null if the key does not move.
 */
export function placeAfterKey(key, place, count, page) {
  const steps = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -count, End: count };
  if (!(key in steps) || count === 0) return null;
  return Math.min(count - 1, Math.max(0, place + steps[key]));
}

/**
 * Read an end of a range.
 * @param {string} text
 * @returns {number|null} Null for an open end, and for what is no number.
 */
export function rangeEnd(text) {
  const value = Number(text);
  return text.trim() === "" || !Number.isFinite(value) ? null : value;
}

/**
 * @param {Array<number|null>} range
 * @returns {boolean} True if the range ends before it begins.
 */
export function isBackward([low, high]) {
  return low !== null && high !== null && low > high;
}

/**
 * Say in one line which rows are shown.
 * @param {number} shown @param {number} all
 * @param {Object<string, [number, number]>} classes Shown and all by class.
 * @returns {string}
 */
export function countsInWords(shown, all, classes) {
  const parts = Object.entries(classes).map(
    ([name, [some, every]]) => `${name} ${spelledCount(some)} of ${spelledCount(every)}`,
  );
  return `${spelledCount(shown)} of ${spelledCount(all)} rows shown: ${parts.join(", ")}.`;
}
