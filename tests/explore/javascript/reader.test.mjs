import assert from "node:assert/strict";
import { test } from "node:test";
import { changeInWords, nextInWords, wrongInWords } from "../../../workbench/explore/reader/believed_words.js";
import { refusedInWords } from "../../../workbench/explore/reader/believed_verdict.js";
import { gameReader } from "../../../workbench/explore/static_page/live_games.js";
import { firstWrong, guessInWords } from "../../../workbench/explore/reader/guess_first.js";
import { movesOf, stopsOf } from "../../../workbench/explore/reader/game_text.js";
import { boardIntended, handByPly, handOf, handOfText, handText, plyThatBrought } from "../../../workbench/explore/reader/hand_places.js";
import { courseInWords, intentInWords, outcomeInWords, outcomeOf, playInWords, rateInWords } from "../../../workbench/explore/reader/hand_words.js";
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
  assert.deepEqual(placeOfLink(linkOfPlace(place)), { model: "small@142", ply: 2, text: "e2e4 e7e5", hand: "" });
  assert.equal(placeOfLink(linkOfPlace({ ...place, hand: "2-1-e4-e4-P-Q" })).hand, "2-1-e4-e4-P-Q");
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

const ITALIAN = stopsOf("e4 e5 Nf3 Nc6 Bc4 Bc5 O-O Nf6 Ng5 d5 exd5 Nxd5 Nxf7 Kxf7");
const game = { stops: ITALIAN, at: 8, written: ITALIAN[8].fen, canArise: () => true };

test("a piece that a move brought can be replaced or moved", () => {
  assert.deepEqual(handOf(game, { square: "f3", piece: "B" }).hand, { at: 8, ply: 3, square: "f3", to: "f3", former: "N", other: "B" });
  assert.deepEqual(handOf(game, { square: "c6", to: "b6" }).hand, { at: 8, ply: 4, square: "c6", to: "b6", former: "n", other: "n" });
  // What the model writes is replaced, not what is there.
  const queen = boardIntended(ITALIAN[8].fen, { square: "f3", to: "f3", other: "Q" });
  assert.equal(handOf({ ...game, written: queen }, { square: "f3", piece: "N" }).hand.former, "Q");
  assert.deepEqual(["e4", "c6", "f1", "g1", "e2"].map((square) => plyThatBrought(ITALIAN, 8, square)), [1, 4, null, 7, null]);
});

test("a hand is refused in words", () => {
  const refusal = (meant, changed = {}) => handOf({ ...game, ...changed }, meant).refusal;
  assert.match(refusal({ square: "a1", piece: "Q" }), /No move of this game ended on a1: the white rook is there since the start/);
  assert.match(refusal({ square: "f1", piece: "Q" }), /or by castling/);
  assert.match(refusal({ square: "h4", piece: "Q" }), /h4 is empty in truth/);
  assert.match(refusal({ square: "g1", piece: "Q" }), /Kings/);
  assert.match(refusal({ square: "f3", piece: "K" }), /Kings/);
  assert.match(refusal({ square: "f3", piece: "N" }), /a white knight on f3 already/);
  assert.match(refusal({ square: "f3", piece: "n" }), /only a piece of the same colour/);
  assert.match(refusal({ square: "f3", to: "e4" }), /On e4 is a white pawn/);
  assert.match(refusal({ square: "f3", piece: "Q" }, { canArise: () => false }), /could not arise/);
  const written = (other) => boardIntended(ITALIAN[8].fen, { square: "f3", to: "f3", other });
  assert.match(refusal({ square: "f3", piece: "Q" }, { written: written("k") }), /writes a black king on f3, where a white knight stands/);
  assert.match(refusal({ square: "f3", piece: "Q" }, { written: ITALIAN[8].fen.replace("5N2", "8") }), /writes nothing on f3/);
});

