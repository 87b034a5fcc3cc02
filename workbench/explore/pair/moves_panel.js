// The actions of both states in lists, the line that was stepped, and which arrows are drawn.
// Hooks: data-role="line" with "line-start" and "line-move" (data-ply); "moves-only-true",
// "moves-only-predicted", "moves-shared" with "move" (data-uci, or of other states data-action) in each; "show-differing",
// "show-shared", "arrows-note"; "choice" with "choose-move" (data-uci).

import { htmlElement } from "../page/svg.js";
import { fewDiffer } from "../board/pair_arrows.js";
import { keepOneStop, roveByArrows } from "../page/focus.js";
import { capitalised } from "../page/quantities.js";

function moveLists({ state, within }) {
  return [
    ["only_true", `Only ${within} the true ${state}`, "true"],
    ["only_predicted", `Only ${within} the predicted ${state}`, "predicted"],
    ["shared", `Shared: click to step both ${state}s`, "shared"],
  ];
}

export class MovesPanel {
  /**
   * @param {Object} options
   * @param {(uci: string) => void} options.onStep
   * @param {(move: Object|null, look: string) => void} options.onPoint The pointer or focus is on a move.
   * @param {(() => void)|null} options.onArrows A toggle changed; null where nothing has arrows.
   * @param {PairNouns} options.nouns See pair_page.js.
   * @param {{id: string, text: string}} options.keys Where a move has its name for steps, and that for readers.
   */
  constructor({ onStep, onPoint, onArrows, nouns, keys }) {
    Object.assign(this, { onStep, onPoint, nouns, keys });
    this.differing = htmlElement("input", { type: "checkbox", checked: true, "data-role": "show-differing", onchange: onArrows });
    this.shared = htmlElement("input", { type: "checkbox", "data-role": "show-shared", onchange: onArrows });
    this.note = htmlElement("span", { class: "ws-quiet", "data-role": "arrows-note" });
    this.lists = new Map(moveLists(nouns).map(([name, title, look]) => [name, new MoveList(title, look, name, this)]));
    const title = `${capitalised(nouns.action)}s`;
    this.element = htmlElement("div", { role: "group", class: "ws-panel ws-moves", "aria-label": title },
      htmlElement("div", { class: "ws-panel-head" }, htmlElement("h3", {}, title),
        ...(onArrows ? [
          htmlElement("label", { class: "ws-check" }, this.differing, "Arrows of differing moves"),
          htmlElement("label", { class: "ws-check" }, this.shared, "Arrows of shared moves"),
          this.note,
        ] : [])),
      ...[...this.lists.values()].map(({ element }) => element));
  }

  /** @param {Object} moves The view's only_true, only_predicted and shared. */
  show(moves) {
    const differing = moves.only_true.length + moves.only_predicted.length;
    this.note.textContent = fewDiffer(moves) ? "" : `${differing} moves differ: point at a piece or a move for its arrows.`;
    const alike = namedAlike(moves, this.keys.text);
    for (const [name, list] of this.lists) list.show(moves[name], alike);
  }
}

class MoveList {
  constructor(title, look, name, panel) {
    Object.assign(this, { look, panel });
    this.count = htmlElement("span", { class: "ws-count" });
    this.list = htmlElement("ul", { class: "ws-move-list" });
    roveByArrows(this.list, "button");
    this.element = htmlElement("div", { class: `ws-move-group ws-look-${look}`, "data-role": `moves-${name.replace("_", "-")}` },
      htmlElement("h4", {}, htmlElement("span", { class: "ws-swatch", "aria-hidden": "true" }), `${title} `, this.count), this.list);
  }

  show(moves, alike) {
    this.count.textContent = String(moves.length);
    const entries = moves.map((move) => htmlElement("li", {}, this.entry(move, alike)));
    this.list.replaceChildren(...(entries.length ? entries : [htmlElement("li", { class: "ws-quiet" }, "none")]));
    keepOneStop(this.list, "button");
  }

  entry(move, alike) {
    const shared = this.look === "shared";
    const { keys, nouns } = this.panel;
    const id = move[keys.id];
    const text = move[keys.text];
    const name = alike.has(text) ? `${text} (${id})` : text;
    const point = () => this.panel.onPoint(move, this.look);
    const leave = () => this.panel.onPoint(null, this.look);
    return htmlElement(shared ? "button" : "span", {
      type: shared ? "button" : null, class: "ws-move", title: move.uci ? `${move.words}, ${move.uci}` : move.words, "data-role": "move", [`data-${keys.id}`]: id,
      "aria-label": shared ? `Step both ${nouns.state}s: ${name}${move.words.slice(text.length)}` : null,
      onclick: shared ? () => this.panel.onStep(id) : null,
      onpointerenter: point, onpointerleave: leave,
      // A button that got the focus after a click is not pointed at.
      onfocus: ({ target }) => target.matches(":focus-visible") && point(), onblur: leave,
    }, name);
  }
}

/**
 * Return the names that stand in two lists, of different moves: on one board h5 is h6h5, on the other h7h5.
 * @param {Object<string, Object[]>} moves Lists of moves. @param {string} text Where a move has its name.
 * @returns {Set<string>}
 */
export function namedAlike(moves, text) {
  const lists = Object.values(moves).map((list) => new Set(list.map((move) => move[text])));
  return new Set(lists.flatMap((names, index) => [...names].filter((name) => lists.some((other, at) => at !== index && other.has(name)))));
}

/** The line that was stepped; each of its parts walks back to it. */
export class LineCrumbs {
  /** @param {(plies: number) => void} onWalk */
  constructor(onWalk) {
    this.onWalk = onWalk;
    this.list = htmlElement("ol", {});
    this.choice = htmlElement("div", { class: "ws-choice", role: "group", "data-role": "choice", hidden: true });
    this.element = htmlElement("div", { role: "group", class: "ws-line-crumbs", "aria-label": "Line of shared moves", "data-role": "line" }, this.list, this.choice);
  }

  /** @param {string[]} words The moves of the line in SAN. */
  show(words) {
    const crumbs = [["Start of the line", 0, "line-start"], ...words.map((word, index) => [word, index + 1, "line-move"])];
    this.list.replaceChildren(...crumbs.map(([word, plies, role]) => htmlElement("li", {},
      htmlElement("button", {
        type: "button", class: "ws-crumb", "data-role": role, "data-ply": plies,
        "aria-current": plies === words.length ? "step" : null,
        onclick: () => plies !== words.length && this.onWalk(plies),
      }, word))));
    this.element.classList.toggle("ws-empty", words.length === 0);
    this.ask([]);
  }

  /**
   * Offer several moves to choose one from.
   * @param {Object[]} moves @param {(uci: string|null) => void} [onChoose] Escape gives null.
   */
  ask(moves, onChoose) {
    this.choice.hidden = moves.length === 0;
    this.choice.onkeydown = ({ key }) => {
      if (key !== "Escape") return;
      this.ask([]);
      onChoose(null);
    };
    this.choice.replaceChildren(...(moves.length ? ["Several shared moves end there:"] : []), ...moves.map((move) =>
      htmlElement("button", { type: "button", class: "ws-move", "data-role": "choose-move", "data-uci": move.uci, onclick: () => onChoose(move.uci) }, move.words)));
    this.choice.querySelector("button")?.focus();
  }
}
