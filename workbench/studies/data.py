"""The scores that the studies of many positions draw: from predictions, from games, or embedded.

Three sources, in this order: a predictions table that the user gives; games that the user gives,
answered by the simulated tracker; the bundled games, answered by the simulated tracker.
What was made lies in a folder of tables and is found there by the next study.
"""

import hashlib
import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Final

import pandas as pd
from filelock import FileLock

from workbench.errors import InvalidArgumentError
from workbench.games.bundled import BUNDLED_NAME, bundled_games, bundled_games_path
from workbench.games.cut import cut_games
from workbench.provenance import file_hash
from workbench.replies.simulated import simulate
from workbench.scoring import ScoringParameters
from workbench.scoring.run import score_file
from workbench.studies.describe import describe_scores
from workbench.tables import POSITIONS, PREDICTIONS, read_table, write_table

FIVE_GROUPS: Final = (5, 16, 27, 38, 50)
TEN_GROUPS: Final = tuple(range(5, 51, 5))


@dataclass(frozen=True, slots=True)
class Source:
    """Where games and replies come from, and how many.

    Attributes:
        predictions: A predictions table; takes precedence over games.
        games: PGN files, plain, gzip or zstd; the bundled games if there are none.
        model: Of the predictions, only this model's; all of them if empty.
        per_group: Positions in each of the five groups that are cut from games; the ten groups
            have half as many each, so that both take as many games.
        rate: Slips a ply of the simulated tracker, in [0, 1].
        seed: Of the games, the cut and the simulated tracker.
    """

    predictions: str = ""
    games: tuple[str, ...] = ()
    model: str = ""
    per_group: int = 40
    rate: float = 0.03
    seed: int = 0


@dataclass(frozen=True, slots=True)
class StudyData:
    """Scores by the name of their grouping, with what they are in words and the files read."""

    variants: dict[str, pd.DataFrame]
    games: str
    inputs: tuple[Path, ...] = field(default_factory=tuple)

    def describe(self) -> str:
        """Return the line that stands on every figure drawn from these scores."""
        name, scores = next(iter(self.variants.items()))
        return f"{self.games}, {name}; {describe_scores(scores)}"


def positions_of(source: Source, groups: Sequence[int], tables: Path) -> pd.DataFrame:
    """Cut the source's games, or the bundled ones, into groups; done once a folder of tables.

    Args:
        source: The games; its predictions are not looked at.
        groups: Full moves at which games are cut.
        tables: The folder that keeps the positions.
    """
    per_group = source.per_group if len(groups) <= len(FIVE_GROUPS) else source.per_group // 2 or 1
    hashes = _hashes(game_files(source))
    key = _digest("positions", list(groups), per_group, source.seed, hashes)
    path = tables / f"positions-{key}.parquet"
    if path.exists():
        return read_table(path, POSITIONS)
    games: Any = game_files(source) if source.games else bundled_games()
    cut = cut_games(games, groups=groups, per_group=per_group, seed=source.seed)
    write_table(cut.positions, path, POSITIONS, {"stage": "positions", "key": key})
    return cut.positions


def prepare(
    tables: str | Path,
    source: Source,
    parameters: ScoringParameters,
    *,
    jobs: int = 1,
    progress: bool = False,
) -> StudyData:
    """Return the scores of the source under two groupings, made now or found in the folder.

    Games are cut into the paper's five groups and, anew, into its ten. Given predictions keep the
    groups they came with; the second grouping is by bands of five full moves.

    Args:
        tables: The folder that keeps positions, predictions and scores.
        source: Where games and replies come from.
        parameters: How to score.
        jobs: Worker processes.
        progress: Whether to show a progress bar on standard error.

    Raises:
        InvalidArgumentError: If the predictions hold no row of the model asked for.
    """
    folder = Path(tables)
    folder.mkdir(parents=True, exist_ok=True)
    # Notebooks run side by side want the same tables: the second waits, and finds them made.
    with FileLock(folder / ".lock"):
        return _prepare(folder, source, parameters, jobs, progress)


def _prepare(
    folder: Path, source: Source, parameters: ScoringParameters, jobs: int, progress: bool
) -> StudyData:
    if source.predictions:
        path = Path(source.predictions)
        predictions = read_table(path, PREDICTIONS)
        if source.model:
            models = sorted(predictions["model"].unique())
            predictions = predictions[predictions["model"] == source.model]
            if predictions.empty:
                raise InvalidArgumentError(
                    f"{path}: expected rows of model {source.model!r}, got models {models}"
                )
        scores = _score(predictions, folder, parameters, jobs, progress, file_hash(path))
        bands = scores.assign(group=((scores["ply"] - 1) // 10 + 1).clip(lower=1) * 5)
        variants = {"groups of the predictions": scores, "bands of 5 full moves": bands}
        return StudyData(variants, f"games of {path.name}", (path,))
    files = game_files(source)
    variants = {}
    for name, groups in (("five groups", FIVE_GROUPS), ("ten groups", TEN_GROUPS)):
        positions = positions_of(source, groups, folder)
        predictions = simulate(positions, rate=source.rate, seed=source.seed)
        key = _digest(asdict(source), groups, _hashes(files))
        variants[name] = _score(predictions, folder, parameters, jobs, progress, key)
    return StudyData(variants, games_named(source), files)


def game_files(source: Source) -> tuple[Path, ...]:
    """Return the files of a source's games, or that of the bundled ones."""
    return tuple(Path(name) for name in source.games) or (bundled_games_path(),)


def games_named(source: Source) -> str:
    """Return what a source's games are called on a figure."""
    files = ", ".join(path.name for path in game_files(source))
    return f"games of {files if source.games else BUNDLED_NAME}"


def _score(
    predictions: pd.DataFrame,
    folder: Path,
    parameters: ScoringParameters,
    jobs: int,
    progress: bool,
    key: str,
) -> pd.DataFrame:
    name = _digest(key, sorted(predictions["model"].unique()), asdict(parameters))
    path = folder / f"predictions-{name}.parquet"
    if not path.exists():
        write_table(predictions, path, PREDICTIONS, {"stage": "predictions", "key": key})
    out = folder / f"scores-{name}.parquet"
    return score_file(path, out, parameters, jobs=jobs, progress=progress)


def _hashes(paths: Iterable[Path]) -> list[str]:
    return [file_hash(path) for path in paths]


def _digest(*parts: Any) -> str:
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()[:12]
