// The view of GameTracker: one game, its replies, and both boards at the current ply. Stepping through the game does
// not involve the kernel; a language model that reads it does. Hooks: data-role="game-tracker"
// (data-ply), "error", "status", "kernel", "title", "simulated", "notes", "chart-box", "ply", "first",
// "previous", "next", "last", "previous-reply", "next-reply", "depth", "flip", "ply-words", "numbers" and
// "facts" with dd[data-fact] (data-value), "no-board", "moves" with "move" (data-ply), "reply", "true-fen",
// "predicted-fen", "open-pair"; and those of tracker_chart.js, model_reading.js, board.js.

import { htmlElement, keepShortcutsAway } from "../page/svg.js";
import { showFen } from "../page/fen_text.js";
import { Requester } from "../page/requester.js";
import { KernelNote } from "../page/kernel_note.js";
import { ModelReading, NOT_READ_YET } from "./model_reading.js";
import { Board } from "../board/board.js";
import { trackerChart, trackerLegend } from "./tracker_chart.js";
import { factsOf, turnInWords } from "./tracker_facts.js";
import { neighbours, noReplyInWords, placeInWords, plyByKey, plyInList, plyStepped, replyAt, stopAt } from "./tracker_places.js";

/**
 * What another page than a notebook puts in place of the view's own.
 * @typedef {Object} TrackerParts
 * @property {Object<string, string>} [names] Of the two boards.
 * @property {(options: Object) => Object} [trueBoard] Makes the true board: with `element` and `show` as Board has them.
 * @property {(options: Object) => Object} [predictedBoard] Makes the predicted one; what it has as `below` stands below it.
 * @property {{element: HTMLElement, show: (reply: Object|null) => void}} [verdict] In place of the numbers at the ply.
 * @property {HTMLElement} [belowBoards] @property {(reply: Object|null) => Object|null} [inPlaceOf] What is shown at the ply instead of its reply; the chart keeps the reply.
 * @property {() => string} [waiting] Why there is no reply yet, in words; "" where none is to come.
 * @property {(ply: number) => Object|null} [certainty] Of the predicted board, as Board takes it.
 */

const stillBoard = (options) => new Board({ ...options, editable: false });
const BOARD_NAMES = { true: "True board", predicted: "Predicted board" };

export class GameTrackerView {
  /** @param {Object} model anywidget's. @param {HTMLElement} element @param {TrackerParts} [parts] */
  constructor(model, element, parts = {}) {
    this.model = model;
    this.parts = { names: BOARD_NAMES, trueBoard: stillBoard, predictedBoard: stillBoard, ...parts };
    this.kernel = new KernelNote();
    this.requester = new Requester(model, {
      onFailed: (message, asked) => {
        this.error.textContent = message;
        if (asked === "read") this.reading.failed();
      },
      ...this.kernel.listeners(() => this.reading.failed()),
    });
    this.requester.on("open", ({ ply }) => { this.status.textContent = `Ply ${ply} is open in the board pair.`; });
    this.reading = new ModelReading(model, this.requester, {
      onChosen: () => { this.error.textContent = ""; }, onGame: () => this.showGame(),
    });
    element.append(this.build());
    this.listeners = {
      "change:ply": () => this.show(), "change:flipped": () => this.show(),
      "change:depth": () => { this.depth.value = String(model.get("depth")); this.drawChart(); this.show(); },
      "change:game": () => this.showGame(), "change:reader": () => this.reading.settle(),
    };
    for (const [name, act] of Object.entries(this.listeners)) model.on(name, act);
    this.showGame();
    // Also tells the first width, so that no layout is forced before the first is due.
    this.resized = new ResizeObserver(([{ contentRect }]) => this.fitChart(Math.floor(contentRect.width)));
    this.resized.observe(this.chartBox);
  }

  dispose() {
    this.requester.dispose();
    this.resized.disconnect();
    for (const [name, act] of Object.entries(this.listeners)) this.model.off(name, act);
  }

