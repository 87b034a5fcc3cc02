// A board drawn as SVG, with the keyboard and screen readers in mind: a grid of named squares of
// which one can be reached by Tab, the others by the arrow keys.
// Hooks: data-role="board" (data-look), "square" (data-square, data-piece, data-different, data-target).

import { svgElement, drawing } from "../page/svg.js";
import {
  FILES, PIECE_LETTERS, EMPTY_FEN, neighbour, parseFen, pieceName, placeOf, squareAt, squareLabel, squaresInView,
} from "./board_model.js";
import { arrowElement, distinctArrows } from "./arrows.js";
import { movedPieces, PieceMotion } from "./piece_motion.js";

const UNITS = 45;
const MANY_ARROWS = 24;
/** A square is certain from this probability on, and a ghost is drawn from the other. */
const CERTAIN = 0.95;
const LEAST_GHOST = 0.05;
/** What is improbable can still be seen. */
const LEAST_STRENGTH = 0.15;

/**
 * @typedef {Object} BoardOptions
 * @property {string} look "true" or "predicted": which of the two boards this is.
 * @property {string} label The board's name for screen readers.
 * @property {Object<string, string>} pieces Drawings by FEN letter.
 * @property {boolean} [editable] Default true: keys and drags change the board.
 * @property {boolean} [carries] Default true: Enter picks a piece up or puts it down; otherwise it is a click.
 * @property {(edit: Object) => void} [onEdit] An edit as board_model.js's applyEdit takes it.
 * @property {(square: string) => void} [onClick] A square was clicked without a drag.
 * @property {(square: string|null) => void} [onHover]
 * @property {(event: PointerEvent, square: string, piece: string) => void} [onGrab] A piece may be
 *   about to be dragged.
 * @property {(text: string) => void} [onSay] Something to announce.
 * @property {string} [targetWords] What a square among the targets is, for screen readers.
 *
 * @typedef {Object} BoardState
 * @property {string} fen One that parseFen takes; "" shows an empty board.
 * @property {boolean} [flipped] Black at the bottom.
 * @property {string[]} [different] Squares that differ from the other board.
 * @property {Object<string, string>} [others] What the other board has on them, "" for nothing.
 * @property {string|null} [check] The square of a king that is in check.
 * @property {Array<{from: string, to: string, look: string}>} [arrows]
 * @property {{from: string, to: string}|null} [lastMove]
 * @property {string[]} [targets] Squares that a click would step to.
 * @property {string|null} [chosen] The square whose moves are shown.
 * @property {Object<string, {share: number, other: string, otherShare: number}>|null} [certainty] The probability of what stands
 *   on each square, and what is next to it in probability: pieces are as strong as they are probable, the other one is a ghost.
 */

export class Board {
  /** @param {BoardOptions} options */
  constructor(options) {
    this.options = { editable: true, carries: true, targetWords: "a shared move ends here", ...options };
    this.drawings = Object.fromEntries(
      Object.entries(options.pieces).map(([letter, markup]) => [letter, drawing(markup)]),
    );
    this.state = { fen: "", flipped: false };
    this.position = parseFen(EMPTY_FEN);
    this.focusSquare = "e2";
    this.carried = null;
    this.squares = new Map();
    this.motion = new PieceMotion();
    /** True from a drop until the next state is shown: the hand has moved that piece already. */
    this.justDropped = false;
    this.element = svgElement("svg", {
      class: `ws-board ws-look-${options.look}`, viewBox: "0 0 360 360", role: "grid",
      "aria-label": options.label, "data-role": "board", "data-look": options.look,
      "aria-readonly": this.options.editable ? null : "true",
      onpointerdown: (event) => this.press(event),
      onpointerover: (event) => this.options.onHover?.(this.squareOf(event.target)),
      onpointerleave: () => this.options.onHover?.(null),
      onclick: (event) => this.click(event),
      onkeydown: (event) => this.key(event),
    });
    this.build(false);
  }

  /** Show a state; what it leaves out is shown as empty. @param {BoardState} state */
  show(state) {
    const flipped = Boolean(state.flipped);
    const turned = flipped !== Boolean(this.state.flipped);
    if (turned) this.build(flipped);
    const before = this.position.pieces;
    const same = state.fen === this.state.fen && !turned;
    this.state = { ...state, flipped };
    this.position = parseFen(state.fen || EMPTY_FEN);
    const marks = {
      different: new Set(state.different), targets: new Set(state.targets),
      check: state.check, others: state.others ?? {}, certainty: state.certainty ?? {},
      last: new Set(state.lastMove ? [state.lastMove.from, state.lastMove.to] : []),
    };
    for (const [square, cell] of this.squares) this.showSquare(square, cell, marks);
    const arrows = distinctArrows(state.arrows ?? []);
    this.arrows.classList.toggle("ws-many", arrows.length > MANY_ARROWS);
    this.arrows.replaceChildren(...arrows.map((arrow) => arrowElement(arrow, flipped)));
    if (!same) {
      const moves = turned || this.justDropped ? [] : movedPieces(before, this.position.pieces);
      this.motion.play(moves, flipped, (square) => this.squares.get(square).group, (piece) => this.pictureOf(piece));
    }
    this.justDropped = false;
  }

