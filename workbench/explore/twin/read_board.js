// A board as given by a user: the text, its class and its flags; the twin of board/reading.py.

import { plainFen, readFen } from "./chess_fen.js";
import { checkersOf, kingOf } from "./chess_position.js";
import { squareName } from "./chess_squares.js";
import { endingWords, statusFlags } from "./board_status.js";
import { namesRookFiles } from "./fen_faults.js";

/**
 * @typedef {Object} ReadBoard
 * @property {string} text With single spaces and plain hyphens; "" for no board.
 * @property {import("./chess_fen.js").ReadFen|null} fen @property {string} class "valid", "ill_formed", "absent" or "unparseable".
 * @property {string[]} flags
 */

/** @param {string} text @returns {ReadBoard} */
export function readBoard(text) {
  const plain = plainFen(text);
  const fen = plain ? readFen(plain) : null;
  const flags = fen ? statusFlags(fen.position) : [];
  const read = flags.length ? "ill_formed" : "valid";
  return { text: plain, fen, class: fen ? read : plain ? "unparseable" : "absent", flags };
}

/** The position that is measured, or null for the sink. @param {ReadBoard} board @param {string} policy "as_is" or "sink". */
export function measuredPosition(board, policy) {
  return board.class === "valid" || (board.class === "ill_formed" && policy === "as_is") ? board.fen.position : null;
}

/** What the page shows of a board. @param {ReadBoard} board @param {Object<string, string>} flagWords */
export function boardAnswer({ text, fen, class: kind, flags }, flagWords) {
  const [, turn = "w", castling = "-", passant = "-"] = fen?.fields ?? [];
  const words = [kind === "valid" ? "Valid board." : kind === "absent" ? "No board." : `Ill-formed board: ${flags.map((flag) => flagWords[flag]).join("; ")}.`];
  if (namesRookFiles(castling)) words.push(`Chess960 is not supported: its castling letters ${castling} count as KQkq.`);
  const check = fen && checkersOf(fen.position).length ? squareName(kingOf(fen.position, fen.position.turn)) : null;
  if (fen) words.push(endingWords(fen.position) || (check && `${fen.position.turn ? "White" : "Black"} is in check: only moves that end it are legal.`));
  return { fen: text, turn, castling, en_passant: passant, check, class: kind, flags, words: words.filter(Boolean).join(" ") };
}
