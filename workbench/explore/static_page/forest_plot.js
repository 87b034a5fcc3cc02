// A forest plot whose measure, length and positions are switched: the numbers are the page's own, and models are ranked anew.
// Hooks: data-switch "measure", "length" and "positions" (selects), data-home and data-model (rows), "axis", "words".

/**
 * Follow the switches of one plot.
 * @param {HTMLElement} host The plot, as workbench/reports/forest_plot.py writes it.
 * @param {Object} data Its numbers: texts "mean|low|high|count" by positions, measure, length and model.
 */
export function followSwitches(host, data) {
  const selects = Object.fromEntries([...host.querySelectorAll("[data-switch]")].map((each) => [each.dataset.switch, each]));
  const rows = [...host.querySelectorAll("tr[data-model]")];
  const bodies = [...host.querySelectorAll("tbody")];
  const chosen = (name) => Number(selects[name]?.value ?? 0);
  const show = () => {
    const measure = data.measures[chosen("measure")];
    const common = chosen("positions") === 1;
    const values = data.values[chosen("positions")][chosen("measure")][chosen("length")];
    host.dataset.quantity = measure.quantity;
    host.style.setProperty("--steps", measure.ticks.length - 1);
    showAxis(host.querySelector("[data-role=axis]"), measure.ticks);
    host.querySelector("[data-role=words]").textContent = measure.words;
    const means = new Map(rows.map((row) => [row, showRow(row, values[Number(row.dataset.model)], measure.ticks.at(-1))]));
    const sign = measure.best === "low" ? 1 : -1;
    const order = rows.toSorted((one, other) => compared(means.get(one), means.get(other), sign));
    for (const row of order) {
      const home = bodies[Number(row.dataset.home)];
      // On common positions all are comparable, but the settings of one model stay apart.
      (common && !home.hasAttribute("data-settings") ? bodies[0] : home).append(row);
    }
    for (const [place, body] of bodies.entries()) {
      body.hidden = body.rows.length < 2;
      body.rows[0].cells[0].textContent = common ? data.common[place] : data.own[place];
    }
  };
  for (const select of Object.values(selects)) select.addEventListener("change", show);
  host.querySelector(".switches").hidden = false;
  show();
}

function compared(one, other, sign) {
  if (Number.isNaN(one) || Number.isNaN(other)) return Number(Number.isNaN(one)) - Number(Number.isNaN(other));
  return sign * (one - other);
}

/** Show a value in its row. @returns {number} The mean; NaN where it is undefined. */
function showRow(row, text, top) {
  const [mean, low, high, count] = text.split("|");
  const [, track, number, size] = row.cells;
  const drawn = (value) => `${(100 * Number.parseFloat(value.replaceAll(",", ""))) / top}%`;
  const [line, mark] = [track.querySelector("line"), track.querySelector("circle")];
  line.setAttribute("visibility", low ? "visible" : "hidden");
  if (low) {
    line.setAttribute("x1", drawn(low));
    line.setAttribute("x2", drawn(high));
  }
  const value = Number.parseFloat(mean.replaceAll(",", ""));
  mark.setAttribute("visibility", Number.isNaN(value) ? "hidden" : "visible");
  if (!Number.isNaN(value)) mark.setAttribute("cx", drawn(mean));
  number.firstElementChild.textContent = mean;
  number.lastElementChild.textContent = low ? `[${low}, ${high}]` : "";
  size.textContent = count;
  return value;
}

function showAxis(axis, ticks) {
  axis.replaceChildren(...ticks.map((tick, place) => {
    const text = document.createElementNS("http://www.w3.org/2000/svg", "text");
    const last = place === ticks.length - 1;
    for (const [name, value] of Object.entries({ x: `${(100 * tick) / ticks.at(-1)}%`, y: 12, "text-anchor": place === 0 ? "start" : last ? "end" : "middle" })) text.setAttribute(name, value);
    text.textContent = String(tick);
    return text;
  }));
}
