"""Worker processes that do not outlive the process that made them, and use one core each."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing import parent_process
from threading import Thread
from typing import Final

ONE_THREAD: Final = {
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "VECLIB_MAXIMUM_THREADS": "1",
}
"""The environment of a process that multiplies matrices on one thread."""


@contextmanager
def one_thread_each() -> Iterator[None]:
    """Let processes that start in this block multiply matrices on one thread.

    numpy reads this where it is imported: too late for a pool's initializer.
    """
    before = {name: os.environ.get(name) for name in ONE_THREAD}
    os.environ.update(ONE_THREAD)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


def end_with_parent() -> None:
    """End this worker as soon as its parent is gone, however that ended; a pool's initializer.

    A worker of a pool waits for work on a pipe that it holds open itself, and would go on waiting
    after its parent was killed.
    """
    Thread(target=_end_after_parent, name="end with parent", daemon=True).start()


def _end_after_parent() -> None:
    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
