"""The reference of all commands, docs/commands.md: the help of each, as ``--help`` prints it.

Run from the repository: ``python -m workbench.cli.reference > docs/commands.md``.
"""

from collections.abc import Iterator
from typing import Final

import click

from workbench.cli import main

WIDTH: Final = 100
"""Columns of the help texts, whatever the width of the terminal."""


def command_contexts(
    command: click.Command = main, name: str = "workbench", parent: click.Context | None = None
) -> Iterator[click.Context]:
    """Yield the context of a command and of all its subcommands, a group before its members."""
    settings = command.context_settings
    context = click.Context(command, parent, name, terminal_width=WIDTH, color=False, **settings)
    yield context
    if isinstance(command, click.Group):
        for member in command.list_commands(context):
            yield from command_contexts(command.commands[member], member, context)


def reference() -> str:
    """Return the text of docs/commands.md: a heading for each command, its help in a code block."""
    sections = [
        f"\n## {context.command_path}\n\n```text\n{context.get_help()}\n```\n"
        for context in command_contexts()
    ]
    return "# Commands\n\n`make reference` generates this page from the help.\n" + "".join(sections)


if __name__ == "__main__":
    click.echo(reference(), nl=False)
