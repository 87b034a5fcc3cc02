// All that the page shows of a pair of boards; the twin of pair/pair_view.py and pair/pair_answers.py.

import { squareName } from "./chess_squares.js";
import { SIDED, settle } from "./chess_position.js";
import { fieldsOf, letterOf, positionText } from "./chess_fen.js";
import { exactProfile } from "./joint_walk.js";
import { fenAfter, generatedOrder, legalCodes, sanOf, uciOf } from "./move_names.js";
import { boardAnswer, measuredPosition, readBoard } from "./read_board.js";
import { whereOver } from "./board_status.js";
import { faultWords, unsupportedWords } from "./fen_faults.js";
import { quoted, repr } from "./quoted_texts.js";

const FIELD_NAMES = ["placement", "side_to_move", "castling", "en_passant", "halfmove_clock", "fullmove_number"];
/** As ExplorerSettings has them; what is left at its default is not in the line of code. */
const DEFAULTS = { depth: 4, terminal: "absorb", ill_formed: "as_is" };

/**
 * What a page asks, and how it is answered.
 * @typedef {Object} PairQuestion
 * @property {string} true_fen @property {string} predicted_fen "" for no predicted board.
 * @property {string[]} line @property {number} depth @property {string} terminal @property {string} ill_formed
 *
 * @typedef {Object} TwinWords
 * @property {Object<string, string>} flag_words Of python-chess's status flags.
 * @property {number} exact_budget Joint nodes above the last move that a walk may visit.
 */

/** The boards of a question after its line, or what is wrong with their texts. @param {PairQuestion} question */
function boardsOf({ true_fen: trueFen, predicted_fen: predictedFen, line }) {
  const problems = problemsOf(trueFen, predictedFen);
  if (problems) return { problems };
  let boards = [trueFen, predictedFen].map(readBoard);
  for (const [index, uci] of line.entries()) {
    const codes = boards.map(({ fen }) => (fen ? legalCodes(fen.position).find((code) => uciOf(code) === uci) : undefined));
    if (codes.includes(undefined)) {
      throw new RangeError(`move ${index + 1} of the line: expected a move that both boards permit, got ${quoted(uci)}`);
    }
    boards = boards.map(({ fen }, which) => readBoard(fenAfter(fen, codes[which])));
  }
  return { boards };
}

/** The boards of a question whose texts can be read. @param {PairQuestion} question */
export function readablePair(question) {
  const { boards, problems } = boardsOf(question);
  if (problems) throw new RangeError(Object.entries(problems).map(([which, words]) => `the ${which} FEN cannot be read: ${words}`).join("; "));
  return boards;
}

function problemsOf(trueFen, predictedFen) {
  const found = {
    true: faultWords(trueFen) ?? unsupportedWords(trueFen),
    predicted: readBoard(predictedFen).class === "unparseable" ? faultWords(predictedFen) : null,
  };
  const problems = Object.entries(found).filter(([, words]) => words !== null);
  return problems.length ? Object.fromEntries(problems) : null;
}

/** @param {PairQuestion} question @param {TwinWords} words @returns {Object} See compare_answer in Python. */
export function compareAnswer(question, words) {
  const { boards, problems } = boardsOf(question);
  if (problems) return { problems };
  return {
    view: viewOf(...boards, question, words), line_words: lineWords(question),
    code: `from workbench.explore import BoardPair; BoardPair(${codeArguments(question)})`,
  };
}

function viewOf(ofTrue, ofPredicted, question, words) {
  const began = performance.now();
  const taken = measuredPosition(ofPredicted, question.ill_formed);
  const profile = profileOf(ofTrue.fen.position, taken, question, words.exact_budget);
  if (!taken) profile.reason = `${noStateWords(ofPredicted)}: p and r are 0`;
  const over = whereOver(ofTrue.fen.position, ofPredicted.fen?.position ?? null);
  if (over) profile.reason = `${over}; ${profile.reason}`;
  return {
    true: boardAnswer(ofTrue, words.flag_words), predicted: boardAnswer(ofPredicted, words.flag_words),
    different: ofPredicted.fen ? differentSquareNames(ofTrue.fen.position, ofPredicted.fen.position) : [],
    moves: movesView(ofTrue.fen.position, taken), text: textMeasures(ofTrue, ofPredicted), profile,
    seconds: (performance.now() - began) / 1000,
  };
}

/** Why a predicted board is no state, in words. @param {import("./read_board.js").ReadBoard} board */
export function noStateWords({ fen }) {
  return fen ? "the predicted board is ill-formed and counts as no state" : "no state was predicted";
}

/**
 * The deepest exact profile, up to the depth asked for, that visits no more nodes than the budget.
 * @returns {{depth: number, precision: number[], recall: number[], reason: string}}
 */
