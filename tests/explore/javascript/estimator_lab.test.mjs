import assert from "node:assert/strict";
import { test } from "node:test";
import {
  addBatches, allDone, barsPath, binCounts, digits, doneCounts, dotsPath, ownDomain, signedDigits, valueDomain,
  wholeNumber, wholeText,
} from "../../../workbench/explore/lab/estimator_numbers.js";
import { aimInWords, biasText, errorsOff, measureName, rowsOf, signedFixed, verdict } from "../../../workbench/explore/lab/estimator_results.js";

const AIM = { value: 0.6, standard_error: 0, low: 0.6, high: 0.6, exact: true, runnable: true, reason: "" };
const batch = (first, values) => ({ first, values, summary: { runs: first + values.length, mean: 0.2 } });

test("batches go on where the estimator stands", () => {
  const one = addBatches({}, { naive: batch(0, [0.1, 0.2]) });
  const two = addBatches(one, { naive: batch(2, [0.3]), branch: batch(0, [0.4]) });
  assert.deepEqual(two.naive, { values: [0.1, 0.2, 0.3], summary: { runs: 3, mean: 0.2 } });
  assert.deepEqual(doneCounts(two, ["naive", "branch", "stratified"]), { naive: 3, branch: 1, stratified: 0 });
  assert.deepEqual(one.naive.values, [0.1, 0.2]);
  assert.throws(() => addBatches(two, { naive: batch(4, [1]) }), /expected runs from 3 on, got them from 4 on/);
  assert.throws(() => addBatches(two, { naive: batch(2, [1]) }), RangeError);
});

test("all is done when the slowest of the chosen estimators is", () => {
  const runs = { naive: { values: [1, 1] }, branch: { values: [1] } };
  assert.equal(allDone(runs, ["naive", "branch"], 2), false);
  assert.equal(allDone(runs, ["naive"], 2), true);
  assert.equal(allDone({}, ["naive"], 1), false);
});

test("the axis holds all values and the line", () => {
  const [low, high] = valueDomain([[0.5, 0.9], [0.7]], { ...AIM, low: 0.4, high: 1 });
  assert.ok(low < 0.4 && low > 0.3 && high > 1 && high < 1.1);
  assert.deepEqual(valueDomain([[], []], null), [0, 1]);
  assert.equal(valueDomain([[0, 1]], null)[0], 0);
  const [from, to] = valueDomain([[0, 0]], { ...AIM, value: 0, low: 0, high: 0 });
  assert.ok(from === 0 && to > 0);
});

test("an axis of one's own has the aim in its middle and holds all values", () => {
  const [low, high] = ownDomain([0.5, 0.65], AIM);
  assert.ok(Math.abs((low + high) / 2 - 0.6) < 1e-12 && low < 0.5 && low > 0.49);
  const [from, to] = ownDomain([0.6], { ...AIM, low: 0.55, high: 0.65 });
  assert.ok(from < 0.55 && to > 0.65);
  assert.deepEqual(ownDomain([], { ...AIM, value: 0, low: 0, high: 0 }), [-0.05, 0.05]);
  assert.deepEqual(ownDomain([0.2, 0.4], null).map((end) => Number(end.toFixed(3))), [0.196, 0.404]);
});

const row = (label, values) => ({ label, unbiased: true, runs: 200, bias: 0, error: 0.01, deviation: 0.1, aim: AIM, ...values });

test("the verdict names who is off, and by how much", () => {
  const off = row("Algorithm 1", { unbiased: false, bias: 0.04 });
  assert.deepEqual(verdict([off, row("branch", { bias: 0.02, deviation: 0.02 })], "p_4"), [
    "Algorithm 1 is off by 4.0 standard errors (+6.7%).", "Runs of branch vary least: 5.0 times less than those of Algorithm 1.",
  ]);
  // The largest distance stands first.
  assert.equal(
    verdict([off, row("other", { unbiased: false, bias: -0.06 })], "p_4")[0],
    "other is off by 6.0 standard errors (−10.0%) and Algorithm 1 is off by 4.0 standard errors (+6.7%).",
  );
  const same = row("stuck", { unbiased: false, bias: -0.6, error: 0, deviation: 0 });
  assert.equal(verdict([same], "p_4")[0], "stuck is off by −0.60 (−100.0%) in each of 200 runs.");
});

