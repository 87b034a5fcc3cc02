// EstimatorLab: the estimators run in small batches, requested by the page one at a time.
// Hooks: data-role="estimator-lab" (data-state = idle | running | stopped | done), "error", "status", "kernel",
// "verdict", "settings", "settings-words", "depth", "samples", "repeats", "seed", "measure", "drawing", "scale",
// "methods" with "method" (value),
// "start", "stop", "reset", "reference" (data-value, data-exact), "chart-box", "marks", "results" with
// tr[data-method] and td[data-cell] (data-value, data-error); and those of strip_chart.js.

import { QUANTITIES } from "../page/quantities.js";
import { htmlElement, keepShortcutsAway } from "../page/svg.js";
import { Requester } from "../page/requester.js";
import { KernelNote } from "../page/kernel_note.js";
import { hideStill } from "../page/still.js";
import { addBatches, allDone, doneCounts, wholeNumber } from "./estimator_numbers.js";
import { stripChart } from "./strip_chart.js";
import { aimInWords, measureName, resultsTable, rowsOf, verdict } from "./estimator_results.js";

const NUMBERS = { depth: "Depth m", samples: "Lines N", repeats: "Runs", seed: "Seed" };
/** The settings that determine a run's value; repeats and methods only select the runs. */
const DECISIVE = ["true_fen", "predicted_fen", "terminal", "ill_formed", "depth", "samples", "seed", "measure"];
const BOARDS = ["true_fen", "predicted_fen", "terminal", "ill_formed"];

class EstimatorLabView {
  constructor(model, element) {
    this.model = model;
    this.runs = {};
    this.aim = null;
    this.state = "idle";
    this.serial = 0;
    this.frame = 0;
    this.drawing = "dots";
    this.scale = "own";
    this.kernel = new KernelNote();
    this.requester = new Requester(model, {
      onFailed: (message) => this.fail(message),
      ...this.kernel.listeners(() => { if (this.state === "running") this.stop(); }),
    });
    this.requester.on("reference", (answer) => this.takeAim(answer));
    this.requester.on("more", (answer) => this.takeRuns(answer));
    element.append(this.build());
    this.changed = () => this.settingsChanged();
    for (const name of [...DECISIVE, "repeats", "methods"]) model.on(`change:${name}`, this.changed);
    this.key = this.decisive();
    this.boards = this.boardKey();
    this.resized = new ResizeObserver(() => this.redraw());
    this.resized.observe(this.chartBox);
    this.showSettings();
    this.setState("idle", "Start runs the estimators on these boards.");
    this.takeKeptRuns();
    this.askAim();
  }

  /** Show the last runs of these settings, which an earlier page may have asked for. */
  takeKeptRuns() {
    const question = Object.fromEntries(DECISIVE.map((name) => [name, this.model.get(name)]));
    this.runs = this.requester.kept("runs", question) ?? {};
    this.settle();
  }

  dispose() {
    this.requester.dispose();
    this.resized.disconnect();
    cancelAnimationFrame(this.frame);
    for (const name of [...DECISIVE, "repeats", "methods"]) this.model.off(`change:${name}`, this.changed);
  }

  build() {
    this.error = htmlElement("div", { class: "ws-alert", role: "alert", "data-role": "error" });
    this.status = htmlElement("p", { class: "ws-status", role: "status", "aria-live": "polite", "data-role": "status" });
    this.chartBox = htmlElement("div", { class: "ws-chart-box", "data-role": "chart-box" });
    this.results = htmlElement("div", { class: "ws-results ws-scroll", tabindex: "0", role: "group", "aria-label": "Results" });
    this.reference = htmlElement("p", { "data-role": "reference", "aria-live": "polite" });
    this.verdict = htmlElement("p", { class: "ws-verdict", "data-role": "verdict" });
    this.root = htmlElement("div", {
      class: "world-state estimator-lab", "data-lm-suppress-shortcuts": "true", onfocusin: keepShortcutsAway, "data-role": "estimator-lab",
      role: "group", "aria-label": "Estimator lab",
    },
    htmlElement("div", { class: "ws-head" }, htmlElement("h3", {}, "Estimator lab"), this.buildButtons()),
    this.error, htmlElement("div", { class: "ws-answer" }, this.verdict, this.reference, this.kernel.element),
    this.buildSettings(), this.chartBox, this.results);
    return this.root;
  }

  /** The settings are folded where the window is narrow: their summary has the values. */
  buildSettings() {
    this.summary = htmlElement("summary", { "data-role": "settings-words" });
    return htmlElement("details", { class: "ws-settings", "data-role": "settings", open: window.innerWidth >= 700 },
      this.summary, this.buildControls(), this.buildMethods());
  }

