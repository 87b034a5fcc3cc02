"""The random-board baseline under each reading of the paper's sentence.

The paper gives p of about (8 +/- 2)e-4 for "random boards after 5 moves". A move may be a full move
or a half-move; the true board may be random as well, or come from a game that was played, or stand
after as many moves as the games of the five groups; the random board may have its pieces on random
squares, against the board after the moves; the depth m is not said; and +/- may be a standard error
or a standard deviation. All are computed side by side.
"""

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import numpy as np
import numpy.typing as npt
import pandas as pd
from matplotlib.figure import Figure

from workbench.automaton import Terminal
from workbench.drawing.appearance import caption, new_figure, plain_log_scale, style
from workbench.drawing.labels import span, typeset, wrapped
from workbench.drawing.reply_words import finished_words, ill_formed_words
from workbench.environments.registry import environment_named
from workbench.games.cut import cut_games, too_short_error
from workbench.games.synthetic_boards import (
    Pieces,
    Side,
    played_board,
    random_board,
    scattered_board,
)
from workbench.scoring.parameters import ScoringParameters
from workbench.scoring.score_rows import affordance_scores
from workbench.seeds import derived_seed
from workbench.studies.panels import legend_beside

GROUPS = (5, 16, 27, 38, 50)
PAPER_VALUE = 8e-4
PAPER_SPREAD = 2e-4
SCATTERED_DEPTHS = (1, 2, 3, 4)
"""The depths m of the readings with pieces on random squares."""

_READING_SIZE: Final = 8

Pairs = list[tuple[str, str]]
_WAYS: Final[tuple[tuple[Pieces, Side], ...]] = (
    ("initial", "drawn"),
    ("initial", "white"),
    ("initial", "same"),
    ("own", "drawn"),
)


def compute(
    *,
    pairs: int = 60,
    moves: int = 5,
    depths: tuple[int, ...] = (3, 4),
    played: pd.DataFrame | None = None,
    terminal: Terminal = "absorb",
    seed: int = 0,
) -> pd.DataFrame:
    """Compute the exact p_m of random pairs of boards under each reading.

    Args:
        pairs: Pairs of boards per reading.
        moves: Moves played on a random board.
        depths: The depths m to report; the paper does not say which it used here. The readings
            with pieces placed at random are reported at `SCATTERED_DEPTHS`.
        played: Positions cut from played games after ``moves`` full moves, for the readings that set
            a random board against a played one; without it these readings are left out.
        terminal: How games that finish earlier count.
        seed: Seed of the random boards.

    Returns:
        Columns reading, depth, pair, precision, true_fen, predicted_fen.
    """
    parts, games = [], _readings(pairs, moves, played, seed)
    for reading, boards in {**games, **_scattered(pairs, moves, seed)}.items():
        reported = depths if reading in games else SCATTERED_DEPTHS
        values = _profiles(boards, ScoringParameters(depth=max(reported), terminal=terminal))
        fens = pd.DataFrame(boards, columns=["true_fen", "predicted_fen"])
        for depth in reported:
            part = fens.assign(pair=range(len(fens)), precision=values[:, depth - 1])
            parts.append(part.assign(reading=reading, depth=depth))
    columns = ["reading", "depth", "pair", "precision", "true_fen", "predicted_fen"]
    return pd.concat(parts, ignore_index=True)[columns]


def compute_scattered(
    *, pairs: int = 3000, moves: int = 5, terminal: Terminal = "absorb", seed: int = 0
) -> pd.DataFrame:
    """Compare ways of placing pieces at random, each against boards after random moves.

    The first ``pairs`` of `compute` are the same boards.

    Returns:
        One row for each way, number of half-moves and depth: pieces and side (as for
        `workbench.games.synthetic_boards.scattered_board`), half_moves, depth, precision and recall
        of the scattered board (means), each with _error (standard error), and pairs.
    """
    parameters = ScoringParameters(depth=max(SCATTERED_DEPTHS), terminal=terminal)
    tables = []
    for pieces, side in _WAYS:
        for plies in (2 * moves, moves):
            values = _profiles(_scattered_pairs(pairs, plies, seed, pieces, side), parameters)
            means, errors = values.mean(axis=0), values.std(axis=0, ddof=1) / math.sqrt(pairs)
            table = pd.DataFrame({"depth": SCATTERED_DEPTHS})
            for index, name in enumerate(("precision", "recall")):
                places = index * parameters.depth + table["depth"] - 1
                table[name], table[f"{name}_error"] = means[places], errors[places]
            table = table.assign(pieces=pieces, side=side, half_moves=plies, pairs=pairs)
            tables.append(table[["pieces", "side", "half_moves", *table.columns[:5], "pairs"]])
    return pd.concat(tables, ignore_index=True)


def _profiles(boards: Pairs, parameters: ScoringParameters) -> npt.NDArray[np.float64]:
    chess = environment_named("chess")
    true, predicted = (
        [chess.read_state(fen) for fen in side] for side in zip(*boards, strict=True)
    )
    return np.array(
        affordance_scores(
            chess.automaton, true, predicted, parameters, [0] * len(boards), workers=None
        )
    )


