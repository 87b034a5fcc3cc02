// The table of rows: only those in view are made. Header buttons sort, keys move, Enter opens.

import { htmlElement, subscriptLetters, subscripted } from "../page/svg.js";
import { cellText, cellTitle, columnWidth, placeAfterKey, scrolledTo, visibleWindow } from "./row_values.js";

/** As in run_browser.css. */
const ROW_HEIGHT = 28;

export class RunList {
  /**
   * @param {{onOpen: (row: number) => void, onFollow: (row: number) => void,
   *   onSort: (column: string) => void}} listeners onFollow: keys moved to a row while one is open.
   */
  constructor(listeners) {
    this.listeners = listeners;
    this.order = [];
    this.columns = [];
    this.place = 0;
    this.opened = -1;
    this.made = { first: 0, last: 0 };
    this.widths = htmlElement("colgroup");
    this.header = htmlElement("tr", { "aria-rowindex": 1 });
    this.body = htmlElement("tbody");
    this.table = htmlElement(
      "table",
      { class: "ws-table rb-table", "data-role": "table", "aria-label": "Scores, one row per prediction" },
      this.widths,
      htmlElement("thead", {}, this.header),
      this.body,
    );
    this.scroller = htmlElement(
      "div",
      { class: "rb-scroller", "data-role": "scroller", role: "group", "aria-label": "Rows", tabindex: -1 },
      this.table,
    );
    this.nothing = htmlElement("p", { class: "ws-quiet rb-nothing", "data-role": "nothing", hidden: true });
    this.root = htmlElement("div", { class: "rb-list" }, this.scroller, this.nothing);
    this.scroller.addEventListener("scroll", () => this.fillIfNeeded());
    this.scroller.addEventListener("keydown", (event) => this.key(event));
    this.resized = new ResizeObserver(() => this.fill());
    this.resized.observe(this.scroller);
  }

  dispose() {
    this.resized.disconnect();
  }

  /** @param {Object[]} columns As row_values.js reads them; those not shown are left out. */
  setColumns(columns) {
    const shown = columns.filter((column) => column.shown);
    const same = shown.length === this.columns.length && shown.every(({ label, title }, index) => label === this.columns[index].label && title === this.columns[index].title);
    this.columns = shown;
    // A head that has the focus stays.
    if (same) {
      this.fill();
      return;
    }
    const widths = this.columns.map(columnWidth);
    this.widths.replaceChildren(
      ...widths.map((width) => htmlElement("col", { style: `width: ${width}ch` })),
    );
    this.table.style.width = `${widths.reduce((sum, width) => sum + width, 0)}ch`;
    this.header.replaceChildren(...this.columns.map((column) => this.headerCell(column)));
    this.fill();
  }

  headerCell(column) {
    const button = htmlElement(
      "button",
      {
        type: "button", class: "rb-sort", "data-role": "sort", "data-column": column.name, title: column.title && subscriptLetters(column.title),
        onclick: () => this.listeners.onSort(column.name),
      },
      ...subscripted(column.label),
    );
    return htmlElement("th", { scope: "col", class: `rb-${column.kind}`, "data-column": column.name }, button);
  }

  /** @param {string} name Of the column, or empty. @param {boolean} descending */
  setSort(name, descending) {
    for (const cell of this.header.children) {
      if (cell.dataset.column === name) {
        cell.setAttribute("aria-sort", descending ? "descending" : "ascending");
      } else cell.removeAttribute("aria-sort");
    }
  }

  /** Show other rows from the top. @param {number[]} order Rows of the run. @param {string} nothing */
  setOrder(order, nothing) {
    this.order = order;
    this.place = 0;
    this.scroller.scrollTop = 0;
    this.table.setAttribute("aria-rowcount", String(order.length + 1));
    this.nothing.hidden = order.length > 0;
    this.nothing.textContent = nothing;
    this.fill();
  }

