// The last answers of BoardPair on a page, which become live in their places.
// Hooks: data-live-pair (its text is the state as JSON; "open" once the pair is live).

import { openNearPlaces } from "./live_places.js";
import { startTwin } from "./page_model.js";
import { showPair } from "./pair_without_python.js";

/**
 * @param {{state: Object, words: Object, style: string}} content Of pair_html.py; each place has boards of its own.
 * @param {() => Function} loadTwin See `startTwin`.
 */
export function openLivePairs({ state, words, style }, loadTwin) {
  let twin = null;
  openNearPlaces("livePair", style, (place, own) => {
    twin ??= startTwin(loadTwin, words);
    place.replaceChildren();
    showPair(place, { ...state, ...own }, twin);
  });
}
