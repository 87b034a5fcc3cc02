// The table of the estimator lab, and its words. Hooks: data-role="results", tr[data-method] with
// td[data-cell=runs|mean|bias|standard_deviation|node_count|milliseconds] (data-value, data-error).

import { htmlElement } from "../page/svg.js";
import { digits, signedDigits, wholeText } from "./estimator_numbers.js";

/** Return the measure's name, "p_4" or "r_4". */
export function measureName(measure, depth) {
  return `${measure === "recall" ? "r" : "p"}_${depth}`;
}

/** Return one row per estimator: label, values, and Python's summary of them. */
export function rowsOf(choices, runs, aim) {
  return choices.map(({ name, label, unbiased, explanation }) => {
    const { values = [], summary } = runs[name] ?? {};
    const {
      runs: count = 0, mean = null, bias = null, standard_error: error = null, standard_deviation: deviation = null,
      node_count: nodes = null, milliseconds = null,
    } = summary ?? {};
    return { method: name, label, unbiased, explanation, values, aim, runs: count, mean, bias, error, deviation, nodes, milliseconds };
  });
}

/** Describe the reference and how it was obtained. */
export function aimInWords(aim, name) {
  if (!aim.runnable) return `${name} is 0: ${aim.reason}.`;
  if (aim.exact) return `Line: ${name} = ${digits(aim.value, 6)}, exact.`;
  return `Line: ${name} = ${digits(aim.value, 5)}, estimated, 95% interval ${digits(aim.low, 5)} to ${digits(aim.high, 5)}. `
    + `Not exact, because an exact walk would take too long (${aim.reason}).`;
}

/** Beyond so many standard errors a mean is called off; with fewer runs of each, nothing is said. */
const OFF = 3;
const LEAST_RUNS = 20;

/** Return by how many standard errors a mean is off; infinite where all runs give the same wrong value. */
export function errorsOff({ bias, error }) {
  if (bias === 0) return 0;
  return error > 0 ? Math.abs(bias) / error : Infinity;
}

/**
 * Say in sentences what the runs show: which means are off, which bias does not show, and which runs vary least.
 * @param {Object[]} rows See rowsOf. @param {string} name The measure's.
 * @returns {string[]} The first is the main one.
 */
export function verdict(rows, name) {
  const run = rows.filter((row) => row.runs > 0);
  if (run.length === 0) return [`Each estimator aims at ${name}: Start shows which of them miss it, and how much their runs vary.`];
  const fewest = Math.min(...run.map((row) => row.runs));
  if (fewest < LEAST_RUNS) return [`${fewest} of the ${LEAST_RUNS} runs of each that are needed to tell an error from chance.`];
  return [...meansInWords(run), spreadInWords(run)].filter(Boolean);
}

function meansInWords(rows) {
  const apart = [...rows].sort((one, other) => errorsOff(other) - errorsOff(one));
  const off = apart.filter((row) => errorsOff(row) > OFF);
  const hidden = rows.filter((row) => !row.unbiased && !off.includes(row));
  const strange = off.filter((row) => row.unbiased);
  return [
    off.length > 0 ? `${listed(off.map(offInWords))}.`
      : `No mean is off by more than ${OFF} standard errors; the largest distance is ${digits(errorsOff(apart[0]), 2)} (${apart[0].label}).`,
    strange.length > 0 && `${listed(strange.map(({ label }) => label))} should not be: beyond ${OFF} is chance once in 370 times.`,
    hidden.length > 0 && `The bias of ${listed(hidden.map(({ label }) => label))} is too small for these runs to show.`,
  ];
}

function offInWords({ label, bias, error, aim, ...row }) {
  const distance = errorsOff({ bias, error });
  const share = aim && aim.value > 0 ? ` (${percentText((100 * bias) / aim.value)})` : "";
  if (distance === Infinity) return `${label} is off by ${signedDigits(bias)}${share} in each of ${row.runs} runs`;
  return `${label} is off by ${digits(distance, 2)} standard errors${share}`;
}

function spreadInWords(rows) {
  const varying = rows.filter(({ deviation }) => deviation !== null).sort((one, other) => one.deviation - other.deviation);
  const [least, most] = [varying[0], varying.at(-1)];
  if (varying.length < 2 || !(most.deviation > 1.5 * least.deviation)) return "";
  if (least.deviation === 0) return `Runs of ${least.label} do not vary; those of ${most.label} vary most.`;
  return `Runs of ${least.label} vary least: ${digits(most.deviation / least.deviation, 2)} times less than those of ${most.label}.`;
}

function listed(parts) {
  return parts.length > 1 ? `${parts.slice(0, -1).join(", ")} and ${parts.at(-1)}` : parts.join("");
}

/** Return the table. */
export function resultsTable(rows, name) {
  const heads = ["Estimator", "Runs", "Mean", `Bias against ${name} ± standard error`, "Standard deviation of a run", "States per run", "Milliseconds per run, one core"];
  return htmlElement("table", { class: "ws-table", "data-role": "results" },
    htmlElement("thead", {}, htmlElement("tr", {}, ...heads.map((head) => htmlElement("th", { scope: "col" }, head)))),
    htmlElement("tbody", {}, ...rows.map(resultRow)));
}

function resultRow(row) {
  return htmlElement("tr", { "data-method": row.method },
    htmlElement("th", { scope: "row", title: row.explanation }, row.label),
    resultCell("runs", row.runs, wholeText(row.runs)),
    resultCell("mean", row.mean, row.mean === null ? "" : digits(row.mean, 5)),
    resultCell("bias", row.bias, biasText(row), { "data-error": row.error }),
    resultCell("standard_deviation", row.deviation, deviationText(row)),
    resultCell("node_count", row.nodes, row.nodes === null ? "" : wholeText(row.nodes)),
    resultCell("milliseconds", row.milliseconds, row.milliseconds === null ? "" : digits(row.milliseconds, 3)));
}

function resultCell(cell, value, words, more = {}) {
  return htmlElement("td", { "data-cell": cell, "data-value": value, ...more }, words);
}

/** Write bias and standard error to the same place, and the bias as a share of the value. */
export function biasText({ bias, error, aim }) {
  if (bias === null || bias === undefined) return "";
  if (error === null) return signedDigits(bias);
  if (error === 0) return `${signedDigits(bias)}\u00a0±\u00a00`;
  const places = Math.min(12, Math.max(0, 1 - Math.floor(Math.log10(error))));
  const tiny = error < 1e-6;
  const numbers = tiny
    ? `${signedDigits(bias)}\u00a0±\u00a0${digits(error, 2)}`
    : `${signedFixed(bias, places)}\u00a0±\u00a0${error.toFixed(places)}`;
  return aim && aim.value > 0 ? `${numbers} (${percentText((100 * bias) / aim.value)})` : numbers;
}

function deviationText({ deviation, aim }) {
  if (deviation === null) return "";
  const share = aim && aim.value > 0 ? ` (${digits((100 * deviation) / aim.value, 2)}%)` : "";
  return `${digits(deviation, 3)}${share}`;
}

function percentText(value) {
  return `${signedFixed(value, Math.abs(value) < 1 ? 2 : 1)}%`;
}

/** Write a number with its sign; 0 has none. */
export function signedFixed(value, places) {
  const text = Math.abs(value).toFixed(places);
  if (Number(text) === 0) return text;
  return `${value > 0 ? "+" : "−"}${text}`;
}
