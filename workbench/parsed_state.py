"""A text that should be a state, parsed once, where it enters a stage; and states compared."""

from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any, Generic, Protocol

from workbench.automaton import State
from workbench.errors import WorkbenchError


class ParsedState(Protocol):
    """A text that should be a state, parsed when first asked for what it describes."""

    @property
    def text(self) -> str:
        """The text as it was given; empty for no text."""
        ...

    @property
    def state(self) -> Any:
        """The state; raises a `WorkbenchError` if the text cannot be read."""
        ...

    @property
    def fault(self) -> str:
        """Why the text cannot be read; empty if it can."""
        ...


class StateText(Generic[State]):
    """A text that should be a state of an environment; it is parsed when first asked for.

    Attributes:
        text: As it was given.
    """

    def __init__(self, text: str, read: Callable[[str], State]) -> None:
        """Take a text, which need not be a state, and the function that reads it."""
        self.text = text
        self._read = read

    @cached_property
    def state(self) -> State:
        """The state; raises a `WorkbenchError` if the text cannot be read."""
        return self._read(self.text)

    @cached_property
    def fault(self) -> str:
        """Why the text cannot be read; empty if it can."""
        try:
            _ = self.state
        except WorkbenchError as error:
            return str(error)
        return ""


def different_elements(one: Mapping[str, str], other: Mapping[str, str]) -> frozenset[str]:
    """Return the names of the elements in which two states differ, also by lacking one."""
    return frozenset(name for name in one.keys() | other.keys() if one.get(name) != other.get(name))


def element_accuracy(true: Mapping[str, str], predicted: Mapping[str, str]) -> float:
    """Return the share of elements that are right, of all that either state has.

    Args:
        true: The true elements by name.
        predicted: The predicted elements by name.

    Returns:
        A share in [0, 1]; NaN where neither has any.
    """
    names = true.keys() | predicted.keys()
    right = sum(true.get(name) == predicted.get(name) for name in names)
    return right / len(names) if names else float("nan")
