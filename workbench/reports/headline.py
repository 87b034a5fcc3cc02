"""The headline numbers of a run: each model's means, with errors by the variance between games.

Page, exports and models' cards all show these, so that a run has one set of numbers.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final

import numpy as np
import pandas as pd

from workbench.drawing.quantities import range_of
from workbench.drawing.scores_in_words import left_out, scored_rows, with_names
from workbench.errors import InvalidArgumentError
from workbench.explore.run.run_table import depths_of
from workbench.statistics.intervals import clustered_mean_interval

KEY: Final = ("task", "set", "model", "setting")
"""The columns that tell one line of results from another."""

COLUMNS: Final = (
    *KEY, "quantity", "mean", "standard_error", "lower", "upper", "n", "games", "effective",
    "undefined", "failed", "unscored",
)  # fmt: skip

QUANTITIES: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {
        "state": ("precision_{depth}", "recall_{depth}", "exact_match", "levenshtein"),
        "actions": ("precision_1", "recall_1"),
        "continuation": ("precision_{depth}",),
    }
)
"""What each task measures, by the names of the columns of a scores table."""


def headline_depth(scores: pd.DataFrame) -> int:
    """Return the largest m for which a scores table has p_m and r_m.

    Raises:
        InvalidArgumentError: If it has none.
    """
    depths = depths_of(scores)
    if not depths:
        raise InvalidArgumentError(
            "expected scores with columns such as 'precision_4' and 'recall_4', got "
            f"{list(scores.columns)}; make them by `workbench score`"
        )
    return depths[-1]


def headline(scores: pd.DataFrame, *, depth: int | None = None) -> pd.DataFrame:
    """Return the means of each model's replies, with standard errors and 95% intervals.

    Positions of one game are not independent: errors and intervals are by the variance between games,
    see `workbench.statistics.intervals`. Failed calls and replies that could not be scored are
    left out of every mean, and counted.

    Args:
        scores: Rows of a scores table. A column ``game``, as `workbench.reports.reported_run` adds
            it, names the games; without it ``game_id`` does.
        depth: m; the largest that the scores have if None.

    Returns:
        One row for each task, set, model, setting and quantity of `QUANTITIES`; no row for no scores.
        mean, standard_error, lower and upper are NaN where there is nothing to compute them from:
        error and interval for fewer than two games, or games that do not vary, too. n counts the rows
        in the mean, games their games and effective the effective number of these; undefined the
        scored rows without this value; failed and unscored the rows of the model that have no scores.

    Raises:
        InvalidArgumentError: If the scores lack p_m and r_m.
    """
    chosen = headline_depth(scores) if depth is None else depth
    if chosen not in depths_of(scores):
        raise InvalidArgumentError(
            f"depth: expected one of {depths_of(scores)}, which these scores have, got {chosen!r}"
        )
    rows: list[dict[str, Any]] = []
    for key, part in with_names(scores).groupby(list(KEY), sort=True, dropna=False):
        named = dict(zip(KEY, key, strict=True))
        excluded = left_out(part)
        for quantity in quantities_of(str(named["task"]), chosen):
            found = _mean_of(part, quantity)
            rows.append({**named, "quantity": quantity, **found, **excluded})
    return pd.DataFrame(rows, columns=list(COLUMNS))


def quantities_of(task: str, depth: int) -> tuple[str, ...]:
    """Return the columns of a scores table that a task is reported by.

    Args:
        task: Of the column ``task``; one of another package is reported by p_m and r_m.
        depth: m.
    """
    names = QUANTITIES.get(task, ("precision_{depth}", "recall_{depth}"))
    return tuple(name.format(depth=depth) for name in names)


def _mean_of(part: pd.DataFrame, quantity: str) -> dict[str, float]:
    kept = scored_rows(part)
    # An estimator gives p_m alone, so that p_1 may be missing.
    values = kept[quantity].astype(float) if quantity in kept else pd.Series(np.nan, kept.index)
    defined = values.notna()
    interval = clustered_mean_interval(
        values[defined],
        kept.loc[defined, "game" if "game" in kept else "game_id"],
        within=range_of(quantity),
    )
    return {
        "mean": interval.value,
        "standard_error": interval.standard_error,
        "lower": interval.low,
        "upper": interval.high,
        "n": interval.count,
        "games": interval.clusters,
        "effective": interval.effective,
        "undefined": int((~defined).sum()),
    }
