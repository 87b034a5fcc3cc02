"""The relation ``next_action``: the answer before an action, moved on by it, and the answer after it."""

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

from workbench.asking.prompts import Prompt
from workbench.automaton import Sink
from workbench.consistency.relation import Pair, PairQuestion, Relation, step
from workbench.environment import AnyEnvironment


class NextAction(Relation):
    """An answer moved on by the next action; the sink where the answer does not permit it."""

    name: ClassVar[str] = "next_action"
    keeps: ClassVar[str] = "the state one action later, by the rules"

    def pair(
        self,
        environment: AnyEnvironment,
        initial: str,
        actions: Sequence[str],
        prompt: Prompt | None,
        generator: np.random.Generator,
    ) -> Pair | None:
        """Return the episode without its last action, and the whole."""
        if len(actions) < 2:
            return None
        before, whole = PairQuestion(initial, tuple(actions[:-1])), tuple(actions)
        return Pair(before, PairQuestion(initial, whole))

    def change(self, pair: Pair) -> str:
        """Return the action that follows, also of a shorter pair."""
        return f"{pair.second.actions[-1]} follows"

    def first_state(self, environment: AnyEnvironment, pair: Pair, state: Any) -> Any | Sink:
        """Return the first answer after the action that only the second question has."""
        return step(environment, state, pair.second.actions[-1])
