"""Figures of what probes read from hidden states, by layer and by length, beside what is stated."""

from collections.abc import Mapping
from typing import Final

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from workbench.drawing.appearance import Style, caption, style
from workbench.drawing.labels import typeset
from workbench.drawing.scores_in_words import interval_words
from workbench.studies.language_models.means_by_game import ALL, means_by_game
from workbench.studies.language_models.panels import (
    counts_in_words,
    curve,
    legend_below,
    name_row,
    panels,
)
from workbench.studies.language_models.probed_boards import (
    ASSEMBLED,
    NO_LAYER,
    PROBE,
    STATED,
    UNTRAINED,
    USUAL,
    USUAL_MOVED,
    ProbedBoards,
)

MEASURES: Final[Mapping[str, str]] = {
    "squares": "all squares right",
    "occupied": "occupied squares right",
    "moved": "pieces that moved, right",
    "board": "whole boards right,\nall squares",
    "pieces": "whole boards right,\noccupied squares alone",
    "precision": "state precision p_{depth}",
    "recall": "state recall r_{depth}",
}

UNITS: Final[Mapping[str, str]] = {
    "squares": "share of squares",
    "occupied": "share of squares",
    "moved": "share of pieces",
    "board": "share of boards",
    "pieces": "share of boards",
    "precision": "mean",
    "recall": "mean",
}
"""What the vertical axis of each measure counts."""

READERS: Final[Mapping[str, tuple[str, Style]]] = {
    STATED: ("the board that the model writes", style(0)),
    PROBE: ("probe of the last state", style(1)),
    UNTRAINED + PROBE: ("probe of the last state, untrained network", style(3)),
    ASSEMBLED: ("assembled: probe of the state after each ply", style(2)),
    UNTRAINED + ASSEMBLED: ("assembled, untrained network", style(4)),
    USUAL_MOVED: ("assembled, no network: what usually moves between two squares", style(5)),
    USUAL: ("what is usual after as many plies", style(7)),
}
"""The names and looks of the readers."""


def compute(found: ProbedBoards, *, depth: int = 4) -> pd.DataFrame:
    """Compute the mean of every measure for each reader, layer and length of games.

    Args:
        found: The result of `workbench.studies.language_models.probed_boards.probed_boards`.
        depth: m, with which it was scored.

    Returns:
        Columns model, reader, layer, length (full moves, as text; "all" last), measure (of `MEASURES`),
        depth, mean, low, high, count (boards), games and effective (number of
        games).
    """
    table = means_by_game(
        found.boards,
        ["model", "reader", "layer"],
        list(MEASURES),
    )
    return table.assign(depth=depth)


def draw_layers(table: pd.DataFrame, note: str = "") -> Figure:
    """Draw the means over all lengths against the layer, a row of panels for each model.

    Args:
        table: The result of `compute`.
        note: Small print below the axes.
    """
    depth = table["depth"].iloc[0]
    shown = ("squares", "occupied", "moved", "precision")
    overall = table[table["length"] == ALL]
    models = list(table["model"].unique())
    figure, grid = panels(len(models), len(shown), 2.8)
    for row, model in enumerate(models):
        of_model = overall[overall["model"] == model]
        last = int(of_model["layer"].max())
        ticks = ["moves", *map(str, range(1, last)), "read"]
        for axes, measure in zip(grid[row * len(shown) :], shown, strict=False):
            of_measure = of_model[of_model["measure"] == measure]
            for reader, (label, look) in READERS.items():
                line = of_measure[of_measure["reader"] == reader].sort_values("layer")
                if line["layer"].iloc[0] == NO_LAYER:
                    _level(axes, line.iloc[0], label, look)
                else:
                    curve(axes, line, line["layer"], label, look)
            axes.set_title(typeset(MEASURES[measure].format(depth=depth)), fontsize=9)
            axes.set_ylabel(UNITS[measure], fontsize=8)
            axes.set_xticks(range(last + 1), ticks, fontsize=8)
            axes.set_xlabel("layer of the encoder", fontsize=8)
            axes.set_ylim(-0.03, 1.03)
        name_row(grid[row * len(shown)], model)
    legend_below(grid[0], 3)
    note += (
        "\nhidden states: the moves' own vectors, after each layer, and the last as the decoder reads "
        f"it; means of {counts_in_words(overall)}; {interval_words(overall)}, and bands"
    )
    caption(figure, "What a linear probe reads, layer by layer", note)
    return figure


def draw_lengths(table: pd.DataFrame, note: str = "") -> Figure:
    """Draw the board that is written and those that probes read, against the length of games.

    The probes are those of the state that the decoder reads.

    Args:
        table: The result of `compute`.
        note: Small print below the axes.
    """
    depth = table["depth"].iloc[0]
    shown = ("occupied", "board", "pieces", "precision", "recall")
    models = list(table["model"].unique())
    figure, grid = panels(len(models), len(shown), 2.8, 12.5)
    lines = table[table["length"] != ALL].assign(at=lambda rows: rows["length"].astype(int))
    for row, model in enumerate(models):
        of_model = lines[lines["model"] == model]
        kept = of_model[of_model["layer"].isin([NO_LAYER, of_model["layer"].max()])]
        for axes, measure in zip(grid[row * len(shown) :], shown, strict=False):
            of_measure = kept[kept["measure"] == measure]
            for place, (reader, (label, look)) in enumerate(READERS.items()):
                line = of_measure[of_measure["reader"] == reader].sort_values("at")
                curve(axes, line, line["at"] + 0.4 * (place - 2.5), label, look)
            axes.set_title(typeset(MEASURES[measure].format(depth=depth)), fontsize=9)
            axes.set_ylabel(UNITS[measure], fontsize=8)
            axes.set_xticks(sorted(of_measure["at"].unique()))
            axes.set_xlabel("full moves played", fontsize=8)
            axes.set_ylim(-0.03, 1.03)
        name_row(grid[row * len(shown)], model)
    legend_below(grid[0], 3)
    note += f"\nmeans of {counts_in_words(lines)} a point; {interval_words(lines)}"
    caption(figure, "The board that is written, and the board that a probe reads", note)
    return figure


def _level(axes: Axes, row: pd.Series, label: str, look: Style) -> None:
    axes.axhspan(row["low"], row["high"], color=look.colour, alpha=0.25, linewidth=0)
    axes.axhline(row["mean"], color=look.colour, linestyle=look.line, linewidth=1.2, label=label)
