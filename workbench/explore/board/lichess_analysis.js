// The address of Lichess's analysis of a position: an ordinary link, nothing is fetched from there.

const LICHESS_ANALYSIS = "https://lichess.org/analysis/standard/";

/**
 * Return the address; Lichess writes a FEN's spaces as underscores and has no sign for promoted pieces.
 * @param {string} fen Of a board that can arise in chess. @param {boolean} [flipped] Black at the bottom.
 * @returns {string}
 */
export function lichessAnalysis(fen, flipped = false) {
  const path = fen.trim().replaceAll("~", "").split(/\s+/).map(encodeURIComponent).join("_").replaceAll("%2F", "/");
  return `${LICHESS_ANALYSIS}${path}${flipped ? "?color=black" : ""}`;
}
