// Which arrows each board shows and which moves a click on a square means: pure functions.

/** Of more differing moves than this on a board only those of the piece pointed at have arrows. */
const MOST_ARROWS = 12;

/** Whether all differing moves can have arrows at once. @param {Object} moves See arrowsOf. */
export function fewDiffer(moves) {
  return Math.max(moves.only_true.length, moves.only_predicted.length) <= MOST_ARROWS;
}

/**
 * Return the arrows of one board.
 * @param {string} side "true" or "predicted".
 * @param {Object} moves The view's only_true, only_predicted and shared.
 * @param {Object} wish
 * @param {boolean} wish.differing @param {boolean} wish.shared The toggles.
 * @param {string|null} wish.square Its moves are shown: it is chosen, or the pointer or the keyboard's focus is on it.
 * @param {{move: {from: string, to: string}, look: string}|null} wish.pointed A move pointed at in a list.
 * @returns {Array<{from: string, to: string, look: string}>}
 */
export function arrowsOf(side, moves, { differing, shared, square, pointed }) {
  const looking = (list, look) => list.map(({ from, to }) => ({ from, to, look }));
  if (pointed) {
    const here = pointed.look === "shared" || pointed.look === side;
    return here ? looking([pointed.move], pointed.look) : [];
  }
  const own = side === "true" ? moves.only_true : moves.only_predicted;
  const lost = differing ? looking(own.filter(({ from }) => from === square || fewDiffer(moves)), side) : [];
  const both = moves.shared.filter(({ from }) => shared || from === square);
  return [...looking(both, "shared"), ...lost];
}

/** Return the squares on which a click steps: where the shared moves that can be seen end. */
export function targetSquares(moves, chosen, showShared) {
  const from = ({ from: square }) => (chosen ? square === chosen : showShared);
  return [...new Set(moves.shared.filter(from).map(({ to }) => to))];
}

/**
 * Return what a click on a square means.
 * @returns {{kind: "step", moves: Object[]}|{kind: "choose", square: string|null}}
 */
export function meaningOfClick(square, moves, chosen, showShared) {
  const ending = moves.shared.filter(({ from, to }) => to === square && (chosen ? from === chosen : showShared));
  if (ending.length) return { kind: "step", moves: ending };
  const begins = moves.shared.some(({ from }) => from === square);
  return { kind: "choose", square: begins && square !== chosen ? square : null };
}
