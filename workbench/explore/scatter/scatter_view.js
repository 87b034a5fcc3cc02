// The scatter of one metric against another on a canvas: a mark for each row. Tells what lies under the
// pointer, zooms, and turns a drag into a lasso. The table beside it holds the same rows, and boxes of
// ranges select them, for those who do not see it.

import { htmlElement, subscriptLetters } from "../page/svg.js";
import { spelledCount } from "../page/spelled_count.js";
import { markElement } from "./mark_shapes.js";
import { cleared, drawAxes, drawMarks } from "./scatter_drawing.js";
import {
  mixedRows, nextOf, placePoints, plotAxis, plotFrame, plottedRows, rowsInside, rowsNear, zoomedAxis,
} from "./scatter_points.js";

const DRAG_THRESHOLD = 4;
const ZOOM_STEP = 0.7;
const PAN_STEP = 0.15;
const MOST_IN_LEGEND = 6;
const REACH = { touch: 22, other: 8 };

export class ScatterView {
  /** @param {{onOpen: (row: number) => void, onLasso: (rows: number[]) => void}} listeners onLasso: none for all. */
  constructor(listeners) {
    this.listeners = listeners;
    this.content = null;
    this.points = null;
    this.every = new Int32Array(0);
    this.rows = this.every;
    this.opened = -1;
    this.drag = null;
    this.pointers = new Map();
    this.waiting = 0;
    this.canvas = htmlElement("canvas", { "data-role": "scatter", role: "img" });
    this.overlay = htmlElement("canvas", { class: "rb-overlay", "aria-hidden": "true" });
    this.label = htmlElement("div", { class: "rb-point-label", "data-role": "point-label", hidden: true });
    this.surface = htmlElement("div", {
      class: "rb-surface", "data-role": "scatter-surface", tabindex: 0, role: "group",
      "aria-label": "Scatter: plus and minus zoom, arrow keys move, 0 shows the whole plot",
    }, this.canvas, this.overlay, this.label);
    this.surface.pointAt = (row) => this.pointAt(row);
    this.legend = htmlElement("ul", { class: "rb-legend", "data-role": "legend" });
    this.left = htmlElement("p", { class: "ws-quiet", "data-role": "scatter-left" });
    this.root = htmlElement("div", { class: "rb-scatter" }, this.tools(), this.surface, this.legend, this.left);
    this.listen();
    this.resized = new ResizeObserver(() => this.drawSoon());
    this.resized.observe(this.surface);
    this.themed = new MutationObserver(() => this.drawSoon());
    const attributeFilter = ["data-jp-theme-light", "data-jp-theme-name", "class", "data-theme"];
    this.themed.observe(document.body, { attributes: true, attributeFilter });
  }

  tools() {
    const tool = (role, text, label, onclick) => htmlElement("button", { type: "button", "data-role": role, "aria-label": label, title: label, text, onclick });
    this.whole = tool("scatter-whole", "Whole plot", "Show the whole plot", () => this.zoomTo(null));
    this.unlasso = htmlElement("button", { type: "button", "data-role": "lasso-clear", hidden: true, onclick: () => this.listeners.onLasso([]) });
    return htmlElement("div", { class: "rb-tools" },
      tool("zoom-in", "+", "Zoom in", () => this.zoom(ZOOM_STEP)), tool("zoom-out", "\u2212", "Zoom out", () => this.zoom(1 / ZOOM_STEP)), this.whole,
      this.unlasso, htmlElement("span", { class: "ws-quiet", text: "Drag around marks to select them; click one to open it." }));
  }

  listen() {
    const on = (name, act, options) => this.surface.addEventListener(name, act, options);
    on("pointerdown", (event) => this.press(event));
    on("pointermove", (event) => this.move(event));
    on("pointerup", (event) => this.release(event));
    on("pointercancel", (event) => this.cancel(event));
    on("pointerleave", () => this.tell([]));
    on("keydown", (event) => this.key(event));
    on("wheel", (event) => this.wheel(event), { passive: false });
  }

  dispose() {
    cancelAnimationFrame(this.waiting);
    this.resized.disconnect();
    this.themed.disconnect();
  }

  /**
   * Show other rows.
   * @param {{rows: number[], across: Object, up: Object, marks: Object, lasso: number,
   *   ranges: {across: Array, up: Array}, nameOf: (row: number) => string}} content Columns of the
   *   whole run as row_values.js reads them: only the ranges move the axes. lasso: the rows that one holds.
   */
  show(content) {
    const { rows, across, up, marks, ranges, lasso } = content;
    const base = { across: plotAxis(across, ranges.across), up: plotAxis(up, ranges.up) };
    const moved = JSON.stringify([base, across.name, up.name]);
    if (moved !== this.moved) this.axes = base;
    Object.assign(this, { content, base, moved });
    if (this.every.length !== across.values.length) this.every = mixedRows(across.values.length);
    this.rows = plottedRows(this.every, rows, across.values, up.values);
    this.points = null;
    this.canvas.dataset.points = String(this.rows.length);
    this.canvas.setAttribute(
      "aria-label",
      `Scatter of ${across.label} against ${up.label}: ${spelledCount(this.rows.length)} rows, marked by ${marks.label}. The table contains the same rows.`,
    );
    const left = rows.length - this.rows.length;
    this.left.textContent = left ? `${spelledCount(left)} of the rows shown have no mark and are only in the table.` : "";
    this.unlasso.hidden = lasso === 0;
    this.unlasso.textContent = `\u00d7 Lasso: ${spelledCount(lasso)} ${lasso === 1 ? "row" : "rows"}`;
    this.fillLegend();
    this.drawSoon();
  }

