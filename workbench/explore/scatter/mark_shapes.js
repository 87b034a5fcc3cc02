// The marks of the scatter: outlines by matplotlib's letters, and colours that stand out from their
// ground.

import { svgElement } from "../page/svg.js";

const ARM = 0.36;
const END = 1.15;
const PLUS = [
  [-ARM, -END], [ARM, -END], [ARM, -ARM], [END, -ARM], [END, ARM], [ARM, ARM],
  [ARM, END], [-ARM, END], [-ARM, ARM], [-END, ARM], [-END, -ARM], [-ARM, -ARM],
];

/** Corners of a regular polygon or star around (0, 0), the first at the top. */
function aroundCentre(count, radiusOf) {
  return Array.from({ length: count }, (_, index) => {
    const angle = (2 * Math.PI * index) / count - Math.PI / 2;
    return [radiusOf(index) * Math.cos(angle), radiusOf(index) * Math.sin(angle)];
  });
}

/** Corners around (0, 0) of about the area of a circle; "o" is the circle itself. */
export const MARK_CORNERS = {
  s: [[-0.9, -0.9], [0.9, -0.9], [0.9, 0.9], [-0.9, 0.9]],
  "^": [[0, -1.25], [1.15, 0.85], [-1.15, 0.85]],
  v: [[0, 1.25], [1.15, -0.85], [-1.15, -0.85]],
  "<": [[-1.25, 0], [0.85, -1.15], [0.85, 1.15]],
  ">": [[1.25, 0], [-0.85, -1.15], [-0.85, 1.15]],
  D: [[0, -1.35], [1.1, 0], [0, 1.35], [-1.1, 0]],
  P: PLUS,
  X: PLUS.map(([x, y]) => [Math.SQRT1_2 * (x - y), Math.SQRT1_2 * (x + y)]),
  p: aroundCentre(5, () => 1.15),
  h: aroundCentre(6, () => 1.1),
  "*": aroundCentre(10, (index) => (index % 2 ? 0.55 : 1.35)),
};

/**
 * Draw the outline of a mark.
 * @param {CanvasRenderingContext2D} context
 * @param {string} marker matplotlib's letter; a circle if it is none of MARK_CORNERS.
 * @param {number} x @param {number} y @param {number} radius
 */
export function traceMark(context, marker, x, y, radius) {
  context.beginPath();
  const corners = MARK_CORNERS[marker];
  if (!corners) {
    context.arc(x, y, radius, 0, 2 * Math.PI);
    return;
  }
  corners.forEach(([right, down], index) => {
    const act = index === 0 ? "moveTo" : "lineTo";
    context[act](x + right * radius, y + down * radius);
  });
  context.closePath();
}

/** The colour of a look on a light and on a dark page, as custom properties. @param {{light: string, dark: string}} look */
export function colourStyle(look) {
  return `--rb-light: ${look.light}; --rb-dark: ${look.dark}`;
}

/**
 * A mark beside a name, in the colour of the page's theme.
 * @param {{marker: string, filled: boolean, light: string, dark: string}|undefined} look Nothing is drawn without one.
 * @returns {SVGElement}
 */
export function markElement(look) {
  const picture = svgElement("svg", { class: "rb-mark", viewBox: "-8 -8 16 16", width: 16, height: 16, "aria-hidden": "true" });
  if (!look) return picture;
  const attributes = { class: look.filled ? "rb-mark-full" : "rb-mark-empty", style: colourStyle(look) };
  const corners = MARK_CORNERS[look.marker];
  picture.append(corners
    ? svgElement("polygon", { ...attributes, points: corners.map(([x, y]) => `${(4.6 * x).toFixed(2)},${(4.6 * y).toFixed(2)}`).join(" ") })
    : svgElement("circle", { ...attributes, r: 4.6 }));
  return picture;
}

/** @param {string} colour Such as "#0b5fa5". @returns {number[]} Red, green, blue from 0 to 255. */
export function channelsOf(colour) {
  return [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16));
}

/** @param {number[]} channels @returns {number} WCAG's relative luminance. */
export function luminance(channels) {
  const [red, green, blue] = channels.map((value) => {
    const share = value / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/** @param {number[]} one @param {number[]} other @returns {number} WCAG's contrast, from 1 to 21. */
export function contrast(one, other) {
  const [low, high] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (high + 0.05) / (low + 0.05);
}

/**
 * A colour of a figure, which is on white, as it is seen on another ground: mixed with black or white
 * until it stands out by 3 to 1.
 * @param {string} colour Such as "#e0cf3a". @param {boolean} dark Whether the ground is.
 * @returns {string}
 */
export function legible(colour, dark) {
  const ground = dark ? [27, 27, 29] : [255, 255, 255];
  const far = dark ? 255 : 0;
  const start = channelsOf(colour);
  for (let share = 0; share < 1; share += 0.05) {
    const mixed = start.map((value) => Math.round(value + share * (far - value)));
    if (contrast(mixed, ground) >= 3.05) return `rgb(${mixed.join(", ")})`;
  }
  return dark ? "#ffffff" : "#000000";
}
