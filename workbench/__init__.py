"""The World-State Workbench: how well a language model tracks the state of a game.

Every function takes texts or frames, and gives what the next one takes. Names are loaded when they are
first used, so that importing the package takes a few milliseconds.
"""

from importlib import import_module
from typing import Any, Final

__version__ = "0.2.0"

_HOMES: Final = {
    "SINK": "automaton",
    "Automaton": "automaton",
    "ask": "front_door.models",
    "audit": "front_door.audits",
    "causes": "front_door.scores",
    "class_answers": "front_door.class_answers",
    "compare": "front_door.comparison",
    "estimate": "front_door.states",
    "evaluate": "front_door.models",
    "exact_profile": "front_door.states",
    "exact_set_overlap": "front_door.states",
    "explore": "",
    "legal_mass": "front_door.models",
    "measure": "front_door.states",
    "plot": "front_door.plots",
    "positions": "front_door.models",
    "recorded_replies": "front_door.models",
    "score": "front_door.scores",
    "summary": "front_door.scores",
    "survival_curve": "front_door.states",
}

__all__ = list(_HOMES)


def __getattr__(name: str) -> Any:
    """Load the function of this name."""
    if name not in _HOMES:
        raise AttributeError(f"module 'workbench' has no attribute {name!r}; see dir(workbench)")
    if not _HOMES[name]:
        # The package of the explorer is itself the function; importing it sets the attribute.
        return import_module(f"workbench.{name}")
    value = getattr(import_module(f"workbench.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """Return the public names."""
    return [*_HOMES, "__version__"]
