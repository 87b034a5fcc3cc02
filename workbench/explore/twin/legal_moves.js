// The legal moves of a position, exactly those that python-chess 1.11 generates; the twin of
// environments/chess/kernel/moves.py, and of python-chess itself where a king is promoted. A move is a code:
// from + 64 * to + 4096 * promotion, the promotion as python-chess numbers pieces, 0 for none.

import {
  ALONG_FILE, ALONG_RANK, LEAPS_TO, LEAP_STARTS, NEIGHBOURS, NONE, RAYS, RAY_STARTS, directionOf, stepTo,
} from "./chess_squares.js";
import {
  BISHOP, KIND, KING, KNIGHT, PAWN, QUEEN, ROOK, SIDED, WHITE, cleanRights, isAttacked, kingOf, reaches,
} from "./chess_position.js";

/** In place of a king: no check binds, and every pseudo-legal move is found. */
export const NO_KING = -1;
/** More than any board permits; see MOST_MOVES of the kernel. */
export const MOST_MOVES = 1792;

/** For each square the line on which a piece there is pinned to the king, or NONE. */
const pins = new Uint8Array(64).fill(NONE);
/** While in check, 1 for each square on which a move of another piece than the king ends it. */
const allowed = new Uint8Array(64).fill(1);
const everywhere = new Uint8Array(64).fill(1);

/** The king that must not stand in check: on the highest square, promoted or not; -1 if there is none. */
export function checkedKing({ squares, turn }) {
  for (let square = 63; square >= 0; square -= 1) if ((squares[square] & SIDED) === (KING | turn)) return square;
  return -1;
}

/**
 * Write the legal moves.
 * @param {import("./chess_position.js").Position} position With castling rights as they are or cleaned.
 * @param {Uint16Array} codes Overwritten from its start; of length MOST_MOVES.
 * @param {number} king The king that must not stand in check; NO_KING for none.
 * @returns {number} How many there are.
 */
export function legalMoves(position, codes, king = checkedKing(position)) {
  const { squares, turn } = position;
  const enemy = turn ^ WHITE;
  let count = 0;
  let checkers = 0;
  let checker = NONE;
  let sliding = 0;
  let goals = everywhere;
  pins.fill(NONE);
  if (king >= 0) {
    for (let direction = 0; direction < 8; direction += 1) {
      const first = RAY_STARTS[8 * king + direction];
      const last = RAY_STARTS[8 * king + direction + 1];
      let between = NONE;
      for (let index = first; index < last; index += 1) {
        const square = RAYS[index];
        const piece = squares[square];
        if (!piece) continue;
        if ((piece & WHITE) === turn) {
          if (between !== NONE) break;
          between = square;
          continue;
        }
        const kind = piece & KIND;
        const slides = kind === QUEEN || kind === (direction & 1 ? BISHOP : ROOK);
        if (between === NONE) {
          if (reaches(kind, direction, enemy, index === first)) {
            checkers += 1;
            checker = square;
            if (slides) sliding |= 1 << direction;
          }
        } else if (slides) pins[between] = direction & 3;
        break;
      }
    }
    for (let index = LEAP_STARTS[king]; index < LEAP_STARTS[king + 1]; index += 1) {
      if ((squares[LEAPS_TO[index]] & SIDED) === (KNIGHT | enemy)) {
        checkers += 1;
        checker = LEAPS_TO[index];
      }
    }
    for (let direction = 0; direction < 8; direction += 1) {
      const to = NEIGHBOURS[8 * king + direction];
      if (to === NONE || (squares[to] && (squares[to] & WHITE) === turn)) continue;
      // A slider that gives check also sees through the king; it may itself be taken.
      if (sliding >> (direction ^ 4) & 1 || (sliding >> direction & 1 && !squares[to])) continue;
      if (!isAttacked(squares, to, enemy)) codes[count++] = king | to << 6;
    }
    if (checkers > 1) return count;
    if (checkers) {
      goals = allowed;
      goals.fill(0);
      goals[checker] = 1;
      if (sliding) {
        const step = stepTo(king, checker);
        for (let square = king + step; square !== checker; square += step) goals[square] = 1;
      }
    }
  }
  for (let square = 0; square < 64; square += 1) {
    const piece = squares[square];
    if (!piece || (piece & WHITE) !== turn || square === king) continue;
    const kind = piece & KIND;
    const pin = pins[square];
    if (kind === PAWN) count = pawnMoves(position, square, pin, goals, codes, count);
    else if (kind === KNIGHT) {
      if (pin !== NONE) continue;
      for (let index = LEAP_STARTS[square]; index < LEAP_STARTS[square + 1]; index += 1) {
        const to = LEAPS_TO[index];
        if (goals[to] && !(squares[to] && (squares[to] & WHITE) === turn)) codes[count++] = square | to << 6;
      }
    } else if (kind !== KING || !checkers) {
      const step = kind === BISHOP || kind === ROOK ? 2 : 1;
      for (let direction = kind === BISHOP ? 1 : 0; direction < 8; direction += step) {
        if (pin !== NONE && pin !== (direction & 3)) continue;
        const first = RAY_STARTS[8 * square + direction];
        const last = kind === KING ? Math.min(first + 1, RAY_STARTS[8 * square + direction + 1]) : RAY_STARTS[8 * square + direction + 1];
        for (let index = first; index < last; index += 1) {
          const to = RAYS[index];
          const there = squares[to];
          if (there && (there & WHITE) === turn) break;
          if (goals[to]) codes[count++] = square | to << 6;
          if (there) break;
        }
      }
    }
  }
  if (!checkers && position.rights) count = castlingMoves(position, king, codes, count);
  if (position.passant > 0) count = passantMoves(position, king, checker, codes, count);
  return count;
}

