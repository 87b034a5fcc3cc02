"""GameTracker: one game, the predictions along it, and the replies of a bundled language model."""

import json
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from html import escape
from statistics import median
from time import perf_counter
from typing import TYPE_CHECKING, Any, Final, Self

import pandas as pd
import traitlets

from workbench.answers.model_replies import MODEL_PREFIX
from workbench.automaton import Terminal
from workbench.drawing.quantities import EDIT_DISTANCE, PRECISION
from workbench.drawing.reply_words import class_words
from workbench.environments.chess.classification import classify
from workbench.errors import InvalidArgumentError, InvalidFenError
from workbench.explore.board_reading import read_board
from workbench.explore.page.assets import javascript, packed, piece_drawings, stylesheet
from workbench.explore.page.still_chart import Axis, Panel, axis_around, still_chart
from workbench.explore.page.still_html import aside, board, heading, listing, paragraph, picture
from workbench.explore.page.widget_base import WidgetBase
from workbench.explore.pair.pair_html import live_script
from workbench.explore.reader.model_content import model_content, twin_words
from workbench.explore.tracked_game import (
    Stop,
    TrackedGame,
    game_stops,
    numbered_move,
    scored_replies,
    track_rows,
    track_simulated,
)
from workbench.language_model.language_model import load_model, model_names
from workbench.language_model.written_replies import replies_along
from workbench.scoring import ScoringParameters
from workbench.scoring.parameters import IllFormedPolicy

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from workbench.explore.pair.board_pair import BoardPair


_LEAST_TOP: Final = 0.1
"""The axis of edit distances goes at least so far."""


def tracker_still(game: TrackedGame, ply: int, depth: int, *, flipped: bool = False) -> str:
    """Return a game and the replies to it as HTML."""
    before = [each for each in game.stops if each.ply <= ply]
    stop = max(before, key=lambda each: each.ply, default=game.stops[0])
    reply = next((each for each in game.replies if each.ply == stop.ply), None)
    true_fen = reply.true_fen if reply else stop.fen
    different = reply.different if reply else ()
    true = read_board(true_fen, "true").board
    boards = [board("True board", true, true_fen, different, flipped=flipped)]
    if reply:
        fen, name, predicted = reply.predicted_fen or "", "Predicted board", None
        with suppress(InvalidFenError):
            predicted = read_board(fen, "predicted").board
        if predicted is None:
            name += f": {reply.words}"
        boards.append(board(name, predicted, fen, different, flipped=flipped))
    moves = {each.ply: numbered_move(each) for each in game.stops}
    scores = listing(
        ("after", f"p_{depth}", f"r_{depth}", EDIT_DISTANCE.name, "exact match", "class"),
        [
            (
                moves[reply.ply],
                f"{reply.precision[depth - 1]:.4f}",
                f"{reply.recall[depth - 1]:.4f}",
                "undefined" if reply.levenshtein is None else reply.levenshtein,
                "yes" if reply.exact_match else "no",
                class_words(reply.reply_class),
            )
            for reply in game.replies
        ],
    )
    words = [paragraph(each) for each in (game.conventions, *game.notes)]
    change = game.changes()[game.replies.index(reply)] if reply else ""
    chart = picture(tracker_chart(game, stop.ply, depth), "State precision and edit distance", 560)
    place = [heading(numbered_move(stop)), paragraph(change)]
    return "".join([heading(game.title), *words, *place, *boards, aside(chart), scores])


def tracker_chart(game: TrackedGame, ply: int, depth: int) -> str:
    """Return state precision and edit distance by ply as SVG, with the present ply."""
    plies = [float(stop.ply) for stop in game.stops]
    precision = [(reply.ply, reply.precision[depth - 1]) for reply in game.replies]
    distance = [
        (reply.ply, math.nan if reply.distance is None else reply.distance)
        for reply in game.replies
    ]
    name = f"{EDIT_DISTANCE.name} / longer FEN"
    far = axis_around(name, [each for _, each in distance], (0.0, _LEAST_TOP))
    panels = [
        Panel(Axis(f"{PRECISION.name} p_{depth}", 0.0, 1.0), precision, PRECISION.colour, True),
        Panel(far, distance, EDIT_DISTANCE.colour, True),
    ]
    horizontal = axis_around("ply", plies, (math.nan, math.nan))
    return still_chart(game.title, panels, horizontal, width=560, height=110, cursor=ply)


