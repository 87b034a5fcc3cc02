"""Sokoban: its rules in any room, rooms of its own, maps as text and as pictures."""

from workbench.environments.sokoban.sokoban_automaton import (
    STEPS,
    Cell,
    SokobanAutomaton,
    SokobanRoom,
    SokobanState,
)
from workbench.environments.sokoban.sokoban_environment import (
    SokobanEnvironment,
    argument_with_texts,
    environment,
)
from workbench.environments.sokoban.sokoban_rooms import ROOMS

__all__ = [
    "ROOMS",
    "STEPS",
    "Cell",
    "SokobanAutomaton",
    "SokobanEnvironment",
    "SokobanRoom",
    "SokobanState",
    "argument_with_texts",
    "environment",
]
