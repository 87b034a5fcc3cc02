"""Processor time that other work on the machine disturbs little."""

import time
from collections.abc import Callable

ATTEMPTS = 5


def least_seconds(call: Callable[[], object], enough: float = 0.0) -> float:
    """The least processor time of this thread, in seconds, of up to `ATTEMPTS` calls.

    Other work makes a call slower, up to several times, and never faster, so that the least time
    says most about the code. The first time below `enough` is returned at once.
    """
    least = float("inf")
    for _ in range(ATTEMPTS):
        begin = time.thread_time()
        call()
        least = min(least, time.thread_time() - begin)
        if least < enough:
            break
    return least