_READING_SECONDS: Final = 0.15
"""A model writes boards for so long before the page shows them."""

_FIRST_PACE: Final = 0.02
"""Seconds that a first board is believed to take."""


class ModelReading:
    """The boards that a model writes after each move of a game, the likeliest token each time.

    Attributes:
        tracked: The game with the replies so far.
    """

    def __init__(self, tracked: TrackedGame, model: str) -> None:
        self._model = load_model(model)
        self._stops = readable_stops(tracked.stops)
        title = ", ".join(filter(None, [tracked.game, f"{MODEL_PREFIX}{model}"]))
        self.tracked = replace(tracked, title=title, simulated=False, replies=(), notes=())
        self._seconds: list[float] = []

    @property
    def done(self) -> bool:
        """Whether all moves are read."""
        return len(self.tracked.replies) == len(self._stops)

    @property
    def milliseconds(self) -> float:
        """The median of what a board took to write, beside others, without scoring; 0 before the first."""
        return 1000 * median(self._seconds or [0.0])

    def read_on(self, seconds: float) -> None:
        """Read and score as many of the next moves as take about this long, at least one."""
        first = len(self.tracked.replies)
        pace = self._seconds[-1] if self._seconds else _FIRST_PACE
        count = int(min(len(self._stops) - first, max(1.0, seconds / pace)))
        if count == 0:
            return
        stops = self._stops[first : first + count]
        plies = range(first + 1, first + 1 + count)
        start = perf_counter()
        texts = replies_along(self._model, [str(stop.uci) for stop in self._stops], plies)
        self._seconds += [(perf_counter() - start) / count] * count
        rows = [
            {"ply": stop.ply, "true_state": stop.fen, "reply": text, **classify(text).columns()}
            for stop, text in zip(stops, texts, strict=True)
        ]
        new = scored_replies(pd.DataFrame(rows), self.tracked.parameters)
        self.tracked = replace(self.tracked, replies=self.tracked.replies + new)


def readable_stops(stops: Sequence[Stop]) -> list[Stop]:
    """Return the places after each move of a game; none where its moves are not known."""
    return [stop for stop in stops if stop.uci is not None]


def track_model(movetext: str, model: str, parameters: ScoringParameters) -> TrackedGame:
    """Let a model write the board after every move of a game."""
    reading = ModelReading(TrackedGame("", False, parameters, game_stops(movetext), ()), model)
    reading.read_on(float("inf"))
    return reading.tracked


_SHEETS: Final = ("board/board.css", "game/game_tracker.css")

_LIVE: Final = '<div data-live-game="{}">{}</div>'
"""A last answer, and the state of the tracker that stands in its place on pages that have the engine."""

_READER: Final = re.compile('(?:"|&quot;)reader(?:"|&quot;): (?:"|&quot;)([^"&]+)')
"""In the state of a tracker, with its quotes as they stand in a page or in a notebook's file."""

_DEEPEST_EXACT: Final = 4
"""A page without Python measures no deeper."""


def live_games(pages: Iterable[str]) -> str:
    """Return a script that has the last answers of GameTracker become live, however many there are.

    Args:
        pages: The texts that hold them; the weights of each model that reads in one are in the script once.
    """
    readers = {name for page in pages for name in _READER.findall(page)}
    models = [load_model(name) for name in model_names() if name in readers]
    content = {
        "models": {model.name: model_content(model) for model in models},
        "words": twin_words(),
        "pieces": piece_drawings(),
        "style": stylesheet(*_SHEETS),
    }
    twin = "reader/model_twin.js" if models else None
    return live_script(twin, "static_page/live_games.js", "openLiveGames", content)


