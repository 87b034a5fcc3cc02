"""reasoning-gym: a dataset ``world_state`` whose `score_answer` is a reward. Run with reasoning-gym 0.1.25."""

from dataclasses import dataclass
from typing import Any

from reasoning_gym.factory import ProceduralDataset, register_dataset

from workbench.environments.registry import DEFAULT, environment_named
from workbench.rewards import state_reward
from workbench.rewards.chat_messages import prompt_rows


@dataclass
class StateConfig:
    """What is asked, and how a reply is rewarded.

    Attributes:
        environment: Its name.
        measure: As of `state_reward`.
        depth: m, at least 1.
        size: Positions, spread evenly over the groups of lengths.
        seed: Of their choice; None for 0.
    """

    environment: str = DEFAULT
    measure: str = "f"
    depth: int = 4
    size: int = 500
    seed: int | None = None

    def validate(self) -> None:
        """Refuse an environment or a measure that is not there."""
        environment = environment_named(self.environment)
        start = environment.state_text(environment.automaton.initial)
        state_reward("", start, environment.name, self.depth, self.measure)


class StateDataset(ProceduralDataset):
    """Questions for the state after some actions, as ``workbench ask`` words them."""

    def __init__(self, config: StateConfig) -> None:
        super().__init__(config=config, seed=config.seed or 0, size=config.size)
        self._rows = prompt_rows(config.size, config.environment, seed=self.seed)

    def __getitem__(self, idx: int) -> dict[str, Any]:
        row = self._rows[idx]
        return {
            "question": "\n\n".join(message["content"] for message in row["prompt"]),
            "answer": row["true_state"],
            "metadata": {
                "source_dataset": "world_state",
                "source_index": idx,
                **{name: row[name] for name in ("environment", "position_id", "group")},
            },
        }

    def score_answer(self, answer: str | None, entry: dict[str, Any]) -> float:
        """Return the reward of an answer; None, an answer that was not there, is an absent one."""
        return state_reward(
            answer or "",
            entry["answer"],
            entry["metadata"]["environment"],
            self.config.depth,
            self.config.measure,
        )


register_dataset("world_state", StateDataset, StateConfig)
