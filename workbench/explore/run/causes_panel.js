// Why the rows shown lose precision or recall: their main causes with counts; a click shows the rows of one.

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

  /** @param {{rows: number, left: number, causes: Array<[string, number]>}} answer @param {string[]} chosen */
  show(answer, chosen) {
    this.begin.hidden = true;
    this.words.textContent = progressInWords(answer);
    const most = Math.max(1, ...answer.causes.map(([, count]) => count));
    const counts = new Map(answer.causes);
    const there = [...this.list.children].filter(({ value }) => counts.has(value));
    const names = new Set(there.map(({ value }) => value));
    const buttons = new Map([...there, ...answer.causes.filter(([name]) => !names.has(name)).map(([name]) => this.button(name))].map((each) => [each.value, each]));
    for (const [name, button] of buttons) {
      button.lastChild.textContent = spelledCount(counts.get(name));
      button.style.setProperty("--rb-share", `${(100 * counts.get(name) / most).toFixed(1)}%`);
    }
    // While they are counted none moves away below a finger.
    const order = answer.left > 0 ? [...buttons.values()] : answer.causes.map(([name]) => buttons.get(name));
    const focused = this.list.contains(document.activeElement) ? document.activeElement : null;
    if (order.length !== this.list.children.length || order.some((each, place) => each !== this.list.children[place])) {
      this.list.replaceChildren(...order);
      focused?.focus();
    }
    this.follow(chosen);
  }

  button(name) {
    return htmlElement("button", {
      type: "button", value: name, "data-role": "failure-cause", "aria-pressed": "false",
      onclick: () => this.toggle(name),
    }, htmlElement("span", { text: name }), htmlElement("span", {}));
  }

  toggle(name) {
    const others = this.chosen.filter((each) => each !== name);
    this.listeners.onCauses(others.length < this.chosen.length ? others : [...this.chosen, name]);
  }

  /** @param {string[]} chosen Categories. */
  follow(chosen) {
    this.chosen = chosen;
    for (const button of this.list.children) button.setAttribute("aria-pressed", String(chosen.includes(button.value)));
  }
}

/** @param {{rows: number, left: number}} answer @returns {string} */
export function progressInWords({ rows, left }) {
  const nouns = rows === 1 ? "reply" : "replies";
  return left > 0 ? `Causes of ${spelledCount(rows - left)} of ${spelledCount(rows)} ${nouns}\u2026` : `Why: main causes of ${spelledCount(rows)} ${nouns}`;
}
