// What a report does in the browser: its forest plots follow their switches, its links unfold what they lead to or open a
// pair of boards in a dialog, and its example is live. Without JavaScript the page has the same numbers and pictures.
// Hooks: id="forest-content", "chapter-choice", "pair-section" (a dialog), "pair-heading", "pair-refusal", "pair".

import { followSwitches } from "./forest_plot.js";
import { showExample } from "./live_example.js";
import { startTwin } from "./page_model.js";
import { pairOfLink, refusalWords } from "./pair_links.js";
import { showPair } from "./pair_without_python.js";

/**
 * @param {(() => Function)|null} loadTwin See `startTwin`; null for a page without boards.
 */
export function openReport(loadTwin) {
  const contentOf = (id) => JSON.parse(document.getElementById(id).textContent);
  const plots = [...document.querySelectorAll(".forest")];
  contentOf("forest-content").forEach((data, place) => followSwitches(plots[place], data));
  chooseChapter(document.getElementById("chapter-choice"), plots);
  addEventListener("hashchange", unfoldTarget);
  // A link to where the address is already: its target may have been folded again.
  addEventListener("click", (event) => {
    if (event.target.closest("a")?.hash === location.hash) unfoldTarget();
  });
  unfoldTarget();
  if (!loadTwin) return;
  const { state, words } = contentOf("pair-content");
  const twin = startTwin(loadTwin, words);
  openPairs(state, twin);
  showExample(state, twin);
}

function chooseChapter(choice, plots) {
  if (!choice) return;
  const show = () => plots.forEach((plot, place) => { plot.hidden = place !== choice.selectedIndex; });
  choice.addEventListener("change", show);
  choice.parentElement.hidden = false;
  show();
}

/** Open what the address leads to, and all that it is folded into. */
function unfoldTarget() {
  const target = location.hash.includes("=") ? null : document.getElementById(location.hash.slice(1));
  for (let part = target; part; part = part.parentElement?.closest("details")) {
    if (part.tagName === "DETAILS") part.open = true;
  }
  target?.scrollIntoView();
}

function openPairs(state, twin) {
  const [dialog, heading, refusal, host] = ["pair-section", "pair-heading", "pair-refusal", "pair"].map((id) => document.getElementById(id));
  let opened = null;
  const close = () => {
    opened?.close();
    opened = null;
    host.replaceChildren();
  };
  const open = () => {
    let boards = null;
    let words = "";
    try {
      boards = pairOfLink(location.hash);
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      words = refusalWords(error);
    }
    if (!boards && !words) return;
    close();
    refusal.textContent = words;
    if (!dialog.open) dialog.showModal();
    if (boards) opened = showPair(host, { ...state, ...boards }, twin);
    heading.focus();
  };
  dialog.addEventListener("close", () => {
    close();
    // The same link opens it again.
    history.replaceState(null, "", "#");
  });
  dialog.querySelector("button").addEventListener("click", () => dialog.close());
  addEventListener("hashchange", open);
  open();
}
