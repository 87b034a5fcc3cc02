"""An environment as StatePair needs it: texts as states, and what is measured and said of them."""

from dataclasses import dataclass
from typing import Any, Final

from workbench.automaton import SINK, Sink
from workbench.environment import Environment
from workbench.errors import InvalidArgumentError, InvalidBoardError
from workbench.explore.explored_automaton import ExploredAutomaton
from workbench.explore.losses.node_rules import AutomatonRules
from workbench.explore.pair_words import PairWords
from workbench.long_texts import cut, quoted
from workbench.parsed_state import ParsedState
from workbench.prediction import ReplyClass
from workbench.scoring.parameters import IllFormedPolicy
from workbench.scoring.score_rows import is_state

LOOKS: Final = ("true", "predicted")
_LONGEST_FAULT: Final = 400


@dataclass(frozen=True, slots=True)
class ReadState:
    """One of the two states, or the absence of one.

    Attributes:
        parsed: The text as it was given, and the state that it describes.
        reply_class: ``valid``, ``ill_formed`` or ``absent``.
        conditions: Names of the conditions that an ill-formed state does not meet.
    """

    parsed: ParsedState
    reply_class: ReplyClass
    conditions: tuple[str, ...] = ()

    @property
    def known(self) -> Any:
        """The state, well-formed or not; None if there is none."""
        return None if self.reply_class is ReplyClass.ABSENT else self.parsed.state

    def state(self, policy: IllFormedPolicy) -> Any:
        """Return the state, or the sink.

        Args:
            policy: What is done with a state that cannot arise.
        """
        return self.known if is_state(str(self.reply_class), policy) else SINK


class ExploredEnvironment:
    """An environment with what the panels of a pair need.

    Attributes:
        environment: The environment.
        words: What its states and actions are called.
        explored: Its automaton as the explorer measures it.
        rules: Its rules in the joint tree.
    """

    def __init__(self, environment: Environment[Any, Any]) -> None:
        self.environment: Final = environment
        self.words: Final = PairWords(
            environment.state_noun, environment.action_noun, environment.episode_noun
        )
        self.explored: Final = ExploredAutomaton[Any, Any](environment.automaton, self.words)
        self.rules: Final = AutomatonRules(self.explored, environment.action_text)

    def fault(self, text: str, look: str) -> str:
        """Return why a text is no state, in words; empty if it is one.

        Args:
            text: For the predicted state, blank if there is none.
            look: ``true`` or ``predicted``.
        """
        if not text.strip():
            noun = self.words.state
            return f"expected a {noun}, got an empty text" if look == "true" else ""
        return cut(self.environment.parsed(text).fault, _LONGEST_FAULT)

    def problems(self, true: str, predicted: str) -> dict[str, str]:
        """Return what is wrong with each text that is no state, by the state's name."""
        found = {
            look: self.fault(text, look)
            for look, text in zip(LOOKS, (true, predicted), strict=True)
        }
        return {look: words for look, words in found.items() if words}

    def checked(self, text: str, look: str) -> str:
        """Return a text that is a state, or blank for no predicted one.

        Raises:
            InvalidBoardError: If it is neither; the message says why.
        """
        fault = self.fault(text, look)
        if fault:
            noun = self.words.state
            raise InvalidBoardError(f"the {look} {noun} {quoted(text)} cannot be read: {fault}")
        return text

    def read(self, text: str, look: str) -> ReadState:
        """Return what a text describes; see `checked`."""
        parsed = self.environment.parsed(self.checked(text, look))
        if not text.strip():
            return ReadState(parsed, ReplyClass.ABSENT)
        return self._classed(parsed)

    def _classed(self, parsed: ParsedState) -> ReadState:
        broken = self.environment.conditions(parsed.state)
        return ReadState(parsed, ReplyClass.ILL_FORMED if broken else ReplyClass.VALID, broken)

    def after(
        self, true: ReadState, predicted: ReadState, line: list[str]
    ) -> tuple[ReadState, ReadState]:
        """Return both states after a line of actions that both permit.

        Args:
            true: The true state before it.
            predicted: The predicted state before it.
            line: Actions, as the environment writes them.

        Raises:
            InvalidArgumentError: If an action is not permitted in both; the message says where.
        """
        if not line:
            return true, predicted
        pair = [true.known, predicted.known]
        for number, text in enumerate(line, start=1):
            actions = [
                None if state is None else self.environment.action_named(state, text)
                for state in pair
            ]
            if None in actions:
                refusing = [look for look, one in zip(LOOKS, actions, strict=True) if one is None]
                raise InvalidArgumentError(
                    f"{self.words.action} {number} of the line: expected one that both "
                    f"{self.words.state}s permit, got {quoted(text)}, which the "
                    f"{' and the '.join(refusing)} {self.words.state} refuses"
                )
            pair = [
                self.environment.automaton.successor(*each)
                for each in zip(pair, actions, strict=True)
            ]
        true, predicted = (
            self._classed(self.environment.parsed(self.environment.state_text(state)))
            for state in pair
        )
        return true, predicted


def is_sink(state: Any) -> bool:
    """Return whether a state is the sink."""
    return isinstance(state, Sink)
