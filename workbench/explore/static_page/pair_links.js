// Links that name both boards of a pair in their fragment, "#true=FEN&predicted=FEN"; board_reading.pair_link writes the same.

import { parseFen } from "../board/board_model.js";
import { cutLong } from "../twin/quoted_texts.js";

const LONGEST_REFUSAL = 300;

/**
 * Return the pair that a link names, or null if it names none.
 * @param {string} fragment Of an address, with or without "#".
 * @returns {{true_fen: string, predicted_fen: string} | null} An empty predicted FEN is no predicted board.
 * @throws {RangeError} If a FEN is none.
 */
export function pairOfLink(fragment) {
  const named = new URLSearchParams(fragment.replace(/^#/, ""));
  const boards = { true_fen: named.get("true"), predicted_fen: named.get("predicted") };
  if (!boards.true_fen || boards.predicted_fen === null) return null;
  Object.values(boards).filter((fen) => fen.trim()).forEach(parseFen);
  return boards;
}

/** @param {{true_fen: string, predicted_fen: string}} boards */
export function linkOfPair({ true_fen: ofTrue, predicted_fen: ofPredicted }) {
  return `#${new URLSearchParams({ true: ofTrue, predicted: ofPredicted })}`;
}

/** Why a link opens no pair. @param {Error} error */
export function refusalWords(error) {
  return `The link names no pair of boards: ${cutLong(error.message, LONGEST_REFUSAL)}`;
}
