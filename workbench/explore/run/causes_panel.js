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
    const here = this.list.contains(document.activeElement) ? document.activeElement.value : null;
    this.list.replaceChildren(...answer.causes.map(([name, count]) => this.button(name, count, count / most)));
    this.follow(chosen);
    if (here) [...this.list.children].find(({ value }) => value === here)?.focus();
  }

  button(name, count, share) {
    return htmlElement("button", {
      type: "button", value: name, "data-role": "failure-cause", "aria-pressed": "false", style: `--rb-share: ${(100 * share).toFixed(1)}%`,
      onclick: () => this.toggle(name),
    }, htmlElement("span", { text: name }), htmlElement("span", { text: spelledCount(count) }));
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
