// A pair of boards on a page without Python: the view of BoardPair over a model of its own and the page's twin.
// It takes the theme of the page that it stands in, or else the browser's; printed it is light: paper is. Hooks: the host's data-twin ("worker" or "page"),
// data-role="lesser-depth", and those of board_pair_view.js.

import { BoardPairView } from "../pair/board_pair_view.js";
import { htmlElement, subscripted } from "../page/svg.js";
import { PageModel } from "./page_model.js";
import { followTheme } from "./page_theme.js";

/** Deeper values take seconds, and nothing here estimates. */
const DEEPEST_EXACT = 4;
const BOARDS = ["true_fen", "predicted_fen"];
const FOR_THE_TWIN = {
  first: "Computing the first numbers.",
  slow: (seconds) => `No answer for ${seconds} seconds: the machine is busy, or the boards permit very many moves; then choose a smaller depth m.`,
};

/**
 * @param {HTMLElement} host @param {Object} state The traits of BoardPair. @param {Object} twin See `startTwin`.
 * @param {(boards: {true_fen: string, predicted_fen: string}) => void} [onBoards] Called with other boards than before.
 * @returns {{close: () => void}} What ends the view and its listeners; the elements and the twin stay.
 */
export function showPair(host, state, twin, onBoards = () => {}) {
  const leaveTheme = followTheme();
  const model = new PageModel({ ...state, depth: Math.min(state.depth, DEEPEST_EXACT) }, twin);
  for (const name of BOARDS) {
    model.on(`change:${name}`, () => onBoards({ true_fen: model.get("true_fen"), predicted_fen: model.get("predicted_fen") }));
  }
  if (state.depth > DEEPEST_EXACT) {
    host.append(htmlElement("div", { class: "world-state" }, htmlElement("p", { class: "ws-quiet", "data-role": "lesser-depth" }, ...subscripted(lesserDepthInWords(state.depth)))));
  }
  const view = new BoardPairView(model, host, { waiting: FOR_THE_TWIN, deepest: DEEPEST_EXACT });
  host.dataset.twin = twin.inWorker() ? "worker" : "page";
  return {
    close() {
      leaveTheme();
      view.dispose();
    },
  };
}

/** @param {number} depth @returns {string} */
function lesserDepthInWords(depth) {
  return `The pair was saved with m = ${depth}. This page measures up to m = ${DEEPEST_EXACT}: p_${depth} and r_${depth} need Python.`;
}
