"""Kendall's tau between state precision and edit distance, per group of games and overall.

tau-b, because ties are many: whole boards right, and p = 0. The distance enters with its sign
turned, so that two measures which agree have tau > 0. Source: arXiv 2508.19851, the table and
figure of Kendall's tau per group; Kendall (1945), doi:10.1093/biomet/33.3.239.
"""

import math
from typing import Literal

import numpy as np
import numpy.typing as npt
import pandas as pd
from matplotlib.figure import Figure
from scipy.stats import kendalltau

from workbench.drawing.appearance import caption, new_figure, style
from workbench.drawing.labels import fitting_ticks
from workbench.drawing.scores_in_words import by_length, left_out, scored_rows
from workbench.errors import InvalidArgumentError
from workbench.scoring.parameters import Distance
from workbench.seeds import derived_seed
from workbench.studies.intervals import bootstrap_interval


def tau_b(values: npt.NDArray[np.float64], others: npt.NDArray[np.float64]) -> float:
    """Return Kendall's tau-b; NaN where either is the same in all rows."""
    if len(values) < 2:
        return math.nan
    return float(kendalltau(values, others).statistic)


def share_of_ties(values: npt.NDArray[np.float64]) -> float:
    """Return the share of pairs of rows that have the same value; NaN below two rows."""
    count = len(values)
    if count < 2:
        return math.nan
    _, sizes = np.unique(values, return_counts=True)
    return float((sizes * (sizes - 1)).sum() / (count * (count - 1)))


def compute(
    scores: pd.DataFrame,
    *,
    depth: int = 4,
    measure: Literal["precision", "recall"] = "precision",
    distance: Distance = "levenshtein",
    absent: Literal["keep", "leave_out"] = "keep",
    resamples: int = 1000,
    seed: int = 0,
) -> pd.DataFrame:
    """Compute tau-b(p_m, -distance) for each group and over all.

    Args:
        scores: Rows of a scores table that has ``<measure>_<depth>``.
        depth: m.
        measure: Precision or recall.
        distance: Which edit distance.
        absent: Replies without a FEN have p = 0 and the distance to the empty text; ``leave_out``
            computes without them.
        resamples: Number of bootstrap resamples.
        seed: Seed of the bootstrap.

    Returns:
        One row per group and one called "overall": group, measure, tau, low, high, count, undefined
        (resamples without a value), ties_measure, ties_distance (shares of tied pairs), failed
        (calls, which are no replies), left_out (replies not scored, or absent and left out).

    Raises:
        InvalidArgumentError: If the scores lack the measure at this depth.
    """
    column = f"{measure}_{depth}"
    if column not in scores:
        raise InvalidArgumentError(
            f"expected scores with a column {column!r}, got {list(scores.columns)}; "
            "score with this depth"
        )
    rows = []
    groups = [(str(group), part) for group, part in by_length(scores)]
    for group, part in [*groups, ("overall", scores)]:
        kept = scored_rows(part)
        if absent == "leave_out":
            kept = kept[kept["reply_class"] != "absent"]
        values = kept[column].to_numpy(float)
        similarity = -kept[distance].to_numpy(float)
        found = bootstrap_interval(
            tau_b, values, similarity, seed=derived_seed(seed, "tau", group), resamples=resamples
        )
        rows.append(
            {
                "group": group,
                "measure": f"{measure[0]}_{depth}",
                "tau": found.value,
                "low": found.low,
                "high": found.high,
                "count": found.count,
                "undefined": found.undefined,
                "ties_measure": share_of_ties(values),
                "ties_distance": share_of_ties(similarity),
                "failed": left_out(part)["failed"],
                "left_out": len(part) - len(kept) - left_out(part)["failed"],
            }
        )
    return pd.DataFrame(rows)


def draw(table: pd.DataFrame, note: str = "") -> Figure:
    """Draw tau with its 95% interval for each group, and over all in another mark.

    Args:
        table: The result of `compute`.
        note: Small print below the axes, such as `describe_scores` gives.
    """
    width = min(max(6.4, 1.0 + 0.6 * len(table)), 16.0)
    figure, (axes,) = new_figure(width=width)
    overall = (table["group"] == "overall").to_numpy()
    places = np.arange(len(table))
    tau, low, high = (table[name].to_numpy(float) for name in ("tau", "low", "high"))
    for chosen, mark, look in ((~overall, "o", style(0)), (overall, "D", style(1))):
        axes.errorbar(
            places[chosen],
            tau[chosen],
            yerr=np.clip([(tau - low)[chosen], (high - tau)[chosen]], 0, None),
            fmt=mark,
            color=look.colour,
            markersize=7,
            capsize=4,
        )
    for place in places[np.isnan(tau)]:
        axes.annotate("undefined", (place, 0), ha="center", va="bottom", fontsize=7)
    axes.axhline(0, color="0.4", linewidth=0.8)
    labels = [f"{g}\nn = {n}" for g, n in zip(table["group"], table["count"], strict=True)]
    axes.set_xlim(-0.5, len(table) - 0.5)
    fitting_ticks(axes, places, labels, width - 0.8, 8)
    axes.set_xlabel("group (full moves played), and all groups together")
    axes.set_ylabel(f"Kendall's τ-b ({table['measure'].iloc[0]}, −edit distance)")
    axes.set_ylim(min(0.0, float(np.nanmin([0.0, *low])) * 1.1), 1.08)
    caption(figure, "Agreement of state precision and edit distance", note)
    return figure
