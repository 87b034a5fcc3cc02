// What each difference of two boards costs, and the main cause of what precision and recall lose; the twin of
// losses/board_losses.py and losses/main_cause.py.

import { squareName } from "./chess_squares.js";
import { KIND, SIDED, WHITE, checkersOf, settle } from "./chess_position.js";
import { castlingText, positionText } from "./chess_fen.js";
import { endingOf } from "./board_status.js";
import { exactProfile } from "./joint_walk.js";
import { LOST_MEASURES, ROUNDING } from "./joint_tree.js";
import { NO_KING } from "./legal_moves.js";
import { legalCodes } from "./move_names.js";
import { percentText } from "./number_texts.js";
import { readablePair } from "./pair_comparison.js";
import { measuredPosition, readBoard } from "./read_board.js";

/** Of a FEN that ends early. */
const DEFAULT_FIELDS = ["", "w", "-", "-"];
/** The share of all that is lost from which on a cause is named. */
const DOMINANT = 0.5;
const KIND_NAMES = ["", "pawn", "knight", "bishop", "rook", "queen", "king"];

const sideName = (turn) => (turn ? "White" : "Black");
const kindName = (piece) => KIND_NAMES[piece & KIND];
const named = (piece) => `${sideName(piece & WHITE).toLowerCase()} ${kindName(piece)}`;

/** @param {import("./pair_comparison.js").PairQuestion} question @returns {Object} See pair_causes in Python. */
export function causesAnswer(question, { exact_budget: budget }) {
  const [ofTrue, ofPredicted] = readablePair(question);
  if (!ofPredicted.fen) return { ...causesInWords(question.depth, [0, 0], [null, null]), now: { precision: 0, recall: 0 }, differences: [], circumstances: [] };
  const truth = ofTrue.fen.position;
  const taken = measuredPosition(ofPredicted, question.ill_formed);
  const differences = boardDifferences(ofTrue.fen, ofPredicted.fen, question.ill_formed);
  const { at, values } = deepestValues(truth, [taken, ...differences.map(({ mended }) => mended)], question, budget);
  const [now, ...mended] = values;
  const around = taken ? circumstances(truth, taken, differences) : [];
  const named = differences.map(({ words }, index) => ({ words, values: mended[index] }));
  const rows = differences.map(({ label, words, text }, index) => ({ label, words, text, precision: mended[index][0], recall: mended[index][1] }));
  const rounded = (value) => Math.round(value * 1e9);
  return {
    ...causesInWords(at, now, LOST_MEASURES.map((measure) => mainCause(measure, now, named, around))),
    now: { precision: now[0], recall: now[1] },
    differences: rows.sort((one, other) => rounded(other.precision) - rounded(one.precision) || rounded(other.recall) - rounded(one.recall)),
    circumstances: around.map(({ words }) => `${words[0].toUpperCase()}${words.slice(1)}.`),
  };
}

/** Precision and recall of the truth and each position, null for no state, as deep as the budget allows for all of them. */
function deepestValues(truth, positions, { depth, terminal }, budget) {
  const each = Math.max(Math.floor(budget / positions.length), 1);
  for (let at = depth; ; at -= 1) {
    const values = [];
    for (const position of positions) {
      const found = position && exactProfile(settle(truth.copy()), settle(position.copy()), at, terminal, at > 1 ? each : Infinity);
      if (position && !found) break;
      values.push(found ? [found.precision.at(-1), found.recall.at(-1)] : [0, 0]);
    }
    if (values.length === positions.length) return { at, values };
  }
}

