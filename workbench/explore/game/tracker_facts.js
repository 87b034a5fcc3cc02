// Facts about one reply: pure functions, no page.

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

/**
 * Return the facts of a reply: a name, its words, the value behind, and whether it is announced.
 * @param {Object} reply As Python sends it. @param {number} depth m.
 * @returns {Array<{fact: string, name: string, words: string, value: *, spoken: boolean}>}
 */
export function factsOf(reply, depth) {
  const [precision, recall] = [reply.precision[depth - 1], reply.recall[depth - 1]];
  const facts = [
    { fact: "precision", name: `p_${depth}`, words: precision.toFixed(4), value: precision, spoken: true },
    { fact: "recall", name: `r_${depth}`, words: recall.toFixed(4), value: recall, spoken: true },
    { fact: "distance", name: QUANTITIES.edit_distance.name, words: distanceInWords(reply), value: reply.distance, spoken: true },
    { fact: "differs", name: "differs in", words: differenceInWords(reply), value: reply.different.length, spoken: false },
    { fact: "class", name: "class", words: reply.words, value: reply.reply_class, spoken: reply.reply_class !== "valid" },
    { fact: "exact_match", name: "exact match", words: reply.exact_match ? "yes" : "no", value: reply.exact_match, spoken: false },
  ];
  if (reply.game_over) {
    facts.push({ fact: "game_over", name: "finished", words: reply.game_over, value: true, spoken: true });
  }
  if (reply.slips.length) {
    facts.push({ fact: "slips", name: reply.slips.length === 1 ? "slip so far" : "slips so far", words: reply.slips.join("; "), value: reply.slips.length, spoken: false });
  }
  return facts;
}
