// The pure functions of the RunBrowser: columns out of bytes, the part of a list in view, keys,
// ranges; the scatter's geometry. Run by `node --test`.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import {
  cellText, columnWidth, countsInWords, isBackward, placeAfterKey, rangeEnd, readColumns, scrolledTo,
  visibleWindow,
} from "../../../workbench/explore/run/row_values.js";
import { differingInWords, measuresInWords } from "../../../workbench/explore/run/reader_view.js";
import { wrongInWords } from "../../../workbench/explore/run/all_replies_board.js";
import {
  MARK_CORNERS, channelsOf, contrast, legible, traceMark,
} from "../../../workbench/explore/scatter/mark_shapes.js";
import {
  cellAt, densityCells, densityShare, keyCounts, marksInWords, rampColour,
} from "../../../workbench/explore/scatter/scatter_density.js";
import {
  brushedRanges, fromPixel, gatherSpots, markRadius, nextOf, plotAxis, plotFrame, spotsNear, ticksBetween,
  toPixel,
} from "../../../workbench/explore/scatter/scatter_points.js";

/** Bytes at an odd place of a larger buffer, as a message may bring them. */
function viewOf(array) {
  const bytes = new Uint8Array(array.byteLength + 3);
  bytes.set(new Uint8Array(array.buffer), 3);
  return new DataView(bytes.buffer, 3, array.byteLength);
}

const DATA = {
  count: 3,
  columns: [
    { name: "precision", label: "p_4", shown: true, kind: "number", digits: 4, values: viewOf(Float64Array.of(0.5, NaN, 1)) },
    { name: "model", label: "model", shown: true, kind: "text", levels: ["a", "<b>"], codes: viewOf(Int32Array.of(1, -1, 0)) },
  ],
};

test("columns are read from bytes wherever these lie", () => {
  const { count, byName } = readColumns(DATA);
  assert.equal(count, 3);
  assert.deepEqual([...byName.get("precision").values], [0.5, NaN, 1]);
  assert.deepEqual([...byName.get("model").codes], [1, -1, 0]);
  assert.deepEqual(readColumns({}).columns, []);
});

test("cells are texts, and what is missing is called none", () => {
  const { byName } = readColumns(DATA);
  assert.deepEqual([0, 1, 2].map((row) => cellText(byName.get("precision"), row)), ["0.5000", "none", "1.0000"]);
  assert.deepEqual([0, 1, 2].map((row) => cellText(byName.get("model"), row)), ["<b>", "none", "a"]);
});

test("a column fits each word of its label, and 30 characters of its texts", () => {
  const long = { kind: "text", label: "x", levels: ["y".repeat(90)] };
  assert.equal(columnWidth(long), 30);
  assert.equal(columnWidth({ kind: "number", label: "board accuracy", digits: 3 }), 11);
});

test("the rows made cover the view, and the space of all rows stays the same", () => {
  for (const count of [0, 1, 5, 10000]) {
    for (const top of [0, 13, 28 * 400, 28 * 9990, 1e7]) {
      const { first, last, before, after } = visibleWindow(top, 300, 28, count);
      assert.equal(before + (last - first) * 28 + after, count * 28);
      assert.ok(first >= 0 && last <= count && last - first <= 300 / 28 + 18);
      if (top + 300 <= count * 28) {
        assert.ok(first * 28 <= top && last * 28 >= top + 300);
      }
    }
  }
});

test("scrolling brings a row into view by as little as it takes", () => {
  assert.equal(scrolledTo(3, 0, 280, 28), 0);
  assert.equal(scrolledTo(10, 0, 280, 28), 28);
  assert.equal(scrolledTo(2, 100, 280, 28), 56);
});

test("keys move within the list, other keys do not", () => {
  assert.equal(placeAfterKey("ArrowDown", 0, 3, 10), 1);
  assert.equal(placeAfterKey("ArrowUp", 0, 3, 10), 0);
  assert.equal(placeAfterKey("PageDown", 1, 50, 10), 11);
  assert.equal(placeAfterKey("End", 0, 50, 10), 49);
  assert.equal(placeAfterKey("Home", 30, 50, 10), 0);
  assert.equal(placeAfterKey("a", 0, 3, 10), null);
  assert.equal(placeAfterKey("ArrowDown", 0, 0, 10), null);
});

test("ends of ranges: open, a number, or backward", () => {
  assert.deepEqual(["", " ", "x", "0", "2.5"].map(rangeEnd), [null, null, null, 0, 2.5]);
  assert.deepEqual([[null, 1], [2, 1], [1, 1], [3, null]].map(isBackward), [false, true, false, false]);
});

