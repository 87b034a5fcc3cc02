// Precision and recall by depth, as chart and table; the measures on the text; how it is
// measured. Hooks: data-role="depth", "depth-value", "terminal", "ill-formed", "numbers"
// (data-state "fresh" or "stale", data-serial counts answers), "profile-row" (data-depth) with
// "precision" and "recall" (data-value, data-low, data-high, data-method), "profile-reason",
// the measures on the text by the roles that they are given.

import { htmlElement } from "../page/svg.js";
import { lineChart, probabilityText } from "../page/chart.js";
import { FINISHED_WORDS, ILL_FORMED_WORDS } from "../page/policy_words.js";
import { QUANTITIES, capitalised } from "../page/quantities.js";
import { MEASURES, measuredValue } from "./verdict_bar.js";

const DEEPEST = 8;

export class NumbersPanel {
  /**
   * @param {Object} options
   * @param {Object} options.settings
   * @param {(settings: Object, atOnce: boolean) => void} options.onSettings
   * @param {PairNouns} options.nouns See pair_page.js.
   * @param {(view: Object) => Array<[string, string, string]>} options.facts Name, role and value of the measures on the text.
   * @param {number} [options.deepest] The greatest m that can be chosen.
   */
  constructor({ settings, onSettings, nouns, facts, deepest = DEEPEST }) {
    Object.assign(this, { onSettings, nouns, facts, deepest });
    this.answers = 0;
    this.buildControls();
    this.chart = htmlElement("div", { class: "ws-chart-box" });
    this.rows = htmlElement("tbody", {});
    this.reason = htmlElement("p", { class: "ws-quiet ws-reason", "data-role": "profile-reason" });
    this.text = htmlElement("dl", { class: "ws-facts" });
    this.numbers = htmlElement("div", { class: "ws-numbers", "data-role": "numbers", "data-state": "stale", "data-serial": "0" },
      htmlElement("div", { class: "ws-profile-table" }, this.table(), this.reason),
      this.text);
    this.element = htmlElement("div", { role: "group", class: "ws-panel ws-measures", "aria-label": "Precision and recall" },
      this.controls, this.chart, this.numbers);
    this.showSettings(settings);
  }

  buildControls() {
    const { deepest } = this;
    const { state, action, within, episode, asIs } = this.nouns;
    const ask = (atOnce) => this.onSettings(this.settings(), atOnce);
    this.depthValue = htmlElement("span", { "data-role": "depth-value" });
    this.depth = htmlElement("input", {
      type: "range", min: 1, max: deepest, step: 1, "data-role": "depth", "aria-label": "Depth m",
      oninput: () => { this.depthValue.textContent = this.depth.value; ask(false); },
    });
    this.terminal = htmlElement("select", { "data-role": "terminal", onchange: () => ask(true) },
      ...policyOptions(FINISHED_WORDS));
    this.illFormed = htmlElement("select", { "data-role": "ill-formed", onchange: () => ask(true) },
      ...policyOptions(ILL_FORMED_WORDS));
    this.controls = htmlElement("div", { class: "ws-settings", role: "group", "aria-label": "How it is measured" },
      htmlElement("label", { class: "ws-depth" }, htmlElement("span", {}, "Depth m = ", this.depthValue), this.depth),
      hinted(`Finished ${episode}s`, this.terminal, `${capitalised(withArticle(episode))} that is finished before m ${action}s. Complete lines (absorb): the line counts if it is finished ${within} both ${state}s. Left out (drop): the line and its mass are discarded.`),
      hinted(`Ill-formed ${state}s`, this.illFormed, `A predicted ${state} that cannot arise. As they are (as_is): ${asIs}. No state (sink): p = r = 0.`));
  }

  settings() {
    return { depth: Number(this.depth.value), terminal: this.terminal.value, ill_formed: this.illFormed.value };
  }

  showSettings({ depth, terminal, ill_formed: illFormed }) {
    this.depth.max = String(Math.max(this.deepest, depth));
    this.depth.value = String(depth);
    this.depthValue.textContent = String(depth);
    this.terminal.value = terminal;
    this.illFormed.value = illFormed;
  }

