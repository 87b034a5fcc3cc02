"""Work that waits until nothing has asked for it for a moment, or until the running cell ends."""

import asyncio
from collections.abc import Callable
from functools import cache
from typing import Final

from IPython.core.getipython import get_ipython

REST: Final = 0.5
"""Seconds without a request after which the work is done."""

_PENDING: Final[set["AtRest"]] = set()


class AtRest:
    """Does a piece of work once, some time after the last of many requests.

    What is requested while a cell runs is done at the cell's end at the latest: what comes later
    is in no saved notebook. Where no event loop runs, each request does the work at once.

    Args:
        work: What is done.
        seconds: How long it waits for another request.
    """

    def __init__(self, work: Callable[[], None], seconds: float = REST) -> None:
        self._work = work
        self._seconds = seconds
        self._timer: asyncio.TimerHandle | None = None

    def request(self) -> None:
        """Do the work after a rest that begins anew with every request."""
        self.withdraw()
        try:
            loop = asyncio.get_running_loop()
        except RuntimeError:
            self._work()
            return
        _finish_with_cells()
        self._timer = loop.call_later(self._seconds, self.do_now)
        _PENDING.add(self)

    def do_now(self) -> None:
        """Do the work at once; what was requested before is done with it."""
        self.withdraw()
        self._work()

    def withdraw(self) -> None:
        """Forget the requests so far."""
        _PENDING.discard(self)
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None


@cache
def _finish_with_cells() -> None:
    """Have IPython do all pending work at the end of each cell."""
    shell = get_ipython()
    if shell is not None:
        shell.events.register("post_run_cell", lambda _result: _finish())


def _finish() -> None:
    # Answers that are shared at the end of a cell have their HTML follow.
    while _PENDING:
        next(iter(_PENDING)).do_now()
