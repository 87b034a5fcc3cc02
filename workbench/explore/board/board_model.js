// The page's model of a board: pure functions on positions. A position is the content of a FEN,
// with the pieces by square; the kernel, not this file, decides whether a FEN is one that
// python-chess takes.

/**
 * @typedef {Object} Position
 * @property {Object<string, string>} pieces FEN letters by square name; "Q~" is a promoted queen.
 * @property {string} turn "w" or "b".
 * @property {string} castling As in the FEN: letters or "-".
 * @property {string} enPassant A square name or "-".
 * @property {string} counters The two last fields, as they came.
 */

export const FILES = "abcdefgh";
export const PIECE_LETTERS = "KQRBNPkqrbnp";
export const EMPTY_FEN = "8/8/8/8/8/8/8/8 w - - 0 1";

const PIECE_NAMES = { k: "king", q: "queen", r: "rook", b: "bishop", n: "knight", p: "pawn" };
const CASTLING_LETTERS = "KQkq";

/**
 * Read a FEN; missing fields get python-chess's defaults.
 * @param {string} fen
 * @returns {Position}
 * @throws {RangeError} If the placement is not eight ranks of eight squares.
 */
export function parseFen(fen) {
  const [placement = "", turn = "w", castling = "-", enPassant = "-", ...counters] = fen.trim().split(/\s+/);
  const ranks = placement.split("/");
  if (ranks.length !== 8) throw new RangeError(`expected 8 ranks, got ${ranks.length} in "${placement}"`);
  const pieces = {};
  ranks.forEach((rank, index) => readRank(rank, 8 - index, pieces));
  return { pieces, turn, castling, enPassant, counters: counters.join(" ") || "0 1" };
}

function readRank(rank, number, pieces) {
  let file = 0;
  for (const [sign, letter] of rank.matchAll(/([KQRBNPkqrbnp]~?|[1-8]|.)/gu)) {
    if (/^[1-8]$/.test(sign)) file += Number(sign);
    else if (PIECE_LETTERS.includes(letter[0]) && letter.length <= 2) {
      pieces[`${FILES[file] ?? "?"}${number}`] = letter;
      file += 1;
    } else throw new RangeError(`rank ${number}: expected pieces and digits, got "${sign}" in "${rank}"`);
  }
  if (file !== 8) throw new RangeError(`rank ${number} has ${file} squares: "${rank}"; a rank has 8`);
}

/** Write a position as FEN. @param {Position} position @returns {string} */
export function formatFen(position) {
  const ranks = [];
  for (let rank = 8; rank >= 1; rank -= 1) {
    let text = "";
    let empty = 0;
    for (const file of FILES) {
      const piece = position.pieces[`${file}${rank}`];
      if (!piece) empty += 1;
      else {
        text += (empty || "") + piece;
        empty = 0;
      }
    }
    ranks.push(text + (empty || ""));
  }
  const { turn, castling, enPassant, counters } = position;
  return `${ranks.join("/")} ${turn} ${castling} ${enPassant} ${counters}`;
}

/** Move the piece on a square; a piece on the target is removed. @returns {Position} */
export function movePiece(position, from, to) {
  if (from === to || !position.pieces[from]) return position;
  const { [from]: piece, ...others } = position.pieces;
  return { ...position, pieces: { ...others, [to]: piece } };
}

/** Put a piece on a square. @returns {Position} */
export function putPiece(position, square, piece) {
  return { ...position, pieces: { ...position.pieces, [square]: piece } };
}

/** Clear a square. @returns {Position} */
export function removePiece(position, square) {
  const { [square]: _gone, ...others } = position.pieces;
  return { ...position, pieces: others };
}

/**
 * Apply one edit of a board.
 * @param {Position} position
 * @param {{kind: string, [key: string]: string}} edit {kind: "move", from, to}, {kind: "put", square,
 *   piece}, {kind: "clear", square}, {kind: "turn", turn}, {kind: "castling", letter} (toggles) or
 *   {kind: "enPassant", square}.
 * @returns {Position}
 */
