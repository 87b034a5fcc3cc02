"""Means of columns in parts of a table, with intervals that resample whole games."""

from collections.abc import Iterator, Sequence
from typing import Any, Final

import pandas as pd

from workbench.seeds import derived_seed
from workbench.statistics.intervals import (
    cluster_codes,
    drawn_clusters,
    quantile_ends,
    resampled_means,
)

ALL: Final = "all"
"""The length that stands for all lengths."""


def means_by_game(
    rows: pd.DataFrame,
    by: Sequence[str],
    measures: Sequence[str],
    *,
    resamples: int,
    seed: int,
) -> pd.DataFrame:
    """Return means with 95% intervals, for each part and length of games, and all lengths.

    Args:
        rows: With ``game``, ``group`` (full moves) and the columns below.
        by: Columns whose values tell the parts apart.
        measures: Columns of numbers or of truth values, none of them missing.
        resamples: Of games.
        seed: Seed of the resamples; the same games are drawn in all parts that have the same.

    Returns:
        The columns ``by``, length (text; "all" last), measure, mean, low, high, count and games.
        Intervals are NaN where there is one game.
    """
    found = []
    for names, part in rows.groupby(list(by), sort=False):
        for length, cell in _by_length(part):
            codes, games = cluster_codes(cell["game"])
            values = cell[list(measures)].to_numpy(float)
            means = values.mean(axis=0)
            drawn = drawn_clusters(games, resamples, derived_seed(seed, length))
            resampled = resampled_means(values, codes, drawn)
            for index, measure in enumerate(measures):
                low, high = quantile_ends(resampled[:, index]) if games > 1 else (float("nan"),) * 2
                row: dict[str, Any] = dict(zip(by, names, strict=True))
                row |= {"length": length, "measure": measure, "mean": means[index]}
                found.append(row | {"low": low, "high": high, "count": len(cell), "games": games})
    return pd.DataFrame(found)


def _by_length(rows: pd.DataFrame) -> Iterator[tuple[str, pd.DataFrame]]:
    yield from ((str(length), part) for length, part in rows.groupby("group"))
    yield ALL, rows
