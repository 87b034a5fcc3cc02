// The choice of who replies to a game, and how far a language model has read it. The kernel reads a few
// moves at a time, so that another choice stops it. Hooks: data-role="reader", "read-plies" (a progress
// bar), "reading".

import { htmlElement } from "../page/svg.js";

const GIVEN = "as given";

export const NOT_READ_YET = "The model has not read this move yet.";

/**
 * Merge replies that the kernel sends into the game that is shown so far.
 * @param {Object|null} shown The game with `known` replies, or null if there is none.
 * @param {Object} answer What the kernel sends: `game` with the replies behind the first `known`.
 * @returns {Object|null} The game with all replies; null if replies between are missing.
 */
export function merged(shown, { game, known }) {
  const before = known === 0 ? [] : shown?.replies.slice(0, known) ?? [];
  return before.length === known ? { ...game, replies: [...before, ...game.replies] } : null;
}

/** Say how far a model has read. */
export function readingInWords({ reader, read, plies, milliseconds, done }) {
  const pace = `${milliseconds < 10 ? milliseconds.toFixed(1) : milliseconds.toFixed(0)} ms a board`;
  return done ? `${reader} has read ${plies} plies, ${pace}.` : `${reader} reads: ply ${read} of ${plies}, ${pace}.`;
}

export class ModelReading {
  /**
   * @param {Object} model anywidget's.
   * @param {Object} requester Asks the kernel; its failures are reported by `failed`.
   * @param {{onChosen: () => void, onGame: () => void}} page What the page does when a reader is chosen,
   *   and when there is another game, or more of it, to show.
   */
  constructor(model, requester, page) {
    Object.assign(this, { model, requester, page, wanted: model.get("reader") });
    /** The game as far as the chosen model has read it; null: the game that the kernel shows. */
    this.game = null;
    this.select = htmlElement("select", { "data-role": "reader", onchange: () => this.choose(this.select.value) });
    const names = ["", ...model.get("readers")];
    this.select.append(...names.map((name) => htmlElement("option", { value: name }, name ? `workbench/${name}` : GIVEN)));
    this.choice = htmlElement("label", {}, "Replies ", this.select);
    this.choice.hidden = names.length === 1;
    this.bar = htmlElement("progress", { "data-role": "read-plies", "aria-label": "Plies read" });
    this.words = htmlElement("span", { "data-role": "reading" });
    this.status = htmlElement("p", { class: "ws-reading ws-quiet" }, this.bar, this.words);
    this.said = htmlElement("p", { class: "ws-unseen", role: "status" });
    this.element = htmlElement("div", {}, this.status, this.said);
    this.status.hidden = true;
    requester.on("read", (answer) => this.take(answer));
    this.settle();
  }

  /** Show who replies, after the kernel set it. */
  settle() {
    if (this.wanted !== this.model.get("reader")) this.game = null;
    this.wanted = this.model.get("reader");
    this.select.value = this.wanted;
    if (this.wanted === "") this.status.hidden = true;
    this.bar.hidden = true;
  }

  /** Whether a model is still reading the game that is shown. */
  get reading() {
    return this.game !== null && !this.bar.hidden;
  }

  choose(reader) {
    this.wanted = reader;
    this.game = null;
    this.status.hidden = true;
    this.said.textContent = "";
    this.page.onChosen();
    this.ask();
  }

  ask() {
    this.requester.ask("read", { reader: this.wanted, known: this.game?.replies.length ?? 0 }, true);
  }

  take(answer) {
    if (answer.reader !== this.wanted) return;
    if (this.wanted === "") {
      this.settle();
      this.page.onGame();
      return;
    }
    this.game = merged(this.game, answer);
    if (this.game !== null) {
      this.tell(answer);
      this.page.onGame();
    }
    if (this.game === null || !answer.done) this.ask();
  }

  tell({ reader, milliseconds, done }) {
    const plies = this.game.stops.filter(({ uci }) => uci !== null).length;
    const read = this.game.replies.length;
    const words = readingInWords({ reader: `workbench/${reader}`, read, plies, milliseconds, done });
    this.status.hidden = false;
    this.bar.hidden = done;
    Object.assign(this.bar, { max: plies, value: read });
    this.words.textContent = words;
    // Every step would be too much to listen to.
    if (done) this.said.textContent = words;
  }

  /** A question failed: go back to what the kernel shows. */
  failed() {
    this.settle();
    this.page.onGame();
  }
}
