// The other replies to the open row's position: all of them on one board, or one of them beside it:
// true board, the open reply, the chosen one.

import { htmlElement, subscripted } from "../page/svg.js";
import { AllRepliesBoard } from "./all_replies_board.js";
import { ReplyColumn, differingInWords, measureText, measuresInWords, trueSide } from "./reader_view.js";

export class BesideView {
  /**
   * @param {{pieces: Object<string, string>, onBeside: (row: number|null) => void,
   *   onOpen: (row: number) => void}} options
   */
  constructor(options) {
    this.options = options;
    this.chosen = null;
    this.title = htmlElement("h3", { "data-role": "beside-title" });
    this.list = htmlElement("tbody", {});
    this.header = htmlElement("tr", {});
    this.words = htmlElement("p", { class: "ws-quiet", "aria-live": "polite", "data-role": "beside-words" });
    this.columns = [
      new ReplyColumn("true", options.pieces),
      new ReplyColumn("predicted", options.pieces),
      new ReplyColumn("predicted", options.pieces),
    ];
    this.columns.forEach((column, index) => column.root.setAttribute("data-role", ["beside-true", "beside-opened", "beside-other"][index]));
    this.open = htmlElement("button", {
      type: "button", "data-role": "beside-open", onclick: () => options.onOpen(this.chosen), text: "Open this reply",
    });
    this.columns[2].root.append(this.open);
    this.boards = htmlElement("div", { class: "rb-three-boards", "data-role": "beside-boards", hidden: true }, ...this.columns.map(({ root }) => root));
    this.all = new AllRepliesBoard(options);
    this.root = htmlElement(
      "div", { role: "group", class: "rb-beside ws-panel", "data-role": "beside", "aria-label": "Other replies to this position", hidden: true },
      this.title, this.words,
      htmlElement("div", { class: "rb-beside-parts" },
        htmlElement("div", { class: "rb-others" }, htmlElement(
          "table", { class: "ws-table", "aria-label": "Other replies to this position" },
          htmlElement("thead", {}, this.header), this.list,
        )),
        this.all.root, this.boards),
    );
  }

  /**
   * List the other replies.
   * @param {{others: Object[], all: Object}} opened As Python sends it; nothing is shown without others.
   * @param {number} depth
   */
  offer({ others = [], all = {} }, depth) {
    this.depth = depth;
    this.root.hidden = others.length === 0;
    this.title.textContent = `${others.length} other ${others.length === 1 ? "reply" : "replies"} to this position`;
    this.header.replaceChildren(
      ...["reply", `p_${depth}`, `r_${depth}`].map((text) => htmlElement("th", { scope: "col" }, ...subscripted(text))),
    );
    this.list.replaceChildren(...others.map((reply) => this.line(reply)));
    this.onBoard = Boolean(all.true_board);
    if (this.onBoard) this.all.show(all);
  }

  line(reply) {
    const button = htmlElement("button", {
      type: "button", class: "rb-other", "data-role": "other", "data-row": reply.row, "aria-pressed": "false", text: reply.name,
      onclick: () => this.options.onBeside(reply.row === this.chosen ? null : reply.row),
    });
    const kind = reply.reply_class === "valid" ? null : htmlElement("span", { class: "ws-quiet", text: ` ${reply.reply_class}` });
    return htmlElement("tr", {},
      htmlElement("th", { scope: "row" }, button, kind),
      htmlElement("td", { text: measureText(reply.precision) }),
      htmlElement("td", { text: measureText(reply.recall) }));
  }

  /** Show two replies beside the true board, or none. @param {Object} beside As Python sends it. */
  show(beside) {
    const { noun, replies = [] } = beside;
    this.chosen = replies[1]?.row ?? null;
    for (const button of this.list.querySelectorAll("button")) {
      button.setAttribute("aria-pressed", String(Number(button.dataset.row) === this.chosen));
    }
    this.boards.hidden = replies.length === 0;
    this.all.root.hidden = !this.onBoard || replies.length > 0;
    this.words.replaceChildren(...subscripted(replies.length === 0
      ? `Choose one to see it beside the open one${this.onBoard ? "; choose it again for all on one board" : ""}.`
      : replies.map((reply) => `${reply.name}: ${measuresInWords(reply, this.depth)}`).join("; ")));
    if (replies.length === 0) return;
    this.columns[0].show(trueSide(beside));
    replies.forEach((reply, index) => this.columns[index + 1].show({
      ...reply, noun, notes: [measuresInWords(reply, this.depth), differingInWords(reply, noun)].filter(Boolean).join("; "),
    }));
  }
}