test("counts name every class", () => {
  assert.equal(
    countsInWords(1200, 8200, { valid: [1200, 5422], absent: [0, 565] }),
    "1,200 of 8,200 rows shown: valid 1,200 of 5,422, absent 0 of 565.",
  );
});

test("a reply's numbers and what differs, in words", () => {
  const reply = { precision: 0.95238, recall: null, edit_distance: 2, reply_class: "valid", board: "8/8", different: ["e1"], fields: ["side to move"] };
  assert.equal(measuresInWords(reply, 4), "p_4 0.9524, r_4 none, edit distance 2, valid");
  assert.equal(differingInWords(reply), "1 square differs; wrong: side to move");
  assert.equal(differingInWords({ ...reply, different: [], fields: [] }), "no squares differ");
  assert.equal(differingInWords({ ...reply, different: ["a1", "a2"], fields: [] }), "2 squares differ");
  assert.equal(differingInWords({ ...reply, board: "" }), "no board");
});

test("all replies in words: how many have a board, and the squares most often wrong", () => {
  const squares = [["a1", 1], ["b1", 4], ["c1", 2], ["d1", 3]].map(([square, wrong]) => ({ square, wrong }));
  assert.equal(
    wrongInWords({ replies: 6, boards: 5, squares }),
    "6 replies, 5 with a board. Each number: the boards that have the square wrong. Most often b1 (4), d1 (3), c1 (2).",
  );
  assert.equal(wrongInWords({ replies: 2, boards: 2, squares: [] }), "2 replies: no square is wrong in any.");
});

const OPEN = { across: [null, null], up: [null, null] };
const column = (digits, range, ...values) => ({ digits, range, values: Float64Array.from(values) });
const SHARE = column(4, [0, 1], 0.25, NaN);
/** Axes of edit distances up to the highest and of shares. */
const axesOf = (ranges, highest) => ({
  across: plotAxis(column(0, [0, null], NaN, 3, highest), ranges.across), up: plotAxis(SHARE, ranges.up),
});
// 51 distances from 0 to 50 in 408 pixels: 8 pixels each.
const FRAME = plotFrame(468, 254, axesOf(OPEN, 50));

test("a pixel and its value lead to each other", () => {
  assert.deepEqual(toPixel(FRAME, 0, 1), { x: 50, y: 14 });
  assert.deepEqual(toPixel(FRAME, 50, 0), { x: 450, y: 214 });
  const { across, up } = fromPixel(FRAME, 250, 114);
  assert.ok(Math.abs(across - 25) < 1e-9 && Math.abs(up - 0.5) < 1e-9);
});

test("the ranges chosen are the ends of the axes", () => {
  const ends = ({ low, high }) => [low, high];
  assert.deepEqual(Object.values(axesOf(OPEN, 50)).map(ends), [[0, 50], [0, 1]]);
  assert.deepEqual(Object.values(axesOf({ across: [3, 9], up: [0.5, null] }, 50)).map(ends), [[3, 9], [0.5, 1]]);
  assert.deepEqual(Object.values(axesOf({ across: [4, 4], up: [null, 7] }, 50)).map(ends), [[4, 5], [0, 1]]);
});

test("a metric without limits has the values of the run on its axis", () => {
  const loss = column(2, [null, null], -1.5, NaN, 2.5);
  assert.deepEqual(plotAxis(loss, [null, null]), { low: -1.5, high: 2.5, whole: false });
  assert.deepEqual(plotAxis(loss, [0, null]), { low: 0, high: 2.5, whole: false });
  assert.deepEqual(plotAxis(column(0, [null, null], NaN), [null, null]), { low: 0, high: 1, whole: true });
  const frame = plotFrame(468, 254, { across: plotAxis(loss, [null, null]), up: plotAxis(column(0, [0, null], 4), [null, null]) });
  assert.deepEqual(toPixel(frame, -1.5, 4), { x: 46, y: 34 });
  assert.deepEqual(brushedRanges(frame, toPixel(frame, 0.5, 1.2), toPixel(frame, 3, 3.4), OPEN), { across: [0.5, null], up: [2, 3] });
});

