// What stands in for anywidget's model and the kernel behind it on a page without Python: state, listeners, and a
// twin that answers, in a worker where the browser lets the page have one.

export class PageModel {
  /**
   * @param {Object} state Traits by name.
   * @param {{ask: Function}} twin See `startTwin`.
   */
  constructor(state, twin) {
    Object.assign(this, { state, twin, listeners: new Map() });
  }

  get(name) {
    return this.state[name];
  }

  set(name, value) {
    if (JSON.stringify(this.state[name]) !== JSON.stringify(value)) this.replace(name, value);
  }

  /** Set a value that is known to be another one: large ones take long to compare. */
  replace(name, value) {
    this.state[name] = value;
    this.call(`change:${name}`);
  }

  on(name, listener) {
    this.listeners.set(name, [...(this.listeners.get(name) ?? []), listener]);
  }

  off(name, listener) {
    this.listeners.set(name, (this.listeners.get(name) ?? []).filter((each) => each !== listener));
  }

  /** There is nobody to tell: the page is all that has the state. */
  save_changes() {}

  send(message) {
    this.twin.ask(message, (answer) => this.call("msg:custom", answer));
  }

  call(name, ...values) {
    for (const listener of this.listeners.get(name) ?? []) listener(...values);
  }
}

/**
 * Start the twin in a worker. Where there is none, as some browsers refuse one to a page opened from a file, the page
 * computes by itself and does not move meanwhile.
 * @param {() => Function} loadTwin Defines the twin, from nothing but its own text: the worker has no more.
 * @param {Object} words What it is told besides questions.
 * @returns {{ask: (message: Object, onAnswer: (answer: Object) => void) => void, inWorker: () => boolean, stop: () => void}}
 */
export function startTwin(loadTwin, words) {
  const waiting = new Map();
  let worker = null;
  let twin = null;
  const inPage = (message) => setTimeout(() => {
    twin ??= loadTwin();
    deliver(twin(message, words));
  });
  const deliver = (answer) => {
    const onAnswer = waiting.get(answer.serial)?.onAnswer;
    waiting.delete(answer.serial);
    onAnswer?.(answer);
  };
  const withoutWorker = () => {
    worker = null;
    for (const { message } of waiting.values()) inPage(message);
  };
  try {
    worker = new Worker(URL.createObjectURL(new Blob([`(${loadTwin})();`], { type: "text/javascript" })));
    worker.onmessage = ({ data }) => deliver(data);
    worker.onerror = withoutWorker;
  } catch {
    worker = null;
  }
  return {
    ask(message, onAnswer) {
      waiting.set(message.serial, { message, onAnswer });
      if (worker) worker.postMessage({ message, words });
      else inPage(message);
    },
    inWorker: () => worker !== null,
    stop: () => {
      waiting.clear();
      worker?.terminate();
    },
  };
}
