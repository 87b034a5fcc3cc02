// The controls above the table: what to show, by which depth and distance, and the two questions.

import { htmlElement, subscriptLetters } from "../page/svg.js";
import { capitalised } from "../page/quantities.js";
import { spelledCount } from "../page/spelled_count.js";
import { isBackward, rangeEnd } from "./row_values.js";

const DISTANCES = [
  ["levenshtein", "full FEN"],
  ["levenshtein_position", "position (four fields)"],
  ["levenshtein_placement", "pieces alone"],
];
const MARKS = [
  ["group", "group"],
  ["set", "set"],
  ["model", "model"],
  ["setting", "setting"],
  ["reply_class", "class"],
];
const CHOICES = [
  ["sets", "set", "Set"],
  ["models", "model", "Model"],
  ["settings", "setting", "Setting"],
  ["groups", "group", "Group"],
  ["classes", "class", "Class of the reply"],
  ["wrong_fields", "field", "Wrong field of the FEN"],
  ["flags", "flag", "Why the board cannot arise"],
];
const QUESTIONS = [
  ["near_far", "near-far", "Edit distance says near, p says far"],
  ["far_near", "far-near", "Edit distance says far, p says near"],
];

export class RunFilters {
  /**
   * @param {{onChange: (changes: Object) => void, onRange: (axis: string, ends: Array) => void}} listeners
   *   Traits and their new values; the range of the metric on an axis.
   */
  constructor(listeners) {
    this.listeners = listeners;
    this.depth = this.select("depth", "Depth m", (value) => ({ depth: Number(value) }));
    this.distance = this.select("distance", "Edit distance of", (distance) => ({ distance }));
    this.across = this.select("x-axis", "Across", (x_axis) => ({ x_axis }));
    this.up = this.select("y-axis", "Up", (y_axis) => ({ y_axis }));
    this.marks = this.select("mark-by", "Marks by", (mark_by) => ({ mark_by }));
    this.filters = CHOICES;
    this.repliesName = htmlElement("span", {});
    this.search = this.searchBox("search", "part of an id", (text) => ({ text }));
    this.replies = this.searchBox("search-replies", "part of a reply", (reply_text) => ({ reply_text }));
    this.ranges = {
      distance: this.range("distance", "x_axis"),
      precision: this.range("precision", "y_axis"),
    };
    this.clear = htmlElement("button", {
      type: "button", "data-role": "clear-filters", text: "Show all rows",
      onclick: () => listeners.onChange({
        ...Object.fromEntries(CHOICES.map(([trait]) => [trait, []])),
        text: "", reply_text: "", disagreement: "", distance_range: [null, null], precision_range: [null, null], metric_ranges: {}, lasso: [], causes: [],
      }),
    });
    this.questions = QUESTIONS.map(([value, role, text]) => htmlElement("button", {
      type: "button", "data-role": role, "data-value": value, "aria-pressed": "false", text,
      onclick: (event) => this.toggleQuestion(value, event.currentTarget),
    }));
    this.fieldsets = Object.fromEntries(CHOICES.map(([trait, role]) => [
      trait, htmlElement("fieldset", { "data-role": `filter-${role}` }),
    ]));
    this.further = htmlElement("p", { class: "ws-quiet", "data-role": "further-ranges", hidden: true });
    this.chosen = htmlElement("span", { class: "ws-quiet", "data-role": "filters-chosen" });
    this.counts = new Map();
    this.chips = htmlElement("div", { class: "rb-chips", role: "group", "aria-label": "Filters in use", "data-role": "chips" });
    // Open where there is room for a rail; else it lies over the page, so that opening it moves nothing.
    this.root = htmlElement("details", { class: "rb-drawer", "data-role": "drawer" },
      htmlElement("summary", { text: "Filters and axes" }),
      htmlElement("div", { class: "rb-filters" }, ...this.lines()));
  }

  lines() {
    const field = (label, control) => htmlElement("label", { class: "rb-field" }, label, control);
    return [
      htmlElement("div", { class: "rb-line", role: "group", "aria-label": "Where the measures disagree" }, ...this.questions),
      htmlElement(
        "div", { class: "rb-line" },
        field("Depth m", this.depth), field("Edit distance of", this.distance),
        field("Across", this.across), field("Up", this.up), field("Marks by", this.marks),
        field("Position or game id", this.search), field(this.repliesName, this.replies),
        this.ranges.distance.root, this.ranges.precision.root, this.clear,
      ),
      this.further,
      htmlElement("details", { class: "rb-boxes", "data-role": "filters" },
        htmlElement("summary", {}, "Filters ", this.chosen), ...Object.values(this.fieldsets)),
    ];
  }

