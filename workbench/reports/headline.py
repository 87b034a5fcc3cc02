"""The headline numbers of a run: each model's means, with errors from resampled games.

Page, exports and models' cards all show these, so that a run has one set of numbers.
"""

import math
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final

import numpy as np
import pandas as pd

from workbench.drawing.scores_in_words import left_out, scored_rows, with_names
from workbench.errors import InvalidArgumentError
from workbench.explore.run.run_table import depths_of
from workbench.seeds import derived_seed
from workbench.statistics.intervals import (
    cluster_codes,
    drawn_clusters,
    quantile_ends,
    resampled_means,
)
from workbench.studies.models.model_summary import OVERALL

KEY: Final = ("task", "set", "model", "setting")
"""The columns that tell one line of results from another."""

COLUMNS: Final = (
    *KEY, "quantity", "mean", "standard_error", "lower", "upper", "n", "games", "undefined",
    "failed", "unscored",
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


def headline(
    scores: pd.DataFrame, *, depth: int | None = None, resamples: int = 1000, seed: int = 0
) -> pd.DataFrame:
    """Return the means of each model's replies, with standard errors and 95% intervals.

    Whole games are resampled, because positions of one game are not independent; the ends are those
    of `workbench.studies.models.model_summary`. Failed calls and replies that could not be scored are
    left out of every mean, and counted.

    Args:
        scores: Rows of a scores table. A column ``game``, as `workbench.reports.reported_run` adds
            it, names the games that are resampled; without it ``game_id`` does.
        depth: m; the largest that the scores have if None.
        resamples: Number of bootstrap resamples, at least 1.
        seed: Seed of the bootstrap, at least 0.

    Returns:
        One row for each task, set, model, setting and quantity of `QUANTITIES`; no row for no scores.
        mean, standard_error (deviation of the resampled means), lower and upper are NaN where there
        is nothing to compute them from: error and interval for fewer than two games, too. n counts
        the rows in the mean and games their games; undefined the scored rows without this value;
        failed and unscored the rows of the model that have no scores.

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
            found = _mean_of(part, quantity, resamples, seed)
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


def _mean_of(part: pd.DataFrame, quantity: str, resamples: int, seed: int) -> dict[str, float]:
    kept = scored_rows(part)
    # An estimator gives p_m alone, so that p_1 may be missing.
    values = kept[quantity].astype(float) if quantity in kept else pd.Series(np.nan, kept.index)
    defined = values.notna()
    found: dict[str, float] = {
        **dict.fromkeys(("mean", "standard_error", "lower", "upper"), math.nan),
        "n": int(defined.sum()),
        "games": 0,
        "undefined": int((~defined).sum()),
    }
    if not defined.any():
        return found
    numbers = np.asarray(values[defined], dtype=np.float64)
    codes, games = cluster_codes(kept.loc[defined, "game" if "game" in kept else "game_id"])
    found |= {"mean": float(numbers.mean()), "games": games}
    if games > 1:
        # The seed of `model_summary`, so that page and figures show the same ends.
        measure = quantity.rpartition("_")[0] if quantity.startswith(("pre", "rec")) else quantity
        drawn = drawn_clusters(games, resamples, derived_seed(seed, OVERALL, measure))
        means = resampled_means(numbers, codes, drawn)
        found["lower"], found["upper"] = quantile_ends(means)
        found["standard_error"] = float(means.std(ddof=1)) if resamples > 1 else math.nan
    return found
