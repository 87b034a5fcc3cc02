// Answers questions to the twin, one JSON value a line, in their order: see twin_process.py.

import { createInterface } from "node:readline";
import { crc32 } from "node:zlib";
import { plainFen, readFen } from "../../../workbench/explore/twin/chess_fen.js";
import { BISHOP, KIND, KING, KNIGHT, PAWN, PROMOTED, Position, QUEEN, ROOK, WHITE, settle } from "../../../workbench/explore/twin/chess_position.js";
import { exactProfile } from "../../../workbench/explore/twin/joint_walk.js";
import { MOST_MOVES, legalMoves } from "../../../workbench/explore/twin/legal_moves.js";
import { play } from "../../../workbench/explore/twin/move_making.js";
import { answerQuestion } from "../../../workbench/explore/twin/pair_twin.js";

const codes = new Uint16Array(MOST_MOVES);
const settled = (fen) => settle(readFen(plainFen(fen)).position);

/** The bytes of a packed row of environments/chess/kernel/packed_boards.py. */
function packed({ squares, turn, rights, passant }) {
  const row = new Uint8Array(64);
  for (let square = 0; square < 64; square += 1) {
    const piece = squares[square];
    if (!piece) continue;
    const kind = piece & KIND;
    const words = [
      kind === PAWN, kind === KNIGHT, kind === BISHOP || kind === QUEEN, kind === ROOK || kind === QUEEN, kind === KING,
      piece & WHITE, piece & PROMOTED,
    ];
    words.forEach((is, word) => { if (is) row[8 * word + (square >> 3)] |= 1 << (square & 7); });
  }
  row[56] = (turn ? 1 : 0) | (passant + 1) << 1;
  row[57] = rights & 0xff;
  row[63] = rights >> 8;
  return row;
}

function countLines(position, depth) {
  const count = legalMoves(position, codes);
  if (depth === 1) return count;
  const here = codes.slice(0, count);
  const after = new Position();
  return here.reduce((sum, code) => sum + countLines(play(position, code, after), depth - 1), 0);
}

const answers = {
  /** The codes of the legal moves in their order, and a checksum of the rows after them. */
  moves({ fen }) {
    const position = settled(fen);
    const found = [...codes.subarray(0, legalMoves(position, codes))].sort((one, other) => one - other);
    const after = new Position();
    return [found, found.reduce((sum, code) => crc32(packed(play(position, code, after)), sum), 0)];
  },
  /** How many lines of so many moves there are (perft). */
  lines({ fen, depth }) {
    return countLines(settled(fen), depth);
  },
  profile({ fens, depth, terminal }) {
    return exactProfile(...fens.map(settled), depth, terminal);
  },
  /** What a page with a pair is answered. */
  page({ message, words }) {
    return answerQuestion(message, words);
  },
  /** Milliseconds of processor time for the profile of each pair, each read anew. */
  times({ pairs, depth }) {
    return pairs.map((fens) => {
      const began = process.cpuUsage();
      exactProfile(...fens.map(settled), depth, "absorb");
      const { user, system } = process.cpuUsage(began);
      return (user + system) / 1000;
    });
  },
};

for await (const line of createInterface({ input: process.stdin })) {
  const question = JSON.parse(line);
  process.stdout.write(`${JSON.stringify(answers[question.kind](question))}\n`);
}
