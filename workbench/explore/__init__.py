"""The explorer: interactive pairs of boards, and of states of any environment, with live numbers and their details.

The widgets are loaded when they are first named, so that the functions behind them can be used where
anywidget is not installed.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from workbench.explore.game.game_tracker import GameTracker
    from workbench.explore.lab.estimator_lab import EstimatorLab
    from workbench.explore.pair.board_pair import BoardPair
    from workbench.explore.run.run_browser import RunBrowser
    from workbench.explore.state.state_pair import StatePair

__all__ = ["BoardPair", "EstimatorLab", "GameTracker", "RunBrowser", "StatePair"]

_HOMES: Final = {
    "BoardPair": "pair.board_pair",
    "EstimatorLab": "lab.estimator_lab",
    "GameTracker": "game.game_tracker",
    "RunBrowser": "run.run_browser",
    "StatePair": "state.state_pair",
}


def __getattr__(name: str) -> Any:
    """Load the widget of this name."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
