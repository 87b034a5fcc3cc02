// Requests to the kernel: one of each kind at a time, and the last state wins.

/**
 * @typedef {Object} RequesterOptions
 * @property {(waiting: boolean) => void} [onBusy] Called when the first question leaves, and when
 *   nothing is under way or waiting any more.
 * @property {(message: string, asked: string) => void} [onFailed] What went wrong, in words.
 * @property {(seconds: number, asked: string) => void} [onSlow] No answer for so many seconds.
 * @property {(words: string) => void} [onProgress] What the kernel does before it can answer.
 * @property {() => void} [onGone] The kernel was restarted or shut down: nothing will be answered.
 *   Without it, a question that cannot be sent is given to onFailed.
 * @property {number} [delay] Milliseconds that a question waits for a newer one. Default 15.
 * @property {number} [patience] Seconds before onSlow is called. Default 5.
 * @property {{set: Function, clear: Function}} [timers] setTimeout and clearTimeout, for tests.
 */

export const KERNEL_GONE = "The kernel is gone: run the cell again.";

/**
 * Asks the kernel and hands its answers out.
 *
 * requester.on("compare", (answer) => ...);      // the answers, and unsolicited messages
 * requester.ask("compare", {depth: 4});          // waits `delay` ms for a newer state
 * requester.ask("compare", {depth: 4}, true);    // asks at once
 *
 * While a question of a kind is under way the newest state of that kind waits; it is asked when the
 * answer is there, and that answer, being stale, is dropped. A question whose answer is kept in the
 * model's "answers" is not sent: so a page without a kernel has the last answers.
 */
export class Requester {
  /** @param {Object} model anywidget's model. @param {RequesterOptions} [options] */
  constructor(model, options = {}) {
    this.model = model;
    this.delay = options.delay ?? 15;
    this.patience = options.patience ?? 5;
    this.timers = options.timers ?? {
      set: (act, milliseconds) => setTimeout(act, milliseconds),
      clear: (timer) => clearTimeout(timer),
    };
    this.onBusy = options.onBusy ?? (() => {});
    this.onFailed = options.onFailed ?? (() => {});
    this.onSlow = options.onSlow ?? (() => {});
    this.onProgress = options.onProgress ?? (() => {});
    this.onGone = options.onGone ?? (() => {});
    this.onUnsent = options.onGone ?? ((kind) => this.onFailed(KERNEL_GONE, kind));
    /** Two views of one model receive each other's answers; the name distinguishes them. */
    this.name = Math.random().toString(36).slice(2, 8);
    this.count = 0;
    this.busy = false;
    this.kinds = new Map();
    this.listeners = new Map();
    this.lost = () => this.onGone();
    // ipywidgets' word for a kernel that restarts, by hand or by itself.
    model.on("comm_live_update", this.lost);
    this.hear = (message, buffers = []) => this.receive(message, buffers);
    model.on("msg:custom", this.hear);
  }

  /**
   * Listen to the answers of one kind.
   * @param {string} kind @param {(answer: Object, buffers: DataView[]) => void} listener
   */
  on(kind, listener) {
    this.listeners.set(kind, listener);
  }

  /**
   * Ask, now or when `delay` has passed without a newer state.
   * @param {string} kind @param {Object} state What is sent beside kind and serial.
   * @param {boolean} [atOnce]
   */
  ask(kind, state, atOnce = false) {
    const entry = this.entry(kind);
    entry.waiting = state;
    this.timers.clear(entry.timer);
    entry.timer = null;
    if (entry.serial !== null) {
      // The pending answer is already stale; the newest state is sent after it.
    } else if (atOnce) this.dispatch(kind);
    else entry.timer = this.timers.set(() => this.dispatch(kind), this.delay);
    this.tellBusy();
  }

  /**
   * Return the answer to a question that the model keeps, or null.
   * @param {string} kind @param {Object} question @returns {Object|null}
   */
  kept(kind, question) {
    const last = this.model.get("answers")?.[kind];
    return last && inOrder(last.question) === inOrder(question) ? last.answer : null;
  }

  /** Forget what waits and what is under way; its answers will be dropped. @param {string} kind */
  forget(kind) {
    const entry = this.entry(kind);
    this.timers.clear(entry.timer);
    this.timers.clear(entry.alarm);
    Object.assign(entry, { waiting: null, timer: null, serial: null, alarm: null });
    this.tellBusy();
  }

  /** @returns {boolean} True if nothing of this kind is under way or waits. @param {string} kind */
  idle(kind) {
    const entry = this.entry(kind);
    return entry.serial === null && entry.waiting === null;
  }

  /** Stop listening; for anywidget's clean-up. */
  dispose() {
    this.model.off("msg:custom", this.hear);
    this.model.off("comm_live_update", this.lost);
    for (const kind of this.kinds.keys()) this.forget(kind);
  }

  entry(kind) {
    if (!this.kinds.has(kind)) {
      this.kinds.set(kind, { waiting: null, timer: null, serial: null, alarm: null });
    }
    return this.kinds.get(kind);
  }

  dispatch(kind) {
    const entry = this.entry(kind);
    entry.timer = null;
    const serial = `${this.name}-${++this.count}`;
    entry.serial = serial;
    const state = entry.waiting;
    entry.waiting = null;
    const kept = this.kept(kind, state);
    if (kept) {
      queueMicrotask(() => this.receive({ ...kept, kind, serial }));
      return;
    }
    this.watch(kind, entry);
    this.send(kind, { ...state, kind, serial });
  }

  /** A model whose kernel was shut down throws: then there is nothing left to wait for. */
  send(kind, message) {
    try {
      this.model.send(message);
    } catch {
      this.forget(kind);
      this.onUnsent(kind);
    }
  }

  watch(kind, entry) {
    entry.alarm = this.timers.set(() => this.onSlow(this.patience, kind), 1000 * this.patience);
  }

  /** The kernel works for a question: no other word about it is due before some time. */
  progress(words) {
    for (const [kind, entry] of this.kinds) {
      if (entry.serial === null) continue;
      this.timers.clear(entry.alarm);
      this.watch(kind, entry);
    }
    if (this.busy) this.onProgress(words);
  }

  receive(message, buffers) {
    if (message.kind === "progress") {
      this.progress(message.words);
      return;
    }
    const kind = message.kind === "failed" ? message.asked : message.kind;
    if (!this.kinds.has(kind)) {
      if (message.kind === "failed") this.onFailed(message.message, kind);
      else this.listeners.get(kind)?.(message, buffers);
      return;
    }
    const entry = this.entry(kind);
    if (message.serial !== entry.serial) return;
    this.timers.clear(entry.alarm);
    entry.alarm = null;
    entry.serial = null;
    if (entry.waiting !== null) {
      this.timers.clear(entry.timer);
      this.dispatch(kind);
    } else if (message.kind === "failed") this.onFailed(message.message, kind);
    else this.listeners.get(kind)?.(message, buffers);
    this.tellBusy();
  }

  tellBusy() {
    const busy = [...this.kinds.keys()].some((kind) => !this.idle(kind));
    if (busy !== this.busy) {
      this.busy = busy;
      this.onBusy(busy);
    }
  }
}

/** Write a value so that equal values give equal texts, whatever the order of their names. */
function inOrder(value) {
  return JSON.stringify(value, (_name, inner) =>
    inner && typeof inner === "object" && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([one], [other]) => (one < other ? -1 : 1)))
      : inner);
}
