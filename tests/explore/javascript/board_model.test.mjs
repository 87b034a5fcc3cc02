import assert from "node:assert/strict";
import { test } from "node:test";
import {
  applyEdit, editInWords, enPassantChoices, formatFen, neighbour, parseFen, pieceName, placeOf, squareAt, squareLabel,
  squaresInView, toggleCastling,
} from "../../../workbench/explore/board/board_model.js";

const START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
const AFTER_E4 = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 1";

test("a FEN that is read and written is the same", () => {
  for (const fen of [START, AFTER_E4, "8/8/8/8/8/8/8/8 w - - 0 1", "r3k2r/8/8/8/8/8/8/Q~3K2R b Kk - 12 34", "8/P7/8/8/8/8/8/k1K5 w HAha - 0 1"]) {
    assert.equal(formatFen(parseFen(fen)), fen);
  }
});

test("pieces stand where the FEN has them", () => {
  const { pieces, turn, enPassant } = parseFen(AFTER_E4);
  assert.equal(pieces.e4, "P");
  assert.equal(pieces.e2, undefined);
  assert.equal(pieces.d8, "q");
  assert.equal(Object.keys(pieces).length, 32);
  assert.deepEqual([turn, enPassant], ["b", "e3"]);
});

test("missing fields have python-chess's defaults", () => {
  assert.equal(formatFen(parseFen("8/8/8/8/8/8/8/K1k5")), "8/8/8/8/8/8/8/K1k5 w - - 0 1");
});

test("a placement that is no board is refused with the rank", () => {
  assert.throws(() => parseFen("8/8/8/9/8/8/8/8 w - - 0 1"), /rank 5: .*"9"/);
  assert.throws(() => parseFen("8/8/8/ppppppppp/8/8/8/8 w - - 0 1"), /rank 5 has 9 squares/);
  assert.throws(() => parseFen("8/8/8/x7/8/8/8/8"), /"x"/);
  assert.throws(() => parseFen("8/8"), /expected 8 ranks, got 2/);
});

test("edits change one thing and leave the position they are made on", () => {
  const start = parseFen(START);
  const edited = (edit) => formatFen(applyEdit(start, edit));
  assert.equal(edited({ kind: "move", from: "e2", to: "e4" }), "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 1");
  assert.equal(edited({ kind: "move", from: "d1", to: "d7" }), "rnbqkbnr/pppQpppp/8/8/8/8/PPPPPPPP/RNB1KBNR w KQkq - 0 1");
  assert.equal(edited({ kind: "move", from: "e4", to: "e5" }), START);
  assert.equal(edited({ kind: "move", from: "e2", to: "e2" }), START);
  assert.equal(edited({ kind: "put", square: "a1", piece: "k" }), "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/kNBQKBNR w KQkq - 0 1");
  assert.equal(edited({ kind: "clear", square: "e1" }), "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQ1BNR w KQkq - 0 1");
  assert.equal(edited({ kind: "turn", turn: "b" }), START.replace(" w ", " b "));
  assert.equal(edited({ kind: "castling", letter: "Q" }), START.replace("KQkq", "Kkq"));
  assert.equal(edited({ kind: "enPassant", square: "e6" }), START.replace(" - ", " e6 "));
  assert.equal(formatFen(start), START);
  assert.throws(() => applyEdit(start, { kind: "spin" }), RangeError);
});

test("edits in words", () => {
  const start = parseFen(START);
  assert.equal(editInWords(start, { kind: "move", from: "b1", to: "c3" }), "white knight from b1 to c3");
  assert.equal(editInWords(start, { kind: "put", square: "e5", piece: "q" }), "black queen put on e5");
});

test("castling letters keep their order, and strange ones stay", () => {
  assert.equal(toggleCastling("KQkq", "K"), "Qkq");
  assert.equal(toggleCastling("q", "K"), "Kq");
  assert.equal(toggleCastling("q", "q"), "-");
  assert.equal(toggleCastling("-", "k"), "k");
  assert.equal(toggleCastling("HAha", "K"), "KHAha");
});

test("the en passant control offers the rank behind a double step, and what is set", () => {
  const start = parseFen(START);
  assert.deepEqual(enPassantChoices(start).slice(0, 3), ["-", "a6", "b6"]);
  assert.equal(enPassantChoices(parseFen(AFTER_E4)).includes("e3"), true);
  assert.equal(enPassantChoices({ ...start, enPassant: "e3" }).at(-1), "e3");
  assert.equal(enPassantChoices(start).length, 9);
});

test("squares are named for screen readers", () => {
  assert.equal(squareLabel("e4", "P"), "e4, white pawn");
  assert.equal(squareLabel("a5", undefined), "a5, empty");
  assert.equal(squareLabel("a5", "n", ["picked up"]), "a5, black knight; picked up");
  assert.equal(pieceName("Q~"), "promoted white queen");
});

test("squares and places are each other's inverse, flipped or not", () => {
  for (const flipped of [false, true]) {
    const squares = squaresInView(flipped);
    assert.equal(new Set(squares).size, 64);
    for (const square of squares) assert.equal(squareAt(...placeOf(square, flipped), flipped), square);
  }
  assert.equal(squaresInView(false)[0], "a8");
  assert.equal(squaresInView(true)[0], "h1");
  assert.equal(squareAt(8, 0, false), null);
});

test("arrow keys go where they point, also on a flipped board, and stop at the edge", () => {
  assert.equal(neighbour("e4", "ArrowUp", false), "e5");
  assert.equal(neighbour("e4", "ArrowUp", true), "e3");
  assert.equal(neighbour("e4", "ArrowLeft", false), "d4");
  assert.equal(neighbour("e4", "ArrowLeft", true), "f4");
  assert.equal(neighbour("a8", "ArrowUp", false), "a8");
  assert.equal(neighbour("e4", "Home", false), "a4");
  assert.equal(neighbour("e4", "PageDown", false), "e1");
  assert.equal(neighbour("e4", "q", false), null);
});
