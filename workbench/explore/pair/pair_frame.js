// The frame of a pair: buttons, messages, texts, the line of code.
// Hooks: data-role="board-pair" or "state-pair" (root; data-busy), "caption", "undo", "redo", "flip" (boards alone), "swap", "reset", "back", "forward",
// "code", "copy", "error" (role=alert), "reply", "game-moves".

import { cutText } from "../page/long_text.js";
import { htmlElement, keepShortcutsAway } from "../page/svg.js";

const LONGEST_CAPTION = 800;
const LONGEST_TEXT = 20000;

function frameButtons({ state, action }, boards) {
  const keys = (arrow) => (boards ? `${arrow} arrow; on a board and in lists Shift and ${arrow} arrow` : `${arrow} arrow; in lists Shift and ${arrow} arrow`);
  return [
    ["undo", "Undo", "Undo the last change (Ctrl+Z)"],
    ["redo", "Redo", "Redo the change (Ctrl+Y)"],
    ...(boards ? [["flip", "Flip", "Turn both boards round"]] : []),
    ["swap", "Swap", `Swap the true and the predicted ${state}`],
    ["reset", "Reset", "Return to the opened pair"],
    ["back", "◀", `One ${action} back along the line (${keys("left")})`, `One ${action} back`],
    ["forward", "▶", `One ${action} forward along the line (${keys("right")})`, `One ${action} forward`],
  ];
}
/** Where the focus goes when a button that has it can no longer be pressed. */
const INSTEAD = { undo: "redo", redo: "undo", back: "forward", forward: "back" };
/** What uses the arrow keys for itself. */
const OWN_ARROWS = "input:not([type=checkbox]), select, textarea, pre";

export class PairFrame {
  /**
   * @param {Object} options
   * @param {string} options.role "board-pair" or "state-pair".
   * @param {PairNouns} options.nouns See pair_page.js.
   * @param {Object<string, () => void>} options.actions By a button's name: undo, redo, flip, swap, reset, back, forward.
   * @param {Object<string, Object>} options.parts verdict, crumbs, sides (two), tray (or none), views (or none), numbers, moves, lost.
   * @param {(words: string) => void} options.onSay Something to announce.
   */
  constructor({ role, nouns, actions, parts, onSay }) {
    Object.assign(this, { nouns, actions, onSay });
    const buttons = frameButtons(nouns, "flip" in actions);
    this.buttons = Object.fromEntries(buttons.map(([name, text, title, label]) => [name, this.button(name, text, title, actions[name], label)]));
    /** A button that can always be pressed. */
    this.always = this.buttons.flip ?? this.buttons.reset;
    this.caption = htmlElement("p", { class: "ws-caption", "data-role": "caption" });
    this.error = htmlElement("p", { class: "ws-alert", role: "alert", "data-role": "error" });
    this.code = htmlElement("input", {
      type: "text", readonly: true, class: "ws-fen", "aria-label": "This pair as one line of Python", "data-role": "code",
      onfocus: () => this.code.select(),
    });
    this.texts = htmlElement("div", { class: "ws-texts" });
    const bar = htmlElement("div", { class: "ws-toolbar", role: "group", "aria-label": `Change both ${nouns.state}s` }, ...Object.values(this.buttons));
    this.root = htmlElement("div", {
      class: `world-state any-pair ${role}`, "data-lm-suppress-shortcuts": "true", onfocusin: keepShortcutsAway, "data-role": role, "data-busy": "false",
      onkeydown: (event) => this.key(event),
    },
    this.caption, this.error, parts.verdict.element,
    htmlElement("div", { class: "ws-pair-grid" },
      htmlElement("div", { class: "ws-boards" },
        htmlElement("div", { class: "ws-boards-head" }, bar, parts.crumbs.element),
        parts.views?.element ?? null,
        ...parts.sides.map(({ element }) => element), parts.tray?.element ?? null),
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
      htmlElement("summary", {}, title), htmlElement("pre", { class: "ws-reply", tabindex: "0", role: "group", "aria-label": title, "data-role": role }, cutText(text, LONGEST_TEXT)));
    const parts = [part("reply", "The model's reply", reply), part("game-moves", `The ${this.nouns.action}s of the ${this.nouns.episode}`, moves)];
    this.texts.replaceChildren(...parts.filter(Boolean));
  }

  /** Say which buttons can be pressed. @param {Object<string, boolean>} usable By a button's name. */
  enable(usable) {
    const held = Object.keys(usable).find((name) => this.buttons[name] === this.root.getRootNode().activeElement);
    for (const [name, can] of Object.entries(usable)) this.buttons[name].disabled = !can;
    if (!held || usable[held]) return;
    const next = this.buttons[INSTEAD[held]] ?? this.always;
    (next.disabled ? this.always : next).focus({ preventScroll: true });
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
    if (!(event.ctrlKey || event.metaKey) || event.altKey || event.target.matches("input[type=text], textarea")) return;
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

  button(role, text, title, onclick, label) {
    return htmlElement("button", { type: "button", title, "aria-label": label, "data-role": role, onclick }, text);
  }
}