  select(role, label, changes) {
    const element = htmlElement("select", { "data-role": role });
    element.addEventListener("change", () => this.listeners.onChange(changes(element.value)));
    return element;
  }

  searchBox(role, placeholder, changes) {
    const element = htmlElement("input", { type: "search", "data-role": role, placeholder, spellcheck: "false" });
    element.addEventListener("input", () => this.listeners.onChange(changes(element.value)));
    return element;
  }

  range(role, axis) {
    const make = (end) => htmlElement("input", {
      type: "number", step: "any", "data-role": `${role}-${end}`, placeholder: "any",
      oninput: () => this.readRange(role, axis),
    });
    const low = make("low");
    const high = make("high");
    const name = htmlElement("span", {});
    const root = htmlElement("div", { class: "rb-field rb-range", role: "group" }, name, low, "to", high);
    return { low, high, name, root };
  }

  readRange(role, axis) {
    const { low, high } = this.ranges[role];
    const ends = [rangeEnd(low.value), rangeEnd(high.value)];
    this.tellBackward(role, ends);
    this.listeners.onRange(axis, ends);
  }

  tellBackward(role, ends) {
    const { low, high } = this.ranges[role];
    for (const input of [low, high]) input.setAttribute("aria-invalid", String(isBackward(ends)));
  }

  toggleQuestion(value, button) {
    const pressed = button.getAttribute("aria-pressed") === "true";
    this.listeners.onChange({
      disagreement: pressed ? "" : value,
      sort_by: pressed ? "" : "disagreement",
      descending: !pressed && value === "near_far",
    });
  }

  /**
   * Offer what a run holds. A filter with a single choice is hidden.
   * @param {Object} choices depths; axes, pairs of column and label; for each filter a list of
   *   [value, rows, words]; distances; noun and written, what a state and its text are called.
   */
  offer(choices) {
    const worded = (text) => text.replace("FEN", choices.written).replace("board", choices.noun);
    this.filters = CHOICES.map(([trait, role, legend]) => [trait, role, worded(legend)]);
    this.repliesName.textContent = worded("Text of the reply, or its FEN");
    fillSelect(this.distance, DISTANCES.filter(([name]) => choices.distances.includes(name)).map(([name, text]) => [name, worded(text)]));
    fillSelect(this.depth, choices.depths.map((depth) => [String(depth), String(depth)]));
    this.labels = Object.fromEntries(choices.axes.map(([name, label]) => [name, label.includes("_") ? subscriptLetters(label) : capitalised(label)]));
    for (const select of [this.across, this.up]) fillSelect(select, Object.entries(this.labels));
    const several = new Set();
    this.counts.clear();
    for (const [trait, role, legend] of this.filters) {
      // Fields and flags do not divide the rows: a single one is a choice, too.
      const least = ["wrong_fields", "flags"].includes(trait) ? 1 : 2;
      if (choices[trait].length >= least) several.add(role);
      this.fieldsets[trait].hidden = !several.has(role);
      const boxes = choices[trait].map((choice) => this.box(trait, ...choice));
      this.fieldsets[trait].replaceChildren(
        htmlElement("legend", {}, legend, htmlElement("span", { class: "ws-quiet", text: " (none ticked: all)" })),
        ...boxes,
      );
    }
    this.offered = this.filters.filter(([, role]) => several.has(role)).map(([, , legend]) => legend.charAt(0).toLowerCase() + legend.slice(1));
    fillSelect(this.marks, MARKS.filter(([value, role]) => value === "group" || several.has(role)));
  }

  box(trait, value, rows, words) {
    const input = htmlElement("input", { type: "checkbox", value, onchange: () => this.readBoxes(trait) });
    const count = htmlElement("span", { class: "ws-quiet", "data-role": "facet-count", text: spelledCount(rows) });
    this.counts.set(`${trait} ${value}`, count);
    return htmlElement("label", { class: "rb-box" }, input, htmlElement("span", { text: words }), count);
  }

  /** Have the rail open where it stands beside the rows. @param {boolean} room */
  makeRoom(room) {
    if (room === this.room) return;
    this.room = room;
    this.root.open = room;
  }

  /**
   * Show how many rows each value has under all other filters.
   * @param {Object<string, Object<string, number>>} [facets] By trait and value; a trait that is empty has none.
   */
  count(facets = {}) {
    for (const [trait, numbers] of Object.entries(facets)) {
      for (const input of this.fieldsets[trait]?.querySelectorAll("input") ?? []) {
        this.counts.get(`${trait} ${input.value}`).textContent = input.value in numbers ? spelledCount(numbers[input.value]) : "";
      }
    }
  }