export function applyEdit(position, edit) {
  if (edit.kind === "move") return movePiece(position, edit.from, edit.to);
  if (edit.kind === "put") return putPiece(position, edit.square, edit.piece);
  if (edit.kind === "clear") return removePiece(position, edit.square);
  if (edit.kind === "turn") return { ...position, turn: edit.turn };
  if (edit.kind === "castling") return { ...position, castling: toggleCastling(position.castling, edit.letter) };
  if (edit.kind === "enPassant") return { ...position, enPassant: edit.square };
  throw new RangeError(`expected a known edit, got "${edit.kind}"`);
}

/** Say an edit in words. @param {Position} before @returns {string} */
export function editInWords(before, edit) {
  if (edit.kind === "move") return `${pieceName(before.pieces[edit.from])} from ${edit.from} to ${edit.to}`;
  if (edit.kind === "put") return `${pieceName(edit.piece)} put on ${edit.square}`;
  if (edit.kind === "clear") return `${edit.square} cleared`;
  if (edit.kind === "turn") return `${edit.turn === "w" ? "white" : "black"} to move`;
  if (edit.kind === "castling") return "castling rights changed";
  return edit.square === "-" ? "no en passant square" : `en passant square ${edit.square}`;
}

/** Add a castling letter or take it away; other letters stay. @returns {string} */
export function toggleCastling(castling, letter) {
  const letters = new Set(castling.replace("-", ""));
  if (!letters.delete(letter)) letters.add(letter);
  const usual = [...CASTLING_LETTERS].filter((one) => letters.has(one));
  const unusual = [...letters].filter((one) => !CASTLING_LETTERS.includes(one));
  return [...usual, ...unusual].join("") || "-";
}

/** Return the en passant squares that a control offers, the one that is set among them. */
export function enPassantChoices(position) {
  const rank = position.turn === "b" ? 3 : 6;
  const usual = ["-", ...[...FILES].map((file) => `${file}${rank}`)];
  return usual.includes(position.enPassant) ? usual : [...usual, position.enPassant];
}

/** Return "white pawn" for "P"; "promoted white queen" for "Q~". */
export function pieceName(piece) {
  if (!piece) return "empty";
  const colour = piece[0] === piece[0].toUpperCase() ? "white" : "black";
  return `${piece.endsWith("~") ? "promoted " : ""}${colour} ${PIECE_NAMES[piece[0].toLowerCase()]}`;
}

/** Return a square's name for screen readers: "e4, white pawn" or "a5, empty". */
export function squareLabel(square, piece, notes = []) {
  return [`${square}, ${pieceName(piece)}`, ...notes].join("; ");
}

/** Return the squares in the order in which they are seen, row by row. */
export function squaresInView(flipped) {
  const squares = [];
  for (let row = 0; row < 8; row += 1) {
    for (let column = 0; column < 8; column += 1) squares.push(squareAt(column, row, flipped));
  }
  return squares;
}

/** Return the square at a column and row counted from the top left corner, or null outside. */
export function squareAt(column, row, flipped) {
  if (column < 0 || column > 7 || row < 0 || row > 7) return null;
  return flipped ? `${FILES[7 - column]}${row + 1}` : `${FILES[column]}${8 - row}`;
}

/** Return the squares on which two boards differ; none if one of them is missing. */
export function differentSquares(fen, otherFen) {
  if (!fen || !otherFen) return [];
  const [one, other] = [fen, otherFen].map((each) => parseFen(each).pieces);
  return [...new Set([...Object.keys(one), ...Object.keys(other)])].filter((square) => one[square] !== other[square]);
}

/** Return [column, row] of a square, counted from the top left corner. */
export function placeOf(square, flipped) {
  const file = FILES.indexOf(square[0]);
  const rank = Number(square[1]);
  return flipped ? [7 - file, rank - 1] : [file, 8 - rank];
}

/** Return the square that an arrow key, Home or End leads to; the edge is the end. */
export function neighbour(square, key, flipped) {
  const [column, row] = placeOf(square, flipped);
  const steps = {
    ArrowLeft: [column - 1, row], ArrowRight: [column + 1, row],
    ArrowUp: [column, row - 1], ArrowDown: [column, row + 1],
    Home: [0, row], End: [7, row], PageUp: [column, 0], PageDown: [column, 7],
  };
  if (!(key in steps)) return null;
  return squareAt(...steps[key], flipped) ?? square;
}
