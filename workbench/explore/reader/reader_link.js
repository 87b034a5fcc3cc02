// Links that name a game, a ply and a model in their fragment: "#model=small&ply=12&moves=e2e4-e7e5", and a hand as
// hand_places.js writes it.

/** @param {{model: string, ply: number, moves: string[], hand?: string}} place @returns {string} */
export function linkOfPlace({ model, ply, moves, hand = "" }) {
  return `#${new URLSearchParams({ model, ply: String(ply), moves: moves.join("-"), ...(hand && { hand }) })}`;
}

/**
 * What a link names, or null if it names no game.
 * @param {string} fragment Of an address, with or without "#". @returns {{model: string, ply: number, text: string, hand: string}|null}
 */
export function placeOfLink(fragment) {
  const named = new URLSearchParams(fragment.replace(/^#/, ""));
  if (!named.has("moves")) return null;
  return { model: named.get("model") ?? "", ply: Number.parseInt(named.get("ply"), 10) || 0, text: named.get("moves").replaceAll("-", " "), hand: named.get("hand") ?? "" };
}
