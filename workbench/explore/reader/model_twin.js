// What a page with a language model asks: the boards that the model writes along a game, and the rules of chess. It runs
// in a worker, which answers messages, and in the page itself, which calls it for the rules.

import { parseFen } from "../board/board_model.js";
import { CLASS_WORDS, FIELD_WORDS } from "../page/class_words.js";
import { causesAnswer } from "../twin/loss_causes.js";
import { compareAnswer, textMeasures } from "../twin/pair_comparison.js";
import { whereOver } from "../twin/board_status.js";
import { faultWords } from "../twin/fen_faults.js";
import { squareName, squareNamed } from "../twin/chess_squares.js";
import { readBoard } from "../twin/read_board.js";
import { changeInWords, nextInWords, wrongInWords } from "./believed_words.js";
import { movesOf, stopsOf } from "./game_text.js";
import { patchOf } from "./hand_patch.js";
import { Network, Reading, softmax } from "./network.js";

const PROMOTION_LETTERS = " nbrq";
const BOARD_SLOTS = 64;
/** Of a next move, so that it is named. */
const LEAST_PROBABILITY = 0.005;
const readings = new Map();

/** The text that the tokens of a written board spell; nothing is repaired: the twin of vocabulary.spell. */
export function spelled(tokens, texts) {
  const ranks = [];
  for (let first = 0; first < BOARD_SLOTS; first += 8) {
    let rank = "";
    for (let at = first, empty = 0; at < first + 8; at += 1) {
      empty = tokens[at] === 0 ? empty + 1 : 0;
      const last = at === first + 7 || tokens[at + 1] !== 0;
      rank += tokens[at] === 0 ? (last ? empty : "") : texts[tokens[at]];
    }
    ranks.push(rank);
  }
  return [ranks.join("/"), ...tokens.slice(BOARD_SLOTS).map((token) => texts[token] || "1")].join(" ");
}

/** Moves in UCI as the network reads them. */
function readMoves(moves) {
  return moves.map((uci) => [squareNamed(uci.slice(0, 2)), squareNamed(uci.slice(2, 4)), PROMOTION_LETTERS.indexOf(uci[4] ?? " ")]);
}

/** Of each square how sure the model is of what it writes, and what is next. */
function certaintyOf(logits, texts) {
  return Object.fromEntries(logits.slice(0, BOARD_SLOTS).map((row, slot) => {
    const shares = softmax(row);
    const [first, second] = [...shares.keys()].sort((one, other) => shares[other] - shares[one]);
    const square = `${"abcdefgh"[slot & 7]}${8 - (slot >> 3)}`;
    return [square, { share: shares[first], other: texts[second], otherShare: shares[second] }];
  }));
}

/** A written board and its scores, as GameTracker has a reply. @param {Object} stop Of the game. @param {string} text */
export function replyOf(stop, text, depth, words) {
  const question = { true_fen: stop.fen, predicted_fen: text, line: [], depth, ...words.scoring };
  const boards = [stop.fen, text].map(readBoard);
  const [, board] = boards;
  const readable = board.fen !== null;
  const view = readable ? compareAnswer(question, words).view : null;
  const measures = textMeasures(...boards);
  const wrong = Object.keys(FIELD_WORDS).filter((name) => !measures.correct[name]);
  const longer = Math.max(stop.fen.length, text.length);
  const values = (name) => (view ? view.profile[name].map(({ value }) => value) : Array(depth).fill(0));
  const explained = readable ? view.predicted.words : `No readable FEN: ${faultWords(text)}.`;
  const different = view?.different ?? [];
  const belief = readable ? wrongInWords(parseFen(stop.fen).pieces, parseFen(board.text).pieces, different, wrong) : explained;
  return {
    ply: stop.ply, true_fen: stop.fen, predicted_fen: text, on_board: readable, reply: text, reply_class: board.class,
    words: readable ? explained : `The board that it writes is ${CLASS_WORDS[board.class]}. ${explained}`,
    precision: values("precision"), recall: values("recall"),
    levenshtein: measures.levenshtein, longer, distance: measures.levenshtein / longer, exact_match: measures.exact_match,
    different, wrong_fields: wrong.map((name) => FIELD_WORDS[name]), slips: [],
    game_over: whereOver(readBoard(stop.fen).fen.position, board.fen?.position ?? null) ?? "",
    change: changeInWords(stop, belief),
    refused: view?.moves.only_predicted[0]?.san ?? null,
  };
}

