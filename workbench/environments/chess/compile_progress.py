"""How far the compilation of the kernel is: functions done of all, seconds so far and to go."""

import sys
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from pathlib import Path
from time import perf_counter
from typing import Final

Listener = Callable[[str], None]

BETWEEN_REPORTS: Final = 2.0
"""Seconds between two reports at least, and the first comes only after as many."""

_SHARES: Final = {
    "board.capturable": 0.9,
    "attacks.attacked": 0.5,
    "moves.generate": 1.3,
    "making.advance": 0.9,
    "last_ply.last_ply": 4.0,
    "merged_walk._finish": 1.0,
    "merged_walk._walk_on": 1.3,
    "joint._walked": 0.9,
    "plain_joint._walk": 1.1,
    "weighted.intermediate": 2.8,
    "weighted.resampled": 2.0,
    "particles._naive": 1.9,
    "particles._stratified": 0.7,
    "replays.mistaken_boards": 6.0,
}
"""Work of the long functions, in units of `_SECONDS`; elsewhere their relation is about the same."""

_SHARE_OF_OTHERS: Final = 0.3

_SECONDS: Final = 0.4
"""Seconds for a unit of work on an idle core, as measured on a machine of 2025."""

_KNOWN_AFTER: Final = 0.15
"""Share of the work after which its pace says how long the rest takes."""

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
        self._work = sum(map(_share, self._left))
        self._clock = clock
        self._began = self._reported = clock()
        _tell(
            f"Compiling the chess kernel, once in this environment: {self._total} "
            f"{'function' if self._total == 1 else 'functions'}, about "
            f"{max(1.0, self._work * _SECONDS):.0f} s on an idle machine, longer on a busy one."
        )

    def compiled(self, function: str) -> None:
        """Count a function unless it came from the folder; report if the last report is some time ago."""
        if function not in self._left:
            return
        self._left.remove(function)
        now = self._clock()
        if now - self._reported < BETWEEN_REPORTS or not self._left:
            return
        self._reported = now
        done = self._work - sum(map(_share, self._left))
        pace = (now - self._began) / done
        known = done >= _KNOWN_AFTER * self._work
        to_go = f", about {pace * (self._work - done):.0f} s to go" if known else ""
        _tell(
            f"Compiling the chess kernel, once: {self._total - len(self._left)} of {self._total} "
            f"functions after {now - self._began:.0f} s{to_go}."
        )

    def finished(self) -> None:
        """Report that all are compiled."""
        _tell(
            f"The chess kernel is compiled, in {self._clock() - self._began:.0f} s; kept in {self._folder}."
        )


def _share(function: str) -> float:
    return _SHARES.get(function, _SHARE_OF_OTHERS)


def _tell(words: str) -> None:
    print(f"workbench: {words}", file=sys.stderr, flush=True)
    for listener in _LISTENERS:
        listener(words)