def _scattered(pairs: int, moves: int, seed: int) -> dict[str, Pairs]:
    readings = {}
    for name, plies in (("full moves", 2 * moves), ("half-moves", moves)):
        boards = _scattered_pairs(pairs, plies, seed)
        readings[f"pieces placed at random, true board after {moves} {name}"] = boards
        readings[f"{moves} {name}, true board placed at random"] = [pair[::-1] for pair in boards]
    return readings


def _scattered_pairs(
    pairs: int, plies: int, seed: int, pieces: Pieces = "initial", side: Side = "drawn"
) -> Pairs:
    boards = []
    for pair in range(pairs):
        true = random_board(plies, derived_seed(seed, "S", plies, pair))
        own = derived_seed(seed, "scattered", plies, pair)
        boards.append((true, scattered_board(true, own, pieces=pieces, side=side)))
    return boards


def _readings(pairs: int, moves: int, played: pd.DataFrame | None, seed: int) -> dict[str, Pairs]:
    def random_boards(side: str, plies: list[int]) -> list[str]:
        return [
            random_board(count, derived_seed(seed, side, count, pair))
            for pair, count in enumerate(plies)
        ]

    readings = {}
    for name, plies in (("full moves", 2 * moves), ("half-moves", moves)):
        predicted = random_boards("T", [plies] * pairs)
        true = random_boards("S", [plies] * pairs)
        readings[f"{moves} {name}, true board random"] = list(zip(true, predicted, strict=True))
        if played is not None:
            lines = [line.split()[:plies] for line in played["moves"].iloc[:pairs]]
            true = [played_board(line) for line in lines]
            readings[f"{moves} {name}, true board played"] = list(
                zip(true, predicted, strict=False)
            )
    mixed = [2 * GROUPS[pair % len(GROUPS)] for pair in range(pairs)]
    readings[f"{moves} full moves, true board random after 5 to 50"] = list(
        zip(random_boards("S", mixed), random_boards("T", [2 * moves] * pairs), strict=True)
    )
    return readings


def played_boards(games: Sequence[str], moves: int, pairs: int, seed: int) -> pd.DataFrame | None:
    """Return positions of played games after ``moves`` full moves, or None without games."""
    if not games:
        return None
    paths = [Path(name) for name in games]
    cut = cut_games(paths, groups=(moves,), per_group=pairs, seed=seed, allow_unfilled=True)
    if cut.positions.empty:
        raise too_short_error(", ".join(path.name for path in paths), moves, cut.summary)
    return cut.positions


def summarise(table: pd.DataFrame) -> pd.DataFrame:
    """Return mean, standard error, standard deviation and median for each reading and depth."""
    grouped = table.groupby(["reading", "depth"], sort=False)["precision"]
    return grouped.agg(
        mean="mean", standard_error="sem", standard_deviation="std", median="median", pairs="count"
    ).reset_index()


def draw(table: pd.DataFrame, terminal: Terminal = "absorb") -> Figure:
    """Draw the mean of each reading with its standard error beside the paper's value."""
    summary = summarise(table)
    readings = list(summary["reading"].unique())
    figure, (axes,) = new_figure(width=max(8.0, 2.6 + 1.25 * len(readings)))
    depths = summary["depth"].nunique()
    apart = min(0.12, 0.8 / depths)
    for index, (depth, part) in enumerate(summary.groupby("depth")):
        places = [
            readings.index(reading) + apart * (index - (depths - 1) / 2)
            for reading in part["reading"]
        ]
        marks, _, _ = axes.errorbar(
            places, part["mean"],
            yerr=[part["standard_error"].clip(upper=part["mean"] * 0.95), part["standard_error"]],
            fmt=style(index).marker, color=style(index).colour, capsize=4, label=f"m = {depth}",
        )  # fmt: skip
        # Without an edge, a grey print loses marks that stand on the paper's band.
        marks.set(markeredgecolor="black", markeredgewidth=0.6)
    low, high = PAPER_VALUE - PAPER_SPREAD, PAPER_VALUE + PAPER_SPREAD
    axes.axhspan(low, high, color="0.85", label="paper: (8 ± 2) × $10^{-4}$")
    plain_log_scale(axes)
    axes.set_xlim(-0.5, len(readings) - 0.5)
    names = [wrapped(reading.replace(", ", ",\n"), 1.1, _READING_SIZE) for reading in readings]
    axes.set_xticks(range(len(readings)), names, fontsize=_READING_SIZE)
    axes.set_xlabel("reading of “random boards after 5 moves”")
    axes.set_ylabel(typeset("mean of p_m (logarithmic)"))
    legend_beside(axes)
    caption(
        figure,
        "State precision of random boards, by reading of the paper's sentence",
        f"marks: mean of exact p_m; bars: ± 1 standard error; {span(summary['pairs'])} pairs a reading; "
        f"{ill_formed_words('as_is')}; {finished_words(terminal)}",
    )
    return figure
