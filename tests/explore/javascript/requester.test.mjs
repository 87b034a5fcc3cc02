import assert from "node:assert/strict";
import { test } from "node:test";
import { KERNEL_GONE, Requester } from "../../../workbench/explore/page/requester.js";

/** A model whose messages are kept, and a clock that is moved by hand. */
function setUp({ answers = {}, ...options } = {}) {
  const sent = [];
  let hear = null;
  const model = {
    on: (_name, listener) => { hear = listener; },
    off: () => { hear = null; },
    send: (message) => sent.push(message),
    get: (name) => (name === "answers" ? answers : undefined),
  };
  const clock = { now: 0, next: 1, due: new Map() };
  const timers = {
    set: (act, milliseconds) => { clock.due.set(clock.next, { at: clock.now + milliseconds, act }); return clock.next++; },
    clear: (timer) => clock.due.delete(timer),
  };
  const pass = (milliseconds) => {
    clock.now += milliseconds;
    for (const [timer, { at, act }] of [...clock.due]) if (at <= clock.now && clock.due.delete(timer)) act();
  };
  const requester = new Requester(model, { timers, ...options });
  return { requester, sent, pass, receive: (message) => hear?.(message) };
}

test("edits in quick succession become one question with the last state", () => {
  const { requester, sent, pass } = setUp();
  for (const fen of ["a", "b", "c"]) {
    requester.ask("compare", { fen });
    pass(5);
  }
  assert.equal(sent.length, 0);
  pass(15);
  assert.deepEqual(sent.map(({ fen }) => fen), ["c"]);
});

test("a drop asks at once, and takes the place of what was waiting", () => {
  const { requester, sent, pass } = setUp();
  requester.ask("compare", { fen: "a" });
  requester.ask("compare", { fen: "b" }, true);
  pass(100);
  assert.deepEqual(sent.map(({ fen }) => fen), ["b"]);
});

test("one question is under way; then the newest is asked and the stale answer is dropped", () => {
  const { requester, sent, receive } = setUp();
  const heard = [];
  requester.on("compare", ({ value }) => heard.push(value));
  for (const fen of ["a", "b", "c"]) requester.ask("compare", { fen }, true);
  assert.equal(sent.length, 1);
  receive({ kind: "compare", serial: sent[0].serial, value: 1 });
  assert.deepEqual(sent.map(({ fen }) => fen), ["a", "c"]);
  receive({ kind: "compare", serial: sent[0].serial, value: 2 });
  receive({ kind: "compare", serial: "of another view", value: 3 });
  assert.deepEqual(heard, []);
  receive({ kind: "compare", serial: sent[1].serial, value: 4 });
  assert.deepEqual(heard, [4]);
});

test("kinds do not wait for each other", () => {
  const { requester, sent } = setUp();
  requester.ask("compare", {}, true);
  requester.ask("lost_mass", {}, true);
  assert.deepEqual(sent.map(({ kind }) => kind), ["compare", "lost_mass"]);
});

test("a failure is told once, and the next question may leave", () => {
  const told = [];
  const { requester, sent, receive } = setUp({ onFailed: (message, asked) => told.push([message, asked]) });
  requester.ask("compare", {}, true);
  receive({ kind: "failed", asked: "compare", serial: sent[0].serial, message: "no board" });
  assert.deepEqual(told, [["no board", "compare"]]);
  assert.equal(requester.idle("compare"), true);
  requester.ask("compare", {}, true);
  assert.equal(sent.length, 2);
});

test("the failure of a stale question is not told", () => {
  const told = [];
  const { requester, sent, receive } = setUp({ onFailed: (message) => told.push(message) });
  requester.ask("compare", { fen: "a" }, true);
  requester.ask("compare", { fen: "b" }, true);
  receive({ kind: "failed", asked: "compare", serial: sent[0].serial, message: "no board" });
  assert.deepEqual(told, []);
  assert.equal(sent.length, 2);
});

test("busy is told when it begins and when nothing is under way or waiting", () => {
  const busy = [];
  const { requester, sent, receive } = setUp({ onBusy: (is) => busy.push(is) });
  requester.ask("compare", {}, true);
  requester.ask("compare", {}, true);
  receive({ kind: "compare", serial: sent[0].serial });
  assert.deepEqual(busy, [true]);
  receive({ kind: "compare", serial: sent[1].serial });
  assert.deepEqual(busy, [true, false]);
});