  buildControls() {
    this.fields = {};
    const limits = { ...this.model.get("limits"), seed: 2 ** 53 };
    const numbers = Object.entries(NUMBERS).map(([name, label]) => {
      const least = name === "seed" ? 0 : 1;
      this.fields[name] = htmlElement("input", {
        type: "number", inputmode: "numeric", min: least, max: limits[name], step: 1, "data-role": name,
        onchange: () => this.readNumber(name, label, least, limits[name]),
      });
      return htmlElement("label", {}, label, this.fields[name]);
    });
    this.fields.measure = htmlElement("select", { "data-role": "measure", onchange: () => this.set({ measure: this.fields.measure.value }) },
      ...["precision", "recall"].map((value) => htmlElement("option", { value }, `${QUANTITIES[value].name} ${QUANTITIES[value].symbol}`)));
    const choice = (name, label, words) => {
      const select = htmlElement("select", { "data-role": name, onchange: () => { this[name] = select.value; this.redraw(); } },
        ...Object.entries(words).map(([value, text]) => htmlElement("option", { value }, text)));
      return htmlElement("label", {}, label, select);
    };
    return htmlElement("div", { class: "ws-controls" }, ...numbers,
      htmlElement("label", {}, "Measure", this.fields.measure),
      choice("drawing", "Drawn as", { dots: "one dot per run", histogram: "histogram" }),
      choice("scale", "Scale", { own: "each its own", shared: "one for all" }));
  }

  buildMethods() {
    this.boxes = new Map(this.choices().map(({ name, label, explanation }) => {
      const id = `${this.requester.name}-${name}`;
      const box = htmlElement("input", {
        type: "checkbox", value: name, "data-role": "method", onchange: () => this.readMethods(), "aria-describedby": explanation && id,
      });
      const tip = explanation && htmlElement("span", { class: "ws-tip", role: "tooltip", id }, explanation);
      return [name, { box, label: htmlElement("span", { class: "ws-method" }, htmlElement("label", {}, box, label), tip) }];
    }));
    return htmlElement("fieldset", { class: "ws-methods", "data-role": "methods" },
      htmlElement("legend", {}, "Estimators"), ...[...this.boxes.values()].map(({ label }) => label));
  }

  buildButtons() {
    const button = (role, words, act) => htmlElement("button", { type: "button", "data-role": role, onclick: act }, words);
    this.buttons = {
      start: button("start", "Start", () => this.start()),
      stop: button("stop", "Stop", () => this.stop()),
      reset: button("reset", "Reset", () => this.reset("All runs are cleared.")),
    };
    return htmlElement("div", { class: "ws-buttons" }, ...Object.values(this.buttons), this.status);
  }

  choices() {
    return this.model.get("choices");
  }

  chosen() {
    const methods = this.model.get("methods");
    return this.choices().filter(({ name }) => methods.includes(name));
  }

  settings() {
    return Object.fromEntries([...DECISIVE, "repeats", "methods"].map((name) => [name, this.model.get(name)]));
  }

  decisive() {
    return JSON.stringify(DECISIVE.map((name) => this.model.get(name)));
  }

  boardKey() {
    return JSON.stringify(BOARDS.map((name) => this.model.get(name)));
  }

  set(values) {
    for (const [name, value] of Object.entries(values)) this.model.set(name, value);
    this.model.save_changes();
  }

  readNumber(name, label, least, most) {
    const value = wholeNumber(this.fields[name].value, least, most);
    this.fields[name].setAttribute("aria-invalid", String(value === null));
    if (value === null) this.fail(`${label}: expected a whole number from ${least} to ${most}, got "${this.fields[name].value}"; ${this.model.get(name)} stays.`);
    else {
      this.error.textContent = "";
      this.set({ [name]: value });
    }
  }

  readMethods() {
    this.set({ methods: [...this.boxes].filter(([, { box }]) => box.checked).map(([name]) => name) });
  }

  /** A control, Python or the followed board pair has changed a setting. */
  settingsChanged() {
    const boards = this.boardKey();
    const onOtherBoards = boards !== this.boards;
    this.boards = boards;
    this.showSettings();
    const key = this.decisive();
    if (key === this.key) {
      this.redraw();
      this.settle();
      return;
    }
    this.key = key;
    this.aim = null;
    this.requester.forget("reference");
    this.reset(onOtherBoards ? "Other boards: Start runs the estimators on them." : "Other settings: Start runs the estimators again.");
    // While pieces are dragged in a board pair nothing is computed here: the kernel has one thread.
    if (!onOtherBoards) this.askAim();
  }

  /** Update the state when other estimators, or more or fewer runs, are selected. */
  settle() {
    const names = this.names();
    const idle = this.aim !== null && !this.aim.runnable ? "There is nothing to sample." : "Start runs the estimators on these boards.";
    if (this.state === "running") return;
    if (names.length === 0) this.setState("idle", "No estimator is chosen.");
    else if (allDone(this.runs, names, this.model.get("repeats"))) this.setState("done", this.doneWords());
    else if (Object.keys(this.runs).length > 0) this.setState("stopped", `${this.countWords()} so far. Start continues.`);
    else this.setState("idle", idle);
  }

  names() {
    return this.chosen().map(({ name }) => name);
  }

