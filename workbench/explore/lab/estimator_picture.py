"""The estimator lab as a static picture, for exports, code hosts and papers."""

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from workbench.affordance import ESTIMATORS
from workbench.drawing.appearance import caption
from workbench.drawing.labels import typeset
from workbench.drawing.quantities import QUANTITIES
from workbench.explore.lab.batches_of_runs import Reference, RunSettings, summarise_runs

_GOLDEN = 0.6180339887
"""Heights of dots: multiples of it modulo 1 spread evenly however many there are."""


def estimator_figure(settings: RunSettings, runs: pd.DataFrame, aim: Reference) -> Figure:
    """Draw a strip of single runs for each estimator, with the mean and the value aimed at.

    Args:
        settings: What was run.
        runs: The result of `workbench.explore.lab.batches_of_runs.all_runs`.
        aim: The result of `workbench.explore.lab.batches_of_runs.reference`.

    Returns:
        A figure that pyplot does not keep.
    """
    methods = settings.methods
    figure = Figure(figsize=(7.5, 0.8 + 0.62 * max(len(methods), 1)), layout="constrained")
    axes = figure.subplots()
    quantity = QUANTITIES[settings.measure]
    name = f"{quantity.symbol}_{settings.depth}"
    if not aim.exact:
        axes.axvspan(aim.low, aim.high, color="0.8", linewidth=0)
    axes.axvline(
        aim.value, color="black", linewidth=1.2, linestyle="-" if aim.exact else "--", zorder=3
    )
    summary = summarise_runs(runs, aim, settings.samples, methods)
    for place, row in enumerate(summary.to_dict("records")):
        values = runs.loc[runs["method"] == row["method"], "value"].to_numpy(float)
        heights = place + 0.6 * (np.arange(len(values)) * _GOLDEN % 1) - 0.3
        axes.plot(values, heights, ".", color=quantity.colour, markersize=2.5, alpha=0.5)
        axes.errorbar(
            row["mean"], place, xerr=2 * row["standard_error"], fmt="D", color="black",
            markersize=5, markeredgecolor="white", capsize=3, zorder=4,
        )  # fmt: skip
    axes.set_yticks(range(len(methods)), [ESTIMATORS[each].label for each in methods])
    axes.set_ylim(len(methods) - 0.5, -0.5)
    axes.set_xlabel(typeset(f"{name} by a single run, N = {settings.samples}"))
    axes.spines[["top", "right"]].set_visible(False)
    said = "exact" if aim.exact else "estimated, with its 95% band"
    caption(
        figure,
        f"Estimators of {name}: {settings.repeats} runs each",
        f"line: {said} {aim.value:.5g}; diamonds: means ± 2 standard errors; seed {settings.seed}",
    )
    return figure
