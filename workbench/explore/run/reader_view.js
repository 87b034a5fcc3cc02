// The open reply beside the table: its boards, numbers and text, and the way to the next one.

import { htmlElement, subscripted } from "../page/svg.js";
import { capitalised } from "../page/quantities.js";
import { showFen } from "../page/fen_text.js";
import { spelledCount } from "../page/spelled_count.js";
import { Board } from "../board/board.js";

/** Elements that differ and are named. */
const MOST_NAMED = 4;

export class ReaderView {
  /**
   * @param {{pieces: Object<string, string>, onStep: (step: number) => void}} options onStep: 1 for the
   *   next row, -1 for the previous one.
   */
  constructor(options) {
    this.options = options;
    this.ends = { "-1": true, 1: true };
    this.buttons = [[-1, "previous", "\u2039 Previous"], [1, "next", "Next \u203a"]].map(([step, role, text]) => htmlElement(
      "button", { type: "button", "data-role": role, "aria-keyshortcuts": step < 0 ? "ArrowLeft" : "ArrowRight", onclick: () => this.step(step), text },
    ));
    this.place = htmlElement("span", { class: "ws-quiet", "data-role": "place" });
    this.title = htmlElement("h3", { "data-role": "opened-title", "aria-live": "polite" });
    this.nothing = htmlElement("p", { class: "ws-quiet", "data-role": "nothing-open", text: "Choose a row or a point: its states and its reply open here." });
    this.columns = [new ReplyColumn("true", options.pieces), new ReplyColumn("predicted", options.pieces)];
    this.columns.forEach(({ root }, index) => root.setAttribute("data-role", ["opened-true", "opened-predicted"][index]));
    this.top = htmlElement("div", { class: "rb-reader-top" },
      htmlElement("div", { class: "rb-steps", role: "group", "aria-label": "Step through the rows shown" }, this.buttons[0], this.place, this.buttons[1]),
      this.title,
      htmlElement("div", { class: "rb-boards" }, ...this.columns.map(({ root }) => root)));
    this.facts = htmlElement("dl", { class: "rb-facts", "data-role": "opened-facts" });
    this.without = htmlElement("p", { class: "ws-quiet", "data-role": "without" });
    this.lengths = htmlElement("h4", { "data-role": "opened-length" });
    this.text = htmlElement("pre", { class: "ws-reply", tabindex: 0, role: "group", "aria-label": "The reply", "data-role": "opened-reply" });
    this.reply = htmlElement("div", {}, this.lengths, this.text);
    this.below = htmlElement("p", { class: "ws-quiet rb-reader-below", text: "Every depth, the moves and where lines die: in the pair below." });
    this.parts = htmlElement("div", {}, this.top, this.facts, this.without, this.reply, this.below);
    this.root = htmlElement("div", {
      role: "group", class: "rb-reader ws-panel", "data-role": "opened", "aria-label": "Open row", tabindex: -1, onkeydown: (event) => this.key(event),
    }, this.nothing, this.parts);
    this.show({});
  }

  /** @param {Object} opened As Python sends it; empty if no row is open. */
  show(opened) {
    const isOpen = opened.row !== undefined;
    this.root.classList.toggle("ws-panel", isOpen);
    this.nothing.hidden = isOpen;
    this.parts.hidden = !isOpen;
    if (!isOpen) return;
    this.title.textContent = opened.title;
    const { noun, reply } = opened;
    this.columns[0].show(trueSide(opened));
    this.columns[1].show({ ...reply, name: `Predicted ${noun}`, noun, notes: differingInWords(reply, noun) });
    this.facts.replaceChildren(...opened.facts.map(([name, value]) =>
      htmlElement("div", {}, htmlElement("dt", {}, ...subscripted(name)), htmlElement("dd", { text: value }))));
    this.without.hidden = !opened.without;
    this.without.textContent = opened.without;
    this.showReply(opened.text);
  }

  /** Show the part of a reply that Python sends, what was searched for marked. */
  showReply(text) {
    this.reply.hidden = !text;
    if (!text) return;
    const { length, skipped, before, match, after } = text;
    const shown = before.length + match.length + after.length;
    const where = skipped ? `characters ${spelledCount(skipped + 1)} to ${spelledCount(skipped + shown)} shown` : `the first ${spelledCount(shown)} shown`;
    this.lengths.textContent = `The reply: ${spelledCount(length)} characters${shown < length ? `, ${where}` : ""}`;
    this.text.replaceChildren(skipped ? "\u2026" : "", before, ...(match ? [htmlElement("mark", { text: match })] : []), after, skipped + shown < length ? "\u2026" : "");
  }

