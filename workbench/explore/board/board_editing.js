// One of the two boards with all that edits it: FEN box, side to move, castling, en passant.
// Hooks, each within data-role="side-true" or "side-predicted": "fen", "fen-problem" (role=alert),
// "turn", "castling" (data-letter), "en-passant", "board-class" (data-class), "board-words", "analysis".

import { htmlElement } from "../page/svg.js";
import { Board } from "./board.js";
import { lichessAnalysis } from "./lichess_analysis.js";
import { EMPTY_FEN, enPassantChoices, parseFen } from "./board_model.js";

const TYPING_PAUSE = 300;
const CASTLING_NAMES = { K: "White, king's side", Q: "White, queen's side", k: "Black, king's side", q: "Black, queen's side" };

export class BoardSide {
  /**
   * @param {Object} options
   * @param {string} options.look "true" or "predicted".
   * @param {string} options.title
   * @param {Object<string, string>} options.pieces
   * @param {(edit: Object) => void} options.onEdit
   * @param {(fen: string) => void} options.onFen A FEN was typed or pasted; it may be bad.
   * @param {Object} options.board Further options of Board.
   */
  constructor({ look, title, pieces, onEdit, onFen, board }) {
    Object.assign(this, { look, onFen, shownFen: null, timer: null });
    this.board = new Board({ look, label: title, pieces, onEdit, ...board });
    // Two lines show the end, with the side to move, as well as the beginning.
    this.fen = htmlElement("textarea", {
      rows: 2, class: "ws-fen", spellcheck: "false", autocomplete: "off", autocapitalize: "off", "data-role": "fen",
      "aria-label": `FEN of the ${title.toLowerCase()}`,
      placeholder: look === "predicted" ? "no predicted board" : "",
      oninput: () => this.typed(TYPING_PAUSE),
      onchange: () => this.typed(0),
      onkeydown: (event) => this.fenKey(event),
    });
    this.problem = htmlElement("p", { class: "ws-alert", role: "alert", "data-role": "fen-problem" });
    this.status = htmlElement("p", { class: "ws-board-status", "data-role": "board-words" });
    this.turn = htmlElement("select", { "data-role": "turn", onchange: () => onEdit({ kind: "turn", turn: this.turn.value }) },
      htmlElement("option", { value: "w" }, "White"), htmlElement("option", { value: "b" }, "Black"));
    this.passant = htmlElement("select", { "data-role": "en-passant", onchange: () => onEdit({ kind: "enPassant", square: this.passant.value }) });
    this.castling = new Map(Object.entries(CASTLING_NAMES).map(([letter, name]) => [letter, htmlElement("input", {
      type: "checkbox", "data-role": "castling", "data-letter": letter, "aria-label": `Castling: ${name}`,
      onchange: () => onEdit({ kind: "castling", letter }),
    })]));
    this.analysis = htmlElement("a", {
      class: "ws-analysis", target: "_blank", rel: "noopener noreferrer", "data-role": "analysis", hidden: true,
      "aria-label": `Lichess: analyse the ${title.toLowerCase()} there, in a new tab`, title: "Analyse on Lichess, in a new tab",
    }, "Lichess ↗");
    this.element = htmlElement("div", { role: "group", class: `ws-side ws-look-${look}`, "data-role": `side-${look}`, "aria-label": title },
      htmlElement("div", { class: "ws-side-head" }, htmlElement("h2", { class: "ws-side-title" }, title), this.analysis),
      this.board.element, this.status,
      this.fen, this.problem,
      htmlElement("div", { class: "ws-board-controls" },
        htmlElement("label", {}, "To move", this.turn),
        htmlElement("label", {}, "En passant", this.passant),
        this.castlingControls()));
  }

  castlingControls() {
    const boxes = [...this.castling].map(([letter, box]) =>
      htmlElement("label", { class: "ws-castling", title: CASTLING_NAMES[letter] }, box, htmlElement("span", { "aria-hidden": "true" }, letter)));
    return htmlElement("div", { class: "ws-castling-group", role: "group", "aria-label": "Castling rights" },
      htmlElement("span", { class: "ws-control-name", "aria-hidden": "true" }, "Castling"), ...boxes);
  }

  /**
   * @param {Object} state A BoardState of board.js.
   * @param {boolean} keepTyped True while the box holds a text that was typed and is not shown.
   */
  show(state, keepTyped = false) {
    this.board.show(state);
    this.analysis.href = lichessAnalysis(state.fen, state.flipped);
    if (state.fen === this.shownFen) return;
    this.shownFen = state.fen;
    const position = parseFen(state.fen || EMPTY_FEN);
    if (!keepTyped) this.restore();
    this.turn.value = position.turn;
    for (const [letter, box] of this.castling) box.checked = position.castling.includes(letter);
    this.passant.replaceChildren(...enPassantChoices(position).map((square) =>
      htmlElement("option", { value: square }, square === "-" ? "none" : square)));
    this.passant.value = position.enPassant;
  }

  /** Show the class of the board and python-chess's status in words. */
  describe({ class: boardClass, words, flags, check }) {
    this.status.textContent = words;
    this.status.classList.toggle("ws-has-check", Boolean(check));
    // Lichess replaces a board that cannot arise by another.
    this.analysis.hidden = boardClass !== "valid";
    this.status.title = flags.join(" ");
    this.element.dataset.class = boardClass;
    this.status.classList.toggle("ws-not-valid", boardClass !== "valid");
  }

  /** Say what is wrong with the typed FEN; the board stays. @param {string} words "" if nothing is. */
  complain(words) {
    this.problem.textContent = words && `${words}. The board above does not change.`;
    this.fen.setAttribute("aria-invalid", String(Boolean(words)));
  }

  /** Put the FEN of the board that is shown back into the box. */
  restore() {
    clearTimeout(this.timer);
    this.complain("");
    if (this.fen.value !== this.shownFen) this.fen.value = this.shownFen;
  }

  typed(pause) {
    clearTimeout(this.timer);
    if (this.fen.value.trim() === this.shownFen) {
      this.complain("");
      this.onFen(null);
    } else this.timer = setTimeout(() => this.onFen(this.fen.value.trim()), pause);
  }

  fenKey(event) {
    if (event.key === "Enter") this.typed(0);
    else if (event.key === "Escape") {
      this.restore();
      this.onFen(null);
    } else return;
    event.preventDefault();
  }
}
