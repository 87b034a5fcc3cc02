// What Python answers to RunBrowser's page, from a sample of a run: the twin of run_browser.py, row_choice.py and
// model_rows.py, without what only Python has (intervals, files, two models compared, other depths, causes).

import { spelledCount } from "../page/spelled_count.js";
import { readFen, plainFen } from "../twin/chess_fen.js";
import { squareName } from "../twin/chess_squares.js";
import { cellText, readColumns } from "../run/row_values.js";

const FILTERS = ["sets", "models", "settings", "groups"];
const MASKS = ["wrong_fields", "flags"];
const LEFT_OUT = ["failed", "unscored"];

/** Columns with their bytes, as readColumns takes them, from lists of numbers; null is undefined. */
export function columnsOfLists({ count, columns }) {
  const bytes = { 1: Int8Array, 2: Int16Array, 4: Int32Array };
  return {
    count,
    columns: columns.map((column) => column.kind === "number"
      ? { ...column, values: Float64Array.from(column.values, (value) => value ?? NaN).buffer }
      : { ...column, codes: bytes[column.width].from(column.codes).buffer }),
  };
}

export class RunAnswers {
  /** @param {Object} sample As run_sample.py describes it, its data by `columnsOfLists`. @param {{depth: number, definitions: Object<string, string>}} words */
  constructor(sample, words) {
    Object.assign(this, { sample, words, facets: sample.facets });
    this.run = readColumns(sample.data);
    this.everything = Array.from({ length: this.run.count }, (_, row) => row);
  }

  /** @param {Object} message Of the page. @returns {Object} */
  answer(message) {
    const { kind, serial } = message;
    const answers = { rows: () => this.rows(message), models: () => this.models(message), causes: () => ({ rows: 0, left: 0, causes: [] }), open: () => ({ row: message.row }) };
    try {
      return { ...answers[kind](), kind, serial };
    } catch (error) {
      return { kind: "failed", asked: kind, serial, message: error.message };
    }
  }

  rows(choice) {
    const order = this.ordered(this.chosen(choice), choice.sort_by, choice.descending);
    return { order, classes: this.countClasses(order), notes: this.notes(order, choice), definition: this.words.definitions[choice.disagreement] ?? "", pair: null, facets: this.countFacets(choice) };
  }

  values(name) {
    const column = this.run.byName.get(name);
    if (!column?.values) throw new Error(`expected a metric of this page, got "${name}"; others need Python`);
    return column.values;
  }

  level(name, row) {
    const { levels, codes } = this.facets[name];
    return levels[codes[row]];
  }

  ranges({ distance_range, precision_range, metric_ranges }) {
    const ranges = { edit_distance: distance_range, precision: precision_range, ...metric_ranges };
    for (const [low, high] of Object.values(ranges)) {
      if (low !== null && high !== null && low > high) throw new Error(`expected a range whose low end is at most its high end, got ${low} to ${high}`);
    }
    return Object.entries(ranges).filter(([, ends]) => ends.some((end) => end !== null));
  }

  /** The rows that a choice shows, in the order of the table. */
  chosen(choice) {
    const tests = [];
    const models = this.run.byName.get("model");
    for (const name of FILTERS) {
      if (!choice[name].length) continue;
      const names = new Set(choice[name].map(String));
      tests.push((row) => names.has(this.level(name, row)) || (name === "models" && names.has(models.levels[models.codes[row]])));
    }
    if (choice.lasso.length) {
      const lasso = new Set(choice.lasso);
      tests.push((row) => lasso.has(row));
    }
    if (choice.classes.length) tests.push((row) => choice.classes.includes(this.level("class", row)));
    for (const name of MASKS) {
      if (!choice[name].length) continue;
      const { levels, masks } = this.facets[name];
      const wanted = choice[name].reduce((bits, each) => bits | (levels.includes(each) ? 1 << levels.indexOf(each) : 0), 0);
      const distances = this.values("edit_distance");
      tests.push((row) => (masks[row] & wanted) !== 0 && (name === "flags" || !Number.isNaN(distances[row])));
    }
    const part = choice.text.trim().toLowerCase();
    if (part) {
      const positions = this.run.byName.get("position_id");
      tests.push((row) => [positions.levels[positions.codes[row]], this.level("game", row)].some((text) => text?.toLowerCase().includes(part)));
    }
    for (const [name, [low, high]] of this.ranges(choice)) {
      const values = this.values(name);
      tests.push((row) => values[row] >= (low ?? -Infinity) && values[row] <= (high ?? Infinity));
    }
    const sign = { near_far: 1, far_near: -1 }[choice.disagreement];
    if (sign) tests.push((row) => sign * this.values("disagreement")[row] >= this.facets.gap);
    return this.everything.filter((row) => tests.every((test) => test(row)));
  }

