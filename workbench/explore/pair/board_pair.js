// BoardPair: two boards side by side, edited and stepped, with the cost of their difference.
// Hooks: see pair_frame.js (the root and its buttons), board.js, board_editing.js, tray.js,
// moves_panel.js, numbers_panel.js, lost_panel.js and icicle.js.

import { htmlElement } from "../page/svg.js";
import { Requester } from "../page/requester.js";
import { hideStill } from "../page/still.js";
import { keepingFocus } from "../page/focus.js";
import { applyEdit, differentSquares, editInWords, formatFen, parseFen, EMPTY_FEN } from "../board/board_model.js";
import { newHistory, nextMove, recorded, redone, sameState, squaresOfMove, stepped, swapped, undone, walkedBack } from "./history.js";
import { arrowsOf, meaningOfClick, targetSquares } from "./pair_arrows.js";
import { BoardSide } from "../board/board_editing.js";
import { Dragging } from "../board/dragging.js";
import { Tray } from "../board/tray.js";
import { LineCrumbs, MovesPanel } from "./moves_panel.js";
import { NumbersPanel } from "./numbers_panel.js";
import { LostPanel } from "../losses/lost_panel.js";
import { PairFrame } from "./pair_frame.js";

const SIDES = ["true", "predicted"];
const STATE_TRAITS = ["true_fen", "predicted_fen", "line"];
const SETTING_TRAITS = ["depth", "terminal", "ill_formed"];
const TEXT_TRAITS = ["reply", "moves", "caption"];
const NO_MOVES = { only_true: [], only_predicted: [], shared: [] };
const REST_BEFORE_LOST = 120;

class BoardPairView {
  constructor(model, host) {
    this.model = model;
    this.origin = this.modelState();
    this.history = newHistory(this.origin);
    this.shown = { true_fen: this.origin.true_fen, predicted_fen: this.origin.predicted_fen };
    this.view = null;
    this.asked = null;
    this.answered = null;
    this.chosen = null;
    this.hovered = null;
    this.pointed = null;
    this.requester = new Requester(model, {
      onBusy: (busy) => this.busy(busy),
      onFailed: (message, asked) => this.failed(message, asked),
      onSlow: (seconds) => this.slow(seconds),
      onProgress: (words) => this.numbers.headline.progress(words),
      onGone: () => this.numbers.headline.kernelGone(),
    });
    this.requester.on("compare", (answer) => this.compared(answer));
    this.requester.on("lost_mass", (answer) =>
      this.keepingFocus(this.lost.element, () => this.lost.show(answer, this.settings.depth)));
    this.build();
    host.append(this.root);
    this.listen();
    this.frame.showTexts(this.texts());
    this.showBoards();
    this.numbers.headline.progress("Waiting for the first numbers: the kernel may still be loading.");
    this.ask(this.history.present, { recordedAlready: true, atOnce: true });
  }

  get settings() {
    return this.numbers.settings();
  }

  texts() {
    return Object.fromEntries(TEXT_TRAITS.map((name) => [name, this.model.get(name)]));
  }