  /** What is drawn; many models have their marks beside their names in the table of models. */
  fillLegend() {
    const { marks } = this.content;
    const present = new Set(Array.from(this.rows, (row) => marks.codes[row]));
    const codes = [...present].filter((code) => code >= 0).sort((one, other) => one - other);
    const many = marks.name === "model" && codes.length > MOST_IN_LEGEND;
    const entries = many ? [] : codes.map((code) => htmlElement("li", { "data-role": "legend-entry" },
      markElement(marks.looks[code]), htmlElement("span", { text: (marks.short ?? marks.levels)[code] })));
    const words = many ? `${codes.length} models, marked as beside their names.` : `${marks.label}:`;
    this.legend.replaceChildren(htmlElement("li", { class: "ws-quiet", text: words }), ...entries);
  }

  /** @param {number} row The row of the open pair, or -1. */
  markOpened(row) {
    this.opened = row;
    this.drawOverlay();
  }

  /** @param {number} row @returns {{x: number, y: number}|null} Where a row lies, in client pixels. */
  pointAt(row) {
    if (this.waiting) this.draw();
    const place = this.placeOf(row);
    const box = this.canvas.getBoundingClientRect();
    return place && { x: box.left + place.x, y: box.top + place.y };
  }

  placeOf(row) {
    const index = this.points?.rows.indexOf(row) ?? -1;
    return index < 0 ? null : { x: this.points.xs[index], y: this.points.ys[index] };
  }

  /** All changes before the next frame are drawn once. */
  drawSoon() {
    this.waiting ||= requestAnimationFrame(() => this.draw());
  }

  draw() {
    cancelAnimationFrame(this.waiting);
    this.waiting = 0;
    const { clientWidth: width, clientHeight: height } = this.surface;
    if (!this.content || width === 0) return;
    this.frame = plotFrame(width, height, this.axes);
    const { across, up } = this.content;
    this.points = placePoints(this.rows, across.values, up.values, this.frame);
    const look = this.readLook();
    const context = cleared(this.canvas, width, height);
    drawAxes(context, look, this.frame, this.content);
    this.canvas.dataset.drawn = String(drawMarks(context, look, this.points, this.frame, this.content.marks));
    this.whole.disabled = this.axes === this.base;
    this.drawOverlay();
  }

  readLook() {
    const style = getComputedStyle(this.surface);
    const named = (name) => style.getPropertyValue(name).trim();
    return {
      text: style.color,
      rule: named("--ws-rule"),
      accent: named("--ws-accent"),
      background: named("--ws-background"),
      font: `11px ${style.fontFamily}`,
      dark: style.colorScheme === "dark",
    };
  }

  /** The ring around the open row, and the lasso. */
  drawOverlay() {
    const { clientWidth: width, clientHeight: height } = this.surface;
    if (!this.points || width === 0) return;
    const look = this.readLook();
    const context = cleared(this.overlay, width, height);
    const at = this.placeOf(this.opened);
    for (const [line, colour] of at ? [[5, look.background], [2, look.text]] : []) {
      context.lineWidth = line;
      context.strokeStyle = colour;
      context.beginPath();
      context.arc(at.x, at.y, 9, 0, 2 * Math.PI);
      context.stroke();
    }
    if (!this.drag?.lasso) return;
    context.beginPath();
    for (const { x, y } of this.drag.lasso) context.lineTo(x, y);
    context.closePath();
    context.globalAlpha = 0.12;
    context.fillStyle = look.accent;
    context.fill();
    context.globalAlpha = 1;
    context.lineWidth = 1.5;
    context.strokeStyle = look.accent;
    context.stroke();
  }

  /** @param {{across: Object, up: Object}|null} axes Null for the whole plot. */
  zoomTo(axes) {
    this.axes = axes ?? this.base;
    this.tell([]);
    this.drawSoon();
  }

  /** @param {number} factor Below 1 to see less. @param {{x: number, y: number}} [at] What stays where it is. */
  zoom(factor, at = { x: this.frame.left + this.frame.width / 2, y: this.frame.top + this.frame.height / 2 }) {
    const { left, top, width, height } = this.frame;
    const across = zoomedAxis(this.axes.across, this.base.across, factor, (at.x - left) / width);
    const up = zoomedAxis(this.axes.up, this.base.up, factor, 1 - (at.y - top) / height);
    this.zoomTo(sameAxis(across, this.base.across) && sameAxis(up, this.base.up) ? null : { across, up });
  }

