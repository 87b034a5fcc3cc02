"""How a command responds to Ctrl-C and SIGTERM: one line, and the exit code that shells expect."""

import signal
import threading
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
