"""The main job: make the data once, then run every figure notebook on it."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from workbench.errors import GameFileError, TableError
from workbench.headless.notebook_runs import (
    NotebookProgress,
    NotebookRun,
    assign_parameters,
    figure_notebooks,
    notebook_defaults,
    run_notebooks,
)
from workbench.headless.presets import LONGEST_FIRST
from workbench.headless.presets import preset as preset_parameters
from workbench.scoring import ScoringParameters
from workbench.studies.given_scores import refuse_other_parameters, refuse_other_predictions
from workbench.tables.output_files import check_output
from workbench.tables.parquet_tables import PREDICTIONS, read_chunks

INPUTS: Final = ("games", "predictions", "prompts", "thinking", "own_tables", "scores")
"""Parameters of the notebooks that take files."""
SCORING: Final = frozenset({"depth", "terminal", "ill_formed"})
"""Parameters of the notebooks that say how replies are scored, exactly."""


def make_figures(
    *,
    preset: str = "quick",
    only: Iterable[str] = (),
    given: Mapping[str, Any] | None = None,
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
        given: Notebook parameters, over those of the preset.
        jobs: Notebooks at a time.
        games: PGN files for the studies of many positions.
        predictions: A predictions table for them; takes precedence.
        scores: Their scores, from ``workbench score``, instead of scoring them again. Models are
            compared with both only.
        out: The folder for the figures; executed notebooks and tables go below it.
        report: Called with each notebook when it has ended.
        watch: Called several times per second with those that have not ended.

    Returns:
        How each notebook ended, in the order of their numbers.

    Raises:
        UnknownParameterError: If no chosen notebook has a parameter that was given.
        TableError: If a table that was given is not what it should be, or has no rows.
        RunMismatchError: If the scores were made with other parameters than a notebook's, or from
            other predictions.
        GameFileError: If a file of games is missing.
        OutputError: If an executed notebook would be written over an input, such as the notebooks.
    """
    out = out.resolve()
    sizes = preset_parameters(preset)
    optional = {
        "out": str(out),
        "tables": str(out / "tables"),
        "games": [str(path.resolve()) for path in games],
        "predictions": str(predictions.resolve()) if predictions else "",
        "scores": str(scores.resolve()) if scores else "",
    }
    assigned = assign_parameters(figure_notebooks(only), optional, given or {}, sizes)
    for notebook, parameters in assigned.items():
        _refuse_unusable(notebook, parameters)
        inputs = [path for name in INPUTS for path in _paths(parameters.get(name))]
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
            wanted = {name: values[name] for name in SCORING}
            refuse_other_parameters(path, ScoringParameters(**wanted))
        for table in predictions:
            refuse_other_predictions(path, table)
