// The page that is one pair of boards: the pair of its address, or else its own. The address follows the boards, so
// that it opens the same pair again. Hooks: id="pair", "pair-refusal".

import { linkOfPair, pairOfLink, refusalWords } from "./pair_links.js";
import { showPair } from "./pair_without_python.js";

/** The pages whose address may change while they stay; not one that stands in another page's text. */
const WITH_ADDRESS = ["file:", "http:", "https:"];

/**
 * Show the pair, and another whenever the address names one.
 * @param {{state: Object, words: Object}} content As showPair takes it. @param {string} source The script of the twin.
 * @param {Function} twin
 */
export function openOwnPair(content, source, twin) {
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
    opened = showPair({ ...content, state: { ...content.state, ...boards } }, source, twin, follow);
  };
  addEventListener("hashchange", open);
  open();
}