  /** Show each filter in use as a button that ends it. @param {(name: string) => any} get Reads a trait. */
  showChips(get) {
    const chip = (words, changes) => htmlElement("button", {
      type: "button", "data-role": "chip", title: "Remove this filter", onclick: () => this.listeners.onChange(changes),
    }, htmlElement("span", { text: words }), htmlElement("span", { "aria-hidden": "true", text: "\u00d7" }));
    const of = (trait, legend, words = (value) => value) => get(trait).map((value) =>
      chip(`${legend}: ${words(value)}`, { [trait]: get(trait).filter((other) => other !== value) }));
    const wordsOf = (trait) => (value) =>
      [...this.fieldsets[trait].querySelectorAll("input")].find((input) => input.value === value)?.nextSibling.textContent ?? value;
    const text = (trait, legend) => (get(trait) ? [chip(`${legend}: ${get(trait)}`, { [trait]: "" })] : []);
    const range = (name, [low, high], changes) => (low === null && high === null ? [] : [chip(`${this.labels[name] ?? name}: ${low ?? "any"} to ${high ?? "any"}`, changes)]);
    const metrics = get("metric_ranges");
    const without = (name) => Object.fromEntries(Object.entries(metrics).filter(([other]) => other !== name));
    const question = QUESTIONS.find(([value]) => value === get("disagreement"));
    this.chips.replaceChildren(
      ...this.filters.flatMap(([trait, , legend]) => of(trait, legend, wordsOf(trait))),
      ...of("causes", "Cause"),
      ...text("text", "Id"), ...text("reply_text", "Reply"),
      ...range("edit_distance", get("distance_range"), { distance_range: [null, null] }),
      ...range("precision", get("precision_range"), { precision_range: [null, null] }),
      ...Object.entries(metrics).flatMap(([name, ends]) => range(name, ends, { metric_ranges: without(name) })),
      ...(get("lasso").length ? [chip(`Drawn around: ${spelledCount(get("lasso").length)} rows`, { lasso: [] })] : []),
      ...(question ? [chip(question[2], { disagreement: "", sort_by: "", descending: false })] : []),
    );
  }

  readBoxes(trait) {
    const ticked = [...this.fieldsets[trait].querySelectorAll("input:checked")];
    this.listeners.onChange({ [trait]: ticked.map((input) => input.value) });
  }

  /**
   * Set every control to the state.
   * @param {(name: string) => any} get Reads a trait. @param {(name: string) => Array} rangeOf Of a metric.
   */
  follow(get, rangeOf) {
    this.depth.value = String(get("depth"));
    this.distance.value = get("distance");
    this.marks.value = get("mark_by");
    setUnlessSame(this.search, get("text"));
    setUnlessSame(this.replies, get("reply_text"));
    const axes = [get("x_axis"), get("y_axis")];
    [this.across.value, this.up.value] = axes;
    ["distance", "precision"].forEach((role, index) =>
      this.followRange(role, rangeOf(axes[index]), this.labels[axes[index]]));
    const further = Object.keys(this.labels).filter((name) => !axes.includes(name) && rangeOf(name).some((end) => end !== null));
    this.further.hidden = further.length === 0;
    this.further.textContent = `Further ranges: ${further.map((name) => `${this.labels[name]} ${rangeOf(name).map((end) => end ?? "any").join(" to ")}`).join("; ")}`;
    for (const [trait] of CHOICES) {
      const chosen = get(trait);
      for (const input of this.fieldsets[trait].querySelectorAll("input")) {
        input.checked = chosen.includes(input.value);
      }
    }
    const ticked = [...this.root.querySelectorAll("input:checked + span")].map(({ textContent }) => textContent);
    this.chosen.textContent = ticked.length ? `(ticked: ${ticked.join("; ")})` : `(${(this.offered ?? []).join(", ")})`;
    for (const button of this.questions) {
      button.setAttribute("aria-pressed", String(button.dataset.value === get("disagreement")));
    }
    this.showChips(get);
  }

  followRange(role, ends, label) {
    const { low, high, name, root } = this.ranges[role];
    name.textContent = label;
    root.setAttribute("aria-label", `Range of ${label}`);
    low.setAttribute("aria-label", `Lowest ${label}`);
    high.setAttribute("aria-label", `Highest ${label}`);
    [low, high].forEach((input, index) => {
      if (rangeEnd(input.value) !== ends[index]) input.value = ends[index] ?? "";
    });
    this.tellBackward(role, ends);
  }
}

function fillSelect(select, entries) {
  select.replaceChildren(...entries.map(([value, text]) => htmlElement("option", { value, text })));
}

/** Typing continues while the state follows: an equal text is not replaced. */
function setUnlessSame(input, value) {
  if (input.value !== value) input.value = value;
}
