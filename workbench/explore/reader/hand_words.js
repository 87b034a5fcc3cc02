// A hand inside, in words: what is intended, what the model writes, whether it lasts, and how often a hand works.

import { parseFen, pieceName } from "../board/board_model.js";
import { probabilityText } from "../page/chart.js";
import { counted } from "./believed_words.js";
import { isMove, moveOfPly } from "./hand_places.js";

/** Of more squares or plies than this the rest is counted. */
const MOST_NAMED = 6;

function named(items) {
  const more = items.length - MOST_NAMED;
  return items.slice(0, MOST_NAMED).join(", ") + (more > 0 ? ` and ${more} more` : "");
}

const articled = (piece) => (piece ? `a ${pieceName(piece)}` : "nothing");

/** What a hand wants. @param {Object} hand See hand_places.js. @param {Object[]} stops @param {string} model */
export function intentInWords(hand, stops, model) {
  const { ply, square, to, former, other } = hand;
  const meant = isMove(hand) ? `the ${pieceName(other)} of ${square} on ${to}` : `${articled(other)} on ${square} in place of the ${pieceName(former)}`;
  return `A hand inside: ${meant}. It changes one hidden state of ${model}, that after ${moveOfPly(stops[ply])} (ply ${ply}).`;
}

/**
 * What a reply has on the squares of a hand; null if nothing is intended at its ply.
 * @param {Object|null} now The hand after its ply, see handByPly. @param {Object} reply
 * @returns {{square: string, to: string, there: string|null, left: string|null, held: boolean}|null} Pieces, "" for none, null without a board.
 */
export function outcomeOf(now, reply) {
  if (!now) return null;
  const { square, to } = now;
  const [left, there] = [square, to].map((each) => (reply.on_board ? parseFen(reply.predicted_fen).pieces[each] ?? "" : null));
  return { square, to, there, left, held: there === now.other && (!isMove(now) || left === "") };
}

/** Say what the model writes after a ply. @param {Array<Object|null>} course See handByPly. @param {Object|undefined} reply With the hand. @param {Object|undefined} plain Without. */
export function outcomeInWords(hand, course, ply, reply, plain, depth) {
  if (ply < hand.ply) return `Ply ${ply} is before the changed state: here the hand changes nothing.`;
  if (!reply) return `Ply ${ply}: the model still reads …`;
  const outcome = outcomeOf(course[ply], reply);
  if (!outcome) return `Ply ${ply}: the piece has moved on, or is taken or promoted, so that nothing is intended any more. ${otherSquares(reply, plain, [])}`;
  const { square, to, there, left, held } = outcome;
  const written = isMove(hand) ? `it writes ${articled(there)} on ${to} and ${articled(left)} on ${square}` : `it writes ${articled(there)} on ${to}`;
  const said = there === null ? "it writes no board that can be read" : held ? `${written}, as intended` : `${written}, not as intended`;
  return `Ply ${ply}: ${said}. ${otherSquares(reply, plain, [square, to])} ${numbersInWords(reply, plain, depth)}`.trim();
}

function otherSquares(reply, plain, meant) {
  if (!reply.on_board || !plain?.on_board) return "";
  const [now, before] = [reply, plain].map(({ predicted_fen: fen }) => parseFen(fen).pieces);
  const changed = [...new Set([...Object.keys(now), ...Object.keys(before)])].filter((square) => !meant.includes(square) && now[square] !== before[square]).sort();
  return changed.length ? `${counted(changed.length, "other square")} ${changed.length > 1 ? "change" : "changes"}: ${named(changed)}.` : "No other square changes.";
}

function numbersInWords(reply, plain, depth) {
  const value = (values) => (values[depth - 1] === null ? "not defined" : probabilityText(values[depth - 1]));
  const against = reply.intended ? value(reply.intended.precision) : "not defined, as that board cannot arise";
  const before = plain ? ` (without the hand ${value(plain.precision)})` : "";
  return `p_${depth} against the true board is ${value(reply.precision)}${before}, against the intended board ${against}.`;
}

/** Say how long a belief lasts. @param {Array<Object|null>} course See handByPly. @param {Object[]} replies With the hand, by rising ply. */
export function courseInWords(hand, course, replies) {
  const outcomes = replies.filter(({ ply }) => ply >= hand.ply).map((reply) => ({ ply: reply.ply, outcome: outcomeOf(course[reply.ply], reply) }));
  const asked = outcomes.filter(({ outcome }) => outcome);
  if (asked.length === 0) return "";
  const lost = asked.filter(({ outcome }) => !outcome.held).map(({ ply }) => ply);
  const last = asked.at(-1).ply;
  const span = asked.length === 1 ? `After ply ${last}` : `From ply ${asked[0].ply} to ${last}`;
  const after = lost.length === 0 ? "every time" : `${asked.length - lost.length} of ${asked.length} times; not after ${lost.length === 1 ? "ply" : "plies"} ${named(lost)}`;
  const gone = outcomes.find(({ outcome, ply }) => !outcome && ply > last);
  return `${span} it writes what is intended ${after}.${gone ? ` From ply ${gone.ply} on nothing is intended any more.` : ""}`;
}

/** Say what a model that names moves would play. */
export function playInWords(reply, plain) {
  if (!reply?.next) return "";
  const one = ({ uci, probability }) => `${uci} (${probabilityText(probability)})`;
  return `It would play ${one(reply.next)}${plain?.next ? `; without the hand ${one(plain.next)}` : ""}.`;
}

/** Say how often a hand works. @param {{piece: Object, square: Object}} hands Each with trials, see hand_trials.summary. @param {string} model */
export function rateInWords({ piece, square }, model) {
  const share = (value) => (value === null ? "an unknown share" : `${Math.round(100 * value)}%`);
  const one = (verb, { done, intended, low, high, clean, later, later_plies: plies, later_sites: sites, wrong_ply: wrong, random_direction: random }) =>
    `A piece ${verb}, in ${done} games: ${model} writes what is intended in ${share(intended)}${low === null ? "" : ` (95%: ${share(low)} to ${share(high)})`}, with no other change in ${share(clean)}; with the same change at a wrong ply in ${share(wrong)}, with a random one of its size in ${share(random)}; ${plies} plies later in ${share(later)} of the ${sites} boards on which the piece still stands.`;
  return {
    short: `A hand does not always work: a replaced piece is written as intended in ${share(piece.trials.intended)} of trials, a moved one in ${share(square.trials.intended)}.`,
    long: `${one("is replaced", piece.trials)} ${one("is moved", square.trials)} Layer and strength were chosen, and these shares measured, on games of self-play that are neither in the training nor on this page.`,
  };
}
