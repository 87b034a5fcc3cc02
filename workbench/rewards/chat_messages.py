"""Prompts and replies as libraries for training exchange them: chat messages, and rows with the true state."""

from typing import Any

from workbench.asking.prompts import prompt_or_file
from workbench.asking.questions import PositionChoice, questions_of
from workbench.environments.registry import DEFAULT, environment_named
from workbench.errors import InvalidArgumentError


def prompt_rows(
    limit: int | None = None,
    environment: str = DEFAULT,
    prompt: str | None = None,
    *,
    seed: int = 0,
) -> list[dict[str, Any]]:
    """Return prompts that ask for the state after some actions, as ``workbench ask`` words them.

    Args:
        limit: Of positions, spread evenly over the groups of lengths; None for 100 of each group.
        environment: Its name. In chess the positions are of bundled games that tiny, small and medium
            were not trained on; elsewhere they end random episodes.
        prompt: The name of a prompt or a TOML file; None for the first of the environment.
        seed: Of the choice of positions, at least 0.

    Returns:
        Rows of ``prompt`` (chat messages), ``true_state``, ``environment``, ``position_id``, ``group``.

    Raises:
        InvalidArgumentError: If an argument is out of range, or the prompt has several turns.
    """
    name = environment_named(environment).name
    words = prompt_or_file(prompt, name)
    if len(words.turns) > 1:
        raise InvalidArgumentError(
            f"prompt: expected one of a single turn, got {words.name!r} of {len(words.turns)}, each "
            "of which follows a reply; name another"
        )
    positions, _ = PositionChoice(name, limit=limit, seed=seed).choose()
    questions = questions_of(positions, words)
    system = [] if words.system is None else [{"role": "system", "content": words.system}]
    columns = ("true_state", "environment", "position_id", "group")
    return [
        {
            "prompt": [*system, {"role": "user", "content": questions[row["position_id"]][0]}],
            **{column: row[column] for column in columns},
        }
        for row in positions.to_dict("records")
    ]


def reply_text(completion: Any) -> str | None:
    """Return the reply in a completion.

    Args:
        completion: A text; chat messages, of which the last by the assistant is the reply, a text or
            parts with texts; or None for a call that failed.

    Raises:
        InvalidArgumentError: If it is none of these.
    """
    if completion is None or isinstance(completion, str):
        return completion
    try:
        messages = [dict(each) for each in completion]
        contents = [each["content"] for each in messages if each["role"] == "assistant"]
        content = contents[-1] if contents else None
        if content is None or isinstance(content, str):
            return content
        return "".join(part["text"] for part in map(dict, content) if "text" in part)
    except (KeyError, TypeError, ValueError) as error:
        raise InvalidArgumentError(
            "completion: expected a text, chat messages with role and content, or None for a call "
            f"that failed, got {completion!r:.120}"
        ) from error
