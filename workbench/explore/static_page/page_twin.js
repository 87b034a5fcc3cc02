// The twin where it runs: in a worker, which answers messages, or in the page itself, which calls it.

import { answerQuestion } from "../twin/pair_twin.js";

/** @param {Object} message The page's. @param {Object} words See pair_comparison.js. @returns {Object} */
export function pairTwin(message, words) {
  return answerQuestion(message, words);
}

if (typeof document === "undefined") {
  globalThis.onmessage = ({ data: { message, words } }) => globalThis.postMessage(pairTwin(message, words));
}
