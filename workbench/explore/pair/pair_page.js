// What every pair on a page does: it asks for the numbers of two states, steps along shared actions,
// undoes, and keeps the model up to date. A widget says how its states look and are edited.

import { Requester } from "../page/requester.js";
import { keepingFocus } from "../page/focus.js";
import { newHistory, nextMove, recorded, redone, sameState, stepped, swapped, undone, walkedBack } from "./history.js";
import { LineCrumbs } from "./moves_panel.js";
import { NumbersPanel } from "./numbers_panel.js";
import { VerdictBar } from "./verdict_bar.js";
import { LostPanel } from "../losses/lost_panel.js";

/** What a pair's states and actions are called; Python has the words of other states than boards.
 *
 * @typedef {Object} PairNouns
 * @property {string} state @property {string} action Such as "board" and "move".
 * @property {string} within "on" or "in", before a state.
 * @property {string} episode "game", or what else has an end.
 * @property {string} written What the text of a state is called, such as "FEN".
 * @property {string} asIs What is done with an ill-formed state that is taken as it is.
 */

export const SIDES = ["true", "predicted"];
export const NO_MOVES = { only_true: [], only_predicted: [], shared: [] };

/** What is said until an answer comes. @typedef {{first: string, slow: (seconds: number) => string}} WaitingWords */
const FOR_THE_KERNEL = {
  first: "Waiting for the first numbers: the kernel may still be loading.",
  slow: (seconds) => `No answer from the kernel for ${seconds} seconds: it may be busy or just starting; if it was restarted, run the cell again.`,
};

const SETTING_TRAITS = ["depth", "terminal", "ill_formed"];
const TEXT_TRAITS = ["reply", "moves", "caption"];
const REST_BEFORE_LOST = 120;
const FAILED_WORDS = { causes: "The causes could not be computed", lost_mass: "Where lines die could not be computed" };

/**
 * A widget's class has build(), which makes sides, crumbs, moves, numbers, lost, frame and root, and
 * showStates(typedOn), which shows them as they are now; of the side typedOn the text that was typed
 * stays. A side has describe(answer), complain(words), restore().
 */
export class PairPage {
  /**
   * @param {Object} model anywidget's. @param {HTMLElement} host
   * @param {Object} options
   * @param {string} options.suffix Of the traits that hold the two texts: "fen" or "state".
   * @param {PairNouns} options.nouns See pair_page.js.
   * @param {WaitingWords} [options.waiting] @param {number} [options.deepest] The greatest m that can be chosen.
   */
  constructor(model, host, { suffix, nouns, waiting = FOR_THE_KERNEL, deepest }) {
    Object.assign(this, { model, suffix, nouns, waiting, deepest });
    this.stateTraits = [...SIDES.map((look) => `${look}_${suffix}`), "line"];
    this.origin = this.modelState();
    this.history = newHistory(this.origin);
    this.shown = this.texts(this.origin);
    this.view = null;
    this.asked = null;
    this.answered = null;
    this.chosen = null;
    this.pointed = null;
    this.requester = new Requester(model, {
      onBusy: (busy) => this.busy(busy),
      onFailed: (message, asked) => this.failed(message, asked),
      onSlow: (seconds) => this.slow(seconds),
      onProgress: (words) => this.verdict.progress(words),
      onGone: () => this.verdict.kernelGone(),
    });
    this.requester.on("compare", (answer) => this.compared(answer));
    this.requester.on("causes", (answer) =>
      this.keepingFocus(this.verdict.list, () => this.verdict.showCauses(answer, this.settings.depth)));
    this.requester.on("lost_mass", (answer) =>
      this.keepingFocus(this.lost.element, () => this.lost.show(answer, this.settings.depth)));
    this.build();
    host.append(this.root);
    this.listen();
    this.frame.showTexts(this.asideTexts());
    this.showStates();
    this.verdict.progress(this.waiting.first);
    this.ask(this.history.present, { recordedAlready: true, atOnce: true });
  }

  get settings() {
    return this.numbers.settings();
  }

  asideTexts() {
    return Object.fromEntries(TEXT_TRAITS.map((name) => [name, this.model.get(name)]));
  }

  settingTraits() {
    return Object.fromEntries(SETTING_TRAITS.map((name) => [name, this.model.get(name)]));
  }

  modelState() {
    const state = Object.fromEntries(this.stateTraits.map((name) => [name, this.model.get(name)]));
    return { ...state, line: [...state.line] };
  }

  /** The two texts of a state of the pair, without its line. */
  texts(state) {
    return Object.fromEntries(SIDES.map((look) => [`${look}_${this.suffix}`, state[`${look}_${this.suffix}`]]));
  }

