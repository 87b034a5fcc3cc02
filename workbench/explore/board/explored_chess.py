"""Chess as the explorer measures it."""

from typing import Final

import chess

from workbench.environments.chess import ChessAutomaton, ChessState
from workbench.explore.explored_automaton import ExploredAutomaton
from workbench.explore.pair_words import PairWords

REFERENCE_SLOWDOWN: Final = 500
"""Time of the reference for a node, relative to the compiled kernel."""


class ExploredChess(ExploredAutomaton[ChessState, chess.Move]):
    """Chess, on the compiled kernel where it takes both boards."""

    slowdown = REFERENCE_SLOWDOWN
    sampling_slowdown = 1
    without_twin = "without the compiled kernel, which takes no board with a promoted king"

    def __init__(self) -> None:
        super().__init__(ChessAutomaton(), PairWords("board", "move", "game"))

    def same_lines(self, true: ChessState, predicted: ChessState) -> bool:
        """Return whether two boards agree in everything that legal moves depend on."""
        return same_lines(true, predicted)


def same_lines(true: ChessState, predicted: ChessState) -> bool:
    """Return whether two boards agree in everything that legal moves depend on."""
    return true == predicted or _moving_text(true) == _moving_text(predicted)


def _moving_text(state: ChessState) -> str:
    # An en-passant square onto which nothing can capture is left out, and rights without effect.
    return " ".join(state.board().fen(promoted=True).split()[:4])


CHESS: Final = ExploredChess()
