// BoardPair: the view of a pair of boards in a notebook. Hooks: see board_pair_view.js.

import { hideStill } from "../page/still.js";
import { BoardPairView } from "./board_pair_view.js";

/** @param {{model: Object, el: HTMLElement}} context anywidget's. */
function render({ model, el }) {
  hideStill(model, el);
  const view = new BoardPairView(model, el);
  return () => view.dispose();
}

export default { render };
