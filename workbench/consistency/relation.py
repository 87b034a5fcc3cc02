"""The interface of a relation: two questions whose answers must describe the same state.

No true state is needed: by the rules alone the answer to one question says what the other must be.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, ClassVar, Final

import numpy as np

from workbench.asking.prompts import Prompt
from workbench.automaton import Sink
from workbench.environment import AnyEnvironment, Symmetry

_STATES_KEPT: Final = 1 << 13


@dataclass(frozen=True, slots=True)
class PairQuestion:
    """What a model is asked on one side of a pair.

    Attributes:
        initial: The text of the initial state; empty for the start that every episode shares.
        actions: As the environment writes them.
        prompt: The way to ask; None for that of the run.
        repetition: 0, or 1 where the same question is asked once more.
        left_out: How many of the last actions the request leaves out.
    """

    initial: str
    actions: tuple[str, ...]
    prompt: Prompt | None = None
    repetition: int = 0
    left_out: int = 0

    @property
    def followed(self) -> tuple[str, ...]:
        """The actions after which the state is asked for."""
        return self.actions[: len(self.actions) - self.left_out]


@dataclass(frozen=True, slots=True)
class Pair:
    """Two questions about one episode.

    Attributes:
        first: Its answer, moved on or mapped, is taken as the true state S.
        second: Its answer is taken as the prediction T.
        change: How the second question differs from the first, as of `Relation.change`.
        least: The fewest actions of ``first`` with which `cut` leaves a pair of the same change.
        symmetry: Of the map from the first to the second question, if there is one.
    """

    first: PairQuestion
    second: PairQuestion
    change: str = ""
    least: int = 1
    symmetry: Symmetry | None = None

    def cut(self, length: int) -> "Pair | None":
        """Return the pair at a shorter prefix of the episode, None where it is too short for one.

        Args:
            length: Actions of its first question.
        """
        shorter = len(self.first.actions) - length
        if length < self.least or shorter < 0:
            return None
        first, second = self.first, self.second
        return replace(
            self,
            first=replace(first, actions=first.actions[:length]),
            second=replace(second, actions=second.actions[: len(second.actions) - shorter]),
        )


class Relation(ABC):
    """A way to ask about one state twice.

    One of another package is registered by an entry point of the group ``workbench.relations``.

    Class attributes:
        name: In tables and on the command line.
        keeps: What it keeps equal, in a few words.
        reads_words: Whether only a model that reads the words of a question can be asked.
    """

    name: ClassVar[str]
    keeps: ClassVar[str]
    reads_words: ClassVar[bool] = False

    def reason(self, environment: AnyEnvironment, prompt: Prompt | None) -> str:
        """Return why there is no such pair in an environment, or with a prompt; empty if there is.

        Args:
            environment: The environment.
            prompt: That of the run; None for a model that reads actions alone.
        """
        return ""

    @abstractmethod
    def pair(
        self,
        environment: AnyEnvironment,
        initial: str,
        actions: Sequence[str],
        prompt: Prompt | None,
        generator: np.random.Generator,
    ) -> Pair | None:
        """Return a pair about an episode, or None if this one has none.

        Args:
            environment: The environment.
            initial: The text of the initial state; empty for the shared start.
            actions: Permitted ones, as the environment writes them.
            prompt: As of `reason`.
            generator: For what is drawn.
        """

    def change(self, pair: Pair) -> str:
        """Return how the second question differs from the first, in words."""
        return pair.change

    def first_state(self, environment: AnyEnvironment, pair: Pair, state: Any) -> Any | Sink:
        """Return the state that the second answer must describe, by the state of the first."""
        return state

    def second_state(self, environment: AnyEnvironment, pair: Pair, state: Any) -> Any | Sink:
        """Return the state of the second answer, mapped back."""
        return state

    def held(
        self, environment: AnyEnvironment, questions: Iterable[PairQuestion]
    ) -> Iterator[Pair]:
        """Yield the pairs that recorded questions happen to hold.

        Args:
            environment: The environment.
            questions: Each once, all of one prompt.
        """
        known = dict.fromkeys(questions)
        for one in known:
            if one.repetition or self.reason(environment, None):
                continue
            generator = np.random.default_rng(0)
            pair = self.pair(environment, one.initial, one.actions, None, generator)
            if pair is not None and pair.first in known and pair.second in known:
                yield pair


def initial_state(environment: AnyEnvironment, initial: str) -> Any:
    """Return the state before the actions; an empty text is the shared start."""
    return environment.read_state(initial) if initial else environment.automaton.initial


@lru_cache(_STATES_KEPT)
def state_after(environment: AnyEnvironment, question: PairQuestion) -> Any | Sink:
    """Return the true state that a question asks for, the sink where an action is not permitted."""
    state = initial_state(environment, question.initial)
    for text in question.followed:
        state = step(environment, state, text)
    return state


def step(environment: AnyEnvironment, state: Any | Sink, text: str) -> Any | Sink:
    """Return the state after an action by its text; the sink where it is not permitted."""
    if isinstance(state, Sink):
        return state
    action = environment.action_named(state, text)
    return Sink.SINK if action is None else environment.automaton.successor(state, action)


def same_state(environment: AnyEnvironment, one: Any | Sink, other: Any | Sink) -> bool:
    """Return whether two states are the same; in chess whatever en-passant square permits nothing."""
    if isinstance(one, Sink) or isinstance(other, Sink):
        return one is other
    if one == other:
        return True
    texts = (environment.parse(environment.state_text(state)) for state in (one, other))
    return environment.same_state(*texts)
