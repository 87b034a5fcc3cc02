// The last answers of BoardPair on a page, which become live in their places: each when it first comes near the window, so that a
// long page is there at once. Where no script runs they stay. Hooks: data-live-pair (its text is the state as JSON; "open" once the pair is live).

import { htmlElement } from "../page/svg.js";
import { startTwin } from "./page_model.js";
import { showPair } from "./pair_without_python.js";

/** How far below or above the window a pair becomes live. */
const NEAR = "500px 0px";

/**
 * @param {{state: Object, words: Object, style: string}} content Of pair_html.py; each place has boards of its own.
 * @param {() => Function} loadTwin See `startTwin`.
 */
export function openLivePairs({ state, words, style }, loadTwin) {
  let twin = null;
  const open = (place) => {
    if (!twin) {
      document.head.append(htmlElement("style", {}, style));
      twin = startTwin(loadTwin, words);
    }
    const own = JSON.parse(place.dataset.livePair);
    place.dataset.livePair = "open";
    // The note below speaks of what does not run.
    while (place.nextSibling) place.nextSibling.remove();
    // Jupyter's rules for tables and lists of outputs are not for widgets.
    place.closest(".jp-RenderedHTMLCommon")?.classList.remove("jp-RenderedHTMLCommon");
    place.replaceChildren();
    showPair(place, { ...state, ...own }, twin);
  };
  const near = new IntersectionObserver((entries) => {
    for (const { isIntersecting, target } of entries) {
      if (!isIntersecting) continue;
      near.unobserve(target);
      open(target);
    }
  }, { rootMargin: NEAR });
  document.querySelectorAll("[data-live-pair]").forEach((place) => near.observe(place));
}
