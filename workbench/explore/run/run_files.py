"""The two tables of a run, from memory or from files: scores, and the predictions behind them."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from workbench.answers.model_replies import simulate
from workbench.answers.recorded_replies import WORLD_CUP, recorded_replies
from workbench.errors import TableError
from workbench.explore.run.run_table import ReplyTexts
from workbench.games.cut import cut_games
from workbench.games.game_tables import bundled_games
from workbench.scoring import ScoringParameters
from workbench.scoring.score_tables import read_scores, score
from workbench.studies.data import FIVE_GROUPS
from workbench.studies.study_scores import (
    DefaultReplies,
    StoredTables,
    check_replies,
    recorded_scores,
)
from workbench.tables.parquet_tables import (
    PREDICTIONS,
    REPLY_KEY,
    present_frame,
    read_table,
    refuse_repeated_replies,
)


class Replies:
    """The predictions of a run, found by position, model and sample.

    Args:
        predictions: The table, the path of one, or None if there is none.

    Raises:
        TableError: If the table cannot be read, lacks a column, or holds a prediction twice.
    """

    def __init__(self, predictions: pd.DataFrame | str | Path | None) -> None:
        if isinstance(predictions, pd.DataFrame):
            predictions = present_frame(predictions, PREDICTIONS)
        elif predictions is not None:
            predictions = read_table(predictions, PREDICTIONS)
        self._table = predictions
        self._numbers: dict[tuple[Any, ...], int] = {}
        if predictions is None:
            return
        reply_columns = [*REPLY_KEY, "movetext", "moves", "reply"]
        missing = [name for name in reply_columns if name not in predictions.columns]
        if missing:
            raise TableError(
                f"expected a predictions table, and of its columns {missing} are missing; see "
                "data/README.md for the schemas"
            )
        refuse_repeated_replies(predictions, "predictions")
        keys = map(_key, predictions[list(REPLY_KEY)].to_dict("records"))
        self._numbers = {key: number for number, key in enumerate(keys)}

    def texts(self, scores: pd.DataFrame) -> ReplyTexts:
        """Return the replies behind the rows of a scores table."""
        replies: dict[int | None, Any] = {}
        if self._table is not None:
            replies = dict(enumerate(self._table["reply"]))
        numbers = map(self._numbers.get, map(_key, scores[list(REPLY_KEY)].to_dict("records")))
        texts = [_text(replies.get(number)) for number in numbers]
        return ReplyTexts(texts, scores["predicted_state"])

    def find(self, row: Mapping[str, Any]) -> tuple[str | None, str | None, str]:
        """Return the game's moves and the model's reply for a row of the scores.

        Returns:
            The moves as PGN movetext (as UCI where there is none), the reply, and in words why
            one of them is missing; empty if neither is.
        """
        if self._table is None:
            return None, None, "The run was opened without its predictions: no moves and no reply."
        number = self._numbers.get(_key(row))
        if number is None:
            return None, None, "The predictions table has no such row: no moves, no reply."
        prediction = self._table.iloc[number]
        moves = _text(prediction["movetext"]) or _text(prediction["moves"])
        reply = _text(prediction["reply"])
        lacking = [name for name, text in (("moves", moves), ("reply", reply)) if text is None]
        words = f"The predictions table has no {' and no '.join(lacking)} here." if lacking else ""
        return moves, reply, words


def _key(row: Mapping[Any, Any]) -> tuple[Any, ...]:
    # No NaN is equal to another.
    return tuple(None if pd.isna(row[name]) else row[name] for name in REPLY_KEY)


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) and value else None


def load_run(
    scores: str | Path = "",
    predictions: str | Path = "",
    *,
    replies: DefaultReplies = "recorded",
    sets: Sequence[str] = (WORLD_CUP,),
    models: Sequence[str] = (),
    settings: Sequence[str] = ("",),
    per_group: int = 100,
    rates: tuple[float, ...] = (0.01, 0.05),
    depth: int = 4,
    seed: int = 0,
    jobs: int = 1,
    tables: str | Path = "",
) -> tuple[pd.DataFrame, pd.DataFrame | None]:
    """Return the tables of a run that is named, or of the recorded or simulated one if none is.

    Args:
        scores: A scores table; empty to score the predictions now.
        predictions: The predictions that were scored, or are to be; may be empty beside scores.
        replies: Without either table: ``recorded`` for real models, or ``simulated``.
        sets: Of the recorded run, as are models and settings; see
            `workbench.answers.recorded_replies.recorded_replies`.
        models: Names of models; all if empty.
        settings: Of the models; empty text for the default.
        per_group: Positions of the simulated run in each of the paper's five groups, at least 1.
        rates: Slips per ply, one for each simulated tracker.
        depth: m of the scores that are made now.
        seed: Seed of the cut of bundled games and of the trackers.
        jobs: Workers for the scores that are made now.
        tables: A folder that keeps the scores of predictions, for studies and the next call: of all
            recorded replies it takes about 44 s of one core to make. Empty to score anew only those
            chosen, about 600 a second and core.

    Returns:
        The scores, and the predictions or None.

    Raises:
        InvalidArgumentError: If ``replies`` is neither, or there are none of a set, model or
            setting.
        TableError: If a file cannot be read.
    """
    rows = read_table(Path(predictions), PREDICTIONS) if predictions else None
    if scores:
        return read_scores(scores), rows
    parameters = ScoringParameters(depth=depth)
    check_replies(replies)
    if rows is not None and tables:
        stored = StoredTables(Path(tables))
        return stored.scores(Path(predictions), parameters, jobs=jobs), rows
    if rows is None and replies == "recorded":
        rows = recorded_replies(sets, models, settings)
        if tables:
            choices: dict[str, Any] = {"sets": sets, "models": models, "settings": settings}
            return recorded_scores(tables, parameters, **choices, jobs=jobs), rows
    elif rows is None:
        # Nine of ten bundled games are longer than the largest group asks for.
        games = bundled_games()[: 2 * per_group * len(FIVE_GROUPS)]
        cut = cut_games(games, groups=FIVE_GROUPS, per_group=per_group, seed=seed)
        simulated = [simulate(cut.positions, rate=rate, seed=seed) for rate in rates]
        rows = pd.concat(simulated, ignore_index=True)
    return score(rows, parameters, jobs=jobs), rows
