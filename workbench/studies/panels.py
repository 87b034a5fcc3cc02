"""What the figures of several studies share: panels, means with their bars, legends, and counts in words."""

from collections.abc import Iterable, Sequence
from typing import Any, Final

import numpy.typing as npt
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from workbench.drawing.appearance import (
    Style,
    bar_lengths,
    caption,
    draw_means,
    new_figure,
    plain_axes,
)
from workbench.drawing.labels import span, typeset
from workbench.errors import InvalidArgumentError
from workbench.metrics import range_of
from workbench.statistics.grouped import Ranges, grouped_means

ALL_LENGTHS: Final = "all"
"""The length label of the rows of all lengths."""


def require_columns(
    scores: pd.DataFrame, columns: Iterable[str], where: str = "", hint: str = ""
) -> None:
    """Refuse scores that lack one of the columns that a study is about."""
    missing = [name for name in columns if name not in scores]
    if missing:
        raise InvalidArgumentError(
            f"{where}{': ' if where else ''}expected scores with columns {missing}, got "
            f"{list(scores.columns)}; score with this depth{hint}"
        )


def means_by_game(
    rows: pd.DataFrame, by: Sequence[str], measures: Sequence[str], within: Ranges = range_of
) -> pd.DataFrame:
    """Return means with 95% intervals, for each part and length of games, and all lengths."""
    named = rows.assign(length=rows["group"])
    key = [*by, "length"]
    parts = [part for _, part in named.groupby(list(by), sort=False)] or [named]
    means = [grouped_means(part, measures, key, within=within, total=ALL_LENGTHS) for part in parts]
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
    plain_axes(grid)
    return figure, grid


def empty_figure(title: str, words: str, note: str, subject: str = "") -> Figure:
    """Return a figure that says in words why there is nothing to draw."""
    figure, (axes,) = new_figure(height=2.4)
    axes.text(0.5, 0.5, words, ha="center", transform=axes.transAxes)
    axes.set_axis_off()
    caption(figure, title, note, subject)
    return figure


def curve(
    axes: Axes,
    line: pd.DataFrame,
    at: "pd.Series[float]",
    label: str,
    look: Style,
    size: float = 4.5,
) -> None:
    """Draw means with their intervals, in the size of these panels."""
    mean, low, high = (line[name] for name in ("mean", "low", "high"))
    draw_means(axes, at, mean, low, high, look, label, size=size, width=1.2)


def log_lengths(axes: Axes, lengths: Sequence[int]) -> None:
    """Make the horizontal axis logarithmic, with these lengths as its ticks."""
    axes.set_xscale("log", base=2)
    axes.set_xlim(lengths[0] / 1.5, lengths[-1] * 1.5)
    axes.set_xticks(lengths, [str(length) for length in lengths], fontsize=8)
    axes.minorticks_off()


def draw_bars(
    axes: Axes,
    at: npt.ArrayLike,
    rows: pd.DataFrame,
    name: str,
    look: Style,
    *,
    across: bool = False,
    **options: Any,
) -> None:
    """Draw a column with bars to its ends, NAME_low and NAME_high, or low and high.

    With ``across`` the places ``at`` are on the vertical axis. The options are those of `Axes.errorbar`.
    """
    ends = [f"{name}{end}" if f"{name}{end}" in rows else end[1:] for end in ("_low", "_high")]
    places = (rows[name], at) if across else (at, rows[name])
    options["xerr" if across else "yerr"] = bar_lengths(*(rows[each] for each in (name, *ends)))
    axes.errorbar(
        *places, marker=look.marker, markerfacecolor=look.face, color=look.colour, **options
    )


def draw_above(
    axes: Axes,
    at: "pd.Series[float]",
    rows: pd.DataFrame,
    name: str,
    least: float,
    look: Style,
    label: str = "",
    **options: float,
) -> int:
    """Draw means on an axis that begins at a least value, and return how many lie below it."""
    visible = rows[name] >= least
    mean = rows[name].where(visible)
    low = rows[f"{name}_low"].clip(lower=least).fillna(mean)
    draw_means(axes, at, mean, low, rows[f"{name}_high"], look, label, **options)
    return int((~visible & rows[name].notna()).sum())


def zero_line(panels: Sequence[Axes], height: float, order: int) -> None:
    """Draw the line that stands for 0 on a logarithmic axis, labelled on the first panel."""
    for axes in panels:
        axes.axhline(height, color="0.5", linewidth=0.8, linestyle=":", zorder=order)
    panels[0].annotate(
        "0", (0, height), xycoords=("axes fraction", "data"), xytext=(-6, 0),
        textcoords="offset points", ha="right", va="center", fontsize=9,
    )  # fmt: skip


def name_row(axes: Axes, name: str) -> None:
    """Write what a row of panels is about before the label of its first panel."""
    axes.set_ylabel(f"{name}\n{axes.get_ylabel()}", fontsize=9)


def name_panel(
    axes: Axes, measure: tuple[str, str], depth: int, across: str, size: float = 9
) -> None:
    """Write the title of a measure, and what both axes of its panel count."""
    axes.set_title(typeset(measure[0].format(depth=depth)), fontsize=size)
    axes.set_ylabel(measure[1], fontsize=8)
    axes.set_xlabel(across, fontsize=8)


def legend_below(axes: Axes, columns: int) -> None:
    """Put the legend of one panel below all of them."""
    handles, names = axes.get_legend_handles_labels()
    axes.figure.legend(
        handles, names, loc="outside lower center", ncols=columns, frameon=False, fontsize=8
    )


def legend_beside(axes: Axes, **options: Any) -> None:
    """Put the legend of the last panel at its right: inside, a point could stand behind it."""
    options = {"fontsize": 8, "loc": "upper left", "bbox_to_anchor": (1.0, 1.0), **options}
    axes.legend(frameon=False, **options)


def counts_in_words(table: pd.DataFrame, episodes: str = "games") -> str:
    """Return how many positions and games a table of means is about, for a caption."""
    return f"{span(table['count'])} positions of {span(table['games'])} {episodes}"
