// GameTracker: one game and its replies in a notebook. Hooks: see game_tracker_view.js.

import { hideStill } from "../page/still.js";
import { GameTrackerView } from "./game_tracker_view.js";

/** @param {{model: Object, el: HTMLElement}} context anywidget's. */
function render({ model, el }) {
  hideStill(model, el);
  const view = new GameTrackerView(model, el);
  return () => view.dispose();
}

export default { render };