/** What a predicted board has wrong, each with the board on which it alone is mended, and its FEN. */
function boardDifferences(ofTrue, ofPredicted, policy) {
  const [written, predicted] = [ofTrue, ofPredicted].map(({ fields }) => [...fields, ...DEFAULT_FIELDS.slice(fields.length)]);
  const mend = (field, value, label, words) => {
    const text = predicted.with(field, value).join(" ");
    return { label, words, text, mended: measuredPosition(readBoard(text), policy) };
  };
  const [truth, position] = [ofTrue.position, ofPredicted.position];
  const found = misplaced(truth.squares, position.squares).map(({ label, words, squares }) => {
    const board = position.copy();
    squares.forEach((square) => { board.squares[square] = truth.squares[square]; });
    return mend(0, positionText(board, true).split(" ")[0], label, words);
  });
  if (truth.turn !== position.turn) {
    const believed = sideName(position.turn);
    found.push(mend(1, written[1], `${believed} is believed to move`, `in truth ${sideName(truth.turn)} is to move, on the predicted board ${believed}`));
  }
  const [rights, predictedRights] = [truth, position].map((one) => castlingText(one).replace("-", "none"));
  if (rights !== predictedRights && written[2] !== predicted[2]) {
    found.push(mend(2, written[2], `castling ${rights}, not ${predictedRights}`, `in truth the castling rights are ${rights}, on the predicted board ${predictedRights}`));
  }
  const passantName = (square) => (square < 0 ? "none" : squareName(square));
  const [passant, predictedPassant] = [truth.passant, position.passant].map(passantName);
  if (passant !== predictedPassant) {
    found.push(mend(3, written[3], `en passant ${passant}, not ${predictedPassant}`, `in truth the en-passant square is ${passant}, on the predicted board ${predictedPassant}`));
  }
  return found;
}

/** Groups of squares whose pieces are wrong, and what is wrong in words, from a1 on. */
function misplaced(inTrue, inPredicted) {
  const differs = (one, other) => ((one ^ other) & SIDED) !== 0;
  const wrong = [...inTrue.keys()].filter((square) => differs(inTrue[square], inPredicted[square]));
  const moves = moved(inTrue, inPredicted, wrong);
  let groups = wrong.map((square) => new Set([square]));
  for (const [home, stands] of moves) {
    const joined = groups.filter((group) => group.has(home) || group.has(stands));
    groups = [...groups.filter((group) => !joined.includes(group)), new Set(joined.flatMap((group) => [...group]))];
  }
  const sorted = groups.map((group) => [...group].sort((one, other) => one - other)).sort((one, other) => one[0] - other[0]);
  return sorted.map((squares) => {
    const within = moves.filter(([home]) => squares.includes(home));
    const names = squares.map(squareName);
    if (squares.length === 1) return { squares, ...wrongSquare(names[0], inTrue[squares[0]], inPredicted[squares[0]]) };
    if (within.length === 1) {
      const [home, stands] = within[0].map(squareName);
      const piece = inTrue[within[0][0]];
      return { squares, label: `${kindName(piece)} ${home}, not ${stands}`, words: `the ${named(piece)} on ${home} is predicted on ${stands}` };
    }
    const label = `${names.length} pieces mixed up (${names.slice(0, 2).join(", ")}${names.length > 2 ? ", …" : ""})`;
    return { squares, label, words: `the pieces on ${names.slice(0, -1).join(", ")} and ${names.at(-1)} are mixed up` };
  });
}

/** Where a piece stands in truth and where it is predicted, each square once a piece, the nearest first. */
function moved(inTrue, inPredicted, wrong) {
  const steps = (one, other) => Math.abs((one & 7) - (other & 7)) + Math.abs((one >> 3) - (other >> 3));
  const pairs = wrong.flatMap((home) => wrong.filter((stands) => inTrue[home] && (inTrue[home] & SIDED) === (inPredicted[stands] & SIDED))
    .map((stands) => [steps(home, stands), home, stands]));
  pairs.sort((one, other) => one[0] - other[0] || one[1] - other[1] || one[2] - other[2]);
  const [left, taken] = [new Set(), new Set()];
  return pairs.filter(([, home, stands]) => {
    if (left.has(home) || taken.has(stands)) return false;
    left.add(home);
    taken.add(stands);
    return true;
  }).map(([, home, stands]) => [home, stands]);
}

