"""Box plots of repeated estimates beside the exact value, shared by the studies of one pair."""

import math
from typing import Any, Final

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.ticker import FixedLocator

from workbench.affordance import ESTIMATORS
from workbench.drawing.appearance import caption, new_figure, style
from workbench.drawing.labels import typeset
from workbench.drawing.quantities import PRECISION, QUANTITIES, RECALL

_BLACK: Final[dict[str, Any]] = {"color": "black", "linewidth": 1.0}
_BOXES: Final = (
    "boxes: lower quartile, median and upper quartile of the runs; whiskers: to the farthest run within "
    "1.5 interquartile ranges of the box; dots: runs beyond"
)


def draw_estimators(
    table: pd.DataFrame, by: str, *, label: str, symbol_depth: int | str, title: str, note: str
) -> Figure:
    """Draw a box for each method at each setting, and the exact values in black.

    Precision is on the left, recall on the right. The scale is logarithmic; runs that gave 0 are on
    a separate line at the bottom.

    Args:
        table: The result of `repeated_estimates`.
        by: The column along the horizontal axis, ``depth`` or ``samples``.
        label: Label of the horizontal axis.
        symbol_depth: The index of p and r in the labels.
        title: Title of the figure.
        note: Small print below the axes.
    """
    settings = sorted(table.loc[table["method"] != "exact", by].unique())
    methods = [str(method) for method in table["method"].unique() if method != "exact"]
    positive = table.loc[table["value"] > 0, "value"]
    if positive.empty:
        positive = pd.Series([1.0])
    nought = float(positive.min()) / 3
    width = max(10.4, 3.4 + 0.34 * len(settings) * len(methods))
    figure, panels = new_figure(panels=2, width=width, height=4.2)
    measures = list(table["measure"].unique())
    for axes, measure in zip(panels, measures, strict=True):
        part = table[table["measure"] == measure]
        words = QUANTITIES[measure].label(symbol_depth)
        exact = part[part["method"] == "exact"]
        if by == "depth":
            axes.plot(exact["depth"] - 1, exact["value"], marker="_", markersize=8, **_BLACK)
        else:
            value = exact.loc[exact["depth"] == part["depth"].max(), "value"].iloc[0]
            axes.axhline(value, **_BLACK)
            words += f" (exact: {value:.4g})"
        axes.set_title(typeset(words), fontsize=10)
        _draw_boxes(axes, part, by, settings, methods, nought)
        axes.set_xticks(range(len(settings)), [str(setting) for setting in settings])
        axes.set_xlim(-0.5, len(settings) - 0.5)
        axes.set_xlabel(label)
        axes.set_yscale("log")
    symbols = f"{PRECISION.symbol}_{symbol_depth}, {RECALL.symbol}_{symbol_depth}"
    panels[0].set_ylabel(typeset(f"{symbols} (logarithmic)"))
    decades = range(math.ceil(math.log10(2 * nought)), math.ceil(math.log10(positive.max())) + 1)
    panels[0].yaxis.set_major_locator(FixedLocator([10.0**decade for decade in decades]))
    if (table["value"] <= 0).any():
        for axes in panels:
            axes.axhline(nought, color="0.5", linewidth=0.8, linestyle=":", zorder=1)
        panels[0].annotate(
            "0", (0, nought), xycoords=("axes fraction", "data"), xytext=(-6, 0),
            textcoords="offset points", ha="right", va="center", fontsize=9,
        )  # fmt: skip
        panels[0].set_ylim(bottom=nought / 1.5)
    handles: list[Line2D | Patch] = [_patch(method) for method in methods]
    handles.append(Line2D([], [], **_BLACK, label="exact"))
    panels[1].legend(
        handles=handles, fontsize=8, frameon=False, loc="upper left", bbox_to_anchor=(1.0, 1.0)
    )
    caption(figure, title, f"{note}\n{_BOXES}")
    return figure


def _patch(method: str) -> Patch:
    look, label = style(ESTIMATORS[method].look), ESTIMATORS[method].label
    return Patch(
        facecolor="white", edgecolor=look.colour, linewidth=1.6, hatch=look.hatch, label=label
    )


def _draw_boxes(
    axes: Axes, part: pd.DataFrame, by: str, settings: list[Any], methods: list[str], nought: float
) -> None:
    """Draw the boxes side by side, with room between them for the mark of the exact value."""
    apart = 0.8 / len(methods)
    for index, method in enumerate(methods):
        runs = part[part["method"] == method]
        values = runs["value"].where(runs["value"] > 0, nought)
        colour = style(ESTIMATORS[method].look).colour
        # An edge of the method's colour shows a box that is narrower than a line.
        line = {"color": colour, "linewidth": 1.6}
        drawn = axes.boxplot(
            [values[runs[by] == setting].to_numpy() for setting in settings],
            positions=[place + apart * (index - (len(methods) - 1) / 2) for place in range(len(settings))],
            widths=0.75 * apart,
            patch_artist=True,
            manage_ticks=False,
            boxprops={"facecolor": "white", "edgecolor": colour, "linewidth": 1.6},
            whiskerprops=line | {"linewidth": 1.0},
            capprops=line | {"linewidth": 1.0},
            medianprops=line,
            flierprops={
                "marker": ".", "markersize": 3, "markeredgecolor": colour, "markerfacecolor": colour,
            },
            zorder=3,
        )  # fmt: skip
        for box in drawn["boxes"]:
            box.set_hatch(style(ESTIMATORS[method].look).hatch)
