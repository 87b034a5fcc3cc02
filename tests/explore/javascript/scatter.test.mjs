// The scatter's pure functions: geometry, order and places of marks, lasso, zoom, and the marks themselves.
// Run by `node --test`.

import assert from "node:assert/strict";
import { test } from "node:test";

import {
  MARK_CORNERS, channelsOf, contrast, legible, traceMark,
} from "../../../workbench/explore/scatter/mark_shapes.js";
import { PixelLayer } from "../../../workbench/explore/scatter/scatter_drawing.js";
import {
  markSize, mixedRows, nextOf, placePoints, plotAxis, plotFrame, plottedRows, rowsInside, rowsNear, ticksBetween, toPixel, zoomedAxis,
} from "../../../workbench/explore/scatter/scatter_points.js";

const OPEN = { across: [null, null], up: [null, null] };
const column = (digits, range, ...values) => ({ digits, range, values: Float64Array.from(values) });
const SHARE = column(4, [0, 1], 0.25, NaN);
/** Axes of edit distances up to the highest and of shares. */
const axesOf = (ranges, highest) => ({
  across: plotAxis(column(0, [0, null], NaN, 3, highest), ranges.across), up: plotAxis(SHARE, ranges.up),
});
// 51 distances from 0 to 50 in 408 pixels: 8 pixels each.
const FRAME = plotFrame(468, 254, axesOf(OPEN, 50));

test("a value has its place in the plot", () => {
  assert.deepEqual(toPixel(FRAME, 0, 1), { x: 50, y: 14 });
  assert.deepEqual(toPixel(FRAME, 50, 0), { x: 450, y: 214 });
});

test("the ranges chosen are the ends of the axes", () => {
  const ends = ({ low, high }) => [low, high];
  assert.deepEqual(Object.values(axesOf(OPEN, 50)).map(ends), [[0, 50], [0, 1]]);
  assert.deepEqual(Object.values(axesOf({ across: [3, 9], up: [0.5, null] }, 50)).map(ends), [[3, 9], [0.5, 1]]);
  assert.deepEqual(Object.values(axesOf({ across: [4, 4], up: [null, 7] }, 50)).map(ends), [[4, 5], [0, 1]]);
});

test("a metric without limits has the values of the run on its axis", () => {
  const loss = column(2, [null, null], -1.5, NaN, 2.5);
  assert.deepEqual(plotAxis(loss, [null, null]), { low: -1.5, high: 2.5, whole: false });
  assert.deepEqual(plotAxis(loss, [0, null]), { low: 0, high: 2.5, whole: false });
  assert.deepEqual(plotAxis(column(0, [null, null], NaN), [null, null]), { low: 0, high: 1, whole: true });
  const frame = plotFrame(468, 254, { across: plotAxis(loss, [null, null]), up: plotAxis(column(0, [0, null], 4), [null, null]) });
  assert.deepEqual(toPixel(frame, -1.5, 4), { x: 46, y: 34 });
});

test("ticks are round numbers within the range", () => {
  assert.deepEqual(ticksBetween([0, 50], 6, 1), [0, 10, 20, 30, 40, 50]);
  assert.deepEqual(ticksBetween([0, 3], 8, 1), [0, 1, 2, 3]);
  assert.deepEqual(ticksBetween([7, 12], 5, 1), [7, 8, 9, 10, 11, 12]);
  assert.deepEqual(ticksBetween([0, 1], 5, 0.001), [0, 0.2, 0.4, 0.6, 0.8, 1]);
  assert.deepEqual(ticksBetween([0.25, 0.75], 5, 0.001), [0.3, 0.4, 0.5, 0.6, 0.7]);
});

/** Points of rows of (distance, precision), in pixels. */
function pointsOf(values, frame = FRAME) {
  const [acrosses, ups] = [0, 1].map((at) => Float64Array.from(values, (pair) => pair[at]));
  return placePoints(plottedRows(mixedRows(values.length), values.keys(), acrosses, ups), acrosses, ups, frame);
}

test("every row with both values has a mark, near its place and apart from its equals", () => {
  const rows = [...Array.from({ length: 2000 }, () => [7, 0.5]), [NaN, 0.5], [7, NaN]];
  const points = pointsOf(rows);
  assert.deepEqual([...points.rows].sort((a, b) => a - b), [...Array(2000).keys()]);
  const { x, y } = toPixel(FRAME, 7, 0.5);
  assert.ok(points.xs.every((at) => Math.abs(at - x) < 4), "within its column of 8 pixels");
  assert.ok(points.ys.every((at) => Math.abs(at - y) <= 2.5));
  const places = new Set(Array.from(points.xs, (at, index) => `${at.toFixed(2)} ${points.ys[index].toFixed(2)}`));
  assert.ok(places.size > 1950, `${places.size} places`);
  const thirds = [-1, 0, 1].map((third) => points.xs.filter((at) => Math.round((at - x) / 2.2) === third).length);
  thirds.forEach((count) => assert.ok(count > 400, String(thirds)));
  assert.deepEqual(pointsOf(rows).xs, points.xs);
});

test("marks of one group are spread over the order of all", () => {
  const { rows } = pointsOf(Array.from({ length: 2000 }, (_, row) => [row % 50, 0.5]));
  const second = rows.slice(1000).filter((row) => row >= 1000).length;
  assert.ok(second > 420 && second < 580, `${second} of the last 1,000 marks are of the second half`);
});

test("the nearest rows come first, far ones not at all", () => {
  const points = { rows: Int32Array.of(7, 8, 9), xs: Float32Array.of(66, 61, 300), ys: Float32Array.of(114, 114, 114) };
  assert.deepEqual(rowsNear(points, 60, 114, 9), [8, 7]);
  assert.deepEqual(rowsNear(points, 60, 114, 5), [8]);
});

