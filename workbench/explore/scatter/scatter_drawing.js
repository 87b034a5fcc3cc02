// What the scatter's canvas shows: axes with names, and a mark for each row.

import { traceMark } from "./mark_shapes.js";
import { markSize, ticksBetween, toPixel } from "./scatter_points.js";

/** Empty a canvas and fit it to the screen's pixels. */
export function cleared(canvas, width, height) {
  const ratio = window.devicePixelRatio || 1;
  canvas.width = Math.round(width * ratio);
  canvas.height = Math.round(height * ratio);
  canvas.style.width = `${width}px`;
  canvas.style.height = `${height}px`;
  const context = canvas.getContext("2d");
  context.scale(ratio, ratio);
  return context;
}

/** One mark as pixels of the screen. @returns {{data: Uint8ClampedArray, side: number}} */
function stampOf(mark, { radius, plain }, look) {
  const half = Math.ceil(1.5 * radius) + 1;
  const context = cleared(document.createElement("canvas"), 2 * half, 2 * half);
  const colour = mark ? mark[look.dark ? "dark" : "light"] : look.text;
  traceMark(context, mark?.marker, half, half, radius);
  context.fillStyle = plain || mark?.filled ? colour : look.background;
  context.fill();
  context.lineWidth = plain ? 0.5 : 1.5;
  context.strokeStyle = colour;
  context.stroke();
  const side = context.canvas.width;
  return { data: context.getImageData(0, 0, side, side).data, side };
}

/**
 * Pixels on which many marks lie over each other. A canvas takes about five times as long to copy 27,900
 * small pictures.
 */
export class PixelLayer {
  /** @param {number} width @param {number} height */
  constructor(width, height) {
    Object.assign(this, { width, height });
    // Red, green, blue, each times the opacity, and the opacity.
    this.values = new Float32Array(4 * width * height);
  }

  /** @param {{data: Uint8ClampedArray, side: number}} stamp @param {number} x @param {number} y Its middle. @param {number} opacity */
  add({ data, side }, x, y, opacity) {
    const { values, width, height } = this;
    const [left, top] = [Math.round(x - side / 2), Math.round(y - side / 2)];
    for (let at = 0; at < data.length; at += 4) {
      const share = (data[at + 3] / 255) * opacity;
      const across = left + ((at / 4) % side);
      const down = top + Math.floor(at / 4 / side);
      if (share === 0 || across < 0 || down < 0 || across >= width || down >= height) continue;
      const to = 4 * (down * width + across);
      for (let part = 0; part < 3; part += 1) values[to + part] = values[to + part] * (1 - share) + data[at + part] * share;
      values[to + 3] = values[to + 3] * (1 - share) + share;
    }
  }

  /** @returns {Uint8ClampedArray} As ImageData takes them. */
  pixels() {
    const { values } = this;
    const pixels = new Uint8ClampedArray(values.length);
    for (let at = 0; at < values.length; at += 4) {
      const opacity = values[at + 3];
      if (opacity === 0) continue;
      for (let part = 0; part < 3; part += 1) pixels[at + part] = values[at + part] / opacity;
      pixels[at + 3] = 255 * opacity;
    }
    return pixels;
  }
}

/** Draw the axes of two columns. */
export function drawAxes(context, look, frame, { across, up }) {
  const { left, top, width, height, axes } = frame;
  const ticksOf = ({ low, high, whole }, count) => ticksBetween([low, high], count, whole ? 1 : 0.001);
  context.font = look.font;
  context.lineWidth = 1;
  context.strokeStyle = look.rule;
  context.fillStyle = look.text;
  context.textAlign = "right";
  context.textBaseline = "middle";
  for (const tick of ticksOf(axes.up, 5)) {
    const { y } = toPixel(frame, axes.across.low, tick);
    canvasLine(context, left, y, left + width, y);
    context.fillText(String(tick), left - 8, y);
  }
  context.textAlign = "center";
  context.textBaseline = "top";
  for (const tick of ticksOf(axes.across, width / 60)) {
    const { x } = toPixel(frame, tick, axes.up.low);
    canvasLine(context, x, top + height, x, top + height + 4);
    context.fillText(String(tick), x, top + height + 7);
  }
  axisName(context, across.label, left + width / 2, top + height + 24);
  context.save();
  context.translate(4, top + height / 2);
  context.rotate(-Math.PI / 2);
  axisName(context, up.label, 0, 0);
  context.restore();
}

/**
 * Draw every row that is in view; each look is drawn once and copied.
 * @param {CanvasRenderingContext2D} context @param {Object} look Of the page.
 * @param {import("./scatter_points.js").Points} points @param {Object} frame @param {Object} marks Their column.
 * @returns {number} How many are in view.
 */
export function drawMarks(context, look, points, frame, { codes, looks }) {
  const { rows, xs, ys } = points;
  const { left, top, width, height } = frame;
  const inView = (index) => xs[index] >= left - 6 && xs[index] <= left + width + 6 && ys[index] >= top - 6 && ys[index] <= top + height + 6;
  let count = 0;
  for (let index = 0; index < rows.length; index += 1) count += inView(index);
  const size = markSize(count);
  const stamps = new Map();
  const { canvas } = context;
  const ratio = window.devicePixelRatio || 1;
  const layer = new PixelLayer(canvas.width, canvas.height);
  for (let index = 0; index < rows.length; index += 1) {
    if (!inView(index)) continue;
    const code = codes[rows[index]];
    if (!stamps.has(code)) stamps.set(code, stampOf(looks[code], size, look));
    layer.add(stamps.get(code), xs[index] * ratio, ys[index] * ratio, size.opacity);
  }
  const sheet = document.createElement("canvas");
  Object.assign(sheet, { width: canvas.width, height: canvas.height });
  sheet.getContext("2d").putImageData(new ImageData(layer.pixels(), sheet.width), 0, 0);
  context.drawImage(sheet, 0, 0, canvas.width / ratio, canvas.height / ratio);
  return count;
}

/** Write the name of an axis, its depth as a subscript. */
function axisName(context, label, x, y) {
  const [, before = label, depth = "", after = ""] = label.match(/^(.*\b[prF])_(\d+)(.*)$/) ?? [];
  const { font } = context;
  const small = font.replace("11px", "8px");
  const width = context.measureText(before + after).width;
  context.font = small;
  const whole = width + context.measureText(depth).width;
  context.font = font;
  context.textAlign = "left";
  const start = x - whole / 2;
  context.fillText(before, start, y);
  const middle = start + context.measureText(before).width;
  context.fillText(after, start + whole - context.measureText(after).width, y);
  context.font = small;
  context.fillText(depth, middle, y + 5);
  context.font = font;
}

function canvasLine(context, x1, y1, x2, y2) {
  context.beginPath();
  context.moveTo(x1, y1);
  context.lineTo(x2, y2);
  context.stroke();
}
