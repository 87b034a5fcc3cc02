// Texts of any length on a page.

/**
 * Cut a text that is too long: its beginning and end, and how long it is.
 * @param {string} text @param {number} longest Up to so many characters it stays as it is.
 * @returns {string} Otherwise 80 characters of it.
 */
export function cutText(text, longest) {
  if (text.length <= longest) return text;
  return `${text.slice(0, 40)}…${text.slice(-39)} (${text.length.toLocaleString("en-US")} characters)`;
}
