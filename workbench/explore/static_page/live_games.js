// The last answers of GameTracker on a page, which become live in their places. Its replies are there; where a bundled
// language model was the reader, it reads the game again here, in a worker. Hooks: data-live-game (the state as JSON;
// "open" once it is live), and those of game_tracker_view.js.

import { GameTrackerView } from "../game/game_tracker_view.js";
import { htmlElement } from "../page/svg.js";
import { openNearPlaces, unpacked } from "./live_places.js";
import { PageModel, startTwin } from "./page_model.js";
import { followTheme } from "./page_theme.js";

/** Milliseconds that a model writes boards before the page shows them. */
const READING_TIME = 150;
const GIVEN_REPLIES = "";

/**
 * What answers the view's questions in place of the kernel: a model reads the game, some plies a question.
 * @param {Object} game As the view has it. @param {(message: Object, onAnswer: Function) => void} ask A language model's twin.
 */
export function gameReader(game, ask) {
  const stops = game.stops.filter(({ uci }) => uci !== null);
  const moves = stops.map(({ uci }) => uci);
  return ({ serial, reader, known }, onAnswer) => {
    if (reader === GIVEN_REPLIES) {
      setTimeout(() => onAnswer({ kind: "read", serial, reader, done: true }));
      return;
    }
    const replies = [];
    const start = performance.now();
    const readOn = () => ask({ kind: "board", serial: `${serial}-${replies.length}`, name: reader, moves, stop: stops[known + replies.length], depth: game.depth }, (answer) => {
      if (answer.kind === "failed") {
        onAnswer({ ...answer, asked: "read", serial });
        return;
      }
      const { certainty: _certainty, next: _next, ...reply } = answer.reply;
      replies.push(reply);
      const milliseconds = (performance.now() - start) / replies.length;
      const done = known + replies.length === stops.length;
      if (!done && performance.now() - start < READING_TIME) readOn();
      else onAnswer({ kind: "read", serial, reader, known, done, milliseconds, game: { ...game, title: `workbench/${reader}`, simulated: false, notes: [], replies } });
    });
    readOn();
  };
}

/**
 * @param {{models: Object<string, Object>, words: Object, pieces: Object, style: string}} content Of live_games in game_tracker.py.
 * @param {() => Function} loadTwin See `startTwin`.
 */
export function openLiveGames({ models, words, pieces, style }, loadTwin) {
  openNearPlaces("liveGame", style, async (place, { traits, scoring, packed }) => {
    const game = await unpacked(packed);
    followTheme();
    let twin = null;
    const answered = gameReader(game, (message, onAnswer) => {
      if (twin === null) {
        twin = startTwin(loadTwin, { ...words, scoring });
        twin.ask({ kind: "weights", serial: "weights", model: models[message.name] }, () => {});
      }
      twin.ask(message, onAnswer);
    });
    const model = new PageModel({ ...traits, game, pieces, can_open: false, answers: {} }, { ask: answered });
    place.replaceChildren(htmlElement("div", { class: "world-state" }, htmlElement("h2", { class: "ws-unseen" }, "Game tracker")));
    const view = new GameTrackerView(model, place);
    if (traits.reader) view.reading.choose(traits.reader);
  });
}
