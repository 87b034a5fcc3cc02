"""The estimator lab's numbers as plain HTML."""

from collections.abc import Mapping, Sequence
from typing import Any

from workbench.affordance import ESTIMATORS
from workbench.explore.lab.batches_of_runs import RunSettings
from workbench.explore.page.still_html import heading, listing, paragraph


def lab_still(
    settings: RunSettings,
    aim: Mapping[str, Any] | None,
    summaries: Sequence[Mapping[str, Any]],
) -> str:
    """Return the value aimed at and the summary of the runs as HTML.

    Args:
        settings: What was run.
        aim: The fields of a `workbench.explore.lab.batches_of_runs.Reference`; None if it was not
            computed.
        summaries: Rows of `workbench.explore.lab.batches_of_runs.batch_summary`.
    """
    name = f"{'r' if settings.measure == 'recall' else 'p'}_{settings.depth}"
    boards = (("True board", settings.true_fen), ("Predicted board", settings.predicted_fen))
    parts = [
        heading(
            f"Estimators of {name}, N = {settings.samples} lines per run, seed {settings.seed}"
        ),
        *(paragraph(f"{which}: {fen or 'none'}") for which, fen in boards),
        paragraph(_aim_in_words(name, aim)),
    ]
    if not summaries:
        return "".join([*parts, paragraph("No runs with these settings.")])
    columns = ("Estimator", "Runs", "Mean", "Bias", "Standard error", "Standard deviation of a run")
    measures = ("mean", "bias", "standard_error", "standard_deviation")
    rows = [
        (ESTIMATORS[row["method"]].label, row["runs"], *(_digits(row[name]) for name in measures))
        for row in summaries
    ]
    return "".join([*parts, listing(columns, rows)])


def _aim_in_words(name: str, aim: Mapping[str, Any] | None) -> str:
    if aim is None:
        return f"{name} was not computed for these boards."
    if not aim["runnable"]:
        return f"{name} is 0: {aim['reason']}."
    if aim["exact"]:
        return f"{name} = {aim['value']:.6g}, exact."
    return f"{name} = {aim['value']:.5g}, 95% interval {aim['low']:.5g} to {aim['high']:.5g}."


def _digits(value: float | None) -> str:
    return "undefined" if value is None or value != value else f"{value:.4g}"
