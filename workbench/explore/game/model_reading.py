"""A game as a bundled language model reads it: its replies after every move, a few at a time."""

from collections.abc import Sequence
from dataclasses import replace
from statistics import median
from time import perf_counter
from typing import Any

import pandas as pd

from workbench.answers.model_replies import MODEL_PREFIX
from workbench.environments.chess.classification import classify
from workbench.explore.game.tracked_game import ReplyAt, TrackedGame, scored_replies
from workbench.explore.game.tracked_moves import Stop, played
from workbench.language_model.bundled_models import load_model
from workbench.language_model.written_replies import ReplySettings, write_replies
from workbench.scoring import ScoringParameters


class ModelReading:
    """The boards that a model writes after each move of a game, the likeliest token each time.

    Attributes:
        tracked: The game with the replies so far.
    """

    def __init__(self, tracked: TrackedGame, model: str) -> None:
        """Load the model; nothing is read yet.

        Args:
            tracked: The game, with replies or without.
            model: One of `workbench.language_model.bundled_models.model_names`.

        Raises:
            InvalidArgumentError: If there is no such model.
        """
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
        """The median of what a board took to write, without scoring it; 0 before the first."""
        return 1000 * median(self._seconds or [0.0])

    def read_on(self, seconds: float) -> tuple[ReplyAt, ...]:
        """Read and score the next moves.

        Args:
            seconds: After these no further board is begun; at least one is written if any is left.

        Returns:
            The new replies.
        """
        began = perf_counter()
        rows: list[dict[str, Any]] = []
        first = len(self.tracked.replies)
        moves = [str(stop.uci) for stop in self._stops]
        for ply, stop in enumerate(self._stops[first:], start=first + 1):
            if rows and perf_counter() - began > seconds:
                break
            before = perf_counter()
            (reply,) = write_replies(self._model, [moves[:ply]], ReplySettings(), [0])
            self._seconds.append(perf_counter() - before)
            row = {"ply": stop.ply, "true_state": stop.fen, "reply": reply.text}
            rows.append(row | classify(reply.text).columns())
        parameters = self.tracked.parameters
        replies = scored_replies(pd.DataFrame(rows), parameters, [()] * len(rows)) if rows else ()
        self.tracked = replace(self.tracked, replies=self.tracked.replies + replies)
        return replies


def readable_stops(stops: Sequence[Stop]) -> list[Stop]:
    """Return the places after each move of a game; none where its moves are not known."""
    return [stop for stop in stops if stop.uci is not None]


def track_model(movetext: str, model: str, parameters: ScoringParameters) -> TrackedGame:
    """Let a model write the board after every move of a game.

    Args:
        movetext: The moves of one game from the first position, as in PGN, without headers.
        model: One of `workbench.language_model.bundled_models.model_names`.
        parameters: How to score; by the exact method.

    Raises:
        InvalidArgumentError: If there is no such model or the moves cannot be played.
    """
    reading = ModelReading(TrackedGame("", False, parameters, played(movetext), ()), model)
    reading.read_on(float("inf"))
    return reading.tracked
