// One of the two states: its picture, or else its elements, what differs, and its text to edit.
// Hooks, each within data-role="side-true" or "side-predicted": "picture", "elements" with "element"
// (data-name, data-different), "state-text", "state-problem" (role=alert), "state-words".

import { htmlElement } from "../page/svg.js";
import { cutText } from "../page/long_text.js";
import { PictureEdits } from "./picture_edits.js";

const PAUSE = 400;
const MOST_ROWS = 14;
const LONGEST_ELEMENT = 200;
/** Pixels of the height of a picture. */
const TALLEST = 340;
/** Pixels of the width of a letter of the text, about. */
const CHARACTER = 7.6;

export class StateSide {
  /**
   * @param {Object} options
   * @param {string} options.look "true" or "predicted".
   * @param {PairNouns} options.nouns See pair_page.js.
   * @param {(source: string, target: string) => void} options.onEdit What stands on one place of the picture is put on another.
   * @param {(text: string|null) => void} options.onText A text was typed or pasted, which may be none; null takes it back.
   */
  constructor({ look, nouns, onEdit, onText }) {
    Object.assign(this, { look, nouns, onText, shownText: null, timer: null, answer: null, drawn: null, actions: { shared: new Set(), pointed: null } });
    const title = `${look === "true" ? "True" : "Predicted"} ${nouns.state}`;
    this.title = title;
    this.picture = htmlElement("img", { class: "ws-state-picture", "data-role": "picture", hidden: true, alt: "" });
    this.edits = new PictureEdits({ look, title: title.toLowerCase(), onEdit });
    this.pictureBox = htmlElement("div", { class: "ws-picture-box", hidden: true }, this.picture, this.edits.element);
    this.elements = htmlElement("ul", { class: "ws-elements", "data-role": "elements" });
    this.text = htmlElement("textarea", {
      class: "ws-state-text", spellcheck: "false", autocomplete: "off", autocapitalize: "off", rows: 2, "data-role": "state-text",
      "aria-label": `Text of the ${title.toLowerCase()}`, placeholder: look === "predicted" ? `no predicted ${nouns.state}` : "",
      oninput: () => this.typed(PAUSE), onchange: () => this.typed(0), onkeydown: (event) => this.key(event),
    });
    this.problem = htmlElement("p", { class: "ws-alert", role: "alert", "data-role": "state-problem" });
    this.status = htmlElement("p", { class: "ws-board-status", "data-role": "state-words" });
    this.element = htmlElement("div", { role: "group", class: `ws-side ws-look-${look}`, "data-role": `side-${look}`, "aria-label": title },
      htmlElement("div", { class: "ws-side-head" }, htmlElement("h2", { class: "ws-side-title" }, title)),
      this.pictureBox, htmlElement("div", { class: "ws-beside" }, this.elements, this.status,
        // Where the window is narrow the pictures come first.
        htmlElement("details", { open: window.innerWidth >= 700 }, htmlElement("summary", {}, `Text of the ${nouns.state}`), this.text),
        this.problem));
  }

  /**
   * @param {string} text The state's.
   * @param {boolean} keepTyped True while the box holds a text that was typed and is not shown.
   */
  show(text, keepTyped = false) {
    if (text === this.shownText) return;
    this.shownText = text;
    if (!keepTyped) this.restore();
  }

  /** Show what Python says of the state. @param {Object} answer A side of state_view.py's state_view. */
  describe(answer) {
    this.answer = answer;
    this.status.textContent = answer.words;
    this.element.dataset.class = answer.class;
    this.status.classList.toggle("ws-not-valid", answer.class !== "valid");
    this.draw();
    this.drawActions();
  }

  /** Mark the elements that differ. @param {string[]} names */
  mark(names) {
    this.different = new Set(names);
    if (this.answer) this.draw();
  }

