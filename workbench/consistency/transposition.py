"""The relation ``transposition``: another order of the same actions that reaches the same state."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, ClassVar, Final

import numpy as np

from workbench.asking.prompts import Prompt
from workbench.automaton import Sink
from workbench.consistency.relation import (
    Pair,
    PairQuestion,
    Relation,
    initial_state,
    same_state,
    state_after,
    step,
)
from workbench.environment import AnyEnvironment

WIDEST: Final = 5
"""The most actions in a row that are put in another order."""


class Transposition(Relation):
    """Some actions in a row in another order, as few as possible; all of them stay permitted."""

    name: ClassVar[str] = "transposition"
    keeps: ClassVar[str] = "the actions and the state, not their order"

    def pair(
        self,
        environment: AnyEnvironment,
        initial: str,
        actions: Sequence[str],
        prompt: Prompt | None,
        generator: np.random.Generator,
    ) -> Pair | None:
        """Return the episode with the shortest change of its order; of several, one is drawn."""
        whole = tuple(actions)
        states = [initial_state(environment, initial)]
        for text in whole:
            states.append(step(environment, states[-1], text))
        for width in range(2, WIDEST + 1):
            for place in generator.permutation(max(0, len(whole) - width + 1)).tolist():
                end = place + width
                there, goal = states[place], states[end]
                for order in _orders(environment, there, whole[place:end], goal):
                    if order[0] != whole[place] and order[-1] != whole[end - 1]:
                        return _pair(initial, whole, (*whole[:place], *order, *whole[end:]))
        return None

    def held(
        self, environment: AnyEnvironment, questions: Iterable[PairQuestion]
    ) -> Iterator[Pair]:
        """Yield each question with the first one of the same actions in another order."""
        alike: dict[Any, list[PairQuestion]] = defaultdict(list)
        for one in questions:
            if not one.repetition:
                alike[one.initial, tuple(sorted(one.actions))].append(one)
        for several in alike.values():
            first, *others = several
            goal = state_after(environment, first) if others else Sink.SINK
            for other in others:
                if same_state(environment, state_after(environment, other), goal):
                    yield _pair(first.initial, first.actions, other.actions)


def _orders(
    environment: AnyEnvironment, state: Any, actions: Sequence[str], goal: Any
) -> Iterator[tuple[str, ...]]:
    """Yield the orders of actions that are permitted from a state and end in another."""
    if not actions:
        if same_state(environment, state, goal):
            yield ()
        return
    for text in dict.fromkeys(actions):
        after = step(environment, state, text)
        if not isinstance(after, Sink):
            rest = list(actions)
            rest.remove(text)
            for order in _orders(environment, after, rest, goal):
                yield (text, *order)


def _pair(initial: str, one: tuple[str, ...], other: tuple[str, ...]) -> Pair:
    changed = [place for place, pair in enumerate(zip(one, other, strict=True)) if len({*pair}) > 1]
    begin, end = changed[0], changed[-1] + 1
    words = f"{begin + 1} to {end}: {', '.join(other[begin:end])} for {', '.join(one[begin:end])}"
    return Pair(PairQuestion(initial, one), PairQuestion(initial, other), words, end)
