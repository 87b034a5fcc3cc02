// Answers what a page with a pair of boards asks, without Python. It is JavaScript, and not the kernel compiled to
// WebAssembly: numba compiles for the machine alone, so that would be the kernel once more in another language, with a
// compiler and a build. These files need neither, and p_4 of a near pair takes some 50 ms, fast enough for dragging.

import { compareAnswer } from "./pair_comparison.js";
import { causesAnswer } from "./loss_causes.js";
import { lostMassAnswer } from "./loss_answer.js";

const ANSWERS = { compare: compareAnswer, causes: causesAnswer, lost_mass: lostMassAnswer };

/**
 * Answer a message of the page, as page/answering.py does.
 * @param {{kind: string, serial: string}} message With what is asked.
 * @param {import("./pair_comparison.js").TwinWords} words
 * @returns {Object} The answer with kind and serial, or a message of the kind "failed".
 */
export function answerQuestion({ kind, serial, ...question }, words) {
  try {
    if (!Object.hasOwn(ANSWERS, kind)) throw new RangeError(`expected a question among ${Object.keys(ANSWERS)}, got ${kind}`);
    return { ...ANSWERS[kind](question, words), kind, serial };
  } catch (error) {
    // A RangeError is about what was asked; any other is a fault here, and is named.
    const message = error instanceof RangeError ? error.message : `${error.name}: ${error.message}`;
    return { kind: "failed", asked: kind, serial, message };
  }
}
