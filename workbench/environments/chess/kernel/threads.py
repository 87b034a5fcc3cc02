"""Sharing work over threads: the compiled functions release the interpreter's lock."""

import os
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, as_completed

from workbench.errors import InvalidArgumentError

Progress = Callable[[int], object]
"""Called in the caller's thread with the number of pairs done since the last call."""


def core_count() -> int:
    """Return how many cores this process may use."""
    if sys.platform == "linux":
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def share(
    work: Callable[[slice], None],
    count: int,
    workers: int | None,
    chunk: int,
    progress: Progress | None,
) -> None:
    """Do ``work`` on all of ``count`` items, cut into slices, on several threads.

    Args:
        work: Does the items of one slice; slices never overlap.
        count: The number of items.
        workers: Threads, at least 1; None takes one for each core.
        chunk: The most items in a slice.
        progress: Told of each slice that is done.

    Raises:
        InvalidArgumentError: If ``workers`` is below 1.
    """
    if workers is not None and workers < 1:
        raise InvalidArgumentError(f"expected at least 1 worker, or None, got {workers!r}")
    slices = [slice(start, min(start + chunk, count)) for start in range(0, count, chunk)]
    threads = min(workers or core_count(), len(slices))
    if threads <= 1:
        for part in slices:
            work(part)
            if progress is not None:
                progress(part.stop - part.start)
        return
    with ThreadPoolExecutor(threads, thread_name_prefix="kernel") as pool:
        parts = {pool.submit(work, part): part for part in slices}
        try:
            for done in as_completed(parts):
                done.result()
                if progress is not None:
                    progress(parts[done].stop - parts[done].start)
        finally:
            # After an error or an interrupt what has not begun is not begun.
            pool.shutdown(cancel_futures=True)
