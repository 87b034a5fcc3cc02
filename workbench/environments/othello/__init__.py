"""Othello: its rules, its boards as text and as pictures, and which boards can arise."""

from workbench.environments.othello.othello_automaton import (
    PASS,
    OthelloAutomaton,
    OthelloState,
    square_name,
)
from workbench.environments.othello.othello_environment import OthelloEnvironment, environment

__all__ = [
    "PASS",
    "OthelloAutomaton",
    "OthelloEnvironment",
    "OthelloState",
    "environment",
    "square_name",
]
