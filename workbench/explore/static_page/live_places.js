// Last answers on a page that become live in their places: each when it first comes near the window, so that a long page is there
// at once. Where no script runs they stay. Hooks: the attribute with the state as JSON, "open" once the place is live.

import { htmlElement } from "../page/svg.js";

/** How far below or above the window a place becomes live. */
const NEAR = "500px 0px";

/**
 * @param {string} name Of the places in `dataset`, such as "livePair". @param {string} style Put into the page with the first.
 * @param {(place: HTMLElement, state: Object) => void} open Fills a place, which still has the last answer.
 */
export function openNearPlaces(name, style, open) {
  let begun = false;
  const near = new IntersectionObserver((entries) => {
    for (const { isIntersecting, target } of entries) {
      if (!isIntersecting) continue;
      near.unobserve(target);
      if (!begun) document.head.append(htmlElement("style", {}, style));
      begun = true;
      const state = JSON.parse(target.dataset[name]);
      target.dataset[name] = "open";
      // The note below speaks of what does not run.
      while (target.nextSibling) target.nextSibling.remove();
      // Jupyter's rules for tables and lists of outputs are not for widgets.
      target.closest(".jp-RenderedHTMLCommon")?.classList.remove("jp-RenderedHTMLCommon");
      open(target, state);
    }
  }, { rootMargin: NEAR });
  const attribute = name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  document.querySelectorAll(`[data-${attribute}]`).forEach((place) => near.observe(place));
}

/** @param {string} text As page/assets.py packs it. @returns {Promise<Object>} */
export async function unpacked(text) {
  const bytes = Uint8Array.from(atob(text), (sign) => sign.charCodeAt(0));
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"))).json();
}
