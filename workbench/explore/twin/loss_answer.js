// The losses of p_m and r_m over the joint tree, and the most expensive moves; the twin of losses/loss_trees.py,
// losses/board_losses.py.

import { settle } from "./chess_position.js";
import { JointNode, LOST_MEASURES, finishedWords, growTree } from "./joint_tree.js";
import { sanOf, uciOf } from "./move_names.js";
import { generalText, percentText } from "./number_texts.js";
import { deepestProfile, noStateWords, readablePair } from "./pair_comparison.js";
import { measuredPosition } from "./read_board.js";

const LEVELS = 3;
const SMALLEST_SHARE = 0.01;
const MOST_COSTLY = 5;
const ORDINALS = ["first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth"];

/** @param {import("./pair_comparison.js").PairQuestion} question @returns {Object} See lost_mass in Python. */
export function lostMassAnswer(question, { exact_budget: budget }) {
  const [ofTrue, ofPredicted] = readablePair(question);
  const taken = measuredPosition(ofPredicted, question.ill_formed);
  if (!taken) return allLost(noStateWords(ofPredicted), question.depth);
  const found = deepestProfile(ofTrue.fen.position, taken, question, budget);
  const settings = { ...question, depth: found.depth };
  const values = [found.precision.at(-1), found.recall.at(-1)];
  const pair = [ofTrue.fen.position, taken].map((position) => settle(position.copy()));
  const root = new JointNode([], ...pair, [1, 1], values);
  const complete = growTree(root, settings, LEVELS, SMALLEST_SHARE);
  const ofMeasures = (make) => Object.fromEntries(LOST_MEASURES.map((measure) => [measure.name, make(measure)]));
  return {
    depth: found.depth, reason: found.reason, ...ofMeasures((measure) => rootAnswer(root, measure, found.depth)),
    costliest: ofMeasures((measure) => costliestMoves(root, measure, complete)),
  };
}

function allLost(whyNoState, depth) {
  const words = `${whyNoState}: everything is lost`;
  const root = { line: [], words, kind: "root", lost: 1, share: 1, children: [] };
  return {
    depth, reason: words, precision: root, recall: root, costliest: { precision: [], recall: [] },
  };
}

function rootAnswer(root, measure, depth) {
  const value = root.values[measure.index];
  const lost = Math.max(1 - value, 0);
  const total = root.lost(measure.index);
  let words = `${measure.symbol}_${depth} = ${generalText(value, 4)}: `;
  if (total) {
    const over = finishedWords(root, measure);
    words += `${over ? `${over}, ` : ""}${percentText(lost)} of ${measure.symbol} lost`;
  } else words += "nothing is lost";
  return { line: [], words, kind: "root", lost, share: total ? 1 : null, children: branches(root, measure, total) };
}

/** The branches of a node that lose something, the greatest first, the small ones merged. */
function branches(node, measure, total) {
  if (!node.actions || !node.grown || !node.lost(measure.index)) return [];
  const line = node.line.map(uciOf);
  const each = node.weights[measure.index] / node.permitted()[measure.index];
  const losses = [
    ...node.dying(measure).map((code) => ({ loss: each, child: null, code })),
    ...node.children.map((child) => ({ loss: child.lost(measure.index), child, code: child.line.at(-1) })),
  ];
  const large = losses.filter(({ loss }) => loss >= SMALLEST_SHARE * total && loss > 0).sort((one, other) => other.loss - one.loss);
  const found = large.map(({ loss, child, code }) => ({
    line: [...line, uciOf(code)], words: `${sanOf(node.drawn(measure), code)}: ${whyLost(child, loss, measure)}`,
    kind: child ? "shared" : "lost", lost: loss, share: loss / total, children: child ? branches(child, measure, total) : [],
  }));
  const small = losses.filter(({ loss }) => loss < SMALLEST_SHARE * total && loss > 0);
  if (small.length) {
    const merged = small.reduce((sum, { loss }) => sum + loss, 0);
    const noun = small.length === 1 ? "smaller branch" : "smaller branches";
    const words = `${small.length} ${noun}: ${percentText(merged)} of ${measure.symbol} lost`;
    found.push({ line, words, kind: "merged", lost: merged, share: merged / total, children: [] });
  }
  return found;
}

function whyLost(child, loss, measure) {
  const lost = `${percentText(loss)} of ${measure.symbol} lost`;
  if (!child) return `legal only ${measure.drawn}, ${lost}`;
  const over = child.actions ? finishedWords(child, measure) : null;
  return over ? `after it ${over}, ${lost}` : `legal on both boards, ${lost} after it`;
}

/** The moves at which most of a measure is lost; one stands for all lines that die at it as their n-th. */
function costliestMoves(root, measure, complete) {
  const costs = new Map();
  collect(root, measure, costs);
  const total = root.lost(measure.index);
  const greatest = [...costs.values()].sort((one, other) => other.mass - one.mass).slice(0, MOST_COSTLY);
  return greatest.map(({ ply, code, why, mass, node }) => {
    let words = sanOf(node.drawn(measure), code);
    if (ply > 1) words += ` as the ${ORDINALS[ply - 1]} move, for example after ${lineBefore(root, node, measure)}`;
    const least = ply > complete ? "at least " : "";
    return {
      line: [...node.line, code].map(uciOf), words: `${words}: ${why}, ${least}${percentText(mass)} of ${measure.symbol} lost`,
      share: mass, share_of_lost: mass / total,
    };
  });
}

function collect(node, measure, costs) {
  if (!node.actions || !node.lost(measure.index)) return;
  const ply = node.line.length + 1;
  const each = node.weights[measure.index] / node.permitted()[measure.index];
  for (const code of node.dying(measure)) addCost(costs, { ply, code, why: `legal only ${measure.drawn}` }, each, node);
  for (const child of node.children) {
    const over = child.actions ? finishedWords(child, measure) : null;
    if (over === null) collect(child, measure, costs);
    else if (child.lost(measure.index)) addCost(costs, { ply, code: child.line.at(-1), why: `after it ${over}` }, child.lost(measure.index), node);
  }
}

function addCost(costs, what, mass, node) {
  const key = `${what.ply} ${what.code} ${what.why}`;
  const cost = costs.get(key);
  if (!cost) {
    costs.set(key, { ...what, mass, heaviest: mass, node });
    return;
  }
  cost.mass += mass;
  if (mass > cost.heaviest) Object.assign(cost, { heaviest: mass, node });
}

/** The moves that lead to a node, as the boards from which lines are drawn name them. */
function lineBefore(root, node, measure) {
  let here = root;
  return node.line.map((code) => {
    const san = sanOf(here.drawn(measure), code);
    here = here.children.find((child) => child.line.at(-1) === code);
    return san;
  }).join(" ");
}