  table() {
    const { state, action } = this.nouns;
    const head = (text, title, look) => htmlElement("th", { scope: "col", title, class: look && `ws-look-${look}` },
      look && htmlElement("span", { class: "ws-swatch", "aria-hidden": "true" }), text);
    return htmlElement("table", { class: "ws-table" },
      htmlElement("thead", {}, htmlElement("tr", {},
        head("m", `${capitalised(action)}s`), head(`${QUANTITIES.precision.name} p`, `Share of the predicted ${state}'s lines that the true ${state} accepts`, "predicted"),
        head(`${QUANTITIES.recall.name} r`, `Share of the true ${state}'s lines that the predicted ${state} accepts`, "true"))),
      this.rows);
  }

  factsOf(view) {
    return this.facts(view).flatMap(([name, role, value]) => [
      htmlElement("dt", {}, name),
      htmlElement("dd", { "data-role": role, "data-class": role.endsWith("-class") ? view.predicted.class : null }, value),
    ]);
  }

  /** Mark the numbers as those of an earlier state, until the next answer. */
  markStale() {
    this.numbers.dataset.state = "stale";
  }

  markFresh() {
    this.numbers.dataset.state = "fresh";
  }

  /** @param {Object} view As pair_view.py's pair_view returns it. */
  show(view) {
    const { depths, precision, recall, reason } = view.profile;
    this.rows.replaceChildren(...depths.map((depth, index) => profileRow(depth, precision[index], recall[index])));
    this.reason.textContent = `${capitalised(reason)}.`;
    this.chart.replaceChildren(lineChart({
      title: profileInWords(view.profile), xLabel: `${this.nouns.action}s m`, yLabel: "probability", width: 340, height: 200,
      xTicks: depths.length <= 12 ? depths : undefined,
      series: MEASURES.map(([name, letter, look]) => series(`${QUANTITIES[name].name} ${letter}`, look, depths, view.profile[name])),
    }));
    this.text.replaceChildren(...this.factsOf(view));
    this.answers += 1;
    this.numbers.dataset.serial = String(this.answers);
    this.markFresh();
  }
}

/** Say the last values of a profile in a sentence, for screen readers. @param {Object} profile */
export function profileInWords({ depths, precision, recall }) {
  const last = depths.length - 1;
  return `Precision and recall from depth ${depths[0]} to ${depths[last]}: at the end precision is ` +
    `${intervalText(precision[last])} and recall ${intervalText(recall[last])}`;
}

/** Write a value, with half the width of its interval where it is estimated. */
export function intervalText({ value, low, high }) {
  if (!(high > low)) return probabilityText(value);
  return `${probabilityText(value)} (${probabilityText(low)} to ${probabilityText(high)})`;
}

function series(name, look, depths, values) {
  const points = depths.map((depth, index) => {
    const { value, low, high, method } = values[index];
    return { x: depth, y: value, low, high, note: `${name} at m = ${depth}: ${intervalText(values[index])}, ${method}` };
  });
  return { name, look, points };
}

function profileRow(depth, precision, recall) {
  return htmlElement("tr", { "data-role": "profile-row", "data-depth": depth },
    htmlElement("th", { scope: "row" }, String(depth)), profileCell("precision", precision), profileCell("recall", recall));
}

function profileCell(role, entry) {
  const { value, low, high, method } = entry;
  return htmlElement("td", {
    "data-role": role, "data-value": value, "data-low": low, "data-high": high, "data-method": method,
    title: high > low ? `95% interval ${probabilityText(low)} to ${probabilityText(high)}, ${method}` : method,
  }, ...measuredValue(entry));
}

/** Exact match and edit distance, which the states of every environment have. @param {Object} text */
export function textFacts(text) {
  return [
    ["Exact match", "exact-match", text.exact_match ? "yes" : "no"],
    [capitalised(QUANTITIES.edit_distance.name), "levenshtein", `${text.levenshtein}${text.levenshtein_to_empty ? " (to no text)" : ""}`],
  ];
}

function policyOptions(words) {
  return Object.entries(words).map(([value, text]) => htmlElement("option", { value }, text));
}

let hints = 0;

/** A control with what it does, shown while it is pointed at or has the focus. */
function hinted(name, control, words) {
  hints += 1;
  const hint = htmlElement("span", { class: "ws-hint", role: "tooltip", id: `ws-hint-${hints}` }, words);
  control.setAttribute("aria-describedby", hint.id);
  return htmlElement("div", { class: "ws-setting" }, htmlElement("label", {}, name, control), hint);
}

function withArticle(noun) {
  return `${/^[aeiou]/.test(noun) ? "an" : "a"} ${noun}`;
}
