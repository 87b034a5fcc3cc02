"""Box plots of repeated estimates beside the exact value, shared by the studies of one pair."""

import math
from typing import Any

import pandas as pd
import seaborn as sns
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.ticker import FixedLocator

from workbench.studies.appearance import COLOURS, HATCHES, caption, new_figure

METHOD_LABELS = {
    "naive": "Algorithm 1 (naive)",
    "branch": "uniform branching",
    "intermediate": "Algorithm 2 (rescaled by count)",
    "intermediate-mass": "Algorithm 2 (rescaled by mass)",
    "intermediate-resampled": "Algorithm 2 (resampled by weight)",
    "stratified": "stratified (ours)",
}


def draw_estimators(table: pd.DataFrame, by: str, *, label: str, title: str, note: str) -> Figure:
    """Draw a box for each method at each setting, and the exact values in black.

    The scale is logarithmic; runs that gave 0 stand on a line of their own at the foot.

    Args:
        table: What `repeated_estimates` returned.
        by: The column along the horizontal axis, ``depth`` or ``samples``.
        label: Of the horizontal axis.
        title: Of the figure.
        note: In small below the axes.
    """
    figure, (axes,) = new_figure()
    estimates = table[table["method"] != "exact"]
    exact = table[table["method"] == "exact"]
    settings = sorted(estimates[by].unique())
    methods = list(estimates["method"].unique())
    positive = table.loc[table["value"] > 0, "value"]
    if positive.empty:
        positive = pd.Series([1.0])
    nought = float(positive.min()) / 3
    estimates = estimates.assign(value=estimates["value"].where(estimates["value"] > 0, nought))
    sns.boxplot(
        estimates,
        x=by,
        y="value",
        hue="method",
        order=settings,
        hue_order=methods,
        palette=list(COLOURS[: len(methods)]),
        linewidth=0.8,
        fliersize=2,
        width=0.7,
        legend=False,
        ax=axes,
    )
    boxes = [patch for patch in axes.patches if not isinstance(patch, Line2D)]
    per_method = max(1, len(boxes) // max(1, len(methods)))
    for index, box in enumerate(boxes):
        box.set_hatch(HATCHES[index // per_method])
    handles: list[Line2D | Patch] = [
        Patch(
            facecolor=COLOURS[i], edgecolor="0.2", hatch=HATCHES[i], label=METHOD_LABELS.get(m, m)
        )
        for i, m in enumerate(methods)
    ]
    style: dict[str, Any] = {"color": "black", "linewidth": 1.2, "zorder": 5}
    if by == "depth":
        axes.plot(exact["depth"] - 1, exact["value"], marker="_", markersize=14, **style)
        known = exact["depth"].max()
        handles.append(Line2D([], [], **style, label=f"exact (m = 1 .. {known})"))
    else:
        value = exact.loc[exact["depth"] == table["depth"].max(), "value"].iloc[0]
        axes.axhline(value, **style)
        handles.append(Line2D([], [], **style, label=f"exact ({value:.4g})"))
    axes.set_xlabel(label)
    axes.set_ylabel("state precision p_m (logarithmic)")
    axes.set_yscale("log")
    decades = range(math.ceil(math.log10(2 * nought)), math.ceil(math.log10(positive.max())) + 1)
    axes.yaxis.set_major_locator(FixedLocator([10.0**decade for decade in decades]))
    if (estimates["value"] == nought).any():
        axes.axhline(nought, color="0.5", linewidth=0.8, linestyle=":")
        axes.annotate(
            "0", (0, nought), xycoords=("axes fraction", "data"), xytext=(-6, 0),
            textcoords="offset points", ha="right", va="center", fontsize=9,
        )  # fmt: skip
        axes.set_ylim(bottom=nought / 1.5)
    axes.legend(
        handles=handles,
        fontsize=8,
        frameon=False,
        loc="lower center",
        bbox_to_anchor=(0.5, 1.0),
        ncols=len(handles),
    )
    caption(figure, title, note)
    return figure
