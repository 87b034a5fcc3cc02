// Why a board cannot arise in chess: the flags of python-chess's `Board.status`, and how a game has ended.

import { NEIGHBOURS, NONE, SQUARES, directionOf } from "./chess_squares.js";
import {
  KIND, KING, PAWN, SIDED, WHITE, attackersOf, checkersOf, cleanRights, isAttacked, kingOf,
} from "./chess_position.js";
import { legalCodes } from "./move_names.js";

const MOST_PAWNS = 8;
const MOST_PIECES = 16;

/** @param {import("./chess_position.js").Position} position As it was read. @returns {string[]} In python-chess's order. */
export function statusFlags(position) {
  const { squares, turn } = position;
  const count = (matches) => squares.reduce((sum, piece, square) => sum + (piece !== 0 && matches(piece, square)), 0);
  const ofSide = (side) => (piece) => (piece & WHITE) === side;
  const kings = (side) => count((piece) => (piece & SIDED) === (KING | side));
  const pawns = (side) => count((piece) => (piece & SIDED) === (PAWN | side));
  const passant = validPassant(position);
  const checkers = checkersOf(position);
  const other = kingOf(position, turn ^ WHITE);
  const found = {
    NO_WHITE_KING: !kings(WHITE),
    NO_BLACK_KING: !kings(0),
    TOO_MANY_KINGS: kings(WHITE) + kings(0) > 2,
    TOO_MANY_WHITE_PAWNS: pawns(WHITE) > MOST_PAWNS,
    TOO_MANY_BLACK_PAWNS: pawns(0) > MOST_PAWNS,
    PAWNS_ON_BACKRANK: count((piece, square) => (piece & KIND) === PAWN && (square < 8 || square > 55)) > 0,
    TOO_MANY_WHITE_PIECES: count(ofSide(WHITE)) > MOST_PIECES,
    TOO_MANY_BLACK_PIECES: count(ofSide(0)) > MOST_PIECES,
    BAD_CASTLING_RIGHTS: position.rights !== cleanRights(position),
    INVALID_EP_SQUARE: position.passant !== passant,
    OPPOSITE_CHECK: other >= 0 && isAttacked(squares, other, turn),
    EMPTY: !count(() => true),
    TOO_MANY_CHECKERS: checkers.length > 2,
    IMPOSSIBLE_CHECK: checkers.length > 0 && isImpossible(position, passant, checkers),
  };
  return Object.keys(found).filter((name) => found[name]);
}

/** The en-passant square if a pawn can just have passed it, else -1. */
function validPassant({ squares, turn, passant }) {
  if (passant <= 0 || passant >> 3 !== (turn ? 5 : 2)) return -1;
  const forward = turn ? 8 : -8;
  const pawn = (squares[passant - forward] & SIDED) === (PAWN | (turn ^ WHITE));
  return pawn && !squares[passant] && !squares[passant + forward] ? passant : -1;
}

function isImpossible({ squares, turn }, passant, checkers) {
  const enemy = turn ^ WHITE;
  const kings = SQUARES.filter((square) => squares[square] === (KING | turn));
  if (passant >= 0) {
    const pushedTo = passant ^ 8;
    if (checkers.length > 1) return true;
    return checkers[0] !== pushedTo && attackedBefore(squares, kings, enemy, pushedTo, passant ^ 24);
  }
  if (checkers.length !== 2) return checkers.length > 2;
  const [low, high] = [...checkers].sort((one, two) => one - two);
  const direction = directionOf(low, high);
  return kings.some((king) => onLine(low, direction, king));
}

/** Whether a king was attacked before a pawn went two squares; the pawn itself counts where it stands now. */
function attackedBefore(squares, kings, enemy, pushedTo, pushedFrom) {
  const before = squares.slice();
  before[pushedFrom] = squares[pushedTo];
  before[pushedTo] = 0;
  return kings.some((king) => isAttacked(before, king, enemy) || attackersOf(squares, king, enemy).includes(pushedTo));
}

function onLine(from, direction, square) {
  for (const way of direction === NONE ? [] : [direction, direction ^ 4]) {
    for (let at = from; at < 64; at = NEIGHBOURS[8 * at + way]) if (at === square) return true;
  }
  return false;
}

/** How a game has ended on a board without legal moves; "" if it goes on. */
export function endingOf(position) {
  if (legalCodes(position).length) return "";
  return checkersOf(position).length ? "checkmate" : "stalemate";
}

/** The same in a sentence. */
export function endingWords(position) {
  const [winner, loser] = position.turn ? ["Black", "White"] : ["White", "Black"];
  return { "": "", checkmate: `Checkmate: ${winner} has won.`, stalemate: `Stalemate: ${loser} has no legal move, a draw.` }[endingOf(position)];
}

/** On which of two boards the game is over, and how; null is no board. */
export function whereOver(ofTrue, ofPredicted) {
  const [inTruth, predicted] = [ofTrue, ofPredicted].map((position) => (position ? endingOf(position) : ""));
  if (inTruth && inTruth === predicted) return `the game is over on both boards (${inTruth})`;
  const over = [["true", inTruth], ["predicted", predicted]].filter(([, ending]) => ending).map(([name, ending]) => `on the ${name} board (${ending})`);
  return over.length ? `the game is over ${over.join(" and ")}` : "";
}
