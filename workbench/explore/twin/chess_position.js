// A position of chess as the twin has it, and what python-chess asks of one. Any board that has a FEN
// is one, well-formed or not.

import { LEAPS_TO, LEAP_STARTS, NEIGHBOURS, RAYS, RAY_STARTS } from "./chess_squares.js";

/** A piece is its kind, plus WHITE for White's, plus PROMOTED where the FEN has "~"; 0 is no piece. */
export const PAWN = 1;
export const KNIGHT = 2;
export const BISHOP = 3;
export const ROOK = 4;
export const QUEEN = 5;
export const KING = 6;
export const WHITE = 8;
export const PROMOTED = 16;
/** Of the bits of a piece those of its kind and of its side. */
export const KIND = 7;
export const SIDED = 15;

const E_FILE = 4;
const CORNERS = 0x81;

export class Position {
  constructor() {
    this.squares = new Uint8Array(64);
    /** WHITE or 0. */
    this.turn = WHITE;
    /** Bit f for the rook on file f of rank 1, bit 8 + f for that of rank 8, as python-chess reads them. */
    this.rights = 0;
    /** The en-passant square as it is written, or -1. */
    this.passant = -1;
    /** 64 bits of all that moves depend on: see `settle`. */
    this.low = 0;
    this.high = 0;
  }

  /** @param {Position} other @returns {Position} This one, which is now as the other. */
  take(other) {
    this.squares.set(other.squares);
    this.turn = other.turn;
    this.rights = other.rights;
    this.passant = other.passant;
    this.low = other.low;
    this.high = other.high;
    return this;
  }

  /** @returns {Position} */
  copy() {
    return new Position().take(this);
  }
}

/** The king of a side that python-chess's `king` names: the one on the highest square that is not promoted; -1 if none. */
export function kingOf({ squares }, side) {
  for (let square = 63; square >= 0; square -= 1) if (squares[square] === (KING | side)) return square;
  return -1;
}

/** The squares of all pieces that give check to a square, as `attackers_mask` finds them. @returns {number[]} */
export function attackersOf(squares, square, side) {
  const found = [];
  for (let direction = 0; direction < 8; direction += 1) {
    const last = RAY_STARTS[8 * square + direction + 1];
    for (let index = RAY_STARTS[8 * square + direction]; index < last; index += 1) {
      const at = RAYS[index];
      const piece = squares[at];
      if (!piece) continue;
      if ((piece & WHITE) === side && reaches(piece & KIND, direction, side, index === RAY_STARTS[8 * square + direction])) found.push(at);
      break;
    }
  }
  for (let index = LEAP_STARTS[square]; index < LEAP_STARTS[square + 1]; index += 1) {
    if ((squares[LEAPS_TO[index]] & SIDED) === (KNIGHT | side)) found.push(LEAPS_TO[index]);
  }
  return found;
}

/** Whether a side's piece of this kind, the first one in this direction, attacks from there; nearest if it is the neighbour. */
export function reaches(kind, direction, side, nearest) {
  if (kind === QUEEN || kind === (direction & 1 ? BISHOP : ROOK)) return true;
  if (!nearest) return false;
  if (kind === KING) return true;
  // A white pawn attacks from below, a black one from above.
  return kind === PAWN && (side ? direction === 3 || direction === 5 : direction === 1 || direction === 7);
}

/** Whether a side attacks a square: `attackersOf` without the list. */
export function isAttacked(squares, square, side) {
  for (let direction = 0; direction < 8; direction += 1) {
    const first = RAY_STARTS[8 * square + direction];
    const last = RAY_STARTS[8 * square + direction + 1];
    for (let index = first; index < last; index += 1) {
      const piece = squares[RAYS[index]];
      if (!piece) continue;
      if ((piece & WHITE) === side && reaches(piece & KIND, direction, side, index === first)) return true;
      break;
    }
  }
  for (let index = LEAP_STARTS[square]; index < LEAP_STARTS[square + 1]; index += 1) {
    if ((squares[LEAPS_TO[index]] & SIDED) === (KNIGHT | side)) return true;
  }
  return false;
}

