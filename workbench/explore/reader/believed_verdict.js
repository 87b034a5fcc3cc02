// The verdict on the board that a model writes: its values, what each difference from the true board costs, and what the
// values are with a difference corrected. The model's own board comes back with undo, and at another ply.
// Hooks: those of verdict_bar.js.

import { Requester } from "../page/requester.js";
import { htmlElement } from "../page/svg.js";
import { VerdictBar, wholePercent } from "../pair/verdict_bar.js";

const BOARD_NOUNS = { state: "board" };

/** Say what p and r mean here, so that one needs no other word: null is a value that is not computed. */
export function refusedInWords(precision, recall, depth) {
  if (precision === null || recall === null) return "";
  const lines = depth === 1 ? "random moves" : `random ${depth}-move lines`;
  if (precision === 1 && recall === 1) return `All ${lines} that are legal on one board are legal on the other.`;
  const [ofBelieved, ofTrue] = [precision, recall].map((value) => wholePercent(1 - value));
  return `Of ${lines}, legal on the model's board, ${ofBelieved} are illegal on the true board; the other way round ${ofTrue}.`;
}

export class BelievedVerdict {
  /**
   * @param {Object} model See PageModel; its twin answers questions of the kinds "causes" and "reply".
   * @param {{terminal: string, ill_formed: string}} scoring
   * @param {{onMend: () => void, onFailed: (message: string) => void}} page What the page does with another board to show.
   */
  constructor(model, scoring, { onMend, onFailed }) {
    Object.assign(this, { model, scoring, onMend, own: null, mended: [], asked: "", label: "" });
    this.bar = new VerdictBar({ nouns: BOARD_NOUNS, onMend: (cause) => this.mend(cause), onUndo: () => this.undo() });
    // The view says the numbers with the move.
    this.bar.element.querySelector("[aria-live]").removeAttribute("aria-live");
    this.element = htmlElement("div", { class: "any-pair reader-verdict" }, this.bar.element);
    /** Stands apart from the values: its height is that of what it says. */
    this.causes = htmlElement("div", { class: "any-pair reader-causes" }, htmlElement("h4", {}, "What each error costs"), this.bar.causes);
    this.requester = new Requester(model, { onFailed });
    this.requester.on("causes", (answer) => this.bar.showCauses(answer, this.model.get("depth")));
    this.requester.on("reply", ({ reply }) => this.put([...this.mended, { ...reply, change: `corrected here, ${reply.change}` }], `Corrected: “${this.label}”.`));
  }

  /** The reply to show in place of the model's own: with what is corrected. @param {Object|null} own @returns {Object|null} */
  inPlaceOf(own) {
    if (own?.ply !== this.own?.ply || own?.predicted_fen !== this.own?.predicted_fen || own?.true_fen !== this.own?.true_fen) {
      this.own = own;
      this.mended = [];
      this.asked = "";
      this.requester.forget("reply");
      this.bar.say("");
    }
    return this.mended.at(-1) ?? own;
  }

  /** @param {Object|null} reply As GameTracker has it. */
  show(reply) {
    this.bar.element.hidden = reply === null;
    this.causes.hidden = !reply?.on_board || (reply.exact_match && this.mended.length === 0);
    if (reply === null) return;
    const depth = this.model.get("depth");
    const [precision, recall] = [reply.precision, reply.recall].map((values) => values.slice(0, depth).map((value) => ({ value, low: value, high: value })));
    this.bar.show({ depths: precision.map((_, index) => index + 1), precision, recall }, reply.on_board);
    this.bar.lost.textContent = reply.on_board ? refusedInWords(reply.precision[depth - 1], reply.recall[depth - 1], depth) : "";
    this.bar.markFresh();
    const question = { true_fen: reply.true_fen, predicted_fen: reply.predicted_fen, line: [], depth, ...this.scoring };
    const asked = JSON.stringify(question);
    if (asked === this.asked) return;
    this.asked = asked;
    this.bar.causes.dataset.state = "stale";
    if (reply.on_board) this.requester.ask("causes", question);
    else this.requester.forget("causes");
  }

  mend({ label, text }) {
    this.label = label;
    const { stops, depth } = this.model.get("game");
    this.requester.ask("reply", { stop: stops[this.own.ply], text, depth }, true);
  }

  undo() {
    this.put(this.mended.slice(0, -1), "");
  }

  put(mended, words) {
    this.mended = mended;
    this.bar.keepBefore();
    this.onMend();
    this.bar.say(words, words !== "");
  }
}
