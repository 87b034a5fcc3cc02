import assert from "node:assert/strict";
import { test } from "node:test";
import { arrowPath, placeAt, placeBeyond } from "../../../workbench/explore/state/picture_edits.js";

const square = (name, column, row) => ({ name, left: 40 * column, top: 40 * row, width: 40, height: 40 });
const PLACES = [square("a", 0, 0), square("b", 1, 0), square("c", 0, 1), square("d", 1, 1), square("far", 5, 1)];
const beyond = (name, direction) => placeBeyond(PLACES, PLACES.find((place) => place.name === name), direction).name;

test("arrow keys lead to the nearest place straight ahead, and stay at the edge", () => {
  assert.equal(beyond("a", [1, 0]), "b");
  assert.equal(beyond("a", [0, 1]), "c");
  assert.equal(beyond("d", [0, -1]), "b");
  assert.equal(beyond("d", [-1, 0]), "c");
  assert.equal(beyond("d", [1, 0]), "far");
  assert.equal(beyond("far", [-1, 0]), "d");
  assert.equal(beyond("a", [-1, 0]), "a");
  assert.equal(beyond("far", [0, 1]), "far");
});

test("a point is in the place that holds it, or in none", () => {
  assert.equal(placeAt(PLACES, [41, 39.9]).name, "b");
  assert.equal(placeAt(PLACES, [40, 40]).name, "d");
  assert.equal(placeAt(PLACES, [-1, 5]), null);
});

test("an arrow begins beside its first point and has its head at the second", () => {
  assert.equal(arrowPath([[0, 0], [40, 0]]), "M13.0,0.0L40.0,0.0M33.0,5.0L40.0,0.0L33.0,-5.0");
  assert.match(arrowPath([[0, 0], [0, 0]]), /^M0\.0,0\.0L0\.0,0\.0/);
});