  /** Say where the open row is among those shown. @param {number} place -1 if it is not. @param {number} count */
  setPlace(place, count) {
    this.place.textContent = place < 0 ? "not among the rows shown" : `${spelledCount(place + 1)} of ${spelledCount(count)}`;
    this.ends = { "-1": place <= 0, 1: count === 0 || place === count - 1 };
    // Not disabled: the button that has the focus would lose it at the last row.
    this.buttons.forEach((button, index) => button.setAttribute("aria-disabled", String(this.ends[index ? 1 : -1])));
  }

  step(step) {
    if (!this.ends[step]) this.options.onStep(step);
  }

  key(event) {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (!step || this.parts.hidden || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    this.step(step);
  }

  /** Scroll by as little as it takes to see the boards. */
  bringIntoView() {
    this.top.scrollIntoView({ block: "nearest", inline: "nearest" });
  }

  focus() {
    this.root.focus({ preventScroll: true });
  }
}

/** What a column shows of the true state. @param {Object} opened As same_position.py's side_by_side. @returns {Object} */
export function trueSide({ noun, true_fen: fen, true_board: board, true_picture: picture, true_words: words }) {
  return { name: `True ${noun}`, noun, fen, board, picture, different: [], words, stated: !words, notes: "" };
}

/** One state as a board or a picture, with its name, its numbers and its text; words where there is none. */
export class ReplyColumn {
  constructor(look, pieces) {
    this.board = new Board({ look, label: "", pieces, editable: false });
    this.name = htmlElement("h4", {});
    this.notes = htmlElement("p", { class: "ws-quiet" });
    /** An SVG of an environment is shown as an image: nothing in it is ever run or loaded. */
    this.picture = htmlElement("img", { class: "rb-state-picture", "data-role": "state-picture" });
    this.none = htmlElement("p", { class: "rb-no-board", "data-role": "no-board" });
    this.fen = htmlElement("code", { class: "rb-fen" });
    this.root = htmlElement("section", { class: `ws-look-${look}` }, this.name, this.board.element, this.none, this.notes, this.fen);
  }

  show({ name, noun, fen, board, picture, different, words, notes, stated }) {
    this.name.textContent = name;
    this.notes.replaceChildren(...subscripted(notes));
    const title = name.endsWith(` ${noun}`) ? name : `${capitalised(noun)} of ${name}`;
    this.board.element.setAttribute("aria-label", title);
    this.board.element.toggleAttribute("hidden", !board);
    if (board) this.board.show({ fen: board, different });
    this.picture.remove();
    if (picture) {
      Object.assign(this.picture, { alt: title, src: `data:image/svg+xml;charset=utf-8,${encodeURIComponent(picture)}` });
      this.board.element.after(this.picture);
    }
    this.none.hidden = stated;
    this.none.textContent = words;
    showFen(this.fen, fen);
    this.fen.title = stated ? words : "";
  }
}

/** @param {number|null} value @returns {string} "none" where it is undefined. */
export function measureText(value) {
  return value === null ? "none" : value.toFixed(4);
}

/**
 * @param {{precision: number|null, recall: number|null, edit_distance: number|null, reply_class: string}} reply
 * @param {number} depth
 */
export function measuresInWords({ precision, recall, edit_distance, reply_class }, depth) {
  const distance = edit_distance === null ? "none" : edit_distance.toFixed(0);
  return `p_${depth} ${measureText(precision)}, r_${depth} ${measureText(recall)}, edit distance ${distance}, ${reply_class}`;
}

/**
 * @param {{stated: boolean, different: string[]|null, fields: string[]}} reply different is null where it is not known.
 * @param {string} noun What a state is called. @returns {string}
 */
export function differingInWords({ stated, different, fields }, noun) {
  if (!stated) return `no ${noun}`;
  if (different === null) return "";
  const part = noun === "board" ? "square" : "element";
  const parts = different.length === 1 ? `1 ${part} differs` : `${different.length || "no"} ${part}s differ`;
  const named = noun === "board" || different.length === 0 ? "" : `: ${different.slice(0, MOST_NAMED).join(", ")}${different.length > MOST_NAMED ? "\u2026" : ""}`;
  return fields.length === 0 ? parts + named : `${parts}; wrong: ${fields.join(", ")}`;
}