  /** Return the square under a point of the window, or null. */
  squareFrom(clientX, clientY) {
    const box = this.element.getBoundingClientRect();
    // One of the two boards is not on the screen of a phone.
    if (!box.width) return null;
    return squareAt(
      Math.floor(((clientX - box.left) / box.width) * 8),
      Math.floor(((clientY - box.top) / box.height) * 8),
      this.state.flipped,
    );
  }

  /** Mark the square that a dragged piece would fall on. @param {string|null} square */
  aim(square) {
    for (const [name, cell] of this.squares) cell.group.classList.toggle("ws-aim", name === square);
  }

  /** Dim the piece that is being dragged away. @param {string|null} square */
  lift(square) {
    for (const [name, cell] of this.squares) cell.group.classList.toggle("ws-lifted", name === square);
  }

  /** Return a picture of a piece for the drag, 45 by 45 units. */
  pictureOf(piece) {
    return this.drawings[piece[0]].cloneNode(true);
  }

  /** Put the keyboard's focus on a square. @param {string} square */
  focus(square) {
    this.rove(square);
    this.squares.get(square).group.focus();
  }

  build(flipped) {
    this.motion.stop();
    this.squares.clear();
    const rows = [];
    for (const square of squaresInView(flipped)) {
      const [column, row] = placeOf(square, flipped);
      rows[row] ??= svgElement("g", { role: "row" });
      rows[row].append(this.buildSquare(square, column, row));
    }
    this.arrows = svgElement("g", { class: "ws-arrows", "aria-hidden": "true" });
    this.element.replaceChildren(...rows, coordinates(flipped), this.motion.layer, this.arrows);
    this.rove(this.focusSquare);
  }

  buildSquare(square, column, row) {
    const dark = (column + row) % 2 === 1;
    const piece = svgElement("g", { class: "ws-piece", "aria-hidden": "true" });
    const other = svgElement("g", { class: "ws-other", "aria-hidden": "true" });
    const ghost = svgElement("g", { class: "ws-ghost", "aria-hidden": "true" });
    const group = svgElement("g", {
      class: `ws-square ${dark ? "ws-dark" : "ws-light"}`, role: "gridcell", tabindex: "-1",
      transform: `translate(${column * UNITS} ${row * UNITS})`,
      "data-role": "square", "data-square": square,
      // Not on the whole board: chromium lets Tab stop at an SVG that listens to the focus.
      onfocusin: ({ target }) => {
        this.rove(square);
        if (target.matches(":focus-visible")) this.options.onHover?.(square);
      },
      onfocusout: () => this.options.onHover?.(null),
    },
    svgElement("rect", { class: "ws-ground", width: UNITS, height: UNITS }),
    svgElement("rect", { class: "ws-last", width: UNITS, height: UNITS }),
    checkMark(),
    differenceMark(),
    ghost,
    piece,
    other,
    svgElement("circle", { class: "ws-target", cx: 22.5, cy: 22.5, r: 8 }),
    svgElement("rect", { class: "ws-frame", x: 1.5, y: 1.5, width: UNITS - 3, height: UNITS - 3 }));
    this.squares.set(square, { group, piece, other, ghost, shown: "" });
    return group;
  }

  showSquare(square, cell, { different, targets, last, check, others, certainty }) {
    const piece = this.position.pieces[square] ?? "";
    const notes = [];
    if (different.has(square)) notes.push("differs from the other board");
    if (check === square) notes.push("in check");
    if (targets.has(square)) notes.push(this.options.targetWords);
    if (this.carried === square) notes.push("picked up");
    const sure = certainty[square] ?? null;
    if (sure && sure.share < CERTAIN) notes.push(`probability ${sure.share.toFixed(2)}, next ${pieceName(this.drawings[sure.other] ? sure.other : "")} ${sure.otherShare.toFixed(2)}`);
    const chosen = this.state.chosen === square || this.carried === square;
    const other = different.has(square) ? others[square] ?? "" : null;
    const key = [piece, ...notes, last.has(square), chosen, other, sure && sure.share].join("|");
    if (key === cell.shown) return;
    cell.shown = key;
    const { group } = cell;
    group.setAttribute("aria-label", squareLabel(square, piece, notes));
    group.setAttribute("data-piece", piece);
    group.toggleAttribute("data-different", different.has(square));
    group.toggleAttribute("data-target", targets.has(square));
    group.setAttribute("aria-selected", String(chosen));
    group.classList.toggle("ws-different", different.has(square));
    group.classList.toggle("ws-in-check", check === square);
    group.classList.toggle("ws-targeted", targets.has(square));
    group.classList.toggle("ws-last-move", last.has(square));
    group.classList.toggle("ws-chosen", chosen);
    group.classList.toggle("ws-occupied", piece !== "");
    cell.piece.replaceChildren(...(piece ? [this.pictureOf(piece)] : []));
    cell.piece.setAttribute("opacity", sure ? Math.max(LEAST_STRENGTH, sure.share) : 1);
    const ghost = sure && sure.otherShare >= LEAST_GHOST && this.drawings[sure.other];
    cell.ghost.setAttribute("opacity", ghost ? Math.max(LEAST_STRENGTH, sure.otherShare) : 1);
    cell.ghost.replaceChildren(...(ghost ? [this.pictureOf(sure.other)] : []));
    cell.other.replaceChildren(...(other === null ? [] : this.smallPicture(other)));
  }

