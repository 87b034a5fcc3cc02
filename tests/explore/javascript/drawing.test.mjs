import assert from "node:assert/strict";
import { test } from "node:test";
import { arrowShape, distinctArrows } from "../../../workbench/explore/board/arrows.js";
import { linearScale, linePath, nearest, probabilityText, roundTicks } from "../../../workbench/explore/page/chart.js";
import { lineToStep, lossRows, shareText } from "../../../workbench/explore/losses/loss_bars.js";
import { intervalText } from "../../../workbench/explore/pair/numbers_panel.js";
import { arrowsOf, meaningOfClick, targetSquares } from "../../../workbench/explore/board/pair_arrows.js";
import { causesInWords, costText, harmonicMean, lostWords } from "../../../workbench/explore/pair/verdict_bar.js";
import { declarations } from "../../../workbench/explore/page/svg.js";

const move = (uci) => ({ uci, from: uci.slice(0, 2), to: uci.slice(2, 4) });
const MOVES = {
  only_true: [move("f3g5")], only_predicted: [move("e2g3")],
  shared: [move("e4e5"), move("d2d4"), move("c3d5"), move("e4d5"), move("a7a8q"), move("a7a8r")],
};

test("an arrow starts and ends at the middle of its squares, and turns with the board", () => {
  const up = arrowShape("e2", "e4", false);
  assert.deepEqual([up.shaft[0], up.shaft[2], up.head[0][0]], [202.5, 202.5, 202.5]);
  assert.deepEqual(up.head[0], [202.5, 206.5]);
  assert.deepEqual(arrowShape("e2", "e4", true).head[0], [157.5, 153.5]);
});

test("promotions of one pawn are one arrow", () => {
  const arrows = MOVES.shared.map(({ from, to }) => ({ from, to, look: "shared" }));
  assert.equal(distinctArrows(arrows).length, 5);
});

test("each board has its own lost moves, and the shared ones of a square or all", () => {
  const wish = { differing: true, shared: false, square: null, pointed: null };
  assert.deepEqual(arrowsOf("true", MOVES, wish), [{ from: "f3", to: "g5", look: "true" }]);
  assert.deepEqual(arrowsOf("predicted", MOVES, wish), [{ from: "e2", to: "g3", look: "predicted" }]);
  assert.equal(arrowsOf("true", MOVES, { ...wish, square: "e4" }).length, 3);
  assert.equal(arrowsOf("true", MOVES, { ...wish, differing: false, shared: true }).length, 6);
});

test("a move pointed at in a list is alone, on the boards that permit it", () => {
  const wish = { differing: true, shared: true, square: "e4", pointed: { move: move("f3g5"), look: "true" } };
  assert.deepEqual(arrowsOf("true", MOVES, wish), [{ from: "f3", to: "g5", look: "true" }]);
  assert.deepEqual(arrowsOf("predicted", MOVES, wish), []);
});

test("a click on the end of a shared move that is shown steps; another one chooses its moves", () => {
  assert.deepEqual(targetSquares(MOVES, "e4", false), ["e5", "d5"]);
  assert.deepEqual(targetSquares(MOVES, null, false), []);
  assert.deepEqual(meaningOfClick("e4", MOVES, null, false), { kind: "choose", square: "e4" });
  assert.deepEqual(meaningOfClick("e4", MOVES, "e4", false), { kind: "choose", square: null });
  assert.deepEqual(meaningOfClick("d5", MOVES, "e4", false).moves.map(({ uci }) => uci), ["e4d5"]);
  assert.deepEqual(meaningOfClick("d5", MOVES, null, true).moves.map(({ uci }) => uci), ["c3d5", "e4d5"]);
  assert.deepEqual(meaningOfClick("a8", MOVES, "a7", false).moves.length, 2);
  assert.deepEqual(meaningOfClick("h5", MOVES, "e4", false), { kind: "choose", square: null });
});

test("scales and ticks", () => {
  assert.equal(linearScale([0, 1], [100, 0])(0.25), 75);
  assert.equal(linearScale([3, 3], [0, 10])(3), 5);
  assert.deepEqual(roundTicks(0, 1, 4), [0, 0.5, 1]);
  assert.deepEqual(roundTicks(0, 1, 5), [0, 0.2, 0.4, 0.6, 0.8, 1]);
  assert.deepEqual(roundTicks(1, 4, 6), [1, 2, 3, 4].flatMap((tick) => (tick < 4 ? [tick, tick + 0.5] : [tick])));
  assert.deepEqual(roundTicks(2, 2), [2]);
  assert.equal(nearest([1, 5, 9], (value) => Math.abs(value - 6)), 5);
});

test("a line has a gap where a value is undefined", () => {
  const same = (value) => value;
  const points = [{ x: 1, y: 2 }, { x: 2, y: null }, { x: 3, y: 4 }, { x: 4, y: 5 }];
  assert.equal(linePath(points, same, same), "M1.00,2.00M3.00,4.00L4.00,5.00");
});

