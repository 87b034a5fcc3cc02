// The page where a language model reads a game: the true board, on which moves are made, beside the board that the model
// writes; the scores of each ply, and their curve. Hooks: id="reader" (data-twin "worker" or "page", data-read: plies read);
// data-role="game-choice", "model-choice", "step", "step-words", "show-certainty", "certainty-words", "next-move", "paste", "paste-text", "paste-read", "new-game", "page-error", "page-status",
// "example"; and those of guess_first.js, link_copy.js, game_tracker_view.js, verdict_bar.js, play_board.js.

import { GameTrackerView } from "../game/game_tracker_view.js";
import { NOT_READ_YET } from "../game/model_reading.js";
import { htmlElement, subscripted } from "../page/svg.js";
import { PageModel, startTwin } from "../static_page/page_model.js";
import { followTheme } from "../static_page/page_theme.js";
import { BelievedVerdict } from "./believed_verdict.js";
import { GuessFirst, firstWrong } from "./guess_first.js";
import { Hand } from "./hand.js";
import { HandBoard } from "./hand_board.js";
import { handOfText, handText } from "./hand_places.js";
import { PlayBoard } from "./play_board.js";
import { LinkCopy } from "./link_copy.js";
import { linkOfPlace, placeOfLink } from "./reader_link.js";

/** Milliseconds between two drawings while the model reads on. */
const DRAWING_PAUSE = 400;
const OWN_GAME = "own";
const HIDDEN = "Guess first: this board is hidden.";
const NAMES = { true: "True board: make a move", predicted: "Board that the model writes" };

class ReaderPage {
  /** @param {HTMLElement} host @param {Object} content @param {Object} twin See `startTwin`. @param {Function} rules The twin in the page itself. */
  constructor(host, content, twin, rules) {
    Object.assign(this, { host, content, twin, rules, serial: 0, flying: null, drawn: 0 });
    this.replies = new Map(content.models.map(({ name }) => [name, new Map()]));
    this.name = content.models[0].name;
    this.stops = [];
    this.loaded = new Set();
    this.example = htmlElement("p", { "data-role": "example" });
    this.hand = new Hand({
      now: () => ({ stops: this.stops, ply: Math.min(this.model.get("ply"), this.stops.length - 1), depth: this.model.get("depth"), model: this.chosen() }),
      plainReply: (ply) => (this.guess.open ? undefined : this.replies.get(this.name).get(ply)),
      canArise: (fen) => this.rule({ kind: "arises", fen }).arises, onChange: () => this.changeHand(),
    });
    this.host.append(this.buildTools());
    this.status = htmlElement("p", { class: "ws-status", role: "status", "data-role": "page-status" });
    this.sureWords = htmlElement("p", { class: "ws-quiet", "data-role": "certainty-words" });
    this.next = htmlElement("p", { class: "ws-quiet", "data-role": "next-move" });
    this.error = htmlElement("p", { class: "ws-alert", role: "alert", "data-role": "page-error" });
    this.model = new PageModel({
      game: this.emptyGame(), ply: 0, depth: content.depth, flipped: false, pieces: content.pieces, can_open: false, reader: "", readers: [], answers: {},
    }, this.twin);
    this.setGame(content.games[0].moves, content.games[0].ply);
    this.openLink();
    // Tasks of their own: in one the browser would not move for a tenth of a second.
    setTimeout(() => this.buildView());
    setTimeout(() => this.settle());
  }

  buildView() {
    const tracker = htmlElement("div");
    this.host.append(htmlElement("div", { class: "world-state reader-words" }, this.error, this.status, this.guess.element, this.sureWords), tracker, htmlElement("div", { class: "world-state reader-next" }, this.next));
    this.view = new GameTrackerView(this.model, tracker, {
      names: NAMES, verdict: this.buildVerdict(), belowBoards: this.verdict.causes, inPlaceOf: (reply) => this.verdict.inPlaceOf(reply), certainty: (ply) => this.certainty(ply), waiting: () => (this.guess.open ? HIDDEN : this.waiting().length ? NOT_READ_YET : ""),
      trueBoard: (options) => new PlayBoard({
        ...options, root: this.host, movesOf: (fen) => this.rule({ kind: "moves", fen }).moves,
        onMove: (uci) => this.play(uci), onSay: (words) => { this.status.textContent = words; },
      }),
      predictedBoard: (options) => new HandBoard({
        ...options, root: this.host, words: this.hand.element, onMean: (meant) => this.hand.mean(meant), onAsk: (square) => this.hand.ask(square),
        squaresFor: (piece) => this.hand.squaresFor(piece), onSay: (words) => this.hand.say(words),
      }),
    });
    this.model.on("change:ply", () => {
      this.hand.say("");
      this.settle();
    });
    this.model.on("change:depth", () => this.hand.show(this.guess.open));
    addEventListener("hashchange", () => { if (location.hash !== this.link) this.openLink(); });
  }

