// A hand inside: a piece that is replaced or moved on the board that the model writes changes one hidden state, and the
// model reads on.
// Hooks: data-role="hand" (data-held: whether the model writes what is intended at this ply), in it "hand-status",
// "hand-intent", "hand-outcome", "hand-course", "hand-next", "hand-away", "hand-rate", "hand-trials"; and those of hand_board.js.

import { htmlElement, subscripted } from "../page/svg.js";
import { pieceName } from "../board/board_model.js";
import { HAND_PIECES, boardIntended, handByPly, handOf, moveOfPly } from "./hand_places.js";
import { courseInWords, intentInWords, outcomeInWords, outcomeOf, playInWords, rateInWords } from "./hand_words.js";

export class Hand {
  /**
   * @param {Object} page
   * @param {() => {stops: Object[], ply: number, depth: number, model: Object}} page.now What is shown; the model as the content has it.
   * @param {(ply: number) => Object|undefined} page.plainReply Without a hand.
   * @param {(fen: string) => boolean} page.canArise @param {() => void} page.onChange The hand is another one, or none.
   */
  constructor(page) {
    Object.assign(this, { page, place: null, replies: new Map() });
    this.status = htmlElement("p", { class: "ws-status", role: "status", "data-role": "hand-status" });
    const line = (name, more = {}) => htmlElement("p", { "data-role": `hand-${name}`, ...more });
    this.lines = { intent: line("intent"), outcome: line("outcome", { role: "status" }), course: line("course"), next: line("next") };
    this.rate = htmlElement("summary", { "data-role": "hand-rate" });
    this.trials = htmlElement("p", { class: "ws-quiet", "data-role": "hand-trials" });
    this.rates = htmlElement("details", {}, this.rate, this.trials);
    this.away = htmlElement("button", { type: "button", "data-role": "hand-away", onclick: () => this.takeAway() }, "Take the hand away");
    this.element = htmlElement("div", { class: "reader-hand", role: "group", "aria-label": "A hand inside", "data-role": "hand" },
      this.status, ...Object.values(this.lines), this.away, this.rates);
  }

  /** The replies of a model with the hand inside. @param {string} name @returns {Map<number, Object>} */
  repliesOf(name) {
    if (!this.replies.has(name)) this.replies.set(name, new Map());
    return this.replies.get(name);
  }

  /** Whether a board of a model is written with the hand inside. */
  changes(model, ply) {
    return this.place !== null && model.hands !== null && ply >= this.place.ply;
  }

  /** What the worker is told about the board of a ply. */
  question(ply) {
    const now = this.course()[ply];
    return { hand: this.place, intended: now && boardIntended(this.page.now().stops[ply].fen, now) };
  }

  /** The hand after each ply; a game and a hand are read once. */
  course() {
    const { stops } = this.page.now();
    if (this.read?.stops !== stops || this.read.place !== this.place) this.read = { stops, place: this.place, course: handByPly(this.place, stops) };
    return this.read.course;
  }

  /** Put or move a piece on the model's board, or say why it cannot be. @param {Object} meant See handOf. */
  mean(meant) {
    const { refusal, hand } = this.attempt(meant);
    const before = this.place;
    if (hand) this.set(hand);
    this.say(refusal ?? (before ? "One hand at a time: the one before is taken away." : ""));
  }

  say(words) {
    this.status.textContent = words;
  }

  attempt(meant) {
    const { stops, ply, model } = this.page.now();
    const plain = this.page.plainReply(ply);
    if (!model.hands) return { refusal: `No means of hidden states were measured for workbench/${model.name}: a hand cannot change it.` };
    if (!plain?.on_board) return { refusal: "The model's own board is not read here yet." };
    return handOf({ stops, at: ply, written: plain.predicted_fen, canArise: this.page.canArise }, meant);
  }

  /** The squares on which a piece can be put. */
  squaresFor(piece) {
    const squares = [..."abcdefgh"].flatMap((file) => [..."12345678"].map((rank) => file + rank));
    return squares.filter((square) => this.attempt({ square, piece }).hand);
  }

  /** Say what can be put on a square, or why nothing can. */
  ask(square) {
    const attempts = [...HAND_PIECES].map((piece) => ({ piece, ...this.attempt({ square, piece }) }));
    const open = attempts.filter(({ hand }) => hand);
    const { stops } = this.page.now();
    this.say(open.length
      ? `On ${square}, brought by ${moveOfPly(stops[open[0].hand.ply])}, can be put: ${open.map(({ piece }) => pieceName(piece)).join(", ")}. Choose one below the board, or type its letter; or drag the piece to an empty square.`
      : attempts[0].refusal);
  }

  set(place) {
    this.place = place;
    this.replies.clear();
    this.page.onChange();
  }

  takeAway() {
    this.set(null);
    this.say("The hand is away: the model writes what it wrote before.");
  }

  /** The game is another one from a ply on: what was written after it is forgotten. */
  forgetFrom(ply) {
    if (this.place && ply <= this.place.ply) this.place = null;
    for (const replies of this.replies.values()) [...replies.keys()].filter((each) => !this.place || each >= ply).forEach((each) => replies.delete(each));
  }

  show(hidden) {
    const { stops, ply, depth, model } = this.page.now();
    const { place } = this;
    const name = `workbench/${model.name}`;
    const active = place !== null && model.hands !== null && !hidden;
    this.away.hidden = place === null;
    const rate = model.hands ? rateInWords(model.hands, name) : null;
    this.trials.textContent = rate?.long ?? "";
    this.rate.textContent = rate?.short ?? `No hand inside for ${name}: no means of its hidden states were measured.`;
    delete this.element.dataset.held;
    const show = (line, words) => {
      this.lines[line].hidden = words === "";
      // What is said anew, is read out anew.
      if (this.lines[line].dataset.words !== words) this.lines[line].replaceChildren(...subscripted(words));
      this.lines[line].dataset.words = words;
    };
    if (!active) {
      for (const line of Object.keys(this.lines)) show(line, "");
      return;
    }
    const replies = this.repliesOf(model.name);
    const [reply, plain] = [replies.get(ply), this.page.plainReply(ply)];
    show("intent", intentInWords(place, stops, name));
    show("outcome", outcomeInWords(place, this.course(), ply, reply, plain, depth));
    show("course", courseInWords(place, this.course(), [...replies.values()].sort((one, other) => one.ply - other.ply)));
    show("next", playInWords(reply, plain));
    const outcome = reply && outcomeOf(this.course()[ply], reply);
    if (outcome) this.element.dataset.held = String(outcome.held);
  }
}
