"""The task ``state``: write the state after the actions. Source: arXiv 2508.19851, section 5."""

from typing import ClassVar, Final

import numpy as np

from workbench.environment import AnyEnvironment
from workbench.prediction import Prediction
from workbench.tasks.task import Task, split_own_action


class StateTask(Task):
    """Write the state that the actions lead to."""

    name: ClassVar[str] = "state"
    gives_state: ClassVar[bool] = True
    reply_tokens: ClassVar[int] = 80

    def request(self, environment: AnyEnvironment, depth: int) -> str:
        """Return what the model is to do."""
        noun, action = environment.state_noun, environment.action_noun
        return (
            f"Find the {noun} after the last {action}. {environment.state_format}\n\n"
            f"Reply with the {noun} alone."
        )

    def classify(self, environment: AnyEnvironment, reply: str) -> Prediction:
        """Find the state in a reply, and classify it; an action that is played below it is none of it."""
        return environment.classify(split_own_action(environment, reply)[0])

    def simulated_reply(
        self, environment: AnyEnvironment, believed: str, depth: int, generator: np.random.Generator
    ) -> str:
        """Return the believed state."""
        return believed


TASK: Final = StateTask()
