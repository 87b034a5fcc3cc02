// The runs so far, and their summary: pure functions, no page.

/**
 * @typedef {Object} Runs All runs of one estimator.
 * @property {number[]} values One estimate a run, by the run's number.
 * @property {Object|null} summary Python's row of all these runs: run_batches.summarise.
 *
 * @typedef {Object} Aim The value aimed at.
 * @property {number} value
 * @property {number} standard_error 0 where it is exact.
 * @property {number} low @property {number} high The ends of its 95% interval.
 * @property {boolean} exact
 */

/** Return the runs with new batches added; the runs given are not changed.
 * @param {Object<string, Runs>} runs
 * @param {Object<string, {first: number, values: number[], summary: Object}>} batches
 * @throws {RangeError} If a batch does not go on where its estimator stands.
 */
export function addBatches(runs, batches) {
  const added = { ...runs };
  for (const [method, { first, values, summary }] of Object.entries(batches)) {
    const before = runs[method]?.values ?? [];
    if (first !== before.length) {
      throw new RangeError(`${method}: expected runs from ${before.length} on, got them from ${first} on`);
    }
    added[method] = { values: before.concat(values), summary };
  }
  return added;
}

/** Return how many runs each of the estimators has. */
export function doneCounts(runs, methods) {
  return Object.fromEntries(methods.map((method) => [method, runs[method]?.values.length ?? 0]));
}

/** Return whether every one of the estimators has all its runs. */
export function allDone(runs, methods, repeats) {
  return Object.values(doneCounts(runs, methods)).every((count) => count >= repeats);
}

/**
 * Return the ends of the axis: all values and the aim, with a little room.
 * @param {number[][]} lists @param {Aim|null} aim
 * @returns {[number, number]}
 */
export function valueDomain(lists, aim) {
  let low = aim ? aim.low : Infinity;
  let high = aim ? aim.high : -Infinity;
  for (const values of lists) {
    for (const value of values) {
      if (value < low) low = value;
      if (value > high) high = value;
    }
  }
  if (low > high) return [0, 1];
  const room = high > low ? 0.04 * (high - low) : 0.05 * Math.abs(high) || 0.05;
  return [low >= 0 ? Math.max(0, low - room) : low - room, high + room];
}

/**
 * Return the ends of one estimator's own axis, with the aim, or else the mean, in its middle.
 * @param {number[]} values @param {Aim|null} aim
 * @returns {[number, number]}
 */
export function ownDomain(values, aim) {
  const middle = aim ? aim.value : values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);
  const ends = aim ? [aim.low, aim.high] : [];
  const far = [...values, ...ends].reduce((most, value) => Math.max(most, Math.abs(value - middle)), 0);
  const half = 1.04 * far || 0.05 * Math.abs(middle) || 0.05;
  return [middle - half, middle + half];
}

/** Return how many values fall into each of so many equal bins of a domain. */
export function binCounts(values, [from, to], bins) {
  const counts = new Array(bins).fill(0);
  for (const value of values) {
    const bin = Math.floor(((value - from) / (to - from)) * bins);
    counts[Math.min(bins - 1, Math.max(0, bin))] += 1;
  }
  return counts;
}

/** Return a path with a dot for each value; a run keeps its height when more runs come. */
export function dotsPath(values, x, top, height) {
  return values
    .map((value, run) => `M${x(value).toFixed(1)},${(top + ((run * 0.6180339887) % 1) * height).toFixed(1)}h0`)
    .join("");
}

/** Return a path with a bar for each bin that holds values. */
export function barsPath(counts, [start, end], bottom, height) {
  const most = Math.max(1, ...counts);
  const width = (end - start) / counts.length;
  return counts
    .map((count, bin) => {
      const left = start + bin * width;
      const tall = (count / most) * height;
      return count ? `M${left.toFixed(1)},${bottom}v${(-tall).toFixed(1)}h${width.toFixed(2)}V${bottom}Z` : "";
    })
    .join("");
}

/** Read a whole number out of a field; null if it is none, or outside of its range. */
export function wholeNumber(text, least, most) {
  if (!/^\d+$/.test(text.trim())) return null;
  const value = Number(text);
  return value >= least && value <= most ? value : null;
}

/** Write a number with so many significant digits, without a power of ten where it stays short. */
export function digits(value, count = 4) {
  if (value === null || value === undefined || Number.isNaN(value)) return "undefined";
  if (value === 0) return "0";
  const size = Math.abs(value);
  if (size < 1e-4 || size >= 1e7) return value.toExponential(count - 1).replace("e+", "e").replaceAll("-", "−");
  const places = Math.max(0, count - 1 - Math.floor(Math.log10(size)));
  return value.toFixed(places).replace("-", "−");
}

/** Write a difference with its sign. */
export function signedDigits(value, count = 2) {
  const text = digits(value, count);
  return value > 0 ? `+${text}` : text;
}

/** Write a count with thin gaps between thousands. */
export function wholeText(value) {
  return String(Math.round(value)).replace(/\B(?=(\d{3})+$)/g, "\u2009");
}
