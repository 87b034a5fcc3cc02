"""Scores for studies: a cache of tables, and the scores of the recorded replies."""

import os
import re
import shutil
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final, Literal, get_args

import pandas as pd
import pyarrow as pa
from filelock import FileLock, Timeout

from workbench.answers.game_clusters import whole_games
from workbench.answers.recorded_replies import WORLD_CUP, recorded_replies, recorded_replies_path
from workbench.drawing.score_description import with_names
from workbench.environments.registry import (
    DEFAULT,
    AnyEnvironment,
    environment_named,
    environment_of_table,
    own_modules,
)
from workbench.errors import InvalidArgumentError, TableError
from workbench.metrics import own_code
from workbench.scoring import ScoringParameters, score, score_file, scores_schema
from workbench.scoring.score_tables import read_scores
from workbench.tables.parquet_tables import (
    PREDICTIONS,
    read_table,
    refuse_repeated_replies,
    write_table,
)
from workbench.tables.provenance import code_hash, file_hash, json_hash, package_versions


def with_games(scores: pd.DataFrame, positions: pd.DataFrame | None = None) -> pd.DataFrame:
    """Return scores with the column ``game``, as `whole_games` finds it from the positions' moves.

    Without its position a row is of the game of its ``game_id``, or else one of its own.
    """
    named = scores["game_id"].fillna(scores["position_id"])
    if positions is None:
        return scores.assign(game=named)
    return scores.assign(game=scores["position_id"].map(whole_games(positions)).fillna(named))


UNUSED_SECONDS: Final = 30 * 24 * 3600
# Of the code as it is imported: a kernel may outlive a change of the files.
_MODULES: Final = (
    "workbench.studies.data",
    "workbench.studies.models.model_scores",
    *own_modules(),
)
_CODE_KEY: Final = json_hash([code_hash(*_MODULES), package_versions()])[:8]
# Tables, what a kill leaves of one that was being written, and locks. Earlier versions wrote names
# without the code.
_NAME: Final = re.compile(
    r"\.?(?:positions|predictions|scores|lock)-((?:[0-9a-f]{8}-)?[0-9a-f]{12})(?:[-.].*)?"
)


@dataclass(frozen=True, slots=True)
class StoredTables:
    """A folder of tables; notebooks that run side by side want the same, and make each once.

    Attributes:
        folder: Made if it is missing.
    """

    folder: Path

    def table(
        self,
        stage: str,
        schema: pa.Schema,
        made_of: Mapping[str, Any],
        make: Callable[[Path], object],
    ) -> pd.DataFrame:
        """Return a table from the folder, or make it there first."""
        key = f"{_CODE_KEY}-{json_hash([stage, made_of])[:12]}"
        path = self.folder / f"{stage}-{key}.parquet"
        self.folder.mkdir(parents=True, exist_ok=True)
        with FileLock(self._lock(key)):
            if path.exists():
                try:
                    rows = read_table(path, schema)
                except TableError:
                    # Damaged from outside: its sources are available, so it is made again.
                    path.unlink()
                else:
                    os.utime(path)
                    return rows
            self._forget_stale()
            make(path)
            return read_table(path, schema)

    def scores(
        self, predictions: Path, parameters: ScoringParameters, *, jobs: int = 1
    ) -> pd.DataFrame:
        """Return the scores of a predictions table, as `workbench.scoring.score_file` makes them."""
        environment = environment_of_table(predictions)
        made_of = {
            "predictions": file_hash(predictions),
            "parameters": asdict(parameters),
            "metrics": own_code(environment),
        }
        return self.table(
            "scores",
            scores_schema(parameters, environment),
            made_of,
            lambda path: score_file(predictions, path, parameters, jobs=jobs),
        )

    def scores_of_answers(
        self,
        make_predictions: Callable[[], pd.DataFrame],
        made_of: Mapping[str, Any],
        parameters: ScoringParameters,
        *,
        environment: AnyEnvironment | None = None,
        jobs: int = 1,
    ) -> pd.DataFrame:
        """Return the scores of predictions that are made only if their scores are not there.

        The environment is that of the predictions, by default chess.
        """
        environment = environment or environment_named(DEFAULT)

        def make(path: Path) -> None:
            # In a file, so that scoring can be interrupted and resumed.
            predictions = path.with_name(path.name.replace("scores", "predictions", 1))
            if not predictions.exists():
                provenance = {"stage": "predictions", "made_of": dict(made_of)}
                write_table(make_predictions(), predictions, PREDICTIONS, provenance)
            score_file(predictions, path, parameters, jobs=jobs)
            predictions.unlink()

        return self.table(
            "scores",
            scores_schema(parameters, environment),
            {
                "made_of": dict(made_of),
                "parameters": asdict(parameters),
                "metrics": own_code(environment),
            },
            make,
        )

    def _lock(self, key: str) -> Path:
        return self.folder / f"lock-{key}"

    def _forget_stale(self) -> None:
        """Remove what other code made, or nothing used for long, unless it is in use now."""
        named = [(path, _NAME.fullmatch(path.name)) for path in self.folder.iterdir()]
        for key in {match[1] for _, match in named if match}:
            lock = self._lock(key)
            paths = [path for path, match in named if match and match[1] == key and path != lock]
            try:
                with FileLock(lock, timeout=0):
                    used = max((path.stat().st_mtime for path in paths if path.exists()), default=0)
                    unused = time.time() - used > UNUSED_SECONDS
                    stale = unused or not key.startswith(f"{_CODE_KEY}-")
                    for path in paths if stale else []:
                        if path.is_dir():
                            shutil.rmtree(path)
                        else:
                            path.unlink(missing_ok=True)
            except Timeout:
                continue
            if stale:
                lock.unlink(missing_ok=True)


