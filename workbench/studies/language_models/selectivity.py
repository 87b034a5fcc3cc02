"""Selectivity of probes: what they read of the piece that moved, less what they read of random labels."""

from collections.abc import Mapping
from typing import Final

import pandas as pd
from matplotlib.figure import Figure

from workbench.drawing.appearance import Style, caption, style
from workbench.drawing.score_description import interval_words
from workbench.statistics.grouped import grouped_means
from workbench.statistics.intervals import DIFFERENCE, SHARE
from workbench.studies.language_models.probed_boards import UNTRAINED, ProbedBoards
from workbench.studies.panels import (
    counts_in_words,
    curve,
    legend_below,
    name_panel,
    name_row,
    panels,
)

_SELECTIVITY: Final = "selectivity"

MEASURES: Final[Mapping[str, tuple[str, str]]] = {
    "piece": ("the piece that moved", "share of plies"),
    "control": ("control task: random labels\nby the squares of the move", "share of plies"),
    _SELECTIVITY: ("selectivity: piece less control", "difference"),
}
"""The title of each measure, and what its vertical axis counts."""

NETWORKS: Final[Mapping[str, tuple[str, Style]]] = {
    "": ("trained network", style(2)),
    UNTRAINED.strip(): ("untrained network", style(4)),
}
"""The names and looks of the networks; the looks of their assembled boards."""


def compute(probed: ProbedBoards) -> pd.DataFrame:
    """Compute the means over all plies for each model, network and layer.

    Returns:
        Columns model, network (``"untrained"`` or empty), layer, measure (of `MEASURES`), mean, low, high,
        count (plies), games and effective (number of games).
    """
    by = ["model", "network", "layer"]
    means = [
        grouped_means(of_model, list(MEASURES), by, within=_range)
        for _, of_model in probed.plies.groupby("model", sort=False)
    ]
    table = pd.concat(means, ignore_index=True)
    table = table.rename(columns={"column": "measure", "value": "mean"})
    return table[[*by, "measure", "mean", "low", "high", "count", "games", "effective"]]


def _range(column: str) -> tuple[float, float]:
    return DIFFERENCE if column == _SELECTIVITY else SHARE


def draw(table: pd.DataFrame, note: str = "") -> Figure:
    """Draw task, control and selectivity against the layer, a row of panels for each model."""
    models = list(table["model"].unique())
    figure, grid = panels(len(models), len(MEASURES), 2.8)
    for row, model in enumerate(models):
        of_model = table[table["model"] == model]
        last = int(of_model["layer"].max())
        ticks = ["moves", *map(str, range(1, last)), "read"]
        for axes, (measure, words) in zip(
            grid[row * len(MEASURES) :], MEASURES.items(), strict=False
        ):
            of_measure = of_model[of_model["measure"] == measure]
            for network, (label, look) in NETWORKS.items():
                line = of_measure[of_measure["network"] == network].sort_values("layer")
                curve(axes, line, line["layer"], label, look)
            name_panel(axes, words, 0, "layer of the encoder")
            axes.set_xticks(range(last + 1), ticks, fontsize=8)
            axes.set_ylim(-0.03, 1.03)
        name_row(grid[row * len(MEASURES)], model)
    legend_below(grid[0], 2)
    plies = counts_in_words(table).replace("positions", "plies")
    note += f"\nmeans of {plies}; {interval_words(table)}"
    caption(figure, "What a probe reads of the last move, and what of random labels", note)
    return figure
