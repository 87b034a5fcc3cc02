import assert from "node:assert/strict";
import { test } from "node:test";
import { readGuess, scoreInWords, shareOfScale } from "../../../workbench/explore/lesson/guess_words.js";

test("shares are read as people write them", () => {
  const read = (text) => readGuess(text, [0, 1]);
  for (const [text, value] of [["0.5", 0.5], [" .25 ", 0.25], ["0,75", 0.75], ["20/21", 20 / 21], ["3 / 4", 0.75], ["95 %", 0.95], ["1", 1], ["1.", 1], ["0", 0]]) {
    assert.equal(read(text), value, text);
  }
  for (const text of ["", "x", "1.5", "-0.1", "3/0", "0/0", "1/2/3", "1e-3", "NaN", "0.5.1", "120%", "<b>1</b>", "9".repeat(1e6)]) assert.equal(read(text), null, text.slice(0, 20));
});

test("counts may have separators of thousands", () => {
  const read = (text) => readGuess(text, [1, null]);
  for (const text of ["197281", "197,281", "197 281", "197'281", "197\u202f281"]) assert.equal(read(text), 197281);
  assert.equal(read("1,000,000"), 1e6);
  assert.equal(read("0.5"), null);
});

test("a share with a decimal comma is no thousand", () => {
  assert.equal(readGuess("0,123", [0, 1]), 0.123);
});

test("the scale ends at its bounds", () => {
  assert.deepEqual([-1, 0, 0.5, 2].map((number) => shareOfScale(number, [0, 1])), [0, 0, 0.5, 1]);
});

test("the score in words", () => {
  assert.equal(scoreInWords({ points: 3, of: 4, made: 2, guesses: 6 }), "Score: 3 of 4 points; 2 of 6 guesses made.");
  assert.equal(scoreInWords({ points: 0, of: 0, made: 0, guesses: 6 }), "No guesses yet (of 6).");
});