def own_scores(
    path: Path,
    parameters: ScoringParameters,
    *,
    scored: bool = False,
    predictions: Path | None = None,
    tables: Path | None = None,
    jobs: int = 1,
) -> pd.DataFrame:
    """Return the scores of a table of the user's own, with models' names and the column ``game``.

    Args:
        path: A predictions table, or a scores table.
        parameters: The parameters of scoring.
        scored: Whether it is a scores table.
        predictions: What these scores were made from, if known.
        tables: The folder that keeps scores made now; without one they are not kept.
        jobs: Workers.

    Raises:
        RunMismatchError: If the scores were made with other parameters, or from other predictions.
        TableError: If a table cannot be read, or repeats a reply.
    """
    if scored:
        rows = read_scores(path, parameters, predictions)
    else:
        predictions = path
        if tables is None:
            rows = score(read_table(path, PREDICTIONS), parameters, jobs=jobs)
        else:
            rows = StoredTables(tables).scores(path, parameters, jobs=jobs)
    refuse_repeated_replies(rows, path)
    positions = None if predictions is None else read_table(predictions, PREDICTIONS)
    return with_names(with_games(rows, positions))


DefaultReplies = Literal["recorded", "simulated"]
"""What is drawn where no table is given: replies of real models, or of the simulated tracker."""


def check_replies(replies: str, models: Sequence[str] = ()) -> None:
    """Refuse a name that is none of `DefaultReplies`."""
    names = [*get_args(DefaultReplies), *models]
    if replies not in names:
        expected = f"{', '.join(map(repr, names[:-1]))} or {names[-1]!r}"
        raise InvalidArgumentError(
            f"replies: expected {expected}, got {replies!r:.80}; name a table of your own as "
            "`predictions`"
        )


def recorded_scores(
    tables: str | Path,
    parameters: ScoringParameters,
    *,
    sets: Sequence[str] = (WORLD_CUP,),
    models: Sequence[str] = (),
    settings: Sequence[str] = ("",),
    jobs: int = 1,
) -> pd.DataFrame:
    """Return the scores of recorded replies, with the column ``game`` that `whole_games` finds.

    All recorded replies are scored once for each folder of tables; then rows are selected.

    Sets, models and settings are as of `workbench.answers.recorded_replies.recorded_replies`.
    """
    replies = recorded_replies(sets, models, settings)
    path = recorded_replies_path()
    scores = StoredTables(Path(tables)).scores(path, parameters, jobs=jobs)
    key = ["set", "model", "setting"]
    scores = scores.merge(replies[key].drop_duplicates(), on=key)
    return with_games(scores, recorded_replies(sets=(), settings=()))