/** p and r of a written board against the board that a hand intends; null where that board cannot arise. */
export function againstIntended(fen, text, depth, words) {
  if (readBoard(fen).class !== "valid") return null;
  const { precision, recall, different } = replyOf({ ply: 0, san: null, fen }, text, depth, words);
  return { precision, recall, different };
}

/** The likeliest next move of a model, and on which board it is legal; null where the model names none, or the game is over. */
function nextMoveOf(reading, namesMoves, stop, reply) {
  if (!namesMoves) return null;
  const legal = movesOf(stop.fen).map(({ uci }) => uci);
  const [likeliest] = reading.nextMoves(stop.ply, LEAST_PROBABILITY);
  if (!likeliest || !legal.length) return null;
  const [from, to, promotion] = likeliest.move;
  const uci = squareName(from) + squareName(to) + PROMOTION_LETTERS[promotion].trim();
  const own = reply.on_board && movesOf(reply.predicted_fen).some((move) => move.uci === uci);
  return { words: nextInWords(uci, likeliest.probability, legal.includes(uci), own), uci, probability: likeliest.probability };
}

const halvesOf = (text) => new Uint16Array(Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0)).buffer);

/** The reading of a model without a hand, or the one with it: each holds its game, so that a comparison reads nothing twice. */
function readingOf(name, hand) {
  const model = readings.get(name);
  if (!hand) return { reading: model.plain, patch: null };
  const text = JSON.stringify(hand);
  if (model.handText !== text) Object.assign(model, { handText: text, patch: patchOf(hand, model.hands) });
  model.patched ??= new Reading(model.plain.network);
  return { reading: model.patched, patch: model.patch };
}

const MODEL_ANSWERS = {
  /** Take the weights of a model. */
  weights({ model }) {
    const plain = new Reading(new Network(model, halvesOf(model.weights)));
    const hands = Object.fromEntries(Object.entries(model.hands ?? {}).map(([kind, hand]) => [kind, { ...hand, means: halvesOf(hand.means) }]));
    readings.set(model.name, { plain, patched: null, namesMoves: model.names_moves, hands });
    return {};
  },
  /** The board that a model writes after a ply of a game; with a hand, also beside the board that it intends. */
  board({ name, moves, stop, depth, hand = null, intended = null }, words) {
    const { reading, patch } = readingOf(name, hand);
    reading.read(readMoves(moves), patch);
    const { tokens, logits } = reading.write(stop.ply);
    const text = spelled(tokens, words.tokens);
    const reply = replyOf(stop, text, depth, words);
    const next = nextMoveOf(reading, readings.get(name).namesMoves, stop, reply);
    const against = intended && againstIntended(intended, text, depth, words);
    return { reply: { ...reply, certainty: certaintyOf(logits, words.tokens), next, intended: against } };
  },
  /** Whether a board can arise in chess. */
  arises({ fen }) {
    return { arises: readBoard(fen).class === "valid" };
  },
  /** A board that the model does not write itself, as if it did. */
  reply({ stop, text, depth }, words) {
    return { reply: replyOf(stop, text, depth, words) };
  },
  causes: causesAnswer,
  game({ text }) {
    return { stops: stopsOf(text) };
  },
  moves({ fen }) {
    return { moves: movesOf(fen) };
  },
};

/**
 * Answer a message of the page.
 * @param {{kind: string, serial: string}} message With what is asked. @param {Object} words Those of pair_comparison.js, and the tokens.
 * @returns {Object} The answer with kind and serial, or a message of the kind "failed".
 */
export function modelTwin({ kind, serial, ...question }, words) {
  try {
    return { ...MODEL_ANSWERS[kind](question, words), kind, serial };
  } catch (error) {
    // A RangeError is about what was asked; any other is a fault here, and is named.
    return { kind: "failed", asked: kind, serial, message: error instanceof RangeError ? error.message : `${error.name}: ${error.message}` };
  }
}

if (typeof document === "undefined") {
  globalThis.onmessage = ({ data: { message, words } }) => globalThis.postMessage(modelTwin(message, words));
}
