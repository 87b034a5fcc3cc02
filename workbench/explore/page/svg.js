// Making elements. Every text becomes a text node: nothing here reads markup, except the drawings
// of the pieces, of which only shapes and their attributes are taken.

export const SVG_NAMESPACE = "http://www.w3.org/2000/svg";

const DRAWING_ELEMENTS = new Set(["g", "path", "circle", "ellipse", "rect", "polygon", "polyline", "line"]);
const DRAWING_ATTRIBUTES = new Set([
  "d", "fill", "fill-rule", "fill-opacity", "stroke", "stroke-width", "stroke-linecap",
  "stroke-linejoin", "stroke-miterlimit", "stroke-opacity", "opacity", "transform", "points",
  "x", "y", "x1", "x2", "y1", "y2", "cx", "cy", "r", "rx", "ry", "width", "height",
]);

/**
 * Set attributes, listeners and children of an element.
 * @param {Element} target
 * @param {Object<string, unknown>} attributes A function under "onclick" listens to "click"; null,
 *   undefined and false leave an attribute out; true sets it empty; "text" is the text content.
 * @param {Array<Node|string|null|undefined>} children Strings become text nodes.
 */
function furnish(target, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (typeof value === "function") target.addEventListener(name.replace(/^on/, ""), value);
    else if (name === "text") target.textContent = String(value);
    else if (name.startsWith("on")) throw new TypeError(`${name}: expected a function, got ${value}`);
    else if (value === true) target.setAttribute(name, "");
    else target.setAttribute(name, String(value));
  }
  target.append(...children.filter((child) => child !== null && child !== undefined && child !== false));
  return target;
}

/**
 * Make an HTML element: htmlElement("button", {type: "button", onclick: act}, "Undo").
 * @param {string} name
 * @param {Object<string, unknown>} [attributes]
 * @param {...(Node|string|null|undefined|false)} children
 * @returns {HTMLElement}
 */
export function htmlElement(name, attributes = {}, ...children) {
  return furnish(document.createElement(name), attributes, children);
}

/**
 * Make an SVG element.
 * @param {string} name
 * @param {Object<string, unknown>} [attributes]
 * @param {...(Node|string|null|undefined|false)} children
 * @returns {SVGElement}
 */
export function svgElement(name, attributes = {}, ...children) {
  return furnish(document.createElementNS(SVG_NAMESPACE, name), attributes, children);
}

/** Return a text whose p_4, r_m and the like have subscripts. @param {string} text @returns {Array<string|Node>} */
export function subscripted(text) {
  return text.split(/\b([prFv]_(?:\d+|m))\b/).map((part, index) => (index % 2
    ? htmlElement("span", {}, part[0], htmlElement("sub", {}, part.slice(2))) : part));
}

/** Return a text with subscripts as letters, for where elements cannot stand. @param {string} text @returns {string} */
export function subscriptLetters(text) {
  return text.replace(/\b([prF])_(\d+)\b/g, (_whole, letter, digits) =>
    letter + [...digits].map((digit) => String.fromCharCode(0x2080 + Number(digit))).join(""));
}

/**
 * Turn the text of a drawing into an element that can be cloned; anything but shapes is left out.
 * @param {string} markup One SVG element, such as a piece of python-chess's chess.svg.PIECES.
 * @returns {SVGElement}
 */
export function drawing(markup) {
  const text = `<svg xmlns="${SVG_NAMESPACE}">${markup}</svg>`;
  const read = new DOMParser().parseFromString(text, "image/svg+xml");
  const group = svgElement("g");
  for (const child of read.documentElement.children) {
    const copy = shapesOnly(child);
    if (copy) group.append(copy);
  }
  return group;
}

/** @param {Element} source @returns {SVGElement|null} */
function shapesOnly(source) {
  if (!DRAWING_ELEMENTS.has(source.localName)) return null;
  const copy = svgElement(source.localName);
  for (const { name, value } of source.attributes) {
    if (DRAWING_ATTRIBUTES.has(name)) copy.setAttribute(name, value);
  }
  for (const [name, value] of declarations(source.getAttribute("style") ?? "")) {
    if (DRAWING_ATTRIBUTES.has(name)) copy.setAttribute(name, value);
  }
  for (const child of source.children) {
    const inner = shapesOnly(child);
    if (inner) copy.append(inner);
  }
  return copy;
}

/**
 * Split an inline style into names and values: the drawings of the knights have their colours there.
 * @param {string} style Such as "fill:#000; stroke:#000".
 * @returns {string[][]}
 */
export function declarations(style) {
  return style.split(";").map((part) => part.split(":").map((word) => word.trim())).filter((pair) => pair.length === 2 && pair[0]);
}

/**
 * Keep JupyterLab's shortcuts from an element that has got the focus; listens to a widget's focusin.
 *
 * The attribute on the widget's root does not do it alone: JupyterLab looks for the element that a
 * shortcut is for from the focused one upwards, and the selector of most, ":focus", fits there.
 * @param {FocusEvent} event
 */
export function keepShortcutsAway({ target }) {
  target.setAttribute("data-lm-suppress-shortcuts", "true");
}
