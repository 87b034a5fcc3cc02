// The spare pieces: drag one to a board, or choose one and click squares.
// Hooks: data-role="tray", "spare" (data-piece), "eraser".

import { htmlElement, svgElement, drawing } from "../page/svg.js";
import { keepOneStop, roveByArrows } from "../page/focus.js";
import { PIECE_LETTERS, pieceName } from "./board_model.js";

export const ERASER = "eraser";

export class Tray {
  /**
   * @param {Object} options
   * @param {Object<string, string>} options.pieces Drawings by FEN letter.
   * @param {string} [options.letters] The pieces in the tray. @param {boolean} [options.eraser] Whether squares can be cleared.
   * @param {string} [options.label]
   * @param {(event: PointerEvent, piece: string) => void} options.onGrab
   * @param {(chosen: string|null) => void} options.onChoose A letter, ERASER, or null for none.
   */
  constructor({ pieces, letters = PIECE_LETTERS, eraser = true, label = "Spare pieces: drag to a board, or choose one and click squares", onGrab, onChoose }) {
    this.onChoose = onChoose;
    this.chosen = null;
    this.buttons = new Map();
    for (const piece of letters) {
      const button = this.button(piece, `Spare ${pieceName(piece)}`, svgElement("svg", { viewBox: "0 0 45 45", "aria-hidden": "true" }, drawing(pieces[piece])));
      button.addEventListener("pointerdown", (event) => event.button === 0 && onGrab(event, piece));
    }
    if (eraser) this.button(ERASER, "Clear squares", svgElement("svg", { viewBox: "0 0 45 45", "aria-hidden": "true" },
      svgElement("path", { class: "ws-eraser", d: "M13,13L32,32M32,13L13,32" })));
    this.element = htmlElement("div", {
      class: "ws-tray", role: "group", "aria-label": label, "data-role": "tray",
    }, ...this.buttons.values());
    roveByArrows(this.element, "button");
    keepOneStop(this.element, "button");
  }

  /** Choose a piece for the next clicks, or none. @param {string|null} chosen */
  choose(chosen) {
    this.chosen = chosen;
    for (const [name, button] of this.buttons) button.setAttribute("aria-pressed", String(name === chosen));
    this.onChoose(chosen);
  }

  /** Return the edit that a click on a square means while something is chosen, or null. */
  editAt(square) {
    if (this.chosen === null) return null;
    return this.chosen === ERASER ? { kind: "clear", square } : { kind: "put", square, piece: this.chosen };
  }

  button(name, label, picture) {
    const button = htmlElement("button", {
      type: "button", class: "ws-spare", title: label, "aria-label": label, "aria-pressed": "false",
      "data-role": name === ERASER ? "eraser" : "spare", "data-piece": name === ERASER ? null : name,
      onclick: () => this.choose(this.chosen === name ? null : name),
    }, picture);
    this.buttons.set(name, button);
    return button;
  }
}
