"""Means of columns in parts of a table, by the length of games."""

from collections.abc import Sequence
from typing import Final

import pandas as pd

from workbench.drawing.quantities import range_of
from workbench.statistics.grouped import Ranges, grouped_means

ALL: Final = "all"
"""The length that stands for all lengths."""


def means_by_game(
    rows: pd.DataFrame, by: Sequence[str], measures: Sequence[str], within: Ranges = range_of
) -> pd.DataFrame:
    """Return means with 95% intervals, for each part and length of games, and all lengths.

    Args:
        rows: With ``game``, ``group`` (full moves) and the columns below.
        by: Columns whose values tell the parts apart; these stay in the order of the rows.
        measures: Columns of numbers or of truth values.
        within: As of `grouped_means`.

    Returns:
        The columns ``by``, length (text; "all" last), measure, mean, low, high, count, games and
        effective (number of games).
    """
    named = rows.assign(length=rows["group"])
    key = [*by, "length"]
    parts = [part for _, part in named.groupby(list(by), sort=False)] or [named]
    means = [grouped_means(part, measures, key, within=within, total=ALL) for part in parts]
    table = pd.concat(means, ignore_index=True).rename(
        columns={"column": "measure", "value": "mean"}
    )
    return table[[*key, "measure", "mean", "low", "high", "count", "games", "effective"]]
