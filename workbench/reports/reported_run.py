"""A run as the reports read it: its scores, the predictions behind them, and how it was asked."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import pandas as pd

from workbench.answers.recorded_replies import recorded_replies_path
from workbench.asking.journal import asking_began
from workbench.asking.run_folder import RUN_FILE, RunFolder
from workbench.environments.registry import AnyEnvironment, environment_of
from workbench.errors import TableError
from workbench.explore.run.run_files import read_scores
from workbench.scoring.parameters import COPIED
from workbench.studies.given_scores import refuse_other_predictions
from workbench.studies.models.whole_games import whole_games
from workbench.tables.parquet_tables import PREDICTIONS, read_packages, read_provenance, read_table
from workbench.tables.provenance import file_hash
from workbench.tables.reply_identity import refuse_repeated_replies

SCORES_FILE: Final = "scores.parquet"
"""The scores in the folder of a run."""

_NEEDED: Final = (*COPIED, "terminal", "ill_formed_policy", "method", "unscored")


@dataclass(frozen=True, slots=True)
class ReportedRun:
    """The tables of a run.

    Attributes:
        name: What the page calls it: the name of its folder or file.
        scores: Rows of a scores table with the column ``game``, the game that is resampled whole.
        predictions: The rows of PREDICTIONS that were scored, or None if they are not available.
        scored: The provenance of the scores: parameters, code, and hash of the predictions.
        asked: The question as the run's folder or the predictions describe it (model, prompt with
            its text and hash, temperature, ...); empty if they do not.
        made: The provenance of the predictions, but ``asked`` and ``versions``.
        versions: Packages and their versions at the time of asking, if known.
        packages: Packages and their versions at the time of scoring, if known.
        date: When asking began, as ISO 8601; empty if unknown.
        inputs: The files that were read.
    """

    name: str
    scores: pd.DataFrame
    predictions: pd.DataFrame | None = None
    scored: Mapping[str, Any] = field(default_factory=dict)
    asked: Mapping[str, Any] = field(default_factory=dict)
    made: Mapping[str, Any] = field(default_factory=dict)
    versions: Mapping[str, str] = field(default_factory=dict)
    packages: Mapping[str, str] = field(default_factory=dict)
    date: str = ""
    inputs: tuple[Path, ...] = ()

    @property
    def environment(self) -> AnyEnvironment:
        """The environment of its rows."""
        return environment_of(self.scores, self.name)


def read_run(path: Path, predictions: Path | None = None) -> ReportedRun:
    """Read a run from its folder, or from its scores.

    The predictions are those given, else the table with the hash that the scores name: beside the
    scores, or the recorded replies. Without them there are no texts of replies, no cost, and games
    are those that the scores name.

    Args:
        path: A folder with ``scores.parquet`` and ``predictions.parquet``, such as ``workbench ask``
            or ``workbench evaluate`` makes; or a scores table.
        predictions: The table that was scored.

    Raises:
        TableError: If there are no scores, in which case it says which command makes them, or a
            table cannot be read.
        RunMismatchError: If the scores are of other predictions than those given, or than those in
            the folder.
    """
    scores_path = _scores_in(path) if path.is_dir() else path
    scores = read_scores(scores_path)
    missing = [name for name in _NEEDED if name not in scores]
    if missing:
        raise TableError(
            f"{scores_path}: expected a scores table, and of its columns {missing} are missing; make "
            "one by `workbench score`"
        )
    refuse_repeated_replies(scores, scores_path)
    scored = read_provenance(scores_path)
    of_folder = path / "predictions.parquet" if path.is_dir() else None
    if predictions is None and of_folder is not None and of_folder.exists():
        predictions = of_folder
    if predictions is not None:
        refuse_other_predictions(scores_path, predictions)
    else:
        predictions = _predictions_beside(scores_path, scored)
    table = None if predictions is None else read_table(predictions, PREDICTIONS)
    made = {} if predictions is None else read_provenance(predictions)
    folder = RunFolder(scores_path.parent)
    described = folder.description()
    return ReportedRun(
        name=_name_of(path.resolve()),
        scores=with_games(scores, table),
        predictions=table,
        scored=scored,
        asked=made.get("asked") or described.get("question", {}),
        made={name: made[name] for name in made if name not in ("asked", "versions")},
        versions=made.get("versions") or described.get("versions", {}),
        packages=read_packages(scores_path),
        date=asking_began(folder.path) if described else "",
        inputs=tuple(each for each in (scores_path, predictions) if each is not None),
    )


def with_games(scores: pd.DataFrame, predictions: pd.DataFrame | None) -> pd.DataFrame:
    """Return scores with the column ``game``, which names the games that are resampled whole.

    Args:
        scores: Rows of a scores table; a column ``game`` that they have stays.
        predictions: With the moves, by which `whole_games` finds positions of one game; without
            them ``game_id`` is believed, and a position without one is a game of its own.
    """
    if "game" in scores:
        return scores
    named = scores["game_id"].where(scores["game_id"].notna(), scores["position_id"])
    if predictions is None:
        return scores.assign(game=named)
    games = whole_games(predictions).games
    return scores.assign(game=scores["position_id"].map(games).fillna(named))


def _name_of(path: Path) -> str:
    if path.is_file():
        return path.parent.name if path.name == SCORES_FILE else path.stem
    return path.name


def _scores_in(folder: Path) -> Path:
    """Return the scores in a folder, or say which command makes them."""
    scores, predictions = folder / SCORES_FILE, folder / "predictions.parquet"
    if scores.exists():
        return scores
    if predictions.exists():
        raise TableError(
            f"{folder}: expected the folder of a run with {SCORES_FILE}, found predictions that are "
            f"not scored; run `workbench score {predictions} -o {scores}`"
        )
    if (folder / RUN_FILE).exists():
        raise TableError(
            f"{folder}: expected the folder of a run with {SCORES_FILE}, found one without "
            "predictions: asking has not ended; run the same `workbench ask` again"
        )
    raise TableError(
        f"{folder}: expected the folder of a run with {SCORES_FILE} and predictions.parquet, found "
        "neither; make one by `workbench ask -o RUN_DIR`, then `workbench score`"
    )


def _predictions_beside(scores: Path, scored: Mapping[str, Any]) -> Path | None:
    """Return the table that was scored: a file beside the scores, or the recorded replies."""
    wanted = scored.get("predictions_sha256")
    if not wanted:
        return None
    beside = sorted(scores.parent.glob("*.parquet"))
    others = (each for each in [*beside, recorded_replies_path()] if each != scores)
    return next((each for each in others if file_hash(each) == wanted), None)
