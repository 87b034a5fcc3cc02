// The scatter of edit distance against p_m on a canvas: draws, tells the spot under the pointer, and
// turns a drag into ranges. The table beside it holds the same rows for those who do not see it.

import { htmlElement } from "../page/svg.js";
import { spelledCount } from "./row_values.js";
import {
  MARK_COLOURS, brushedRanges, gatherSpots, markRadius, nextOf, plotFrame, distanceTicks, spotsNear,
  toPixel, traceMark,
} from "./scatter_points.js";

const SCATTER_HEIGHT = 330;
const DRAG_THRESHOLD = 4;

export class ScatterView {
  /**
   * @param {{onOpen: (row: number) => void,
   *   onBrush: (ranges: {distance: Array, precision: Array}) => void}} listeners
   */
  constructor(listeners) {
    this.listeners = listeners;
    this.content = null;
    this.spots = [];
    this.opened = -1;
    this.drag = null;
    this.waiting = 0;
    this.canvas = htmlElement("canvas", { "data-role": "scatter", role: "img" });
    this.label = htmlElement("div", { class: "rb-point-label", "data-role": "point-label", hidden: true });
    this.surface = htmlElement(
      "div", { class: "rb-surface", "data-role": "scatter-surface" }, this.canvas, this.label,
    );
    this.surface.pointAt = (row) => this.pointAt(row);
    this.legend = htmlElement("ul", { class: "rb-legend", "data-role": "legend" });
    this.left = htmlElement("p", { class: "ws-quiet", "data-role": "scatter-left" });
    this.root = htmlElement("div", { class: "rb-scatter" }, this.surface, this.legend, this.left);
    this.surface.addEventListener("pointerdown", (event) => this.press(event));
    this.surface.addEventListener("pointermove", (event) => this.move(event));
    this.surface.addEventListener("pointerup", (event) => this.release(event));
    this.surface.addEventListener("pointercancel", () => this.cancel());
    this.surface.addEventListener("pointerleave", () => this.point([]));
    this.resized = new ResizeObserver(() => this.drawSoon());
    this.resized.observe(this.surface);
    this.themed = new MutationObserver(() => {
      if (this.content) this.drawLegend();
      this.drawSoon();
    });
    const attributeFilter = ["data-jp-theme-light", "data-jp-theme-name", "class", "data-theme"];
    this.themed.observe(document.body, { attributes: true, attributeFilter });
  }

  dispose() {
    cancelAnimationFrame(this.waiting);
    this.resized.disconnect();
    this.themed.disconnect();
  }

  /**
   * Show other rows.
   * @param {{rows: number[], distances: Object, precisions: Object, marks: Object, highest: number,
   *   nameOf: (row: number) => string}} content Columns as run_rows.js reads them; highest: the
   *   largest edit distance of the whole run, so that a filter does not move the axes.
   */
  show(content) {
    this.content = content;
    const { rows, distances, precisions, marks } = content;
    const gathered = gatherSpots(rows, distances.values, precisions.values, marks.codes);
    this.spots = gathered.spots;
    const drawn = rows.length - gathered.left;
    this.canvas.dataset.points = String(drawn);
    this.canvas.setAttribute(
      "aria-label",
      `Scatter of ${distances.label} against ${precisions.label}, ${spelledCount(drawn)} rows, marked ` +
        `by ${marks.label}. The table contains the same rows.`,
    );
    this.left.textContent = gathered.left
      ? `${spelledCount(gathered.left)} of the rows shown have no mark and are only in the table.`
      : "";
    this.drawLegend();
    this.drawSoon();
  }

  /** @param {number} row The row of the open pair, or -1. */
  markOpened(row) {
    if (row === this.opened) return;
    this.opened = row;
    this.drawSoon();
  }

  /** @param {number} row @returns {{x: number, y: number}|null} Where a row lies, in client pixels. */
  pointAt(row) {
    const spot = this.spots.find((each) => each.rows.includes(row));
    if (!spot) return null;
    if (this.waiting) this.draw();
    const box = this.canvas.getBoundingClientRect();
    const at = toPixel(this.frame, spot.distance, spot.precision);
    return { x: box.left + at.x, y: box.top + at.y };
  }

  /** All changes before the next frame are drawn once. */
  drawSoon() {
    this.waiting ||= requestAnimationFrame(() => this.draw());
  }

