// Undo and redo, and the state of a pair: pure functions.

/**
 * @typedef {Object} PairState
 * @property {string} true_fen The true board before the line.
 * @property {string} predicted_fen The predicted board before the line; "" is no predicted state.
 * @property {string[]} line Shared moves in UCI.
 *
 * @typedef {Object} History
 * @property {PairState[]} past @property {PairState} present @property {PairState[]} future
 */

const MOST_REMEMBERED = 300;

/** @param {PairState} present @returns {History} */
export function newHistory(present) {
  return { past: [], present, future: [] };
}

/** Go to a new state and clear the redo list. A state equal to the present one changes nothing. */
export function recorded(history, state) {
  if (sameState(history.present, state)) return history;
  return { past: [...history.past, history.present].slice(-MOST_REMEMBERED), present: state, future: [] };
}

/** @param {History} history @returns {History} */
export function undone(history) {
  if (!history.past.length) return history;
  const past = history.past.slice(0, -1);
  return { past, present: history.past[past.length], future: [history.present, ...history.future] };
}

/** @param {History} history @returns {History} */
export function redone(history) {
  if (!history.future.length) return history;
  const [present, ...future] = history.future;
  return { past: [...history.past, history.present], present, future };
}

/** @param {PairState} one @param {PairState} other @returns {boolean} */
export function sameState(one, other) {
  return one.true_fen === other.true_fen && one.predicted_fen === other.predicted_fen && one.line.join() === other.line.join();
}

/** Return the pair with its boards swapped, or null if there is no predicted board. */
export function swapped(shown) {
  if (!shown.predicted_fen.trim()) return null;
  return { true_fen: shown.predicted_fen, predicted_fen: shown.true_fen, line: [] };
}

/** Return the state after one more shared move. */
export function stepped(state, moves) {
  return { ...state, line: [...state.line, ...moves] };
}

/** Return the state after the first `plies` moves of the line. */
export function walkedBack(state, plies) {
  return { ...state, line: state.line.slice(0, plies) };
}

/**
 * Return the next move of the line that the present state was last walked back from, or null.
 * @param {History} history
 */
export function nextMove({ past, present, future }) {
  const { length } = present.line;
  const before = [...past].reverse();
  for (const state of [...future, ...before]) {
    if (state.true_fen !== present.true_fen || state.predicted_fen !== present.predicted_fen) continue;
    if (state.line.length > length && present.line.every((move, index) => move === state.line[index])) return state.line[length];
  }
  return null;
}

/** Return the squares of a move in UCI. */
export function squaresOfMove(uci) {
  return { from: uci.slice(0, 2), to: uci.slice(2, 4) };
}
