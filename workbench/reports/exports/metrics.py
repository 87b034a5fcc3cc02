"""What the headline quantities are called in published schemas; the rest is in `workbench.metrics`."""

from typing import Final

from workbench.metrics import Metric
from workbench.reports.exports.evaluations import BENCHMARK

_COMMON: Final = {"exact_match": "accuracy", "levenshtein": "edit_distance"}
"""Metrics that all benchmarks have, by column, and the families that they belong to."""

_OF_ACTIONS: Final = {
    ("actions", "precision"): "Share of the listed actions that are permitted.",
    ("actions", "recall"): "Share of the permitted actions that are listed.",
    (
        "continuation",
        "precision",
    ): "Whether the true state accepts the first m actions of the reply.",
}


def identifier(metric: Metric) -> str:
    """Return a metric's name among those of all benchmarks."""
    return metric.column if metric.column in _COMMON else f"{BENCHMARK}.{metric.column}"


def kind(metric: Metric) -> str:
    """Return the family of metrics that a metric belongs to."""
    return _COMMON.get(metric.name, metric.title.replace(" ", "_"))


def description(task: str, metric: Metric) -> str:
    """Return what the mean of a metric is, in two sentences."""
    return f"Mean over replies. {_OF_ACTIONS.get((task, metric.name), metric.sentence)}"
