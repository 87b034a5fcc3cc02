"""p_m and r_m against N for two fixed boards at m = 4: convergence of the paper's two estimators.

Source: arXiv 2508.19851, the figure of p_m against N.
"""

import pandas as pd
from matplotlib.figure import Figure

from workbench.affordance import Terminal
from workbench.games.boards.random_boards import boards_at_distance
from workbench.studies.paper.estimator_boxes import draw_estimators
from workbench.studies.paper.repeated_estimates import repeated_estimates, summarise_estimates


def compute(
    *,
    distance: int = 17,
    plies: int = 10,
    depth: int = 4,
    samples: tuple[int, ...] = (10, 30, 100, 300, 1000, 3000),
    runs: int = 20,
    methods: tuple[str, ...] = ("naive", "intermediate"),
    terminal: Terminal = "absorb",
    seed: int = 0,
    true_fen: str = "",
    predicted_fen: str = "",
) -> pd.DataFrame:
    """Estimate p_m and r_m on one pair of boards with different numbers of samples.

    Args:
        distance: Edit distance of the two boards.
        plies: Random half-moves that lead to each.
        depth: m.
        samples: The values of N.
        runs: Independent runs, one point each.
        methods: Estimators to compare.
        terminal: How games that finish earlier count.
        seed: Seed of the boards and of the runs.
        true_fen: A board S to use instead of a random one.
        predicted_fen: A board T, likewise.

    Returns:
        The columns of `repeated_estimates`, and true_fen and predicted_fen.
    """
    if not (true_fen and predicted_fen):
        true_fen, predicted_fen = boards_at_distance(distance, plies, seed)
    table = repeated_estimates(
        true_fen,
        predicted_fen,
        [(depth, count) for count in samples],
        methods=methods,
        runs=runs,
        exact_depth=depth,
        seed=seed,
        terminal=terminal,
    )
    return table.assign(true_fen=true_fen, predicted_fen=predicted_fen)


def summarise(table: pd.DataFrame) -> pd.DataFrame:
    """Return bias and spread of each algorithm at each N."""
    return summarise_estimates(table, "samples")


def draw(table: pd.DataFrame) -> Figure:
    """Draw box plots of the runs at each N, and the exact value as a line through them."""
    depth = table["depth"].max()
    runs = table["run"].max() + 1
    return draw_estimators(
        table,
        "samples",
        label="samples N",
        symbol_depth=depth,
        title=f"State precision p_{depth} and recall r_{depth} against the number of samples",
        note=f"two boards from random moves; {runs} runs a box",
    )
