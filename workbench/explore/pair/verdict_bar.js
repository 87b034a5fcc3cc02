// The verdict on a pair, in view while the page scrolls: p_m, r_m and F_m, what is lost, and what each
// difference costs, with a button that corrects it; beside them the status of the widget.
// Hooks: data-role="verdict" (data-state "fresh" or "stale"), in it "verdict-precision", "verdict-recall"
// and "verdict-f" (data-value), "verdict-before" (the value before), "verdict-lost", "status" (role=status);
// "causes" (data-state) with "cause" (data-precision, data-recall: what correcting it wins), "all-causes",
// "causes-note", "circumstance", "main-cause"; "undo-correction" (hidden unless the last change is one).

import { htmlElement } from "../page/svg.js";
import { probabilityText } from "../page/chart.js";
import { QUANTITIES, capitalised } from "../page/quantities.js";
import { keepOneStop, roveByArrows } from "../page/focus.js";
import { KERNEL_GONE } from "../page/requester.js";

/** The two measures: name, letter, and the board whose lines are drawn. */
export const MEASURES = ["precision", "recall"].map((name) => [name, QUANTITIES[name].symbol, QUANTITIES[name].look]);

const BEFORE_COMPUTING_IS_SAID = 250;
/** Milliseconds for which the values before a correction stay beside the new ones. */
const VALUES_BEFORE = 5000;
/** Gains below this are written as nothing. */
const SMALLEST_GAIN = 0.005;
/** Of more causes than this the rest is folded away; on a phone of one less. */
const FIRST_CAUSES = 3;

export class VerdictBar {
  /** @param {{nouns: PairNouns, onMend: (cause: Object) => void, onUndo: () => void}} options See pair_page.js. */
  constructor({ nouns, onMend, onUndo }) {
    Object.assign(this, { nouns, onMend, before: null, last: null });
    this.words = { gone: "", progress: "", said: "", undo: false };
    this.timer = null;
    this.values = new Map([...MEASURES.map(([name, , look]) => [name, look]), ["f", "plain"]].map(([name, look]) =>
      [name, htmlElement("span", { class: `ws-verdict-value ws-look-${look}`, "data-role": `verdict-${name}` })]));
    this.lost = htmlElement("span", { class: "ws-verdict-lost", "data-role": "verdict-lost" });
    this.status = htmlElement("p", { class: "ws-status", role: "status", "data-role": "status" });
    this.undo = htmlElement("button", { type: "button", class: "ws-link", "data-role": "undo-correction", hidden: true, onclick: onUndo }, "undo");
    this.list = htmlElement("ul", { class: "ws-causes", "aria-label": "What each difference costs, the most expensive first" });
    roveByArrows(this.list, "button");
    this.all = htmlElement("button", { type: "button", class: "ws-link", "data-role": "all-causes", "aria-expanded": "false", hidden: true, onclick: () => this.unfold() });
    this.note = htmlElement("span", { "data-role": "causes-note" });
    this.causes = htmlElement("div", { class: "ws-verdict-causes", "data-role": "causes", "data-state": "stale" },
      this.list, htmlElement("div", { class: "ws-verdict-foot" }, this.all, this.note, this.status, this.undo));
    this.element = htmlElement("div", { class: "ws-verdict", role: "group", "aria-label": "Verdict", "data-role": "verdict", "data-state": "stale" },
      htmlElement("p", { class: "ws-verdict-values", "aria-live": "polite", "aria-atomic": "true" }, ...this.values.values(), this.lost),
      this.causes);
  }

