// The lines of a chess board as tables. A square is 8 * rank + file, a1 = 0; of the eight directions
// the opposite of d is d ^ 4, those with the same d & 3 are one line, and the odd ones are diagonal.

/** [files, ranks] of one step: north, north-east, and so on round to north-west. */
const STEPS = [[0, 1], [1, 1], [1, 0], [1, -1], [0, -1], [-1, -1], [-1, 0], [-1, 1]];
const LEAPS = [[1, 2], [2, 1], [2, -1], [1, -2], [-1, -2], [-2, -1], [-2, 1], [-1, 2]];

/** The line of a rank; see the head of the file. */
export const ALONG_RANK = 2;
/** The line of a file. */
export const ALONG_FILE = 0;
/** No line, or no direction. */
export const NONE = 255;

/** The square so many files and ranks away, or NONE. */
function away(square, files, ranks) {
  const [file, rank] = [(square & 7) + files, (square >> 3) + ranks];
  return file >= 0 && file < 8 && rank >= 0 && rank < 8 ? 8 * rank + file : NONE;
}

function ray(square, [files, ranks]) {
  const found = [];
  for (let at = away(square, files, ranks); at !== NONE; at = away(at, files, ranks)) found.push(at);
  return found;
}

/** Where each of several lists begins when they stand one after the other; the last entry is where all end. */
function startsOf(lists) {
  const starts = new Uint16Array(lists.length + 1);
  lists.forEach((list, index) => { starts[index + 1] = starts[index] + list.length; });
  return starts;
}

/** All squares. */
export const SQUARES = Array.from({ length: 64 }, (_, square) => square);

const EACH_RAY = SQUARES.flatMap((square) => STEPS.map((step) => ray(square, step)));
const EACH_LEAP = SQUARES.map((square) => LEAPS.map((leap) => away(square, ...leap)).filter((to) => to !== NONE));

/** Squares in direction d from a square, the nearest first: from RAY_STARTS[8 * square + d] to the next start. */
export const RAYS = Uint8Array.from(EACH_RAY.flat());
export const RAY_STARTS = startsOf(EACH_RAY);

/** What a knight attacks: from LEAP_STARTS[square] to the next start. */
export const LEAPS_TO = Uint8Array.from(EACH_LEAP.flat());
export const LEAP_STARTS = startsOf(EACH_LEAP);

/** The square next to a square in direction d, or NONE: at 8 * square + d. */
export const NEIGHBOURS = Uint8Array.from(SQUARES.flatMap((square) => STEPS.map((step) => away(square, ...step))));

const DIRECTIONS = new Uint8Array(4096).fill(NONE);
for (const square of SQUARES) {
  STEPS.forEach((step, direction) => ray(square, step).forEach((to) => { DIRECTIONS[64 * square + to] = direction; }));
}

/** The direction from one square to another, or NONE if no line joins them. */
export function directionOf(from, to) {
  return DIRECTIONS[64 * from + to];
}

/** The step from one square to the next on the way to another square of one line. */
export function stepTo(from, to) {
  const direction = directionOf(from, to);
  return NEIGHBOURS[8 * from + direction] - from;
}

/** @param {number} square @returns {string} Such as "e4". */
export function squareName(square) {
  return `${"abcdefgh"[square & 7]}${(square >> 3) + 1}`;
}

/** @param {string} name @returns {number} The square, or -1. */
export function squareNamed(name) {
  return /^[a-h][1-8]$/.test(name) ? name.charCodeAt(0) - 97 + 8 * (Number(name[1]) - 1) : -1;
}
