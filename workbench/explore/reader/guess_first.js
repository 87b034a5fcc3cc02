// Guess first: the model's boards are hidden until one has guessed the square on which the model is first wrong. Hooks:
// data-role="guess-mode", "guess-square", "guess-reveal", "guess-words" (data-right, data-guesses).

import { moveNumber } from "../game/tracker_places.js";
import { htmlElement } from "../page/svg.js";

/**
 * The first reply with a wrong square, once all plies before it are read.
 * @param {Map<number, Object>} replies By ply. @param {number} plies The last ply that is read.
 * @returns {Object|null|undefined} Null: no square is wrong in the whole game; undefined: not known yet.
 */
export function firstWrong(replies, plies) {
  for (let ply = 0; ply <= plies; ply += 1) {
    const reply = replies.get(ply);
    if (!reply) return undefined;
    if (!reply.on_board || reply.different.length) return reply;
  }
  return null;
}

/** Say how a guess went. @param {string} square "" for no wrong square. @param {Object|null} reply See `firstWrong`. @param {Object} [stop] Its own. */
export function guessInWords(square, reply, stop) {
  const guess = square === "" ? "none" : square;
  if (!reply) return { right: square === "", words: `No square is ever wrong in this game; your guess: ${guess}.` };
  const place = `ply ${stop.ply}, ${stop.san ? `${moveNumber(stop.ply)} ${stop.san}` : "before the first move"}`;
  if (!reply.on_board) return { right: false, words: `At ${place}, the model writes no board at all; your guess: ${guess}.` };
  const right = reply.different.includes(square);
  return { right, words: `First wrong at ${place}: ${reply.different.join(", ")}; your guess: ${guess}, ${right ? "right" : "not among them"}.` };
}

export class GuessFirst {
  /** @param {{known: () => Object|null|undefined, stopOf: (ply: number) => Object, onChange: () => void, onReveal: (ply: number) => void}} page */
  constructor(page) {
    Object.assign(this, { page, open: false, pending: false, right: 0, guesses: 0 });
    this.mode = htmlElement("input", { type: "checkbox", "data-role": "guess-mode", onchange: () => this.begin() });
    this.choice = htmlElement("label", {}, this.mode, " Guess first");
    this.square = htmlElement("input", { type: "text", size: 3, maxlength: 2, "data-role": "guess-square", autocomplete: "off", spellcheck: "false" });
    this.reveal = htmlElement("button", { type: "submit", "data-role": "guess-reveal" }, "Reveal");
    this.words = htmlElement("p", { role: "status", "data-role": "guess-words" });
    this.form = htmlElement("form", { class: "reader-guess", hidden: true, onsubmit: (event) => { event.preventDefault(); this.submit(); } },
      htmlElement("label", {}, "On which square is the model first wrong, such as e4? Empty: on none. ", this.square), " ", this.reveal);
    this.element = htmlElement("div", {}, this.form, this.words);
  }

  /** Hide the boards of a game, if guesses come first. */
  begin() {
    this.open = this.mode.checked;
    this.pending = false;
    this.form.hidden = !this.open;
    this.square.value = "";
    this.words.textContent = "";
    this.page.onChange();
  }

  submit() {
    const square = this.square.value.trim().toLowerCase();
    if (square && !/^[a-h][1-8]$/.test(square)) {
      this.words.textContent = `Expected a square such as e4, got "${square}".`;
      return;
    }
    this.pending = true;
    this.words.textContent = "The model still reads …";
    this.settle();
  }

  /** Reveal the boards once it is known where the first error is. */
  settle() {
    const reply = this.pending ? this.page.known() : undefined;
    if (reply === undefined) return;
    const { right, words } = guessInWords(this.square.value.trim().toLowerCase(), reply, reply && this.page.stopOf(reply.ply));
    this.pending = this.open = false;
    this.form.hidden = true;
    this.guesses += 1;
    this.right += right ? 1 : 0;
    Object.assign(this.words.dataset, { right: this.right, guesses: this.guesses });
    this.words.textContent = `${words} Score: ${this.right} of ${this.guesses}. Another game hides its boards again.`;
    this.page.onReveal(reply ? reply.ply : 0);
  }
}
