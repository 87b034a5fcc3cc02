// The scores of a run: filters, models, scatter plot, table, and the open row. The pair itself opens in a
// BoardPair, which the kernel sets.
//
// The page asks by messages {kind, serial, ...question} and gets {kind, serial, ...answer}; the answers to
// "rows" and "models" are kept in the trait "answers".
//   rows: all CHOICE_TRAITS, depth, distance -> order, classes, notes, definition, pair, facets
//   models: the same without models, sort_by and descending -> alike, classes, lengths, rows
//   causes: the same as rows without causes, sort_by and descending; all -> rows, left, pairs, causes
//   open: row -> row, and the traits opened and beside; beside: row -> row, and the trait beside
//   export: file -> a file in a buffer
// run_browser.py (_answer_rows) and model_rows.py describe the answers.
//
// data-role: run-browser, error, depth, distance, x-axis, y-axis, mark-by, search, search-replies, distance-low,
// distance-high, precision-low, precision-high, clear-filters, filters, filters-chosen, filter-set,
// filter-model, filter-setting, filter-group, filter-class, filter-field, filter-flag, near-far,
// far-near, counts, export, exported, definition, notes, scatter, scatter-surface,
// scatter-left, scatter-whole, zoom-in, zoom-out, lasso-clear, models, models-chosen, models-all, models-sort,
// models-notes, model-row, model, model-mean, model-readable, model-replies, classes-key, pair, pair-words, pair-sort,
// pair-length, point-label, legend, legend-entry, table, scroller, sort, row, row-open,
// nothing, opened, nothing-open, previous, next, place, opened-title, opened-true, opened-predicted,
// opened-facts, without, opened-length, opened-reply, kernel, beside, beside-title, beside-words,
// all-replies, all-summary, all-words, wrong-count, beside-boards, beside-true, beside-opened, beside-other,
// beside-open, other, no-board, failure-causes, drawer, chips, chip, facet-count, causes-begin, causes-words, failure-cause.

import { Requester } from "../page/requester.js";
import { KernelNote } from "../page/kernel_note.js";
import { htmlElement, keepShortcutsAway, subscripted } from "../page/svg.js";
import { BesideView } from "./beside_view.js";
import { CausesPanel } from "./causes_panel.js";
import { ModelPair } from "./model_pair.js";
import { ModelsPanel } from "./models_panel.js";
import { RunFilters } from "./run_filters.js";
import { RunList } from "./run_list.js";
import { ReaderView } from "./reader_view.js";
import { ScatterView } from "../scatter/scatter_view.js";
import { spelledCount } from "../page/spelled_count.js";
import { cellText, countsInWords, readColumns } from "./row_values.js";

const CHOICE_TRAITS = [
  "sort_by", "descending", "sets", "models", "settings", "groups", "classes", "wrong_fields", "flags",
  "text", "reply_text", "distance_range", "precision_range", "metric_ranges", "lasso", "causes", "disagreement",
];
/** What the means of models do not depend on. */
const BESIDE_MODELS = new Set(["models", "sort_by", "descending"]);
/** The traits of the ranges of two metrics; those of others are in metric_ranges. */
const RANGE_TRAITS = { edit_distance: "distance_range", precision: "precision_range" };
/** Columns that make room for the difference of two models. */
const LEFT_OUT_BESIDE_DIFFERENCE = new Set(["disagreement", "remark"]);
/** From which width of the widget the filters stand at the left; as in run_browser.css. */
const LEAST_RAIL_WIDTH = 1000;
const FILES_OF_ROWS = [
  ["csv", "CSV", "selected_replies.csv"],
  ["parquet", "Parquet", "selected_replies.parquet"],
  ["fen", "Predicted FENs", "selected_predicted.fen"],
  ["true_fen", "True FENs", "selected_true.fen"],
];

