// The quantities: name, symbol, and the look of theme.css; a test keeps names and symbols equal to
// QUANTITIES in drawing/quantities.py, and the colours of theme.css to its colours.

export const QUANTITIES = {
  precision: { name: "state precision", symbol: "p", look: "predicted" },
  recall: { name: "state recall", symbol: "r", look: "true" },
  edit_distance: { name: "edit distance", symbol: "", look: "edit-distance" },
};

/** Write a text with a capital at its beginning. */
export function capitalised(text) {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}
