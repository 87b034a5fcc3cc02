"""Models compared pair by pair on the positions that both answered, with whole games as units."""

import math
from collections.abc import Collection
from itertools import combinations
from typing import Any, Final

import numpy as np
import pandas as pd

from workbench.drawing.quantities import difference_range
from workbench.drawing.scores_in_words import scored_rows
from workbench.errors import InvalidArgumentError
from workbench.statistics.intervals import (
    Values,
    clustered_mean_interval,
    comparable,
)
from workbench.statistics.paired_tests import holm, sign_test

LEVEL: Final = 0.05
"""Adjusted p-values below it separate two models."""

COLUMNS: Final = (
    "model", "other", "positions", "games", "mean", "mean_other", "difference", "low", "high",
    "effect", "better", "worse", "p_value", "holm",
)  # fmt: skip


def compute(
    scores: pd.DataFrame,
    *,
    measure: str = "precision_4",
    seed: int = 0,
    against: Collection[str] = (),
) -> pd.DataFrame:
    """Compare each two models on the positions that both have answered.

    A position that was asked several times counts once, by the mean of its answers. Intervals are of
    95%, by the variance between games.

    Args:
        scores: Rows of a scores table with the column ``game``, the same in all rows of a position.
        measure: A column of numbers; a higher one is better.
        seed: Seed of the sign test.
        against: If not empty, only the pairs with at least one of these models.

    Returns:
        One row for each pair of models that share a position, the better one first: model, other,
        positions and games (shared), mean and mean_other (on them), difference with low and high,
        effect (mean difference over the standard deviation of the positions' differences; NaN where
        this is 0, for all positions differ by the same amount, or there is one), better and worse (positions at which the model is above and below the other),
        p_value (two-sided, of the sign test; NaN for a single game) and holm (adjusted for all rows).

    Raises:
        InvalidArgumentError: If the measure is missing.
    """
    kept = scored_rows(scores)
    if measure not in kept:
        raise InvalidArgumentError(
            f"expected scores with {measure!r}, got {list(kept.columns)}; score with this depth"
        )
    values = kept[measure].astype(float)
    means = kept.assign(value=values)[values.notna()].pivot_table(
        index="position_id", columns="model", values="value", aggfunc="mean"
    )
    of_positions = kept.drop_duplicates("position_id").set_index("position_id")["game"]
    rows: list[dict[str, Any]] = []
    for one, other in combinations(means.columns, 2):
        if against and one not in against and other not in against:
            continue
        both = means[[one, other]].dropna()
        if both.empty:
            continue
        if both[one].mean() < both[other].mean():
            one, other = other, one
        difference = comparable(both[one]) - comparable(both[other])
        games = of_positions.loc[both.index]
        interval = clustered_mean_interval(difference, games, within=difference_range(measure))
        sums: Values = np.asarray(pd.Series(difference).groupby(np.asarray(games)).sum(), float)
        # Differences of `comparable` values are exact to some 12 digits of these.
        alike = np.ptp(difference) <= 1e-9 * both.abs().to_numpy().max()
        spread = math.nan if alike else float(difference.std(ddof=1))
        rows.append(
            {
                "model": one,
                "other": other,
                "positions": len(both),
                "games": len(sums),
                "mean": both[one].mean(),
                "mean_other": both[other].mean(),
                "difference": interval.value,
                "low": interval.low,
                "high": interval.high,
                "effect": interval.value / spread,
                "better": int((difference > 0).sum()),
                "worse": int((difference < 0).sum()),
                "p_value": sign_test(sums, seed=seed),
            }
        )
    table = pd.DataFrame(rows, columns=[name for name in COLUMNS if name != "holm"])
    return table.assign(holm=holm(table["p_value"].astype(float).tolist()))


def separated(table: pd.DataFrame, level: float = LEVEL) -> set[frozenset[str]]:
    """Return the pairs of models that the test separates.

    Args:
        table: The result of `compute`.
        level: Level of the adjusted p-value.
    """
    apart = table[table["holm"] < level]
    return {frozenset(pair) for pair in zip(apart["model"], apart["other"], strict=True)}
