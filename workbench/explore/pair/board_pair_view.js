// Two boards side by side, edited and stepped, with the cost of their difference; BoardPair and the page
// without Python show it.
// Hooks: see pair_frame.js (the root and its buttons), board.js, board_editing.js, tray.js,
// verdict_bar.js, moves_panel.js, numbers_panel.js, lost_panel.js and loss_bars.js.

import { applyEdit, differentSquares, editInWords, formatFen, parseFen, pieceName, EMPTY_FEN } from "../board/board_model.js";
import { squaresOfMove } from "./history.js";
import { arrowsOf, meaningOfClick, targetSquares } from "../board/pair_arrows.js";
import { ViewSwitch } from "./view_switch.js";
import { BoardSide } from "../board/board_editing.js";
import { Dragging } from "../board/dragging.js";
import { Tray } from "../board/tray.js";
import { MovesPanel } from "./moves_panel.js";
import { PairFrame } from "./pair_frame.js";
import { NO_MOVES, PairPage, SIDES } from "./pair_page.js";
import { BOARD_NOUNS, boardFacts } from "./board_facts.js";

export class BoardPairView extends PairPage {
  /** @param {Object} model anywidget's, or one like it. @param {HTMLElement} host @param {Object} [options] See PairPage. */
  constructor(model, host, options = {}) {
    super(model, host, { suffix: "fen", nouns: BOARD_NOUNS, ...options });
  }

  build() {
    const pieces = this.model.get("pieces");
    this.sides = Object.fromEntries(SIDES.map((look) => [look, this.buildSide(look, pieces)]));
    const boards = SIDES.map((look) => this.sides[look].board);
    this.tray = new Tray({
      pieces,
      onGrab: (event, piece) => this.dragging.begin(event, { piece, board: null, square: null }),
      onChoose: (chosen) => this.root.classList.toggle("ws-placing", chosen !== null),
    });
    this.hovered = null;
    this.moves = new MovesPanel({
      nouns: this.nouns, keys: { id: "uci", text: "san" },
      onStep: (uci) => this.step([uci]),
      onPoint: (move, look) => this.point(move && { move, look }),
      onArrows: () => this.showStates(),
    });
    this.buildPanels(boardFacts);
    this.views = new ViewSwitch((view) => { this.root.dataset.view = view; });
    this.frame = new PairFrame({
      role: "board-pair", nouns: this.nouns,
      actions: { ...this.buttonActions(), flip: () => this.flip() },
      onSay: (words) => this.say(words),
      parts: { verdict: this.verdict, crumbs: this.crumbs, sides: SIDES.map((look) => this.sides[look]), tray: this.tray, views: this.views, numbers: this.numbers, moves: this.moves, lost: this.lost },
    });
    this.root = this.frame.root;
    this.root.dataset.view = this.views.chosen;
    this.dragging = new Dragging(this.root, boards, (held, board, square) => this.dropped(held, board, square));
  }

  buildSide(look, pieces) {
    return new BoardSide({
      look, pieces, title: look === "true" ? "True board" : "Predicted board",
      onEdit: (edit) => this.edit(look, edit),
      onFen: (fen) => this.typed(look, fen),
      board: {
        onClick: (square) => this.clicked(look, square),
        onHover: (square) => this.hover(square),
        onGrab: (event, square, piece) => this.tray.chosen === null && this.dragging.begin(event, { piece, square, board: this.sides[look].board }),
        onSay: (words) => this.say(words),
      },
    });
  }

  edit(look, edit) {
    const name = `${look}_fen`;
    const before = parseFen(this.shown[name] || EMPTY_FEN);
    const fen = formatFen(applyEdit(before, edit));
    if (fen === this.shown[name]) return;
    this.say(`${look === "true" ? "True" : "Predicted"} board: ${editInWords(before, edit)}.`);
    this.goTo({ ...this.shown, [name]: fen, line: [] });
  }

  dropped(held, board, square) {
    const look = SIDES.find((one) => this.sides[one].board === board);
    const home = SIDES.find((one) => this.sides[one].board === held.board);
    if (!look) {
      if (home) this.edit(home, { kind: "clear", square: held.square });
    } else if (look === home) this.edit(look, { kind: "move", from: held.square, to: square });
    else this.edit(look, { kind: "put", square, piece: held.piece });
  }

  clicked(look, square) {
    if (this.dragging.justDropped) return;
    const edit = this.tray.editAt(square);
    if (edit) {
      this.edit(look, edit);
      return;
    }
    const found = meaningOfClick(square, this.currentMoves(), this.chosen, this.moves.shared.checked);
    if (found.kind === "choose") {
      const piece = parseFen(this.shown[`${look}_fen`] || EMPTY_FEN).pieces[square];
      if (piece && !found.square && square !== this.chosen && this.currentMoves() !== NO_MOVES) this.say(`The ${pieceName(piece)} on ${square} has no move that both boards permit.`);
      this.chosen = found.square;
      this.showStates();
    } else if (found.moves.length === 1) this.step([found.moves[0].uci]);
    else {
      this.crumbs.ask(found.moves, (uci) => {
        this.sides[look].board.focus(square);
        if (uci) this.step([uci]);
      });
    }
  }

  flip() {
    this.model.set("flipped", !this.model.get("flipped"));
    this.model.save_changes();
  }

  hover(square) {
    if (square === this.hovered) return;
    this.hovered = square;
    if (!this.dragging.picture) this.showStates();
  }

  pointAtLine(node, look) {
    const first = node?.line?.[0];
    if (!first) this.point(null);
    else this.point({ move: squaresOfMove(first), look: node.kind === "lost" && node.line.length === 1 ? look : "shared" });
  }

  showStates(typedOn = null) {
    const moves = this.currentMoves();
    const wish = { differing: this.moves.differing.checked, shared: this.moves.shared.checked, square: this.chosen ?? this.hovered, pointed: this.pointed };
    const last = this.history.present.line.at(-1);
    const view = moves === NO_MOVES ? null : this.view;
    const common = {
      flipped: this.model.get("flipped"), different: differentSquares(this.shown.true_fen, this.shown.predicted_fen), chosen: this.chosen,
      lastMove: last ? squaresOfMove(last) : null,
      targets: targetSquares(moves, this.chosen, this.moves.shared.checked),
    };
    for (const look of SIDES) {
      const others = parseFen(this.shown[look === "true" ? "predicted_fen" : "true_fen"] || EMPTY_FEN).pieces;
      const state = { ...common, fen: this.shown[`${look}_fen`], others, check: view?.[look].check, arrows: arrowsOf(look, moves, wish) };
      this.sides[look].show(state, look === typedOn);
    }
    this.enableButtons();
  }

  lookTraits() {
    return ["flipped"];
  }

  end() {
    this.dragging.end();
  }
}
