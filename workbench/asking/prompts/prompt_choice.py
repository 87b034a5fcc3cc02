"""Prompts by name: for every task the one made of its own wording, for chess boards published ones."""

from typing import Final

from workbench.asking.prompts.published_prompts import ENVIRONMENT, PROMPTS, TASK
from workbench.asking.prompts.written_prompt import Prompt
from workbench.environments.registry import environment_named
from workbench.errors import InvalidArgumentError
from workbench.tasks import task_named

DIRECT: Final = "direct"
"""The prompt that a task makes of its own wording and that of the environment."""

_DIRECT_VERSION: Final = 1


def task_prompt(
    environment: str = ENVIRONMENT, task: str = TASK, depth: int | None = None
) -> Prompt:
    """Return the prompt ``direct``, in the words of the task and of the environment.

    Args:
        environment: The name of an environment.
        task: The name of a task.
        depth: m, for tasks that ask for so many actions; None for their default.

    Raises:
        InvalidArgumentError: If there is no such environment or task.
    """
    chosen = task_named(task)
    turns = chosen.turns(environment_named(environment), chosen.depth_asked(depth))
    return Prompt(DIRECT, _DIRECT_VERSION, "shown", turns, chosen.reply_tokens)


def prompts_of(
    environment: str = ENVIRONMENT, task: str = TASK, depth: int | None = None
) -> tuple[Prompt, ...]:
    """Return every prompt, in every version, that asks about an environment and task.

    Args:
        environment: As of `task_prompt`, as are the others.
        task: The name of a task.
        depth: m.
    """
    published = PROMPTS if (environment, task) == (ENVIRONMENT, TASK) else ()
    return (*published, task_prompt(environment, task, depth))


def prompt_named(
    name: str | None = None,
    environment: str = ENVIRONMENT,
    task: str = TASK,
    depth: int | None = None,
) -> Prompt:
    """Return a prompt by its name, or by name and version as in ``pgn-direct@1``.

    Args:
        name: Without a version the latest is meant; None for the default, ``pgn-direct`` where the
            board is asked for in chess, else ``direct``.
        environment: As of `task_prompt`, as are the others.
        task: The name of a task.
        depth: m.

    Raises:
        InvalidArgumentError: If there is no such prompt.
    """
    known = prompts_of(environment, task, depth)
    if name is None:
        return known[0]
    wanted, at, version = name.partition("@")
    found = [
        prompt
        for prompt in known
        if prompt.name == wanted and (not at or str(prompt.version) == version)
    ]
    if not found:
        names = ", ".join(f"{prompt.name}@{prompt.version}" for prompt in known)
        raise InvalidArgumentError(
            f"prompt: expected one of {names} for {environment} and the task {task}, got {name!r}"
        )
    return max(found, key=lambda prompt: prompt.version)
