// What a hand adds to a hidden state: the twin of language_model/hands.py.

import { squareNamed } from "../twin/chess_squares.js";
import { isMove } from "./hand_places.js";
import { singlePrecision } from "./network.js";

/** The pieces in the order of their means; squares are in the order a1 to h8. */
const MEAN_ORDER = "PNBRQKpnbrqk";

/**
 * The patch of a hand, as Reading takes it.
 * @param {Object} hand See hand_places.js.
 * @param {{piece: Object, square: Object}} measured Each with layer, strength, and means in half precision, row by row.
 * @returns {{ply: number, layer: number, vector: Float32Array}}
 */
export function patchOf(hand, measured) {
  const [kind, intended, former, rows] = isMove(hand)
    ? ["square", squareNamed(hand.to), squareNamed(hand.square), 64]
    : ["piece", MEAN_ORDER.indexOf(hand.other), MEAN_ORDER.indexOf(hand.former), MEAN_ORDER.length];
  const { layer, strength, means } = measured[kind];
  const values = singlePrecision(means);
  const width = values.length / rows;
  const vector = Float32Array.from({ length: width }, (_, index) => strength * Math.fround(values[intended * width + index] - values[former * width + index]));
  return { ply: hand.ply, layer, vector };
}
