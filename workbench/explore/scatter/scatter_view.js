// The scatter of one metric against another on a canvas: a mark for each row, or counts in cells where
// there are many; tells what lies under the pointer, and turns a drag into ranges. The table beside it
// holds the same rows for those who do not see it.

import { htmlElement } from "../page/svg.js";
import { spelledCount } from "../page/spelled_count.js";
import {
  MOST_MARKS, cellAt, densityCells, densityShare, keyCounts, marksInWords, rampColour,
} from "./scatter_density.js";
import { channelsOf, legible, luminance, traceMark } from "./mark_shapes.js";
import {
  brushedRanges, gatherSpots, markRadius, nextOf, plotAxis, plotFrame, spotPixel, spotsNear, ticksBetween,
  toPixel,
} from "./scatter_points.js";

const DRAG_THRESHOLD = 4;
const RAMP_STOPS = 4;
const EVERYTHING = { across: [null, null], up: [null, null] };

export class ScatterView {
  /**
   * @param {{onOpen: (row: number) => void,
   *   onBrush: (ranges: {across: Array, up: Array}) => void}} listeners
   */
  constructor(listeners) {
    this.listeners = listeners;
    this.content = null;
    this.spots = [];
    this.density = null;
    this.chosen = null;
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
    this.key = htmlElement("p", { class: "rb-key ws-quiet", "data-role": "scatter-key" });
    this.left = htmlElement("p", { class: "ws-quiet", "data-role": "scatter-left" });
    this.whole = htmlElement("button", {
      type: "button", "data-role": "scatter-whole", hidden: true, text: "Show the whole plot",
      onclick: () => listeners.onBrush(EVERYTHING),
    });
    this.root = htmlElement("div", { class: "rb-scatter" }, this.surface, this.key, this.legend, this.left, this.whole);
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
   * @param {{rows: number[], across: Object, up: Object, marks: Object,
   *   ranges: {across: Array, up: Array}, nameOf: (row: number) => string}} content Columns of the
   *   whole run as row_values.js reads them: only the ranges move the axes.
   */
  show(content) {
    this.content = content;
    const { rows, across, up, marks, ranges } = content;
    this.axes = { across: plotAxis(across, ranges.across), up: plotAxis(up, ranges.up) };
    const gathered = gatherSpots(rows, across.values, up.values, marks.codes);
    this.spots = gathered.spots;
    const drawn = rows.length - gathered.left;
    this.dense = drawn > MOST_MARKS;
    if (!this.spots.some(({ code }) => code === this.chosen)) this.chosen = null;
    this.whole.hidden = [...ranges.across, ...ranges.up].every((end) => end === null);
    this.canvas.dataset.points = String(drawn);
    this.canvas.dataset.drawn = this.dense ? "density" : "marks";
    this.canvas.setAttribute(
      "aria-label",
      `Scatter of ${across.label} against ${up.label}, ${spelledCount(drawn)} rows, ` +
        `${this.dense ? "counted in cells" : `marked by ${marks.label}`}. The table contains the same rows.`,
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
    const at = this.dense ? toPixel(this.frame, spot.across, spot.up) : spotPixel(this.frame, spot);
    return { x: box.left + at.x, y: box.top + at.y };
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
    const ratio = window.devicePixelRatio || 1;
    this.canvas.width = Math.round(width * ratio);
    this.canvas.height = Math.round(height * ratio);
    this.canvas.style.height = `${height}px`;
    this.frame = plotFrame(width, height, this.axes);
    const context = this.canvas.getContext("2d");
    context.scale(ratio, ratio);
    context.clearRect(0, 0, width, height);
    const look = this.readLook();
    this.drawAxes(context, look);
    this.density = this.dense ? densityCells(this.spots, this.frame, this.chosen) : null;
    if (this.dense) this.drawCells(context, look);
    else for (const spot of this.spots) this.drawSpot(context, spot, look);
    this.drawKey(look);
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
      dark: luminance(channelsOf(named("--rb-ramp-0"))) < luminance(channelsOf(named(`--rb-ramp-${RAMP_STOPS - 1}`))),
      ramp: Array.from({ length: RAMP_STOPS }, (_, index) => named(`--rb-ramp-${index}`)),
      others: named("--rb-others"),
    };
  }

  drawAxes(context, look) {
    const { left, top, width, height, axes } = this.frame;
    const ticksOf = ({ low, high, whole }, count) => ticksBetween([low, high], count, whole ? 1 : 0.001);
    context.font = look.font;
    context.lineWidth = 1;
    context.strokeStyle = look.rule;
    context.fillStyle = look.text;
    context.textAlign = "right";
    context.textBaseline = "middle";
    for (const tick of ticksOf(axes.up, 5)) {
      const { y } = toPixel(this.frame, axes.across.low, tick);
      canvasLine(context, left, y, left + width, y);
      context.fillText(String(tick), left - 8, y);
    }
    context.textAlign = "center";
    context.textBaseline = "top";
    for (const tick of ticksOf(axes.across, width / 60)) {
      const { x } = toPixel(this.frame, tick, axes.up.low);
      canvasLine(context, x, top + height, x, top + height + 4);
      context.fillText(String(tick), x, top + height + 7);
    }
    context.fillText(this.content.across.label, left + width / 2, top + height + 24);
    context.save();
    context.translate(4, top + height / 2);
    context.rotate(-Math.PI / 2);
    context.fillText(this.content.up.label, 0, 0);
    context.restore();
  }

  drawCells(context, look) {
    const { cells, most } = this.density;
    for (const { x, y, width, height, count } of cells.values()) {
      context.fillStyle = count ? rampColour(look.ramp, densityShare(count, most)) : look.others;
      context.fillRect(x, y, Math.max(1, width - 0.5), height - 0.5);
    }
  }

  drawSpot(context, spot, look) {
    const { x, y } = spotPixel(this.frame, spot);
    context.globalAlpha = this.chosen === null || this.chosen === spot.code ? 0.85 : 0.15;
    this.drawMark(context, this.content.marks.looks[spot.code], x, y, markRadius(spot.rows.length), look);
    context.globalAlpha = 1;
  }

  drawMark(context, mark, x, y, radius, look) {
    const colour = mark ? legible(mark.colour, look.dark) : look.text;
    traceMark(context, mark?.marker, x, y, radius);
    context.fillStyle = mark?.filled ? colour : look.background;
    context.fill();
    context.lineWidth = 1.5;
    context.strokeStyle = colour;
    context.stroke();
  }

  /** The key of the colours; without cells there is none. */
  drawKey(look) {
    this.key.hidden = !this.dense;
    if (!this.dense) return;
    const { most } = this.density;
    const swatch = (count) => htmlElement("span", { class: "rb-key-entry" },
      htmlElement("span", { class: "rb-swatch", style: `background: ${rampColour(look.ramp, densityShare(count, most))}` }),
      spelledCount(count));
    this.key.replaceChildren("Rows in a cell (logarithmic):", ...keyCounts(most).map(swatch));
  }

  drawRing(context, spot, look) {
    const { x, y } = this.dense ? toPixel(this.frame, spot.across, spot.up) : spotPixel(this.frame, spot);
    const radius = this.dense ? 9 : markRadius(spot.rows.length) + 5;
    for (const [width, colour] of [[5, look.background], [2, look.text]]) {
      context.lineWidth = width;
      context.strokeStyle = colour;
      context.beginPath();
      context.arc(x, y, radius, 0, 2 * Math.PI);
      context.stroke();
    }
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

  /** A button that shows one mark among the others; pressed again, all alike. */
  legendEntry(code, name) {
    const swatch = htmlElement("canvas", { width: 32, height: 32, "aria-hidden": "true" });
    const button = htmlElement(
      "button", {
        type: "button", class: "rb-legend-entry", "data-role": "legend-entry", "aria-pressed": String(code === this.chosen),
        onclick: () => this.choose(code),
      }, swatch, htmlElement("span", { text: name }),
    );
    button.dataset.code = String(code);
    requestAnimationFrame(() => this.drawMark(swatch.getContext("2d"), this.content.marks.looks[code], 16, 16, 9, this.readLook()));
    return htmlElement("li", {}, button);
  }

  choose(code) {
    this.chosen = this.chosen === code ? null : code;
    for (const button of this.legend.querySelectorAll("button")) {
      button.setAttribute("aria-pressed", String(Number(button.dataset.code) === this.chosen));
    }
    this.drawSoon();
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
      this.point(this.spotsAt(at, event), at);
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
      this.listeners.onBrush(brushedRanges(this.frame, drag.from, drag.to, this.content.ranges));
      return;
    }
    const at = this.place(event);
    const nearest = this.spotsAt(at, event).flatMap((spot) => spot.rows);
    const row = nextOf(nearest, this.opened);
    if (row !== null) this.listeners.onOpen(row);
  }

  /** The spots that a pointer is on, nearest first: those of a cell, or the marks in reach. */
  spotsAt({ x, y }, { pointerType }) {
    if (!this.frame) return [];
    const reach = pointerType === "touch" ? 22 : 9;
    if (!this.dense) return spotsNear(this.spots, this.frame, x, y, reach);
    const cell = this.density && cellAt(this.density, x, y);
    if (!cell) return [];
    return spotsNear(cell.spots.map((spot) => ({ ...spot, right: 0, down: 0 })), this.frame, x, y, Infinity);
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
    const { across, up, marks, nameOf } = this.content;
    const more = rows.length > 1 ? "; each click opens the next" : "";
    const [spot] = spots;
    this.label.textContent = this.dense && rows.length > 1
      ? `${spelledCount(rows.length)} rows: ${marksInWords(spots, marks.levels)}${more}`
      : `${nameOf(rows[0])}: ${across.label} ${spot.across.toFixed(across.digits)}, ${up.label} ${spot.up.toFixed(up.digits)}` +
        (rows.length > 1 ? `; ${spelledCount(rows.length)} rows here${more}` : "");
    const room = this.surface.clientWidth - this.label.offsetWidth;
    this.label.style.left = `${Math.max(0, Math.min(at.x + 12, room))}px`;
    this.label.style.top = `${at.y + (at.y > this.surface.clientHeight - 80 ? -this.label.offsetHeight - 10 : 14)}px`;
  }
}

function canvasLine(context, x1, y1, x2, y2) {
  context.beginPath();
  context.moveTo(x1, y1);
  context.lineTo(x2, y2);
  context.stroke();
}