function pawnMoves({ squares, turn }, square, pin, goals, codes, before) {
  let count = before;
  const forward = turn ? 8 : -8;
  const one = square + forward;
  if (one >= 0 && one < 64 && !squares[one] && (pin === NONE || pin === ALONG_FILE)) {
    if (goals[one]) count = pawnMove(square, one, codes, count);
    const two = one + forward;
    const rank = two >> 3;
    // A pawn on its first rank may go two squares as well.
    if ((turn ? rank === 2 || rank === 3 : rank === 5 || rank === 4) && !squares[two] && goals[two]) codes[count++] = square | two << 6;
  }
  for (let direction = turn ? 1 : 3; direction < 8; direction += turn ? 6 : 2) {
    if (direction === 7 && !turn) break;
    const to = NEIGHBOURS[8 * square + direction];
    if (to === NONE || !squares[to] || (squares[to] & WHITE) === turn || !goals[to]) continue;
    if (pin === NONE || pin === (direction & 3)) count = pawnMove(square, to, codes, count);
  }
  return count;
}

function pawnMove(square, to, codes, before) {
  let count = before;
  if (to > 7 && to < 56) codes[count++] = square | to << 6;
  else for (let promotion = KNIGHT; promotion <= QUEEN; promotion += 1) codes[count++] = square | to << 6 | promotion << 12;
  return count;
}

/** The king on the lowest square of the back rank castles; where it is not on e1 or e8 it is written as taking its rook. */
function castlingMoves(position, checked, codes, before) {
  const { squares, turn } = position;
  const rank = turn ? 0 : 56;
  const rights = cleanRights(position) >> (turn ? 0 : 8) & 0xff;
  let count = before;
  if (!rights) return count;
  let king = rank;
  while (squares[king] !== (KING | turn)) king += 1;
  if (king !== checked && pins[king] !== NONE && pins[king] !== ALONG_RANK) return count;
  for (let file = 0; file < 8; file += 7) {
    const rook = rank + file;
    if (!(rights >> file & 1)) continue;
    const kingTo = rank + (rook < king ? 2 : 6);
    const rookTo = rank + (rook < king ? 3 : 5);
    if (isFree(squares, king, kingTo, king, rook) && isFree(squares, rook, rookTo, king, rook)
      && !attackedOnTheWay(squares, turn, king, rook, kingTo, rookTo)) codes[count++] = king | (king === rank + 4 ? kingTo : rook) << 6;
  }
  return count;
}

