"""How a command responds to Ctrl-C and SIGTERM: one line, and the exit code that shells expect."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import NoReturn

import click


class Stopped(BaseException):
    """A signal asks the command to stop; catch it only to clean up.

    Attributes:
        signal: Which.
    """

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.signal = signal.Signals(number)


@contextmanager
def stoppable(kept: str) -> Iterator[None]:
    """Turn the first Ctrl-C or SIGTERM into `Stopped` here, and that into a line and an exit code.

    The exit code is 128 and the signal's number: 130 for Ctrl-C, 143 for SIGTERM. Further signals
    are ignored while the command cleans up.

    Args:
        kept: What happens to the work done so far, for the line.
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
        click.echo(f"stopped by {stopped.signal.name}: {kept}", err=True)
        raise click.exceptions.Exit(128 + stopped.signal) from None
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