  build() {
    const block = (name, attributes, ...children) => htmlElement(name, attributes, ...children);
    this.title = block("h3", { "data-role": "title" });
    this.badge = block("span", { class: "ws-badge", "data-role": "simulated" }, "simulated");
    this.conventions = block("p", { class: "ws-quiet" });
    this.notes = block("ul", { class: "ws-notes", "data-role": "notes" });
    this.error = block("div", { class: "ws-alert", role: "alert", "data-role": "error" });
    this.status = block("p", { class: "ws-status", role: "status", "data-role": "status" });
    this.chartBox = block("div", { class: "ws-chart-box", "data-role": "chart-box" });
    this.root = block("div", {
      class: "world-state game-tracker", "data-lm-suppress-shortcuts": "true", onfocusin: keepShortcutsAway, "data-role": "game-tracker",
      role: "group", "aria-label": "Game tracker",
    },
    block("div", { class: "ws-head" }, this.title, this.badge, this.buildChoices()),
    this.notes, this.error, this.reading.element, this.buildAnswer(), this.kernel.element, this.buildScrubber(),
    block("div", { class: "ws-body" }, this.buildBoards(), this.buildSide()), this.buildDetails());
    return this.root;
  }

  buildChoices() {
    this.depth = htmlElement("select", { "data-role": "depth", onchange: () => this.set({ depth: Number(this.depth.value) }) });
    const flip = htmlElement("button", {
      type: "button", "data-role": "flip", onclick: () => this.set({ flipped: !this.model.get("flipped") }),
    }, "Flip boards");
    return htmlElement("div", { class: "ws-choices" }, this.reading.choice, htmlElement("label", {}, "Depth m ", this.depth), flip);
  }

  /** What changes at the ply, and its numbers. */
  buildAnswer() {
    this.words = htmlElement("p", { class: "ws-place", "data-role": "ply-words" });
    this.spoken = htmlElement("p", { class: "ws-unseen", "aria-live": "polite" });
    this.numbers = htmlElement("dl", { class: "ws-numbers", "data-role": "numbers" });
    return htmlElement("div", { class: "ws-answer" }, this.words, this.parts.verdict?.element ?? this.numbers, this.spoken);
  }

  buildScrubber() {
    const button = (role, words, label, act) =>
      htmlElement("button", { type: "button", "data-role": role, "aria-label": label, title: label, onclick: act }, words);
    this.scrubber = htmlElement("input", {
      type: "range", step: 1, "data-role": "ply", "aria-label": "Ply", oninput: () => this.go(Number(this.scrubber.value)),
      onkeydown: (event) => this.key(event, plyByKey),
    });
    this.replyButtons = {
      before: button("previous-reply", "Previous reply", "Previous reply", () => this.goTo(neighbours(this.game(), this.ply()).before)),
      after: button("next-reply", "Next reply", "Next reply", () => this.goTo(neighbours(this.game(), this.ply()).after)),
    };
    return htmlElement("div", { class: "ws-scrubber" },
      button("first", "|◀", "First position", () => this.go(this.plies()[0])),
      button("previous", "◀", "One ply back", () => this.step(-1)),
      this.scrubber,
      button("next", "▶", "One ply forward", () => this.step(1)),
      button("last", "▶|", "Last position", () => this.go(this.plies().at(-1))),
      this.replyButtons.before, this.replyButtons.after);
  }

  buildBoards() {
    const pieces = this.model.get("pieces");
    const { names } = this.parts;
    this.boards = {
      true: this.parts.trueBoard({ look: "true", label: names.true, pieces }),
      predicted: this.parts.predictedBoard({ look: "predicted", label: names.predicted, pieces }),
    };
    this.trueFen = htmlElement("code", { class: "ws-fen", "data-role": "true-fen" });
    this.predictedFen = htmlElement("code", { class: "ws-fen", "data-role": "predicted-fen" });
    this.noBoard = htmlElement("p", { class: "ws-no-board", "data-role": "no-board" });
    this.predictedBox = htmlElement("div", { class: "ws-board-box" }, this.boards.predicted.element, this.noBoard);
    this.turns = { true: htmlElement("span", { class: "ws-turn" }), predicted: htmlElement("span", { class: "ws-turn" }) };
    const part = (look, name, ...boards) =>
      htmlElement("div", { class: `ws-look-${look}`, role: "group", "aria-label": name }, htmlElement("h4", {}, name, this.turns[look]), ...boards);
    return htmlElement("div", { class: "ws-boards" },
      part("true", names.true, htmlElement("div", { class: "ws-board-box" }, this.boards.true.element)),
      part("predicted", names.predicted, this.predictedBox, this.boards.predicted.below), this.parts.belowBoards ?? null);
  }

  buildSide() {
    this.open = htmlElement("button", {
      type: "button", "data-role": "open-pair", onclick: () => this.requester.ask("open", { ply: this.ply() }, true),
    }, "Open in the board pair");
    this.moves = htmlElement("div", {
      class: "ws-moves", role: "listbox", tabindex: "0", "aria-label": "Moves of the game", "data-role": "moves",
      onkeydown: (event) => this.key(event, plyInList),
      onclick: (event) => this.goTo(Number(event.target.closest?.("[data-ply]")?.dataset.ply ?? NaN)),
    });
    return htmlElement("div", { class: "ws-side" }, this.chartBox, this.moves,
      htmlElement("div", { class: "ws-open" }, this.open, this.status));
  }

