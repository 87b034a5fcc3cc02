// A hand inside: which pieces of a written board can be replaced or moved, and what that intends along the game. Pure
// functions. A hand is {at, ply, square, to, former, other}: after ply `at` the piece `former`, which the model writes on
// a square and which the move of `ply` brought, is replaced by `other` there, or moved `to` another square as it is.

import { formatFen, movePiece, parseFen, pieceName, putPiece } from "../board/board_model.js";
import { moveNumber } from "../game/tracker_places.js";

/** The pieces that can be put, in the order of a tray. */
export const HAND_PIECES = "QRBNPqrbnp";
const HAND_TEXT = /^(\d+)-(\d+)-([a-h][1-8])-([a-h][1-8])-([QRBNP])-([QRBNP])$/i;

const isWhite = (piece) => piece === piece.toUpperCase();

/** Whether a hand moves its piece, or replaces it. */
export function isMove({ square, to }) {
  return square !== to;
}

/** The ply of the last move that ended on a square, up to a ply; null if none did since a move began there. */
export function plyThatBrought(stops, ply, square) {
  for (let at = ply; at > 0; at -= 1) {
    if (stops[at].uci.slice(2, 4) === square) return at;
    if (stops[at].uci.slice(0, 2) === square) return null;
  }
  return null;
}

/** The move of a ply, such as "5... Nf6". @param {{ply: number, san: string}} stop */
export function moveOfPly({ ply, san }) {
  return `${moveNumber(ply)} ${san}`;
}

/** A board as a hand intends it. @param {string} fen The true one. @returns {string} */
export function boardIntended(fen, { square, to, other }) {
  return formatFen(putPiece(movePiece(parseFen(fen), square, to), to, other));
}

/** The ply that brought a piece, and what the model writes there; or in words why it cannot be replaced or moved. */
function pieceInHand(stops, at, written, square) {
  const truth = parseFen(stops[at].fen).pieces[square];
  const former = parseFen(written).pieces[square];
  const ply = plyThatBrought(stops, at, square);
  if (!truth) return { refusal: `${square} is empty in truth: no move's state says what stands there.` };
  if (truth.toLowerCase() === "k") return { refusal: "Kings are neither replaced nor moved." };
  if (ply === null) return { refusal: `No move of this game ended on ${square}: the ${pieceName(truth)} is there since the start, or by castling. A hand needs the state of the move that brought a piece.` };
  if (!former) return { refusal: `The model writes nothing on ${square}: there is no piece to replace or move.` };
  if (isWhite(former) !== isWhite(truth) || former.toLowerCase() === "k") return { refusal: `The model writes a ${pieceName(former)} on ${square}, where a ${pieceName(truth)} stands: that piece can be neither replaced nor moved.` };
  return { ply, former };
}

/**
 * The hand that is meant by a piece that is put or moved, or in words why there can be none.
 * @param {{stops: Object[], at: number, written: string, canArise: (fen: string) => boolean}} game Its stops, the ply at which the hand
 *   acts, the FEN that the model writes there without a hand, and whether a board can arise in chess.
 * @param {{square: string, piece: string}|{square: string, to: string}} meant
 * @returns {{hand: Object}|{refusal: string}}
 */
export function handOf({ stops, at, written, canArise }, { square, to = square, piece = null }) {
  const { refusal, ply, former } = pieceInHand(stops, at, written, square);
  if (refusal) return { refusal };
  const hand = { at, ply, square, to, former, other: piece ?? former };
  const refuse = (words) => ({ refusal: words });
  if (isMove(hand)) {
    const there = parseFen(stops[at].fen).pieces[to] ?? parseFen(written).pieces[to];
    if (there) return refuse(`On ${to} is a ${pieceName(there)}: a piece can only be moved to an empty square.`);
  } else {
    if (hand.other.toLowerCase() === "k") return refuse("Kings are neither replaced nor moved.");
    if (isWhite(hand.other) !== isWhite(former)) return refuse(`On ${square} is a ${pieceName(former)}: only a piece of the same colour can take its place.`);
    if (hand.other === former) return refuse(`The model writes a ${pieceName(former)} on ${square} already.`);
  }
  if (!canArise(boardIntended(stops[at].fen, hand))) return refuse(`With a ${pieceName(hand.other)} on ${to} this board could not arise in chess.`);
  return { hand };
}

/**
 * The hand after each ply of the game, on the squares on which its piece is then: one that was replaced moves on, one that was
 * moved is followed while both squares stay as they were. Null before its ply, and once nothing is intended any more.
 * @returns {Array<Object|null>} By ply.
 */
export function handByPly(hand, stops) {
  let now = null;
  return stops.map(({ ply, fen, uci }) => {
    if (ply < hand.ply) return null;
    const pieces = parseFen(fen).pieces;
    const there = ({ square, to }) => [square, to].map((each) => pieces[each]).join();
    if (ply === hand.ply) now = { ...hand, truth: there(hand) };
    else if (now) {
      const [from, to] = [uci.slice(0, 2), uci.slice(2, 4)];
      const { square } = now;
      if (from === square && !isMove(hand)) now = { ...now, square: to, to };
      if (to === square || there(now) !== now.truth) now = null;
    }
    return now;
  });
}

/** A hand as a link holds it. */
export function handText({ at, ply, square, to, former, other }) {
  return [at, ply, square, to, former, other].join("-");
}

/** The hand of a link to a game, or null if it is none. @param {string} text @param {Object[]} stops */
export function handOfText(text, stops) {
  const read = HAND_TEXT.exec(text);
  if (!read) return null;
  const [, at, ply, square, to, former, other] = read;
  const hand = { at: Number(at), ply: Number(ply), square, to, former, other };
  if (hand.at >= stops.length || plyThatBrought(stops, hand.at, square) !== hand.ply || (former === other) !== isMove(hand)) return null;
  const pieces = parseFen(stops[hand.at].fen).pieces;
  const own = pieces[square] && pieces[square].toLowerCase() !== "k" && [former, other].every((piece) => isWhite(piece) === isWhite(pieces[square]));
  return own && (!isMove(hand) || !pieces[to]) ? hand : null;
}
