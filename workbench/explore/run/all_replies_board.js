// All replies to one position on its true board: on each square the number of replies that have it
// wrong; which they are, where the pointer or the focus is.

import { htmlElement, svgElement } from "../page/svg.js";
import { Board } from "../board/board.js";

const SQUARE = 45;

export class AllRepliesBoard {
  /** @param {{pieces: Object<string, string>}} options */
  constructor({ pieces }) {
    this.board = new Board({ look: "true", label: "True board: replies wrong about each square", pieces, editable: false, onHover: (square) => this.tell(square) });
    this.board.element.addEventListener("focusin", ({ target }) => this.tell(target.closest("[data-square]")?.dataset.square));
    this.marks = [];
    this.summary = htmlElement("p", { "data-role": "all-summary" });
    this.words = htmlElement("p", { class: "ws-quiet", "aria-live": "polite", "data-role": "all-words" });
    this.root = htmlElement("section", { class: "rb-all ws-look-true", "data-role": "all-replies" },
      htmlElement("h4", { text: "All replies on one board" }), this.summary, this.board.element, this.words);
    this.squares = new Map();
  }

  /** @param {{true_board: string, replies: number, boards: number, squares: Object[]}} all As Python sends it. */
  show(all) {
    this.all = all;
    this.squares = new Map(all.squares.map((each) => [each.square, each]));
    this.board.show({ fen: all.true_board });
    for (const mark of this.marks) mark.remove();
    this.marks = all.squares.flatMap((each) => this.mark(each));
    this.summary.textContent = wrongInWords(all);
    this.tell(null);
  }

  /** A number in the corner, and below the piece a ground that is denser the more replies are wrong. */
  mark({ square, wrong }) {
    const { group } = this.board.squares.get(square);
    const ground = svgElement("rect", { class: "rb-wrong-ground", width: SQUARE, height: SQUARE, "fill-opacity": 0.12 + 0.5 * (wrong / this.all.boards) });
    const label = svgElement("g", { class: "rb-wrong-label", "aria-hidden": "true", "data-role": "wrong-count" },
      svgElement("rect", { x: 25, y: 1, width: 19, height: 14, rx: 3 }),
      svgElement("text", { x: 34.5, y: 12, "text-anchor": "middle" }, String(wrong)));
    group.querySelector(".ws-ground").after(ground);
    group.append(label);
    return [ground, label];
  }

  /** Say which replies are wrong about a square. @param {string|null|undefined} square */
  tell(square) {
    const found = this.squares.get(square);
    const hint = this.squares.size ? "Point at a square, or move to it by arrow keys, for the replies that have it wrong." : "";
    this.words.textContent = found ? `${found.wrong} of ${this.all.boards} wrong. ${found.words}.` : hint;
  }
}

/** @param {{replies: number, boards: number, squares: Object[]}} all @returns {string} */
export function wrongInWords({ replies, boards, squares }) {
  const of = boards === replies ? `${boards} replies` : `${replies} replies, ${boards} with a board`;
  if (squares.length === 0) return `${of}: no square is wrong in any.`;
  const worst = [...squares].sort((one, other) => other.wrong - one.wrong).slice(0, 3);
  const named = worst.map(({ square, wrong }) => `${square} (${wrong})`).join(", ");
  return `${of}. Each number: the boards that have the square wrong. Most often ${named}.`;
}
