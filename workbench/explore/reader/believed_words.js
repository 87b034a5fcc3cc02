// What a model believes wrongly, in words.

import { FIELD_WORDS } from "../page/class_words.js";
import { pieceName } from "../board/board_model.js";
import { moveNumber } from "../game/tracker_places.js";

/** Of more wrong squares than this the rest is counted. */
const MOST_SQUARES = 4;

/** @param {number} count @param {string} noun @returns {string} */
export function counted(count, noun) {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}

/**
 * Say what is wrong on a written board.
 * @param {Object<string, string>} truth Pieces by square. @param {Object<string, string>} belief @param {string[]} different Squares.
 * @param {string[]} fields Names of the fields that are wrong.
 */
export function wrongInWords(truth, belief, different, fields) {
  const squares = different.slice(0, MOST_SQUARES).map((square) => `${square} ${pieceName(belief[square])}, truly ${pieceName(truth[square])}`);
  const more = different.length - squares.length;
  if (more > 0) squares.push(`and ${more} more`);
  const others = fields.filter((name) => name !== "placement").map((name) => FIELD_WORDS[name]);
  const board = different.length ? `${counted(different.length, "square")} wrong: ${squares.join("; ")}` : "every square is right";
  return `${board}${others.length ? `; wrong besides: ${others.join(", ")}` : ""}.`;
}

/** Say which move a model would play, and where it is legal. */
export function nextInWords(uci, probability, onTrue, onOwn) {
  const where = { true: { true: "legal on both boards", false: "legal on the true board only" }, false: { true: "legal on its own board only", false: "legal on neither board" } };
  return `Likeliest next move of the model: ${uci}, probability ${probability.toFixed(2)}, ${where[onTrue][onOwn]}.`;
}

/** Return the change that the tracker shows: the move, and what is wrong after it. */
export function changeInWords(stop, words) {
  return stop.san ? `${moveNumber(stop.ply)} ${stop.san}: ${words}` : `before the first move: ${words}`;
}
