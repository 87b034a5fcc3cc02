// StatePair: two states of any environment as pictures or lists and as text, edited and stepped, with
// the cost of their difference. Hooks: see pair_frame.js (the root and its buttons), state_side.js, picture_edits.js,
// moves_panel.js, numbers_panel.js (with "elements-right" and "state-class"), lost_panel.js, loss_bars.js.

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
      onEdit: (source, target) => this.requester.ask("edit", { side: look, state: this.shown[`${look}_state`], source, target }, true),
    })]));
    this.moves = new MovesPanel({
      nouns: this.nouns, keys: { id: "action", text: "words" },
      onStep: (action) => this.step([action]), onPoint: (action) => this.point(action), onArrows: null,
    });
    this.requester.on("edit", (answer) => this.edited(answer));
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

  /** A picture was edited: go to the state that Python made of it. */
  edited({ side, state }) {
    if (state === null) this.say("It cannot be put there.");
    else this.tryState({ ...this.shown, [`${side}_state`]: state, line: [] });
  }

  /** Of a line that is pointed at its first action is marked. */
  pointAtLine(node) {
    this.point(node?.line?.[0] ? { action: node.line[0] } : null);
  }

  showStates(typedOn = null) {
    for (const look of SIDES) this.sides[look].show(this.shown[`${look}_state`], look === typedOn);
    const view = this.answered ? this.view : null;
    const shared = new Set(this.currentMoves().shared.map(({ action }) => action));
    for (const look of SIDES) {
      this.sides[look].mark(view?.different ?? []);
      this.sides[look].markActions(shared, this.pointed?.action ?? null);
    }
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
