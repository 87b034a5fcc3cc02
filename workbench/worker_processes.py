"""Worker processes that do not outlive the process that made them."""

import os
from multiprocessing import parent_process
from threading import Thread


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
