// Why the rows shown lose precision or recall: their main causes with counts; a click shows the rows of one. Where
// counting takes long, a button begins it.

import { htmlElement } from "../page/svg.js";
import { spelledCount } from "../page/spelled_count.js";

export class CausesPanel {
  /** @param {{onCauses: (causes: string[]) => void, onCountCauses: () => void}} listeners */
  constructor(listeners) {
    this.listeners = listeners;
    this.following = false;
    this.chosen = [];
    this.begin = htmlElement("button", {
      type: "button", "data-role": "causes-begin", text: "Why do they fail?", title: "Count the main cause of each reply shown",
      onclick: () => {
        this.following = true;
        this.begin.hidden = true;
        this.words.textContent = "Counting the main causes\u2026";
        this.list.focus();
        listeners.onCountCauses();
      },
    });
    this.words = htmlElement("span", { class: "ws-quiet", "data-role": "causes-words" });
    this.list = htmlElement("div", { class: "rb-cause-list", role: "group", tabindex: "-1", "aria-label": "Main causes of the rows shown" });
    this.root = htmlElement("section", { class: "rb-causes", "data-role": "failure-causes", "aria-label": "Why replies fail" }, this.begin, this.words, this.list);
  }

  /** @param {{rows: number, left: number, pairs: number, causes: Array<[string, number]>|null}} answer @param {string[]} chosen */
  show(answer, chosen) {
    this.begin.hidden = answer.causes !== null;
    this.words.textContent = progressInWords(answer);
    const counts = new Map(answer.causes);
    const most = Math.max(1, ...counts.values());
    const there = [...this.list.children];
    const buttons = new Map(there.map((each) => [each.value, each]));
    const order = causesInOrder([...buttons.keys()], answer).map((name) => buttons.get(name) ?? this.button(name));
    for (const button of order) {
      button.lastChild.textContent = spelledCount(counts.get(button.value));
      button.style.setProperty("--rb-share", `${(100 * counts.get(button.value) / most).toFixed(1)}%`);
    }
    const focused = this.list.contains(document.activeElement) ? document.activeElement : null;
    if (order.length !== there.length || order.some((each, place) => each !== there[place])) {
      this.list.replaceChildren(...order);
      focused?.focus();
    }
    this.follow(chosen);
  }

  button(name) {
    return htmlElement("button", {
      type: "button", value: name, "data-role": "failure-cause", "aria-pressed": "false",
      onclick: () => this.listeners.onCauses(toggled(this.chosen, name)),
    }, htmlElement("span", { text: name }), htmlElement("span", {}));
  }

  /** @param {string[]} chosen Categories. */
  follow(chosen) {
    this.chosen = chosen;
    for (const button of this.list.children) button.setAttribute("aria-pressed", String(chosen.includes(button.value)));
  }
}

/** @param {string[]} names @param {string} name @returns {string[]} Without the name if it is among them, else with it. */
export function toggled(names, name) {
  return names.includes(name) ? names.filter((each) => each !== name) : [...names, name];
}

/**
 * The causes in the order of their counts; while they are counted none moves away below a finger.
 * @param {string[]} there Those that are shown. @param {{left: number, causes: Array<[string, number]>|null}} answer
 * @returns {string[]}
 */
export function causesInOrder(there, { left, causes }) {
  const names = (causes ?? []).map(([name]) => name);
  if (left === 0) return names;
  const stay = there.filter((name) => names.includes(name));
  return [...stay, ...names.filter((name) => !stay.includes(name))];
}

/** @param {{rows: number, left: number, pairs: number, causes: Array<[string, number]>|null}} answer @returns {string} */
export function progressInWords({ rows, left, pairs, causes }) {
  const nouns = rows === 1 ? "reply" : "replies";
  if (causes === null) return `${spelledCount(pairs)} different wrong ${pairs === 1 ? "answer" : "answers"} in ${spelledCount(rows)} ${nouns}: counting ${pairs === 1 ? "its cause" : "their causes"} takes a while.`;
  return left > 0 ? `Causes of ${spelledCount(rows - left)} of ${spelledCount(rows)} ${nouns}\u2026` : `Why: main causes of ${spelledCount(rows)} ${nouns}`;
}