export function deepestProfile(ofTrue, ofPredicted, { depth, terminal }, budget) {
  if (terminal === "absorb" && positionText(ofTrue, true) === positionText(ofPredicted, true)) {
    const ones = Array(depth).fill(1);
    return { depth, precision: ones, recall: ones, reason: "exact at every depth: both boards permit the same" };
  }
  const pair = [ofTrue, ofPredicted].map((position) => settle(position.copy()));
  for (let exact = depth; ; exact -= 1) {
    const found = exactProfile(...pair, exact, terminal, exact > 1 ? budget : Infinity);
    const refused = `exact up to depth ${exact}: depth ${exact + 1} has more than ${budget.toLocaleString("en-US")} joint nodes`;
    if (found) return { depth: exact, ...found, reason: exact === depth ? "exact at every depth" : refused };
  }
}

function profileOf(ofTrue, taken, question, budget) {
  const depths = Array.from({ length: question.depth }, (_, index) => index + 1);
  const entry = (value) => ({ value, low: value, high: value, method: "exact" });
  if (!taken) {
    const zeros = depths.map(() => entry(0));
    return { depths, precision: zeros, recall: zeros, exact: true, reason: "" };
  }
  const found = deepestProfile(ofTrue, taken, question, budget);
  const entries = (values) => depths.map((_, index) => (index < values.length ? entry(values[index]) : { ...entry(null), method: "not computed" }));
  const exact = found.depth === question.depth;
  const reason = exact ? found.reason : `${found.reason}; deeper values are not computed on this page`;
  return { depths, precision: entries(found.precision), recall: entries(found.recall), exact, reason };
}

function differentSquareNames(one, other) {
  return [...one.squares.keys()].filter((square) => (one.squares[square] ^ other.squares[square]) & SIDED).map(squareName);
}

function movesView(ofTrue, ofPredicted) {
  const inTrue = generatedOrder(ofTrue, legalCodes(ofTrue));
  const inPredicted = ofPredicted ? generatedOrder(ofPredicted, legalCodes(ofPredicted)) : [];
  const answer = (position, code) => {
    const san = sanOf(position, code);
    const uci = uciOf(code);
    return { uci, from: uci.slice(0, 2), to: uci.slice(2, 4), promotion: letterOf(code >> 12) || null, san, words: san };
  };
  const shared = (code) => {
    const found = answer(ofTrue, code);
    const other = sanOf(ofPredicted, code);
    return other === found.san ? found : { ...found, words: `${found.san} (predicted board: ${other})` };
  };
  return {
    only_true: inTrue.filter((code) => !inPredicted.includes(code)).map((code) => answer(ofTrue, code)),
    only_predicted: inPredicted.filter((code) => !inTrue.includes(code)).map((code) => answer(ofPredicted, code)),
    shared: inTrue.filter((code) => inPredicted.includes(code)).map(shared),
  };
}

/** @param {import("./read_board.js").ReadBoard} ofTrue @param {import("./read_board.js").ReadBoard} ofPredicted */
export function textMeasures(ofTrue, ofPredicted) {
  const [truth, prediction] = [ofTrue, ofPredicted].map(({ text }) => fieldsOf(text));
  const wrong = ofPredicted.fen && differentSquareNames(ofTrue.fen.position, ofPredicted.fen.position).length;
  return {
    exact_match: ofTrue.text === ofPredicted.text,
    levenshtein: editDistance(ofTrue.text, ofPredicted.text), levenshtein_to_empty: !ofPredicted.text,
    board_accuracy: ofPredicted.fen ? 1 - wrong / 64 : null,
    correct: Object.fromEntries(FIELD_NAMES.map((name, index) => [name, truth[index] === prediction[index]])),
  };
}

/** The Levenshtein distance in characters. @param {string} one @param {string} other @returns {number} */
function editDistance(one, other) {
  const [signs, others] = [[...one], [...other]];
  let row = Uint32Array.from({ length: others.length + 1 }, (_, index) => index);
  for (const [index, sign] of signs.entries()) {
    const next = new Uint32Array(row.length);
    next[0] = index + 1;
    for (let at = 1; at < next.length; at += 1) {
      next[at] = Math.min(row[at] + 1, next[at - 1] + 1, row[at - 1] + (sign === others[at - 1] ? 0 : 1));
    }
    row = next;
  }
  return row.at(-1);
}

/** The moves of the line in SAN with PGN's numbers, as the true board names them. */
function lineWords({ true_fen: trueFen, line }) {
  let { fen } = readBoard(trueFen);
  return line.map((uci, index) => {
    const code = legalCodes(fen.position).find((each) => uciOf(each) === uci);
    const san = sanOf(fen.position, code);
    const { number, position } = fen;
    fen = readBoard(fenAfter(fen, code)).fen;
    if (position.turn) return `${number}. ${san}`;
    return index ? san : `${number}... ${san}`;
  });
}

/** The arguments of Python code that recreates the pair. */
function codeArguments(question) {
  const settings = Object.entries(DEFAULTS).filter(([name, value]) => question[name] !== value)
    .map(([name]) => `${name}=${typeof question[name] === "string" ? repr(question[name]) : question[name]}`);
  const line = question.line.length ? [`line=[${question.line.map(repr).join(", ")}]`] : [];
  return [repr(question.true_fen), repr(question.predicted_fen), ...settings, ...line].join(", ");
}
