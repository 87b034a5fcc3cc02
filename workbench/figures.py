"""The main job: the data made once, then every figure notebook run on it."""

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from workbench.presets import preset as preset_parameters
from workbench.runs import (
    NotebookRun,
    assign_parameters,
    figure_notebooks,
    run_notebooks,
)


def make_figures(
    *,
    preset: str = "quick",
    only: Iterable[str] = (),
    given: Mapping[str, Any] | None = None,
    jobs: int = 1,
    games: Iterable[Path] = (),
    predictions: Path | None = None,
    out: Path = Path("figures"),
    report: Callable[[NotebookRun], object] | None = None,
) -> list[NotebookRun]:
    """Run the figure notebooks and return how each ended.

    Args:
        preset: ``quick`` or ``paper``.
        only: Names of notebooks; all if empty.
        given: Notebook parameters, over those of the preset.
        jobs: Notebooks at a time.
        games: PGN files for the studies of many positions.
        predictions: A predictions table for them; takes precedence.
        out: The folder for the figures; executed notebooks and tables go below it.
        report: Told of each notebook when it has ended.

    Returns:
        How each notebook ended, in the order of their numbers.

    Raises:
        UnknownParameterError: If no chosen notebook has a parameter that was given.
    """
    out = out.resolve()
    sizes = preset_parameters(preset)
    optional = {
        "out": str(out),
        "tables": str(out / "tables"),
        "games": [str(path.resolve()) for path in games],
        "predictions": str(predictions.resolve()) if predictions else "",
    }
    assigned = assign_parameters(figure_notebooks(only), optional, given or {}, sizes)
    return run_notebooks(assigned, out / "notebooks", jobs, report)
