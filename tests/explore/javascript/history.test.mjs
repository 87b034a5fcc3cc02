import assert from "node:assert/strict";
import { test } from "node:test";
import { newHistory, nextMove, recorded, redone, sameState, squaresOfMove, stepped, swapped, undone, walkedBack } from "../../../workbench/explore/pair/history.js";

const pair = (name, line = []) => ({ true_fen: `true ${name}`, predicted_fen: `predicted ${name}`, line });

test("undo and redo walk through what was recorded", () => {
  const history = ["b", "c"].reduce((past, name) => recorded(past, pair(name)), newHistory(pair("a")));
  const once = undone(history);
  const twice = undone(once);
  assert.deepEqual(once.present, pair("b"));
  assert.deepEqual(twice.present, pair("a"));
  assert.equal(undone(twice), twice);
  assert.deepEqual(redone(redone(twice)), history);
  assert.equal(redone(history), history);
});

test("a new state forgets what was undone", () => {
  const history = recorded(undone(recorded(newHistory(pair("a")), pair("b"))), pair("c"));
  assert.deepEqual(history, { past: [pair("a")], present: pair("c"), future: [] });
});

test("the same state is not recorded twice, another line is", () => {
  const history = newHistory(pair("a"));
  assert.equal(recorded(history, pair("a")), history);
  assert.equal(recorded(history, pair("a", ["e2e4"])).past.length, 1);
  assert.equal(sameState(pair("a", ["e2e4"]), pair("a", ["e2e4"])), true);
});

test("history has an end", () => {
  let history = newHistory(pair("0"));
  for (let index = 1; index <= 400; index += 1) history = recorded(history, pair(String(index)));
  assert.equal(history.past.length, 300);
  assert.deepEqual(history.past[0], pair("100"));
});

test("swap exchanges the boards that are shown; without a prediction there is none to exchange", () => {
  assert.deepEqual(swapped({ true_fen: "a", predicted_fen: "b" }), { true_fen: "b", predicted_fen: "a", line: [] });
  assert.equal(swapped({ true_fen: "a", predicted_fen: " " }), null);
});

test("lines are stepped and walked back", () => {
  const line = stepped(stepped(pair("a"), ["e2e4"]), ["e7e5", "g1f3"]);
  assert.deepEqual(line.line, ["e2e4", "e7e5", "g1f3"]);
  assert.deepEqual(walkedBack(line, 1), pair("a", ["e2e4"]));
  assert.deepEqual(walkedBack(line, 0), pair("a"));
  assert.deepEqual(squaresOfMove("e7e8q"), { from: "e7", to: "e8" });
});

test("the next move is that of the line last walked back from, undone or not", () => {
  const line = (...moves) => pair("a", moves);
  const walked = [line("e2e4"), line("e2e4", "e7e5"), line("e2e4")].reduce(recorded, newHistory(line()));
  assert.equal(nextMove(walked), "e7e5");
  assert.equal(nextMove(recorded(walked, line())), "e2e4");
  const branched = [line("e2e4", "c7c5"), line("e2e4")].reduce(recorded, walked);
  assert.equal(nextMove(branched), "c7c5");
  assert.equal(nextMove(recorded(walked, line("d2d4"))), null);
  assert.equal(nextMove(recorded(walked, pair("b"))), null);
  assert.equal(nextMove(undone([line("d2d4")].reduce(recorded, newHistory(line())))), "d2d4");
  assert.equal(nextMove(newHistory(line())), null);
});
