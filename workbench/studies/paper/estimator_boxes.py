"""Box plots of repeated estimates beside the exact value, shared by the studies of one pair."""

import math
from typing import Any

import pandas as pd
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.ticker import FixedLocator

from workbench.affordance import ESTIMATORS
from workbench.drawing.appearance import caption, new_figure, style


def draw_estimators(table: pd.DataFrame, by: str, *, label: str, title: str, note: str) -> Figure:
    """Draw a box for each method at each setting, and the exact values in black.

    The scale is logarithmic; runs that gave 0 are on a separate line at the bottom.

    Args:
        table: The result of `repeated_estimates`.
        by: The column along the horizontal axis, ``depth`` or ``samples``.
        label: Label of the horizontal axis.
        title: Title of the figure.
        note: Small print below the axes.
    """
    # Here, for it takes long.
    import seaborn as sns

    estimates = table[table["method"] != "exact"]
    exact = table[table["method"] == "exact"]
    settings = sorted(estimates[by].unique())
    methods = list(estimates["method"].unique())
    looks = {method: style(ESTIMATORS[method].look) for method in methods}
    width = max(6.4, 1.0 + 0.16 * len(settings) * len(methods))
    figure, (axes,) = new_figure(width=width)
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
        palette={method: look.colour for method, look in looks.items()},
        saturation=1,
        linewidth=0.8,
        fliersize=2,
        width=0.7,
        legend=False,
        ax=axes,
    )
    hatches = {look.colour: look.hatch for look in looks.values()}
    for box in axes.patches:
        box.set_hatch(hatches[to_rgb(box.get_facecolor())])
    handles: list[Line2D | Patch] = [
        Patch(
            facecolor=look.colour, edgecolor="0.2", hatch=look.hatch, label=ESTIMATORS[method].label
        )
        for method, look in looks.items()
    ]
    black: dict[str, Any] = {"color": "black", "linewidth": 1.2, "zorder": 5}
    if by == "depth":
        axes.plot(exact["depth"] - 1, exact["value"], marker="_", markersize=14, **black)
        known = exact["depth"].max()
        handles.append(Line2D([], [], **black, label=f"exact (m = 1 .. {known})"))
    else:
        value = exact.loc[exact["depth"] == table["depth"].max(), "value"].iloc[0]
        axes.axhline(value, **black)
        handles.append(Line2D([], [], **black, label=f"exact ({value:.4g})"))
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
        ncols=len(handles) if len(handles) <= 3 else int(width // 3),
    )
    caption(figure, title, note)
    return figure
