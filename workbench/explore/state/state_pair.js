// StatePair: two states of any environment as pictures or lists and as text, edited and stepped, with
// the cost of their difference. Hooks: see pair_frame.js (the root and its buttons), state_side.js,
// moves_panel.js, numbers_panel.js (with "elements-right" and "state-class"), lost_panel.js, icicle.js.

import { hideStill } from "../page/still.js";
import { MovesPanel } from "../pair/moves_panel.js";
import { textFacts } from "../pair/numbers_panel.js";
import { PairFrame } from "../pair/pair_frame.js";
import { PairPage, SIDES } from "../pair/pair_page.js";
import { StateSide } from "./state_side.js";

class StatePairView extends PairPage {
  build() {
    this.sides = Object.fromEntries(SIDES.map((look) => [look, new StateSide({
      look, nouns: this.nouns, onText: (text) => this.typed(look, text),
    })]));
    this.moves = new MovesPanel({
      nouns: this.nouns, keys: { id: "action", text: "words" },
      onStep: (action) => this.step([action]), onPoint: () => {}, onArrows: null,
    });
    this.buildPanels((view) => this.facts(view));
    this.frame = new PairFrame({
      role: "state-pair", nouns: this.nouns, actions: this.buttonActions(),
      onSay: (words) => this.say(words),
      parts: { verdict: this.verdict, crumbs: this.crumbs, sides: SIDES.map((look) => this.sides[look]), numbers: this.numbers, moves: this.moves, lost: this.lost },
    });
    this.root = this.frame.root;
  }

  facts({ text, predicted }) {
    const { elements, right, element_accuracy: share } = text;
    return [
      ...textFacts(text),
      ["Elements right", "elements-right", share === null ? "undefined" : `${right} of ${elements} (${share.toFixed(4)})`],
      [`Predicted ${this.nouns.state}`, "state-class", predicted.words.replace(/\.$/, "")],
    ];
  }

  /** Nothing is drawn for an action that is pointed at. */
  pointAtLine() {}

  showStates(typedOn = null) {
    for (const look of SIDES) this.sides[look].show(this.shown[`${look}_state`], look === typedOn);
    const view = this.answered ? this.view : null;
    for (const look of SIDES) this.sides[look].mark(view?.different ?? []);
    this.enableButtons();
  }
}

/** @param {{model: Object, el: HTMLElement}} context anywidget's. */
function render({ model, el }) {
  hideStill(model, el);
  const view = new StatePairView(model, el, { suffix: "state", nouns: model.get("nouns") });
  return () => view.dispose();
}

export default { render };
