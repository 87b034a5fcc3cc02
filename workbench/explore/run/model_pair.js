// Two chosen models on the positions that both have: their difference, by length too; a click on a length
// shows its rows.

import { htmlElement, subscripted, svgElement } from "../page/svg.js";
import { spelledCount } from "../page/spelled_count.js";

const BAR = { width: 64, height: 44, edge: 3 };

export class ModelPair {
  /** @param {{onLength: (length: string) => void, onSort: (column: string) => void}} listeners */
  constructor(listeners) {
    this.listeners = listeners;
    this.text = htmlElement("span", { "aria-live": "polite", "data-role": "pair-words" });
    this.lengths = htmlElement("div", { class: "rb-lengths", role: "group" });
    this.sort = htmlElement("button", { type: "button", "data-role": "pair-sort", title: "Sort the rows by the difference at their position", text: "Sort rows by it", onclick: () => listeners.onSort("difference") });
    this.root = htmlElement("section", { class: "rb-pair ws-panel", "data-role": "pair", "aria-label": "Two models compared", hidden: true },
      htmlElement("p", {}, this.text, this.sort), this.lengths);
  }

  /** @param {Object|null} pair As Python's compare_two sends it. @param {number} depth @param {(name: string) => string} shortOf */
  show(pair, depth, shortOf) {
    this.root.hidden = !pair;
    if (!pair) return;
    this.text.replaceChildren(...subscripted(pairInWords({ ...pair, one: shortOf(pair.one), other: shortOf(pair.other) }, depth)));
    this.sort.hidden = pair.positions === 0;
    this.lengths.hidden = pair.by_length.length < 2;
    this.lengths.setAttribute("aria-label", `Difference of p_${depth} by length`);
    const most = Math.max(0.01, ...pair.by_length.flatMap(({ difference, low, high }) => [difference, low ?? 0, high ?? 0].map(Math.abs)));
    this.lengths.replaceChildren(...pair.by_length.map((each) => this.bar(each, most)));
  }

  bar(each, most) {
    const ends = each.low === null ? "no interval" : `95% ${signed(each.low)} to ${signed(each.high)}`;
    const label = `Length ${each.length}: ${signed(each.difference)}, ${ends}, ${spelledCount(each.positions)} positions`;
    return htmlElement("button", {
      type: "button", "data-role": "pair-length", "data-length": each.length, "aria-pressed": "false", "aria-label": label, title: label,
      onclick: () => this.listeners.onLength(each.length),
    }, barPicture(each, most), htmlElement("span", { text: `${each.length}: ${signed(each.difference)}` }));
  }

  /** @param {string[]} groups Those chosen. */
  follow(groups) {
    for (const button of this.lengths.children) button.setAttribute("aria-pressed", String(groups.includes(button.dataset.length)));
  }
}

/** A bar from the middle line up or down, with its interval. */
function barPicture({ difference, low, high }, most) {
  const { width, height, edge } = BAR;
  const middle = height / 2;
  const y = (value) => middle - (value / most) * (middle - edge);
  return svgElement("svg", { class: "rb-picture", viewBox: `0 0 ${width} ${height}`, "aria-hidden": "true" },
    svgElement("rect", { class: "rb-bar", x: width / 2 - 9, width: 18, y: Math.min(middle, y(difference)), height: Math.abs(y(difference) - middle) }),
    low === null ? null : svgElement("path", { class: "rb-whisker", d: `M${width / 2},${y(low)}V${y(high)}` }),
    svgElement("path", { class: "rb-axis", d: `M0,${middle}H${width}` }));
}

/** @param {number|null} value @returns {string} With its sign and three digits. */
export function signed(value) {
  if (value === null) return "none";
  return `${value < 0 ? "\u2212" : "+"}${Math.abs(value).toFixed(3)}`;
}

/** @param {Object} pair As Python's compare_two sends it. @param {number} depth @returns {string} */
export function pairInWords(pair, depth) {
  const { one, other, difference, low, high, positions, games, better, worse, equal } = pair;
  if (positions === 0) return `${one} and ${other} have no position in common among these rows.`;
  const ends = low === null ? "without an interval" : `95% ${signed(low)} to ${signed(high)}`;
  const counted = (count, word) => `${spelledCount(count)} ${word}${count === 1 ? "" : "s"}`;
  return `${one} less ${other}: p_${depth} ${signed(difference)} (${ends}) on ${counted(positions, "common position")} of ${counted(games, "game")}; ` +
    `higher at ${spelledCount(better)}, lower at ${spelledCount(worse)}, equal at ${spelledCount(equal)}.`;
}
