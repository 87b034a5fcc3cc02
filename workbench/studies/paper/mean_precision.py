"""Mean state precision per group of games, on a logarithmic scale.

Source: arXiv 2508.19851, the figure of mean precision per group.
"""

from typing import Final, Literal

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from workbench.drawing.appearance import caption, new_figure, plain_log_scale, style
from workbench.drawing.labels import fitting_ticks
from workbench.drawing.scores_in_words import by_length, left_out, scored_rows
from workbench.errors import InvalidArgumentError
from workbench.seeds import derived_seed
from workbench.studies.intervals import bootstrap_interval

_PANEL: Final = 4.2
_LEGEND: Final = 1.4

_COLUMNS: Final = [
    "variant", "group", "measure", "depth", "mean", "low", "high", "count", "failed", "unscored",
]  # fmt: skip


def compute(
    variants: dict[str, pd.DataFrame],
    *,
    depth: int = 4,
    measures: tuple[Literal["precision", "recall"], ...] = ("precision", "recall"),
    resamples: int = 1000,
    seed: int = 0,
) -> pd.DataFrame:
    """Compute the mean of p_m and r_m in each group, with bootstrap intervals.

    Args:
        variants: Scores tables by name, such as the five and the ten groups; each is one panel.
        depth: m.
        measures: Precision, recall or both.
        resamples: Number of bootstrap resamples.
        seed: Seed of the bootstrap.

    Returns:
        Columns variant, group, measure, depth, mean, low, high, count (scored replies), failed
        (calls, left out) and unscored (replies, left out). Rows without a group are in none of its
        rows.

    Raises:
        InvalidArgumentError: If a table lacks a measure at this depth.
    """
    rows = []
    for variant, scores in variants.items():
        for measure in measures:
            column = f"{measure}_{depth}"
            if column not in scores:
                raise InvalidArgumentError(
                    f"{variant}: expected scores with a column {column!r}, "
                    f"got {list(scores.columns)}; score with this depth"
                )
            for group, part in by_length(scores):
                kept = scored_rows(part)
                found = bootstrap_interval(
                    np.mean,
                    kept[column].to_numpy(float),
                    seed=derived_seed(seed, variant, measure, group),
                    resamples=resamples,
                )
                rows.append(
                    {
                        "variant": variant,
                        "group": group,
                        "measure": measure,
                        "depth": depth,
                        "mean": found.value,
                        "low": found.low,
                        "high": found.high,
                        "count": found.count,
                        **left_out(part),
                    }
                )
    return pd.DataFrame(rows, columns=_COLUMNS)


def draw(table: pd.DataFrame, note: str = "") -> Figure:
    """Draw the means with 95% intervals against the length of the game, one panel per variant.

    Args:
        table: The result of `compute`.
        note: Small print below the axes, such as `describe_scores` gives.
    """
    title = "State precision and recall against the length of the game"
    if table.empty:
        figure, (axes,) = new_figure(height=2.4)
        words = "no row says how long its game was"
        axes.text(0.5, 0.5, words, ha="center", transform=axes.transAxes)
        axes.set_axis_off()
        caption(figure, title, note)
        return figure
    depth = table["depth"].iloc[0]
    variants = list(table["variant"].unique())
    figure, panels = new_figure(len(variants), width=_PANEL * len(variants) + _LEGEND, height=4.2)
    for axes, variant in zip(panels, variants, strict=True):
        part = table[table["variant"] == variant]
        for index, (measure, line) in enumerate(part.groupby("measure", sort=False)):
            mean = line["mean"].where(line["mean"] > 0)
            low = line["low"].where(line["low"] > 0, mean)
            axes.errorbar(
                line["group"] + (index - 0.5) * 0.5,
                mean,
                yerr=[(mean - low).clip(lower=0), (line["high"] - mean).clip(lower=0)],
                marker=style(index).marker,
                linestyle=style(index).line,
                color=style(index).colour,
                capsize=3,
                label=f"mean {str(measure)[0]}_{depth} ({measure})",
            )
        plain_log_scale(axes)
        groups = sorted(part["group"].unique())
        fitting_ticks(axes, groups, map(str, groups), _PANEL - 0.6, 10)
        axes.set_xlabel("full moves played")
        sizes = sorted(part["count"].unique())
        axes.set_title(
            f"{variant}, n = {sizes[0]}" + (f" to {sizes[-1]}" if len(sizes) > 1 else ""),
            fontsize=9,
        )
    panels[0].set_ylabel("mean over positions (logarithmic)")
    # Beside the last panel: inside, a point could stand behind it.
    panels[-1].legend(fontsize=8, frameon=False, loc="upper left", bbox_to_anchor=(1.0, 1.0))
    if hidden := int((table["mean"] == 0).sum()):
        note += f"\nnot drawn on the logarithmic scale: {hidden} of {len(table)} means, which are 0"
    caption(figure, title, note)
    return figure
