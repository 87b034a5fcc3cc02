// The last answers of RunBrowser on a page, which become live in their places over a sample of their rows. Hooks: data-live-run (the state as JSON; "open" once it is live), data-role="run-sample".

import { htmlElement } from "../page/svg.js";
import { spelledCount } from "../page/spelled_count.js";
import { showRun } from "../run/run_view.js";
import { openNearPlaces, unpacked } from "./live_places.js";
import { PageModel } from "./page_model.js";
import { followTheme } from "./page_theme.js";
import { RunAnswers, columnsOfLists } from "./run_answers.js";

/** @param {{pieces: Object, style: string}} content Of live_runs in run_sample.py. */
export function openLiveRuns({ pieces, style }) {
  openNearPlaces("liveRun", style, async (place, { traits, words, packed }) => {
    const sample = await unpacked(packed);
    followTheme();
    const data = columnsOfLists(sample.data);
    const answers = new RunAnswers({ ...sample, data }, words);
    const model = new PageModel({ ...traits, data, choices: sample.choices, pieces, opened: {}, beside: {} }, {
      ask: (message, onAnswer) => setTimeout(() => {
        if (message.kind === "open") model.set("opened", answers.opened(message.row));
        onAnswer(answers.answer(message));
      }),
    });
    if (traits.row !== null) model.set("opened", answers.opened(traits.row));
    place.replaceChildren(htmlElement("h2", { class: "rb-sample-name", text: "Run browser" }), htmlElement("p", { class: "rb-sample", "data-role": "run-sample", text: sampleInWords(data.count, sample.all) }));
    place.classList.add("rb-without-python");
    showRun({ model, el: place });
  });
}

/** @param {number} count @param {number} all @returns {string} */
export function sampleInWords(count, all) {
  const python = "Other depths and distances, search in replies, causes, intervals of a selection, the comparison of two models and files of rows need Python.";
  if (count === all) return `All ${spelledCount(all)} replies. With a filter, the models\u2019 means have no intervals. ${python}`;
  return `${spelledCount(count)} of ${spelledCount(all)} replies: a sample of each model and setting; the models\u2019 means are of all. With a filter, they are plain means of the sample, without intervals. ${python}`;
}
