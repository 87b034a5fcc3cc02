"""The group of all commands: messages, exit codes, and the response to Ctrl-C and SIGTERM."""

import os
import re
import select
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any, Final, NoReturn, TextIO, cast

import click

from workbench import __version__
from workbench.errors import WorkbenchError


class Stopped(BaseException):
    """A signal asks the command to stop; catch it only to clean up.

    Attributes:
        signal: Which.
    """

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.signal = signal.Signals(number)


@contextmanager
def stoppable(note: str) -> Iterator[None]:
    """Turn the first Ctrl-C or SIGTERM into `Stopped` here, and that into a line and an exit code.

    The exit code is 128 and the signal's number: 130 for Ctrl-C, 143 for SIGTERM. Further signals
    are ignored while the command cleans up.
    """
    numbers = (signal.SIGINT, signal.SIGTERM)

    def stop(number: int, frame: FrameType | None) -> NoReturn:
        for each in numbers:
            signal.signal(each, signal.SIG_IGN)
        raise Stopped(number)

    before = {number: signal.signal(number, stop) for number in numbers}
    try:
        yield
    except Stopped as stopped:
        click.echo(f"stopped by {stopped.signal.name}: {note}", err=True)
        raise click.exceptions.Exit(128 + stopped.signal) from None
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


@contextmanager
def interrupting_signals() -> Iterator[list[int]]:
    """Turn the signals that end a process into `KeyboardInterrupt`; yield those that came, in order."""
    received: list[int] = []

    def interrupt(number: int, frame: FrameType | None) -> NoReturn:
        received.append(number)
        raise KeyboardInterrupt

    names = ("SIGINT", "SIGTERM", "SIGHUP")
    numbers = [getattr(signal, name) for name in names if hasattr(signal, name)]
    before = {}
    if threading.current_thread() is threading.main_thread():
        # Signals that the shell set to be ignored stay ignored.
        before = {
            number: signal.signal(number, interrupt)
            for number in numbers
            if signal.getsignal(number) != signal.SIG_IGN
        }
    try:
        yield received
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


PATH = click.Path(path_type=Path)

CLOSED_PIPE: Final = 141
"""The exit code a shell reports for a process that SIGPIPE ends: 128 and the signal's number."""

_CONTROLS: Final = re.compile(
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]"
)
"""Control characters but tab and line feed, and the characters that change the direction of text."""

_PROGRESS: Final = re.compile(r"(?:\r|(?:\x1b\[A)+\Z)?")
"""How tqdm moves the cursor: a return before a bar, or lines up and nothing else."""


class EscapedOutput:
    r"""A text stream that shows control characters as escapes, such as ``\x1b``.

    Replies, error messages of servers, file names and cells of tables can contain sequences that
    clear the screen or set the title of a terminal. Characters that the stream's encoding cannot
    hold are escaped as well.
    """

    def __init__(self, stream: TextIO) -> None:
        """Write to another text stream; everything but writing is that stream's."""
        self._stream = stream

    def __getattr__(self, name: str) -> Any:
        if name == "buffer":
            # What writes bytes would go past the escapes.
            raise AttributeError(name)
        return getattr(self._stream, name)

    def write(self, text: str) -> int:
        """Write a text, escaped; return its length."""
        move = cast("re.Match[str]", _PROGRESS.match(text)).group()
        escaped = _CONTROLS.sub(lambda match: ascii(match[0])[1:-1], text[len(move) :])
        encoding = self._stream.encoding or "utf-8"
        self._stream.write(move + escaped.encode(encoding, "backslashreplace").decode(encoding))
        return len(text)

    def writelines(self, lines: list[str]) -> None:
        """Write texts one after the other."""
        for line in lines:
            self.write(line)


def escape_output() -> None:
    """Escape what this process prints from now on, the traceback of an unexpected error included."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is not None and not isinstance(stream, EscapedOutput):
            setattr(sys, name, EscapedOutput(stream))


class Commands(click.Group):
    """A group that reports an error of the workbench as one message with exit code 1.

    If the reader of standard output or standard error is gone (``workbench ... | head``), the
    command ends without a message, as other tools do. If a signal stopped it, the exit code is 128
    and the signal's number: 130 for Ctrl-C. All that is printed goes through `EscapedOutput`.
    """

    def main(self, *args: Any, **kwargs: Any) -> Any:
        """Run a command as a program; see `click.Command.main`."""
        escape_output()
        with interrupting_signals() as received:
            try:
                return super().main(*args, **kwargs)
            except SystemExit as ended:
                # A command can end well on a signal, such as one that serves until then.
                if received and ended.code:
                    raise SystemExit(128 + received[0]) from None
                raise
            except Exception as error:
                # What a signal breaks, such as the pool whose workers it also reached.
                if received:
                    click.echo(f"Error: {error!r}", err=True)
                    raise SystemExit(128 + received[0]) from error
                raise

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
    poll, no_reader = select.poll(), select.POLLERR | select.POLLHUP
    for descriptor in (1, 2):
        poll.register(descriptor, 0)
    closed = [descriptor for descriptor, event in poll.poll(0) if event & no_reader]
    for descriptor in closed:
        # The interpreter flushes both streams again at its end.
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, descriptor)
        os.close(nowhere)
    return bool(closed)


def version_in_words() -> str:
    """Return the workbench's version, with the first digits of its commit if that is known."""
    # Only here: git takes longer than most commands take to start.
    from workbench.tables.provenance import git_commit

    commit, edited, _ = git_commit().partition("+")
    if commit == "unknown":
        return __version__
    return f"{__version__} (commit {commit[:12]}{', with changes' if edited else ''})"


def _print_version(context: click.Context, parameter: click.Parameter, requested: bool) -> None:
    if requested:
        click.echo(f"workbench {version_in_words()}")
        context.exit()


@click.group(
    cls=Commands, context_settings={"help_option_names": ["-h", "--help"], "show_default": True}
)
@click.option(
    "--version", is_flag=True, is_eager=True, expose_value=False, callback=_print_version,
    help="Show the version and exit.",
)  # fmt: skip
def main() -> None:
    """Measure how well language models track a state, in chess and elsewhere: p_m and r_m."""
