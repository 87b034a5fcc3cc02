"""The group of all commands, and the form of its error messages."""

import os
import select
from pathlib import Path
from typing import Any, Final

import click

from workbench import __version__
from workbench.errors import WorkbenchError

PATH = click.Path(path_type=Path)

CLOSED_PIPE: Final = 141
"""The exit code a shell reports for a process that SIGPIPE ends: 128 and the signal's number."""


class Commands(click.Group):
    """A group that reports an error of the workbench as one message with exit code 1.

    If the reader of standard output or standard error is gone (``workbench ... | head``), the
    command ends without a message, as other tools do.
    """

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command; see `click.Group.invoke`."""
        try:
            return super().invoke(ctx)
        except (WorkbenchError, OSError) as error:
            if isinstance(error, BrokenPipeError) and _silence_closed_pipes():
                ctx.exit(CLOSED_PIPE)
            raise click.ClickException(str(error)) from error


def _silence_closed_pipes() -> bool:
    """Discard output to standard streams without a reader; return whether there are any."""
    closed = [descriptor for descriptor in (1, 2) if _has_no_reader(descriptor)]
    for descriptor in closed:
        # The interpreter flushes both streams again at its end.
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, descriptor)
        os.close(nowhere)
    return bool(closed)


def _has_no_reader(descriptor: int) -> bool:
    poll = select.poll()
    poll.register(descriptor, 0)
    return any(event & (select.POLLERR | select.POLLHUP) for _, event in poll.poll(0))


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="workbench")
def main() -> None:
    """Measure how well language models track a state, in chess and elsewhere: p_m and r_m."""
