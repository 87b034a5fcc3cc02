// A row for each model: its mean p_m with interval, the classes of its replies, its means by length. A
// click selects, several are compared; the heads sort.

import { htmlElement, subscriptLetters, subscripted, svgElement } from "../page/svg.js";
import { spelledCount } from "../page/spelled_count.js";
import { colourStyle, markElement } from "../scatter/mark_shapes.js";
import { linePath } from "../page/chart.js";

const INTERVAL = { width: 96, height: 18, edge: 5 };
const CLASSES = { width: 84, height: 12 };
const SPARK = { width: 64, height: 18, edge: 3 };

/**
 * @typedef {Object} ModelRow As model_rows.py describes it.
 * @property {string} name @property {string} model @property {number|null} mean
 * @property {number|null} low @property {number|null} high @property {number} replies
 * @property {number} games @property {number} undefined @property {number} failed
 * @property {number} unscored @property {number[]} counts @property {number|null} readable
 * @property {Array<number|null>} by_length
 */

/** What the heads sort by; null is undefined. */
const SORT_VALUES = {
  name: (row) => row.name,
  mean: (row) => row.mean,
  classes: (row) => shareOfFirst(row.counts),
  length: (row) => row.by_length.findLast((mean) => mean !== null) ?? null,
  readable: (row) => row.readable,
  replies: (row) => row.replies,
};

export class ModelsPanel {
  /** @param {{onModels: (names: string[]) => void}} listeners onModels: the models chosen; all if empty. */
  constructor(listeners) {
    this.listeners = listeners;
    this.answer = { classes: [], lengths: [], rows: [] };
    this.models = [];
    this.looks = { models: new Map(), classes: new Map() };
    this.sort = { by: "mean", descending: true };
    this.chosen = htmlElement("span", { class: "ws-quiet", "aria-live": "polite", "data-role": "models-chosen" });
    this.all = htmlElement("button", { type: "button", "data-role": "models-all", text: "All models", onclick: () => listeners.onModels([]) });
    this.header = htmlElement("tr", {});
    this.body = htmlElement("tbody", { onkeydown: (event) => this.key(event) });
    this.classesKey = htmlElement("p", { class: "rb-classes-key ws-quiet", "data-role": "classes-key" });
    this.notes = htmlElement("p", { class: "ws-quiet", "data-role": "models-notes" });
    this.root = htmlElement("section", { class: "rb-models", "aria-label": "Models", "data-role": "models" },
      htmlElement("div", { class: "rb-models-top" }, htmlElement("h3", { text: "Models" }), this.chosen, this.all),
      htmlElement("div", { class: "rb-models-scroller" },
        htmlElement("table", { class: "ws-table rb-models-table", "aria-label": "Models: mean, classes and means by length" },
          htmlElement("thead", {}, this.header), this.body)),
      this.classesKey, this.notes);
  }

  /**
   * Show the rows of models.
   * @param {{classes: string[][], lengths: string[], rows: ModelRow[], alike: boolean}} answer As Python sends it.
   * @param {number} depth
   * @param {{models: Map<string, Object>, classes: Map<string, Object>}} looks By name and by words; a model's with its ``short`` name.
   */
  show(answer, depth, looks) {
    Object.assign(this, { answer, looks });
    this.depth = depth;
    const { lengths } = answer;
    if (!lengths.length && this.sort.by === "length") this.sort = { by: "mean", descending: true };
    const heads = [
      ["name", "model"], ["mean", `mean p_${depth}`], ["classes", "classes"],
      ...(lengths.length > 1 ? [["length", "lengths"]] : []),
      ["readable", "readable"], ["replies", "replies"],
    ];
    this.header.replaceChildren(...heads.map(([by, label]) => htmlElement(
      "th", { scope: "col", class: `rb-model-${by}`, "data-by": by },
      htmlElement("button", { type: "button", class: "rb-sort", "data-role": "models-sort", "data-by": by, onclick: () => this.sortBy(by) }, ...subscripted(label)),
    )));
    this.classesKey.replaceChildren(...answer.classes.map(([, words], index) => htmlElement("span", {},
      svgElement("svg", { viewBox: "0 0 14 12", width: 14, height: 12, "aria-hidden": "true" },
        ...segment(index, 0.5, 13, this.classColours(words))), words)));
    const left = ["failed", "unscored", "undefined"].map((name) => [name, answer.rows.reduce((sum, row) => sum + row[name], 0)]);
    this.notes.replaceChildren(...subscripted(notesInWords(Object.fromEntries(left), depth, answer.alike)));
    this.notes.hidden = this.notes.textContent === "";
    this.fill();
  }

