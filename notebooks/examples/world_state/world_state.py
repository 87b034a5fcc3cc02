"""An environment package for verifiers 0.4: write the state after some actions; F_4 is the reward, the rest are metrics."""

import math
from collections.abc import Iterable

import verifiers.v1 as vf

from workbench.rewards import reward_parts
from workbench.rewards.chat_messages import prompt_rows

__all__ = ["StateTaskset"]


class StateConfig(vf.TasksetConfig):
    """What is asked: ``--env.taskset.environment othello``, ..."""

    environment: str = "chess"
    positions: int | None = None
    seed: int = 0


class StateData(vf.TaskData):
    true_state: str
    environment: str


class StateTask(vf.Task[StateData, vf.State, vf.TaskConfig]):
    def _parts(self, trace: vf.Trace) -> dict:
        (parts,) = reward_parts([trace.last_reply], [self.data.true_state], self.data.environment)
        return parts

    @vf.reward
    async def f_4(self, trace: vf.Trace) -> float:
        return self._parts(trace)["f"]

    @vf.metric
    async def parts(self, trace: vf.Trace) -> dict[str, float]:
        """Record p_4, r_4, exact match and the class, a number for each; what is undefined is left out."""
        parts = self._parts(trace)
        names = {"precision": "p_4", "recall": "r_4", "exact_match": "exact_match"}
        values = {ours: parts[name] for name, ours in names.items()}
        values[parts["reply_class"]] = 1.0
        return {name: value for name, value in values.items() if not math.isnan(value)}


class StateTaskset(vf.Taskset[StateTask, StateConfig]):
    def load(self) -> Iterable[StateTask]:
        config = self.config
        for row in prompt_rows(config.positions, config.environment, seed=config.seed):
            yield StateTask(
                StateData(
                    id=row["position_id"],
                    prompt="\n\n".join(message["content"] for message in row["prompt"]),
                    true_state=row["true_state"],
                    environment=row["environment"],
                ),
                config.task,
            )
