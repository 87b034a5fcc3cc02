// A board on which moves are made: by a click or touch on two squares, by a drag, or by keys. Hooks: those of board.js,
// data-role="promotion" with buttons (data-piece).

import { Board } from "../board/board.js";
import { pieceName } from "../board/board_model.js";
import { Dragging } from "../board/dragging.js";
import { htmlElement } from "../page/svg.js";

export class PlayBoard {
  /**
   * @param {Object} options Those of Board, and these.
   * @param {HTMLElement} options.root Where a dragged piece is drawn.
   * @param {(fen: string) => Array<{uci: string, from: string, to: string}>} options.movesOf The legal moves.
   * @param {(uci: string) => void} options.onMove @param {(words: string) => void} options.onSay
   */
  constructor({ root, movesOf, onMove, onSay, ...options }) {
    Object.assign(this, { movesOf, onMove, onSay, chosen: null, state: { fen: "" }, moves: [] });
    this.board = new Board({
      ...options, targetWords: "a legal move ends here", onSay,
      onClick: (square) => this.click(square),
      onEdit: (edit) => this.edit(edit),
      onGrab: (event, square, piece) => this.dragging.begin(event, { piece, square, board: this.board }),
    });
    this.dragging = new Dragging(root, [this.board], (held, _board, square) => this.attempt(held.square, square));
    this.promotion = htmlElement("div", { class: "ws-promotion", role: "group", "aria-label": "Promote to", "data-role": "promotion", hidden: true });
    this.element = htmlElement("div", {}, this.board.element, this.promotion);
  }

  /** @param {import("../board/board.js").BoardState} state */
  show(state) {
    if (state.fen !== this.state.fen) {
      this.moves = this.movesOf(state.fen);
      this.chosen = null;
      this.promotion.hidden = true;
    }
    this.state = state;
    this.board.show({ ...state, chosen: this.chosen, targets: this.chosen ? this.from(this.chosen).map(({ to }) => to) : [] });
  }

  from(square) {
    return this.moves.filter(({ from }) => from === square);
  }

  click(square) {
    if (this.dragging.justDropped) return;
    if (this.chosen && this.from(this.chosen).some(({ to }) => to === square)) this.attempt(this.chosen, square);
    else {
      this.chosen = square !== this.chosen && this.from(square).length ? square : null;
      this.show(this.state);
    }
  }

  edit(edit) {
    if (edit.kind === "move") this.attempt(edit.from, edit.to);
    else this.refuse("Pieces are moved here, not put or removed.");
  }

  attempt(from, to) {
    const moves = this.from(from).filter((move) => move.to === to);
    if (moves.length > 1) this.askPromotion(moves);
    else if (moves.length) this.onMove(moves[0].uci);
    else if (from !== to) this.refuse(to ? `From ${from} to ${to} is no legal move.` : "");
  }

  refuse(words) {
    this.chosen = null;
    this.show(this.state);
    this.onSay(words);
  }

  askPromotion(moves) {
    const white = this.state.fen.split(" ")[1] === "w";
    const buttons = moves.map(({ uci }) => {
      const piece = white ? uci[4].toUpperCase() : uci[4];
      return htmlElement("button", { type: "button", "data-piece": piece, onclick: () => this.onMove(uci) }, pieceName(piece));
    });
    this.promotion.replaceChildren("Promote to ", ...buttons);
    this.promotion.hidden = false;
    this.show(this.state);
    buttons[0].focus();
  }
}
