"""The task ``actions``: list every permitted action, which gives p_1 and r_1 without a state.

Source: arXiv 2508.19851, section 3: the affordances of a state are what a model can be asked for.
"""

import math
from collections.abc import Sequence
from typing import Any, ClassVar, Final

import numpy as np

from workbench.automaton import Terminal
from workbench.environment import AnyEnvironment
from workbench.tasks.task import Task, Values


class ActionsTask(Task):
    """List every action that is permitted after the actions so far."""

    name: ClassVar[str] = "actions"
    reply_tokens: ClassVar[int] = 120

    def request(self, environment: AnyEnvironment, depth: int) -> str:
        """Return what the model is to do."""
        noun = environment.action_noun
        return (
            f"List every {noun} that is permitted after the last {noun}. "
            f"{environment.action_format}\n\n"
            f"Reply with the list alone, one {noun} per line; if none is permitted, reply with "
            '"none".'
        )

    def simulated_reply(
        self, environment: AnyEnvironment, believed: str, depth: int, generator: np.random.Generator
    ) -> str:
        """Return the actions that the believed state permits."""
        state = environment.read_state(believed)
        permitted = environment.automaton.permitted(state)
        return "\n".join(map(environment.action_text, permitted)) or "none"

    def measures(
        self,
        environment: AnyEnvironment,
        true: Any,
        actions: Sequence[str] | None,
        depth: int,
        terminal: Terminal,
    ) -> Values:
        """Return p_1 and r_1 of the set of listed actions; deeper values are NaN.

        The list stands for the actions of a predicted state. An action that is listed twice counts
        once, and one that is not permitted counts by its text.
        """
        deeper = [math.nan] * (depth - 1)
        if actions is None:
            return [0.0, *deeper], [0.0, *deeper]
        permitted = environment.automaton.permitted(true)
        named = {text: environment.action_named(true, text) for text in actions}
        right = {action for action in named.values() if action is not None}
        listed = len(right) + sum(action is None for action in named.values())
        if not listed and not permitted:
            both = 1.0 if terminal == "absorb" else 0.0
            return [both, *deeper], [both, *deeper]
        precision = len(right) / listed if listed else 0.0
        recall = len(right) / len(permitted) if permitted else 0.0
        return [precision, *deeper], [recall, *deeper]


TASK: Final = ActionsTask()
