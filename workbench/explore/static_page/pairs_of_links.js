// Pairs of boards on a page of other things: links name them, and they open in one view. Hooks: id="pair-section" (hidden until a pair is open), "pair-heading", "pair-refusal", "pair".

import { pairOfLink, refusalWords } from "./pair_links.js";
import { startTwin } from "./page_model.js";
import { showPair } from "./pair_without_python.js";

/**
 * Open the pair of the page's address, now and whenever it changes.
 * @param {{state: Object, words: Object}} content Of pair_html.py; the boards of its state are not shown.
 * @param {() => Function} loadTwin See `startTwin`.
 */
export function openLinkedPairs({ state, words }, loadTwin) {
  const [section, heading, refusal, host] = ["pair-section", "pair-heading", "pair-refusal", "pair"].map((id) => document.getElementById(id));
  let twin = null;
  let opened = null;
  const show = (act) => {
    opened?.close();
    opened = null;
    host.replaceChildren();
    section.hidden = false;
    refusal.textContent = "";
    act();
    section.scrollIntoView();
    heading.focus({ preventScroll: true });
  };
  const open = () => {
    try {
      const boards = pairOfLink(location.hash);
      if (boards) twin ??= startTwin(loadTwin, words);
      if (boards) show(() => { opened = showPair(host, { ...state, ...boards }, twin); });
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      show(() => { refusal.textContent = refusalWords(error); });
    }
  };
  addEventListener("hashchange", open);
  open();
}