/** The page before any answer, and the targets of the answers. */
function runBrowserPage(listeners) {
  const filters = new RunFilters(listeners);
  const models = new ModelsPanel(listeners);
  const pair = new ModelPair(listeners);
  const scatter = new ScatterView(listeners);
  const list = new RunList(listeners);
  const beside = new BesideView(listeners);
  const error = htmlElement("p", { class: "ws-alert", role: "alert", "data-role": "error" });
  const counts = htmlElement("p", { class: "rb-counts", "aria-live": "polite", "data-role": "counts" });
  const definition = htmlElement("p", { class: "ws-quiet", "data-role": "definition", hidden: true });
  const notes = htmlElement("ul", { class: "rb-notes ws-quiet", "data-role": "notes" });
  const reader = new ReaderView(listeners);
  const exported = htmlElement("span", { class: "ws-quiet", role: "status", "data-role": "exported" });
  const exports = htmlElement("div", { class: "rb-exports", role: "group", "aria-label": "Download the rows shown" },
    htmlElement("span", { class: "ws-quiet", text: "Download the rows shown:" }),
    ...FILES_OF_ROWS.map(([file, text]) => htmlElement("button", {
      type: "button", "data-role": "export", "data-file": file, text, onclick: () => listeners.onExport(file),
    })), exported);
  const causes = new CausesPanel(listeners);
  models.root.append(pair.root);
  const first = htmlElement("div", { class: "rb-first" }, models.root, scatter.root);
  const rows = htmlElement("div", { class: "rb-rows" }, list.root, reader.root);
  const root = htmlElement(
    "div",
    { class: "world-state run-browser", "data-role": "run-browser", "data-lm-suppress-shortcuts": "true", onfocusin: keepShortcutsAway },
    error,
    htmlElement("div", { class: "rb-page" },
      htmlElement("div", { class: "rb-rail" }, filters.root),
      htmlElement("div", { class: "rb-main" },
        first, causes.root, filters.chips, counts, listeners.kernel.element, definition,
        rows,
        notes, exports, beside.root)),
  );
  return { root, models, pair, causes, filters, scatter, first, rows, list, beside, error, counts, definition, notes, reader, exported };
}

