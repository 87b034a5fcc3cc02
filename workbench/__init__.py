"""The World-State Workbench: how well a language model tracks the state of a game."""

from workbench.affordance import estimate, exact_profile, exact_set_overlap, measure, survival_curve
from workbench.automaton import SINK, Automaton
from workbench.environments import ChessAutomaton, ChessState

__version__ = "0.1.0"

__all__ = [
    "SINK",
    "Automaton",
    "ChessAutomaton",
    "ChessState",
    "estimate",
    "exact_profile",
    "exact_set_overlap",
    "measure",
    "survival_curve",
]
