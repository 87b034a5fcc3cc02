// The board that a model writes, on which a piece can be replaced, from a tray below it or by its letter, and moved by a
// drag or by keys. Hooks: those of board.js and tray.js; data-role="hand-tray" around the tray.

import { Board } from "../board/board.js";
import { Dragging } from "../board/dragging.js";
import { Tray } from "../board/tray.js";
import { htmlElement } from "../page/svg.js";
import { HAND_PIECES } from "./hand_places.js";

export class HandBoard {
  /**
   * @param {Object} options Those of Board, and these.
   * @param {HTMLElement} options.root Where a dragged piece is drawn. @param {HTMLElement} options.words Stands below the tray.
   * @param {(meant: Object) => void} options.onMean A piece is put or moved, as handOf takes it.
   * @param {(square: string) => void} options.onAsk A square is asked about: what can be put there.
   * @param {(piece: string) => string[]} options.squaresFor Where a piece can be put.
   * @param {(words: string) => void} options.onSay
   */
  constructor({ root, words, onMean, onAsk, squaresFor, onSay, ...options }) {
    Object.assign(this, { onMean, onAsk, onSay, squaresFor, state: { fen: "" } });
    this.board = new Board({
      ...options, editable: true, targetWords: "the chosen piece can be put here", onSay,
      onClick: (square) => this.click(square),
      onEdit: (edit) => this.edit(edit),
      onGrab: (event, square, piece) => this.tray.chosen === null && this.dragging.begin(event, { piece, square, board: this.board }),
    });
    this.tray = new Tray({
      pieces: options.pieces, letters: HAND_PIECES, eraser: false, label: "Pieces for the model's board: drag one to a square, or choose one and click a square",
      onGrab: (event, piece) => this.dragging.begin(event, { piece, square: null, board: null }),
      onChoose: () => this.show(this.state),
    });
    this.dragging = new Dragging(root, [this.board], (held, _board, to) => this.drop(held, to));
    this.element = this.board.element;
    this.spare = htmlElement("div", { class: "reader-tray", "data-role": "hand-tray" }, htmlElement("span", { class: "ws-quiet" }, "Change what the model believes: put another piece on this board, or move one of its pieces."), this.tray.element);
    this.below = htmlElement("div", {}, this.spare, words);
  }

  /** @param {import("../board/board.js").BoardState} state */
  show(state) {
    this.state = state;
    const { chosen } = this.tray;
    this.spare.toggleAttribute("inert", !state.fen);
    this.board.options.carries = chosen === null;
    this.board.show({ ...state, targets: chosen && state.fen ? this.squaresFor(chosen) : [] });
  }

  click(square) {
    if (this.dragging.justDropped) return;
    const { chosen } = this.tray;
    if (chosen === null) this.onAsk(square);
    else this.onMean({ square, piece: chosen });
  }

  edit({ kind, square, piece, from, to }) {
    if (kind === "put") this.onMean({ square, piece });
    else if (kind === "move") this.onMean({ square: from, to });
    else this.onSay("On this board a piece can be replaced or moved, not removed.");
  }

  drop({ square, piece }, to) {
    if (to && square === null) this.onMean({ square: to, piece });
    else if (to && to !== square) this.onMean({ square, to });
  }
}