/** @param {{model: Object, el: HTMLElement}} context anywidget's, or a page's own. @returns {() => void} What ends the view. */
export function showRun({ model, el }) {
  let run = readColumns({});
  let order = [];
  let drawn = "";
  let ofModels = "";
  let ofCauses = "";
  let counted = false;
  let bring = false;
  const kernel = new KernelNote();
  const asking = new Requester(model, {
    onFailed: (message) => { page.error.textContent = message; },
    ...kernel.listeners(),
  });
  // Nobody waits for what is counted unasked: a page without a kernel does not complain of it.
  const onRequest = (listener) => (...values) => { if (page.causes.following) listener(...values); };
  const askingCauses = new Requester(model, Object.fromEntries(Object.entries({
    onFailed: (message, asked) => { if (asked === "causes") page.error.textContent = message; },
    ...kernel.listeners(),
  }).map(([name, listener]) => [name, onRequest(listener)])));
  const page = runBrowserPage({
    kernel,
    onChange: change,
    // A difference begins where the first model is ahead.
    onSort: (name) => change({
      sort_by: name, descending: model.get("sort_by") === name ? !model.get("descending") : name === "difference",
    }),
    onOpen: open,
    onFollow: (row) => asking.ask("open", { row }, true),
    onStep: step,
    onExport: (file) => asking.ask("export", { file }, true),
    onBeside: (row) => asking.ask("beside", { row }, true),
    pieces: model.get("pieces"),
    onRange: setRange,
    onModels: (models) => change({ models, ...(models.length !== 2 && model.get("sort_by") === "difference" ? { sort_by: "", descending: false } : {}) }),
    onLength: (length) => change({ groups: String(model.get("groups")) === length ? [] : [length] }),
    onCauses: (causes) => change({ causes }),
    onCountCauses: () => askCauses(),
    onLasso: (lasso) => change({ lasso }),
  });
  el.append(page.root);
  const width = new ResizeObserver(([{ contentRect }]) => page.filters.makeRoom(contentRect.width > LEAST_RAIL_WIDTH));
  width.observe(page.root);

  function change(changes) {
    for (const [name, value] of Object.entries(changes)) model.set(name, value);
    model.save_changes();
  }

  /** @param {string} name The column of a metric. @returns {Array<number|null>} Its range. */
  function rangeOf(name) {
    if (name in RANGE_TRAITS) return model.get(RANGE_TRAITS[name]);
    return model.get("metric_ranges")[name] ?? [null, null];
  }

  /** Set the range of the metric on an axis. @param {string} axis @param {Array<number|null>} ends */
  function setRange(axis, ends) {
    const name = model.get(axis);
    if (name in RANGE_TRAITS) {
      change({ [RANGE_TRAITS[name]]: ends });
      return;
    }
    const { [name]: _before, ...others } = model.get("metric_ranges");
    change({ metric_ranges: ends.every((end) => end === null) ? others : { ...others, [name]: ends } });
  }

  /** Open a row and scroll to its boards if they are out of view. */
  function open(row) {
    bring = true;
    asking.ask("open", { row }, true);
  }

  /** Open a neighbour: nothing scrolls, so that the buttons stay under the pointer. */
  function step(by) {
    asking.ask("open", { row: order[order.indexOf(model.get("opened").row) + by] }, true);
  }

  function choice() {
    return Object.fromEntries(CHOICE_TRAITS.map((name) => [name, model.get(name)]));
  }

  /** One step of the causes of the rows shown; each answer asks for the next. */
  function askCauses() {
    const { sort_by, descending, causes, ...others } = choice();
    const all = page.causes.following || model.get("disagreement") !== "";
    const question = { ...others, depth: model.get("depth"), distance: model.get("distance"), all };
    const key = JSON.stringify(question);
    if (key === ofCauses && counted) return;
    ofCauses = key;
    counted = false;
    askingCauses.ask("causes", question);
  }

  function takeCauses(answer) {
    page.causes.show(answer, model.get("causes"));
    counted = answer.causes === null || answer.left === 0;
    if (!counted) askCauses();
  }

  function ask() {
    page.causes.follow(model.get("causes"));
    page.filters.follow((name) => model.get(name), rangeOf);
    page.models.follow(model.get("models"));
    page.pair.follow(model.get("groups"));
    asking.ask("rows", { ...choice(), depth: model.get("depth"), distance: model.get("distance") });
  }

  /** After the rows, which are there sooner. */
  function askModels() {
    const question = {
      ...Object.fromEntries(Object.entries(choice()).filter(([name]) => !BESIDE_MODELS.has(name))),
      depth: model.get("depth"), distance: model.get("distance"),
    };
    const key = JSON.stringify(question);
    if (key !== ofModels) asking.ask("models", question, true);
    ofModels = key;
  }

  // Sorting moves no mark: rows are redrawn only if the rows shown or the marks change.
  function drawScatter() {
    const { sort_by, descending, ...shown } = choice();
    const axes = [model.get("x_axis"), model.get("y_axis")];
    const key = JSON.stringify([shown, axes, model.get("mark_by")]);
    if (key === drawn) return;
    const named = (name) => run.byName.get(name);
    const [across, up] = axes.map(named);
    if (!across?.values || !up?.values) return;
    drawn = key;
    page.scatter.show({
      rows: order,
      across,
      up,
      marks: named(model.get("mark_by")),
      lasso: model.get("lasso").length,
      ranges: { across: rangeOf(axes[0]), up: rangeOf(axes[1]) },
      nameOf: (row) => ["model", "position_id"].map((name) => cellText(named(name), row)).join(" on "),
    });
  }

  function followAndDraw() {
    page.filters.follow((name) => model.get(name), rangeOf);
    drawScatter();
  }

  function takeData() {
    run = readColumns(model.get("data"));
    order = [];
    drawn = "";
    ofModels = "";
    const choices = model.get("choices");
    page.filters.offer(choices);
    for (const button of page.root.querySelectorAll("[data-role=export][data-file$=fen]")) button.hidden = choices.written !== "FEN";
    page.list.setColumns(run.columns);
    ask();
  }

  function takeRows(answer) {
    order = answer.order;
    page.error.textContent = "";
    page.counts.textContent = countsInWords(order.length, run.count, answer.classes);
    page.definition.replaceChildren(...subscripted(answer.definition));
    page.definition.hidden = answer.definition === "";
    page.notes.replaceChildren(...answer.notes.map((text) => htmlElement("li", {}, ...subscripted(text))));
    const shortOf = new Map(run.byName.get("model").levels.map((level, code) => [level, run.byName.get("model").short[code]]));
    page.pair.show(answer.pair, model.get("depth"), (name) => shortOf.get(name));
    page.pair.follow(model.get("groups"));
    page.list.setColumns(answer.pair ? withDifference(answer.pair) : run.columns);
    page.filters.count(answer.facets);
    page.list.setSort(model.get("sort_by"), model.get("descending"));
    page.list.setOpened(model.get("opened").row ?? -1, false);
    page.list.setOrder(order, "No row matches. \u201cShow all rows\u201d clears all filters.");
    page.reader.setPlace(order.indexOf(model.get("opened").row), order.length);
    drawScatter();
    page.root.dataset.state = "ready";
    askModels();
    askCauses();
  }

  /** The columns with the difference of two models after p_m. @param {Array<number|null>} differences Of the order. */
  function withDifference({ one, other, differences }) {
    const values = new Float64Array(run.count).fill(NaN);
    order.forEach((row, place) => { values[row] = differences[place] ?? NaN; });
    const needed = [model.get("sort_by"), model.get("disagreement") && "disagreement"];
    const columns = run.columns.map((column) => (LEFT_OUT_BESIDE_DIFFERENCE.has(column.name) && !needed.includes(column.name) ? { ...column, shown: false } : column));
    const depth = model.get("depth");
    const difference = { name: "difference", label: `\u0394 p_${depth}`, title: `p_${depth} of ${one} less that of ${other} at this position`, kind: "number", digits: 4, shown: true, values };
    return columns.toSpliced(columns.findIndex(({ name }) => name === "precision") + 1, 0, difference);
  }

  function takeModels(answer) {
    const looksOf = (name) => {
      const column = run.byName.get(name);
      return new Map(column.levels.map((level, code) => [level, { ...column.looks[code], short: column.short?.[code] }]));
    };
    page.models.show(answer, model.get("depth"), { models: looksOf("model"), classes: looksOf("reply_class") });
    page.models.follow(model.get("models"));
    page.first.classList.toggle("rb-few", answer.rows.length < 4);
  }

  function takeOpened() {
    const opened = model.get("opened");
    const row = opened.row ?? -1;
    page.list.setOpened(row, true);
    page.scatter.markOpened(row);
    page.rows.classList.toggle("rb-opened", row >= 0);
    page.reader.show(opened);
    page.reader.setPlace(order.indexOf(row), order.length);
    page.beside.offer(opened, opened.depth);
    takeBeside();
  }

  function takeBeside() {
    page.beside.show(model.get("beside"));
  }

  function takeOpenAnswer() {
    page.error.textContent = "";
    if (bring) page.reader.bringIntoView();
    // The button that asked, such as "Open this reply", may be gone.
    if (bring && !page.root.contains(document.activeElement)) page.reader.focus();
    bring = false;
  }

  /** Hand the file to the browser: it goes where downloads go, and replaces nothing. */
  function takeFile({ file, rows }, [content]) {
    const [, , name] = FILES_OF_ROWS.find(([kind]) => kind === file);
    const address = URL.createObjectURL(new Blob([content]));
    const link = htmlElement("a", { href: address, download: name });
    link.click();
    setTimeout(() => URL.revokeObjectURL(address), 60000);
    page.exported.textContent = `${spelledCount(rows)} ${rows === 1 ? "row" : "rows"}: ${name}, ${spelledCount(Math.ceil(content.byteLength / 1000))} kB, in the browser\u2019s downloads.`;
    page.error.textContent = "";
  }

  asking.on("rows", takeRows);
  asking.on("models", takeModels);
  askingCauses.on("causes", takeCauses);
  asking.on("open", takeOpenAnswer);
  asking.on("beside", () => { page.error.textContent = ""; });
  asking.on("export", takeFile);
  const heard = {
    "change:data": takeData,
    ...Object.fromEntries(["mark_by", "x_axis", "y_axis"].map((name) => [`change:${name}`, followAndDraw])),
    "change:opened": takeOpened,
    "change:beside": takeBeside,
    ...Object.fromEntries(CHOICE_TRAITS.map((name) => [`change:${name}`, ask])),
  };
  for (const [name, listener] of Object.entries(heard)) model.on(name, listener);
  takeData();
  takeOpened();
  return () => {
    for (const [name, listener] of Object.entries(heard)) model.off(name, listener);
    width.disconnect();
    asking.dispose();
    askingCauses.dispose();
    page.scatter.dispose();
    page.list.dispose();
  };
}
