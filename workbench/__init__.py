"""The World-State Workbench: how well a language model tracks the state of a game."""

from workbench.affordance import estimate, exact_profile, exact_set_overlap, measure, survival_curve
from workbench.automaton import SINK, Automaton

__version__ = "0.1.0"

__all__ = [
    "SINK",
    "Automaton",
    "estimate",
    "exact_profile",
    "exact_set_overlap",
    "measure",
    "survival_curve",
]