  /** Equal rows keep the order of the table; undefined values come last in either direction. */
  ordered(rows, name, descending) {
    if (!name) return rows;
    const column = this.run.byName.get(name);
    if (!column) throw new Error(`expected to sort by a column of this page, got "${name}"`);
    const codes = name === "model" ? this.facets.models.codes : column.codes;
    const values = column.kind === "number" ? column.values : Float64Array.from(codes, (code) => (code < 0 ? NaN : code));
    const sign = descending ? -1 : 1;
    const last = (row) => Number(Number.isNaN(values[row]));
    return [...rows].sort((one, other) => last(one) - last(other) || sign * (values[one] - values[other]) || 0);
  }

  countClasses(rows) {
    const { levels, codes } = this.facets.class;
    const count = (numbers) => levels.map((_, code) => numbers.reduce((sum, row) => sum + Number(codes[row] === code), 0));
    const [shown, every] = [count(rows), count(this.everything)];
    return Object.fromEntries(levels.map((name, code) => [name, this.facets.classes_in_words[code], shown[code], every[code]])
      .filter(([name, , , all]) => all > 0 || !LEFT_OUT.includes(name)).map(([, words, some, all]) => [words, [some, all]]));
  }

  /** The rows of each name of a filter under all other filters. */
  countFacets(choice) {
    const counts = Object.fromEntries(FILTERS.map((name) => [name, this.facets[name]]));
    return Object.fromEntries(Object.entries({ ...counts, classes: this.facets.class, wrong_fields: this.facets.wrong_fields, flags: this.facets.flags }).map(([name, { levels, codes, masks }]) => {
      const rows = this.chosen({ ...choice, [name]: [] });
      const distances = this.values("edit_distance");
      const has = (row, place) => (codes ? codes[row] === place : (masks[row] & (1 << place)) !== 0 && (name === "flags" || !Number.isNaN(distances[row])));
      return [name, Object.fromEntries(levels.map((level, place) => [level, rows.filter((row) => has(row, place)).length]))];
    }));
  }

  notes(rows, choice) {
    const { depth } = this.words;
    const { written } = this.sample.choices;
    const isClass = (name) => (row) => this.level("class", row) === name;
    const undefinedIn = (name) => (row) => Number.isNaN(this.values(name)[row]);
    const scored = (row) => !LEFT_OUT.includes(this.level("class", row));
    const restricted = [...this.ranges(choice).map(([name]) => name), ...(choice.disagreement ? ["disagreement"] : [])];
    const names = { edit_distance: "edit distance", precision: `p_${depth}` };
    return [
      [rows.filter((row) => scored(row) && undefinedIn("edit_distance")(row)), `shown without an edit distance: the reply has no ${written}, and the distance to the empty text is not meaningful.`],
      [rows.filter(isClass("unscored")), `shown not scored: the true ${written} cannot be read.`],
      [rows.filter(isClass("failed")), "shown without a reply: the call failed."],
      [rows.filter((row) => scored(row) && undefinedIn("precision")(row)), `shown with p_${depth} undefined.`],
      [this.everything.filter((row) => restricted.some((name) => undefinedIn(name)(row))), `of the run not shown because of undefined ${restricted.map((name) => names[name] ?? name).join(" or ")}.`],
    ].filter(([found]) => found.length).map(([found, words]) => `${spelledCount(found.length)} row${found.length === 1 ? "" : "s"} ${words}`);
  }

