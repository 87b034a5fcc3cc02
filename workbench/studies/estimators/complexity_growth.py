"""Growth of the N found, and of the states generated, with the depth m."""

import math

import numpy as np
import pandas as pd

from workbench.studies.estimators.needed_samples import AT_MOST, FOUND, MORE_THAN, NOT_TRIED


def summarise(table: pd.DataFrame) -> pd.DataFrame:
    """Return the median over like pairs, where what was not reached counts as infinite.

    Args:
        table: The result of `compute`.

    Returns:
        Columns setting, chance, method, depth, status, samples, nodes (medians, or under ``more than``
        the smallest bound), derived (median), precision (geometric mean), instances, reached (how
        many of them have an N).
    """
    rows = []
    for (setting, chance, method, depth), part in table.groupby(
        ["setting", "chance", "method", "depth"], sort=False, dropna=False
    ):
        reached = part["status"].isin([FOUND, AT_MOST])
        ordered = part.assign(order=part["samples"].where(reached, math.inf)).sort_values("order")
        middle = ordered.iloc[(len(part) - 1) // 2 : len(part) // 2 + 1]
        if np.isfinite(middle["order"]).all():
            status = AT_MOST if (middle["status"] == AT_MOST).all() else FOUND
            samples, nodes = middle["samples"].mean(), middle["nodes"].mean()
        else:
            bounds = part[part["status"] == MORE_THAN]
            status = MORE_THAN if len(bounds) else NOT_TRIED
            samples, nodes = bounds["samples"].min(), bounds["nodes"].min()
        with np.errstate(divide="ignore"):
            precision = float(np.exp(np.log(part["precision"]).mean()))
        rows.append(
            (
                setting, chance, method, depth, status, samples, nodes, part["derived"].median(),
                precision, len(part), int(reached.sum()),
            )
        )  # fmt: skip
    return pd.DataFrame(
        rows,
        columns=[
            "setting", "chance", "method", "depth", "status", "samples", "nodes", "derived",
            "precision", "instances", "reached",
        ],
    )  # fmt: skip


def growth(table: pd.DataFrame, from_depth: int = 4) -> pd.DataFrame:
    """Return how N and the states generated grow with m, by least squares on logarithms.

    Args:
        table: The result of `compute`.
        from_depth: The least m that is used.

    Returns:
        Columns setting, chance, method, points (depths with an N), samples_power and nodes_power
        (slopes over ln m: 1 is linear, 2 quadratic), samples_rate (slope over m: the lambda of
        e^(lambda m)), rate (-ln p_m / m at the largest m, which is lambda = -ln p on a tree; NaN where
        p_m is not known), derived_ratio (geometric mean of measured over derived N). NaN with less
        than three depths.
    """
    rows = []
    for (setting, chance, method), part in summarise(table).groupby(
        ["setting", "chance", "method"], sort=False, dropna=False
    ):
        last = part.iloc[-1]
        used = part[(part["status"] == FOUND) & (part["depth"] >= from_depth)]
        slopes = [math.nan] * 3
        if len(used) >= 3:
            samples, nodes, depth = (np.log(used[name]) for name in ("samples", "nodes", "depth"))
            slopes = [
                float(np.polyfit(x, y, 1)[0])
                for x, y in ((depth, samples), (depth, nodes), (used["depth"], samples))
            ]
        ratio = np.log((used["samples"] / used["derived"]).where(used["derived"] > 0)).mean()
        rate = -math.log(last["precision"]) / last["depth"] if last["precision"] > 0 else math.nan
        rows.append(
            (setting, chance, method, len(used), *slopes, rate, float(np.exp(ratio)))
        )  # fmt: skip
    return pd.DataFrame(
        rows,
        columns=[
            "setting", "chance", "method", "points", "samples_power", "nodes_power",
            "samples_rate", "rate", "derived_ratio",
        ],
    )  # fmt: skip
