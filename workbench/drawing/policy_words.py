"""How ill-formed states and finished games count, in words, for all widgets and captions.

Tables, options and parameters keep the names.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

ILL_FORMED_WORDS: Final[Mapping[str, str]] = MappingProxyType(
    {"as_is": "as they are", "sink": "no state (p = r = 0)"}
)
"""By the names in `workbench.scoring.parameters.IllFormedPolicy`."""

FINISHED_WORDS: Final[Mapping[str, str]] = MappingProxyType(
    {"absorb": "complete lines", "drop": "left out"}
)
"""By the names in `workbench.terminal.Terminal`."""


def ill_formed_words(*policies: str, states: str = "boards") -> str:
    """Return what is done with ill-formed states: ``ill-formed boards: as they are``.

    Args:
        policies: Names in `ILL_FORMED_WORDS`; one that is not there stays as it is.
        states: What states are called, in the plural.
    """
    return f"ill-formed {states}: {_joined(ILL_FORMED_WORDS, policies)}"


def finished_words(*terminals: str, episodes: str = "games") -> str:
    """Return how finished games count: ``finished games: complete lines``.

    Args:
        terminals: Names in `FINISHED_WORDS`; one that is not there stays as it is.
        episodes: What has finished, in the plural.
    """
    return f"finished {episodes}: {_joined(FINISHED_WORDS, terminals)}"


def _joined(words: Mapping[str, str], names: tuple[str, ...]) -> str:
    return ", ".join(words.get(name, name) for name in sorted(names))
