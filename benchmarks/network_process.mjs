// Reads games with the network of a page: see network_twin.py. The first line is a model, each other one a question.

import { createInterface } from "node:readline";
import { patchOf } from "../workbench/explore/reader/hand_patch.js";
import { Network, Reading } from "../workbench/explore/reader/network.js";

const base64 = (rows) => Buffer.concat(rows.map((row) => Buffer.from(row.buffer, row.byteOffset, row.byteLength))).toString("base64");

const halves = (text) => new Uint16Array(Uint8Array.from(Buffer.from(text, "base64")).buffer);

const answers = {
  /** The tokens and logits of the boards after some plies, with a hand if there is one; milliseconds of processor time of each. */
  boards(reading, { moves, plies, hand = null }) {
    const patch = hand && patchOf(hand, hands);
    const boards = plies.map((ply) => {
      const began = process.cpuUsage();
      reading.read(moves.slice(0, ply), patch);
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
let hands = {};
for await (const line of createInterface({ input: process.stdin })) {
  const question = JSON.parse(line);
  if (!reading) {
    reading = new Reading(new Network(question, halves(question.weights)));
    hands = Object.fromEntries(Object.entries(question.hands ?? {}).map(([kind, hand]) => [kind, { ...hand, means: halves(hand.means) }]));
  } else process.stdout.write(`${JSON.stringify(answers[question.kind](reading, question))}\n`);
}
