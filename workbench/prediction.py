"""What a reply says: the text of a state or of actions in it, and its class.

Source: the five classes are those of the project's definition of an answer; `failed` is no answer.
"""

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Final


class ReplyClass(StrEnum):
    """The class of a reply."""

    VALID = "valid"
    ILL_FORMED = "ill_formed"
    UNPARSEABLE = "unparseable"
    ABSENT = "absent"
    FAILED = "failed"


CLASSES: Final = tuple(str(name) for name in ReplyClass)
"""As columns of tables name them, in the order of every table and figure."""

ACTION_SEPARATOR: Final = "\n"
"""Between the actions of a reply in the column ``predicted_actions``."""


@dataclass(frozen=True, slots=True)
class Prediction:
    """The state, or the actions, in a reply, if there are any.

    Attributes:
        reply_class: ``valid`` (it can be read, and can arise in the environment), ``ill_formed``
            (it can be read, but cannot arise), ``unparseable`` (it looks like an answer and cannot
            be read), ``absent`` (nothing like an answer) or ``failed`` (no reply: the call failed).
        predicted_state: The text taken for the state, with single spaces and plain hyphens and
            otherwise as written; None if there is none, or actions were asked for.
        status: For ``ill_formed``, the names of the conditions that are not met; empty otherwise.
        reason: For ``unparseable``, ``absent`` and ``failed``, why; empty otherwise.
        predicted_actions: The actions that the reply names, in its order, as the environment writes
            them; None if a state was asked for, or there are none.
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
