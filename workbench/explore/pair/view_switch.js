// On a phone one board is as wide as the screen: which one, or the predicted board with what the true one
// has instead, small. Hooks: data-role="views" with "view" (value), one of VIEWS; the root's data-view.

import { htmlElement } from "../page/svg.js";

const VIEWS = { true: "True", predicted: "Predicted", difference: "Difference" };

let switches = 0;

export class ViewSwitch {
  /** @param {(view: string) => void} onChoose */
  constructor(onChoose) {
    this.chosen = "predicted";
    switches += 1;
    const name = `ws-view-${switches}`;
    this.element = htmlElement("div", { class: "ws-views", role: "radiogroup", "aria-label": "Board in view", "data-role": "views" },
      ...Object.entries(VIEWS).map(([value, text]) => htmlElement("label", {},
        htmlElement("input", { type: "radio", name, value, checked: value === this.chosen, "data-role": "view", onchange: () => { this.chosen = value; onChoose(value); } }),
        htmlElement("span", {}, text))),
      htmlElement("p", { class: "ws-quiet ws-difference-words" }, "The predicted board; small in the corner: what the true board has there."));
  }
}