test("a kernel that does not answer is told of", () => {
  const slow = [];
  const { requester, pass } = setUp({ onSlow: (seconds, asked) => slow.push([seconds, asked]), patience: 5 });
  requester.ask("compare", {}, true);
  pass(4999);
  assert.deepEqual(slow, []);
  pass(1);
  assert.deepEqual(slow, [[5, "compare"]]);
});

test("what is forgotten is not heard; messages that nobody asked for are", () => {
  const heard = [];
  const { requester, sent, receive } = setUp();
  requester.on("compare", () => heard.push("compare"));
  requester.on("opened", () => heard.push("opened"));
  requester.ask("compare", {}, true);
  requester.forget("compare");
  receive({ kind: "compare", serial: sent[0].serial });
  receive({ kind: "opened", done: 3 });
  assert.deepEqual(heard, ["opened"]);
});

test("a disposed requester neither hears nor asks", () => {
  const { requester, sent, pass, receive } = setUp();
  requester.ask("compare", {});
  requester.dispose();
  pass(100);
  receive({ kind: "compare", serial: "x" });
  assert.equal(sent.length, 0);
});

test("a kernel that is gone is told: when it restarts, and when a question cannot be sent", () => {
  const listeners = {};
  const model = {
    get: () => undefined, send: () => { throw new Error("Cannot send"); },
    on: (name, act) => { listeners[name] = act; }, off: (name) => { delete listeners[name]; },
  };
  const told = [];
  const requester = new Requester(model, { onGone: () => told.push("gone"), onBusy: (busy) => told.push(busy) });
  listeners.comm_live_update();
  assert.deepEqual(told, ["gone"]);
  requester.ask("compare", {}, true);
  assert.deepEqual(told, ["gone", "gone"]);
  assert.equal(requester.idle("compare"), true);
  requester.dispose();
  assert.deepEqual(listeners, {});

  const failed = [];
  const plain = new Requester(model, { onFailed: (message, asked) => failed.push([message, asked]) });
  listeners.comm_live_update();
  plain.ask("open", {}, true);
  assert.deepEqual(failed, [[KERNEL_GONE, "open"]]);
});

test("a question whose answer the model keeps is answered without the kernel", async () => {
  const heard = [];
  const busy = [];
  const answers = { compare: { question: { depth: 4, line: [], nested: { a: 1, b: 2 } }, answer: { value: 7 } } };
  const { requester, sent } = setUp({ answers, onBusy: (is) => busy.push(is) });
  requester.on("compare", ({ value }) => heard.push(value));
  requester.ask("compare", { nested: { b: 2, a: 1 }, line: [], depth: 4 }, true);
  await Promise.resolve();
  assert.deepEqual([heard, sent, busy], [[7], [], [true, false]]);
  requester.ask("compare", { nested: { b: 2, a: 1 }, line: [], depth: 5 }, true);
  await Promise.resolve();
  assert.deepEqual([heard.length, sent.length], [1, 1]);
});

test("a kept answer that is stale when it comes is dropped", async () => {
  const heard = [];
  const answers = { compare: { question: { fen: "a" }, answer: { value: 1 } } };
  const { requester, sent, receive } = setUp({ answers });
  requester.on("compare", ({ value }) => heard.push(value));
  requester.ask("compare", { fen: "a" }, true);
  requester.ask("compare", { fen: "b" }, true);
  await Promise.resolve();
  assert.deepEqual(sent.map(({ fen }) => fen), ["b"]);
  receive({ kind: "compare", serial: sent[0].serial, value: 2 });
  assert.deepEqual(heard, [2]);
});

test("progress is told while a question is under way, and puts off the word that it takes long", () => {
  const told = [];
  const { requester, sent, pass, receive } = setUp({
    patience: 5, onProgress: (words) => told.push(words), onSlow: (seconds) => told.push(seconds),
  });
  receive({ kind: "progress", words: "of another widget" });
  requester.ask("compare", {}, true);
  pass(4000);
  receive({ kind: "progress", words: "12 of 25" });
  pass(4000);
  assert.deepEqual(told, ["12 of 25"]);
  pass(1000);
  assert.deepEqual(told, ["12 of 25", 5]);
  receive({ kind: "compare", serial: sent[0].serial });
});
