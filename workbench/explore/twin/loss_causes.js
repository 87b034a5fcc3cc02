// The differences of two boards one by one, and the main cause of what precision and recall lose; the twin of
// losses/board_differences.py, losses/board_causes.py and losses/main_cause.py.

import { squareName } from "./chess_squares.js";
import { KIND, SIDED, WHITE, checkersOf, settle } from "./chess_position.js";
import { castlingText } from "./chess_fen.js";
import { endingOf } from "./board_status.js";
import { exactProfile } from "./joint_walk.js";
import { LOST_MEASURES, ROUNDING } from "./joint_tree.js";
import { NO_KING } from "./legal_moves.js";
import { legalCodes } from "./move_names.js";
import { percentText } from "./number_texts.js";

const MOST_DIFFERENCES = 12;
/** The share of all that is lost from which on a cause is named. */
const DOMINANT = 0.5;
const KIND_NAMES = ["", "pawn", "knight", "bishop", "rook", "queen", "king"];

const sideName = (turn) => (turn ? "White" : "Black");
const named = (piece) => `${sideName(piece & WHITE).toLowerCase()} ${KIND_NAMES[piece & KIND]}`;

/** The main causes of the losses in words, at the depth of the settings or a smaller one that the budget allows. */
export function mainCauses(ofTrue, ofPredicted, valuesAtDepth, { depth, terminal }, budget) {
  const differences = boardDifferences(ofTrue, ofPredicted);
  const each = Math.max(Math.floor(budget / Math.max(differences.length, 1)), 1);
  const values = (predicted, at) => {
    const found = exactProfile(settle(ofTrue.copy()), settle(predicted.copy()), at, terminal, at > 1 ? each : Infinity);
    return found && [found.precision.at(-1), found.recall.at(-1)];
  };
  for (let at = depth; ; at -= 1) {
    const mended = differences.map(({ words, mended: predicted }) => ({ words, values: values(predicted, at) }));
    const here = at === depth ? valuesAtDepth : values(ofPredicted, at);
    if (!here || mended.some(({ values: found }) => !found)) continue;
    const around = circumstances(ofTrue, ofPredicted, differences);
    return causesInWords(at, here, LOST_MEASURES.map((measure) => mainCause(measure, here, mended, around)));
  }
}

/** What a predicted board has wrong, each with the board on which it alone is mended. */
function boardDifferences(ofTrue, ofPredicted) {
  const mend = (change) => {
    const mended = ofPredicted.copy();
    change(mended);
    return mended;
  };
  const found = misplaced(ofTrue.squares, ofPredicted.squares).map(({ words, squares }) => ({
    words, mended: mend((board) => squares.forEach((square) => { board.squares[square] = ofTrue.squares[square]; })),
  }));
  if (ofTrue.turn !== ofPredicted.turn) {
    found.push({
      words: `in truth ${sideName(ofTrue.turn)} is to move, on the predicted board ${sideName(ofPredicted.turn)}`,
      mended: mend((board) => { board.turn = ofTrue.turn; }),
    });
  }
  const [rights, predictedRights] = [ofTrue, ofPredicted].map(castlingText);
  const orNone = (text) => (text === "-" ? "none" : text);
  if (rights !== predictedRights) {
    found.push({
      words: `in truth the castling rights are ${orNone(rights)}, on the predicted board ${orNone(predictedRights)}`,
      mended: mend((board) => { board.rights = ofTrue.rights; }),
    });
  }
  const passantName = (square) => (square < 0 ? "none" : squareName(square));
  if (ofTrue.passant !== ofPredicted.passant) {
    found.push({
      words: `in truth the en-passant square is ${passantName(ofTrue.passant)}, on the predicted board ${passantName(ofPredicted.passant)}`,
      mended: mend((board) => { board.passant = ofTrue.passant; }),
    });
  }
  return found.length <= MOST_DIFFERENCES ? found : [];
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
    if (squares.length === 1) return { squares, words: wrongSquare(squares[0], inTrue[squares[0]], inPredicted[squares[0]]) };
    if (within.length === 1) {
      const [[home, stands]] = within;
      return { squares, words: `the ${named(inTrue[home])} on ${squareName(home)} is predicted on ${squareName(stands)}` };
    }
    const names = squares.map(squareName);
    return { squares, words: `the pieces on ${names.slice(0, -1).join(", ")} and ${names.at(-1)} are mixed up` };
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

function wrongSquare(square, piece, wrong) {
  const name = squareName(square);
  if (!wrong) return `the ${named(piece)} on ${name} is missing`;
  if (!piece) return `a ${named(wrong)} is predicted on ${name}, where no piece stands`;
  return `a ${named(wrong)} is predicted on ${name} instead of a ${named(piece)}`;
}

/** What holds on one board alone and decides about its moves: a finished game, a check. */
function circumstances(ofTrue, ofPredicted, differences) {
  const endings = [ofTrue, ofPredicted].map(endingOf);
  const oneSided = (words, inTruth) => (inTruth ? `in truth ${words}, on the predicted board not` : `on the predicted board ${words}, in truth not`);
  const because = (behind) => (behind.length === 1 ? `, because ${behind[0].words}` : "");
  if (Boolean(endings[0]) !== Boolean(endings[1])) {
    const words = oneSided(`the game is over (${endings[0] || endings[1]})`, Boolean(endings[0]));
    return [{ words: words + because(differences.filter(({ mended }) => endingOf(mended) === endings[0])), lost: [1, 1] }];
  }
  const inCheck = (position) => checkersOf(position).length > 0;
  const checks = [ofTrue, ofPredicted].map(inCheck);
  if (endings.some(Boolean) || ofTrue.turn !== ofPredicted.turn || checks[0] === checks[1]) return [];
  const words = oneSided(`${sideName(ofTrue.turn)} is in check`, checks[0]);
  const behind = differences.filter(({ mended }) => inCheck(mended) === checks[0]);
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
export function causesInWords(depth, values, causes) {
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