test("ticks are round numbers within the range", () => {
  assert.deepEqual(ticksBetween([0, 50], 6, 1), [0, 10, 20, 30, 40, 50]);
  assert.deepEqual(ticksBetween([0, 3], 8, 1), [0, 1, 2, 3]);
  assert.deepEqual(ticksBetween([7, 12], 5, 1), [7, 8, 9, 10, 11, 12]);
  assert.deepEqual(ticksBetween([0, 1], 5, 0.001), [0, 0.2, 0.4, 0.6, 0.8, 1]);
  assert.deepEqual(ticksBetween([0.25, 0.75], 5, 0.001), [0.3, 0.4, 0.5, 0.6, 0.7]);
});

/** Rows of (distance, precision, mark). */
function spotsOf(rows) {
  const [distances, precisions] = [0, 1].map((at) => Float64Array.from(rows, (row) => row[at]));
  return gatherSpots(rows.keys(), distances, precisions, Int32Array.from(rows, (row) => row[2]));
}

test("rows at one spot share a mark, rows without a place are counted", () => {
  const { spots, left } = spotsOf([[1, 0.5, 0], [1, 0.5, 0], [NaN, 0.5, 0], [1, 0.5, 1], [2, NaN, 0]]);
  assert.equal(left, 2);
  assert.deepEqual(spots.map((spot) => spot.rows), [[0, 1], [3]]);
  assert.ok(markRadius(1) < markRadius(2) && markRadius(1e9) <= 9);
});

test("marks at one place lie beside each other, and no group is drawn after all others", () => {
  const { spots } = spotsOf(Array.from({ length: 200 }, (_, row) => [row % 10, 0.5, Math.floor(row / 100)]));
  const places = new Set(spots.map(({ across, right, down }) => `${across} ${right} ${down}`));
  assert.equal(places.size, 20);
  const many = spotsOf(Array.from({ length: 200 }, (_, row) => [row, 0.5, Math.floor(row / 100)])).spots;
  const second = many.slice(100).filter(({ code }) => code === 1).length;
  assert.ok(second > 30 && second < 70, `${second} of the last 100 marks are of the second group`);
});

test("large marks are drawn before small ones", () => {
  const { spots } = spotsOf([[1, 0.5, 0], [2, 0.5, 1], [2, 0.5, 1], [2, 0.5, 1], [1, 0.5, 0]]);
  assert.deepEqual(spots.map(({ rows }) => rows.length), [3, 2]);
});

test("the nearest spots come first, far ones not at all", () => {
  const at = (across, row) => ({ across, up: 0.5, rows: [row], right: 0, down: 0 });
  const found = spotsNear([at(2, 7), at(1, 8), at(30, 9)], FRAME, 60, 114);
  assert.deepEqual(found.map((spot) => spot.rows[0]), [8, 7]);
});

test("each click opens the next of the rows at a spot", () => {
  assert.equal(nextOf([4, 5, 6], -1), 4);
  assert.equal(nextOf([4, 5, 6], 4), 5);
  assert.equal(nextOf([4, 5, 6], 6), 4);
  assert.equal(nextOf([], 6), null);
});

test("a brush gives whole distances, and its ends at the border stay as they were", () => {
  const inner = brushedRanges(FRAME, toPixel(FRAME, 4.4, 0.25), toPixel(FRAME, 9.6, 0.75), OPEN);
  assert.deepEqual(inner, { across: [5, 9], up: [0.25, 0.75] });
  const backwards = brushedRanges(FRAME, toPixel(FRAME, 9.6, 0.75), toPixel(FRAME, 4.4, 0.25), OPEN);
  assert.deepEqual(backwards, inner);
  assert.deepEqual(brushedRanges(FRAME, { x: 0, y: 0 }, { x: 468, y: 254 }, OPEN), OPEN);
  const zoomed = plotFrame(468, 254, axesOf(inner, 50));
  assert.deepEqual(brushedRanges(zoomed, { x: 0, y: 0 }, toPixel(zoomed, 7.2, 0.5), inner), { across: [5, 7], up: [0.5, 0.75] });
});

