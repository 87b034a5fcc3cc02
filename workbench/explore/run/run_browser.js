// RunBrowser: the view of a run in a notebook. Messages and hooks: see run_view.js.

import { hideStill } from "../page/still.js";
import { showRun } from "./run_view.js";

/** @param {{model: Object, el: HTMLElement}} context anywidget's. */
function render({ model, el }) {
  hideStill(model, el);
  return showRun({ model, el });
}

export default { render };
