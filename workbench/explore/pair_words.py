"""What the panels of a pair call its states, its actions and its places."""

from dataclasses import dataclass
from typing import Final

_LOOKED_AT: Final = ("board", "map")
"""Nouns of states on which something is, rather than in."""


@dataclass(frozen=True, slots=True)
class PairWords:
    """The words for a pair of states.

    Attributes:
        state: What a state is called, such as ``board``.
        action: What an action is called, such as ``move``.
        episode: What ends where nothing is permitted, such as ``game``.
    """

    state: str
    action: str
    episode: str

    @property
    def within(self) -> str:
        """What stands before a state of which something holds: ``on`` or ``in``."""
        return "on" if self.state in _LOOKED_AT else "in"

    @property
    def in_truth(self) -> str:
        """Such as ``on the true board``."""
        return f"{self.within} the true {self.state}"

    @property
    def in_prediction(self) -> str:
        """Such as ``on the predicted board``."""
        return f"{self.within} the predicted {self.state}"

    @property
    def in_both(self) -> str:
        """Such as ``on both boards``."""
        return f"{self.within} both {self.state}s"

    @property
    def permitted(self) -> str:
        """What a permitted action is called."""
        return "legal" if self.action == "move" else "permitted"

    def no_state(self, *, stated: bool) -> str:
        """Return why a prediction is no state.

        Args:
            stated: Whether there is one, which is ill-formed and counts as none.
        """
        if not stated:
            return "no state was predicted"
        return f"the predicted {self.state} is ill-formed and counts as no state"
