// Moves in UCI and in SAN, their lists in python-chess's order, and the FEN after them.

import { squareName } from "./chess_squares.js";
import { KIND, KING, PAWN, ROOK, SIDED, WHITE, checkersOf, settle } from "./chess_position.js";
import { isPassant, letterOf, positionText } from "./chess_fen.js";
import { MOST_MOVES, checkedKing, legalMoves } from "./legal_moves.js";
import { play } from "./move_making.js";

const scratch = new Uint16Array(MOST_MOVES);

/** The codes of the legal moves. @param {number} [king] See `legalMoves`. @returns {number[]} */
export function legalCodes(position, king = checkedKing(position)) {
  return [...scratch.subarray(0, legalMoves(position, scratch, king))];
}

/** Sort codes as python-chess generates them. @param {import("./chess_position.js").Position} position */
export function generatedOrder(position, codes) {
  const king = checkersOf(position).length ? checkedKing(position) : -1;
  const rank = (code) => {
    const from = code & 63;
    if (from === king) return 0;
    if (isCastling(position, code)) return 2;
    if ((position.squares[from] & KIND) !== PAWN) return 1;
    if (isPassant(position, code)) return 6;
    const step = Math.abs((code >> 6 & 63) - from);
    return step === 16 ? 5 : step === 8 ? 4 : 3;
  };
  const key = (code) => (63 - (code & 63)) << 10 | (63 - (code >> 6 & 63)) << 3 | 7 - (code >> 12);
  return [...codes].sort((one, other) => rank(one) - rank(other) || key(one) - key(other));
}

/** @param {number} code @returns {string} */
export function uciOf(code) {
  return squareName(code & 63) + squareName(code >> 6 & 63) + letterOf(code >> 12);
}

function isCastling({ squares, turn }, code) {
  const [from, to] = [code & 63, code >> 6 & 63];
  if ((squares[from] & KIND) !== KING) return false;
  return Math.abs((from & 7) - (to & 7)) > 1 || (squares[to] & SIDED) === (ROOK | turn);
}

/** A legal move in SAN, as python-chess writes it. @param {import("./chess_position.js").Position} position */
export function sanOf(position, code) {
  const settled = settle(position.copy());
  const after = play(settled, code, settled.copy());
  const checked = checkersOf(after).length > 0;
  const mark = checked ? (legalCodes(after).length ? "+" : "#") : "";
  return bareSan(position, code) + mark;
}

function bareSan(position, code) {
  const { squares } = position;
  const [from, to] = [code & 63, code >> 6 & 63];
  if (isCastling(position, code)) return (to & 7) < (from & 7) ? "O-O-O" : "O-O";
  const kind = squares[from] & KIND;
  const capture = squares[to] !== 0 || isPassant(position, code);
  const promotion = code >> 12 ? `=${letterOf(code >> 12 | WHITE)}` : "";
  const end = `${capture ? "x" : ""}${squareName(to)}${promotion}`;
  if (kind === PAWN) return (capture ? squareName(from)[0] : "") + end;
  return letterOf(kind | WHITE) + distinction(position, code) + end;
}

/** File or rank or both of the square that is left, where other pieces of the kind may go to the same square. */
function distinction(position, code) {
  const { squares } = position;
  const [from, to] = [code & 63, code >> 6 & 63];
  const others = legalCodes(position).filter((other) => (other >> 6 & 63) === to && (other & 63) !== from
    && (squares[other & 63] & KIND) === (squares[from] & KIND) && !isCastling(position, other)).map((other) => other & 63);
  if (!others.length) return "";
  const sameRank = others.some((other) => other >> 3 === from >> 3);
  const sameFile = others.some((other) => (other & 7) === (from & 7));
  const [file, rank] = squareName(from);
  return (sameRank || !sameFile ? file : "") + (sameFile ? rank : "");
}

/**
 * The FEN after a legal move, as python-chess writes it; "~" where the FEN before has some.
 * @param {import("./chess_fen.js").ReadFen} read @param {number} code @returns {string}
 */
export function fenAfter({ text, position, halfmoves, number }, code) {
  const { squares, turn } = position;
  const [from, to] = [code & 63, code >> 6 & 63];
  const pawn = [from, to].some((square) => (squares[square] & KIND) === PAWN);
  const capture = squares[to] !== 0 && (squares[to] & WHITE) !== turn;
  const settled = settle(position.copy());
  const after = play(settled, code, settled.copy());
  return `${positionText(after, text.includes("~"))} ${pawn || capture ? 0n : halfmoves + 1n} ${turn ? number : number + 1n}`;
}
