// The top of the joint tree of two positions: the moves of each node, and the loss below it; the twin of
// losses/joint_tree.py and losses/loss_words.py.

import { exactProfile } from "./joint_walk.js";
import { legalCodes } from "./move_names.js";
import { play } from "./move_making.js";

/** Losses up to this value are rounding errors. */
export const ROUNDING = 1e-12;
const MOST_NODES = 2000;

/**
 * A measure: from which board its lines are drawn. A node has the weight and value of precision at 0, of recall at 1.
 * @typedef {{name: string, symbol: string, index: number}} Measure
 */
export const LOST_MEASURES = [
  { name: "precision", symbol: "p", index: 0, drawn: "in the prediction", other: "on the true board" },
  { name: "recall", symbol: "r", index: 1, drawn: "on the true board", other: "in the prediction" },
];

/** A line that both boards permit. */
export class JointNode {
  constructor(line, ofTrue, ofPredicted, weights, values) {
    Object.assign(this, { line, ofTrue, ofPredicted, weights, values, actions: null, grown: false, children: [] });
  }

  /** The mass lost below, for precision (0) or recall (1). */
  lost(measure) {
    const loss = 1 - this.values[measure];
    return loss > ROUNDING ? this.weights[measure] * loss : 0;
  }

  mostLost() {
    return Math.max(this.lost(0), this.lost(1));
  }

  /** How many moves the predicted and the true board permit. */
  permitted() {
    const { shared, onlyPredicted, onlyTrue } = this.actions;
    return [shared.length + onlyPredicted.length, shared.length + onlyTrue.length];
  }

  /** The position from which a measure's lines are drawn. */
  drawn(measure) {
    return measure.index ? this.ofTrue : this.ofPredicted;
  }

  /** The moves that are drawn and refused. */
  dying(measure) {
    return measure.index ? this.actions.onlyTrue : this.actions.onlyPredicted;
  }

  findActions() {
    const [inTrue, inPredicted] = [this.ofTrue, this.ofPredicted].map((position) => legalCodes(position).sort((one, other) => one - other));
    const [setTrue, setPredicted] = [new Set(inTrue), new Set(inPredicted)];
    this.actions = {
      onlyTrue: inTrue.filter((code) => !setPredicted.has(code)), onlyPredicted: inPredicted.filter((code) => !setTrue.has(code)),
      shared: inTrue.filter((code) => setPredicted.has(code)),
    };
  }

  /** Make a child for each shared move. @param {number} depth Of the whole tree. */
  grow(depth, terminal) {
    this.grown = true;
    const remaining = depth - this.line.length - 1;
    const permitted = this.permitted();
    for (const code of this.actions.shared) {
      const [ofTrue, ofPredicted] = [this.ofTrue, this.ofPredicted].map((position) => play(position, code, position.copy()));
      const found = remaining ? exactProfile(ofTrue, ofPredicted, remaining, terminal) : null;
      const values = found ? [found.precision.at(-1), found.recall.at(-1)] : [1, 1];
      const weights = this.weights.map((weight, index) => weight / permitted[index]);
      this.children.push(new JointNode([...this.line, code], ofTrue, ofPredicted, weights, values));
    }
  }
}

/**
 * Find what is to be shown, and what the costliest moves are to be found in.
 * @returns {number} The first plies, how many of them, at which every losing line has been looked at.
 */
export function growTree(root, { depth, terminal }, levels, smallestShare) {
  let complete = 0;
  let everything = true;
  let nodes = [root];
  for (let level = 0; level < Math.min(levels, depth); level += 1) {
    nodes.forEach((node) => node.findActions());
    complete += everything ? 1 : 0;
    if (level > 1) {
      const large = nodes.filter((node) => LOST_MEASURES.some(({ index }) => node.lost(index) > 0 && node.lost(index) >= smallestShare * root.lost(index)));
      everything = everything && large.length === nodes.length;
      nodes = large;
    }
    nodes.forEach((node) => node.grow(depth, terminal));
    const losing = nodes.flatMap(({ children }) => children.filter((child) => child.mostLost() > 0));
    nodes = losing.sort((one, other) => other.mostLost() - one.mostLost()).slice(0, MOST_NODES);
    everything = everything && nodes.length === losing.length;
  }
  return complete;
}

/** Say that no line continues from a node with moves found because a game is over, or null. */
export function finishedWords(node, measure) {
  if (node.actions.shared.length || node.dying(measure).length) return null;
  if (node.permitted()[1 - measure.index]) return `the game is over ${measure.drawn} but not ${measure.other}`;
  return "the game is over on both boards, and such lines are dropped";
}
