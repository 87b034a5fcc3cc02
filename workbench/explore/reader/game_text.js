// A game as text, PGN or a list of moves in SAN or UCI, and its positions.

import { readFen } from "../twin/chess_fen.js";
import { fenAfter, generatedOrder, legalCodes, sanOf, uciOf } from "../twin/move_names.js";

const INITIAL = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
const RESULT = /^(?:1-0|0-1|1\/2-1\/2|\*)$/;
/** Characters of a text that is quoted in an error. */
const LONGEST_QUOTE = 20;

/** The words of a text that may be moves: without tags, comments, variations, numbers and results. */
function moveWords(text) {
  let plain = text.replace(/^\s*\[[^\]\n]*\]\s*$/gm, " ").replace(/\{[^}]*\}/g, " ").replace(/;[^\n]*/g, " ");
  for (let before = null; before !== plain;) {
    before = plain;
    plain = plain.replace(/\([^()]*\)/g, " ");
  }
  return plain.replace(/\$\d+/g, " ").replace(/\d+\s*\.+/g, " ").split(/\s+/).filter((word) => word && !RESULT.test(word) && !/^[!?]+$/.test(word));
}

/** SAN without what writers leave out or add. */
function bareMove(san) {
  return san.replace(/[+#!?=]/g, "").replace(/^0-0-0$/, "O-O-O").replace(/^0-0$/, "O-O");
}

/** The legal moves of a FEN in the order of python-chess. @returns {Array<{uci: string, from: string, to: string, san: string, code: number}>} */
export function movesOf(fen) {
  const { position } = readFen(fen);
  return generatedOrder(position, legalCodes(position)).map((code) => {
    const uci = uciOf(code);
    return { uci, from: uci.slice(0, 2), to: uci.slice(2, 4), san: sanOf(position, code), code };
  });
}

/**
 * The positions of a game: the first, and one after each move.
 * @param {string} text @returns {Array<{ply: number, fen: string, san: string|null, uci: string|null}>}
 * @throws {RangeError} If a word is no legal move, or the game does not begin at the initial position.
 */
export function stopsOf(text) {
  if (/^\s*\[FEN\b/mi.test(text)) throw new RangeError("expected a game from the initial position, got one with a FEN of its own");
  const stops = [{ ply: 0, fen: INITIAL, san: null, uci: null }];
  for (const word of moveWords(text)) {
    const { fen, ply } = stops.at(-1);
    const read = readFen(fen);
    const codes = legalCodes(read.position);
    const wanted = bareMove(word);
    const code = codes.find((each) => uciOf(each) === word) ?? codes.find((each) => bareMove(sanOf(read.position, each)) === wanted);
    if (code === undefined) throw new RangeError(`ply ${ply + 1}: expected a legal move in SAN or UCI, got "${word.slice(0, LONGEST_QUOTE)}"`);
    stops.push({ ply: ply + 1, fen: fenAfter(read, code), san: sanOf(read.position, code), uci: uciOf(code) });
  }
  return stops;
}