  ask(message, onAnswer) {
    this.twin.ask({ ...message, serial: `page-${++this.serial}` }, onAnswer);
  }

  /** Ask the rules, in the page itself. @throws {RangeError} If what is asked about is refused. */
  rule(message) {
    const answer = this.rules({ ...message, serial: "" }, this.content.words);
    if (answer.kind === "failed") throw new RangeError(answer.message);
    return answer;
  }

  buildTools() {
    const { games, models } = this.content;
    const option = (value, words) => htmlElement("option", { value }, words);
    this.gameChoice = htmlElement("select", { "data-role": "game-choice", onchange: () => this.chooseGame() },
      ...games.map(({ name }, index) => option(String(index), name)), option(OWN_GAME, "Your own game"));
    this.modelChoice = htmlElement("select", { "data-role": "model-choice", onchange: () => this.chooseModel(this.modelChoice.value) },
      ...models.map(({ name }) => option(name, `workbench/${name}`)));
    this.guess = new GuessFirst({
      known: () => firstWrong(this.replies.get(this.name), Math.min(this.stops.length - 1, this.content.most_plies)),
      stopOf: (ply) => this.stops[ply], onChange: () => this.settle(),
      onReveal: (ply) => { this.model.set("ply", ply); this.settle(); },
    });
    this.sure = htmlElement("input", { type: "checkbox", "data-role": "show-certainty", onchange: () => this.view.show() });
    const { steps } = this.content;
    const modelLabel = htmlElement("label", { hidden: models.length < 2 || steps.length > 0 }, "Model ", this.modelChoice);
    this.step = htmlElement("input", {
      type: "range", min: 0, max: Math.max(0, steps.length - 1), value: steps.length - 1, "data-role": "step", "aria-label": "Training step", oninput: () => this.chooseModel(steps[this.step.value].name),
    });
    this.stepWords = htmlElement("output", { "data-role": "step-words" });
    const training = htmlElement("label", { hidden: steps.length === 0 }, "Training ", this.step, " ", this.stepWords);
    this.pasteText = htmlElement("textarea", { rows: 3, "data-role": "paste-text", "aria-label": "Moves of a game, in PGN, SAN or UCI", spellcheck: "false" });
    const paste = htmlElement("details", { "data-role": "paste" }, htmlElement("summary", {}, "Paste a game"), this.pasteText,
      htmlElement("button", { type: "button", "data-role": "paste-read", onclick: () => this.take(this.pasteText.value, OWN_GAME) }, "Read this game"));
    this.copy = new LinkCopy(() => new URL(`${this.content.page}${this.link}`, location.href).href, (words) => { this.status.textContent = words; });
    return htmlElement("div", { class: "world-state reader-tools", role: "group", "aria-label": "Game and model" },
      htmlElement("h2", { class: "ws-unseen" }, "Game and boards"), htmlElement("label", {}, "Game ", this.gameChoice), modelLabel, training,
      htmlElement("label", { title: "The probability of each square's token, given those written before it" }, this.sure, " Show how sure it is"), this.guess.choice,
      htmlElement("button", { type: "button", "data-role": "new-game", onclick: () => this.take("", OWN_GAME) }, "New game"), this.copy.element, paste);
  }

  buildVerdict() {
    this.verdict = new BelievedVerdict(this.model, this.content.words.scoring, {
      onMend: () => this.view.show(), onFailed: (message) => { this.error.textContent = `The board cannot be corrected: ${message}.`; },
    });
    this.verdict.element.append(this.buildExample());
    return {
      element: this.verdict.element,
      show: (reply) => {
        this.verdict.show(reply);
        this.next.textContent = (reply && this.written().get(reply.ply)?.next?.words) ?? "";
        if (reply) this.showExample(reply);
      },
    };
  }