  /** What one seldom needs: everything else about this reply, and how replies are scored. */
  buildDetails() {
    this.facts = htmlElement("dl", { class: "ws-facts", "data-role": "facts" });
    this.reply = htmlElement("pre", { class: "ws-reply", tabindex: "0", role: "group", "aria-label": "Unchanged reply", "data-role": "reply" });
    this.replyTitle = htmlElement("h4", {});
    return htmlElement("details", { class: "ws-panel", "data-role": "details" },
      htmlElement("summary", {}, "This reply in detail: class, FENs, text"), this.facts,
      htmlElement("h4", {}, "True FEN"), this.trueFen, htmlElement("h4", {}, "Predicted FEN"), this.predictedFen,
      this.replyTitle, this.reply, this.conventions);
  }

  /** The game as a language model has read it so far, else as the kernel shows it. */
  game() {
    return this.reading.game ?? this.model.get("game");
  }

  plies() {
    return this.game().stops.map(({ ply }) => ply);
  }

  ply() {
    return stopAt(this.game(), this.model.get("ply")).ply;
  }

  set(values) {
    for (const [name, value] of Object.entries(values)) this.model.set(name, value);
    this.model.save_changes();
  }

  /** Go to the stop at a ply, or the nearest. */
  go(ply) {
    this.set({ ply: stopAt(this.game(), ply).ply });
  }

  goTo(ply) {
    if (Number.isInteger(ply)) this.go(ply);
  }

  step(steps) {
    this.go(plyStepped(this.plies(), this.ply(), steps));
  }