  /** What the other board has on a square, small in its corner; a stroke where it has nothing. */
  smallPicture(piece) {
    const drawn = piece ? this.pictureOf(piece) : svgElement("path", { class: "ws-other-none", d: "M13,32L32,13" });
    return [svgElement("circle", { cx: 12, cy: 12, r: 11 }), svgElement("g", { transform: "translate(1.9 1.4) scale(0.45)" }, drawn)];
  }

  squareOf(target) {
    return target.closest?.("[data-square]")?.getAttribute("data-square") ?? null;
  }

  rove(square) {
    if (!square || !this.squares.has(square)) return;
    this.squares.get(this.focusSquare)?.group.setAttribute("tabindex", "-1");
    this.squares.get(square).group.setAttribute("tabindex", "0");
    this.focusSquare = square;
  }

  press(event) {
    const square = this.squareOf(event.target);
    const piece = square && this.position.pieces[square];
    if (event.button === 0 && piece && this.options.editable) this.options.onGrab?.(event, square, piece);
  }

  click(event) {
    const square = this.squareOf(event.target);
    if (square) this.options.onClick?.(square);
  }

  key(event) {
    const square = this.squareOf(event.target);
    if (!square || event.ctrlKey || event.metaKey || event.altKey) return;
    // With Shift an arrow is not the board's: it steps through the line.
    if (event.shiftKey && event.key.startsWith("Arrow")) return;
    const next = neighbour(square, event.key, this.state.flipped);
    if (next) this.focus(next);
    else if (!this.options.editable || !this.editByKey(event.key, square)) return;
    event.preventDefault();
    event.stopPropagation();
  }

  /** @returns {boolean} True if the key meant something. */
  editByKey(key, square) {
    if (key.length === 1 && PIECE_LETTERS.includes(key)) this.edit({ kind: "put", square, piece: key });
    else if (key === "Delete" || key === "Backspace") {
      if (this.position.pieces[square]) this.edit({ kind: "clear", square });
    } else if ((key === "Enter" || key === " ") && !this.options.carries) this.options.onClick?.(square);
    else if (key === "Enter" || key === " ") this.pickUpOrPutDown(square);
    else if (key === "Escape" && this.carried) this.carry(null, "put back");
    else return false;
    return true;
  }

  pickUpOrPutDown(square) {
    const from = this.carried;
    if (from === null) {
      const piece = this.position.pieces[square];
      if (piece) this.carry(square, `${pieceName(piece)} on ${square} picked up; arrow keys, then Enter puts it down`);
    } else if (from === square) this.carry(null, "put back");
    else {
      this.carried = null;
      this.edit({ kind: "move", from, to: square });
    }
  }

  carry(square, words) {
    this.carried = square;
    this.show(this.state);
    this.options.onSay?.(words);
  }

  edit(edit) {
    this.carried = null;
    this.options.onEdit?.(edit);
  }
}

/** Corner brackets and hatching: a square that differs is seen without its colour, too. */
function differenceMark() {
  const hatch = "M0,15L15,0M0,30L30,0M0,45L45,0M15,45L45,15M30,45L45,30";
  return svgElement("g", { class: "ws-difference", "aria-hidden": "true" },
    svgElement("path", { class: "ws-hatch", d: hatch }),
    svgElement("path", { class: "ws-bracket", d: "M2,13V2H13M32,2H43V13M43,32V43H32M13,43H2V32" }));
}

/** A ring and the sign of check: seen without its colour, too. */
function checkMark() {
  return svgElement("g", { class: "ws-check-mark", "aria-hidden": "true" },
    svgElement("circle", { cx: 22.5, cy: 22.5, r: 20.5 }), svgElement("text", { x: 41, y: 12, "text-anchor": "end" }, "+"));
}

function coordinates(flipped) {
  const group = svgElement("g", { class: "ws-coordinates", "aria-hidden": "true" });
  for (let index = 0; index < 8; index += 1) {
    const file = FILES[flipped ? 7 - index : index];
    const rank = flipped ? index + 1 : 8 - index;
    group.append(
      svgElement("text", { x: index * UNITS + 42.5, y: 356.5, "text-anchor": "end" }, file),
      svgElement("text", { x: 2.5, y: index * UNITS + 10 }, String(rank)),
    );
  }
  return group;
}
