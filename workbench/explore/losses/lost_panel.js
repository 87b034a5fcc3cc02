// "Where lines die": the first actions at which p_m and r_m lose, as bars, and the actions that cost most, in words.
// Hooks: data-role="lost" (data-state "fresh" or "stale"), "lost-precision" and "lost-recall", in
// each "lost-total" (data-value), "loss-bar" and "costly-move" (data-line, data-share); "lost-reason".

import { htmlElement, subscripted } from "../page/svg.js";
import { probabilityText } from "../page/chart.js";
import { QUANTITIES, capitalised } from "../page/quantities.js";
import { lossBars } from "./loss_bars.js";

const LOST_PARTS = [["precision", "predicted", "true"], ["recall", "true", "predicted"]];

export class LostPanel {
  /** @param {{onStep: (line: string[]) => void, onPoint: (node: Object|null, look: string) => void, nouns: PairNouns}} options See pair_page.js. */
  constructor({ onStep, onPoint, nouns }) {
    Object.assign(this, { onStep, onPoint, nouns });
    this.reason = htmlElement("p", { class: "ws-quiet", "data-role": "lost-reason" }, "Computed after the numbers.");
    this.parts = htmlElement("div", { class: "ws-lost-parts" });
    this.element = htmlElement("div", { role: "group", class: "ws-panel ws-lost", "aria-label": "Where lines die", "data-role": "lost", "data-state": "stale" },
      htmlElement("div", { class: "ws-panel-head" }, htmlElement("h3", {}, "Where lines die"), this.reason), this.parts);
  }

  markStale() {
    this.element.dataset.state = "stale";
  }

  /** @param {Object} answer As loss_trees.py's loss_trees returns it. @param {number} depth Asked for. */
  show(answer, depth) {
    this.element.dataset.state = "fresh";
    const pictured = ["precision", "recall"].some((name) => answer[name].children.length);
    const shallower = answer.depth < depth ? ` For m = ${answer.depth}, not ${depth}: ${answer.reason}.` : "";
    this.reason.textContent = `${pictured ? "The length of a bar is the share of what is lost." : ""}${shallower}`;
    this.parts.replaceChildren(...LOST_PARTS.map((part) => this.part(part, answer)));
  }

  part([name, drawn, other], answer) {
    const meaning = `lines of the ${drawn} ${this.nouns.state} that the ${other} one refuses`;
    const { name: quantity, symbol: letter, look } = QUANTITIES[name];
    const title = capitalised(quantity);
    const root = answer[name];
    const total = htmlElement("span", { "data-role": "lost-total", "data-value": root.lost }, probabilityText(root.lost));
    const heading = htmlElement("h4", {}, htmlElement("span", { class: "ws-swatch", "aria-hidden": "true" }),
      `${title}: 1 − ${letter}`, htmlElement("sub", {}, String(answer.depth)), " = ", total);
    return htmlElement("div", { class: `ws-lost-part ws-look-${look}`, "data-role": `lost-${name}` },
      heading,
      htmlElement("p", { class: "ws-quiet" }, ...subscripted(rootWords(root, meaning))),
      root.lost > 0 && root.children.length > 0 ? lossBars(root, {
        title: `${title}: where lines die`, noun: this.nouns.action, onStep: this.onStep, onPoint: (node) => this.onPoint(node, look),
      }) : null,
      this.costliest(answer.costliest[name], look));
  }

  costliest(entries, look) {
    if (!entries.length) return null;
    const list = htmlElement("ol", { class: "ws-costliest", "aria-label": `The ${this.nouns.action}s that cost most` }, ...entries.map((entry) => {
      const before = entry.line.slice(0, -1);
      const words = [htmlElement("span", {}, entry.words)];
      const point = () => this.onPoint({ kind: "lost", line: entry.line }, look);
      const leave = () => this.onPoint(null, look);
      return htmlElement("li", { "data-role": "costly-move", "data-line": entry.line.join(" "), "data-share": entry.share, onpointerenter: point, onpointerleave: leave },
        before.length
          ? htmlElement("button", { type: "button", class: "ws-link", title: "Step to the point of loss", onclick: () => this.onStep(before), onfocus: point, onblur: leave }, ...words)
          : words[0]);
    }));
    return htmlElement("details", {}, htmlElement("summary", {}, `The ${this.nouns.action}s that cost most at any depth`), list);
  }
}

function rootWords(root, meaning) {
  if (!(root.lost > 0)) return `No loss: there are no ${meaning}.`;
  return root.children.length ? `What is lost: ${meaning}.` : root.words;
}
