// The causes of failures without the page: their order, what a click chooses, and how far they are counted. Run by `node --test`.

import assert from "node:assert/strict";
import { test } from "node:test";

import { causesInOrder, progressInWords, toggled } from "../../../workbench/explore/run/causes_panel.js";

test("while causes are counted each keeps its place, then they stand by their counts", () => {
  const causes = [["check", 9], ["side to move", 5], ["no board", 1]];
  const there = ["side to move", "gone", "no board"];
  assert.deepEqual(causesInOrder(there, { left: 40, causes }), ["side to move", "no board", "check"]);
  assert.deepEqual(causesInOrder(there, { left: 0, causes }), ["check", "side to move", "no board"]);
  assert.deepEqual(causesInOrder(there, { left: 40, causes: null }), []);
});

test("a click chooses a cause beside the others, another takes it back", () => {
  assert.deepEqual(toggled([], "check"), ["check"]);
  assert.deepEqual(toggled(["check"], "no board"), ["check", "no board"]);
  assert.deepEqual(toggled(["check", "no board"], "check"), ["no board"]);
});

test("the words tell how many are counted, and what is left to the button", () => {
  assert.equal(progressInWords({ rows: 1, left: 0, pairs: 0, causes: [] }), "Why: main causes of 1 reply");
  assert.equal(progressInWords({ rows: 27900, left: 900, pairs: 600, causes: [["check", 3]] }), "Causes of 27,000 of 27,900 replies\u2026");
  assert.equal(
    progressInWords({ rows: 27900, left: 20000, pairs: 18830, causes: null }),
    "18,830 different wrong answers in 27,900 replies: counting their causes takes a while.",
  );
});
