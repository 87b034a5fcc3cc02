"""The main job: make the data once, then run every figure notebook on it, at the size of a preset."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

from workbench.errors import GameFileError, InvalidArgumentError, TableError
from workbench.headless.notebook_runs import (
    NotebookProgress,
    NotebookRun,
    assign_parameters,
    figure_notebooks,
    notebook_defaults,
    run_notebooks,
)
from workbench.scoring import ScoringParameters
from workbench.scoring.score_tables import refuse_other_parameters, refuse_other_predictions
from workbench.tables.output_files import check_output
from workbench.tables.parquet_tables import PREDICTIONS, read_chunks

PRESETS: Final[Mapping[str, Mapping[str, Mapping[str, Any]]]] = MappingProxyType(
    {
        "quick": {},
        "paper": {
            "01_precision_by_depth": {"runs": 100},
            "02_precision_by_samples": {"runs": 100},
            "03_kendall_tau": {"per_group": 2000},
            "04_mean_precision": {"per_group": 2000, "lost_piece_positions": 400},
            "05_random_baseline": {"pairs": 1000, "scattered_pairs": 10000},
            "08_models": {"per_group": 400},
            "09_prompts": {
                "per_group": 200,
                "turn_models": ["tiny", "small", "medium", "simulated"],
                "turn_games": 20,
            },
            "12_environments": {"per_length": 200},
            "15_stated_and_implied": {"per_length": 200},
            "16_emergence": {"per_group": 200},
            "17_probe": {"per_group": 60, "fit_games": 500, "iterations": 30},
            "18_without_an_answer_key": {
                "per_group": 40,
                "searches": 12,
                "budget": 4800,
                "compared_games": 40,
            },
        },
    }
)

LONGEST_FIRST: Final = (
    "04_mean_precision", "12_environments", "17_probe", "16_emergence", "06_sample_complexity",
    "18_without_an_answer_key",
    "05_random_baseline", "07_estimators", "09_prompts", "08_models", "13_track_or_recall",
    "03_kendall_tau",
)  # fmt: skip
"""Notebooks in the order in which to start them, so that no long one is left for the end.

By their processor times at the size ``paper``. 03 draws the scores that 04 makes: begun with it, it
would only wait.
"""


INPUTS: Final = ("games", "predictions", "prompts", "thinking", "own_tables", "scores")
"""Parameters of the notebooks that take files."""
SCORING: Final = frozenset({"depth", "terminal", "ill_formed"})
"""Parameters of the notebooks that say how replies are scored, exactly."""


def make_figures(
    *,
    preset: str = "quick",
    only: Iterable[str] = (),
    parameters: Mapping[str, Any] | None = None,
    jobs: int = 1,
    games: Iterable[Path] = (),
    predictions: Path | None = None,
    scores: Path | None = None,
    out: Path = Path("figures"),
    report: Callable[[NotebookRun], object] | None = None,
    watch: Callable[[Sequence[NotebookProgress]], object] | None = None,
) -> list[NotebookRun]:
    """Run the figure notebooks and return how each ended.

    Args:
        preset: ``quick`` or ``paper``.
        only: Names of notebooks; all if empty.
        parameters: Notebook parameters, over those of the preset.
        jobs: Notebooks at a time.
        games: PGN files for the studies of many positions.
        predictions: A predictions table for them; takes precedence.
        scores: Their scores, from ``workbench score``, instead of scoring them again. Models are
            compared with both only.
        out: The folder for the figures; executed notebooks and tables go below it.
        report: Called with each notebook when it has ended.
        watch: Called several times per second with those that have not ended.
    """
    out = out.resolve()
    if preset not in PRESETS:
        raise InvalidArgumentError(f"expected a preset of {list(PRESETS)}, got {preset!r}")
    optional = {
        "out": str(out),
        "tables": str(out / "tables"),
        "games": [str(path.resolve()) for path in games],
        "predictions": str(predictions.resolve()) if predictions else "",
        "scores": str(scores.resolve()) if scores else "",
    }
    assigned = assign_parameters(
        figure_notebooks(only), optional, parameters or {}, PRESETS[preset]
    )
    for notebook, values in assigned.items():
        _refuse_unusable(notebook, values)
        inputs = [path for name in INPUTS for path in _paths(values.get(name))]
        check_output(out / "notebooks" / notebook.name, [*assigned, *inputs])
    order = {name: place for place, name in enumerate(LONGEST_FIRST)}
    longest_first = sorted(assigned, key=lambda path: order.get(path.stem, len(order)))
    runs = run_notebooks(
        {path: assigned[path] for path in longest_first}, out / "notebooks", jobs, report, watch
    )
    return sorted(runs, key=lambda run: run.name)


def _paths(value: Any) -> set[Path]:
    """Return the paths in a notebook's parameter: one, several, or by name; empty if it is."""
    if isinstance(value, str | Path):
        return {Path(value)} if value else set()
    names = value.values() if isinstance(value, Mapping) else value or ()
    return {Path(name) for name in names}


def _refuse_unusable(notebook: Path, parameters: Mapping[str, Any]) -> None:
    for path in _paths(parameters.get("games")):
        if not path.exists():
            raise GameFileError(f"{path}: expected a file of games, found none of this name")
    predictions = _paths(parameters.get("predictions")) | _paths(parameters.get("prompts"))
    for path in predictions:
        if next(read_chunks(path, PREDICTIONS, 1), None) is None:
            raise TableError(f"{path}: expected a predictions table with rows, got one without")
    for path in _paths(parameters.get("scores")):
        values = {**notebook_defaults(notebook), **parameters}
        # A browser of runs shows any table.
        if values.keys() >= SCORING:
            scoring = {name: values[name] for name in SCORING}
            refuse_other_parameters(path, ScoringParameters(**scoring))
        for table in predictions:
            refuse_other_predictions(path, table)
