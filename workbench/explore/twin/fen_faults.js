// The problems of a FEN in plain words; the twin of board/fen_problems.py.

import { squareNamed } from "./chess_squares.js";
import { MOST_DIGITS, fieldsOf, isCastlingField, plainFen, readCount, readFen } from "./chess_fen.js";
import { cutLong, quoted, repr } from "./quoted_texts.js";

const MOST = 3;
const MOST_RANKS = 64;
const LONGEST_SHOWN = 24;
const FIELDS = "pieces, side to move, castling, en passant, half-move clock, move number";

/** Why a text cannot be read as a FEN, or null if it can. @param {string} text @returns {string|null} */
export function faultWords(text) {
  const plain = plainFen(text);
  if (!plain) return "there is no text; a FEN begins with the pieces: rank 8 first, '/' between ranks";
  if (readFen(plain)) return null;
  const found = faults(fieldsOf(plain));
  const more = found.length - MOST;
  return found.slice(0, MOST).join(". Also: ") + (more > 0 ? `. And ${more} more` : "");
}

/** Why a true board that can be read has no measures here, or null if it has. @param {string} text */
export function unsupportedWords(text) {
  const [, , rights = ""] = fieldsOf(plainFen(text));
  if (!readFen(plainFen(text)) || !namesRookFiles(rights)) return null;
  return `Chess960 is not supported: the castling letters ${repr(rights)} name files of rooks; write K, Q, k and q for the castling of standard chess`;
}

/** Whether castling letters name files, as in Chess960. @param {string} rights */
export function namesRookFiles(rights) {
  return /[A-Ha-h]/.test(rights);
}

function faults(fields) {
  const [placement, ...others] = fields;
  const broken = [turnFault, castlingFault, passantFault, halfmoveFault, numberFault].flatMap((check, index) =>
    (index < others.length && check(others[index])) || []);
  const found = [...placementFaults(placement), ...broken];
  if (fields.length > 6) {
    found.push(`there are ${fields.length} fields; a FEN has 6: ${FIELDS}. The first too many is ${quoted(fields[6])}`);
  } else if (broken.length && fields.length < 6) {
    found.push(`there are ${fields.length} of the 6 fields (${FIELDS}); one may have been left out in between`);
  }
  return found;
}

function placementFaults(placement) {
  const ranks = placement.split("/");
  const there = ranks.length === 1 ? "there is 1 rank" : `there are ${ranks.length} ranks`;
  const ofRanks = ranks.slice(0, MOST_RANKS).flatMap((rank, index) =>
    rankFault(ranks.length === 8 ? `rank ${8 - index}` : `rank number ${index + 1} in the text`, rank));
  return [...(ranks.length === 8 ? [] : [`${there}; a board has 8, with '/' between them`]), ...ofRanks];
}

/** A sign in quotation marks; with its code point where it may look like another. */
function namedSign(sign) {
  const shown = repr(sign);
  const code = sign.codePointAt(0);
  return code < 0x80 || shown.includes("\\") ? shown : `${shown} (U+${code.toString(16).toUpperCase().padStart(4, "0")})`;
}

function rankFault(name, rank) {
  if (!rank) return [`${name} is empty; a rank without pieces is '8'`];
  const unknown = [...new Set(rank.replace(/[1-8PNBRQKpnbrqk~]/g, ""))];
  if (unknown.length) {
    return [`${name} has ${cutLong(unknown.map(namedSign).join(", "))}: ${quoted(rank)}; pieces are P N B R Q K for White and p n b r q k for `
      + "Black, and a digit from 1 to 8 counts empty squares"];
  }
  const found = [];
  if (/[1-8][1-8]/.test(rank)) found.push(`${name} has two digits one after the other: ${quoted(rank)}; write their sum`);
  if (/(?:^|[^PNBRQKpnbrqk])~/.test(rank)) found.push(`${name} has a '~' that follows no piece: ${quoted(rank)}; it marks a promoted piece`);
  let squares = 0;
  for (const sign of rank) if (sign !== "~") squares += /[1-8]/.test(sign) ? Number(sign) : 1;
  if (squares !== 8) found.push(`${name} has ${squares} ${squares === 1 ? "square" : "squares"}: ${quoted(rank)}; a rank has 8`);
  return found;
}

function turnFault(field) {
  return field === "w" || field === "b" ? null : `the side to move is ${quoted(field)}; it is w or b`;
}

function castlingFault(field) {
  if (isCastlingField(field)) return null;
  return `the castling field is ${quoted(field)}; it holds up to two letters for White (K, Q), then up to two for Black (k, q), or is - for none`;
}

function passantFault(field) {
  if (field === "-" || squareNamed(field) >= 0) return null;
  return `the en-passant square is ${quoted(field)}; it is a square such as e3, or - for none`;
}

function halfmoveFault(field) {
  return countFault("half-move clock", field);
}

function numberFault(field) {
  return countFault("move number", field);
}

function countFault(name, field) {
  if (readCount(field) !== null) return null;
  const shown = quoted(field, LONGEST_SHOWN);
  const digits = field.replace(/^[+-]+|[+-]+$/g, "");
  if (/^-\d+$/.test(field) && digits.length <= MOST_DIGITS) return `the ${name} is ${shown}; it cannot be negative`;
  return /^\d+$/.test(digits) && digits.length > MOST_DIGITS ? `the ${name} ${shown} is too long to read` : `the ${name} is ${shown}; it is a whole number of at least 0`;
}
