// What a pair of boards is called, and the measures on its texts. Hooks: data-role="exact-match", "levenshtein",
// "board-accuracy", "fields", "board-class".

import { FIELD_WORDS } from "../page/class_words.js";
import { textFacts } from "./numbers_panel.js";

/** @type {PairNouns} */
export const BOARD_NOUNS = { state: "board", action: "move", within: "on", written: "FEN", episode: "game", asIs: "moves as python-chess generates them" };

/** @param {Object} view As pair_view.py's pair_view returns it. @returns {Array<[string, string, string]>} */
export function boardFacts({ text, predicted }) {
  const wrong = Object.entries(text.correct).filter(([, right]) => !right).map(([name]) => FIELD_WORDS[name] ?? name);
  const accuracy = text.board_accuracy;
  return [
    ...textFacts(text),
    ["Board accuracy", "board-accuracy", accuracy === null ? "undefined" : `${Math.round(64 * accuracy)} of 64 squares (${accuracy.toFixed(4)})`],
    ["Wrong FEN fields", "fields", wrong.join(", ") || "none"],
    ["Predicted board", "board-class", predicted.words.replace(/\.$/, "")],
  ];
}
