// The pure functions of the RunBrowser: columns out of bytes, the part of a list in view, keys,
// ranges. Run by `node --test`.

import assert from "node:assert/strict";
import { test } from "node:test";

import {
  cellText, cellTitle, columnWidth, countsInWords, isBackward, placeAfterKey, rangeEnd, readColumns, scrolledTo,
  visibleWindow,
} from "../../../workbench/explore/run/row_values.js";
import { differingInWords, measuresInWords } from "../../../workbench/explore/run/reader_view.js";
import { wrongInWords } from "../../../workbench/explore/run/all_replies_board.js";

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
    { name: "model", label: "model", shown: true, kind: "text", levels: ["a", "<b>"], looks: [{ colour: "#08306b" }, { colour: "#e0cf3a" }], width: 1, codes: viewOf(Int8Array.of(1, -1, 0)) },
    { name: "position_id", label: "position", shown: true, kind: "text", levels: ["half-1", "half-2"], short: ["1", "2"], looks: [], width: 2, codes: viewOf(Int16Array.of(1, 0, -1)) },
  ],
};

test("columns are read from bytes wherever these lie", () => {
  const { count, byName } = readColumns(DATA);
  assert.equal(count, 3);
  assert.deepEqual([...byName.get("precision").values], [0.5, NaN, 1]);
  assert.deepEqual([...byName.get("model").codes], [1, -1, 0]);
  assert.deepEqual([...byName.get("position_id").codes], [1, 0, -1]);
  const [dark, pale] = byName.get("model").looks;
  assert.equal(dark.light, "rgb(8, 48, 107)");
  assert.ok(dark.dark !== dark.light && pale.light !== pale.dark);
  assert.deepEqual(readColumns({}).columns, []);
});

test("cells are texts, and what is missing is called none", () => {
  const { byName } = readColumns(DATA);
  assert.deepEqual([0, 1, 2].map((row) => cellText(byName.get("precision"), row)), ["0.5000", "none", "1.0000"]);
  assert.deepEqual([0, 1, 2].map((row) => cellText(byName.get("model"), row)), ["<b>", "none", "a"]);
});

test("a short name stands in the cell, the whole in its title", () => {
  const { byName } = readColumns(DATA);
  const positions = byName.get("position_id");
  assert.deepEqual([0, 1, 2].map((row) => cellText(positions, row)), ["2", "1", "none"]);
  assert.deepEqual([0, 1, 2].map((row) => cellTitle(positions, row)), ["half-2", "half-1", null]);
  assert.deepEqual(["precision", "model"].map((name) => cellTitle(byName.get(name), 0)), [null, null]);
});

test("a column fits each word of its label, and 20 characters of its texts", () => {
  const long = { kind: "text", label: "x", levels: ["y".repeat(90)] };
  assert.equal(columnWidth(long), 20);
  assert.equal(columnWidth({ ...long, label: "position", short: ["y"] }), 11);
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
  const reply = { precision: 0.95238, recall: null, edit_distance: 2, reply_class: "valid", stated: true, different: ["e1"], fields: ["side to move"] };
  assert.equal(measuresInWords(reply, 4), "p_4 0.9524, r_4 none, edit distance 2, valid");
  assert.equal(differingInWords(reply, "board"), "1 square differs; wrong: side to move");
  assert.equal(differingInWords({ ...reply, different: [], fields: [] }, "board"), "no squares differ");
  assert.equal(differingInWords({ ...reply, different: ["a1", "a2"], fields: [] }, "board"), "2 squares differ");
  assert.equal(differingInWords({ ...reply, stated: false }, "board"), "no board");
  assert.equal(differingInWords({ ...reply, different: null }, "state"), "");
  assert.equal(differingInWords({ ...reply, different: ["x", "y", "z", "u", "v"], fields: [] }, "state"), "5 elements differ: x, y, z, u\u2026");
});

test("all replies in words: how many have a board, and the squares most often wrong", () => {
  const squares = [["a1", 1], ["b1", 4], ["c1", 2], ["d1", 3]].map(([square, wrong]) => ({ square, wrong }));
  assert.equal(
    wrongInWords({ replies: 6, boards: 5, squares }),
    "6 replies, 5 with a board. Each number: the boards that have the square wrong. Most often b1 (4), d1 (3), c1 (2).",
  );
  assert.equal(wrongInWords({ replies: 2, boards: 2, squares: [] }), "2 replies: no square is wrong in any.");
});
