"""The relation ``repeat``: the same question once more."""

from collections.abc import Sequence
from typing import ClassVar

import numpy as np

from workbench.asking.prompts import Prompt
from workbench.consistency.relation import Pair, PairQuestion, Relation
from workbench.environment import AnyEnvironment


class Repeat(Relation):
    """The same question; where nothing is drawn, the answers are equal, and that says nothing."""

    name: ClassVar[str] = "repeat"
    keeps: ClassVar[str] = "the whole question"

    def pair(
        self,
        environment: AnyEnvironment,
        initial: str,
        actions: Sequence[str],
        prompt: Prompt | None,
        generator: np.random.Generator,
    ) -> Pair | None:
        """Return the question, and the same as its repetition."""
        once = PairQuestion(initial, tuple(actions))
        again = PairQuestion(initial, tuple(actions), repetition=1)
        return Pair(once, again, "asked again")