  /** @param {{depths: number[], precision: Object[], recall: Object[]}} profile @param {boolean} predicted Whether there is a predicted state. */
  show(profile, predicted) {
    const depth = profile.depths.at(-1);
    const [precision, recall] = MEASURES.map(([name]) => profile[name].at(-1));
    const f = { value: harmonicMean(precision.value, recall.value) };
    const now = { precision, recall, f };
    const before = this.before?.depth === depth ? this.before : null;
    for (const [name, letter, look] of [...MEASURES, ["f", "F", "plain"]]) {
      const value = this.values.get(name);
      value.dataset.value = now[name].value;
      value.title = name === "f" ? `Harmonic mean of p and r at depth m = ${depth}` : `${capitalised(QUANTITIES[name].name)} at depth m = ${depth}`;
      value.replaceChildren(...(name === "f" ? [] : [htmlElement("span", { class: `ws-swatch ws-look-${look}`, "aria-hidden": "true" })]),
        letter, htmlElement("sub", {}, String(depth)), " = ",
        ...(before && before[name] !== now[name].value ? [htmlElement("span", { class: "ws-before", "data-role": "verdict-before" }, `${probabilityText(before[name])} → `)] : []),
        htmlElement("strong", {}, ...measuredValue(now[name])));
    }
    this.predicted = predicted;
    this.lost.textContent = predicted ? lostWords(precision.value, recall.value, this.nouns) : `No ${this.nouns.state} was predicted: p and r are 0.`;
    this.last = { depth, precision: precision.value, recall: recall.value, f: f.value };
    if (before) this.forgetBefore = setTimeout(() => this.dropBefore(), VALUES_BEFORE);
    this.before = null;
  }

  /** The next values are shown with those of now beside them. */
  keepBefore() {
    clearTimeout(this.forgetBefore);
    this.dropBefore();
    this.before = this.last;
  }

  dropBefore() {
    this.element.querySelectorAll("[data-role=verdict-before]").forEach((one) => one.remove());
  }

  /** @param {Object} answer As main_cause.py's pair_causes returns it. @param {number} depth Asked for. */
  showCauses({ depth, now, differences, circumstances }, asked) {
    this.causes.dataset.state = "fresh";
    this.list.replaceChildren(...differences.map((cause) => htmlElement("li", {}, this.chip(cause, now, depth))));
    keepOneStop(this.list, "button");
    this.causes.dataset.count = differences.length > FIRST_CAUSES ? "many" : differences.length === FIRST_CAUSES ? "some" : "few";
    this.all.hidden = differences.length < FIRST_CAUSES;
    this.all.textContent = `All ${differences.length} causes`;
    const shallower = depth < asked && differences.length > 0 ? [`Causes at m = ${depth}.`] : [];
    const main = circumstances.length ? [] : mainCause(now, differences);
    const sentences = [...circumstances.map((words) => ["circumstance", words]), ...main.map((words) => ["main-cause", words])];
    this.note.replaceChildren(...sentences.flatMap(([role, words]) => [htmlElement("span", { "data-role": role }, words), " "]),
      [...shallower, this.predicted ? causesInWords(now.precision, differences, this.nouns) : ""].join(" "));
  }

  chip(cause, now, depth) {
    const gains = MEASURES.map(([name, letter]) => [name, letter, cause[name] - now[name]]);
    const values = MEASURES.map(([name, letter]) => `${letter} at m = ${depth} from ${probabilityText(now[name])} to ${probabilityText(cause[name])}`);
    const costs = gains.filter(([name, , gain]) => name === "precision" || Math.abs(gain) >= SMALLEST_GAIN);
    return htmlElement("button", {
      type: "button", class: "ws-cause", "data-role": "cause", title: `${capitalised(cause.words)}. Corrected alone: ${values.join(", ")}`,
      "data-label": cause.label, ...Object.fromEntries(gains.map(([name, , gain]) => [`data-${name}`, gain])),
      onclick: () => this.causes.dataset.state === "fresh" && this.onMend(cause),
    },
    htmlElement("span", { class: "ws-cause-label" }, capitalised(cause.label)), " ",
    ...costs.flatMap(([, letter, gain]) => [htmlElement("span", { class: "ws-cause-cost" }, `${letter}\u00a0${costText(gain)}`), " "]),
    htmlElement("span", { class: "ws-cause-mend" }, "mend"));
  }

