// The page where a language model reads a game, as a part of another page. Its links lead to the page of its own.
// Hooks: data-live-reader ("open" once it is live), and those of reader_page.js.

import { openReader } from "../reader/reader_page.js";
import { openNearPlaces } from "./live_places.js";

/** @param {Object} content Of live_reader in reader_html.py. @param {() => Function} loadTwin See `startTwin`. */
export function openLiveReader(content, loadTwin) {
  openNearPlaces("liveReader", content.style, (place) => {
    place.id = "reader";
    place.replaceChildren();
    openReader(content, loadTwin);
  });
}