function wrongSquare(name, piece, wrong) {
  if (!wrong) return { label: `${kindName(piece)} ${name} missing`, words: `the ${named(piece)} on ${name} is missing` };
  if (!piece) return { label: `extra ${kindName(wrong)} ${name}`, words: `a ${named(wrong)} is predicted on ${name}, where no piece stands` };
  const naming = kindName(piece) === kindName(wrong) ? named : kindName;
  return { label: `${naming(piece)} ${name}, not ${naming(wrong)}`, words: `a ${named(wrong)} is predicted on ${name} instead of a ${named(piece)}` };
}

/** What holds on one board alone and decides about its moves: a finished game, a check. */
function circumstances(ofTrue, ofPredicted, differences) {
  const endings = [ofTrue, ofPredicted].map(endingOf);
  const oneSided = (words, inTruth) => (inTruth ? `in truth ${words}, on the predicted board not` : `on the predicted board ${words}, in truth not`);
  const because = (behind) => (behind.length === 1 ? `, because ${behind[0].words}` : "");
  if (Boolean(endings[0]) !== Boolean(endings[1])) {
    const words = oneSided(`the game is over (${endings[0] || endings[1]})`, Boolean(endings[0]));
    return [{ words: words + because(differences.filter(({ mended }) => mended && endingOf(mended) === endings[0])), lost: [1, 1] }];
  }
  const inCheck = (position) => checkersOf(position).length > 0;
  const checks = [ofTrue, ofPredicted].map(inCheck);
  if (endings.some(Boolean) || ofTrue.turn !== ofPredicted.turn || checks[0] === checks[1]) return [];
  const words = oneSided(`${sideName(ofTrue.turn)} is in check`, checks[0]);
  const behind = differences.filter(({ mended }) => mended && inCheck(mended) === checks[0]);
  const refused = checks[0] ? refusedInCheck(ofTrue, ofPredicted) : refusedInCheck(ofPredicted, ofTrue);
  return [{ words: words + because(behind), lost: checks[0] ? [refused, 0] : [0, refused] }];
}

/** The share of the other board's moves that this one permits but for the check. */
function refusedInCheck(checked, other) {
  const drawn = legalCodes(other);
  const legal = new Set(legalCodes(checked));
  const pseudoLegal = new Set(legalCodes(checked, NO_KING));
  return drawn.filter((code) => !legal.has(code) && pseudoLegal.has(code)).length / drawn.length;
}

/** The one cause of at least half of a measure's loss, or null. */
function mainCause({ index }, values, mended, around) {
  const total = 1 - values[index];
  if (total <= ROUNDING) return null;
  for (const { words, lost } of around) {
    const share = Math.min(lost[index] / total, 1);
    if (share >= DOMINANT) return { words, lost: share * total, share };
  }
  const ranked = mended.map(({ words, values: found }) => ({ words, won: found[index] - values[index] })).sort((one, other) => other.won - one.won);
  if (!ranked.length || ranked[0].won < DOMINANT * total - ROUNDING) return null;
  if (ranked.length > 1 && ranked[0].won - ranked[1].won <= ROUNDING) return null;
  return { words: ranked[0].words, lost: ranked[0].won, share: ranked[0].won / total };
}

/** The causes of both losses as a page shows them. */
function causesInWords(depth, values, causes) {
  const groups = new Map();
  LOST_MEASURES.forEach((measure, index) => {
    if (causes[index]) groups.set(causes[index].words, [...(groups.get(causes[index].words) ?? []), { measure, cause: causes[index] }]);
  });
  return {
    words: [...groups.values()].map((group) => causeSentence(depth, values, group)).join(" "), depth,
    ...Object.fromEntries(LOST_MEASURES.map(({ name }, index) => [name, causes[index]])),
  };
}

function causeSentence(depth, values, group) {
  const { words } = group[0].cause;
  if (group.every(({ measure, cause }) => values[measure.index] === 0 && cause.share > 1 - ROUNDING)) {
    return `${group.map(({ measure }) => `${measure.symbol}_${depth}`).join(" = ")} = 0: ${words}.`;
  }
  const parts = group.map(({ measure, cause }) => `${percentText(cause.lost)} of ${measure.symbol}_${depth}`).join(" and ");
  return `${words[0].toUpperCase()}${words.slice(1)}: ${parts} ${group.length > 1 ? "are" : "is"} lost through it.`;
}
