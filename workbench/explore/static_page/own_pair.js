// The page that is one pair of boards: the pair of its address, or else its own. The address follows the boards, so
// that it opens the same pair again. Hooks: id="pair", "pair-refusal".

import { linkOfPair, pairOfLink, refusalWords } from "./pair_links.js";
import { startTwin } from "./page_model.js";
import { showPair } from "./pair_without_python.js";

/** The pages whose address may change while they stay; not one that stands in another page's text. */
const WITH_ADDRESS = ["file:", "http:", "https:"];

/**
 * Show the pair, and another whenever the address names one.
 * @param {{state: Object, words: Object}} content Of pair_html.py. @param {() => Function} loadTwin See `startTwin`.
 */
export function openOwnPair({ state, words }, loadTwin) {
  const twin = startTwin(loadTwin, words);
  const [host, refusal] = ["pair", "pair-refusal"].map((id) => document.getElementById(id));
  const follow = (boards) => {
    if (WITH_ADDRESS.includes(location.protocol)) history.replaceState(null, "", linkOfPair(boards));
  };
  let opened = null;
  const open = () => {
    let boards = null;
    refusal.textContent = "";
    try {
      boards = pairOfLink(location.hash);
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      refusal.textContent = refusalWords(error);
    }
    opened?.close();
    host.replaceChildren();
    opened = showPair(host, { ...state, ...boards }, twin, follow);
  };
  addEventListener("hashchange", open);
  open();
}