test("a replaced piece is followed until it is taken, a moved one while its squares stay", () => {
  const put = handOf(game, { square: "f3", piece: "B" }).hand;
  assert.deepEqual([2, 3, 8, 9, 12, 13, 14].map((ply) => handByPly(put, ITALIAN)[ply]?.square ?? null), [null, "f3", "f3", "g5", "g5", "f7", null]);
  const moved = handOf(game, { square: "f3", to: "a3" }).hand;
  assert.deepEqual([3, 8, 9].map((ply) => handByPly(moved, ITALIAN)[ply] !== null), [true, true, false]);
  assert.equal(boardIntended(ITALIAN[8].fen, moved).split(" ")[0], "r1bqk2r/pppp1ppp/2n2n2/2b1p3/2B1P3/N7/PPPP1PPP/RNBQ1RK1");
  const promotion = stopsOf("a4 b5 axb5 a6 bxa6 Bb7 axb7 h6 bxa8=Q");
  const pawn = handOf({ ...game, stops: promotion, at: 8, written: promotion[8].fen }, { square: "b7", piece: "N" }).hand;
  assert.equal(handByPly(pawn, promotion)[8].square, "b7");
  assert.equal(handByPly(pawn, promotion)[9], null);
  const passing = stopsOf("a4 h6 a5 b5 axb6");
  const taken = handOf({ ...game, stops: passing, at: 4, written: passing[4].fen }, { square: "b5", piece: "n" }).hand;
  assert.equal(handByPly(taken, passing)[5], null);
});

test("the hand of a link fits its game, or is none", () => {
  const { hand } = handOf(game, { square: "f3", piece: "B" });
  const moved = handOf(game, { square: "f3", to: "a3" }).hand;
  for (const one of [hand, moved]) assert.deepEqual(handOfText(handText(one), ITALIAN), one);
  for (const text of ["", "x", "8-3-f3-f3-N-b", "8-4-f3-f3-N-B", "99-3-f3-f3-N-B", "8-3-f3-f3-N-N", "8-3-f3-a3-N-B", "8-3-f3-e4-N-N", "8-0-a1-a1-R-Q", "8-7-g1-g1-R-Q"]) assert.equal(handOfText(text, ITALIAN), null, text);
});

test("what a hand does is said", () => {
  const { hand } = handOf(game, { square: "f3", piece: "B" });
  const reply = (ply, other, more = {}) => ({ ply, on_board: true, predicted_fen: boardIntended(ITALIAN[ply].fen, { square: "f3", to: "f3", other }), precision: [1, 0.5], intended: { precision: [1, 0.75] }, ...more });
  const course = handByPly(hand, ITALIAN);
  assert.equal(intentInWords(hand, ITALIAN, "small"), "A hand inside: a white bishop on f3 in place of the white knight. It changes one hidden state of small, that after 2. Nf3 (ply 3).");
  const plain = reply(8, "N", { precision: [1, 1] });
  assert.equal(outcomeInWords(hand, course, 8, reply(8, "B"), plain, 2), "Ply 8: it writes a white bishop on f3, as intended. No other square changes. p_2 against the true board is 0.5000 (without the hand 1.0000), against the intended board 0.7500.");
  const queen = { ...reply(8, "Q", { intended: null }) };
  queen.predicted_fen = boardIntended(queen.predicted_fen, { square: "e4", to: "e4", other: "p" });
  assert.match(outcomeInWords(hand, course, 8, queen, plain, 2), /a white queen on f3, not as intended\. 1 other square changes: e4\. .* not defined, as that board cannot arise/);
  assert.match(outcomeInWords(hand, course, 8, { ...queen, on_board: false }, plain, 2), /no board that can be read/);
  assert.match(outcomeInWords(hand, course, 2, reply(2, "N"), plain, 2), /before the changed state/);
  assert.match(outcomeInWords(hand, course, 8, undefined, plain, 2), /still reads/);
  assert.match(outcomeInWords(hand, course, 14, reply(14, "B"), undefined, 2), /nothing is intended any more/);
  const moved = handOf(game, { square: "f3", to: "a3" }).hand;
  assert.match(outcomeInWords(moved, handByPly(moved, ITALIAN), 8, reply(8, "N"), plain, 2), /nothing on a3 and a white knight on f3, not as intended/);
  const other = boardIntended(boardIntended(ITALIAN[8].fen, moved), { square: "f3", to: "f3", other: "p" });
  assert.equal(outcomeOf(handByPly(moved, ITALIAN)[8], { ...plain, predicted_fen: other }).held, false);
  assert.equal(outcomeOf(handByPly(moved, ITALIAN)[8], { ...plain, predicted_fen: boardIntended(ITALIAN[8].fen, moved) }).held, true);
  const replies = [7, 8].map((ply) => reply(ply, ply === 7 ? "B" : "N"));
  assert.equal(courseInWords(hand, course, replies), "From ply 7 to 8 it writes what is intended 1 of 2 times; not after ply 8.");
  assert.match(courseInWords(hand, course, [reply(8, "B"), reply(14, "B")]), /^After ply 8 .* every time\. From ply 14 on nothing/);
  assert.equal(courseInWords(hand, course, [reply(2, "N")]), "");
  assert.equal(playInWords({ next: { uci: "e2e4", probability: 0.5 } }, { next: { uci: "d2d4", probability: 0.25 } }), "It would play e2e4 (0.5000); without the hand d2d4 (0.2500).");
  assert.equal(playInWords({ next: null }), "");
  const trials = { done: 9, intended: 0.5, low: 0.4, high: 0.6, clean: 0.25, later: 0.3, later_plies: 8, later_sites: 4, wrong_ply: 0.01, random_direction: 0 };
  const { short, long } = rateInWords({ piece: { trials }, square: { trials: { ...trials, intended: 0.7 } } }, "small");
  assert.match(short, /in 50% of trials, a moved one in 70%/);
  assert.match(long, /A piece is replaced, in 9 games: small writes what is intended in 50% \(95%: 40% to 60%\)/);
});

