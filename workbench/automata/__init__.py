"""Environments behind the one protocol of `workbench.automaton`."""

from workbench.automata.chess import ChessAutomaton, ChessState
from workbench.automata.othello import OthelloAutomaton, OthelloState
from workbench.automata.sokoban import SokobanAutomaton, SokobanState
from workbench.automata.table import TableAutomaton
from workbench.automata.tree import HomogeneousTree, TreeState

__all__ = [
    "ChessAutomaton",
    "ChessState",
    "HomogeneousTree",
    "OthelloAutomaton",
    "OthelloState",
    "SokobanAutomaton",
    "SokobanState",
    "TableAutomaton",
    "TreeState",
]