  draw() {
    cancelAnimationFrame(this.waiting);
    this.waiting = 0;
    const width = this.surface.clientWidth;
    if (!this.content || width === 0) return;
    const ratio = window.devicePixelRatio || 1;
    this.canvas.width = Math.round(width * ratio);
    this.canvas.height = Math.round(SCATTER_HEIGHT * ratio);
    this.canvas.style.height = `${SCATTER_HEIGHT}px`;
    this.frame = plotFrame(width, SCATTER_HEIGHT, this.content.highest);
    const context = this.canvas.getContext("2d");
    context.scale(ratio, ratio);
    context.clearRect(0, 0, width, SCATTER_HEIGHT);
    const look = this.readLook();
    this.drawAxes(context, look);
    for (const spot of this.spots) this.drawSpot(context, spot, look);
    const opened = this.spots.find((each) => each.rows.includes(this.opened));
    if (opened) this.drawRing(context, opened, look);
    if (this.drag?.to) this.drawBrush(context, look);
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
      marks: Array.from({ length: MARK_COLOURS }, (_, code) => named(`--rb-mark-${code}`)),
    };
  }

  drawAxes(context, look) {
    const { left, top, width, height, highest } = this.frame;
    context.font = look.font;
    context.lineWidth = 1;
    context.strokeStyle = look.rule;
    context.fillStyle = look.text;
    context.textAlign = "right";
    context.textBaseline = "middle";
    for (const tick of [0, 0.2, 0.4, 0.6, 0.8, 1]) {
      const { y } = toPixel(this.frame, 0, tick);
      canvasLine(context, left, y, left + width, y);
      context.fillText(tick.toFixed(1), left - 8, y);
    }
    context.textAlign = "center";
    context.textBaseline = "top";
    for (const tick of distanceTicks(highest, width / 60)) {
      const { x } = toPixel(this.frame, tick, 0);
      canvasLine(context, x, top + height, x, top + height + 4);
      context.fillText(String(tick), x, top + height + 7);
    }
    context.fillText(this.content.distances.label, left + width / 2, top + height + 24);
    context.save();
    context.translate(4, top + height / 2);
    context.rotate(-Math.PI / 2);
    context.fillText(this.content.precisions.label, 0, 0);
    context.restore();
  }

  drawSpot(context, spot, look) {
    const { x, y } = toPixel(this.frame, spot.distance, spot.precision);
    traceMark(context, spot.code, x, y, markRadius(spot.rows.length));
    context.globalAlpha = 0.75;
    context.fillStyle = look.marks[Math.max(0, spot.code) % MARK_COLOURS];
    context.fill();
    context.globalAlpha = 1;
    context.lineWidth = 0.7;
    context.strokeStyle = look.background;
    context.stroke();
  }

  drawRing(context, spot, look) {
    const { x, y } = toPixel(this.frame, spot.distance, spot.precision);
    context.lineWidth = 2;
    context.strokeStyle = look.text;
    context.beginPath();
    context.arc(x, y, markRadius(spot.rows.length) + 5, 0, 2 * Math.PI);
    context.stroke();
  }

  drawBrush(context, look) {
    const { from, to } = this.drag;
    const box = [Math.min(from.x, to.x), Math.min(from.y, to.y), Math.abs(from.x - to.x), Math.abs(from.y - to.y)];
    context.globalAlpha = 0.12;
    context.fillStyle = look.accent;
    context.fillRect(...box);
    context.globalAlpha = 1;
    context.lineWidth = 1;
    context.strokeStyle = look.accent;
    context.strokeRect(...box);
  }

  drawLegend() {
    const { rows, marks } = this.content;
    const present = new Set();
    for (const row of rows) present.add(marks.codes[row]);
    const entries = [...present].filter((code) => code >= 0).sort((one, other) => one - other);
    this.legend.replaceChildren(
      htmlElement("li", { class: "ws-quiet", text: `${marks.label}:` }),
      ...entries.map((code) => this.legendEntry(code, marks.levels[code])),
    );
  }

  legendEntry(code, name) {
    const swatch = htmlElement("canvas", { width: 32, height: 32, "aria-hidden": "true" });
    const entry = htmlElement("li", {}, swatch, htmlElement("span", { text: name }));
    requestAnimationFrame(() => {
      const context = swatch.getContext("2d");
      traceMark(context, code, 16, 16, 9);
      context.fillStyle = this.readLook().marks[code % MARK_COLOURS];
      context.fill();
    });
    return entry;
  }

  place(event) {
    const box = this.canvas.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  }

  press(event) {
    if (event.button !== 0 || !this.content) return;
    this.surface.setPointerCapture(event.pointerId);
    this.drag = { from: this.place(event), to: null };
  }

  move(event) {
    if (!this.content) return;
    const at = this.place(event);
    if (!this.drag) {
      this.point(spotsNear(this.spots, this.frame, at.x, at.y), at);
      return;
    }
    const far = Math.hypot(at.x - this.drag.from.x, at.y - this.drag.from.y) >= DRAG_THRESHOLD;
    if (far || this.drag.to) {
      this.drag.to = at;
      this.point([]);
      this.drawSoon();
    }
  }

  release(event) {
    const drag = this.drag;
    if (!drag) return;
    this.drag = null;
    if (drag.to) {
      this.drawSoon();
      this.listeners.onBrush(brushedRanges(this.frame, drag.from, drag.to));
      return;
    }
    const at = this.place(event);
    const nearest = spotsNear(this.spots, this.frame, at.x, at.y).flatMap((spot) => spot.rows);
    const row = nextOf(nearest, this.opened);
    if (row !== null) this.listeners.onOpen(row);
  }

  cancel() {
    this.drag = null;
    this.drawSoon();
  }

  /** Describe the marks under the pointer. */
  point(spots, at = { x: 0, y: 0 }) {
    this.surface.classList.toggle("rb-over-point", spots.length > 0);
    this.label.hidden = spots.length === 0;
    if (spots.length === 0) return;
    const rows = spots.flatMap((spot) => spot.rows);
    const [{ distance, precision }] = spots;
    const { distances, precisions, nameOf } = this.content;
    const more = rows.length > 1 ? `; ${spelledCount(rows.length)} rows here, each click opens the next` : "";
    this.label.textContent =
      `${nameOf(rows[0])}: ${distances.label} ${distance}, ` +
      `${precisions.label} ${precision.toFixed(4)}${more}`;
    const room = this.surface.clientWidth - this.label.offsetWidth;
    this.label.style.left = `${Math.max(0, Math.min(at.x + 12, room))}px`;
    this.label.style.top = `${at.y + (at.y > SCATTER_HEIGHT - 80 ? -this.label.offsetHeight - 10 : 14)}px`;
  }
}

function canvasLine(context, x1, y1, x2, y2) {
  context.beginPath();
  context.moveTo(x1, y1);
  context.lineTo(x2, y2);
  context.stroke();
}
