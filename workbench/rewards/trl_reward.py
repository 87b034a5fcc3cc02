"""TRL: a reward function for its trainers, and a dataset with the prompts. Run with TRL 1.16."""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from workbench.environments.registry import DEFAULT
from workbench.installation import library
from workbench.rewards import AFFORDANCES, state_rewards
from workbench.rewards.chat_messages import prompt_rows, reply_text


def trl_reward(
    measure: str = "f",
    *,
    environment: str = DEFAULT,
    depth: int = 4,
    class_rewards: Mapping[str, float] | None = None,
    **options: Any,
) -> Callable[..., list[float | None]]:
    """Return a reward function for ``GRPOTrainer(reward_funcs=...)`` and the other trainers of TRL.

    Args:
        measure: As of `state_reward`. TRL logs the function as ``f_4``, ``exact_match``, ...
        environment: For datasets without a column ``environment``.
        depth: m, at least 1.
        class_rewards: As of `state_reward`.
        **options: Its others.

    Returns:
        ``f(completions, true_state, **columns)``: a reward for each completion, which is a text or chat
        messages; None, which TRL leaves out, for None, a call that failed.
    """

    def reward(
        completions: Sequence[Any], true_state: Sequence[str], **columns: Any
    ) -> list[float | None]:
        rewards = state_rewards(
            [reply_text(completion) for completion in completions],
            true_state,
            columns.get("environment", environment),
            depth,
            measure,
            class_rewards=class_rewards,
            **options,
        )
        return [None if math.isnan(value) else value for value in rewards]

    reward.__name__ = f"{measure}_{depth}" if measure in AFFORDANCES else measure
    return reward


def trl_dataset(limit: int | None = None, environment: str = DEFAULT, **options: Any) -> Any:
    """Return a ``datasets.Dataset`` for TRL's trainers; see `prompt_rows` for arguments and columns."""
    rows = prompt_rows(limit, environment, **options)
    return library("datasets", "trl").Dataset.from_list(rows)