  /** The parts that all pairs have alike. @param {Function} facts See NumbersPanel. */
  buildPanels(facts) {
    this.verdict = new VerdictBar({ nouns: this.nouns, onMend: (cause) => this.mend(cause), onUndo: () => this.travel(undone) });
    this.crumbs = new LineCrumbs((plies) => this.tryState(walkedBack(this.history.present, plies)));
    this.numbers = new NumbersPanel({
      settings: this.settingTraits(), nouns: this.nouns, facts, deepest: this.deepest,
      onSettings: (_settings, atOnce) => this.ask(this.history.present, { recordedAlready: true, atOnce }),
    });
    this.lost = new LostPanel({
      nouns: this.nouns,
      // A line of other states than those shown would lead nowhere.
      onStep: (line) => this.lost.element.dataset.state === "fresh" && this.step(line),
      onPoint: (node, look) => this.pointAtLine(node, look),
    });
  }

  /** What the buttons of all pairs do. */
  buttonActions() {
    return {
      undo: () => this.travel(undone), redo: () => this.travel(redone),
      swap: () => this.swap(), reset: () => this.tryState(this.origin),
      back: () => this.tryState(walkedBack(this.history.present, this.history.present.line.length - 1)),
      forward: () => this.step([nextMove(this.history)]),
    };
  }

  listen() {
    const listeners = [];
    const on = (names, act) => names.forEach((name) => {
      this.model.on(`change:${name}`, act);
      listeners.push([`change:${name}`, act]);
    });
    let scheduled = false;
    on([...this.stateTraits, ...SETTING_TRAITS], () => {
      if (scheduled) return;
      scheduled = true;
      queueMicrotask(() => { scheduled = false; this.takeFromModel(); });
    });
    on(TEXT_TRAITS, () => this.frame.showTexts(this.asideTexts()));
    on(this.lookTraits(), () => this.showStates());
    this.dispose = () => {
      listeners.forEach(([name, act]) => this.model.off(name, act));
      clearTimeout(this.lostTimer);
      this.end();
      this.verdict.dispose();
      this.requester.dispose();
    };
  }

  busy(busy) {
    this.root.dataset.busy = String(busy);
    if (!busy) this.verdict.progress("");
  }

  say(words, { undo = false } = {}) {
    this.verdict.say(words, undo);
  }

  slow(seconds) {
    this.verdict.progress(this.waiting.slow(seconds));
  }

  /** Python or another view may have set the pair: then request it again. */
  takeFromModel() {
    const state = this.modelState();
    const settings = this.settingTraits();
    const changed = !sameState(state, this.history.present);
    if (!changed && SETTING_TRAITS.every((name) => settings[name] === this.settings[name])) return;
    this.numbers.showSettings(settings);
    if (changed) {
      this.origin = state;
      this.tryState(state);
    } else this.ask(this.history.present, { recordedAlready: true, atOnce: true });
  }

  /** Ask the kernel about a state. With recordedAlready the page shows it before the answer. */
  ask(state, { recordedAlready = false, atOnce = false, typedOn = null } = {}) {
    clearTimeout(this.lostTimer);
    for (const kind of ["causes", "lost_mass"]) this.requester.forget(kind);
    this.asked = { state, recordedAlready, typedOn };
    this.numbers.markStale();
    this.verdict.markStale();
    this.lost.markStale();
    this.requester.ask("compare", { ...state, ...this.settings }, atOnce);
  }

  /** Go to a state once the kernel accepts it; until then the page does not change. */
  tryState(state, typedOn = null) {
    this.chosen = null;
    this.pointed = null;
    this.ask(state, { atOnce: true, typedOn });
  }

  /** Go to a state at once; used for edits that always leave a state that can be read. */
  goTo(state) {
    this.history = recorded(this.history, state);
    this.shown = this.texts(state);
    this.chosen = null;
    this.pointed = null;
    this.showStates();
    for (const look of SIDES) this.sides[look].restore();
    this.ask(state, { recordedAlready: true, atOnce: true });
  }

  compared(answer) {
    const { recordedAlready, typedOn } = this.asked;
    this.asked.typedOn = null;
    this.frame.alert("");
    if (answer.problems) {
      this.complain(answer.problems, typedOn);
      return;
    }
    const { view } = answer;
    const states = Object.fromEntries(SIDES.map((look) => [`${look}_${this.suffix}`, view[look][this.suffix]]));
    const state = this.asked.state.line.length ? this.asked.state : { ...states, line: [] };
    const before = this.history.present;
    if (!recordedAlready) {
      this.history = recorded(this.history, state);
      this.say(this.changeInWords(before, state, answer));
    }
    const moved = !this.answered || !sameState(this.answered, state);
    Object.assign(this, { view, shown: states, answered: state, answeredSettings: this.settings });
    this.frame.code.value = answer.code;
    this.keepingFocus(this.crumbs.element, () => this.crumbs.show(answer.line_words));
    this.showStates(typedOn);
    for (const look of SIDES) {
      this.sides[look].describe(view[look]);
      if (look === typedOn) this.sides[look].complain("");
      else if (moved) this.sides[look].restore();
    }
    this.numbers.show(view);
    this.verdict.show(view.profile, Boolean(state[`predicted_${this.suffix}`].trim()));
    this.verdict.markFresh();
    this.keepingFocus(this.moves.element, () => this.moves.show(view.moves));
    this.save(state);
    this.askForCauses();
  }

