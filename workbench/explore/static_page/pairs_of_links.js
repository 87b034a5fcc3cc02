// Pairs of boards on a page of other things: a link names both boards in its fragment, "#true=FEN&predicted=FEN", and
// they open in one view. Hooks: id="pair-section" (hidden until a pair is open), "pair-heading", "pair-refusal", "pair".

import { parseFen } from "../board/board_model.js";
import { showPair } from "./pair_without_python.js";

/** @param {string} fragment Of an address, with or without "#". @returns {{true_fen: string, predicted_fen: string} | null} Null if it names no pair. */
export function pairOfLink(fragment) {
  const named = new URLSearchParams(fragment.replace(/^#/, ""));
  const boards = { true_fen: named.get("true"), predicted_fen: named.get("predicted") };
  return boards.true_fen && boards.predicted_fen ? boards : null;
}

/**
 * Open the pair of the page's address, now and whenever it changes.
 * @param {{state: Object, words: Object}} content As showPair takes it; the boards of its state are not shown.
 * @param {string} source The script of the twin. @param {Function} twin
 */
export function openLinkedPairs(content, source, twin) {
  const [section, heading, refusal, host] = ["pair-section", "pair-heading", "pair-refusal", "pair"].map((id) => document.getElementById(id));
  let opened = null;
  const open = () => {
    const boards = pairOfLink(location.hash);
    if (!boards) return;
    opened?.close();
    opened = null;
    host.replaceChildren();
    section.hidden = false;
    refusal.textContent = "";
    try {
      Object.values(boards).forEach(parseFen);
      opened = showPair({ ...content, state: { ...content.state, ...boards } }, source, twin);
    } catch (error) {
      refusal.textContent = `The link names no pair of boards: ${error.message}`;
    }
    section.scrollIntoView();
    heading.focus({ preventScroll: true });
  };
  addEventListener("hashchange", open);
  open();
}