class GameTracker(WidgetBase):
    """State precision and edit distance along one game; both boards follow the ply.

    Stepping through the game needs no computation: scores are computed when the tracker is made. A
    bundled language model can read the same game live, and its boards are scored as it goes.

    Attributes:
        ply: The place in the game that is shown.
        depth: m of the precision that is drawn, up to the depth that was scored.
        flipped: Whether Black is at the bottom.
        game: What the page shows; read-only.
        reader: The bundled language model whose replies are shown; empty for those given.
        readers: The models that can read the game; none where its moves are not known; read-only.
        pieces: Drawings of the pieces; read-only.
        can_open: Whether there is a board pair to open boards in; read-only.
    """

    _esm = javascript("game/game_tracker.js")
    _css = stylesheet(*_SHEETS)
    _model = ""
    """Who wrote the replies that were given, if it can read them again."""

    ply = traitlets.Int().tag(sync=True)
    depth = traitlets.Int(1).tag(sync=True)
    flipped = traitlets.Bool(False).tag(sync=True)
    game = traitlets.Dict().tag(sync=True)
    reader = traitlets.Unicode("").tag(sync=True)
    readers = traitlets.List(traitlets.Unicode()).tag(sync=True)
    pieces = traitlets.Dict().tag(sync=True)
    can_open = traitlets.Bool(False).tag(sync=True)

    def __init__(self, tracked: TrackedGame, *, pair: "BoardPair | None" = None) -> None:
        """Show a game that has been scored; `from_rows`, `from_model` and `simulated` make one.

        Args:
            tracked: The game.
            pair: Where the button opens the two boards.

        Raises:
            InvalidArgumentError: If there is no reply.
        """
        if not tracked.replies:
            raise InvalidArgumentError("expected a game with at least one reply, got none")
        self.tracked = self._given = tracked
        self.pair = pair
        self._readings: dict[str, ModelReading] = {}
        super().__init__(
            ply=_first_loss(tracked),
            depth=tracked.depth,
            game=tracked.page(),
            readers=list(model_names()) if readable_stops(tracked.stops) else [],
            pieces=piece_drawings(),
            can_open=pair is not None,
        )
        self.register("open", self._open)
        self.register("read", self._answer_read)
        self.observe(self.renew_still, ["ply", "depth", "flipped"])

    @classmethod
    def from_rows(
        cls,
        frame: pd.DataFrame,
        game_id: str | None = None,
        model: str | None = None,
        sample: int | None = None,
        *,
        pair: "BoardPair | None" = None,
        depth: int = 4,
        terminal: Terminal = "absorb",
        ill_formed: IllFormedPolicy = "as_is",
    ) -> Self:
        """Show one model's replies to one game at several cuts.

        Args:
            frame: Rows of a table of predictions; see `tracked_game.track_rows`.
            game_id: The game; may be left out if the table holds one.
            model: The model; may be left out if the game has replies of one.
            sample: Which of several replies to the same prompt; may be left out if there is one.
            pair: A board pair to open boards in.
            depth: The largest m that is scored; above 4 a reply may take seconds.
            terminal: How games that are finished before m moves count.
            ill_formed: What is done with a predicted board that cannot arise in chess.

        Raises:
            InvalidArgumentError: If there are no such rows, or a choice is open.
            TableError: If a column is missing or rows contradict each other.
        """
        parameters = ScoringParameters(depth, terminal, ill_formed)
        return cls(track_rows(frame, game_id, model, sample, parameters), pair=pair)

    @classmethod
    def simulated(
        cls,
        movetext: str,
        rate: float = 0.03,
        seed: int = 0,
        *,
        pair: "BoardPair | None" = None,
        depth: int = 4,
        terminal: Terminal = "absorb",
        ill_formed: IllFormedPolicy = "as_is",
    ) -> Self:
        """Show the simulated tracker's replies after every ply of a game.

        Args:
            movetext: The moves of one game, as in PGN, without headers.
            rate: Probability of a slip at each ply, in [0, 1].
            seed: At least 0.
            pair: A board pair to open boards in.
            depth: The largest m that is scored; above 4 a reply may take seconds.
            terminal: How games that are finished before m moves count.
            ill_formed: What is done with a predicted board that cannot arise in chess.

        Raises:
            InvalidArgumentError: If an argument is out of range or the moves cannot be played.
        """
        parameters = ScoringParameters(depth, terminal, ill_formed)
        return cls(track_simulated(movetext, rate, seed, parameters), pair=pair)

    @classmethod
    def from_model(
        cls,
        movetext: str,
        model: str = "small",
        *,
        pair: "BoardPair | None" = None,
        depth: int = 4,
        terminal: Terminal = "absorb",
        ill_formed: IllFormedPolicy = "as_is",
    ) -> Self:
        """Show the boards that a bundled language model writes after every ply of a game.

        Args:
            movetext: The moves of one game, as in PGN, without headers.
            model: One of `workbench.language_model.language_model.model_names`.
            pair: A board pair to open boards in.
            depth: The largest m that is scored; above 4 a reply may take seconds.
            terminal: How games that are finished before m moves count.
            ill_formed: What is done with a predicted board that cannot arise in chess.

        Raises:
            InvalidArgumentError: If an argument is out of range or the moves cannot be played.
        """
        parameters = ScoringParameters(depth, terminal, ill_formed)
        tracker = cls(track_model(movetext, model, parameters), pair=pair)
        tracker._model = model if model in tracker.readers else ""
        return tracker

    def read_with(self, model: str) -> None:
        """Let a bundled language model read the game, and show its replies.

        Args:
            model: One of ``readers``; empty for the replies that were given.

        Raises:
            InvalidArgumentError: If there is no such model, or the moves are not known.
        """
        self._read(model, float("inf"))

    @property
    def replies(self) -> pd.DataFrame:
        """The replies and their scores, one row per ply."""
        return self.tracked.table()

    def figure(self) -> "Figure":
        """Return a static picture of the chart."""
        from workbench.explore.pictures import tracker_figure

        return tracker_figure(self.tracked, self.depth)

    def still(self) -> str:
        """Return the boards at the present ply and the scores of all replies as HTML."""
        still = tracker_still(self.tracked, self.ply, self.depth, flipped=self.flipped)
        return _LIVE.format(escape(json.dumps(self.page_state())), still)

    def page_state(self) -> dict[str, Any]:
        """Return what a page without Python starts from; there the reader reads the game again."""
        reader = self.reader or self._model
        game = self._given.page()
        if reader:
            game["depth"] = min(game["depth"], _DEEPEST_EXACT)
        return {
            "traits": {
                "ply": self.ply,
                "depth": min(self.depth, game["depth"]),
                "flipped": self.flipped,
                "reader": reader,
                "readers": [reader] if reader else [],
            },
            "scoring": {
                "terminal": self._given.parameters.terminal,
                "ill_formed": self._given.parameters.ill_formed,
            },
            "packed": packed(game),
        }

    def _read(self, model: str, seconds: float) -> ModelReading | None:
        """Read on with a model for some seconds; show the game when all of it is read."""
        if not model:
            self._show(self._given, model)
            return None
        if model not in self.readers:
            raise InvalidArgumentError(
                f"expected one of {self.readers} and a game with moves, got {model!r:.80}"
            )
        if model not in self._readings:
            self._readings[model] = ModelReading(self._given, model)
        reading = self._readings[model]
        reading.read_on(seconds)
        if reading.done:
            self._show(reading.tracked, model)
        return reading

    def _show(self, tracked: TrackedGame, model: str) -> None:
        self.tracked = tracked
        with self.hold_sync():
            self.reader = model
            self.game = tracked.page()

    def _answer_read(self, message: Mapping[str, Any]) -> Mapping[str, Any]:
        """Send the replies of a model beyond those that the page knows."""
        model, count = str(message["reader"]), int(message["known"])
        reading = self._read(model, _READING_SECONDS)
        if reading is None:
            return {"reader": model, "done": True}
        page = reading.tracked.page()
        return {
            "reader": model,
            "game": page | {"replies": page["replies"][count:]},
            "known": count,
            "done": reading.done,
            "milliseconds": reading.milliseconds,
        }

    def _open(self, message: Mapping[str, Any]) -> Mapping[str, Any]:
        """Set the board pair to the two boards at a ply."""
        if self.pair is None:
            raise InvalidArgumentError("expected a tracker made with pair=, got one without")
        replies = {reply.ply: reply for reply in self.tracked.replies}
        if (reply := replies.get(message["ply"])) is None:
            raise InvalidArgumentError(f"expected a ply with a reply, got {message['ply']!r}")
        traits = {
            "true_fen": reply.true_fen,
            "predicted_fen": (reply.predicted_fen or "") if reply.on_board else "",
            "reply": reply.reply or "",
            "moves": self.tracked.moves_until(reply.ply),
            "caption": f"{self.tracked.title}, after {reply.ply} plies",
        }
        self.pair.show_traits(traits)
        return {"ply": reply.ply}


def _first_loss(tracked: TrackedGame) -> int:
    """Return the ply of the first reply that loses precision, else of the first that is wrong."""
    lossy = [reply.ply for reply in tracked.replies if reply.precision[-1] < 1]
    wrong = [reply.ply for reply in tracked.replies if not reply.exact_match]
    return [*lossy, *wrong, tracked.replies[-1].ply][0]
