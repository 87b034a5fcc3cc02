"""Environments with the protocol of `workbench.automaton`; chess is a package of its own."""

from workbench.environments.othello import OthelloAutomaton, OthelloState
from workbench.environments.sokoban import SokobanAutomaton, SokobanState
from workbench.environments.synthetic_automata import HomogeneousTree, TableAutomaton, TreeState

__all__ = [
    "HomogeneousTree",
    "OthelloAutomaton",
    "OthelloState",
    "SokobanAutomaton",
    "SokobanState",
    "TableAutomaton",
    "TreeState",
]
