"""The parts of a prediction: a text parsed as a state, its class, and the share of elements that are right."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from typing import Any, Final, Generic, TypeAlias

from workbench.automaton import State
from workbench.errors import WorkbenchError


class StateText(Generic[State]):
    """A text that should be a state of an environment; it is parsed on first use.

    Attributes:
        text: As it was given.
    """

    def __init__(self, text: str, read: Callable[[str], State]) -> None:
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


ParsedState: TypeAlias = StateText[Any]
"""A text that should be a state of some environment."""


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


class ReplyClass(StrEnum):
    """The class of a reply."""

    VALID = "valid"
    ILL_FORMED = "ill_formed"
    UNPARSEABLE = "unparseable"
    ABSENT = "absent"
    FAILED = "failed"


CLASSES: Final = tuple(str(name) for name in ReplyClass)
"""As columns of tables name them, in the order of every table and figure."""

READABLE: Final = (ReplyClass.VALID, ReplyClass.ILL_FORMED)
"""The classes of replies from which a state can be read."""

ACTION_SEPARATOR: Final = "\n"
"""Between the actions of a reply in the column ``predicted_actions``."""


@dataclass(frozen=True, slots=True)
class Prediction:
    """The state, or the actions, in a reply, if there are any.

    Attributes:
        reply_class: ``valid`` (it can be read, and can arise in the environment), ``ill_formed``
            (it can be read, but cannot arise), ``unparseable`` (it looks like an answer and cannot
            be read), ``absent`` (nothing like an answer) or ``failed`` (no reply: the call failed).
        predicted_state: The text of the state, with single spaces and plain hyphens and
            otherwise as written; None if there is none, or the request was for actions.
        status: For ``ill_formed``, the names of the conditions that are not met; empty otherwise.
        reason: For ``unparseable``, ``absent`` and ``failed``, why; empty otherwise.
        predicted_actions: The actions that the reply names, in its order, as the environment writes
            them; None if the request was for a state, or there are none.
        rule: Which rule found the text; empty if no rule was asked.
        parsed: ``predicted_state`` as the environment parsed it, or None.
    """

    reply_class: ReplyClass
    predicted_state: str | None
    status: tuple[str, ...] = ()
    reason: str = ""
    predicted_actions: tuple[str, ...] | None = None
    rule: str = field(default="", compare=False)
    parsed: Any = field(default=None, compare=False, repr=False)

    def columns(self) -> dict[str, str | None]:
        """Return the values of the columns that a table of predictions has for this.

        The names of conditions are joined by single spaces, actions by `ACTION_SEPARATOR`.
        """
        actions = self.predicted_actions
        return {
            "predicted_state": self.predicted_state,
            "predicted_actions": None if actions is None else ACTION_SEPARATOR.join(actions),
            "reply_class": self.reply_class.value,
            "status": " ".join(self.status),
            "reason": self.reason,
        }
