// Where a measure's loss begins, as bars with words: the first branches of the joint tree, those that lose
// equally much joined, the small ones one bar. Hooks: data-role="loss-bar" (data-line, data-kind, data-share).

import { htmlElement } from "../page/svg.js";
import { keepOneStop, roveByArrows } from "../page/focus.js";

const MOST_BARS = 6;
const MOST_NAMES = 6;
/** Losses that differ by less are equal. */
const EQUAL = 1e-9;

/**
 * One bar. @typedef {Object} LossRow
 * @property {string} kind "shared" (a line goes on after it), "lost" (it dies at it), or "merged".
 * @property {Object[]} nodes The branches. @property {number} lost Of all of them. @property {string} words
 */

/**
 * Return the bars of a tree, the greatest first.
 * @param {Object} root As loss_trees.py's loss_trees returns it. @param {string} noun Of an action. @returns {LossRow[]}
 */
export function lossRows(root, noun) {
  const rows = [];
  for (const node of root.children.filter(({ kind }) => kind !== "merged")) {
    const [reason] = reasonAndLoss(node);
    const equal = rows.find((row) => row.kind === node.kind && row.reason === reason && Math.abs(row.nodes[0].lost - node.lost) < EQUAL);
    if (equal) equal.nodes.push(node);
    else rows.push({ kind: node.kind, reason, nodes: [node] });
  }
  for (const row of rows) Object.assign(row, { lost: row.nodes.length * row.nodes[0].lost, words: rowWords(row, noun) });
  rows.sort((one, other) => other.lost - one.lost);
  const shown = rows.splice(MOST_BARS);
  const small = root.children.filter(({ kind }) => kind === "merged");
  const left = [...shown.flatMap(({ nodes }) => nodes), ...small];
  if (left.length) {
    const count = shown.reduce((sum, { nodes }) => sum + nodes.length, 0) + small.reduce((sum, { words }) => sum + Number.parseInt(words, 10), 0);
    const lost = left.reduce((sum, node) => sum + node.lost, 0);
    rows.push({ kind: "merged", nodes: left, lost, words: `${count} more ${noun}${count === 1 ? "" : "s"}: ${shareText(root.lost ? lost / root.lost : 0)} of what is lost` });
  }
  return rows;
}

function nameOf(node) {
  return node.words.slice(0, node.words.indexOf(": "));
}

/** Of "legal only in the prediction, 1.9% of p lost" both parts. */
function reasonAndLoss(node) {
  const said = node.words.slice(node.words.indexOf(": ") + 2);
  const comma = said.lastIndexOf(", ");
  return [said.slice(0, comma), said.slice(comma + 2)];
}

function rowWords({ nodes }, noun) {
  if (nodes.length === 1) return nodes[0].words;
  const [reason, loss] = reasonAndLoss(nodes[0]);
  const names = nodes.slice(0, MOST_NAMES).map(nameOf).join(", ");
  return `${nodes.length} ${noun}s, each ${loss}: ${names}${nodes.length > MOST_NAMES ? ", …" : ""}; ${reason}`;
}

/** Return the line to step to when a branch is chosen: a lost action itself cannot be made. */
export function lineToStep(node) {
  return node.kind === "lost" ? node.line.slice(0, -1) : node.line;
}

/**
 * Draw the bars.
 * @param {Object} root @param {{title: string, noun: string, onStep: (line: string[]) => void, onPoint: (node: Object|null) => void}} options
 * @returns {HTMLElement}
 */
export function lossBars(root, { title, noun, onStep, onPoint }) {
  const list = htmlElement("ul", { class: "ws-loss-bars", "aria-label": title }, ...lossRows(root, noun).map((row) => {
    const [node, ...others] = row.nodes;
    const line = others.length || row.kind === "merged" ? [] : lineToStep(node);
    const point = () => onPoint(others.length ? null : node);
    const share = root.lost > 0 ? row.lost / root.lost : 0;
    return htmlElement("li", { class: `ws-bar-${row.kind}` },
      htmlElement("span", { class: "ws-loss-bar", style: `width: ${(100 * share).toFixed(2)}%`, "aria-hidden": "true" }),
      htmlElement(line.length ? "button" : "span", {
        type: line.length ? "button" : null, class: line.length ? "ws-link" : null, title: line.length ? "Step there" : null,
        "data-role": "loss-bar", "data-kind": row.kind, "data-line": line.join(" "), "data-share": share,
        onclick: line.length ? () => onStep(line) : null,
        onpointerenter: point, onpointerleave: () => onPoint(null), onfocus: point, onblur: () => onPoint(null),
      }, row.words));
  }));
  roveByArrows(list, "button");
  keepOneStop(list, "button");
  return list;
}

/** Write a share in per cent: "8.1%", "less than 0.1%"; an undefined one as "an undefined share". */
export function shareText(share) {
  if (share === null || share === undefined) return "an undefined share";
  if (share > 0 && share < 0.001) return "less than 0.1%";
  return `${(100 * share).toFixed(1)}%`;
}
