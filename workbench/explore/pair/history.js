// Undo and redo, and the state of a pair: pure functions.

/**
 * @typedef {Object} PairState Two texts, and the shared actions of a line.
 * @property {string} [true_fen] The true board before the line; of other states "true_state".
 * @property {string} [predicted_fen] The predicted board, "" for none; of other states "predicted_state".
 * @property {string[]} line Moves in UCI, or actions as text.
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
  return sameStart(one, other) && JSON.stringify(one.line) === JSON.stringify(other.line);
}

/** Whether two states are the same before their lines. */
function sameStart(one, other) {
  return Object.keys(one).every((name) => name === "line" || one[name] === other[name]);
}

/** Return the pair with its texts swapped, or null if there is no predicted one. @param {Object} shown */
export function swapped(shown, suffix = "fen") {
  const [truth, prediction] = [shown[`true_${suffix}`], shown[`predicted_${suffix}`]];
  if (!prediction.trim()) return null;
  return { [`true_${suffix}`]: prediction, [`predicted_${suffix}`]: truth, line: [] };
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
    if (!sameStart(state, present)) continue;
    if (state.line.length > length && present.line.every((move, index) => move === state.line[index])) return state.line[length];
  }
  return null;
}

/** Return the squares of a move in UCI. */
export function squaresOfMove(uci) {
  return { from: uci.slice(0, 2), to: uci.slice(2, 4) };
}