  modelState() {
    const state = Object.fromEntries(STATE_TRAITS.map((name) => [name, this.model.get(name)]));
    return { ...state, line: [...state.line] };
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
    this.crumbs = new LineCrumbs((plies) => this.tryState(walkedBack(this.history.present, plies)));
    this.moves = new MovesPanel({
      onStep: (uci) => this.step([uci]),
      onPoint: (move, look) => this.point(move && { move, look }),
      onArrows: () => this.showBoards(),
    });
    this.numbers = new NumbersPanel({
      settings: Object.fromEntries(SETTING_TRAITS.map((name) => [name, this.model.get(name)])),
      onSettings: (_settings, atOnce) => this.ask(this.history.present, { recordedAlready: true, atOnce }),
    });
    this.lost = new LostPanel({
      // A line of other boards than those shown would lead nowhere.
      onStep: (line) => this.lost.element.dataset.state === "fresh" && this.step(line),
      onPoint: (node, look) => this.pointAtLine(node, look),
    });
    this.frame = new PairFrame({
      actions: {
        undo: () => this.travel(undone), redo: () => this.travel(redone), flip: () => this.flip(),
        swap: () => this.swap(), reset: () => this.tryState(this.origin),
        back: () => this.tryState(walkedBack(this.history.present, this.history.present.line.length - 1)),
        forward: () => this.step([nextMove(this.history)]),
      },
      onSay: (words) => this.say(words),
      parts: { crumbs: this.crumbs, sides: SIDES.map((look) => this.sides[look]), tray: this.tray, numbers: this.numbers, moves: this.moves, lost: this.lost },
    });
    this.root = this.frame.root;
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

  listen() {
    const listeners = [];
    const on = (names, act) => names.forEach((name) => {
      this.model.on(`change:${name}`, act);
      listeners.push([`change:${name}`, act]);
    });
    let scheduled = false;
    on([...STATE_TRAITS, ...SETTING_TRAITS], () => {
      if (scheduled) return;
      scheduled = true;
      queueMicrotask(() => { scheduled = false; this.takeFromModel(); });
    });
    on(TEXT_TRAITS, () => this.frame.showTexts(this.texts()));
    on(["flipped"], () => this.showBoards());
    this.dispose = () => {
      listeners.forEach(([name, act]) => this.model.off(name, act));
      clearTimeout(this.lostTimer);
      this.dragging.end();
      this.lost.dispose();
      this.numbers.headline.dispose();
      this.requester.dispose();
    };
  }

  busy(busy) {
    this.root.dataset.busy = String(busy);
    if (!busy) this.numbers.headline.progress("");
  }

  say(words) {
    this.numbers.headline.say(words);
  }

  slow(seconds) {
    this.numbers.headline.progress(`No answer from the kernel for ${seconds} seconds: it may be busy or just starting; if it was restarted, run the cell again.`);
  }

  /** Python or another view may have set the pair: then request it again. */
  takeFromModel() {
    const state = this.modelState();
    const settings = Object.fromEntries(SETTING_TRAITS.map((name) => [name, this.model.get(name)]));
    const changed = !sameState(state, this.history.present);
    if (!changed && SETTING_TRAITS.every((name) => settings[name] === this.settings[name])) return;
    this.numbers.showSettings(settings);
    if (changed) {
      this.origin = state;
      this.tryState(state);
    } else this.ask(this.history.present, { recordedAlready: true, atOnce: true });
  }

  /** Ask the kernel about a state. With recordedAlready the boards show it before the answer. */
  ask(state, { recordedAlready = false, atOnce = false, typedOn = null } = {}) {
    clearTimeout(this.lostTimer);
    this.requester.forget("lost_mass");
    this.asked = { state, recordedAlready, typedOn };
    this.numbers.markStale();
    this.lost.markStale();
    this.requester.ask("compare", { ...state, ...this.settings }, atOnce);
  }

  /** Go to a state once the kernel accepts it; until then the boards do not change. */
  tryState(state, typedOn = null) {
    this.chosen = null;
    this.pointed = null;
    this.ask(state, { atOnce: true, typedOn });
  }

  /** Go to a state at once; used for edits of a board, which always leave one that can be read. */
  goTo(state) {
    this.history = recorded(this.history, state);
    this.shown = { true_fen: state.true_fen, predicted_fen: state.predicted_fen };
    this.chosen = null;
    this.pointed = null;
    this.showBoards();
    for (const look of SIDES) this.sides[look].restore();
    this.ask(state, { recordedAlready: true, atOnce: true });
  }

  compared(answer) {
    const { recordedAlready, typedOn } = this.asked;
    this.asked.typedOn = null;
    this.frame.alert("");
    if (answer.problems) {
      this.complain(answer.problems, typedOn);
      return;
    }
    const { view } = answer;
    const boards = { true_fen: view.true.fen, predicted_fen: view.predicted.fen };
    const state = this.asked.state.line.length ? this.asked.state : { ...boards, line: [] };
    if (!recordedAlready) {
      this.history = recorded(this.history, state);
      this.say(state.line.length ? `Both boards after ${answer.line_words.at(-1)}` : "Both boards at the start of the line.");
    }
    const moved = !this.answered || !sameState(this.answered, state);
    Object.assign(this, { view, shown: boards, answered: state, answeredSettings: this.settings });
    this.frame.code.value = answer.code;
    this.keepingFocus(this.crumbs.element, () => this.crumbs.show(answer.line_words));
    this.showBoards(typedOn);
    for (const look of SIDES) {
      this.sides[look].describe(view[look]);
      if (look === typedOn) this.sides[look].complain("");
      else if (moved) this.sides[look].restore();
    }
    this.numbers.show(view);
    this.keepingFocus(this.moves.element, () => this.moves.show(view.moves));
    this.save(state);
    this.restThenAskWhatIsLost();
  }

  /** What is made anew keeps the focus, or a button that steps through the line gets it. */
  keepingFocus(part, act) {
    const { back, forward, flip } = this.frame.buttons;
    keepingFocus(part, act, () => [forward, back, flip].find((button) => !button.disabled));
  }

  /** A FEN cannot be read: the boards and numbers stay, and a message explains the problem. */
  complain(problems, typedOn) {
    if (typedOn) this.sides[typedOn].complain(problems[typedOn] ?? Object.values(problems)[0]);
    else this.frame.alert(Object.entries(problems).map(([look, words]) => `The ${look} FEN cannot be read: ${words}`).join("\n"));
    this.settle();
  }

  failed(message, asked) {
    const lost = asked === "lost_mass";
    this.frame.alert(`${lost ? "Where lines die could not be computed" : "The pair could not be compared"}: ${message}`);
    if (!lost) this.settle();
  }

  /** The request failed: the numbers stay valid if they belong to the boards shown. */
  settle() {
    if (!this.answered || !sameState(this.answered, this.history.present)) return;
    this.numbers.showSettings(this.answeredSettings);
    this.numbers.markFresh();
    this.restThenAskWhatIsLost();
  }

  restThenAskWhatIsLost() {
    clearTimeout(this.lostTimer);
    this.lostTimer = setTimeout(() => {
      if (this.requester.idle("compare")) this.requester.ask("lost_mass", { ...this.history.present, ...this.settings }, true);
    }, REST_BEFORE_LOST);
  }

  save(state) {
    const values = { ...state, ...this.settings };
    const changed = Object.entries(values).filter(([name, value]) => JSON.stringify(this.model.get(name)) !== JSON.stringify(value));
    if (!changed.length) return;
    for (const [name, value] of changed) this.model.set(name, value);
    this.model.save_changes();
  }

  edit(look, edit) {
    const name = `${look}_fen`;
    const before = parseFen(this.shown[name] || EMPTY_FEN);
    const fen = formatFen(applyEdit(before, edit));
    if (fen === this.shown[name]) return;
    this.say(`${look === "true" ? "True" : "Predicted"} board: ${editInWords(before, edit)}.`);
    this.goTo({ ...this.shown, [name]: fen, line: [] });
  }

  typed(look, fen) {
    if (fen !== null) this.tryState({ ...this.shown, [`${look}_fen`]: fen, line: [] }, look);
    else if (this.asked.typedOn) this.ask(this.history.present, { recordedAlready: true });
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
      this.chosen = found.square;
      this.showBoards();
    } else if (found.moves.length === 1) this.step([found.moves[0].uci]);
    else {
      this.crumbs.ask(found.moves, (uci) => {
        this.sides[look].board.focus(square);
        if (uci) this.step([uci]);
      });
    }
  }

