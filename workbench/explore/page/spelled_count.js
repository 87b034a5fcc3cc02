// Counts as texts.

/** @param {number} count @returns {string} With commas between thousands. */
export function spelledCount(count) {
  return count.toLocaleString("en-US");
}
