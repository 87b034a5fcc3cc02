// How ill-formed states and finished games count, in words; a test keeps these equal to drawing/policy_words.py.

export const ILL_FORMED_WORDS = { as_is: "as they are", sink: "no state (p = r = 0)" };

export const FINISHED_WORDS = { absorb: "complete lines", drop: "left out" };