test("the verdict is honest where nothing is off", () => {
  assert.deepEqual(verdict([row("a", { bias: 0.005 }), row("b", { bias: -0.012, unbiased: false })], "p_4"), [
    "No mean is off by more than 3 standard errors; the largest distance is 1.2 (b).", "The bias of b is too small for these runs to show.",
  ]);
  const exact = row("exact", { error: 0, deviation: 0 });
  assert.deepEqual(verdict([exact, row("a", {})], "p_4"), [
    "No mean is off by more than 3 standard errors; the largest distance is 0 (exact).", "Runs of exact do not vary; those of a vary most.",
  ]);
  assert.match(verdict([row("a", { bias: 0.05 })], "p_4")[1], /^a should not be: beyond 3 is chance once in 370 times/);
});

test("the verdict waits for enough runs", () => {
  assert.match(verdict([row("a", { runs: 0 })], "p_4")[0], /^Each estimator aims at p_4: Start shows/);
  assert.match(verdict([row("a", { bias: 1 }), row("b", { runs: 7 })], "p_4")[0], /^7 of the 20 runs of each/);
  assert.equal(errorsOff({ bias: 0, error: 0 }), 0);
});

test("bins hold every value, the largest too", () => {
  assert.deepEqual(binCounts([0, 0.1, 0.5, 1], [0, 1], 2), [2, 2]);
  assert.deepEqual(binCounts([], [0, 1], 3), [0, 0, 0]);
  assert.equal(barsPath([2, 0, 1], [0, 30], 100, 10), "M0.0,100v-10.0h10.00V100ZM20.0,100v-5.0h10.00V100Z");
});

test("a dot keeps its place when more come", () => {
  const x = (value) => 100 * value;
  assert.ok(dotsPath([0.1, 0.2, 0.3], x, 0, 20).startsWith(dotsPath([0.1, 0.2], x, 0, 20)));
  assert.equal(dotsPath([0.25], x, 5, 20), "M25.0,5.0h0");
});

test("fields take whole numbers in their range alone", () => {
  assert.equal(wholeNumber(" 500 ", 1, 1000), 500);
  for (const text of ["", "0", "1001", "2.5", "-3", "1e2", "many"]) assert.equal(wholeNumber(text, 1, 1000), null);
});

test("numbers as text", () => {
  assert.equal(digits(0.738024), "0.7380");
  assert.equal(digits(33449.854, 5), "33450");
  assert.equal(digits(-0.00123, 2), "−0.0012");
  assert.equal(digits(-0.0000123, 2), "−1.2e−5");
  assert.equal(digits(null), "undefined");
  assert.equal(signedDigits(0.1), "+0.10");
  assert.equal(signedFixed(-0.00001, 2), "0.00");
  assert.equal(signedFixed(-0.126, 2), "−0.13");
  assert.equal(wholeText(1234567.4), "1\u2009234\u2009567");
});

test("bias and its error end at the same place", () => {
  assert.equal(biasText({ bias: -0.00123, error: 0.00456, aim: AIM }), "−0.0012\u00a0±\u00a00.0046 (−0.21%)");
  assert.equal(biasText({ bias: null, error: null, aim: null }), "");
  assert.equal(biasText({ bias: 0.5, error: null, aim: AIM }), "+0.50");
  assert.equal(biasText({ bias: 0, error: 0, aim: AIM }), "0\u00a0±\u00a00");
});

test("the line in words", () => {
  assert.equal(measureName("recall", 5), "r_5");
  assert.equal(aimInWords(AIM, "p_4"), "Line: p_4 = 0.600000, exact.");
  assert.match(aimInWords({ ...AIM, exact: false, low: 0.59, high: 0.61, reason: "too large" }, "p_4"), /estimated, 95% interval 0\.59000 to 0\.61000\. Not exact, because .*too large/);
  assert.match(aimInWords({ ...AIM, value: 0, runnable: false, reason: "there is no predicted state" }, "p_4"), /p_4 is 0: there is no predicted state/);
});

test("rows keep the order of the choices and show what Python computed", () => {
  const choices = [{ name: "branch", label: "b" }, { name: "naive", label: "n" }];
  const summary = {
    runs: 2, mean: 0.6, bias: 0.1, standard_error: 0.05, standard_deviation: null, node_count: 7, milliseconds: 0.5,
  };
  const [none, two] = rowsOf(choices, { naive: { values: [0.5, 0.7], summary } }, AIM);
  assert.deepEqual([none.method, none.runs, none.mean, none.error], ["branch", 0, null, null]);
  assert.deepEqual(
    [two.method, two.runs, two.mean, two.bias, two.error, two.deviation, two.nodes, two.milliseconds],
    ["naive", 2, 0.6, 0.1, 0.05, null, 7, 0.5],
  );
});
