"""What the first answer would wait for, loaded beforehand."""

import chess

from workbench.explore.lost_mass import lost_mass
from workbench.explore.pair_view import pair_view
from workbench.explore.settings import ExplorerSettings


def warm_up() -> None:
    """Load the compiled kernel and what estimates need, by answering one small pair.

    It takes a second or two in a fresh process, longer where the kernel must be compiled, and
    may run in a thread.
    """
    settings = ExplorerSettings(depth=3, exact_budget=1, sampling_budget=1)
    without_knight = chess.STARTING_FEN.replace("RNBQ", "R1BQ")
    pair_view(chess.STARTING_FEN, without_knight, settings)
    lost_mass(chess.STARTING_FEN, without_knight, ExplorerSettings(depth=1))