  key(event, leads) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const ply = leads(this.plies(), this.ply(), event.key);
    if (ply === null) return;
    event.preventDefault();
    event.stopPropagation();
    this.go(ply);
  }

  /** Show another game: everything that does not depend on the ply. */
  showGame() {
    const game = this.game();
    const plies = this.plies();
    this.title.textContent = game.title;
    this.badge.hidden = !game.simulated;
    this.conventions.textContent = `${game.replies.length} ${game.replies.length === 1 ? "reply" : "replies"}, exact p and r; ${game.conventions}.`;
    this.notes.replaceChildren(...game.notes.map((note) => htmlElement("li", {}, note)));
    this.notes.hidden = game.notes.length === 0;
    this.depth.replaceChildren(...Array.from({ length: game.depth }, (_, index) =>
      htmlElement("option", { value: index + 1, selected: index + 1 === this.model.get("depth") }, String(index + 1))));
    Object.assign(this.scrubber, { min: String(plies[0]), max: String(plies.at(-1)) });
    this.open.hidden = !this.model.get("can_open");
    this.showMoves(game);
    this.drawChart();
    this.show();
  }

  showMoves(game) {
    const replied = new Set(game.replies.map(({ ply }) => ply));
    if (this.listed === game.stops) {
      for (const [ply, option] of this.options) option.dataset.replied = String(replied.has(ply));
      return;
    }
    this.listed = game.stops;
    this.options = new Map(game.stops.map((stop) => {
      const words = stop.san ?? (stop.ply === 0 ? "Start" : `ply ${stop.ply}`);
      const number = stop.san && stop.ply % 2 ? htmlElement("span", { class: "ws-number" }, `${(stop.ply + 1) / 2}. `) : null;
      const option = htmlElement("span", {
        class: "ws-move", role: "option", id: `${this.requester.name}-ply-${stop.ply}`, "aria-selected": "false",
        "data-role": "move", "data-ply": stop.ply, "data-replied": replied.has(stop.ply),
      }, number, words);
      return [stop.ply, option];
    }));
    this.moves.replaceChildren(...[...this.options.values()].flatMap((option) => [option, " "]));
  }

  fitChart(width) {
    if (width === this.chartWidth) return;
    this.chartWidth = width;
    this.drawChart();
  }

  drawChart() {
    const width = this.chartWidth;
    if (!width) return;
    const [game, depth] = [this.game(), this.model.get("depth")];
    this.chart = trackerChart({ game, depth, width, height: width < 400 ? 240 : 270, onSelect: (ply) => this.go(ply) });
    this.chartBox.replaceChildren(this.chart.element, trackerLegend(game));
    this.chart.moveCursor(this.ply());
  }

  /** Show the position at the ply. */
  show() {
    const game = this.game();
    const ply = this.ply();
    const stop = stopAt(game, ply);
    const own = replyAt(game, ply);
    const reply = this.parts.inPlaceOf?.(own) ?? own;
    const depth = this.model.get("depth");
    this.root.dataset.ply = String(ply);
    this.scrubber.value = String(ply);
    this.scrubber.setAttribute("aria-valuetext", placeInWords(stop));
    const before = game.replies[game.replies.indexOf(own) - 1] ?? null;
    const facts = reply ? factsOf(reply, depth, before) : [];
    this.words.textContent = reply ? `Ply ${ply}, ${reply.change}` : placeInWords(stop);
    const spoken = facts.filter((fact) => fact.spoken).map(({ name, words }) => `${name} ${words}`);
    this.spoken.textContent = [this.words.textContent, ...spoken].join("; ");
    const entries = (first) => facts.filter((fact) => fact.first === first).flatMap(({ fact, name, words, value, step }) => [
      htmlElement("dt", {}, name),
      htmlElement("dd", { "data-fact": fact, "data-value": value }, words, step && htmlElement("span", { class: "ws-step" }, ` ${step}`)),
    ]);
    this.numbers.replaceChildren(...entries(true));
    this.facts.replaceChildren(...entries(false));
    this.facts.hidden = facts.length === 0;
    this.open.disabled = reply === null;
    const near = neighbours(game, ply);
    const everywhere = game.replies.length >= game.stops.length - 1;
    this.replyButtons.before.hidden = everywhere;
    this.replyButtons.after.hidden = everywhere;
    this.replyButtons.before.disabled = near.before === null;
    this.replyButtons.after.disabled = near.after === null;
    this.parts.verdict?.show(reply);
    this.showBoards(game, stop, reply);
    this.showReply(game, reply);
    this.showCurrentMove(ply);
    this.chart?.moveCursor(ply);
  }

  showBoards(game, stop, reply) {
    const flipped = this.model.get("flipped");
    const fen = reply?.true_fen ?? stop.fen;
    const lastMove = stop.uci ? { from: stop.uci.slice(0, 2), to: stop.uci.slice(2, 4) } : null;
    const different = reply?.different ?? [];
    this.boards.true.show({ fen, flipped, different, lastMove });
    showFen(this.trueFen, fen);
    const onBoard = Boolean(reply?.on_board);
    this.boards.predicted.show({ fen: onBoard ? reply.predicted_fen : "", flipped, different, certainty: onBoard ? this.parts.certainty?.(stop.ply) : null });
    this.predictedBox.classList.toggle("ws-without-board", !onBoard);
    this.boards.predicted.element.toggleAttribute("inert", !onBoard);
    this.noBoard.hidden = onBoard;
    this.noBoard.textContent = reply ? reply.words : this.reading.reading ? NOT_READ_YET : this.parts.waiting?.() || noReplyInWords(game, stop.ply);
    showFen(this.predictedFen, reply?.predicted_fen ?? "");
    this.turns.true.textContent = turnInWords(fen);
    this.turns.predicted.textContent = onBoard ? turnInWords(reply.predicted_fen) : "";
    const otherTurn = onBoard && reply.wrong_fields.includes("side to move");
    this.turns.predicted.classList.toggle("ws-turn-wrong", otherTurn);
  }

  showReply(game, reply) {
    const text = reply?.reply ?? null;
    this.replyTitle.textContent = game.simulated ? "Reply of the simulated tracker" : "Reply";
    this.reply.hidden = text === null;
    this.replyTitle.hidden = text === null;
    this.reply.textContent = text ?? "";
  }

  showCurrentMove(ply) {
    const option = this.options.get(ply);
    if (this.current !== option) {
      this.current?.setAttribute("aria-selected", "false");
      option.setAttribute("aria-selected", "true");
      this.moves.setAttribute("aria-activedescendant", option.id);
      this.current = option;
    }
    // Where the move is, is known once the page is laid out, which is not forced before it is due.
    requestAnimationFrame(() => this.scrollTo(this.current));
  }

  /** Scroll the list of moves; scrollIntoView would move the notebook as well. */
  scrollTo(option) {
    const [top, bottom] = [option.offsetTop - this.moves.offsetTop, option.offsetTop - this.moves.offsetTop + option.offsetHeight];
    if (top < this.moves.scrollTop) this.moves.scrollTop = top - 4;
    else if (bottom > this.moves.scrollTop + this.moves.clientHeight) this.moves.scrollTop = bottom - this.moves.clientHeight + 4;
  }
}
