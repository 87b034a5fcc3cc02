"""Means of columns in parts of a table, with intervals by the variance between games."""

from collections.abc import Iterator, Sequence
from typing import Any, Final

import pandas as pd

from workbench.drawing.quantities import range_of
from workbench.statistics.intervals import cluster_codes, clustered_mean_interval

ALL: Final = "all"
"""The length that stands for all lengths."""


def means_by_game(
    rows: pd.DataFrame,
    by: Sequence[str],
    measures: Sequence[str],
    within: tuple[float, float] | None = None,
) -> pd.DataFrame:
    """Return means with 95% intervals, for each part and length of games, and all lengths.

    Args:
        rows: With ``game``, ``group`` (full moves) and the columns below.
        by: Columns whose values tell the parts apart.
        measures: Columns of numbers or of truth values, none of them missing.
        within: The range of all measures; None for that of each by its name (`range_of`).

    Returns:
        The columns ``by``, length (text; "all" last), measure, mean, low, high, count, games and
        effective (number of games); intervals are those of `clustered_mean_interval`.
    """
    found = []
    for names, part in rows.groupby(list(by), sort=False):
        for length, cell in _by_length(part):
            codes, _ = cluster_codes(cell["game"])
            means = cell[list(measures)].to_numpy(float).mean(axis=0)
            for mean, measure in zip(means, measures, strict=True):
                bounds = range_of(measure) if within is None else within
                interval = clustered_mean_interval(cell[measure], codes, within=bounds)
                row: dict[str, Any] = dict(zip(by, names, strict=True))
                row |= {"length": length, "measure": measure, "mean": mean}
                row |= {"low": interval.low, "high": interval.high, "count": interval.count}
                found.append(row | {"games": interval.clusters, "effective": interval.effective})
    return pd.DataFrame(found)


def _by_length(rows: pd.DataFrame) -> Iterator[tuple[str, pd.DataFrame]]:
    yield from ((str(length), part) for length, part in rows.groupby("group"))
    yield ALL, rows