  buildExample() {
    return htmlElement("details", { class: "reader-example" },
      htmlElement("summary", {}, ...subscripted("What is p_4?")),
      htmlElement("p", {}, ...subscripted("Draw four moves, one after the other, at random among those that are legal on the model's board. p_4 is the probability that all four are legal on the true board; for r_4 the boards change places, and F_4 is their harmonic mean. All are exact here; \"Depth m\" has lines of other lengths. A ply is one move of one side.")),
      this.example);
  }

  showExample({ precision, recall, refused }) {
    const depth = precision.length;
    const said = [[`p_${depth}`, precision, "the model's board", "the true board"], [`r_${depth}`, recall, "the true board", "the model's board"]].map(([name, values, drawn, played]) => {
      const value = values[depth - 1];
      return value === null ? "" : `${name} is ${value.toFixed(2)}: of 100 such lines of ${drawn}, about ${Math.round(100 * value)} can be played on ${played}. `;
    });
    this.example.replaceChildren(...subscripted(`At this ply ${said.join("")}${refused ? ` One move that only the model's board permits is ${refused}.` : ""}`));
  }

  emptyGame() {
    return { title: "", simulated: false, depth: this.content.depth, notes: [], conventions: this.content.conventions, replies: [], stops: [{ ply: 0, fen: this.rule({ kind: "game", text: "" }).stops[0].fen, san: null, uci: null }] };
  }

  moves() {
    return this.stops.slice(1).map(({ uci }) => uci);
  }

  /** How sure the model is of each square after a ply, if that is to be shown. */
  certainty(ply) {
    const certainty = (this.sure.checked && !this.guess.open && !this.verdict.mended.length && this.written().get(ply)?.certainty) || null;
    const [square, { share }] = Object.entries(certainty ?? { "": { share: 1 } }).sort(([, one], [, other]) => one.share - other.share)[0];
    this.sureWords.textContent = certainty ? `Faint pieces are uncertain, ghosts are the second choice. Least certain: ${square}, probability ${share.toFixed(2)}.` : "";
    return certainty;
  }

  chooseGame() {
    const { value } = this.gameChoice;
    const game = this.content.games[Number(value)];
    if (value === OWN_GAME) this.take("", OWN_GAME);
    else this.take(game.moves, value, game.ply);
  }

  chooseModel(name) {
    // What is under way is for another model.
    this.flying = null;
    this.name = name;
    this.settle();
  }

  /** Show which model reads. */
  showModel() {
    this.modelChoice.value = this.name;
    const at = this.content.steps.findIndex(({ name }) => name === this.name);
    if (at < 0) return;
    const { step } = this.content.steps[at];
    this.step.value = String(at);
    this.stepWords.textContent = `step ${step.toLocaleString("en-US")}`;
    this.step.setAttribute("aria-valuetext", this.stepWords.textContent);
  }

  /** Read another game; a text that is none is refused. */
  take(text, choice, ply = 0) {
    try {
      this.setGame(text, ply);
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      this.error.textContent = `This game cannot be read: ${error.message}.`;
      return;
    }
    this.gameChoice.value = choice;
    if (this.guess.mode.checked) {
      this.model.set("ply", 0);
      this.guess.begin();
    }
    this.status.textContent = this.stops.length > 1 ? "" : "A new game: make the first move on the true board; you move for both sides.";
    this.settle();
  }

  setGame(text, ply) {
    const { stops } = this.rule({ kind: "game", text });
    this.error.textContent = "";
    const shared = stops.findIndex(({ uci }, at) => uci !== (this.stops[at] ?? {}).uci);
    const first = shared < 0 ? stops.length : shared;
    for (const replies of this.replies.values()) [...replies.keys()].filter((each) => each >= first).forEach((each) => replies.delete(each));
    this.hand.forgetFrom(first);
    this.stops = stops;
    this.flying = null;
    this.draw();
    this.model.set("ply", Math.min(ply, stops.length - 1));
  }

  /** Make a move at the present ply; moves after it are dropped. */
  play(uci) {
    const ply = this.view.ply();
    this.setGame([...this.moves().slice(0, ply), uci].join(" "), ply + 1);
    this.gameChoice.value = OWN_GAME;
    this.status.textContent = "";
    this.settle();
  }

  /** The content of the chosen model. */
  chosen() {
    return this.content.models.find(({ name }) => name === this.name);
  }

  /** What the chosen model writes, by ply: with a hand inside from its ply on. */
  written() {
    const plain = this.replies.get(this.name);
    if (this.hand.place === null || this.guess.open) return plain;
    return new Map([...[...plain].filter(([ply]) => !this.hand.changes(this.chosen(), ply)), ...this.hand.repliesOf(this.name)]);
  }

  /** The boards that the chosen model has not written, those of the present ply first, then those after it. */
  waiting() {
    const plain = this.replies.get(this.name);
    const ply = this.model.get("ply");
    const most = this.content.most_plies;
    const left = this.stops.filter((stop) => stop.ply <= most).flatMap((stop) => {
      const changed = !this.guess.open && this.hand.changes(this.chosen(), stop.ply) && !this.hand.repliesOf(this.name).has(stop.ply);
      return [...(changed ? [{ ply: stop.ply, changed }] : []), ...(plain.has(stop.ply) ? [] : [{ ply: stop.ply, changed: false }])];
    });
    if (this.guess.open) return left;
    return [...left.filter((each) => each.ply >= ply), ...left.filter((each) => each.ply < ply)];
  }

  /** Show the state in the address, and read on. */
  settle() {
    this.link = linkOfPlace({ model: this.name, ply: this.model.get("ply"), moves: this.moves(), hand: this.hand.place ? handText(this.hand.place) : "" });
    if (this.content.page === "" && ["file:", "http:", "https:"].includes(location.protocol)) history.replaceState(null, "", this.link);
    this.showModel();
    this.draw();
    this.readOn();
  }

  readOn() {
    const [first] = this.waiting();
    if (first === undefined || this.flying !== null) return;
    const { ply, changed } = first;
    const flying = { name: this.name };
    this.flying = flying;
    if (!this.loaded.has(this.name)) {
      this.loaded.add(this.name);
      this.ask({ kind: "weights", model: this.chosen() }, () => {});
    }
    const question = { kind: "board", name: this.name, moves: this.moves().slice(0, this.content.most_plies), stop: this.stops[ply], depth: this.content.depth, ...(changed && this.hand.question(ply)) };
    this.ask(question, (answer) => {
      // An answer about an earlier game.
      if (this.flying !== flying) return;
      this.flying = null;
      if (answer.kind === "failed") {
        this.error.textContent = `The model cannot read this game: ${answer.message}.`;
        return;
      }
      (changed ? this.hand.repliesOf(flying.name) : this.replies.get(flying.name)).set(ply, answer.reply);
      this.guess.settle();
      this.readOn();
      const present = ply === this.model.get("ply");
      const due = performance.now() - this.drawn > DRAWING_PAUSE;
      if (present || due || this.waiting().length === 0) this.draw();
    });
  }

  /** Show the game as far as it is read. */
  draw() {
    this.drawn = performance.now();
    const replies = this.guess.open ? [] : [...this.written().values()].sort((one, other) => one.ply - other.ply);
    const model = `workbench/${this.name}`;
    const boards = Math.min(this.stops.length, this.content.most_plies + 1);
    const { training_games: trainingGames, games } = this.content;
    const played = this.moves().join(" ");
    const trained = games.some(({ number, moves }) => number !== null && number < trainingGames[this.name] && moves === played);
    const notes = trained ? [`${model} was trained on this game.`] : [];
    const title = this.guess.open ? `${model} reads, hidden` : replies.length < boards ? `${model} has written ${replies.length} of ${boards} boards` : `${model} has written all ${boards} boards`;
    this.model.replace("game", { ...this.emptyGame(), title, notes, stops: this.stops, replies: replies.map(({ certainty: _certainty, next: _next, intended: _intended, ...reply }) => reply) });
    this.hand.show(this.guess.open);
    Object.assign(this.host.dataset, { read: replies.length, twin: this.twin.inWorker() ? "worker" : "page" });
  }

  openLink() {
    const place = placeOfLink(location.hash);
    if (!place) return;
    if (this.replies.has(place.model)) this.name = place.model;
    this.take(place.text, OWN_GAME, place.ply);
    const hand = handOfText(place.hand, this.stops);
    if (place.hand && hand === null) this.error.textContent = "The hand of this link does not fit its game: it is left out.";
    this.hand.set(hand);
  }

  /** There is another hand inside, or none. */
  changeHand() {
    // What is under way is for the hand before.
    this.flying = null;
    this.settle();
  }
}

/**
 * Open the page.
 * @param {Object} content Of reader_html.py. @param {() => Function} loadTwin See `startTwin`.
 */
export function openReader(content, loadTwin) {
  followTheme();
  const twin = startTwin(loadTwin, content.words);
  const rules = loadTwin();
  setTimeout(() => new ReaderPage(document.getElementById("reader"), content, twin, rules));
}