  unfold() {
    const open = this.all.getAttribute("aria-expanded") !== "true";
    this.all.setAttribute("aria-expanded", String(open));
    this.causes.classList.toggle("ws-unfolded", open);
  }

  /** Mark the numbers as those of an earlier state; after a moment the status says that new ones are computed. */
  markStale() {
    this.element.dataset.state = "stale";
    this.causes.dataset.state = "stale";
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

  /** Announce what has happened, and whether undo beside it takes it back. */
  say(words, undo = false) {
    Object.assign(this.words, { said: words, undo });
    this.write();
  }

  /** Nothing will be computed any more. */
  kernelGone() {
    this.words.gone = KERNEL_GONE;
    this.write();
  }

  dispose() {
    clearTimeout(this.timer);
    clearTimeout(this.forgetBefore);
  }

  write() {
    this.status.textContent = this.words.gone || this.words.progress || this.words.said;
    this.undo.hidden = !this.words.undo || this.words.gone !== "";
  }
}

/** Return the sentence of the first difference if correcting it wins back half of what p or r loses; it says what is true. */
function mainCause(now, [first]) {
  const dominant = first && MEASURES.some(([name]) => now[name] < 1 && first[name] - now[name] >= (1 - now[name]) / 2);
  return dominant ? [`${capitalised(first.words)}.`] : [];
}

/** Return F, 0 where both are 0; null where one of them is not computed. */
export function harmonicMean(precision, recall) {
  if (precision === null || recall === null) return null;
  return precision + recall > 0 ? (2 * precision * recall) / (precision + recall) : 0;
}

/** Say what is lost. @param {PairNouns} nouns */
export function lostWords(precision, recall, { state }) {
  if (precision === null || recall === null) return "";
  const [ofPredicted, ofTrue] = [precision, recall].map((value) => wholePercent(1 - value));
  if (precision === 1 && recall === 1) return "Nothing is lost.";
  return `The true ${state} refuses ${ofPredicted} of the predicted lines, the predicted one ${ofTrue} of the true lines.`;
}

/** Write a share as a whole percentage, with none that is not 0 or 1 as such. @param {number} share @returns {string} */
export function wholePercent(share) {
  if (share > 0 && share < 0.01) return "under 1%";
  return share < 1 && share > 0.99 ? "over 99%" : `${Math.round(100 * share)}%`;
}

/** Write what correcting a difference wins as what it costs: "−0.57"; a "+" where correcting it alone costs more. */
export function costText(gain) {
  if (Math.abs(gain) < SMALLEST_GAIN) return "0.00";
  return `${gain > 0 ? "−" : "+"}${Math.abs(gain).toFixed(2)}`;
}

/**
 * Compare what the corrections win one by one with all that is lost of p.
 * @param {number} precision @param {Object[]} differences Each with the precision after its correction alone. @param {PairNouns} nouns
 */
export function causesInWords(precision, differences, { state }) {
  const lost = 1 - precision;
  if (!differences.length) return lost > 0 ? `There is no difference that can be corrected alone.` : `No difference of these ${state}s changes what is permitted.`;
  const won = differences.reduce((sum, each) => sum + each.precision - precision, 0);
  const [one, other] = [won, lost].map((value) => (Math.round(100 * value) / 100 + 0).toFixed(2));
  if (one === other || differences.length === 1) return "";
  const parts = `One by one they give back ${one} of the ${other} of p that is lost: `;
  return parts + (won < lost ? "the errors hide each other." : "some lines come back with either correction.");
}

/** Write a value, with half the width of its interval where it is estimated. @returns {Array<string|Node>} */
export function measuredValue({ value, low, high }) {
  if (!(high > low)) return [probabilityText(value)];
  return [probabilityText(value), htmlElement("span", { class: "ws-plus-minus" }, ` ± ${((high - low) / 2).toPrecision(1)}`)];
}
