// Exact p_1..p_m and r_1..r_m of two positions from one walk over what both permit; the twin of
// environments/chess/kernel/joint_walk.py.

import { Position } from "./chess_position.js";
import { MOST_MOVES, legalMoves } from "./legal_moves.js";
import { play } from "./move_making.js";

const SLOTS = 1 << 16;

/** Pairs seen one move from the end: the bits of both positions with the number of the walk, and their p_1 and r_1. */
const seen = new Int32Array(5 * SLOTS);
const kept = new Float64Array(2 * SLOTS);
/** For each code the number of the last list that had it. */
const stamps = new Uint32Array(1 << 15);
const levels = [];
let stamp = 0;
let walks = 0;

function level(depth) {
  levels[depth] ??= {
    ofTrue: new Uint16Array(MOST_MOVES), ofPredicted: new Uint16Array(MOST_MOVES), shared: new Uint16Array(MOST_MOVES),
    trueAfter: new Position(), predictedAfter: new Position(), precision: new Float64Array(16), recall: new Float64Array(16),
    inTrue: 0, inPredicted: 0, inBoth: 0,
  };
  return levels[depth];
}

/** Find the moves of both and those that they share. */
function compare(ofTrue, ofPredicted, found) {
  const inTrue = legalMoves(ofTrue, found.ofTrue);
  const inPredicted = legalMoves(ofPredicted, found.ofPredicted);
  if (++stamp === 0xffffffff) {
    stamps.fill(0);
    stamp = 1;
  }
  for (let index = 0; index < inTrue; index += 1) stamps[found.ofTrue[index]] = stamp;
  let shared = 0;
  for (let index = 0; index < inPredicted; index += 1) {
    const code = found.ofPredicted[index];
    if (stamps[code] === stamp) found.shared[shared++] = code;
  }
  found.inTrue = inTrue;
  found.inPredicted = inPredicted;
  found.inBoth = shared;
}

function isSame(one, other) {
  return one.low === other.low && one.high === other.high;
}

/** Raised inside a walk that visits more nodes than it may. */
class TooManyNodes extends Error {}

class Walk {
  constructor(absorb, budget) {
    this.absorb = absorb;
    this.left = budget;
    walks = walks + 1 | 0;
  }

  /** Fill precision[0..depth-1] and recall[0..depth-1] of the level of this depth. */
  visit(ofTrue, ofPredicted, depth) {
    const here = level(depth);
    const { precision, recall } = here;
    this.left -= 1;
    if (this.left < 0) throw new TooManyNodes();
    compare(ofTrue, ofPredicted, here);
    const { inTrue, inPredicted, inBoth: shared } = here;
    if (!shared) {
      const value = this.absorb && !inTrue && !inPredicted ? 1 : 0;
      precision.fill(value, 0, depth);
      recall.fill(value, 0, depth);
      return;
    }
    precision.fill(0, 0, depth);
    recall.fill(0, 0, depth);
    for (let index = 0; depth > 1 && index < shared; index += 1) {
      const trueAfter = play(ofTrue, here.shared[index], here.trueAfter);
      const predictedAfter = play(ofPredicted, here.shared[index], here.predictedAfter);
      if (this.absorb && isSame(trueAfter, predictedAfter)) this.add(here, depth, null);
      else if (depth === 2) this.addLast(here, trueAfter, predictedAfter);
      else {
        this.visit(trueAfter, predictedAfter, depth - 1);
        this.add(here, depth, level(depth - 1));
      }
    }
    precision[0] = shared;
    recall[0] = shared;
    for (let index = 0; index < depth; index += 1) {
      precision[index] /= inPredicted;
      recall[index] /= inTrue;
    }
  }

  /** Add what a child contributes; without one all lines after it are accepted. */
  add({ precision, recall }, depth, below) {
    for (let index = 1; index < depth; index += 1) {
      precision[index] += below ? below.precision[index - 1] : 1;
      recall[index] += below ? below.recall[index - 1] : 1;
    }
  }

  addLast(here, ofTrue, ofPredicted) {
    const slot = (ofTrue.low ^ Math.imul(ofPredicted.low, 0x9e3779b1)) >>> 16;
    const at = 5 * slot;
    if (seen[at] !== walks || seen[at + 1] !== ofTrue.low || seen[at + 2] !== ofTrue.high
      || seen[at + 3] !== ofPredicted.low || seen[at + 4] !== ofPredicted.high) {
      this.visit(ofTrue, ofPredicted, 1);
      const below = level(1);
      seen[at] = walks;
      seen[at + 1] = ofTrue.low;
      seen[at + 2] = ofTrue.high;
      seen[at + 3] = ofPredicted.low;
      seen[at + 4] = ofPredicted.high;
      kept[2 * slot] = below.precision[0];
      kept[2 * slot + 1] = below.recall[0];
    }
    here.precision[1] += kept[2 * slot];
    here.recall[1] += kept[2 * slot + 1];
  }
}

/**
 * Measure a pair.
 * @param {Position} ofTrue Settled. @param {Position} ofPredicted Settled.
 * @param {number} depth m, from 1 to 16.
 * @param {string} terminal "absorb" or "drop".
 * @param {number} [budget] Nodes that may be visited.
 * @returns {{precision: number[], recall: number[]}|null} p_1..p_m and r_1..r_m; null if there are more nodes.
 */
export function exactProfile(ofTrue, ofPredicted, depth, terminal, budget = Infinity) {
  const absorb = terminal === "absorb";
  if (absorb && isSame(ofTrue, ofPredicted)) return { precision: Array(depth).fill(1), recall: Array(depth).fill(1) };
  try {
    new Walk(absorb, budget).visit(ofTrue, ofPredicted, depth);
  } catch (stopped) {
    if (stopped instanceof TooManyNodes) return null;
    throw stopped;
  }
  const { precision, recall } = level(depth);
  return { precision: [...precision.subarray(0, depth)], recall: [...recall.subarray(0, depth)] };
}
