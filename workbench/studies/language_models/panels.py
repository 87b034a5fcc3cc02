"""Means by game along training or layers, and the panels that draw them with intervals."""

from collections.abc import Sequence
from typing import Final

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from workbench.drawing.appearance import Style, draw_means
from workbench.drawing.quantities import range_of
from workbench.statistics.grouped import Ranges, grouped_means

ALL: Final = "all"
"""The length that stands for all lengths."""


def means_by_game(
    rows: pd.DataFrame, by: Sequence[str], measures: Sequence[str], within: Ranges = range_of
) -> pd.DataFrame:
    """Return means with 95% intervals, for each part and length of games, and all lengths."""
    named = rows.assign(length=rows["group"])
    key = [*by, "length"]
    parts = [part for _, part in named.groupby(list(by), sort=False)] or [named]
    means = [grouped_means(part, measures, key, within=within, total=ALL) for part in parts]
    table = pd.concat(means, ignore_index=True).rename(
        columns={"column": "measure", "value": "mean"}
    )
    return table[[*key, "measure", "mean", "low", "high", "count", "games", "effective"]]


def panels(
    rows: int, columns: int, height: float, width: float = 10.5
) -> tuple[Figure, list[Axes]]:
    """Return an empty figure and its axes, row by row; none share a scale."""
    figure = Figure(figsize=(width, height * rows + 0.9), layout="constrained")
    # In a part of its own, so that a legend below stands above the caption.
    part = figure.subfigures(1, 1, squeeze=False)[0, 0]
    grid = list(part.subplots(rows, columns, squeeze=False).flat)
    for axes in grid:
        axes.grid(True, axis="y", linewidth=0.5, alpha=0.5)
        axes.set_axisbelow(True)
        axes.spines[["top", "right"]].set_visible(False)
    return figure, grid


def curve(axes: Axes, line: pd.DataFrame, at: "pd.Series[float]", label: str, look: Style) -> None:
    """Draw means with their intervals, in the size of these panels."""
    mean, low, high = (line[name] for name in ("mean", "low", "high"))
    draw_means(axes, at, mean, low, high, look, label, size=4.5, width=1.2)


def name_row(axes: Axes, name: str) -> None:
    """Write what a row of panels is about before the label of its first panel."""
    axes.set_ylabel(f"{name}\n{axes.get_ylabel()}", fontsize=9)


def legend_below(axes: Axes, columns: int) -> None:
    """Put the legend of one panel below all of them."""
    handles, names = axes.get_legend_handles_labels()
    axes.figure.legend(
        handles, names, loc="outside lower center", ncols=columns, frameon=False, fontsize=8
    )


def counts_in_words(table: pd.DataFrame) -> str:
    """Return how many positions and games a table of means is about, for a caption."""
    words = []
    for name, noun in (("count", "positions"), ("games", "games")):
        numbers = sorted(table[name].unique())
        words.append(
            f"{numbers[0]}" + (f" to {numbers[-1]}" if len(numbers) > 1 else "") + f" {noun}"
        )
    return " of ".join(words)
