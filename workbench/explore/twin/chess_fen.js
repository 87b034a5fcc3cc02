// FENs read and written as python-chess reads and writes them: any board, of one to six fields. A clock in digits of
// other scripts than ours is the one thing that python-chess reads and this does not.

import { squareName, squareNamed } from "./chess_squares.js";
import { KIND, PAWN, PROMOTED, ROOK, SIDED, WHITE, Position, cleanRights, kingOf } from "./chess_position.js";
import { MOST_MOVES, legalMoves } from "./legal_moves.js";

const LETTERS = "-pnbrqk";
/** Digits that Python's `int` takes. */
export const MOST_DIGITS = 4300;
const CASTLING = /^(?:-|[KQABCDEFGH]{0,2}[kqabcdefgh]{0,2})$/;

/** The fields of a text, as Python's `split` finds them. @returns {string[]} */
export function fieldsOf(text) {
  return text.split(/[\t-\r\x1c-\x20\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+/).filter(Boolean);
}

const DASHES = "‐‑‒–—―−﹣";
const SLASHES = "∕⁄⧸╱";
const INVISIBLE = /[\u00ad\u034f\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufe0e\ufe0f\ufeff]/g;

/** A text given as a FEN, with single spaces, plain hyphens and slashes, and without invisible signs. */
export function plainFen(text) {
  const plain = text.replace(/[\uff01-\uff5e]/g, (wide) => String.fromCharCode(wide.charCodeAt(0) - 0xfee0))
    .replace(new RegExp(`[${DASHES}]`, "g"), "-").replace(new RegExp(`[${SLASHES}]`, "g"), "/").replace(INVISIBLE, "");
  return fieldsOf(plain).join(" ");
}

/** A count as Python's `int` reads it, at least 0; null for any other text. @returns {bigint|null} */
export function readCount(text) {
  const digits = text.replace(/^[+-]/, "").replace(/(?<=\d)_(?=\d)/g, "");
  if (!/^\d+$/.test(digits) || digits.length > MOST_DIGITS) return null;
  const count = BigInt(digits);
  return text.startsWith("-") && count ? null : count;
}

export function isCastlingField(field) {
  return CASTLING.test(field);
}

/**
 * What a FEN describes.
 * @typedef {Object} ReadFen
 * @property {string} text @property {string[]} fields
 * @property {Position} position With rights and en-passant square as they are written.
 * @property {bigint} halfmoves @property {bigint} number
 */

/** @param {string} text Plain. @returns {ReadFen|null} Null if python-chess cannot read it. */
export function readFen(text) {
  const fields = fieldsOf(text);
  const [placement, turn = "w", castling = "-", passant = "-", halfmoves = "0", number = "1"] = fields;
  const squares = placement === undefined ? null : readPlacement(placement);
  const counts = [halfmoves, number].map(readCount);
  const passantSquare = squareNamed(passant);
  if (!squares || fields.length > 6 || !["w", "b"].includes(turn) || !isCastlingField(castling)
    || (passant !== "-" && passantSquare < 0) || counts.includes(null)) return null;
  const position = new Position();
  position.squares.set(squares);
  position.turn = turn === "w" ? WHITE : 0;
  position.passant = passantSquare;
  position.rights = castling === "-" ? 0 : readRights(castling, position);
  return { text, fields, position, halfmoves: counts[0], number: counts[1] || 1n };
}

/** The pieces of the first field, or null. @returns {Uint8Array|null} */
function readPlacement(placement) {
  const ranks = placement.split("/");
  if (ranks.length !== 8) return null;
  const squares = new Uint8Array(64);
  for (const [index, rank] of ranks.entries()) {
    let at = 8 * (7 - index);
    const end = at + 8;
    if (!/^(?:[1-8](?![1-8])|[pnbrqkPNBRQK]~?)+$/.test(rank)) return null;
    for (const sign of rank) {
      if (sign === "~") squares[at - 1] |= PROMOTED;
      else if (sign >= "1" && sign <= "8") at += Number(sign);
      else if (at < end) {
        const lower = sign.toLowerCase();
        squares[at++] = LETTERS.indexOf(lower) | (lower === sign ? 0 : WHITE);
      } else return null;
    }
    if (at !== end) return null;
  }
  return squares;
}

/** A letter K or Q is the outermost rook on its side of the king, or a corner; another letter is a file. */
function readRights(letters, position) {
  let rights = 0;
  for (const letter of letters) {
    const lower = letter.toLowerCase();
    const side = lower === letter ? 0 : WHITE;
    const rank = side ? 0 : 56;
    const shift = side ? 0 : 8;
    const rooks = [0, 1, 2, 3, 4, 5, 6, 7].filter((file) => (position.squares[rank + file] & SIDED) === (ROOK | side));
    const king = kingOf(position, side);
    if (lower === "q") {
      // Where there is a king and no rook, python-chess takes no right at all.
      if (king >= 0 && !rooks.length) continue;
      rights |= 1 << ((king >= 0 && rank + rooks[0] < king ? rooks[0] : 0) + shift);
    } else if (lower === "k") {
      const outer = rooks.at(-1);
      rights |= 1 << ((king >= 0 && outer !== undefined && king < rank + outer ? outer : 7) + shift);
    } else rights |= 1 << ("abcdefgh".indexOf(lower) + shift);
  }
  return rights;
}

/** @param {number} piece @returns {string} Its letter, White's upper case; "" for none. */
export function letterOf(piece) {
  const letter = piece ? LETTERS[piece & KIND] : "";
  return piece & WHITE ? letter.toUpperCase() : letter;
}

/** The first four fields, as `Board.fen` writes them. @param {Position} position @param {boolean} promoted Whether with "~". */
export function positionText(position, promoted) {
  const ranks = [];
  for (let rank = 7; rank >= 0; rank -= 1) {
    let text = "";
    let empty = 0;
    for (let square = 8 * rank; square < 8 * rank + 8; square += 1) {
      const piece = position.squares[square];
      if (!piece) {
        empty += 1;
        continue;
      }
      text += (empty || "") + letterOf(piece) + (promoted && piece & PROMOTED ? "~" : "");
      empty = 0;
    }
    ranks.push(text + (empty || ""));
  }
  return `${ranks.join("/")} ${position.turn ? "w" : "b"} ${castlingText(position)} ${hasLegalPassant(position) ? squareName(position.passant) : "-"}`;
}

/** The castling rights that have an effect, as `castling_xfen` writes them. @param {Position} position */
export function castlingText(position) {
  const rights = cleanRights(position);
  let text = "";
  for (const [side, rank, shift] of [[WHITE, 0, 0], [0, 56, 8]]) {
    const king = kingOf(position, side);
    if (king < 0) continue;
    for (const file of [7, 0]) {
      if (!(rights >> (file + shift) & 1)) continue;
      const aSide = file < (king & 7);
      const others = [0, 1, 2, 3, 4, 5, 6, 7].filter((other) => other !== file && (position.squares[rank + other] & SIDED) === (ROOK | side));
      const letter = others.some((other) => other < file === aSide) ? "abcdefgh"[file] : aSide ? "q" : "k";
      text += side ? letter.toUpperCase() : letter;
    }
  }
  return text || "-";
}

const codes = new Uint16Array(MOST_MOVES);

/** Whether a pawn may capture en passant, by python-chess's `has_legal_en_passant`, which knows no promoted king. */
function hasLegalPassant(position) {
  if (position.passant < 0) return false;
  const count = legalMoves(position, codes, kingOf(position, position.turn));
  return codes.subarray(0, count).some((code) => isPassant(position, code));
}

/** Whether a legal move captures en passant. */
export function isPassant({ squares, passant }, code) {
  const to = code >> 6 & 63;
  return to === passant && !squares[to] && (squares[code & 63] & KIND) === PAWN && ((to - code) & 7) !== 0;
}

