// What lies on the picture of a state: the permitted actions, as dots and arrows, and the places at which the
// state can be edited, by dragging, by a click, and by the keyboard: arrow keys go from place to place, Enter
// takes what stands there and puts it down, and Enter twice on one place does what a click does.
// Hooks: data-role="picture-edits"; "place" (data-name, data-movable; aria-pressed while it is held),
// "action-mark" (data-action, data-shared).

import { svgElement } from "../page/svg.js";

/** Of more shared arrows, or dots, than these none is drawn until it is pointed at: they would hide the picture. */
const MOST_SHARED = { arrows: 6, dots: 24 };
/** Pixels after which a press is a drag. */
const DRAG = 5;
const DIRECTIONS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

/**
 * Return the place that an arrow key leads to: the nearest in its direction, best straight ahead.
 * @param {Object[]} places @param {Object} from @param {[number, number]} direction Right and down.
 */
export function placeBeyond(places, from, [right, down]) {
  const middle = ({ left, top, width, height }) => [left + width / 2, top + height / 2];
  const [x, y] = middle(from);
  const ways = places.map((place) => {
    const [dx, dy] = middle(place).map((at, axis) => at - [x, y][axis]);
    return { place, ahead: dx * right + dy * down, aside: Math.abs(dx * down) + Math.abs(dy * right) };
  }).filter(({ ahead }) => ahead > 0.5);
  return ways.reduce((best, way) => (!best || way.ahead + 3 * way.aside < best.ahead + 3 * best.aside ? way : best), null)?.place ?? from;
}

/** Return the place at a point of the drawing, or null. */
export function placeAt(places, [x, y]) {
  return places.find(({ left, top, width, height }) => x >= left && x < left + width && y >= top && y < top + height) ?? null;
}

/** Return the path of an arrow that begins beside its first point, with its head at the second. */
export function arrowPath([[x, y], [toX, toY]]) {
  const length = Math.hypot(toX - x, toY - y) || 1;
  const [right, down] = [(toX - x) / length, (toY - y) / length];
  const at = (ahead, aside) => `${(toX - ahead * right - aside * down).toFixed(1)},${(toY - ahead * down + aside * right).toFixed(1)}`;
  const start = Math.min(13, 0.35 * length);
  return `M${(x + start * right).toFixed(1)},${(y + start * down).toFixed(1)}L${at(0, 0)}M${at(7, 5)}L${at(0, 0)}L${at(7, -5)}`;
}

export class PictureEdits {
  /**
   * @param {Object} options
   * @param {string} options.look "true" or "predicted". @param {string} options.title What is edited.
   * @param {(source: string, target: string) => void} options.onEdit
   */
  constructor({ look, title, onEdit }) {
    Object.assign(this, { look, title, onEdit, places: [], held: null, drag: null, current: null });
    this.element = svgElement("svg", {
      class: "ws-picture-edits", role: "group", "data-role": "picture-edits",
      "aria-label": `Edit the ${title}: arrow keys go from place to place, Enter takes what is there and puts it down, Enter twice changes it`,
      onkeydown: (event) => this.key(event), onpointerdown: (event) => this.press(event),
      onpointermove: (event) => this.move(event), onpointerup: (event) => this.release(event), onpointercancel: () => this.let(),
    });
    this.marks = svgElement("g", { class: "ws-action-marks", "aria-hidden": "true" });
    this.spots = svgElement("g", {});
    this.element.append(this.marks, this.spots);
  }

  /**
   * @param {Object} side Of the answer: frame, places, points. @param {(place: Object) => string} words What is at a place.
   */
  show({ frame, places }, words) {
    const focused = this.element.contains(this.element.getRootNode().activeElement);
    Object.assign(this, { frame, places, held: null, drag: null });
    this.element.toggleAttribute("hidden", !frame);
    if (!frame) return;
    this.element.setAttribute("viewBox", frame.join(" "));
    this.current = places.find(({ name }) => name === this.current?.name) ?? places.find(({ movable }) => movable) ?? places[0] ?? null;
    this.rects = new Map(places.map((place) => [place.name, svgElement("rect", {
      class: place.movable ? "ws-place ws-movable" : "ws-place", x: place.left, y: place.top, width: place.width, height: place.height,
      role: "button", tabindex: place === this.current ? 0 : -1, "aria-label": [place.name, words(place)].filter(Boolean).join(": "),
      "data-role": "place", "data-name": place.name, "data-movable": String(place.movable),
    })]));
    this.spots.replaceChildren(...this.rects.values());
    if (focused) this.rects.get(this.current?.name)?.focus({ preventScroll: true });
  }