  /** @param {number} row The row of the open pair. @param {boolean} bring Whether to scroll to it. */
  setOpened(row, bring) {
    this.opened = row;
    const place = this.order.indexOf(row);
    if (place >= 0) {
      this.place = place;
      if (bring) this.bring(place);
    }
    this.fill();
  }

  /** The height of the rows in view, below the header that stays. */
  get viewHeight() {
    return Math.max(ROW_HEIGHT, this.scroller.clientHeight - this.header.offsetHeight);
  }

  bring(place) {
    const top = scrolledTo(place, this.scroller.scrollTop, this.viewHeight, ROW_HEIGHT);
    if (top !== this.scroller.scrollTop) this.scroller.scrollTop = top;
  }

  /** Rows that are there stay: a click whose row is replaced meanwhile would be lost. */
  fillIfNeeded() {
    const { first, last } = visibleWindow(this.scroller.scrollTop, this.viewHeight, ROW_HEIGHT, this.order.length, 0);
    if (first < this.made.first || last > this.made.last) this.fill();
  }

  fill() {
    const held = this.body.contains(document.activeElement);
    const view = visibleWindow(this.scroller.scrollTop, this.viewHeight, ROW_HEIGHT, this.order.length);
    const rows = [];
    for (let place = view.first; place < view.last; place += 1) rows.push(this.makeRow(place));
    this.body.replaceChildren(this.space(view.before), ...rows, this.space(view.after));
    this.made = view;
    this.letTabIn();
    // The focus would be lost with the button that had it: it stays with the row, or the list.
    if (held) (this.buttonAt(this.place) ?? this.scroller).focus({ preventScroll: true });
  }

  space(height) {
    const cell = htmlElement("td", { colspan: this.columns.length, style: `height: ${height}px` });
    return htmlElement("tr", { class: "rb-space", "aria-hidden": "true", hidden: height === 0 }, cell);
  }

  makeRow(place) {
    const row = this.order[place];
    const [first, ...others] = this.columns;
    if (!first) return htmlElement("tr");
    const open = htmlElement(
      "button",
      { type: "button", class: "rb-open", "data-role": "row-open", tabindex: -1, title: cellTitle(first, row) },
      cellText(first, row),
    );
    return htmlElement(
      "tr",
      {
        "data-role": "row", "data-row": row, "aria-rowindex": place + 2,
        "aria-current": row === this.opened ? "true" : null,
        onclick: () => this.open(place),
      },
      htmlElement("th", { scope: "row", class: `rb-${first.kind}` }, open),
      ...others.map((column) => htmlElement("td", {
        class: `rb-${column.kind}`, title: cellTitle(column, row), text: cellText(column, row),
      })),
    );
  }

  open(place) {
    this.place = place;
    this.letTabIn();
    this.buttonAt(place)?.focus({ preventScroll: true });
    this.listeners.onOpen(this.order[place]);
  }

  buttonAt(place) {
    const row = this.body.querySelector(`tr[aria-rowindex="${place + 2}"]`);
    return row?.querySelector("button") ?? null;
  }

  /** One row takes the Tab key: the one reached by keys, or else the first one made. */
  letTabIn() {
    for (const button of this.body.querySelectorAll("button")) button.tabIndex = -1;
    const button = this.buttonAt(this.place) ?? this.body.querySelector("button");
    if (button) button.tabIndex = 0;
  }

  key(event) {
    if (event.target.closest("thead") || event.ctrlKey || event.metaKey || event.altKey) return;
    const page = Math.max(1, Math.floor(this.viewHeight / ROW_HEIGHT) - 1);
    const place = placeAfterKey(event.key, this.place, this.order.length, page);
    if (place === null) return;
    event.preventDefault();
    this.place = place;
    this.bring(place);
    this.fill();
    this.buttonAt(place)?.focus({ preventScroll: true });
    if (this.opened >= 0) this.listeners.onFollow(this.order[place]);
  }
}
