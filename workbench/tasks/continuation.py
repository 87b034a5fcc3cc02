"""The task ``continuation``: continue with m permitted actions, drawn by the model itself.

The share of replies whose first m actions the true state accepts is p_m of the state that the model
acts on, under the model's own choice of actions in the place of uniform branching. Source:
arXiv 2508.19851, on evaluating state tracking by legal continuations.
"""

import math
from collections.abc import Sequence
from typing import Any, ClassVar, Final

import numpy as np

from workbench.automaton import Terminal
from workbench.environment import AnyEnvironment
from workbench.tasks.task import Task, Values


class ContinuationTask(Task):
    """Continue the episode with m permitted actions."""

    name: ClassVar[str] = "continuation"
    reply_tokens: ClassVar[int] = 40
    takes_depth: ClassVar[bool] = True

    def request(self, environment: AnyEnvironment, depth: int) -> str:
        """Return what the model is to do."""
        noun = environment.action_noun
        return (
            f"Continue with {depth} further {noun}{'' if depth == 1 else 's'}: the first must be "
            f"permitted after the last {noun} so far, each further one after the one before. "
            f"Stop earlier only where no {noun} is permitted. {environment.action_format}\n\n"
            f"Reply with the further {noun}s alone, in order, one per line; if none is permitted, "
            'reply with "none".'
        )

    def simulated_reply(
        self, environment: AnyEnvironment, believed: str, depth: int, generator: np.random.Generator
    ) -> str:
        """Return uniformly drawn actions from the believed state."""
        state, actions = environment.read_state(believed), []
        for _ in range(depth):
            permitted = environment.automaton.permitted(state)
            if not permitted:
                break
            action = permitted[int(generator.integers(len(permitted)))]
            actions.append(environment.action_text(action))
            state = environment.automaton.successor(state, action)
        return "\n".join(actions) or "none"

    def measures(
        self,
        environment: AnyEnvironment,
        true: Any,
        actions: Sequence[str] | None,
        depth: int,
        terminal: Terminal,
    ) -> Values:
        """Return for each depth 1 if the first so many actions are accepted, else 0; r is NaN.

        A line that ends too soon is accepted where the true state is finished there, and ``terminal``
        is ``absorb``; otherwise it is not, because further actions were asked for.
        """
        undefined = [math.nan] * depth
        accepted, state = [], true
        for place in range(depth):
            permitted = environment.automaton.permitted(state)
            if actions is None:
                break
            if place == len(actions):
                finished = not permitted and terminal == "absorb"
                accepted += [1.0 if finished else 0.0] * (depth - place)
                break
            action = environment.action_named(state, actions[place])
            if action is None:
                break
            accepted.append(1.0)
            state = environment.automaton.successor(state, action)
        return [*accepted, *[0.0] * (depth - len(accepted))], undefined


TASK: Final = ContinuationTask()