/** Whether no other piece than these two stands on the way from one square of a rank to another, both included. */
function isFree(squares, from, to, king, rook) {
  for (let square = Math.min(from, to); square <= Math.max(from, to); square += 1) {
    if (squares[square] && square !== king && square !== rook) return false;
  }
  return true;
}

/** Whether the king is attacked where it stands or passes, itself taken off, or where it arrives, with the rook in its place. */
function attackedOnTheWay(squares, turn, king, rook, kingTo, rookTo) {
  const enemy = turn ^ WHITE;
  const step = Math.sign(kingTo - king);
  const [ofKing, ofRook] = [squares[king], squares[rook]];
  squares[king] = 0;
  let found = isAttacked(squares, king, enemy);
  for (let square = king + step; step && square !== kingTo && !found; square += step) found = isAttacked(squares, square, enemy);
  if (!found) {
    squares[rook] = 0;
    const there = squares[rookTo];
    squares[rookTo] = ROOK | turn;
    found = isAttacked(squares, kingTo, enemy);
    squares[rookTo] = there;
    squares[rook] = ofRook;
  }
  squares[king] = ofKing;
  return found;
}

function passantMoves(position, king, checker, codes, before) {
  const { squares, turn, passant } = position;
  let count = before;
  if (squares[passant] || passant >> 3 !== (turn ? 5 : 2)) return count;
  const removed = passant + (turn ? -8 : 8);
  if (checker !== NONE && !allowed[passant] && removed !== checker) return count;
  for (const direction of turn ? [3, 5] : [1, 7]) {
    const from = NEIGHBOURS[8 * passant + direction];
    if (from === NONE || (squares[from] & SIDED) !== (PAWN | turn)) continue;
    if (king < 0 || (!leavesPin(position, from, direction & 3) && !isSkewered(position, king, from, removed))) codes[count++] = from | passant << 6;
  }
  return count;
}

/** Whether python-chess's `pin_mask`, which knows no promoted king, forbids a pawn to move on this line. */
function leavesPin(position, from, line) {
  const { squares, turn } = position;
  const king = kingOf(position, turn);
  const direction = king < 0 ? NONE : directionOf(king, from);
  if (direction === NONE || (direction & 3) === line) return false;
  const step = stepTo(king, from);
  for (let square = king + step; square !== from; square += step) if (squares[square]) return false;
  for (let index = RAY_STARTS[8 * from + direction]; index < RAY_STARTS[8 * from + direction + 1]; index += 1) {
    const piece = squares[RAYS[index]];
    if (piece) return (piece & WHITE) !== turn && reaches(piece & KIND, direction, turn ^ WHITE, false);
  }
  return false;
}

/** Whether the king is seen along its rank or a diagonal, files left out, once both pawns are off their squares. */
function isSkewered({ squares, turn, passant }, king, capturer, removed) {
  for (const direction of [1, 2, 3, 5, 6, 7]) {
    for (let index = RAY_STARTS[8 * king + direction]; index < RAY_STARTS[8 * king + direction + 1]; index += 1) {
      const square = RAYS[index];
      const piece = squares[square];
      // What stands on the square of the removed pawn, perhaps a rook, still counts as an attacker.
      if (piece && (piece & WHITE) !== turn && reaches(piece & KIND, direction, turn ^ WHITE, false)) return true;
      if (square === passant || (piece && square !== removed && square !== capturer)) break;
    }
  }
  return false;
}
