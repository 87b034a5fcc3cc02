// An icicle: a tree whose branches are as wide as their loss, root on top.
// Hooks: data-role="icicle", "icicle-cell" (data-line, data-kind, data-share).

import { svgElement } from "../page/svg.js";

const ROW_HEIGHT = 26;
const NARROWEST = 1.2;
/** Longer names of actions are cut where they do not fit. */
const LONGEST_MOVE = 8;

/**
 * Place the nodes of a tree: each as wide as its share of the root's loss, children within it.
 * @param {Object} root A node with "lost" and "children".
 * @param {number} width
 * @returns {Array<{node: Object, x: number, width: number, level: number}>} The root first.
 */
export function icicleLayout(root, width) {
  const cells = [];
  const place = (node, x, level) => {
    const wide = root.lost > 0 ? (node.lost / root.lost) * width : 0;
    cells.push({ node, x, width: wide, level });
    let at = x;
    for (const child of node.children ?? []) {
      place(child, at, level + 1);
      at += root.lost > 0 ? (child.lost / root.lost) * width : 0;
    }
  };
  place(root, 0, 0);
  return cells;
}

/** Shorten a text to the characters that fit, or to nothing if too few fit. */
export function fitText(text, width, characterWidth = 6.6) {
  const room = Math.floor((width - 6) / characterWidth);
  if (text.length <= room) return text;
  return room >= 4 ? `${text.slice(0, room - 1)}…` : "";
}

/** Return the line to step to when a node is chosen: a lost move itself cannot be made. */
export function lineToStep(node) {
  return node.kind === "lost" ? node.line.slice(0, -1) : node.line;
}

/**
 * Draw an icicle, so many CSS pixels wide.
 * @param {Object} root As loss_trees.py returns it.
 * @param {{title: string, look: string, width: number, onStep: (line: string[]) => void, onPoint: (node: Object|null) => void}} options
 * @returns {SVGElement}
 */
export function icicle(root, { title, look, width, onStep, onPoint }) {
  const cells = icicleLayout(root, width).filter((cell) => cell.width >= NARROWEST);
  const levels = 1 + Math.max(...cells.map(({ level }) => level));
  const picture = svgElement("svg", {
    class: `ws-icicle ws-look-${look}`, viewBox: `0 0 ${width} ${levels * ROW_HEIGHT}`, width, height: levels * ROW_HEIGHT,
    role: "group", "aria-label": title, "data-role": "icicle",
  });
  const groups = cells.map((cell) => icicleCell(cell, { onStep, onPoint }));
  picture.append(...groups);
  rovingKeys(picture, groups.filter((group) => group.hasAttribute("tabindex")));
  return picture;
}

function icicleCell({ node, x, width, level }, { onStep, onPoint }) {
  const line = lineToStep(node);
  const words = `${node.words}: ${shareText(node.share)} of what is lost`;
  const act = (event) => {
    if (event.type === "keydown" && event.key !== "Enter" && event.key !== " ") return;
    event.preventDefault();
    onStep(line);
  };
  const steps = line.length > 0;
  return svgElement("g", {
    class: `ws-cell ws-cell-${node.kind}${steps ? " ws-steps" : ""}`, transform: `translate(${x} ${level * ROW_HEIGHT})`,
    "data-role": "icicle-cell", "data-kind": node.kind, "data-line": node.line.join(" "), "data-share": node.share ?? "",
    role: steps ? "button" : "img", tabindex: steps ? "-1" : null,
    "aria-label": steps ? `${words}; step there` : words,
    onclick: steps ? act : null, onkeydown: steps ? act : null,
    onpointerenter: () => onPoint(node), onpointerleave: () => onPoint(null),
  },
  svgElement("title", {}, words),
  svgElement("rect", { width: Math.max(0.5, width - 1), height: ROW_HEIGHT - 1.5, rx: 2 }),
  node.kind === "lost" && width > 8 ? svgElement("path", { class: "ws-lost-bar", d: `M0.5,${ROW_HEIGHT - 4}H${width - 1.5}` }) : null,
  svgElement("text", { x: 4, y: ROW_HEIGHT / 2 + 3.5, "aria-hidden": "true" }, cellText(node, width)));
}

/** A cell shows only its last action, because its position shows the rest: a short one whole, or not at all. */
export function cellText(node, width) {
  const [name] = node.words.split(": ");
  const isShort = ["lost", "shared"].includes(node.kind) && name.length <= LONGEST_MOVE;
  const fitting = fitText(node.kind === "root" ? node.words : name, width);
  return isShort && fitting.endsWith("…") ? "" : fitting;
}

function rovingKeys(picture, groups) {
  groups[0]?.setAttribute("tabindex", "0");
  picture.addEventListener("keydown", (event) => {
    const at = groups.indexOf(event.target);
    const to = { ArrowRight: at + 1, ArrowDown: at + 1, ArrowLeft: at - 1, ArrowUp: at - 1 }[event.key];
    if (at < 0 || to === undefined || !groups[to]) return;
    event.preventDefault();
    groups[at].setAttribute("tabindex", "-1");
    groups[to].setAttribute("tabindex", "0");
    groups[to].focus();
  });
}

/** Write a share in per cent: "8.1%", "<0.1%"; an undefined one as "an undefined share". */
export function shareText(share) {
  if (share === null || share === undefined) return "an undefined share";
  if (share > 0 && share < 0.001) return "less than 0.1%";
  return `${(100 * share).toFixed(1)}%`;
}
