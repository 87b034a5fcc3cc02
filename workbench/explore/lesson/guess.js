// Guess: a question; one guess is sent to the kernel, which answers with the value.
// Hooks: data-role="guess" (data-state = open | made), "prompt", "number", "slider", "choice" (value), "submit",
// "error", "kernel", "outcome" (data-points), "because", "scale", "score" (data-points, data-of).

import { htmlElement, keepShortcutsAway, subscripted, svgElement } from "../page/svg.js";
import { Requester } from "../page/requester.js";
import { KernelNote } from "../page/kernel_note.js";
import { hideStill } from "../page/still.js";
import { readGuess, scoreInWords, shareOfScale } from "./guess_words.js";

const GONE = "The kernel was restarted or shut down: run all cells again. Stored guesses come back.";
const SCALE = { width: 320, height: 46, left: 8, line: 24 };

class GuessView {
  constructor(model, element) {
    this.model = model;
    this.kernel = new KernelNote(GONE);
    this.requester = new Requester(model, { onFailed: (message) => this.fail(message), ...this.kernel.listeners() });
    element.append(this.build());
    this.changed = () => this.show();
    for (const name of ["outcome", "score"]) model.on(`change:${name}`, this.changed);
    this.show();
  }

  dispose() {
    this.requester.dispose();
    for (const name of ["outcome", "score"]) this.model.off(`change:${name}`, this.changed);
  }

  build() {
    this.error = htmlElement("div", { class: "ws-alert", role: "alert", "data-role": "error" });
    this.submit = htmlElement("button", { type: "submit", "data-role": "submit" }, "Guess, then reveal");
    this.form = htmlElement("form", { novalidate: true, onsubmit: (event) => this.send(event), onkeydown: (event) => this.enter(event) },
      htmlElement("fieldset", {},
        htmlElement("legend", { "data-role": "prompt" }, ...subscripted(this.model.get("prompt"))), ...this.fields()),
      this.submit);
    this.outcome = htmlElement("div", { class: "ws-outcome", role: "status", tabindex: "-1", "aria-label": "Outcome", "data-role": "outcome" });
    this.score = htmlElement("p", { class: "ws-quiet", "data-role": "score" });
    this.root = htmlElement("div", {
      class: "world-state guess ws-panel", "data-lm-suppress-shortcuts": "true", onfocusin: keepShortcutsAway,
      "data-role": "guess", "data-state": "open", role: "group", "aria-label": "Guess before the value is shown",
    }, this.form, this.error, this.kernel.element, this.outcome, this.score);
    return this.root;
  }

  fields() {
    const choices = this.model.get("choices");
    if (choices.length > 0) {
      // Radio buttons of one form share a name, and no two widgets share a form.
      return choices.map((text, index) => htmlElement("label", { class: "ws-choice" },
        htmlElement("input", { type: "radio", name: "choice", value: "abcdefghijklmnopqrstuvwxyz"[index], "data-role": "choice" }), htmlElement("span", {}, ...subscripted(text))));
    }
    const [low, high] = this.model.get("bounds");
    this.number = htmlElement("input", {
      type: "text", inputmode: "decimal", autocomplete: "off", "data-role": "number", "aria-label": "Your guess",
      oninput: () => this.follow(),
    });
    if (high === null) return [this.number];
    // The value last: its default is the middle of a range of 0 to 100.
    this.slider = htmlElement("input", {
      type: "range", min: low, max: high, step: (high - low) / 100, value: (low + high) / 2, "aria-label": "Your guess, as a slider", "data-role": "slider",
      oninput: () => { this.number.value = String(Number(this.slider.value)); },
    });
    return [this.number, htmlElement("span", { class: "ws-quiet" }, String(low)), this.slider, htmlElement("span", { class: "ws-quiet" }, String(high))];
  }

  /** The slider stands where the number is. */
  follow() {
    const given = readGuess(this.number.value, this.model.get("bounds"));
    if (this.slider && given !== null) this.slider.value = String(given);
  }

  /** In JupyterLab the Enter key in a field submits no form by itself. */
  enter(event) {
    if (event.key !== "Enter" || event.target.localName !== "input") return;
    event.preventDefault();
    this.form.requestSubmit();
  }

  send(event) {
    event.preventDefault();
    this.error.textContent = "";
    const chosen = this.form.querySelector("[data-role=choice]:checked");
    const [low, high] = this.model.get("bounds");
    const given = this.number ? readGuess(this.number.value, [low, high]) : chosen?.value ?? null;
    this.number?.setAttribute("aria-invalid", String(given === null));
    if (given === null) {
      this.fail(this.number ? `Enter a number${high === null ? ` of at least ${low}` : ` from ${low} to ${high}`} first.` : "Choose an answer first.");
      (this.number ?? this.form.querySelector("input")).focus();
      return;
    }
    this.requester.ask("guess", { given }, true);
  }

  fail(message) {
    this.error.textContent = message;
  }

  show() {
    const outcome = this.model.get("outcome");
    const made = outcome.said !== undefined;
    const score = this.model.get("score");
    this.score.textContent = scoreInWords(score);
    Object.assign(this.score.dataset, { points: score.points, of: score.of });
    if (!made || this.root.dataset.state === "made") return;
    this.root.dataset.state = "made";
    const focused = this.root.contains(this.root.getRootNode().activeElement);
    this.fill(outcome.guess);
    for (const field of this.form.elements) field.disabled = true;
    this.submit.hidden = true;
    this.outcome.dataset.points = outcome.points;
    this.outcome.replaceChildren(
      htmlElement("p", { class: "ws-said" }, ...subscripted(outcome.said)), this.scale(outcome),
      ...(outcome.because ? [htmlElement("p", { "data-role": "because" }, ...subscripted(outcome.because))] : []));
    // What had the focus is disabled now.
    if (focused) this.outcome.focus({ preventScroll: true });
  }

  /** Show a guess as it was made, also where the page is loaded anew. */
  fill(guess) {
    if (!this.number) {
      this.form.querySelector(`[data-role=choice][value="${guess}"]`).checked = true;
    } else if (this.number.value === "") {
      this.number.value = String(guess);
      this.follow();
    }
  }

  /** The guess and the value on a line; the sentence above it says the same. */
  scale(outcome) {
    const bounds = this.model.get("bounds");
    if (bounds.length === 0 || bounds[1] === null) return "";
    const { width, height, left, line } = SCALE;
    const at = (number) => left + (width - 2 * left) * shareOfScale(number, bounds);
    const guess = at(outcome.guess);
    const value = at(outcome.value);
    const name = (x, y, words) => svgElement("text", { x, y, "text-anchor": x < 40 ? "start" : x > width - 40 ? "end" : "middle" }, words);
    return svgElement("svg", { viewBox: `0 0 ${width} ${height}`, class: "ws-chart ws-scale", "aria-hidden": "true", "data-role": "scale" },
      svgElement("line", { x1: left, x2: width - left, y1: line, y2: line, class: "ws-axis" }),
      svgElement("circle", { cx: guess, cy: line, r: 5, class: "ws-guessed" }), name(guess, line - 10, "guess"),
      svgElement("path", { d: `M${value - 6},${line}l6,-6l6,6l-6,6z`, class: "ws-answer" }), name(value, line + 19, "answer"));
  }
}

function render({ model, el }) {
  hideStill(model, el);
  const view = new GuessView(model, el);
  return () => view.dispose();
}

export default { render };
