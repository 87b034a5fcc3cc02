"""lm-evaluation-harness: the data and the scores of its task ``state_reconstruction``. Run with lm-eval 0.4.13.

The task is state_reconstruction.yaml beside this file: ``--include_path`` names this folder.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from workbench.environments.registry import DEFAULT
from workbench.installation import library
from workbench.rewards import AFFORDANCES, reward_parts
from workbench.rewards.chat_messages import prompt_rows

DEPTH: Final = 4


def state_questions(
    positions: int | None = None,
    environment: str = DEFAULT,
    prompt: str | None = None,
    seed: int = 0,
    **_: Any,
) -> dict[str, Any]:
    """Return the data of the task: a ``datasets.Dataset`` by the name of its split, ``test``.

    Args:
        positions: How many; None for 100 of each group. ``--metadata '{"positions": 20}'`` sets it.
        environment: Its name.
        prompt: As of `prompt_rows`.
        seed: Of the choice of positions.
        **_: What else the harness has as metadata, such as the version of the task and the model.
    """
    rows = prompt_rows(positions, environment, prompt, seed=seed)
    documents = [
        {**row, "prompt": "\n\n".join(message["content"] for message in row["prompt"])}
        for row in rows
    ]
    return {"test": library("datasets", "lm-eval").Dataset.from_list(documents)}


def process_results(document: Mapping[str, Any], results: Sequence[str]) -> dict[str, float]:
    """Return the scores of a reply, as ``workbench score`` has them by default (ill-formed boards as they are).

    Args:
        document: Of `state_questions`.
        results: The reply alone.

    Returns:
        f_4, precision_4, recall_4, exact_match, and whether the reply has a state that can be read.
    """
    (parts,) = reward_parts(
        results[:1], [document["true_state"]], document["environment"], DEPTH, ill_formed="as_is"
    )
    return {
        **{f"{name}_{DEPTH}": parts[name] for name in AFFORDANCES},
        "exact_match": parts["exact_match"],
        "readable": float(parts["reply_class"] in ("valid", "ill_formed")),
    }