test("a lasso holds the rows inside it, whichever way it goes and wherever it bends", () => {
  const grid = [...Array(10).keys()].flatMap((x) => [...Array(10).keys()].map((y) => [10 * x, 10 * y]));
  const points = { rows: Int32Array.from(grid.keys()), xs: Float32Array.from(grid, ([x]) => x), ys: Float32Array.from(grid, ([, y]) => y) };
  const at = (pairs) => pairs.map(([x, y]) => ({ x, y }));
  const square = at([[5, 5], [35, 5], [35, 25], [5, 25]]);
  const inside = grid.flatMap(([x, y], row) => (x > 5 && x < 35 && y > 5 && y < 25 ? [row] : []));
  assert.equal(inside.length, 6);
  assert.deepEqual(rowsInside(points, square), inside);
  assert.deepEqual(rowsInside(points, square.toReversed()), inside);
  // A horseshoe around the column at 20, open below.
  const horseshoe = at([[5, 5], [35, 5], [35, 95], [25, 95], [25, 15], [15, 15], [15, 95], [5, 95]]);
  const expected = grid.flatMap(([x, y], row) => (y > 5 && [10, 30].includes(x) || (x === 20 && y === 10) ? [row] : []));
  assert.deepEqual(rowsInside(points, horseshoe), expected);
  assert.deepEqual(rowsInside(points, at([[1, 1], [2, 1], [2, 2]])), []);
});

test("zooming keeps the place under the pointer and never leaves the whole", () => {
  const base = { low: 0, high: 1, whole: false };
  const near = zoomedAxis(base, base, 0.5, 0.25);
  assert.deepEqual(near, { low: 0.125, high: 0.625, whole: false });
  assert.deepEqual(zoomedAxis(near, base, 4, 0.25), base);
  assert.deepEqual(zoomedAxis(near, base, 1, 0, 0.5), { low: 0.375, high: 0.875, whole: false });
  assert.deepEqual(zoomedAxis(near, base, 1, 0, 9), { low: 0.5, high: 1, whole: false });
  const counts = { low: 0, high: 49, whole: true };
  assert.deepEqual(zoomedAxis(counts, counts, 0.1, 0), { low: 0, high: 4, whole: true });
  const one = zoomedAxis(counts, counts, 1e-9, 0.5);
  assert.ok(Math.abs(one.high - one.low) < 1e-9, "one whole number at least");
});

test("the more marks, the smaller and fainter", () => {
  const sizes = [1, 301, 1501, 27900].map(markSize);
  for (const name of ["radius", "opacity"]) {
    sizes.slice(1).forEach((size, index) => assert.ok(size[name] <= sizes[index][name], name));
  }
  assert.ok(sizes[3].opacity >= 0.4 && sizes[3].radius >= 2);
});

test("each click opens the next of the rows at a spot", () => {
  assert.equal(nextOf([4, 5, 6], -1), 4);
  assert.equal(nextOf([4, 5, 6], 4), 5);
  assert.equal(nextOf([4, 5, 6], 6), 4);
  assert.equal(nextOf([], 6), null);
});

test("a figure's colour stands out from either ground by 3 to 1, and stays as it is where it does", () => {
  const read = (colour) => (colour.startsWith("#") ? channelsOf(colour) : colour.match(/\d+/g).map(Number));
  for (const colour of ["#08306b", "#e0cf3a", "#f5a3dc", "#00592e", "#737373"]) {
    assert.ok(contrast(read(legible(colour, false)), [255, 255, 255]) >= 3, colour);
    assert.ok(contrast(read(legible(colour, true)), [27, 27, 29]) >= 3, colour);
  }
  assert.equal(legible("#08306b", false), "rgb(8, 48, 107)");
  assert.notEqual(legible("#08306b", true), "rgb(8, 48, 107)");
});

test("every shape but the circle has corners and is drawn through them", () => {
  for (const marker of ["o", ...Object.keys(MARK_CORNERS)]) {
    const calls = [];
    const context = new Proxy({}, { get: (_, name) => () => calls.push(name) });
    traceMark(context, marker, 0, 0, 5);
    if (marker === "o") assert.deepEqual(calls, ["beginPath", "arc"]);
    else assert.equal(calls.length, MARK_CORNERS[marker].length + 2);
  }
});

test("marks lie over each other as pictures do, and nothing is drawn beyond the layer", () => {
  const layer = new PixelLayer(4, 2);
  const red = { data: Uint8ClampedArray.of(255, 0, 0, 255), side: 1 };
  const blue = { data: Uint8ClampedArray.of(0, 0, 255, 255), side: 1 };
  layer.add(red, 1.5, 0.5, 0.5);
  layer.add(red, 2.5, 1.5, 1);
  layer.add(blue, 2.5, 1.5, 0.5);
  for (const [x, y] of [[-0.6, 0.5], [4.6, 0.5], [0.5, -0.6], [0.5, 2.6]]) layer.add(blue, x, y, 1);
  const pixels = layer.pixels();
  const at = (x, y) => [...pixels.slice(4 * (4 * y + x), 4 * (4 * y + x) + 4)];
  assert.deepEqual(at(1, 0), [255, 0, 0, 128]);
  assert.deepEqual(at(2, 1), [128, 0, 128, 255]);
  assert.equal(pixels.filter((value) => value > 0).length, 2 + 3);
  const large = { data: new Uint8ClampedArray(36).fill(200), side: 3 };
  const corner = new PixelLayer(4, 2);
  corner.add(large, 0.5, 0.5, 1);
  assert.equal(corner.pixels().filter((value) => value > 0).length, 4 * 4);
});
