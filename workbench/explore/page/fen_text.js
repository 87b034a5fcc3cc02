// FENs as text beside boards.

import { htmlElement } from "./svg.js";

/** A FEN has seven; what else came as a FEN may have any number. */
const MOST_SLASHES = 7;

/**
 * Show a FEN whose lines break after a slash or a space, not inside a rank. Its text stays as it is.
 * @param {Element} element @param {string} fen
 */
export function showFen(element, fen) {
  const ranks = fen.split(/(?<=\/)/);
  const rest = ranks.splice(MOST_SLASHES).join("");
  element.replaceChildren(...ranks.flatMap((rank) => [rank, htmlElement("wbr")]), rest);
}
