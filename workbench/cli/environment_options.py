"""The options that name an environment and what is asked about it."""

from collections.abc import Callable
from typing import Any, Final

import click

Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]

_DEPTH_HELP: Final = "Actions to continue with, for the task continuation.  [default: 4]"


def environment_option(explained: str, default: str | None = None) -> Decorator:
    """Return the option ``--environment``.

    Args:
        explained: Its help.
        default: Its default, None if there is none.
    """
    return click.option(
        "--environment",
        default=default,
        show_default=default is not None,
        metavar="NAME",
        callback=_with_texts,
        help=f"{explained} See `workbench environments`.",
    )


def _with_texts(context: click.Context, parameter: click.Parameter, name: str | None) -> str | None:
    """Return the name of an environment with the text of the files that it names."""
    del context, parameter
    if name is None or ":" not in name:
        return name
    from workbench.environments.registry import environment_named

    return environment_named(name).name


def task_option(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the option ``--task``."""
    from workbench.tasks import task_names

    decorated: Callable[..., Any] = click.option(
        "--task",
        type=click.Choice(task_names()),
        default="state",
        show_default=True,
        help="What is asked: the state, a list of the permitted actions, or a continuation.",
    )(command)
    return decorated


def task_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options ``--task`` and ``--depth``."""
    return task_option(
        click.option("--depth", type=click.IntRange(1), metavar="M", help=_DEPTH_HELP)(command)
    )
