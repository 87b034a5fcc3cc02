"""Where the board that a model writes and the boards that probes read disagree."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from workbench.drawing.appearance import caption
from workbench.drawing.score_description import interval_words
from workbench.language_model.board_probe import squares_of, standing
from workbench.statistics.intervals import DIFFERENCE, comparable
from workbench.studies.language_models.probed_boards import (
    ASSEMBLED,
    PROBE,
    READERS,
    STATED,
    UNTRAINED,
    USUAL,
    USUAL_MOVED,
    ProbedBoards,
)
from workbench.studies.panels import (
    ALL_LENGTHS,
    counts_in_words,
    curve,
    legend_below,
    means_by_game,
    name_panel,
    name_row,
    panels,
)

QUANTITIES: Final[Mapping[str, tuple[str, str]]] = {
    "right": ("squares that are written wrongly:\nothers are right there", "share of squares"),
    "alike": ("squares that are written wrongly:\nothers have the same there", "share of squares"),
    "moved_right": (
        "pieces that moved and are written\nwrongly: others are right there", "share of pieces",
    ),
    "higher": (
        "p_{depth} of the other board is higher\nthan that of the written one", "share of boards",
    ),
}  # fmt: skip
"""The title of each quantity, and what its vertical axis counts."""

CONTROLS: Final = (
    (PROBE, UNTRAINED + PROBE),
    (PROBE, USUAL),
    (ASSEMBLED, UNTRAINED + ASSEMBLED),
    (ASSEMBLED, USUAL_MOVED),
    (STATED, ASSEMBLED),
    (STATED, USUAL_MOVED),
)
"""Readers, and what each must exceed before the training is the reason."""

LEAST_GAMES: Final = 10
"""Points of fewer games are drawn hollow: their intervals say little."""


def compute(probed: ProbedBoards, *, depth: int = 4) -> pd.DataFrame:
    """Compare the readers with the written board, where that is wrong and as a whole.

    The probes are those of the state that the decoder reads. Replies in which no square can be read
    have none that is written wrongly.

    Returns:
        Columns model, reader, length (full moves, as text; "all" last), measure (of `QUANTITIES`; also
        ``lower``), depth, mean, low, high, count (squares, pieces or boards), games and effective (number of games). A length at
        which nothing is written wrongly has no row.
    """
    tables = []
    for name, boards in probed.boards.groupby("model", sort=False):
        stated = _of_reader(boards, STATED)
        true, predicted = squares_of(stated["true_state"]), squares_of(stated["predicted_state"])
        wrong = (predicted != true) & (predicted >= 0)
        moved = wrong & standing(stated["moves"].tolist()) & (true > 0)
        for reader in READERS:
            if reader == STATED:
                continue
            other = _of_reader(boards, reader)
            read = squares_of(other["predicted_state"])
            difference = comparable(other["precision"]) - comparable(stated["precision"])
            parts = [stated[["game", "group"]].assign(higher=difference > 0, lower=difference < 0)]
            for where, values in (
                (wrong, {"right": read == true, "alike": read == predicted}),
                (moved, {"moved_right": read == true}),
            ):
                rows, _ = np.nonzero(where)
                part = stated.iloc[rows][["game", "group"]]
                parts.append(part.assign(**{key: each[where] for key, each in values.items()}))
            for part in parts:
                measures = [str(name) for name in part.columns.drop(["game", "group"])]
                named = part.assign(model=name, reader=reader)
                means = means_by_game(named, ["model", "reader"], measures)
                tables.append(means)
    return pd.concat(tables, ignore_index=True).assign(depth=depth)


def gains(probed: ProbedBoards, *, depth: int = 4) -> pd.DataFrame:
    """Compare what a trained network gives with what the same reading gives without its training.

    Returns:
        Columns model, reader, control, length (full moves, as text; "all" last), measure (precision, recall,
        and board, the share of boards that are right in all squares), depth, mean (of the differences,
        position by position, reader less control), low, high, count, games and effective
        (number of games).
    """
    measures = ["precision", "recall", "board"]
    tables = []
    for name, boards in probed.boards.groupby("model", sort=False):
        for reader, control in CONTROLS:
            one, other = _of_reader(boards, reader), _of_reader(boards, control)
            rows = one[["game", "group"]].assign(model=name, reader=reader, control=control)
            rows[measures] = one[measures].astype(float) - other[measures].astype(float)
            by = ["model", "reader", "control"]
            tables.append(means_by_game(rows, by, measures, DIFFERENCE))
    return pd.concat(tables, ignore_index=True).assign(depth=depth)


def draw(table: pd.DataFrame, note: str = "") -> Figure:
    """Draw the comparison against the length of games, a row of panels for each model.

    Points of fewer than `LEAST_GAMES` games are hollow, and no line joins them to others.
    """
    depth = table["depth"].iloc[0]
    models = list(table["model"].unique())
    figure, grid = panels(len(models), len(QUANTITIES), 2.8, 12.5)
    others = {name: name_and_look for name, name_and_look in READERS.items() if name != STATED}
    lines = table[table["length"] != ALL_LENGTHS].assign(at=lambda rows: rows["length"].astype(int))
    ticks = sorted(lines["at"].unique())
    for row, model in enumerate(models):
        for axes, (measure, words) in zip(
            grid[row * len(QUANTITIES) :], QUANTITIES.items(), strict=False
        ):
            part = lines[(lines["model"] == model) & (lines["measure"] == measure)]
            for place, (reader, (label, look)) in enumerate(others.items()):
                line = part[part["reader"] == reader].sort_values("at")
                at, few = line["at"] + 0.5 * (place - 2), line["games"] < LEAST_GAMES
                curve(axes, line[~few], at[~few], label, look)
                if few.any():
                    hollow = replace(look, face="white", line="none")
                    curve(axes, line[few], at[few], "", hollow)
            name_panel(axes, words, depth, "full moves played", 8)
            axes.set_xticks(ticks)
            axes.set(xlim=(ticks[0] - 3, ticks[-1] + 3), ylim=(-0.03, 1.03))
        name_row(grid[row * len(QUANTITIES)], model)
    legend_below(grid[0], 3)
    parts = [
        f"{noun}: {counts_in_words(lines[lines['measure'] == measure]).replace('positions', noun)}"
        for measure, noun in (("right", "squares"), ("moved_right", "pieces"), ("higher", "boards"))
        if (lines["measure"] == measure).any()
    ]
    note += f"\na point's {'; '.join(parts)}; {interval_words(table)}"
    if (lines["games"] < LEAST_GAMES).any():
        note += f"; hollow and not joined: of fewer than {LEAST_GAMES} games"
    caption(figure, "Where the written board and the probed ones disagree", note)
    return figure


def _of_reader(boards: pd.DataFrame, reader: str) -> pd.DataFrame:
    of_reader = boards[boards["reader"] == reader]
    last: pd.DataFrame = of_reader[of_reader["layer"] == of_reader["layer"].max()]
    return last.sort_values("position_id", ignore_index=True)
