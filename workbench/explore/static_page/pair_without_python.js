// The page with one pair of boards and no Python: the view of BoardPair over a model and a twin of its own.
// It takes the theme of the page that it stands in, or else the browser's; printed it is light: paper is. Hooks: id="pair" (data-twin "worker" or "page"), and those of board_pair_view.js.

import { BoardPairView } from "../pair/board_pair_view.js";
import { PageModel, startTwin } from "./page_model.js";

/** Deeper values take seconds, and nothing here estimates. */
const DEEPEST_EXACT = 4;
const BOARDS = ["true_fen", "predicted_fen"];
const FOR_THE_TWIN = {
  first: "Computing the first numbers.",
  slow: (seconds) => `No answer for ${seconds} seconds: the machine is busy, or the boards permit very many moves; then choose a smaller depth m.`,
};

/**
 * @param {{state: Object, words: Object}} content What static_page/pair_html.py wrote into the page.
 * @param {string} source The script of the twin. @param {Function} twin
 * @param {(boards: {true_fen: string, predicted_fen: string}) => void} [onBoards] Called with other boards than before.
 * @returns {{close: () => void}} What ends the view, its listeners and the twin; the elements stay.
 */
export function showPair({ state, words }, source, twin, onBoards = () => {}) {
  const themed = document.body.dataset.jpThemeLight !== undefined;
  const dark = matchMedia("screen and (prefers-color-scheme: dark)");
  const follow = () => { document.body.dataset.jpThemeLight = String(!dark.matches); };
  if (!themed) {
    dark.addEventListener("change", follow);
    follow();
  }
  const started = startTwin(source, words, twin);
  const host = document.getElementById("pair");
  const model = new PageModel(state, started);
  for (const name of BOARDS) {
    model.on(`change:${name}`, () => onBoards({ true_fen: model.get("true_fen"), predicted_fen: model.get("predicted_fen") }));
  }
  const view = new BoardPairView(model, host, { waiting: FOR_THE_TWIN, deepest: DEEPEST_EXACT });
  host.dataset.twin = started.inWorker() ? "worker" : "page";
  return {
    close() {
      dark.removeEventListener("change", follow);
      if (!themed) delete document.body.dataset.jpThemeLight;
      view.dispose();
      started.stop();
    },
  };
}
