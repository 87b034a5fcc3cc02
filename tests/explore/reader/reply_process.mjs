// Scores written boards as a page with a language model does: see test_replies.py.

import { readFileSync } from "node:fs";
import { stopsOf } from "../../../workbench/explore/reader/game_text.js";
import { replyOf, spelled } from "../../../workbench/explore/reader/model_twin.js";

const { moves, texts, tokens, depth, words } = JSON.parse(readFileSync(0, "utf8"));
const stops = stopsOf(moves);
const replies = texts.map((text, index) => replyOf(stops[index + 1], text, depth, words));
process.stdout.write(JSON.stringify({ replies, fens: stops.map(({ fen }) => fen), spelled: tokens.map((row) => spelled(row, words.tokens)) }));
