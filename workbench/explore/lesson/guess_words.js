// Numbers as people type them, and the score in words.

/**
 * Return what was typed as a number, or null if it is none or out of bounds.
 * Fractions ("20/21"), percentages, decimal commas and thousands ("197,281", "197 281") are read.
 * @param {string} text @param {Array<number|null>} bounds The least and the largest; null for no largest.
 * @returns {number|null}
 */
export function readGuess(text, [low, high]) {
  const plain = text.trim().replace(/(\d)[ ,\u00a0\u202f'](?=\d{3}(?!\d))/g, high === null ? "$1" : "$&").replace(",", ".");
  const found = /^(\d*\.?\d+|\d+\.)(?:\s*\/\s*(\d*\.?\d+|\d+\.))?\s*(%)?$/.exec(plain);
  if (!found) return null;
  const number = Number(found[1]) / Number(found[2] ?? 1) / (found[3] ? 100 : 1);
  return Number.isFinite(number) && number >= low && (high === null || number <= high) ? number : null;
}

/** @param {number} number @param {number[]} bounds @returns {number} From 0 to 1. */
export function shareOfScale(number, [low, high]) {
  return Math.min(1, Math.max(0, (number - low) / (high - low)));
}

/** @param {{points: number, of: number, made: number, guesses: number}} score @returns {string} */
export function scoreInWords({ points, of, made, guesses }) {
  return made ? `Score: ${points} of ${of} points; ${made} of ${guesses} guesses made.` : `No guesses yet (of ${guesses}).`;
}