  /** Say to what another state or line leads. */
  changeInWords(before, state, { line_words: words }) {
    const both = `Both ${this.nouns.state}s`;
    if (state.line.length) return `${both} after ${words.at(-1)}`;
    return before.line.length && sameState({ ...before, line: [] }, state) ? `${both} at the start of the line.` : `The ${this.nouns.state}s have changed.`;
  }

  /** What is made anew keeps the focus, or a button that steps through the line gets it. */
  keepingFocus(part, act) {
    const { back, forward } = this.frame.buttons;
    keepingFocus(part, act, () => [forward, back, this.frame.always].find((button) => !button.disabled));
  }

  /** A text cannot be read: the states and numbers stay, and a message explains the problem. */
  complain(problems, typedOn) {
    if (typedOn) this.sides[typedOn].complain(problems[typedOn] ?? Object.values(problems)[0]);
    else this.frame.alert(Object.entries(problems).map(([look, words]) => `The ${look} ${this.nouns.written} cannot be read: ${words}`).join("\n"));
    this.settle();
  }

  failed(message, asked) {
    this.frame.alert(`${FAILED_WORDS[asked] ?? "The pair could not be compared"}: ${message}`);
    if (!(asked in FAILED_WORDS)) this.settle();
  }

  /** The request failed: the numbers stay valid if they belong to the states shown. */
  settle() {
    if (!this.answered || !sameState(this.answered, this.history.present)) return;
    this.numbers.showSettings(this.answeredSettings);
    this.numbers.markFresh();
    this.verdict.markFresh();
    this.askForCauses();
  }

  /** The causes follow the numbers at once, where lines die after a rest. */
  askForCauses() {
    this.requester.ask("causes", { ...this.history.present, ...this.settings }, true);
    clearTimeout(this.lostTimer);
    this.lostTimer = setTimeout(() => {
      if (this.requester.idle("compare")) this.requester.ask("lost_mass", { ...this.history.present, ...this.settings }, true);
    }, REST_BEFORE_LOST);
  }

  save(state) {
    const values = { ...state, ...this.settings };
    const changed = Object.entries(values).filter(([name, value]) => JSON.stringify(this.model.get(name)) !== JSON.stringify(value));
    if (!changed.length) return;
    for (const [name, value] of changed) this.model.set(name, value);
    this.model.save_changes();
  }

  typed(look, text) {
    if (text !== null) this.tryState({ ...this.shown, [`${look}_${this.suffix}`]: text, line: [] }, look);
    else if (this.asked.typedOn) this.ask(this.history.present, { recordedAlready: true });
  }

  /** Correct one difference, and no other; undo brings it back. @param {{label: string, text: string}} cause */
  mend({ label, text }) {
    this.verdict.keepBefore();
    this.say(`Corrected: “${label}”.`, { undo: true });
    this.goTo({ ...this.shown, [`predicted_${this.suffix}`]: text, line: [] });
  }

  step(moves) {
    this.tryState(stepped(this.history.present, moves));
  }

  travel(way) {
    const history = way(this.history);
    if (history === this.history) return;
    this.history = history;
    this.verdict.keepBefore();
    this.say(way === undone ? "The last change is undone." : "The change is redone.");
    this.chosen = null;
    this.pointed = null;
    if (!history.present.line.length) this.shown = this.texts(history.present);
    this.showStates();
    for (const look of SIDES) this.sides[look].restore();
    this.ask(history.present, { recordedAlready: true, atOnce: true });
  }

  swap() {
    const state = swapped(this.shown, this.suffix);
    if (state) {
      this.say(`The ${this.nouns.state}s are swapped.`);
      this.goTo(state);
    } else this.say(`There is no predicted ${this.nouns.state} to swap.`);
  }

  point(pointed) {
    this.pointed = pointed;
    this.showStates();
  }

  /** The moves of the last answer, unless the states have changed since. */
  currentMoves() {
    return this.answered && sameState(this.answered, this.history.present) ? this.view.moves : NO_MOVES;
  }

  /** Traits that only change how the states look. @returns {string[]} */
  lookTraits() {
    return [];
  }

  /** What else ends with the page. */
  end() {}

  /** Enable the buttons that can be pressed in the present state. */
  enableButtons() {
    const { past, present, future } = this.history;
    this.frame.enable({
      undo: past.length > 0, redo: future.length > 0, swap: Boolean(this.shown[`predicted_${this.suffix}`]),
      back: present.line.length > 0, forward: nextMove(this.history) !== null,
    });
  }
}
