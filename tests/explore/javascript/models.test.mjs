// The models of a run without the page: their order, notes, and two of them in words. Run by `node --test`.

import assert from "node:assert/strict";
import { test } from "node:test";

import { notesInWords, sortedModels } from "../../../workbench/explore/run/models_panel.js";
import { subscriptLetters } from "../../../workbench/explore/page/svg.js";
import { pairInWords, signed } from "../../../workbench/explore/run/model_pair.js";

const ROWS = [["o3", 0.9], ["gpt-10", null], ["gpt-4", 0.2], ["a", 0.9]].map(([name, mean]) => ({ name, mean }));
const names = (rows) => rows.map(({ name }) => name);

test("models without a value come last in either direction, equal ones keep their order", () => {
  const mean = (row) => row.mean;
  assert.deepEqual(names(sortedModels(ROWS, mean, true)), ["o3", "a", "gpt-4", "gpt-10"]);
  assert.deepEqual(names(sortedModels(ROWS, mean, false)), ["gpt-4", "o3", "a", "gpt-10"]);
  assert.deepEqual(names(sortedModels(ROWS, (row) => row.name, false)), ["a", "gpt-4", "gpt-10", "o3"]);
  assert.deepEqual(names(ROWS), ["o3", "gpt-10", "gpt-4", "a"]);
});

test("what the means leave out is said, and that they are of different positions", () => {
  assert.equal(notesInWords({ failed: 0, unscored: 0, undefined: 0 }, 4, true), "");
  assert.equal(
    notesInWords({ failed: 1, unscored: 1200, undefined: 3 }, 4, true),
    "Left out of the means: 1 failed call, 1,200 not scored, 3 with p_4 undefined.",
  );
  assert.match(notesInWords({ failed: 0, unscored: 0, undefined: 0 }, 4, false), /different positions/);
});

test("two models in words", () => {
  const pair = { one: "A", other: "B", difference: -0.25, low: -0.3, high: 0.1, positions: 1000, games: 1, better: 2, worse: 3, equal: 995 };
  assert.equal(
    pairInWords(pair, 4),
    "A less B: p_4 \u22120.250 (95% \u22120.300 to +0.100) on 1,000 common positions of 1 game; higher at 2, lower at 3, equal at 995.",
  );
  assert.match(pairInWords({ ...pair, low: null, high: null }, 4), /without an interval/);
  assert.equal(pairInWords({ ...pair, positions: 0 }, 4), "A and B have no position in common among these rows.");
  assert.deepEqual([0, 0.1234, -0.1236, null].map(signed), ["+0.000", "+0.123", "\u22120.124", "none"]);
});

test("a depth is a subscript also where no element can stand", () => {
  assert.equal(subscriptLetters("p_4 and r_12, F_m, group_4"), "p\u2084 and r\u2081\u2082, F_m, group_4");
});