test("cells hold whole numbers of characters, and their counts add up to the rows", () => {
  const rows = Array.from({ length: 5000 }, (_, row) => [row % 120, (row % 97) / 96, row % 3]);
  for (const [width, highest] of [[468, 50], [300, 119], [900, 119], [120, 119]]) {
    const frame = plotFrame(width, 254, axesOf(OPEN, highest));
    const { spots } = spotsOf(rows.filter(([distance]) => distance <= highest));
    const { cells, most } = densityCells(spots, frame, null);
    const counts = [...cells.values()].map(({ count }) => count);
    assert.equal(counts.reduce((sum, count) => sum + count, 0), spots.reduce((sum, spot) => sum + spot.rows.length, 0));
    assert.equal(Math.max(...counts), most);
    for (const cell of cells.values()) {
      for (const { across, up } of cell.spots) {
        const { x, y } = toPixel(frame, across, up);
        assert.ok(x > cell.x && x < cell.x + cell.width, `${x} in ${cell.x} + ${cell.width}`);
        assert.ok(y >= cell.y - 1e-6 && y <= cell.y + cell.height + 1e-6, `${y} in ${cell.y} + ${cell.height}`);
      }
      const first = fromPixel(frame, cell.x, 0).across + 0.5;
      assert.ok(Math.abs(first - Math.round(first)) < 1e-6);
    }
  }
});

test("a uniform column has one colour, and a chosen mark is counted alone on the same scale", () => {
  const rows = Array.from({ length: 600 }, (_, row) => [row % 6, 0.5, row < 300 ? 0 : 1]);
  const { spots } = spotsOf(rows);
  const frame = plotFrame(468, 254, axesOf(OPEN, 50));
  const all = densityCells(spots, frame, null);
  assert.deepEqual([...all.cells.values()].map(({ count }) => count), [100, 100, 100, 100, 100, 100]);
  const one = densityCells(spots, frame, 1);
  assert.deepEqual([...one.cells.values()].map(({ count }) => count), [50, 50, 50, 50, 50, 50]);
  assert.deepEqual([all.most, one.most], [100, 100]);
  const { x, y } = toPixel(frame, 3, 0.5);
  assert.equal(cellAt(all, x, y).count, 100);
  assert.equal(cellAt(all, 2, 2), null);
  assert.equal(marksInWords(cellAt(all, x, y).spots, ["a", "b"]), "a 50, b 50");
});

test("colours follow the logarithm of the count, the key has 1, 10, 100 and the most", () => {
  assert.deepEqual([1, 10, 100].map((count) => densityShare(count, 100)), [0, 0.5, 1]);
  assert.equal(densityShare(1, 1), 1);
  assert.deepEqual(keyCounts(2345), [1, 10, 100, 1000, 2345]);
  assert.deepEqual(keyCounts(1), [1]);
  const stops = ["#000000", "#808080", "#ffffff"];
  assert.deepEqual([0, 0.25, 0.5, 1].map((share) => rampColour(stops, share)), ["rgb(0, 0, 0)", "rgb(64, 64, 64)", "rgb(128, 128, 128)", "rgb(255, 255, 255)"]);
});

test("the colours of counts differ in lightness alone, and the least stands out by 3 to 1", () => {
  const css = readFileSync(new URL("../../../workbench/explore/run/run_browser.css", import.meta.url), "utf8");
  const colours = [...css.matchAll(/--rb-ramp-\d: (#[0-9a-f]{6})/g)].map((found) => channelsOf(found[1]));
  assert.equal(colours.length, 8);
  [[255, 255, 255], [27, 27, 29]].forEach((ground, theme) => {
    const contrasts = colours.slice(4 * theme, 4 * theme + 4).map((colour) => contrast(colour, ground));
    assert.ok(contrasts[0] >= 3, String(contrasts));
    contrasts.slice(1).forEach((each, index) => assert.ok(each > 1.4 * contrasts[index], String(contrasts)));
  });
});

test("a figure's colour stands out from either ground by 3 to 1, and stays as it is where it does", () => {
  const read = (colour) => (colour.startsWith("#") ? channelsOf(colour) : colour.match(/\d+/g).map(Number));
  for (const colour of ["#08306b", "#e0cf3a", "#f5a3dc", "#00592e", "#737373"]) {
    assert.ok(contrast(read(legible(colour, false)), [255, 255, 255]) >= 3, colour);
    assert.ok(contrast(read(legible(colour, true)), [27, 27, 29]) >= 3, colour);
  }
  assert.equal(legible("#08306b", false), "rgb(8, 48, 107)");
  assert.notEqual(legible("#08306b", true), "rgb(8, 48, 107)");
});

test("every shape but the circle has corners and is drawn through them", () => {
  for (const marker of ["o", ...Object.keys(MARK_CORNERS)]) {
    const calls = [];
    const context = new Proxy({}, { get: (_, name) => () => calls.push(name) });
    traceMark(context, marker, 0, 0, 5);
    if (marker === "o") assert.deepEqual(calls, ["beginPath", "arc"]);
    else assert.equal(calls.length, MARK_CORNERS[marker].length + 2);
  }
});
