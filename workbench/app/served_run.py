"""The run that the run browser of the app shows: a table of scores, or recorded replies."""

from dataclasses import dataclass
from pathlib import Path
from typing import Final

import platformdirs

from workbench.answers.recorded_replies import WORLD_CUP, recorded_replies
from workbench.errors import InvalidArgumentError
from workbench.explore.run.run_files import Replies, read_scores
from workbench.explore.run.run_table import run_table
from workbench.scoring import ScoringParameters, scores_schema
from workbench.studies.stored_tables import StoredTables
from workbench.tables.parquet_tables import PREDICTIONS, write_table

MODELS: Final = ("gpt-4.1-2025-04-14", "o3-mini-2025-01-31", "starting_board")
DEPTH: Final = 4


@dataclass(frozen=True, slots=True)
class ServedRun:
    """The tables that every visitor's run browser reads.

    Attributes:
        scores: Path of the scores table.
        predictions: Path of the predictions; None for none.
        description: One or two sentences for the landing page.
    """

    scores: Path
    predictions: Path | None
    description: str


def given_run(scores: Path, predictions: Path | None = None) -> ServedRun:
    """Return the run of a table that is given, once it is known that it can be shown.

    Args:
        scores: A table that ``workbench score`` has written.
        predictions: The predictions that were scored, for moves and replies.

    Raises:
        InvalidArgumentError: If there are no p_m and r_m in the scores.
        TableError: If a file cannot be read, or is another table.
    """
    table = read_scores(scores)
    run_table(table, replies=Replies(predictions).texts(table))
    return ServedRun(
        scores.resolve(),
        predictions.resolve() if predictions else None,
        f"{len(table):,} replies from {scores.name}: where do edit distance and precision disagree?",
    )


def recorded_run(folder: Path, cache: Path) -> ServedRun:
    """Return recorded replies of two real models and a baseline, with their scores, as a run.

    Args:
        folder: Where the two tables are written.
        cache: A folder that keeps the scores; to make them takes about 6 s of one core.
    """
    replies = recorded_replies((WORLD_CUP,), MODELS, ("",))
    predictions, scores = folder / "predictions.parquet", folder / "scores.parquet"
    write_table(replies, predictions, PREDICTIONS)
    parameters = ScoringParameters(depth=DEPTH)
    found = StoredTables(cache).scores(predictions, parameters)
    write_table(found, scores, scores_schema(parameters))
    return ServedRun(
        scores,
        predictions,
        f"{len(replies):,} recorded replies of gpt-4.1, o3-mini and a baseline that always answers the starting "
        "position: where do edit distance and precision disagree?",
    )


def served_run(scores: Path | None, predictions: Path | None, folder: Path) -> ServedRun:
    """Return the run that is given, or the recorded one if none is.

    Args:
        scores: A scores table, or None.
        predictions: Its predictions, or None.
        folder: For the tables of the recorded run.

    Raises:
        InvalidArgumentError: If predictions are given without scores.
        TableError: If a file cannot be shown as a run.
    """
    if scores is not None:
        return given_run(scores, predictions)
    if predictions is not None:
        raise InvalidArgumentError(
            f"expected SCORES beside --predictions {predictions}, got none; `workbench score` makes them"
        )
    return recorded_run(folder, platformdirs.user_cache_path("world-state-workbench") / "app")