/** The pieces that give check to the side to move: python-chess's `checkers`. @returns {number[]} */
export function checkersOf(position) {
  const king = kingOf(position, position.turn);
  return king < 0 ? [] : attackersOf(position.squares, king, position.turn ^ WHITE);
}

/** The castling rights that have an effect: king on e1 or e8, rook in a corner. */
export function cleanRights({ squares, rights }) {
  return rights & (CORNERS | CORNERS << 8) ? cleanOnRank(squares, rights, WHITE, 0) | cleanOnRank(squares, rights >> 8, 0, 56) << 8 : 0;
}

function cleanOnRank(squares, rights, side, rank) {
  if (squares[rank + E_FILE] !== (KING | side)) return 0;
  const aSide = (squares[rank] & SIDED) === (ROOK | side) ? 1 : 0;
  const hSide = (squares[rank + 7] & SIDED) === (ROOK | side) ? 0x80 : 0;
  return rights & (aSide | hSide);
}

/** The en-passant square if a pawn of the side to move stands where it could capture onto it, else -1. */
export function capturablePassant({ squares, turn, passant }) {
  if (passant < 0 || passant >> 3 !== (turn ? 5 : 2) || squares[passant]) return -1;
  const below = turn ? 3 : 1;
  for (const direction of [below, below + (turn ? 2 : 6)]) {
    const from = NEIGHBOURS[8 * passant + direction];
    if (from < 64 && (squares[from] & SIDED) === (PAWN | turn)) return passant;
  }
  return -1;
}

/** Words for each piece on each square, then of rights, en-passant square and turn: a counter through the finaliser of MurmurHash3. */
const WORDS = randomWords(2 * (64 * 32 + (1 << 16) + 64 + 1));
const OF_RIGHTS = 2 * 64 * 32;
const OF_PASSANT = OF_RIGHTS + 2 * (1 << 16);
const OF_WHITE = OF_PASSANT + 2 * 64;

function randomWords(count) {
  const words = new Int32Array(count);
  let state = 20250819;
  for (let index = 0; index < count; index += 1) {
    state = state + 0x9e3779b9 | 0;
    const half = Math.imul(state ^ state >>> 16, 0x85ebca6b);
    const whole = Math.imul(half ^ half >>> 13, 0xc2b2ae35);
    words[index] = whole ^ whole >>> 16;
  }
  return words;
}

/** Where the words of a piece on a square begin; that a piece is promoted matters for kings alone. */
function wordsOfPiece(square, piece) {
  return 2 * (32 * square + ((piece & KIND) === KING ? piece : piece & SIDED));
}

/** Put a piece, or none, on a square. @param {Position} position */
export function put(position, square, piece) {
  const before = position.squares[square];
  if (before) mix(position, wordsOfPiece(square, before));
  if (piece) mix(position, wordsOfPiece(square, piece));
  position.squares[square] = piece;
}

function mix(position, at) {
  position.low ^= WORDS[at];
  position.high ^= WORDS[at + 1];
}

/** Mix in, or out again, what is no piece. */
export function mixRest(position) {
  if (position.rights) mix(position, OF_RIGHTS + 2 * position.rights);
  if (position.passant >= 0) mix(position, OF_PASSANT + 2 * position.passant);
  if (position.turn) mix(position, OF_WHITE);
}

/**
 * Leave only the rights and the en-passant square that have an effect, and find the 64 bits. Two settled positions
 * with the same bits permit the same lines; that others share them has a chance of 5e-20 for each two.
 * @param {Position} position @returns {Position} The same.
 */
export function settle(position) {
  position.rights = cleanRights(position);
  position.passant = capturablePassant(position);
  position.low = position.high = 0;
  for (let square = 0; square < 64; square += 1) {
    if (position.squares[square]) mix(position, wordsOfPiece(square, position.squares[square]));
  }
  mixRest(position);
  return position;
}
