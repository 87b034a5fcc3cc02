// Answers questions about a sample of a run, as the page without Python does: JSON of {sample, words, questions} comes in, answers go out.

import { readFileSync } from "node:fs";
import { RunAnswers, columnsOfLists } from "../../../workbench/explore/static_page/run_answers.js";

const { sample, words, questions, opened } = JSON.parse(readFileSync(0, "utf-8"));
const answers = new RunAnswers({ ...sample, data: columnsOfLists(sample.data) }, words);
process.stdout.write(JSON.stringify({ answers: questions.map((question) => answers.answer(question)), opened: opened.map((row) => answers.opened(row)) }));
