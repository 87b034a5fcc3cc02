// Dragging a piece with mouse, pen or finger: from a square or the tray to a square of any board.
// Hooks: data-role="dragged" (the picture under the pointer).

import { svgElement } from "../page/svg.js";

const SLACK = 4;

/**
 * @typedef {Object} Held
 * @property {string} piece A FEN letter.
 * @property {Object|null} board The board that it comes from, or null for the tray.
 * @property {string|null} square
 */

export class Dragging {
  /**
   * @param {HTMLElement} root The widget; the picture is placed within it.
   * @param {Object[]} boards Boards of board.js that take pieces.
   * @param {(held: Held, board: Object|null, square: string|null) => void} onDrop
   */
  constructor(root, boards, onDrop) {
    Object.assign(this, { root, boards, onDrop, held: null, picture: null });
    /** True from the end of a drag until the click that the browser sends after it. */
    this.justDropped = false;
  }

  /** A pointer went down on a piece. @param {PointerEvent} event @param {Held} held */
  begin(event, held) {
    this.end();
    this.justDropped = false;
    this.held = held;
    this.start = [event.clientX, event.clientY];
    this.listening = new AbortController();
    const { signal } = this.listening;
    const listen = (type, act) => window.addEventListener(type, act, { signal, capture: true });
    listen("pointermove", (moved) => moved.pointerId === event.pointerId && this.move(moved));
    listen("pointerup", (up) => up.pointerId === event.pointerId && this.drop(up));
    listen("pointercancel", () => this.end());
    listen("keydown", (key) => key.key === "Escape" && this.end());
  }

  /** Cancel the drag. */
  end() {
    this.listening?.abort();
    this.picture?.remove();
    for (const board of this.boards) {
      board.aim(null);
      board.lift(null);
    }
    this.held = null;
    this.picture = null;
  }

  move(event) {
    const far = Math.hypot(event.clientX - this.start[0], event.clientY - this.start[1]);
    if (!this.picture && far < SLACK) return;
    event.preventDefault();
    if (!this.picture) this.showPicture();
    const box = this.root.getBoundingClientRect();
    const half = this.picture.clientWidth / 2;
    this.picture.style.transform = `translate(${event.clientX - box.left - half}px, ${event.clientY - box.top - half}px)`;
    const { board, square } = this.under(event);
    for (const one of this.boards) one.aim(one === board ? square : null);
  }

  drop(event) {
    const { held, picture } = this;
    this.end();
    if (!picture) return;
    this.justDropped = true;
    setTimeout(() => { this.justDropped = false; }, 50);
    const { board, square } = this.under(event);
    for (const one of this.boards) one.justDropped = true;
    this.onDrop(held, board, square);
  }

  under(event) {
    for (const board of this.boards) {
      const square = board.squareFrom(event.clientX, event.clientY);
      if (square) return { board, square };
    }
    return { board: null, square: null };
  }

  showPicture() {
    const { board, square, piece } = this.held;
    const size = this.boards[0].element.getBoundingClientRect().width / 8;
    this.picture = svgElement("svg", {
      class: "ws-dragged", viewBox: "0 0 45 45", width: size, height: size, "data-role": "dragged", "aria-hidden": "true",
    }, this.boards[0].pictureOf(piece));
    this.root.append(this.picture);
    board?.lift(square);
  }
}
