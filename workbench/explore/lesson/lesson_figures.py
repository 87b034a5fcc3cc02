"""The figures of the third lesson: plain curves on a linear axis, in half-moves."""

from collections.abc import Iterable
from typing import Any, Final

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from workbench.answers.recorded_replies import RANDOM_GAMES, WORLD_CUP
from workbench.drawing.appearance import new_figure
from workbench.drawing.labels import labels, typeset
from workbench.studies.models.track_or_recall import BAND, SET_NAMES
from workbench.studies.panels import ALL_LENGTHS
from workbench.studies.recorded_models import model_looks

_LENGTH: Final = f"half-moves played (bands of {BAND})"
_COLUMNS: Final = 3
_ON_SET: Final[dict[str, dict[str, Any]]] = {
    WORLD_CUP: {"marker": "o", "linestyle": "-"},
    RANDOM_GAMES: {"marker": "s", "linestyle": "--", "markerfacecolor": "white"},
}


def draw_curves(scores: pd.DataFrame, depth: int = 4) -> Figure:
    """Draw each model's mean p_1 and p_m by length, a panel for each model, the best first.

    Args:
        scores: With the columns model, length, precision_1 and precision_m.
        depth: m.
    """
    line = f"precision_{depth}"
    means = scores.groupby(["model", "length"])[["precision_1", line]].mean()
    models = list(scores.groupby("model")[line].mean().sort_values(ascending=False).index)
    looks, captions = model_looks(models), labels(models, 24)
    rows = -(-len(models) // _COLUMNS)
    figure, panels = new_figure(_COLUMNS, width=8.5, height=0.8 + 2.3 * rows, rows=rows)
    for axes, model in zip(panels, models, strict=False):
        for measure, dashes in (("precision_1", "-"), (line, "--")):
            axes.plot(
                means.loc[model].index, means.loc[model, measure], color=looks[model].colour,
                marker="o", markersize=4, linestyle=dashes,
            )  # fmt: skip
        axes.set(title=captions[model], ylim=(-0.03, 1.03))
        axes.set_xticks(means.loc[model].index)
    for axes in panels[len(models) :]:
        axes.set_axis_off()
    _name_axes(figure, f"mean p_1 and p_{depth}")
    names = (("-", "p_1: one predicted move is legal"), ("--", f"p_{depth}: a line of {depth} is"))
    _legend(figure, ({"linestyle": dashes, "label": typeset(label)} for dashes, label in names))
    return figure


def draw_two_sets(table: pd.DataFrame) -> Figure:
    """Draw mean p_m by length on both sets, a panel for each model, and below the differences.

    Args:
        table: The result of `workbench.studies.models.track_or_recall.compute`.
    """
    table = table[table["measure"] == "precision"]
    models = list(table["model"].unique())
    looks, captions = model_looks(models), labels(models, 24)
    depth = table["depth"].iloc[0]
    figure = Figure(figsize=(8.5, 5.2), layout="constrained")
    spec = figure.add_gridspec(2, 1, height_ratios=(3, 2))
    upper, lower = figure.add_subfigure(spec[0]), figure.add_subfigure(spec[1])
    panels = upper.subplots(1, len(models), sharey=True, squeeze=False)[0]
    for axes, model in zip(panels, models, strict=True):
        curves = table[(table["model"] == model) & (table["length"] != ALL_LENGTHS)]
        for name, look in _ON_SET.items():
            axes.plot(curves["length"].astype(int), curves[name], color=looks[model].colour, **look)
        axes.set_title(captions[model], fontsize=10)
        axes.set(ylim=(-0.03, 1.03), xticks=curves["length"].astype(int))
    _name_axes(upper, f"mean p_{depth}")
    _legend(upper, ({"label": SET_NAMES[name], **look} for name, look in _ON_SET.items()))
    _draw_differences(lower.subplots(), table[table["length"] == ALL_LENGTHS], captions)
    return figure


def _draw_differences(axes: Axes, overall: pd.DataFrame, captions: dict[str, str]) -> None:
    value = overall["difference"]
    ends = [value - overall["difference_low"], overall["difference_high"] - value]
    places = range(len(overall))
    bars = np.nan_to_num(np.clip(ends, 0, None))
    axes.errorbar(value, places, xerr=bars, fmt="o", color="0.2", capsize=4)
    axes.axvline(0, color="0.3", linewidth=0.9)
    axes.set_yticks(places, [captions[model] for model in overall["model"]])
    axes.set_ylim(len(overall) - 0.5, -0.5)
    axes.grid(True, axis="x", linewidth=0.5, alpha=0.5)
    axes.spines[["top", "right"]].set_visible(False)
    axes.set_xlabel("difference at all lengths: World Cup less random games, with 95% interval")


def _name_axes(figure: Any, measure: str) -> None:
    figure.supxlabel(_LENGTH, fontsize=10)
    figure.supylabel(typeset(measure), fontsize=10)


def _legend(figure: Any, looks: Iterable[dict[str, Any]]) -> None:
    handles = [figure.axes[0].plot([], [], color="0.2", **look)[0] for look in looks]
    figure.legend(
        handles=handles, loc="outside upper center", ncols=len(handles), frameon=False, fontsize=10
    )
