// p_m and r_m in one line above the boards, with the status of the widget: both are in view while a
// piece is dragged. Hooks: data-role="headline" (data-state "fresh" or "stale"), in it
// "headline-precision" and "headline-recall" (data-value), "status" (role=status).

import { htmlElement } from "../page/svg.js";
import { probabilityText } from "../page/chart.js";
import { QUANTITIES } from "../page/quantities.js";
import { KERNEL_GONE } from "../page/requester.js";

/** The two measures: name, letter, and the board whose lines are drawn. */
export const MEASURES = ["precision", "recall"].map((name) => [name, QUANTITIES[name].symbol, QUANTITIES[name].look]);

const BEFORE_COMPUTING_IS_SAID = 250;

export class Headline {
  constructor() {
    this.words = { gone: "", progress: "", said: "" };
    this.timer = null;
    this.values = new Map(MEASURES.map(([name, , look]) =>
      [name, htmlElement("span", { class: `ws-headline-value ws-look-${look}`, "data-role": `headline-${name}` })]));
    this.status = htmlElement("p", { class: "ws-status", role: "status", "data-role": "status" });
    this.element = htmlElement("div", { class: "ws-headline", "data-role": "headline", "data-state": "stale" },
      htmlElement("p", { class: "ws-headline-values", "aria-live": "polite", "aria-atomic": "true" }, ...this.values.values()),
      this.status);
  }

  /** @param {{depths: number[], precision: Object[], recall: Object[]}} profile */
  show(profile) {
    for (const [name, letter, look] of MEASURES) {
      const entry = profile[name].at(-1);
      const depth = profile.depths.at(-1);
      const value = this.values.get(name);
      value.dataset.value = entry.value;
      value.title = `${QUANTITIES[name].name} ${letter} at depth m = ${depth}`;
      value.replaceChildren(htmlElement("span", { class: `ws-swatch ws-look-${look}`, "aria-hidden": "true" }),
        letter, htmlElement("sub", {}, String(depth)), " = ", htmlElement("strong", {}, ...measuredValue(entry)));
    }
  }

  /** Mark the numbers as those of an earlier state; after a moment the status says that new ones are computed. */
  markStale() {
    this.element.dataset.state = "stale";
    this.timer ??= setTimeout(() => this.progress(this.words.progress || "Computing …"), BEFORE_COMPUTING_IS_SAID);
  }

  markFresh() {
    this.element.dataset.state = "fresh";
    this.progress("");
  }

  /** Show what is under way before anything that was announced; "" when nothing is. */
  progress(words) {
    clearTimeout(this.timer);
    this.timer = null;
    this.words.progress = words;
    this.write();
  }

  /** Announce what has happened. */
  say(words) {
    this.words.said = words;
    this.write();
  }

  /** Nothing will be computed any more. */
  kernelGone() {
    this.words.gone = KERNEL_GONE;
    this.write();
  }

  dispose() {
    clearTimeout(this.timer);
  }

  write() {
    this.status.textContent = this.words.gone || this.words.progress || this.words.said;
  }
}

/** Write a value, with half the width of its interval where it is estimated. @returns {Array<string|Node>} */
export function measuredValue({ value, low, high }) {
  if (!(high > low)) return [probabilityText(value)];
  return [probabilityText(value), htmlElement("span", { class: "ws-plus-minus" }, ` ± ${((high - low) / 2).toPrecision(1)}`)];
}
