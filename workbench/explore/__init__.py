"""The explorer: interactive pairs of boards, and of states of any environment, with live numbers and their details.

``workbench.explore(true, predicted)`` opens a pair, ``workbench.explore(scores)`` a run: the module can be
called. The widgets are loaded when they are first named, so that the functions behind them can be used
where anywidget is not installed.

Example:
    >>> import workbench as wb
    >>> start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
    >>> wb.explore(start, start.replace("w", "b")).predicted_fen.split()[1]
    'b'
"""

import sys
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from workbench.explore.estimator_lab import EstimatorLab
    from workbench.explore.game_tracker import GameTracker
    from workbench.explore.pair.board_pair import BoardPair
    from workbench.explore.pair.state_pair import StatePair
    from workbench.explore.run.run_browser import RunBrowser

__all__ = ["BoardPair", "EstimatorLab", "GameTracker", "RunBrowser", "StatePair", "explore"]

_HOMES: Final = {
    "BoardPair": "pair.board_pair",
    "EstimatorLab": "estimator_lab",
    "GameTracker": "game_tracker",
    "RunBrowser": "run.run_browser",
    "StatePair": "pair.state_pair",
}


def __getattr__(name: str) -> Any:
    """Load the widget of this name."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)


def explore(
    true: Any = None,
    predicted: Any = None,
    *,
    environment: Any = "chess",
    depth: int | None = None,
    **settings: Any,
) -> Any:
    """Open a pair of states, or a run, in the explorer that fits.

    Args:
        true: The true state as text; or scores, as `workbench.score` returns or the path of a scores
            table; or a contradiction of `workbench.audit`. None opens the first example of BoardPair.
        predicted: The predicted state as text, None for none; beside scores, their predictions, unless
            the scores have the replies.
        environment: Of a pair: its name, or the environment.
        depth: m; by default 4 of a pair, and the largest that scores have.
        **settings: Of `BoardPair`, `StatePair` or `RunBrowser`: ``terminal``, ``ill_formed``, ``reply``,
            ``caption``, ``distance``, ``columns``.

    Returns:
        A widget: `BoardPair` for chess, `StatePair` elsewhere, `RunBrowser` for scores.

    Raises:
        WorkbenchError: If a state cannot be read, or a table is none of scores.
    """
    widgets = import_module(f"{__name__}.widget_choice")
    return widgets.choose_widget(true, predicted, environment, depth, settings)


class _Explorer(ModuleType):
    """The package as a function, so that ``workbench.explore`` is both."""

    __call__ = staticmethod(explore)


sys.modules[__name__].__class__ = _Explorer