test("p and r are said without their names", () => {
  assert.equal(refusedInWords(0.95, 0.5, 4), "Of random 4-move lines, legal on the model's board, 5% are illegal on the true board; the other way round 50%.");
  assert.equal(refusedInWords(0.999, 1, 1), "Of random moves, legal on the model's board, under 1% are illegal on the true board; the other way round 0%.");
  assert.equal(refusedInWords(1, 1, 2), "All random 2-move lines that are legal on one board are legal on the other.");
  assert.equal(refusedInWords(null, 1, 6), "");
});

test("a model reads a game on by what is known", async () => {
  const stops = [null, "e2e4", "e7e5", "g1f3"].map((uci, ply) => ({ ply, fen: String(ply), san: uci, uci }));
  const asked = [];
  const read = gameReader({ stops, depth: 2, replies: [], notes: ["of others"] }, (message, onAnswer) => {
    asked.push([message.name, message.stop.ply, message.moves.length]);
    onAnswer(message.stop.ply === 3 ? { kind: "failed", message: "no" } : { reply: { ply: message.stop.ply, next: null, certainty: {} } });
  });
  const answered = (message) => new Promise((resolve) => { read({ serial: "s", ...message }, resolve); });
  assert.deepEqual(await answered({ reader: "", known: 0 }), { kind: "read", serial: "s", reader: "", done: true });
  const failed = await answered({ reader: "tiny", known: 1 });
  assert.deepEqual([failed.kind, failed.asked, failed.serial, failed.message], ["failed", "read", "s", "no"]);
  assert.deepEqual(asked, [["tiny", 2, 3], ["tiny", 3, 3]]);
  const short = gameReader({ stops: stops.slice(0, 3), depth: 2, replies: [], notes: [] }, (message, onAnswer) => onAnswer({ reply: { ply: message.stop.ply } }));
  const done = await new Promise((resolve) => { short({ serial: "t", reader: "tiny", known: 0 }, resolve); });
  assert.equal(done.done, true);
  assert.deepEqual(done.game.replies.map(({ ply }) => ply), [1, 2]);
});
