// Making a legal move, with the effects of python-chess's `push`; the twin of environments/chess/kernel/moves.py.

import { KIND, KING, PAWN, PROMOTED, ROOK, WHITE, capturablePassant, cleanRights, mixRest, put } from "./chess_position.js";

/** Of the bits of a piece its kind, and that it is promoted. */
const UNPROMOTED = KIND | PROMOTED;

/**
 * Make a legal move.
 * @param {import("./chess_position.js").Position} before Settled.
 * @param {number} code See legal_moves.js.
 * @param {import("./chess_position.js").Position} after Overwritten; another one.
 * @returns {import("./chess_position.js").Position} The second, settled.
 */
export function play(before, code, after) {
  after.take(before);
  mixRest(after);
  const { turn, passant } = before;
  const from = code & 63;
  const to = code >> 6 & 63;
  const piece = before.squares[from];
  const captured = before.squares[to];
  const kind = piece & KIND;
  after.passant = -1;
  after.turn = turn ^ WHITE;
  if (before.rights) after.rights = rightsAfter(before, from, to);
  if (kind === KING && (Math.abs(to - from) === 2 || (captured && (captured & WHITE) === turn))) castle(after, turn, from, to);
  else {
    put(after, from, 0);
    put(after, to, code >> 12 ? code >> 12 | turn | PROMOTED : piece);
    if (kind === PAWN) {
      const step = to - from;
      if (step === 16 && from >> 3 === 1) after.passant = from + 8;
      else if (step === -16 && from >> 3 === 6) after.passant = from - 8;
      else if (to === passant && !captured && step & 7) put(after, to + (turn ? -8 : 8), 0);
    }
  }
  after.passant = capturablePassant(after);
  if (after.rights) after.rights = cleanRights(after);
  mixRest(after);
  return after;
}

function rightsAfter({ squares, rights, turn }, from, to) {
  let left = rights & ~(bitOf(from) | bitOf(to));
  if ((squares[from] & UNPROMOTED) === KING) left &= turn ? 0xff00 : 0xff;
  else if ((squares[to] & UNPROMOTED) === KING && to >> 3 === (turn ? 7 : 0)) left &= turn ? 0xff : 0xff00;
  return left;
}

/** The bit of a corner's right; 0 for squares on other ranks. */
function bitOf(square) {
  if (square < 8) return 1 << square;
  return square > 55 ? 1 << (square - 48) : 0;
}

function castle(after, turn, from, to) {
  const rank = turn ? 0 : 56;
  const aSide = (to & 7) < (from & 7);
  const rook = after.squares[to] ? to : rank + (aSide ? 0 : 7);
  put(after, from, 0);
  put(after, rook, 0);
  put(after, rank + (aSide ? 2 : 6), KING | turn);
  put(after, rank + (aSide ? 3 : 5), ROOK | turn);
}
