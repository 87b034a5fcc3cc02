"""The metrics: each computes itself, names itself, and has a range, a format and a look."""

from workbench.metrics.metric import F_SCORE, PRECISION, RECALL, Look, Metric, Pair
from workbench.metrics.metric_registry import (
    column_values,
    find_metric,
    headline_columns,
    metric_of,
    metrics,
    own_code,
    own_metrics,
    pair_values,
    range_of,
    score_metrics,
    with_summaries,
)

__all__ = [
    "F_SCORE",
    "PRECISION",
    "RECALL",
    "Look",
    "Metric",
    "Pair",
    "column_values",
    "find_metric",
    "headline_columns",
    "metric_of",
    "metrics",
    "own_code",
    "own_metrics",
    "pair_values",
    "range_of",
    "score_metrics",
    "with_summaries",
]