  sortBy(by) {
    const { sort } = this;
    this.sort = { by, descending: sort.by === by ? !sort.descending : by !== "name" };
    this.fill();
    this.header.querySelector(`[data-role=models-sort][data-by=${by}]`).focus();
  }

  fill() {
    for (const cell of this.header.children) {
      if (cell.dataset.by === this.sort.by) cell.setAttribute("aria-sort", this.sort.descending ? "descending" : "ascending");
      else cell.removeAttribute("aria-sort");
    }
    this.rows = sortedModels(this.answer.rows, SORT_VALUES[this.sort.by], this.sort.descending);
    this.body.replaceChildren(...this.rows.map((row) => this.line(row)));
    this.follow(this.models);
  }

  line(row) {
    const { lengths } = this.answer;
    const ends = row.low === null ? "no interval" : `95% ${row.low.toFixed(3)} to ${row.high.toFixed(3)}`;
    const words = `${ends}, ${spelledCount(row.games)} ${row.games === 1 ? "game" : "games"}`;
    const button = htmlElement("button", {
      type: "button", class: "rb-model", "data-role": "model", "data-model": row.name, "aria-pressed": "false", tabindex: -1, title: row.name,
    }, markElement(this.looks.models.get(row.name)), htmlElement("span", { text: this.looks.models.get(row.name)?.short ?? row.name },
      htmlElement("small", { class: "ws-quiet rb-phone", text: `${spelledCount(row.replies)} replies` })));
    const cells = [
      htmlElement("td", { class: "rb-model-mean" }, htmlElement("span", {
        class: "rb-mean", "data-role": "model-mean", text: row.mean === null ? "none" : row.mean.toFixed(3), title: words,
      }), intervalPicture(row, words)),
      htmlElement("td", {}, this.classesPicture(row)),
      ...(lengths.length > 1 ? [htmlElement("td", {}, sparkPicture(row.by_length, lengths, this.depth))] : []),
      htmlElement("td", { "data-role": "model-readable", text: row.readable === null ? "none" : `${Math.round(100 * row.readable)}%` }),
      htmlElement("td", { "data-role": "model-replies", text: spelledCount(row.replies) }),
    ];
    return htmlElement("tr", { "data-role": "model-row", onclick: () => this.toggle(row) }, htmlElement("th", { scope: "row" }, button), ...cells);
  }

  isChosen(row) {
    return this.models.includes(row.name) || this.models.includes(row.model);
  }

  toggle(row) {
    // A model that was chosen with all of its settings becomes these, so that one can be left out.
    const chosen = this.rows.filter((each) => this.isChosen(each));
    const known = new Set(this.rows.flatMap(({ name, model }) => [name, model]));
    const names = [...this.models.filter((name) => !known.has(name)), ...this.models.flatMap((name) => chosen.filter((each) => each.name === name || each.model === name)).map(({ name }) => name)];
    const distinct = [...new Set(names)];
    this.listeners.onModels(distinct.includes(row.name) ? distinct.filter((name) => name !== row.name) : [...distinct, row.name]);
  }

  /** @param {string[]} models Those chosen; all if empty. */
  follow(models) {
    this.models = models;
    const count = this.rows?.filter((row) => this.isChosen(row)).length ?? 0;
    this.body.querySelectorAll("[data-role=model]").forEach((button, index) =>
      button.setAttribute("aria-pressed", String(this.isChosen(this.rows[index]))));
    this.chosen.textContent = count ? `${count} of ${this.answer.rows.length} chosen` : `${this.answer.rows.length}; click to choose, two are compared`;
    // Not hidden: what stands below stays where it is.
    this.all.disabled = models.length === 0;
    this.letTabIn();
  }

  letTabIn(button = this.body.querySelector("[aria-pressed=true]") ?? this.body.querySelector("button")) {
    for (const each of this.body.querySelectorAll("button")) each.tabIndex = each === button ? 0 : -1;
  }

  /** The arrow keys lead from row to row, Enter and Space are a button's own. */
  key(event) {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!step || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    const buttons = [...this.body.querySelectorAll("button")];
    const next = buttons[Math.min(buttons.length - 1, Math.max(0, buttons.indexOf(document.activeElement) + step))];
    this.letTabIn(next);
    next.focus();
  }

  classColours(words) {
    return this.looks.classes.get(words);
  }

  classesPicture(row) {
    const total = row.counts.reduce((sum, count) => sum + count, 0);
    const words = this.answer.classes.map(([, name], index) => `${name} ${spelledCount(row.counts[index])}`).join(", ");
    const picture = svgElement("svg", { class: "rb-picture", viewBox: `0 0 ${CLASSES.width} ${CLASSES.height}`, role: "img", "aria-label": words },
      svgElement("title", {}, words));
    let from = 0;
    row.counts.forEach((count, index) => {
      const width = total ? (count / total) * CLASSES.width : 0;
      if (width > 0) picture.append(...segment(index, from + 0.5, Math.max(0.5, width - 1), this.classColours(this.answer.classes[index][1])));
      from += width;
    });
    return picture;
  }
}

