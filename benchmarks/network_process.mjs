// Reads games with the network of a page: see network_twin.py. The first line is a model, each other one a question.

import { createInterface } from "node:readline";
import { Network, Reading } from "../workbench/explore/reader/network.js";

const base64 = (rows) => Buffer.concat(rows.map((row) => Buffer.from(row.buffer, row.byteOffset, row.byteLength))).toString("base64");

const answers = {
  /** The tokens and logits of the boards after some plies; milliseconds of processor time of each. */
  boards(reading, { moves, plies }) {
    const boards = plies.map((ply) => {
      const began = process.cpuUsage();
      reading.read(moves.slice(0, ply));
      const board = reading.write(ply);
      const { user, system } = process.cpuUsage(began);
      return { ...board, milliseconds: (user + system) / 1000 };
    });
    return {
      tokens: boards.map(({ tokens }) => tokens), milliseconds: boards.map(({ milliseconds }) => milliseconds),
      logits: base64(boards.flatMap(({ logits }) => logits)),
    };
  },
  next_moves(reading, { moves, plies: [ply], least }) {
    reading.read(moves);
    return reading.nextMoves(ply, least);
  },
};

let reading = null;
for await (const line of createInterface({ input: process.stdin })) {
  const question = JSON.parse(line);
  if (!reading) {
    const bytes = Uint8Array.from(Buffer.from(question.weights, "base64"));
    reading = new Reading(new Network(question, new Uint16Array(bytes.buffer)));
  } else process.stdout.write(`${JSON.stringify(answers[question.kind](reading, question))}\n`);
}