  step(moves) {
    this.tryState(stepped(this.history.present, moves));
  }

  travel(way) {
    const history = way(this.history);
    if (history === this.history) return;
    this.history = history;
    this.say(way === undone ? "The last change is undone." : "The change is redone.");
    this.chosen = null;
    this.pointed = null;
    const { true_fen, predicted_fen, line } = history.present;
    if (!line.length) this.shown = { true_fen, predicted_fen };
    this.showBoards();
    for (const look of SIDES) this.sides[look].restore();
    this.ask(history.present, { recordedAlready: true, atOnce: true });
  }

  flip() {
    this.model.set("flipped", !this.model.get("flipped"));
    this.model.save_changes();
  }

  swap() {
    const state = swapped(this.shown);
    if (state) {
      this.say("The boards are swapped.");
      this.goTo(state);
    } else this.say("There is no predicted board to swap.");
  }

  hover(square) {
    if (square === this.hovered) return;
    this.hovered = square;
    if (!this.dragging.picture) this.showBoards();
  }

  point(pointed) {
    this.pointed = pointed;
    this.showBoards();
  }

  pointAtLine(node, look) {
    const first = node?.line?.[0];
    if (!first) this.point(null);
    else this.point({ move: squaresOfMove(first), look: node.kind === "lost" && node.line.length === 1 ? look : "shared" });
  }

  /** The moves of the last answer, unless the boards have changed since. */
  currentMoves() {
    return this.answered && sameState(this.answered, this.history.present) ? this.view.moves : NO_MOVES;
  }

  showBoards(typedOn = null) {
    const moves = this.currentMoves();
    const wish = { differing: this.moves.differing.checked, shared: this.moves.shared.checked, square: this.chosen ?? this.hovered, pointed: this.pointed };
    const last = this.history.present.line.at(-1);
    const common = {
      flipped: this.model.get("flipped"), different: differentSquares(this.shown.true_fen, this.shown.predicted_fen), chosen: this.chosen,
      lastMove: last ? squaresOfMove(last) : null,
      targets: targetSquares(moves, this.chosen, this.moves.shared.checked),
    };
    for (const look of SIDES) {
      const state = { ...common, fen: this.shown[`${look}_fen`], arrows: arrowsOf(look, moves, wish) };
      this.sides[look].show(state, look === typedOn);
    }
    const { past, present, future } = this.history;
    this.frame.enable({
      undo: past.length > 0, redo: future.length > 0, swap: Boolean(this.shown.predicted_fen),
      back: present.line.length > 0, forward: nextMove(this.history) !== null,
    });
  }
}

/** @param {{model: Object, el: HTMLElement}} context anywidget's. */
function render({ model, el }) {
  hideStill(model, el);
  const view = new BoardPairView(model, el);
  return () => view.dispose();
}

export default { render };