test("probabilities are written so that a small one is not 0 and an undefined one no number", () => {
  assert.equal(probabilityText(0.81081), "0.8108");
  assert.equal(probabilityText(0), "0.0000");
  assert.equal(probabilityText(0.0000123), "1.23e−5");
  assert.equal(probabilityText(null), "undefined");
  assert.equal(intervalText({ value: 0.5, low: 0.5, high: 0.5 }), "0.5000");
  assert.equal(intervalText({ value: 0.5, low: 0.4, high: 0.6 }), "0.5000 (0.4000 to 0.6000)");
});

test("branches that lose equally much are one bar, and the small ones are one", () => {
  const lost = (name, mass) => ({ kind: "lost", line: [name], lost: mass, words: `${name}: legal only in the prediction, ${100 * mass}% of p lost` });
  const root = { lost: 0.5, children: [
    ...["Na3", "Nc3", "Nd5"].map((name) => lost(name, 0.05)),
    { kind: "shared", line: ["e2e4"], lost: 0.1, words: "e4: legal on both boards, 10% of p lost after it" },
    ...[0.04, 0.03, 0.035, 0.034, 0.02].map((mass, index) => lost(`h${index + 1}`, mass)),
    { kind: "merged", line: [], lost: 0.091, words: "12 smaller branches: 9.1% of p lost" },
  ] };
  const rows = lossRows(root, "move");
  assert.equal(rows[0].words, "3 moves, each 5% of p lost: Na3, Nc3, Nd5; legal only in the prediction");
  assert.equal(rows[1].words, root.children[3].words);
  assert.equal(rows.length, 7);
  assert.equal(rows[6].words, "13 more moves: 22.2% of what is lost");
  assert.ok(Math.abs(rows.reduce((sum, row) => sum + row.lost, 0) - root.lost) < 1e-12);
  assert.deepEqual(lossRows({ lost: 0, children: [] }, "move"), []);
});

test("the verdict says what is lost, what each cause costs, and whether the parts make the whole", () => {
  const nouns = { state: "board" };
  assert.equal(costText(0.567), "−0.57");
  assert.equal(costText(-0.02), "+0.02");
  assert.equal(costText(0.004), "0.00");
  assert.equal(harmonicMean(0.5, 1), 2 / 3);
  assert.equal(harmonicMean(0, 0), 0);
  assert.equal(harmonicMean(null, 1), null);
  assert.equal(lostWords(1, 1, nouns), "Nothing is lost.");
  assert.equal(lostWords(0.25, 0.995, nouns), "The true board refuses 75% of the predicted lines, the predicted one under 1% of the true lines.");
  const hidden = causesInWords(0.1, [{ precision: 0.4 }, { precision: 0.2 }], nouns);
  assert.equal(hidden, "One by one they give back 0.40 of the 0.90 of p that is lost: the errors hide each other.");
  assert.match(causesInWords(0.5, [{ precision: 0.9 }, { precision: 0.9 }], nouns), /0\.80 of the 0\.50 .* some lines come back with either correction/);
  assert.equal(causesInWords(0.5, [{ precision: 0.8 }, { precision: 0.7 }], nouns), "");
  assert.equal(causesInWords(0.972, [{ precision: 0.99 }, { precision: 0.984 }], nouns), "");
});

test("of many differing moves only those of the piece pointed at have arrows", () => {
  const many = { only_true: ["2", "3"].flatMap((rank) => Array.from("abcdefgh", (file) => move(`${file}${rank}${file}4`))), only_predicted: Array.from("abcde", (file) => move(`${file}7${file}5`)), shared: [] };
  const wish = { differing: true, shared: false, square: null, pointed: null };
  assert.deepEqual(arrowsOf("true", many, wish), []);
  assert.deepEqual(arrowsOf("true", many, { ...wish, square: "b2" }), [{ from: "b2", to: "b4", look: "true" }]);
});

test("a lost move cannot be made: its cell leads to the boards before it", () => {
  assert.deepEqual(lineToStep({ kind: "lost", line: ["e2e4", "e7e5"] }), ["e2e4"]);
  assert.deepEqual(lineToStep({ kind: "shared", line: ["e2e4"] }), ["e2e4"]);
  assert.deepEqual(lineToStep({ kind: "root", line: [] }), []);
});

test("shares are written in per cent", () => {
  assert.equal(shareText(0.0814), "8.1%");
  assert.equal(shareText(0.0004), "less than 0.1%");
  assert.equal(shareText(null), "an undefined share");
});

test("the style of a drawing is split into names and values", () => {
  assert.deepEqual(declarations("fill:#000; stroke : #fff;"), [["fill", "#000"], ["stroke", "#fff"]]);
  assert.deepEqual(declarations(""), []);
});
