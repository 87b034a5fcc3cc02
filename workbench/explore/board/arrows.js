// Arrows over a board. Their bodies let the pointer through, so that pieces beneath can be dragged.
// Hooks: data-role="arrow" (with data-from, data-to, data-look).

import { svgElement } from "../page/svg.js";
import { placeOf } from "./board_model.js";

const SQUARE_UNITS = 45;

/**
 * @typedef {Object} Arrow
 * @property {string} from @property {string} to Squares.
 * @property {string} look "true", "predicted" or "shared".
 */

/**
 * Return shaft and head of an arrow between the centres of two squares.
 * @param {string} from @param {string} to @param {boolean} flipped
 * @param {number} [head] Length of the head in units; a square has 45.
 * @returns {{shaft: number[], head: number[][]}} [x1, y1, x2, y2] and the corners of the head.
 */
export function arrowShape(from, to, flipped, head = 13) {
  const [start, end] = [from, to].map((square) =>
    placeOf(square, flipped).map((place) => (place + 0.5) * SQUARE_UNITS),
  );
  const [dx, dy] = [end[0] - start[0], end[1] - start[1]];
  const length = Math.hypot(dx, dy) || 1;
  const [ux, uy] = [dx / length, dy / length];
  const along = (distance, aside = 0) => [
    round(start[0] + ux * distance - uy * aside),
    round(start[1] + uy * distance + ux * aside),
  ];
  const tip = length - 4;
  const neck = Math.max(0, tip - head);
  return {
    shaft: [...along(Math.min(12, neck)), ...along(neck)],
    head: [along(tip), along(neck, head * 0.45), along(neck, -head * 0.45)],
  };
}

/** Keep one arrow of those with the same squares and look, as the four promotions have. */
export function distinctArrows(arrows) {
  const seen = new Map();
  for (const arrow of arrows) seen.set(`${arrow.look} ${arrow.from}${arrow.to}`, arrow);
  return [...seen.values()];
}

/** Draw one arrow. @param {Arrow} arrow @param {boolean} flipped @returns {SVGElement} */
export function arrowElement({ from, to, look }, flipped) {
  const { shaft, head } = arrowShape(from, to, flipped, look === "shared" ? 10 : 13);
  const [x1, y1, x2, y2] = shaft;
  return svgElement("g", {
    class: `ws-arrow ws-look-${look}`, "data-role": "arrow", "data-from": from, "data-to": to, "data-look": look,
  },
  svgElement("line", { class: "ws-arrow-halo", x1, y1, x2, y2 }),
  svgElement("line", { class: "ws-arrow-shaft", x1, y1, x2, y2 }),
  svgElement("polygon", { class: "ws-arrow-head", points: head.map((corner) => corner.join(",")).join(" ") }));
}

function round(value) {
  return Math.round(value * 100) / 100;
}
