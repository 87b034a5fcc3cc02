"""p_m and r_m against m for two fixed boards: repeated runs of the paper's two estimators.

Source: arXiv 2508.19851, the figure of p_m against m: two boards from random moves at edit distance
17, N = 500.
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
    depths: int = 8,
    samples: int = 500,
    runs: int = 20,
    exact_depth: int = 5,
    methods: tuple[str, ...] = ("naive", "intermediate"),
    terminal: Terminal = "absorb",
    seed: int = 0,
    true_fen: str = "",
    predicted_fen: str = "",
) -> pd.DataFrame:
    """Estimate p_1 .. p_m and r_1 .. r_m on one pair of boards.

    Args:
        distance: Edit distance of the two boards.
        plies: Random half-moves that lead to each.
        depths: Largest m.
        samples: N.
        runs: Independent runs, one point each.
        exact_depth: Up to which m the exact value is drawn.
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
        [(depth, samples) for depth in range(1, depths + 1)],
        methods=methods,
        runs=runs,
        exact_depth=min(exact_depth, depths),
        seed=seed,
        terminal=terminal,
    )
    return table.assign(true_fen=true_fen, predicted_fen=predicted_fen)


def summarise(table: pd.DataFrame) -> pd.DataFrame:
    """Return bias and spread of each algorithm at each depth."""
    return summarise_estimates(table, "depth")


def draw(table: pd.DataFrame) -> Figure:
    """Draw box plots of the runs at each depth, and the exact values as a line through them."""
    samples = table.loc[table["samples"] > 0, "samples"].iloc[0]
    runs = table["run"].max() + 1
    return draw_estimators(
        table,
        "depth",
        label="depth m (plies)",
        symbol_depth="m",
        title="State precision and recall against depth",
        note=f"two boards from random moves; N = {samples}; {runs} runs a box",
    )
