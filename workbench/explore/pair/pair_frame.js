// The frame of BoardPair: buttons, messages, texts, the line of code.
// Hooks: data-role="board-pair" (root; data-busy), "caption", "undo", "redo", "flip", "swap", "reset", "back", "forward",
// "code", "copy", "error" (role=alert), "reply", "game-moves".

import { cutText } from "../page/long_text.js";
import { htmlElement, keepShortcutsAway } from "../page/svg.js";

const LONGEST_CAPTION = 800;
const LONGEST_TEXT = 20000;

const FRAME_BUTTONS = [
  ["undo", "Undo", "Undo the last change (Ctrl+Z)"],
  ["redo", "Redo", "Redo the change (Ctrl+Y)"],
  ["flip", "Flip", "Turn both boards round"],
  ["swap", "Swap", "Swap the true and the predicted board"],
  ["reset", "Reset", "Return to the opened pair"],
  ["back", "◀", "One move back along the line (left arrow; on a board Shift and left arrow)"],
  ["forward", "▶", "One move forward along the line (right arrow; on a board Shift and right arrow)"],
];
const BUTTON_NAMES = { back: "One move back", forward: "One move forward" };
/** Where the focus goes when a button that has it can no longer be pressed. */
const INSTEAD = { undo: "redo", redo: "undo", back: "forward", forward: "back", swap: "flip" };
/** What uses the arrow keys for itself. */
const OWN_ARROWS = "input:not([type=checkbox]), select, textarea, pre, [data-role=icicle] *";

export class PairFrame {
  /**
   * @param {Object} options
   * @param {Object<string, () => void>} options.actions By a button's name: undo, redo, flip, swap, reset, back, forward.
   * @param {Object<string, Object>} options.parts crumbs, sides (two), tray, numbers, moves, lost.
   * @param {(words: string) => void} options.onSay Something to announce.
   */
  constructor({ actions, parts, onSay }) {
    Object.assign(this, { actions, onSay });
    this.buttons = Object.fromEntries(FRAME_BUTTONS.map(([role, text, title]) => [role, this.button(role, text, title, actions[role])]));
    this.caption = htmlElement("p", { class: "ws-caption", "data-role": "caption" });
    this.error = htmlElement("p", { class: "ws-alert", role: "alert", "data-role": "error" });
    this.code = htmlElement("input", {
      type: "text", readonly: true, class: "ws-fen", "aria-label": "This pair as one line of Python", "data-role": "code",
      onfocus: () => this.code.select(),
    });
    this.texts = htmlElement("div", { class: "ws-texts" });
    const bar = htmlElement("div", { class: "ws-toolbar", role: "group", "aria-label": "Change both boards" }, ...Object.values(this.buttons));
    this.root = htmlElement("div", {
      class: "world-state board-pair", "data-lm-suppress-shortcuts": "true", onfocusin: keepShortcutsAway, "data-role": "board-pair", "data-busy": "false",
      onkeydown: (event) => this.key(event),
    },
    this.caption, this.error,
    htmlElement("div", { class: "ws-pair-grid" },
      htmlElement("div", { class: "ws-boards" },
        htmlElement("div", { class: "ws-boards-head" }, bar, parts.crumbs.element),
        parts.numbers.headline.element,
        ...parts.sides.map(({ element }) => element), parts.tray.element),
      parts.numbers.element, parts.moves.element, parts.lost.element),
    this.texts,
    htmlElement("div", { class: "ws-code-row" },
      htmlElement("span", { class: "ws-quiet", "aria-hidden": "true" }, "This pair in Python"), this.code,
      this.button("copy", "Copy", "Copy the line to the clipboard", () => this.copy())));
  }

  /** @param {{reply: string, moves: string, caption: string}} texts Shown as the characters they are. */
  showTexts({ reply, moves, caption }) {
    this.caption.textContent = cutText(caption, LONGEST_CAPTION);
    this.caption.hidden = !caption;
    const part = (role, title, text) => text && htmlElement("details", { open: role === "reply", class: "ws-panel" },
      htmlElement("summary", {}, title), htmlElement("pre", { class: "ws-reply", tabindex: "0", role: "region", "aria-label": title, "data-role": role }, cutText(text, LONGEST_TEXT)));
    const parts = [part("reply", "The model's reply", reply), part("game-moves", "The moves of the game", moves)];
    this.texts.replaceChildren(...parts.filter(Boolean));
  }

  /** Say which buttons can be pressed. @param {Object<string, boolean>} usable By a button's name. */
  enable(usable) {
    const held = Object.keys(usable).find((name) => this.buttons[name] === this.root.getRootNode().activeElement);
    for (const [name, can] of Object.entries(usable)) this.buttons[name].disabled = !can;
    if (!held || usable[held]) return;
    const next = this.buttons[INSTEAD[held]];
    (next.disabled ? this.buttons.flip : next).focus({ preventScroll: true });
  }

  /** Show an error; an empty text clears it. */
  alert(words) {
    this.error.textContent = words;
  }

  async copy() {
    try {
      await navigator.clipboard.writeText(this.code.value);
      this.onSay("The line is copied to the clipboard.");
    } catch (refusal) {
      this.code.focus();
      this.onSay(`The browser did not let the page copy (${refusal.name}): the line is selected, press Ctrl+C.`);
    }
  }

  key(event) {
    const step = { ArrowLeft: "back", ArrowRight: "forward" }[event.key];
    if (step) this.arrow(event, step);
    if (!(event.ctrlKey || event.metaKey) || event.altKey || event.target.matches("input[type=text]")) return;
    const letter = event.key.toLowerCase();
    if (letter === "z" && !event.shiftKey) this.actions.undo();
    else if (letter === "y" || letter === "z") this.actions.redo();
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  arrow(event, step) {
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
    if (event.target.matches(OWN_ARROWS) || this.buttons[step].disabled) return;
    this.actions[step]();
    event.preventDefault();
    event.stopPropagation();
  }

  button(role, text, title, onclick) {
    return htmlElement("button", { type: "button", title, "aria-label": BUTTON_NAMES[role], "data-role": role, onclick }, text);
  }
}