/**
 * One class of a bar: filled, with upright lines, with level lines, or empty, so that they differ without
 * colour too.
 */
function segment(index, x, width, look) {
  const { height } = CLASSES;
  const colours = look ? colourStyle(look) : "";
  const lines = [];
  if (index === 1) for (let at = x + 1.5; at < x + width; at += 3) lines.push(`M${at.toFixed(1)},1V${height - 1}`);
  if (index === 2) for (let at = 3; at < height - 1; at += 3) lines.push(`M${x.toFixed(1)},${at}h${width.toFixed(1)}`);
  return [
    svgElement("rect", { class: `rb-class rb-class-${index === 0 ? "full" : "empty"}`, style: colours, x: x.toFixed(1), y: 1, width: width.toFixed(1), height: height - 2 }),
    ...(lines.length ? [svgElement("path", { class: "rb-class-lines", style: colours, d: lines.join("") })] : []),
  ];
}

/** A dot and its interval on an axis from 0 to 1. */
function intervalPicture({ mean, low, high }, words) {
  const { width, height, edge } = INTERVAL;
  const x = (share) => (edge + share * (width - 2 * edge)).toFixed(1);
  const middle = height / 2;
  return svgElement("svg", { class: "rb-picture", viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": words },
    svgElement("title", {}, words),
    svgElement("path", { class: "rb-axis", d: `M${x(0)},${middle}H${x(1)}M${x(0)},4V${height - 4}M${x(0.5)},6V${height - 6}M${x(1)},4V${height - 4}` }),
    low === null ? null : svgElement("path", { class: "rb-span", d: `M${x(low)},${middle}H${x(high)}` }),
    mean === null ? null : svgElement("circle", { class: "rb-dot", cx: x(mean), cy: middle, r: 3.4 }));
}

/** The means by length, from 0 to 1. */
function sparkPicture(means, lengths, depth) {
  const { width, height, edge } = SPARK;
  const x = (place) => edge + (place / (lengths.length - 1)) * (width - 2 * edge);
  const y = (mean) => height - edge - mean * (height - 2 * edge);
  const points = means.map((mean, place) => ({ x: place, y: mean }));
  const words = `${subscriptLetters(`p_${depth}`)} by length: ${lengths.map((length, place) => `${length} ${means[place] === null ? "none" : means[place].toFixed(2)}`).join(", ")}`;
  return svgElement("svg", { class: "rb-picture", viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": words },
    svgElement("title", {}, words),
    svgElement("path", { class: "rb-axis", d: `M${edge},${y(0)}H${width - edge}` }),
    svgElement("path", { class: "rb-spark", d: linePath(points, x, y) }),
    ...points.filter((point) => point.y !== null).map((point) => svgElement("circle", { class: "rb-dot", cx: x(point.x).toFixed(1), cy: y(point.y).toFixed(1), r: 1.6 })));
}

/** @param {number[]} counts @returns {number|null} The share of the first of them. */
function shareOfFirst(counts) {
  const total = counts.reduce((sum, count) => sum + count, 0);
  return total ? counts[0] / total : null;
}

/**
 * Sort rows by a value; those without one come last in either direction, equal ones keep their order.
 * @param {ModelRow[]} rows @param {(row: ModelRow) => string|number|null} valueOf @param {boolean} descending
 * @returns {ModelRow[]}
 */
export function sortedModels(rows, valueOf, descending) {
  const sign = descending ? -1 : 1;
  return [...rows].sort((one, other) => {
    const [a, b] = [valueOf(one), valueOf(other)];
    if (a === null || b === null) return (a === null) - (b === null);
    return sign * (typeof a === "string" ? a.localeCompare(b, "en", { numeric: true }) : a - b);
  });
}

/** @returns {string} What the means are not about, and whether they can be compared. */
export function notesInWords({ failed, unscored, undefined: without }, depth, alike) {
  const left = [
    failed ? `${spelledCount(failed)} failed ${failed === 1 ? "call" : "calls"}` : "",
    unscored ? `${spelledCount(unscored)} not scored` : "",
    without ? `${spelledCount(without)} with p_${depth} undefined` : "",
  ].filter(Boolean);
  return [
    left.length ? `Left out of the means: ${left.join(", ")}.` : "",
    alike ? "" : "Models have answered different positions: choose two to compare them on common ones.",
  ].filter(Boolean).join(" ");
}
