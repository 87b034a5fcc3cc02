"""GameTracker: one game, the predictions along it, and their errors."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final, Self

import pandas as pd
import traitlets

from workbench.errors import InvalidArgumentError
from workbench.explore.game.model_reading import ModelReading, readable_stops, track_model
from workbench.explore.game.tracked_game import TrackedGame, track_rows, track_simulated
from workbench.explore.game.tracker_still import tracker_still
from workbench.explore.page.answering import Answering
from workbench.explore.page.assets import javascript, piece_drawings, stylesheet
from workbench.language_model.bundled_models import model_names
from workbench.scoring import IllFormedPolicy, ScoringParameters
from workbench.terminal import Terminal

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from workbench.explore.pair.board_pair import BoardPair


_READING_SECONDS: Final = 0.15
"""A model writes boards for so long before the page shows them."""


class GameTracker(Answering):
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
    _css = stylesheet("board/board.css", "game/game_tracker.css")

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
            ply=_worth_a_look(tracked),
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
        depth: int = 4,
        terminal: Terminal = "absorb",
        ill_formed: IllFormedPolicy = "as_is",
        pair: "BoardPair | None" = None,
    ) -> Self:
        """Show one model's replies to one game at several cuts.

        Args:
            frame: Rows of a table of predictions; see `tracked_game.track_rows`.
            game_id: The game; may be left out if the table holds one.
            model: The model; may be left out if the game has replies of one.
            sample: Which of several replies to the same prompt; may be left out if there is one.
            depth: The largest m, at least 1; above 4 a reply may take seconds.
            terminal: How finished games count.
            ill_formed: What is done with boards that cannot arise in chess.
            pair: A board pair to open boards in.

        Raises:
            InvalidArgumentError: If there are no such rows, or a choice is open.
            TableError: If a column is missing or rows contradict each other.
        """
        parameters = ScoringParameters(depth=depth, terminal=terminal, ill_formed=ill_formed)
        tracked = track_rows(
            frame, game_id=game_id, model=model, sample=sample, parameters=parameters
        )
        return cls(tracked, pair=pair)

    @classmethod
    def simulated(
        cls,
        movetext: str,
        rate: float = 0.03,
        seed: int = 0,
        *,
        depth: int = 4,
        terminal: Terminal = "absorb",
        ill_formed: IllFormedPolicy = "as_is",
        pair: "BoardPair | None" = None,
    ) -> Self:
        """Show the simulated tracker's replies after every ply of a game.

        Args:
            movetext: The moves of one game, as in PGN, without headers.
            rate: Probability of a slip at each ply, in [0, 1].
            seed: At least 0.
            depth: The largest m, at least 1; above 4 a ply may take a second.
            terminal: How finished games count.
            ill_formed: What is done with boards that cannot arise in chess.
            pair: A board pair to open boards in.

        Raises:
            InvalidArgumentError: If an argument is out of range or the moves cannot be played.
        """
        parameters = ScoringParameters(depth=depth, terminal=terminal, ill_formed=ill_formed)
        return cls(
            track_simulated(movetext, rate=rate, seed=seed, parameters=parameters), pair=pair
        )

    @classmethod
    def from_model(
        cls,
        movetext: str,
        model: str = "small",
        *,
        depth: int = 4,
        terminal: Terminal = "absorb",
        ill_formed: IllFormedPolicy = "as_is",
        pair: "BoardPair | None" = None,
    ) -> Self:
        """Show the boards that a bundled language model writes after every ply of a game.

        Args:
            movetext: The moves of one game, as in PGN, without headers.
            model: One of `workbench.language_model.bundled_models.model_names`.
            depth: The largest m, at least 1; above 4 a ply may take a second.
            terminal: How finished games count.
            ill_formed: What is done with boards that cannot arise in chess.
            pair: A board pair to open boards in.

        Raises:
            InvalidArgumentError: If an argument is out of range or the moves cannot be played.
        """
        parameters = ScoringParameters(depth=depth, terminal=terminal, ill_formed=ill_formed)
        return cls(track_model(movetext, model, parameters), pair=pair)

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
        from workbench.explore.game.tracker_picture import tracker_figure

        return tracker_figure(self.tracked, self.depth)

    def still(self) -> str:
        """Return the boards at the present ply and the scores of all replies as HTML."""
        return tracker_still(self.tracked, self.ply, self.depth, flipped=self.flipped)

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
        model, known = str(message["reader"]), int(message["known"])
        reading = self._read(model, _READING_SECONDS)
        if reading is None:
            return {"reader": model, "done": True}
        page = reading.tracked.page()
        return {
            "reader": model,
            "game": page | {"replies": page["replies"][known:]},
            "known": known,
            "done": reading.done,
            "milliseconds": reading.milliseconds,
        }

    def _open(self, message: Mapping[str, Any]) -> Mapping[str, Any]:
        """Set the board pair to the two boards at a ply."""
        if self.pair is None:
            raise InvalidArgumentError("expected a tracker made with pair=, got one without")
        found = [reply for reply in self.tracked.replies if reply.ply == message["ply"]]
        if not found:
            raise InvalidArgumentError(f"expected a ply with a reply, got {message['ply']!r}")
        (reply,) = found
        with self.pair.hold_sync():
            self.pair.line = []
            self.pair.true_fen = reply.true_fen
            self.pair.predicted_fen = (reply.predicted_fen or "") if reply.on_board else ""
            self.pair.reply = reply.reply or ""
            self.pair.moves = self.tracked.moves_until(reply.ply)
            self.pair.caption = f"{self.tracked.title}, after {reply.ply} plies"
        return {"ply": reply.ply}


def _worth_a_look(tracked: TrackedGame) -> int:
    """Return the ply of the first reply that loses precision, else of the first that is wrong."""
    lossy = [reply.ply for reply in tracked.replies if reply.precision[-1] < 1]
    wrong = [reply.ply for reply in tracked.replies if not reply.exact_match]
    return [*lossy, *wrong, tracked.replies[-1].ply][0]
