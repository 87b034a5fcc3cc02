// The pure functions of the RunBrowser: columns out of bytes, the part of a list in view, keys,
// ranges; the scatter's geometry. Run by `node --test`.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import {
  cellText, columnWidth, countsInWords, isBackward, placeAfterKey, rangeEnd, readColumns, scrolledTo,
  visibleWindow,
} from "../../../workbench/explore/run/row_values.js";
import { differingInWords, measuresInWords } from "../../../workbench/explore/run/beside_words.js";
import {
  MARK_COLOURS, MARK_SHAPES, brushedRanges, distanceTicks, fromPixel, gatherSpots, markCorners,
  markRadius, nextOf, plotFrame, spotsNear, toPixel, traceMark,
} from "../../../workbench/explore/run/scatter_points.js";

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

test("a column is as wide as its label and no wider than 22 characters for its texts", () => {
  const long = { kind: "text", label: "x", levels: ["y".repeat(90)] };
  assert.equal(columnWidth(long), 30);
  assert.equal(columnWidth({ kind: "number", label: "board accuracy", digits: 3 }), 17);
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

const FRAME = plotFrame(460, 254, 50);

test("a pixel and its value lead to each other", () => {
  assert.deepEqual(toPixel(FRAME, 0, 1), { x: 46, y: 14 });
  assert.deepEqual(toPixel(FRAME, 50, 0), { x: 446, y: 214 });
  const { distance, precision } = fromPixel(FRAME, 246, 114);
  assert.ok(Math.abs(distance - 25) < 1e-9 && Math.abs(precision - 0.5) < 1e-9);
});

test("ticks are whole numbers within the range", () => {
  assert.deepEqual(distanceTicks(50, 6), [0, 10, 20, 30, 40, 50]);
  assert.deepEqual(distanceTicks(3, 8), [0, 1, 2, 3]);
  assert.deepEqual(distanceTicks(1, 8), [0, 1]);
});

test("rows at one spot share a mark, rows without a place are counted", () => {
  const distances = Float64Array.of(1, 1, NaN, 1, 2);
  const precisions = Float64Array.of(0.5, 0.5, 0.5, 0.5, NaN);
  const codes = Int32Array.of(0, 0, 0, 1, 0);
  const { spots, left } = gatherSpots([0, 1, 2, 3, 4], distances, precisions, codes);
  assert.equal(left, 2);
  assert.deepEqual(spots.map((spot) => spot.rows), [[0, 1], [3]]);
  assert.ok(markRadius(1) < markRadius(2) && markRadius(1e9) <= 9);
});

test("the nearest spots come first, far ones not at all", () => {
  const at = (distance, row) => ({ distance, precision: 0.5, rows: [row] });
  const found = spotsNear([at(2, 7), at(1, 8), at(30, 9)], FRAME, 54, 114);
  assert.deepEqual(found.map((spot) => spot.rows[0]), [8, 7]);
});

test("each click opens the next of the rows at a spot", () => {
  assert.equal(nextOf([4, 5, 6], -1), 4);
  assert.equal(nextOf([4, 5, 6], 4), 5);
  assert.equal(nextOf([4, 5, 6], 6), 4);
  assert.equal(nextOf([], 6), null);
});

test("a brush gives whole distances, and its ends at the border are open", () => {
  const inner = brushedRanges(FRAME, toPixel(FRAME, 4.4, 0.25), toPixel(FRAME, 9.6, 0.75));
  assert.deepEqual(inner, { distance: [5, 9], precision: [0.25, 0.75] });
  const backwards = brushedRanges(FRAME, toPixel(FRAME, 9.6, 0.75), toPixel(FRAME, 4.4, 0.25));
  assert.deepEqual(backwards, inner);
  const all = brushedRanges(FRAME, { x: 0, y: 0 }, { x: 460, y: 254 });
  assert.deepEqual(all, { distance: [null, null], precision: [null, null] });
});

test("shape and colour together tell 56 marks apart", () => {
  const looks = new Set(
    Array.from({ length: 56 }, (_, code) => `${code % MARK_SHAPES.length} ${code % MARK_COLOURS}`),
  );
  assert.equal(looks.size, 56);
});

test("every shape but the circle has corners and is drawn through them", () => {
  for (const [code, shape] of MARK_SHAPES.entries()) {
    const calls = [];
    const context = new Proxy({}, { get: (_, name) => () => calls.push(name) });
    traceMark(context, code, 0, 0, 5);
    if (shape === "circle") assert.deepEqual(calls, ["beginPath", "arc"]);
    else assert.equal(calls.length, markCorners(shape).length + 2);
  }
});

function luminance(hex) {
  const [red, green, blue] = [1, 3, 5].map((at) => {
    const share = parseInt(hex.slice(at, at + 2), 16) / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

test("every mark stands out from its ground by 3 to 1, in light and in dark", () => {
  const css = readFileSync(new URL("../../../workbench/explore/run/run_browser.css", import.meta.url), "utf8");
  const colours = [...css.matchAll(/--rb-mark-\d: (#[0-9a-f]{6})/g)].map((found) => found[1]);
  assert.equal(colours.length, 2 * MARK_COLOURS);
  colours.forEach((colour, index) => {
    const ground = luminance(index < MARK_COLOURS ? "#ffffff" : "#1b1b1d");
    const [low, high] = [luminance(colour), ground].sort((one, other) => one - other);
    assert.ok((high + 0.05) / (low + 0.05) >= 3, colour);
  });
});