  /** An SVG of an environment is shown as an image: nothing in it is ever run or loaded. */
  draw() {
    const { picture, elements, frame } = this.answer;
    const drawn = JSON.stringify([this.answer, [...this.different]]);
    if (drawn === this.drawn) return;
    this.drawn = drawn;
    this.picture.hidden = !picture;
    this.pictureBox.hidden = !picture;
    // An image without a size of its own has that of its box.
    if (frame) this.pictureBox.style.cssText = `aspect-ratio: ${frame[2]} / ${frame[3]}; width: min(100%, ${((TALLEST * frame[2]) / frame[3]).toFixed(0)}px)`;
    this.element.classList.toggle("ws-with-picture", Boolean(picture));
    const present = new Map(elements);
    const differing = [...this.different].filter((name) => present.has(name) || this.answer.class !== "absent");
    if (picture) {
      this.picture.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(picture)}`;
      this.picture.alt = `${this.title}. ${differing.length ? `It differs in ${differing.length} elements, listed below.` : ""}`;
    } else this.picture.removeAttribute("src");
    this.edits.show(this.answer, ({ name, movable }) =>
      [present.get(name) ?? (movable ? null : "empty"), this.different.has(name) && "differs"].filter(Boolean).join(", "));
    const names = picture ? differing : [...elements.map(([name]) => name), ...differing.filter((name) => !present.has(name))];
    this.elements.hidden = names.length === 0;
    this.elements.setAttribute("aria-label", picture ? `What differs in the ${this.title.toLowerCase()}` : `Elements of the ${this.title.toLowerCase()}`);
    this.elements.replaceChildren(...names.map((name) => this.entry(name, present.get(name))));
  }

  /** Draw the permitted actions on the picture. @param {Set<string>} shared @param {string|null} pointed */
  markActions(shared, pointed) {
    this.actions = { shared, pointed };
    if (this.answer) this.drawActions();
  }

  drawActions() {
    this.edits.mark(this.answer.points, this.actions.shared, this.actions.pointed);
  }

  entry(name, value) {
    const different = this.different.has(name);
    const said = value === undefined ? "not here" : value === "true" ? "" : value;
    return htmlElement("li", {
      class: `${different ? "ws-different" : ""}${value === undefined ? " ws-missing" : ""}`,
      "data-role": "element", "data-name": name, "data-different": String(different),
    },
    different ? htmlElement("strong", { "aria-hidden": "true" }, "≠ ") : null,
    htmlElement("span", { class: "ws-element-name" }, cutText(name, LONGEST_ELEMENT)),
    said ? htmlElement("span", {}, ` ${cutText(said, LONGEST_ELEMENT)}`) : null,
    different ? htmlElement("span", { class: "ws-unseen" }, " (differs)") : null);
  }

  /** Say what is wrong with the typed text; the state stays. @param {string} words "" if nothing is. */
  complain(words) {
    this.problem.textContent = words && `No ${this.nouns.state}: ${words}. What is shown above does not change.`;
    this.text.setAttribute("aria-invalid", String(Boolean(words)));
  }

  /** Put the text of the state that is shown back into the box. */
  restore() {
    clearTimeout(this.timer);
    this.complain("");
    if (this.text.value !== this.shownText) this.text.value = this.shownText;
    this.text.rows = Math.min(MOST_ROWS, Math.max(2, this.shownText.split("\n").length, Math.ceil(this.shownText.length / (this.text.clientWidth / CHARACTER || 44))));
  }

  typed(pause) {
    clearTimeout(this.timer);
    if (this.text.value === this.shownText) {
      this.complain("");
      this.onText(null);
    } else this.timer = setTimeout(() => this.send(), pause);
  }

  /** A text that is longer than any state is not sent. */
  send() {
    const text = this.text.value;
    if (text.length > this.nouns.longest) this.complain(`it has ${text.length.toLocaleString("en-US")} characters, and the longest has ${this.nouns.longest.toLocaleString("en-US")}`);
    else this.onText(text);
  }

  key(event) {
    if (event.key === "Escape") {
      this.restore();
      this.onText(null);
    } else if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) this.typed(0);
    else return;
    event.preventDefault();
  }
}
