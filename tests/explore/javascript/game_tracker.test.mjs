import assert from "node:assert/strict";
import { test } from "node:test";
import {
  clickedPly, distanceInWords, distanceTop, moveNumber, neighbours, noReplyInWords, placeInWords, plyByKey, plyInList,
  plyStepped, replyAt, stopAt,
} from "../../../workbench/explore/game/tracker_places.js";
import { merged, readingInWords } from "../../../workbench/explore/game/model_reading.js";
import { differenceInWords, factsOf, stepInWords, turnInWords } from "../../../workbench/explore/game/tracker_facts.js";

const GAME = {
  stops: [0, 1, 2, 3, 4, 5, 6].map((ply) => ({ ply, san: ply ? `m${ply}` : null })),
  replies: [{ ply: 2 }, { ply: 5 }],
};
const PLIES = [0, 1, 2, 3, 4, 5, 6];
const REPLY = {
  precision: [0.9, 0.5], recall: [0.8, 0.25], levenshtein: 3, longer: 60, distance: 0.05, words: "Valid board.",
  reply_class: "valid", exact_match: false, slips: [], different: ["e4", "e5"], wrong_fields: ["pieces", "side to move"],
  predicted_fen: "x",
};

test("stops and replies at a ply", () => {
  assert.equal(stopAt(GAME, 4).ply, 4);
  assert.equal(stopAt(GAME, 99).ply, 6);
  assert.equal(stopAt(GAME, -3).ply, 0);
  assert.equal(replyAt(GAME, 5).ply, 5);
  assert.equal(replyAt(GAME, 4), null);
});

test("steps hold at the ends, also where plies are missing", () => {
  assert.equal(plyStepped(PLIES, 3, 1), 4);
  assert.equal(plyStepped(PLIES, 3, -10), 0);
  assert.equal(plyStepped(PLIES, 6, 1), 6);
  assert.equal(plyStepped([10, 32, 54], 10, 1), 32);
  assert.equal(plyStepped([10, 32, 54], 54, -1), 32);
  assert.equal(plyStepped([10, 32, 54], 20, 1), 32);
});

test("keys", () => {
  assert.equal(plyByKey(PLIES, 3, "ArrowRight"), 4);
  assert.equal(plyByKey(PLIES, 3, "ArrowLeft"), 2);
  assert.equal(plyByKey(PLIES, 3, "ArrowUp"), 4);
  assert.equal(plyByKey(PLIES, 3, "PageUp"), 6);
  assert.equal(plyByKey(PLIES, 3, "Home"), 0);
  assert.equal(plyByKey(PLIES, 3, "End"), 6);
  assert.equal(plyByKey(PLIES, 3, "a"), null);
  assert.equal(plyByKey(PLIES, 3, "Tab"), null);
  assert.equal(plyInList(PLIES, 3, "ArrowDown"), 4);
  assert.equal(plyInList(PLIES, 3, "ArrowUp"), 2);
  assert.equal(plyInList(PLIES, 3, "ArrowRight"), 4);
  assert.equal(plyInList(PLIES, 3, "PageDown"), 6);
});

test("replies around a ply", () => {
  assert.deepEqual(neighbours(GAME, 3), { before: 2, after: 5 });
  assert.deepEqual(neighbours(GAME, 2), { before: null, after: 5 });
  assert.deepEqual(neighbours(GAME, 6), { before: 5, after: null });
  assert.equal(noReplyInWords(GAME, 3), "No reply was asked for here. The nearest are at ply 2 and ply 5.");
  assert.equal(noReplyInWords(GAME, 6), "No reply was asked for here. The nearest is at ply 5.");
});

test("a click means a near reply, else the place itself", () => {
  assert.equal(clickedPly(GAME, 1.6, 0.5), 2);
  assert.equal(clickedPly(GAME, 3.4, 0.5), 3);
  assert.equal(clickedPly(GAME, 3.9, 1.5), 5);
  assert.equal(clickedPly(GAME, 99, 1), 6);
});

test("moves in words", () => {
  assert.equal(moveNumber(1), "1.");
  assert.equal(moveNumber(2), "1...");
  assert.equal(moveNumber(23), "12.");
  assert.equal(placeInWords({ ply: 0, san: null }), "Ply 0: before the first move");
  assert.equal(placeInWords({ ply: 24, san: "Nf6" }), "Ply 24: after 12... Nf6");
  assert.equal(placeInWords({ ply: 32, san: null }), "Ply 32");
});

