// Facts about one reply: pure functions, no page.

import { probabilityText } from "../page/chart.js";
import { QUANTITIES } from "../page/quantities.js";
import { distanceInWords } from "./tracker_places.js";

/** Describe the differences of the two FENs. */
export function differenceInWords(reply) {
  if (reply.exact_match) return "nothing";
  if (reply.predicted_fen === null) return "everything: there is no FEN";
  if (reply.wrong_fields.length === 0) return "what follows the six fields";
  const count = reply.different.length;
  const squares = count ? ` (${count} ${count === 1 ? "square" : "squares"})` : "";
  return reply.wrong_fields.map((words) => (words === "pieces" ? `pieces${squares}` : words)).join(", ");
}

/** Return whose turn it is, in words; a FEN without it is read as python-chess reads it. */
export function turnInWords(fen) {
  const turn = fen.trim().split(/\s+/)[1];
  return turn === undefined ? "White to move (default)" : turn === "b" ? "Black to move" : "White to move";
}

/** Write how a number changes since the reply before; empty where it does not, or there is none. */
export function stepInWords(now, before) {
  if (before === null || now === null || now === before) return "";
  return `${now > before ? "+" : "−"}${Math.abs(now - before).toFixed(4)}`;
}

/**
 * Return the facts of a reply: a name, its words, the value behind, whether it is one of the numbers that
 * stand first, how it changes since the reply before, and whether it is announced.
 * @param {Object} reply As Python sends it. @param {number} depth m. @param {Object|null} [before] The reply before it.
 * @returns {Array<{fact: string, name: string, words: string, value: *, first: boolean, step: string, spoken: boolean}>}
 */
export function factsOf(reply, depth, before = null) {
  const at = (measure, one) => (one === null ? null : one[measure][depth - 1]);
  const number = (fact, name, words, value, last) => ({ fact, name, words, value, first: true, step: stepInWords(value, last), spoken: true });
  const measure = (fact, name) => number(fact, name, probabilityText(at(fact, reply)), at(fact, reply), at(fact, before));
  const more = (fact, name, words, value, spoken = false) => ({ fact, name, words, value, first: false, step: "", spoken });
  const facts = [
    measure("precision", `p_${depth}`), measure("recall", `r_${depth}`),
    number("distance", QUANTITIES.edit_distance.name, distanceInWords(reply), reply.distance, null),
    more("differs", "differs in", differenceInWords(reply), reply.different.length),
    more("class", "class", reply.words, reply.reply_class, reply.reply_class !== "valid"),
    more("exact_match", "exact match", reply.exact_match ? "yes" : "no", reply.exact_match),
  ];
  if (reply.game_over) facts.push(more("game_over", "finished", reply.game_over, true, true));
  if (reply.slips.length) {
    facts.push(more("slips", reply.slips.length === 1 ? "slip so far" : "slips so far", reply.slips.join("; "), reply.slips.length));
  }
  return facts;
}