  /**
   * Draw the permitted actions; those that differ stand out.
   * @param {Object<string, number[][]>} points @param {Set<string>} shared @param {string|null} pointed An action.
   */
  mark(points, shared, pointed) {
    const all = Object.entries(points);
    const arrows = all.filter(([action, ends]) => shared.has(action) && ends.length > 1).length;
    const few = arrows <= MOST_SHARED.arrows && shared.size - arrows <= MOST_SHARED.dots;
    const drawn = all.filter(([action]) => (few || !shared.has(action) || action === pointed));
    this.marks.replaceChildren(...drawn.map(([action, ends]) => {
      const look = shared.has(action) ? "shared" : this.look;
      const shape = ends.length > 1 ? svgElement("path", { d: arrowPath(ends) }) : svgElement("circle", { cx: ends[0][0], cy: ends[0][1], r: 6 });
      return svgElement("g", {
        class: `ws-action-mark ws-look-${look}${action === pointed ? " ws-pointed" : ""}`,
        "data-role": "action-mark", "data-action": action, "data-shared": String(shared.has(action)),
      }, shape);
    }));
  }

  point(event) {
    const box = this.element.getBoundingClientRect();
    const [left, top, width, height] = this.frame;
    return [left + ((event.clientX - box.left) / box.width) * width, top + ((event.clientY - box.top) / box.height) * height];
  }

  press(event) {
    if (event.button !== 0) return;
    const place = placeAt(this.places, this.point(event));
    if (!place) return;
    this.drag = { place, from: [event.clientX, event.clientY], moved: false };
    this.element.setPointerCapture(event.pointerId);
  }

  move(event) {
    if (!this.drag) return;
    this.drag.moved ||= Math.hypot(event.clientX - this.drag.from[0], event.clientY - this.drag.from[1]) > DRAG;
    if (!this.drag.moved || !this.drag.place.movable) return;
    this.hold(this.drag.place);
    this.aim(placeAt(this.places, this.point(event)));
  }

  release(event) {
    const drag = this.drag;
    this.let();
    if (!drag) return;
    const target = placeAt(this.places, this.point(event));
    this.go(target ?? drag.place);
    if (!drag.moved) this.onEdit(drag.place.name, drag.place.name);
    else if (drag.place.movable && target && target !== drag.place) this.onEdit(drag.place.name, target.name);
  }

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || !this.current) return;
    if (event.key in DIRECTIONS) this.go(placeBeyond(this.places, this.current, DIRECTIONS[event.key]));
    else if (event.key === "Enter" || event.key === " ") this.enter();
    else if (event.key === "Escape" && this.held) this.let();
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  enter() {
    const source = this.held ?? this.current;
    if (!this.held && this.current.movable) this.hold(this.current);
    else {
      this.let();
      this.onEdit(source.name, this.current.name);
    }
  }

  go(place) {
    this.rects.get(this.current.name).setAttribute("tabindex", "-1");
    this.current = place;
    const rect = this.rects.get(place.name);
    rect.setAttribute("tabindex", "0");
    rect.focus({ preventScroll: true });
  }

  hold(place) {
    this.held = place;
    this.rects.get(place.name).setAttribute("aria-pressed", "true");
  }

  aim(place) {
    for (const [name, rect] of this.rects) rect.classList.toggle("ws-aim", name === place?.name);
  }

  /** Hold nothing. */
  let() {
    this.rects?.get(this.held?.name)?.removeAttribute("aria-pressed");
    Object.assign(this, { held: null, drag: null });
    if (this.rects) this.aim(null);
  }
}