  showSettings() {
    for (const [name, field] of Object.entries(this.fields)) {
      field.value = String(this.model.get(name));
      field.removeAttribute("aria-invalid");
    }
    const methods = this.model.get("methods");
    for (const [name, { box }] of this.boxes) box.checked = methods.includes(name);
    const { depth, samples, repeats, seed, measure } = this.settings();
    this.summary.textContent = `Settings: ${measureName(measure, depth)}, N = ${samples}, ${repeats} runs of ${methods.length} `
      + `${methods.length === 1 ? "estimator" : "estimators"}, seed ${seed}`;
  }

  start() {
    this.error.textContent = "";
    this.serial += 1;
    this.setState("running", "Running.");
    if (this.aim === null && this.requester.idle("reference")) this.askAim(true);
    this.askMore();
  }

  stop() {
    this.requester.forget("more");
    this.setState("stopped", `Stopped after ${this.countWords()}. Start continues.`);
  }

  reset(words) {
    this.requester.forget("more");
    // Else a saved notebook would keep the cleared runs.
    if (this.state === "running" || Object.keys(this.runs).length > 0) this.requester.ask("reset", {}, true);
    this.runs = {};
    this.error.textContent = "";
    this.setState("idle", words);
    this.redraw();
  }

  askAim(atOnce = false) {
    this.reference.textContent = "The exact value is being computed.";
    this.requester.ask("reference", { settings: this.settings() }, atOnce);
  }

  askMore() {
    const done = doneCounts(this.runs, this.names());
    this.requester.ask("more", { run: this.serial, settings: this.settings(), done }, true);
  }

  takeAim(answer) {
    this.aim = answer;
    this.redraw();
    if (answer.runnable) this.setState(this.state, this.status.textContent);
    else {
      this.requester.forget("more");
      this.setState("idle", "There is nothing to sample.");
    }
  }

  takeRuns(answer) {
    if (this.state !== "running" || answer.run !== this.serial) return;
    try {
      this.runs = addBatches(this.runs, answer.batches);
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      this.fail(error.message);
      return;
    }
    this.redraw();
    const nothing = Object.keys(answer.batches).length === 0;
    if (nothing || allDone(this.runs, this.names(), this.model.get("repeats"))) {
      this.setState("stopped", "");
      this.settle();
    } else this.askMore();
  }

  doneWords() {
    return `Done: ${this.countWords()}.`;
  }

  countWords() {
    const counts = Object.values(doneCounts(this.runs, this.names()));
    const [least, most] = [Math.min(...counts), Math.max(...counts)];
    return least === most ? `${most} runs of each estimator` : `${least} to ${most} runs of each estimator`;
  }

  fail(message) {
    this.error.textContent = message;
    if (this.aim === null) this.reference.textContent = "";
    if (this.state === "running") this.stop();
  }

  say(words) {
    if (this.status.textContent !== words) this.status.textContent = words;
  }

  setState(state, words) {
    this.state = state;
    this.root.dataset.state = state;
    this.say(words);
    const nothing = this.names().length === 0 || (this.aim !== null && !this.aim.runnable);
    const active = document.activeElement;
    this.buttons.start.disabled = state === "running" || state === "done" || nothing;
    this.buttons.stop.disabled = state !== "running";
    // A disabled button would lose the keyboard's focus.
    const { start, stop, reset } = this.buttons;
    if (active?.disabled && Object.values(this.buttons).includes(active)) [stop, start, reset].find((one) => !one.disabled).focus();
  }

  /** Draw with the next frame, once for all batches before it. */
  redraw() {
    cancelAnimationFrame(this.frame);
    this.frame = requestAnimationFrame(() => this.draw());
  }

  draw() {
    const width = Math.floor(this.chartBox.clientWidth);
    if (width === 0) return;
    const { measure, depth, samples } = this.settings();
    this.root.dataset.measure = measure;
    const rows = rowsOf(this.chosen(), this.runs, this.aim);
    const name = measureName(measure, depth);
    this.chartBox.replaceChildren(stripChart({
      width, rows, aim: this.aim, drawing: this.drawing, scale: this.scale,
      title: `Single runs of ${rows.length} estimators of ${name}; the table below has the numbers`,
      xLabel: this.scale === "own" ? `distance of a single run from ${name}; N = ${samples}` : `${name} by a single run, N = ${samples}`,
    }), htmlElement("p", { class: "ws-status", "data-role": "marks" }, "Dot: one run. Diamond: mean of the runs ± 2 standard errors."));
    this.results.replaceChildren(resultsTable(rows, name));
    const [first = "", ...others] = this.aim?.runnable === false ? [] : verdict(rows, name);
    this.verdict.replaceChildren(htmlElement("strong", {}, first), ` ${others.join(" ")}`);
    if (this.aim) {
      this.reference.textContent = aimInWords(this.aim, name);
      this.reference.dataset.value = String(this.aim.value);
      this.reference.dataset.exact = String(this.aim.exact);
    } else {
      delete this.reference.dataset.value;
      if (this.requester.idle("reference")) this.reference.textContent = "";
    }
  }
}

function render({ model, el }) {
  hideStill(model, el);
  const view = new EstimatorLabView(model, el);
  return () => view.dispose();
}

export default { render };
