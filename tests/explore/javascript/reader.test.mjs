import assert from "node:assert/strict";
import { test } from "node:test";
import { changeInWords, nextInWords, wrongInWords } from "../../../workbench/explore/reader/believed_words.js";
import { firstWrong, guessInWords } from "../../../workbench/explore/reader/guess_first.js";
import { movesOf, stopsOf } from "../../../workbench/explore/reader/game_text.js";
import { linkOfPlace, placeOfLink } from "../../../workbench/explore/reader/reader_link.js";

const PGN = `[Event "a"]
[Site "b"]

1. e4 {a comment (with signs)} e5 $1 2. Nf3! (2. f4 exf4 (2... d5)) 2... Nc6 ; to the end
3. Bc4 Bc5 4. 0-0 Nf6 1-0`;

test("a game is read from PGN, SAN and UCI alike", () => {
  const uci = ["e2e4", "e7e5", "g1f3", "b8c6", "f1c4", "f8c5", "e1g1", "g8f6"];
  for (const text of [PGN, uci.join(" "), "e4 e5 Nf3 Nc6 Bc4 Bc5 O-O Nf6"]) {
    const stops = stopsOf(text);
    assert.deepEqual(stops.slice(1).map((stop) => stop.uci), uci);
    assert.equal(stops.at(-1).fen, "r1bqk2r/pppp1ppp/2n2n2/2b1p3/2B1P3/5N2/PPPP1PPP/RNBQ1RK1 w kq - 6 5");
    assert.equal(stops[7].san, "O-O");
  }
  assert.equal(stopsOf("").length, 1);
});

test("a word that is no legal move is refused with its ply", () => {
  assert.throws(() => stopsOf("e4 e5 Ke3"), /ply 3: expected a legal move in SAN or UCI, got "Ke3"/);
  assert.throws(() => stopsOf('[FEN "8/8/8/8/8/8/8/K1k5 w - - 0 1"]\n1. Ka2'), /initial position/);
});

test("promotions are four moves", () => {
  const moves = movesOf("8/P6k/8/8/8/8/8/K7 w - - 0 1").filter(({ from }) => from === "a7");
  assert.deepEqual(moves.map(({ uci }) => uci), ["a7a8q", "a7a8r", "a7a8b", "a7a8n"]);
});

test("a link opens the place that it was made for", () => {
  const place = { model: "small@142", ply: 2, moves: ["e2e4", "e7e5"] };
  assert.deepEqual(placeOfLink(linkOfPlace(place)), { model: "small@142", ply: 2, text: "e2e4 e7e5" });
  assert.equal(placeOfLink("#other=1"), null);
});

test("what is believed wrongly is said by squares", () => {
  const words = wrongInWords({ e4: "P" }, { e5: "q" }, ["e4", "e5"], ["placement", "castling"]);
  assert.equal(words, "2 squares wrong: e4 empty, truly white pawn; e5 black queen, truly empty; wrong besides: castling rights.");
  assert.equal(wrongInWords({}, {}, [], []), "every square is right.");
  const many = ["a1", "a2", "a3", "a4", "a5", "a6"];
  assert.match(wrongInWords({}, {}, many, ["placement"]), /6 squares wrong: .*; and 2 more\.$/);
  assert.equal(changeInWords({ ply: 4, san: "Nc6" }, "every square is right."), "2... Nc6: every square is right.");
});

test("a guess is right where the first wrong board has the square wrong", () => {
  const right = { ply: 0, on_board: true, different: [] };
  const wrong = { ply: 1, on_board: true, different: ["e4", "e5"] };
  assert.equal(firstWrong(new Map([[1, wrong]]), 1), undefined);
  assert.equal(firstWrong(new Map([[0, right], [1, wrong]]), 1), wrong);
  assert.equal(firstWrong(new Map([[0, right]]), 0), null);
  const stop = { ply: 1, san: "e4" };
  assert.equal(guessInWords("e5", wrong, stop).right, true);
  assert.deepEqual(guessInWords("a1", wrong, stop), { right: false, words: "First wrong at ply 1, 1. e4: e4, e5; your guess: a1, not among them." });
  assert.equal(guessInWords("", null).right, true);
  assert.equal(guessInWords("a1", { ...wrong, on_board: false }, stop).right, false);
});

test("a next move says where it is legal", () => {
  assert.equal(nextInWords("e2e4", 0.256, true, true), "Likeliest next move of the model: e2e4, probability 0.26, legal on both boards.");
  assert.match(nextInWords("e2e4", 1, false, true), /legal on its own board only/);
  assert.match(nextInWords("e2e4", 1, true, false), /legal on the true board only/);
  assert.match(nextInWords("e2e4", 1, false, false), /legal on neither board/);
});