  /** Python's rows of all replies; with a filter, means of the sample without intervals. */
  models(message) {
    const choice = { ...message, models: [] };
    const rows = this.chosen(choice);
    return rows.length === this.run.count ? this.sample.models : this.meansOf(rows, this.chosen({ ...choice, groups: [] }));
  }

  meansOf(rows, ofLengths) {
    const { lengths, classes } = this.sample.models;
    const { levels, codes } = this.run.byName.get("model");
    const precision = this.values("precision");
    const isScored = (row) => !LEFT_OUT.includes(this.level("class", row));
    const meanOf = (numbers) => {
      const defined = numbers.map((row) => precision[row]).filter((value) => !Number.isNaN(value));
      return defined.length ? defined.reduce((sum, value) => sum + value, 0) / defined.length : null;
    };
    const table = levels.flatMap((name, code) => {
      const own = rows.filter((row) => codes[row] === code);
      if (!own.length) return [];
      const scored = own.filter(isScored);
      const defined = scored.filter((row) => !Number.isNaN(precision[row]));
      const count = (kind) => own.filter((row) => this.level("class", row) === kind).length;
      const inLength = (length) => ofLengths.filter((row) => codes[row] === code && isScored(row) && this.level("groups", row) === length);
      return [{
        name, model: this.level("models", own[0]), mean: meanOf(scored), low: null, high: null,
        replies: defined.length, games: new Set(defined.map((row) => this.level("cluster", row))).size, undefined: scored.length - defined.length,
        failed: count("failed"), unscored: count("unscored"), counts: classes.map(([kind]) => count(kind)),
        readable: scored.length ? scored.filter((row) => this.facets.readable.includes(this.level("class", row))).length / scored.length : null,
        by_length: lengths.map((length) => meanOf(inLength(length))),
      }];
    });
    // A sample has other positions of each model, whatever the run has.
    return { alike: false, classes, lengths, rows: table };
  }

  /** What the page shows of an open row. @param {number} row @returns {Object} As the trait "opened". */
  opened(row) {
    const { facets, run } = this;
    const positions = run.byName.get("position_id");
    const [trueFen, predictedFen] = ["true", "predicted"].map((name) => this.level(name, row) ?? "");
    const { noun, written } = this.sample.choices;
    const kind = this.level("class", row);
    const stated = facets.readable.includes(kind);
    // States of other environments are there as text.
    const [truth, predicted] = [trueFen, predictedFen].map((text) => written === "FEN" && readFen(plainFen(text))?.position.squares);
    const different = truth && predicted ? [...truth.keys()].filter((square) => truth[square] !== predicted[square]).map(squareName) : [];
    const words = new Map(this.sample.choices.wrong_fields.map(([name, , text]) => [name, text]));
    const wrong = facets.wrong_fields.levels.filter((name, bit) => name !== "placement" && facets.wrong_fields.masks[row] & (1 << bit));
    const text = facets.texts[row];
    return {
      row, title: `${this.level("name", row)} on ${positions.levels[positions.codes[row]]}`, depth: this.words.depth,
      facts: [["model", this.level("models", row)], ...facets.facts.filter((name) => run.byName.has(name)).map((name) => [run.byName.get(name).label, cellText(run.byName.get(name), row)])],
      without: text ? "" : "This page has no reply of this row.",
      noun, true_fen: trueFen, true_board: truth ? trueFen : "", true_picture: "", true_words: kind === "unscored" ? `The true ${written} cannot be read.` : "",
      reply: {
        fen: predictedFen, board: predicted ? predictedFen : "", picture: "", stated, different: truth && predicted ? different : stated ? null : [],
        fields: predicted ? wrong.map((name) => words.get(name)) : [],
        words: this.level("remark", row) || facets.classes_in_words[facets.class.codes[row]],
      },
      text: text && { length: text[0], skipped: 0, before: "", match: "", after: text[1] },
      others: [], all: {},
    };
  }
}