  pan(right, above) {
    const across = zoomedAxis(this.axes.across, this.base.across, 1, 0, right);
    const up = zoomedAxis(this.axes.up, this.base.up, 1, 0, above);
    if (this.axes !== this.base) this.zoomTo({ across, up });
  }

  key(event) {
    if (event.target !== this.surface || event.ctrlKey || event.metaKey || event.altKey || !this.frame) return;
    const act = {
      "+": () => this.zoom(ZOOM_STEP), "=": () => this.zoom(ZOOM_STEP), "-": () => this.zoom(1 / ZOOM_STEP), 0: () => this.zoomTo(null),
      ArrowLeft: () => this.pan(-PAN_STEP, 0), ArrowRight: () => this.pan(PAN_STEP, 0),
      ArrowDown: () => this.pan(0, -PAN_STEP), ArrowUp: () => this.pan(0, PAN_STEP),
    }[event.key];
    if (!act) return;
    event.preventDefault();
    act();
  }

  /** The wheel scrolls the page unless the plot has the focus; a pinch of a touch pad comes with Ctrl. */
  wheel(event) {
    if (!this.frame || !(event.ctrlKey || event.metaKey || document.activeElement === this.surface)) return;
    event.preventDefault();
    this.zoom(Math.exp(Math.sign(event.deltaY) * Math.min(0.3, Math.abs(event.deltaY) / 300)), this.place(event));
  }

  place(event) {
    const box = this.canvas.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  }

  press(event) {
    if (event.button !== 0 || !this.points) return;
    this.surface.setPointerCapture(event.pointerId);
    this.pointers.set(event.pointerId, this.place(event));
    // A second finger makes a pinch of what was a lasso.
    this.drag = this.pointers.size === 1 ? { from: this.place(event), lasso: null } : { pinch: this.spread() };
  }

  /** @returns {{x: number, y: number, far: number}} Between two fingers, and how far they are apart. */
  spread() {
    const [one, other] = [...this.pointers.values()];
    return { x: (one.x + other.x) / 2, y: (one.y + other.y) / 2, far: Math.max(1, Math.hypot(one.x - other.x, one.y - other.y)) };
  }

  move(event) {
    if (!this.points) return;
    const at = this.place(event);
    if (this.pointers.has(event.pointerId)) this.pointers.set(event.pointerId, at);
    if (!this.drag) this.tell(this.rowsAt(at, event), at);
    else if (this.drag.pinch) {
      if (this.pointers.size < 2) return;
      const now = this.spread();
      this.zoom(this.drag.pinch.far / now.far, now);
      this.drag.pinch = now;
    } else this.drawLasso(at);
  }

  drawLasso(at) {
    const { from, lasso } = this.drag;
    if (!lasso && Math.hypot(at.x - from.x, at.y - from.y) < DRAG_THRESHOLD) return;
    this.drag.lasso = [...(lasso ?? [from]), at];
    this.tell([]);
    this.drawOverlay();
  }

  release(event) {
    const { drag } = this;
    this.cancel(event);
    if (!drag || drag.pinch) return;
    if (drag.lasso) {
      const rows = rowsInside(this.points, drag.lasso);
      if (rows.length) this.listeners.onLasso(rows);
      else this.say("No mark inside the lasso.", this.place(event));
      return;
    }
    const row = nextOf(this.rowsAt(this.place(event), event), this.opened);
    if (row !== null) this.listeners.onOpen(row);
  }

  cancel(event) {
    this.pointers.delete(event.pointerId);
    this.drag = this.pointers.size && this.drag?.pinch ? this.drag : null;
    this.drawOverlay();
  }

  rowsAt({ x, y }, { pointerType }) {
    return this.points ? rowsNear(this.points, x, y, REACH[pointerType] ?? REACH.other) : [];
  }

  /** Describe the rows under the pointer. */
  tell(rows, at) {
    this.surface.classList.toggle("rb-over-point", rows.length > 0);
    if (rows.length === 0) {
      this.label.hidden = true;
      return;
    }
    const { across, up, nameOf } = this.content;
    const [row] = rows;
    const more = rows.length > 1 ? `; ${spelledCount(rows.length)} rows here, each click opens the next` : "";
    const values = [across, up].map(({ label, values: of, digits }) => `${subscriptLetters(label)} ${of[row].toFixed(digits)}`);
    this.say(`${nameOf(row)}: ${values.join(", ")}${more}`, at);
  }

  say(text, at) {
    this.label.textContent = text;
    this.label.hidden = false;
    const room = this.surface.clientWidth - this.label.offsetWidth;
    this.label.style.left = `${Math.max(0, Math.min(at.x + 12, room))}px`;
    this.label.style.top = `${at.y + (at.y > this.surface.clientHeight - 80 ? -this.label.offsetHeight - 10 : 14)}px`;
  }
}

function sameAxis(one, other) {
  return Math.abs(one.low - other.low) < 1e-9 && Math.abs(one.high - other.high) < 1e-9;
}
