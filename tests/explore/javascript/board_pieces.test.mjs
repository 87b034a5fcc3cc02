import assert from "node:assert/strict";
import { test } from "node:test";
import { differentSquares, parseFen } from "../../../workbench/explore/board/board_model.js";
import { lichessAnalysis } from "../../../workbench/explore/board/lichess_analysis.js";
import { movedPieces } from "../../../workbench/explore/board/piece_motion.js";

const START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
const moved = (before, after) => movedPieces(parseFen(before).pieces, parseFen(after).pieces)
  .map(({ from, to, piece }) => `${piece}${from}${to}`).sort();

test("the pieces of one move are those that move, forwards and back", () => {
  const cases = [
    [START, "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1", ["Pe2e4"], ["Pe4e2"]],
    // Both castlings, a capture (the piece that comes back was nowhere), en passant.
    ["4k3/8/8/8/8/8/8/4K2R w K - 0 1", "4k3/8/8/8/8/8/8/5RK1 b - - 1 1", ["Ke1g1", "Rh1f1"], ["Kg1e1", "Rf1h1"]],
    ["r3k3/8/8/8/8/8/8/4K3 b q - 0 1", "2kr4/8/8/8/8/8/8/4K3 w - - 1 2", ["ke8c8", "ra8d8"], ["kc8e8", "rd8a8"]],
    ["k7/8/8/3p4/4P3/8/8/K7 w - - 0 1", "k7/8/8/3P4/8/8/8/K7 b - - 0 1", ["Pe4d5"], ["Pd5e4"]],
    ["k7/8/8/3pP3/8/8/8/K7 w - d6 0 1", "k7/8/3P4/8/8/8/8/K7 b - - 0 1", ["Pe5d6"], ["Pd6e5"]],
    // Promotions, with a capture too.
    ["k7/6P1/8/8/8/8/8/K7 w - - 0 1", "k5Q1/8/8/8/8/8/8/K7 b - - 0 1", ["Qg7g8"], ["Pg8g7"]],
    ["k7/8/8/8/8/8/2p5/K2R4 b - - 0 1", "k7/8/8/8/8/8/8/K2n4 w - - 0 2", ["nc2d1"], ["pd1c2"]],
  ];
  for (const [before, after, forwards, back] of cases) {
    assert.deepEqual(moved(before, after), forwards, `${before} to ${after}`);
    assert.deepEqual(moved(after, before), back, `${after} to ${before}`);
  }
});

test("pieces that are put, taken or exchanged by more than a move do not move", () => {
  assert.deepEqual(moved(START, START), []);
  assert.deepEqual(moved(START, "8/8/8/8/8/8/8/8 w - - 0 1"), []);
  assert.deepEqual(moved(START, "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKB1R w KQkq - 0 1"), []);
  assert.deepEqual(moved("k7/8/8/8/8/8/8/K7 w - - 0 1", "k7/8/8/3q4/8/8/8/K7 w - - 0 1"), []);
  assert.deepEqual(moved("k7/6P1/8/8/8/8/8/K7 w - - 0 1", "k5q1/8/8/8/8/8/8/K7 b - - 0 1"), []);
  assert.deepEqual(moved("k7/8/6P1/8/8/8/8/K7 w - - 0 1", "k5Q1/8/8/8/8/8/8/K7 b - - 0 1"), []);
});

test("the address of an analysis has the FEN with underscores, without signs of promotion", () => {
  assert.equal(lichessAnalysis(START), "https://lichess.org/analysis/standard/rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR_w_KQkq_-_0_1");
  assert.equal(lichessAnalysis("k7/8/8/8/8/8/8/K6Q~ b - - 0 1", true), "https://lichess.org/analysis/standard/k7/8/8/8/8/8/8/K6Q_b_-_-_0_1?color=black");
  assert.equal(lichessAnalysis("a?b#c w"), "https://lichess.org/analysis/standard/a%3Fb%23c_w");
});

test("squares differ where the pieces do, and nowhere without a second board", () => {
  assert.deepEqual(differentSquares(START, START.replace("PPPPPPPP", "PPPP1PPP").replace(" w ", " b ")), ["e2"]);
  assert.deepEqual(differentSquares("k7/8/8/8/8/8/8/K7 w - - 0 1", "k7/8/8/8/8/8/8/1K6 w - - 0 1").sort(), ["a1", "b1"]);
  assert.deepEqual(differentSquares(START, ""), []);
});
