"""The true boards of the two recorded sets by length: how far one set is harder than the other.

Random legal games take fewer pieces than played ones and keep more moves possible. What that does to
p_m is seen on two answers that are the same for both sets, whoever is asked: the initial position,
and the true board with one piece less.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final

import pandas as pd
from matplotlib.figure import Figure

from workbench.drawing.appearance import bar_lengths, caption, new_figure, style
from workbench.drawing.labels import typeset
from workbench.drawing.scores_in_words import interval_words, scored_rows
from workbench.environments.registry import environment_named
from workbench.games.boards.missing_pieces import one_piece_less, piece_count
from workbench.scoring import ScoringParameters
from workbench.scoring.affordance_scores import affordance_scores
from workbench.statistics.grouped import grouped_means
from workbench.statistics.intervals import SHARE
from workbench.studies.models.two_sets import ALL_LENGTHS, BAND, SET_NAMES, SETS
from workbench.terminal import Terminal

MEASURES: Final[Mapping[str, tuple[float, float] | None]] = MappingProxyType(
    {"pieces": None, "legal_moves": None, "initial_position": SHARE, "one_piece_less": SHARE}
)
"""What is measured of the boards, and its range."""


def compute(
    scores: pd.DataFrame,
    *,
    depth: int = 4,
    terminal: Terminal = "absorb",
    seed: int = 0,
) -> pd.DataFrame:
    """Describe the true boards of each set, at each length of the game and at all.

    Args:
        scores: `workbench.studies.models.two_sets.TwoSets.scores`; each position counts once.
        depth: m.
        terminal: How games that finish earlier count.
        seed: Seed of the pieces taken off.

    Returns:
        One row for each set, length (upper edge of its band in half-moves; "all" last) and measure:
        pieces and legal_moves (of the true board), initial_position and one_piece_less (p_m where
        the answer is the initial position, or the true board without one piece other than a king,
        drawn uniformly), with positions, games, mean, low and high (95%, by the variance between games), effective
        (number of games) and depth.
    """
    positions = scored_rows(scores).drop_duplicates(["set", "position_id"])
    fens = positions["true_state"].tolist()
    chess = environment_named("chess")
    automaton = chess.automaton
    true = [chess.read_state(fen) for fen in fens]
    parameters = ScoringParameters(depth=depth, terminal=terminal)

    def precisions(predicted: list[Any]) -> list[float]:
        values = affordance_scores(
            automaton, true, predicted, parameters, [0] * len(true), workers=None
        )
        return [value[depth - 1] for value in values]

    positions = positions.assign(
        pieces=[piece_count(fen) for fen in fens],
        legal_moves=[len(automaton.permitted(state)) for state in true],
        initial_position=precisions([automaton.initial] * len(true)),
        one_piece_less=precisions([chess.read_state(one_piece_less(fen, seed)) for fen in fens]),
    )
    positions["set"] = pd.Categorical(positions["set"], SETS, ordered=True)
    by = ["set", "length"]
    table = grouped_means(positions, list(MEASURES), by, within=MEASURES.get, total=ALL_LENGTHS)
    table = table.rename(columns={"column": "measure", "count": "positions", "value": "mean"})
    return table.assign(depth=depth)[
        [*by, "measure", "positions", "games", "effective", "mean", "low", "high", "depth"]
    ]


def draw(table: pd.DataFrame, note: str = "") -> Figure:
    """Draw each measure against the length of the game, one line per set.

    Args:
        table: The result of `compute`.
        note: Small print below the axes: whose boards these are.
    """
    depth = table["depth"].iloc[0]
    titles = {
        "pieces": "pieces on the board",
        "legal_moves": "legal moves",
        "initial_position": f"p_{depth} of the answer “initial position”",
        "one_piece_less": f"p_{depth} of the true board less one piece",
    }
    figure, panels = new_figure(width=8.0, height=8.4, rows=len(titles))
    for axes, (measure, title) in zip(panels, titles.items(), strict=True):
        lines = table[(table["measure"] == measure) & (table["length"] != ALL_LENGTHS)]
        for index, name in enumerate(SETS):
            line = lines[lines["set"] == name]
            lengths = line["length"].astype(int)
            look = style(index)
            axes.errorbar(
                lengths + (index - 0.5),
                line["mean"],
                yerr=bar_lengths(line["mean"], line["low"], line["high"]),
                marker=look.marker,
                linestyle=look.line,
                color=look.colour,
                capsize=2,
                label=SET_NAMES[name],
            )
        axes.set_xticks(lengths)
        axes.set_title(typeset(title), fontsize=9)
    if (table.loc[table["measure"] == "initial_position", "mean"] > 0).any():
        panels[list(titles).index("initial_position")].set_yscale("log")
    panels[list(titles).index("one_piece_less")].set_ylim(0, 1)
    panels[0].legend(fontsize=8, frameon=False, loc="upper left", bbox_to_anchor=(1.0, 1.0))
    panels[-1].set_xlabel(f"half-moves played (upper edge of a band of {BAND})")
    caption(
        figure,
        "The boards of World Cup games and of random legal games",
        f"{note}; means over positions; {interval_words(table)}",
    )
    return figure