test("edit distances", () => {
  assert.equal(distanceInWords(REPLY), "3 characters of 60: 0.0500");
  assert.equal(distanceInWords({ ...REPLY, levenshtein: 1, distance: 1 / 60 }), "1 character of 60: 0.0167");
  assert.equal(distanceInWords({ ...REPLY, levenshtein: null, distance: null }), "undefined: there is no FEN");
  assert.equal(distanceTop([]), 0.1);
  assert.equal(distanceTop([{ distance: 0.17 }, { distance: null }]), 0.2);
  assert.equal(distanceTop([{ distance: 1 }]), 1);
});

test("facts of a reply", () => {
  const facts = Object.fromEntries(factsOf(REPLY, 2).map((fact) => [fact.fact, fact]));
  assert.deepEqual([facts.precision.name, facts.precision.words, facts.precision.value], ["p_2", "0.5000", 0.5]);
  assert.deepEqual([facts.recall.name, facts.recall.value], ["r_2", 0.25]);
  assert.equal(facts.differs.words, "pieces (2 squares), side to move");
  assert.equal(facts.class.spoken, false);
  assert.equal(facts.slips, undefined);
  assert.deepEqual(factsOf(REPLY, 2).filter(({ first }) => first).map(({ fact }) => fact), ["precision", "recall", "distance"]);
  const before = { ...REPLY, precision: [1, 0.75], recall: [0.8, 0.25] };
  assert.deepEqual(factsOf(REPLY, 2, before).slice(0, 3).map(({ step }) => step), ["−0.2500", "", ""]);
  assert.equal(stepInWords(0.5, 0.25), "+0.2500");
  assert.equal(stepInWords(0.5, null), "");
  const bad = factsOf({ ...REPLY, reply_class: "ill_formed", slips: ["1. e4: piece left behind"] }, 1);
  assert.equal(bad.find(({ fact }) => fact === "class").spoken, true);
  assert.equal(bad.find(({ fact }) => fact === "slips").value, 1);
});

test("differences and turns in words", () => {
  assert.equal(differenceInWords({ ...REPLY, exact_match: true }), "nothing");
  assert.equal(differenceInWords({ ...REPLY, predicted_fen: null, wrong_fields: [] }), "everything: there is no FEN");
  assert.equal(differenceInWords({ ...REPLY, wrong_fields: ["castling rights"], different: [] }), "castling rights");
  assert.equal(turnInWords("8/8/8/8/8/8/8/8 b - - 0 1"), "Black to move");
  assert.equal(turnInWords("8/8/8/8/8/8/8/8 w"), "White to move");
  assert.equal(turnInWords("8/8/8/8/8/8/8/8"), "White to move (default)");
});

test("replies that come a few at a time are put together", () => {
  const part = (known, ...plies) => ({ known, game: { title: "t", stops: [], replies: plies.map((ply) => ({ ply })) } });
  const first = merged(null, part(0, 1, 2));
  assert.deepEqual(first.replies.map(({ ply }) => ply), [1, 2]);
  assert.deepEqual(merged(first, part(2, 3)).replies.map(({ ply }) => ply), [1, 2, 3]);
  // A page that knows fewer than the kernel believes asks again; one that knows more believes the kernel.
  assert.equal(merged(null, part(2, 3)), null);
  assert.deepEqual(merged(first, part(1, 7)).replies.map(({ ply }) => ply), [1, 7]);
});

test("how far a model has read", () => {
  const state = { reader: "workbench/small", read: 3, plies: 20, milliseconds: 9.43, done: false };
  assert.equal(readingInWords(state), "workbench/small reads: ply 3 of 20, 9.4 ms a board.");
  assert.equal(readingInWords({ ...state, done: true, milliseconds: 23.6 }), "workbench/small has read 20 plies, 24 ms a board.");
});

test("a game without replies yet", () => {
  const game = { stops: GAME.stops, replies: [] };
  assert.equal(noReplyInWords(game, 3), "There is no reply yet.");
  assert.equal(clickedPly(game, 3.2, 2), 3);
});
