// What a widget says of the kernel, at its numbers: that it compiles, does not answer, or is gone.
// Hooks: data-role="kernel" (data-gone).

import { htmlElement } from "./svg.js";
import { KERNEL_GONE } from "./requester.js";

export class KernelNote {
  /** @param {string} [gone] What to do now, if the kernel is gone. */
  constructor(gone = KERNEL_GONE) {
    this.gone = gone;
    this.element = htmlElement("p", { class: "ws-status", role: "status", "data-role": "kernel", hidden: true });
  }

  /** Show a sentence until the next answer; an empty text clears it. */
  say(words) {
    this.element.textContent = words;
    this.element.hidden = words === "";
  }

  /**
   * Return the listeners of a Requester that keep the note.
   * @param {() => void} [whenGone] What else happens when the kernel is gone.
   */
  listeners(whenGone = () => {}) {
    return {
      onBusy: (busy) => { if (!busy && !this.element.dataset.gone) this.say(""); },
      onProgress: (words) => this.say(words),
      onSlow: (seconds) => this.say(
        `No answer from the kernel for ${seconds} seconds: it may be busy or just starting; if it was restarted, run the cell again.`),
      onGone: () => {
        this.element.dataset.gone = "true";
        this.element.className = "ws-alert";
        this.say(this.gone);
        whenGone();
      },
    };
  }
}
