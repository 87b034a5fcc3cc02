"""Progress of the compilation of the kernel: functions compiled of all, and seconds so far."""

import sys
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from pathlib import Path
from time import perf_counter
from typing import Final

Listener = Callable[[str], None]

BETWEEN_REPORTS: Final = 2.0
"""Seconds between two reports at least, and the first comes only after as many."""

_LISTENERS: Final[list[Listener]] = []
_UNDER_WAY: Final[list["Compilation"]] = []


@contextmanager
def listening(listener: Listener) -> Iterator[None]:
    """Give reports of any compilation to a function until the block ends.

    Args:
        listener: Takes a sentence; it is called on the thread that compiles.
    """
    _LISTENERS.append(listener)
    try:
        yield
    finally:
        _LISTENERS.remove(listener)


@contextmanager
def compiling(functions: Collection[str], folder: Path) -> Iterator[None]:
    """Report the compilation of functions that happens in the block; of none nothing is reported.

    Args:
        functions: As ``module.function``.
        folder: Where the machine code is kept.
    """
    if not functions:
        yield
        return
    _UNDER_WAY.append(Compilation(functions, folder))
    try:
        yield
    finally:
        _UNDER_WAY.pop().finished()


def count_compiled(function: str) -> None:
    """Count a function, ``module.function``, of the compilation under way, if there is one."""
    if _UNDER_WAY:
        _UNDER_WAY[-1].compiled(function)


class Compilation:
    """The compilation of some functions, which reports to standard error and to listeners.

    Args:
        functions: The functions to compile, as ``module.function``.
        folder: Where the machine code is kept.
        clock: Returns seconds.
    """

    def __init__(
        self,
        functions: Collection[str],
        folder: Path,
        clock: Callable[[], float] = perf_counter,
    ) -> None:
        self._folder = folder
        self._left = set(functions)
        self._total = len(self._left)
        self._clock = clock
        self._began = self._reported = clock()
        _tell(f"Compiling the chess kernel, once: {self._counted(self._total)}.")

    def compiled(self, function: str) -> None:
        """Count a function unless it came from the folder; report if the last report is some time ago."""
        if function not in self._left:
            return
        self._left.remove(function)
        now = self._clock()
        if now - self._reported < BETWEEN_REPORTS or not self._left:
            return
        self._reported = now
        done = self._total - len(self._left)
        _tell(
            f"Compiling the chess kernel, once: {done} of {self._counted(self._total)} after "
            f"{now - self._began:.0f} s."
        )

    @staticmethod
    def _counted(count: int) -> str:
        return f"{count} function{'' if count == 1 else 's'}"

    def finished(self) -> None:
        """Report that all are compiled."""
        _tell(
            f"The chess kernel is compiled, in {self._clock() - self._began:.0f} s; kept in {self._folder}."
        )


def _tell(words: str) -> None:
    print(f"workbench: {words}", file=sys.stderr, flush=True)
    for listener in _LISTENERS:
        listener(words)
