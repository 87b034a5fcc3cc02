"""The workers that score chunks: this thread, threads or processes, or a cluster.

All score a chunk by the same call, and hold only as many chunks as keep them busy.
"""

from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import (
    FIRST_COMPLETED,
    Executor,
    Future,
    ProcessPoolExecutor,
    ThreadPoolExecutor,
    wait,
)
from multiprocessing import get_context
from typing import Final, Protocol, TypeVar

import pyarrow as pa

from workbench.errors import InvalidArgumentError
from workbench.scoring.parameters import ScoringParameters
from workbench.scoring.score_rows import scored
from workbench.worker_processes import end_with_parent

# Chunks that wait behind each one that is being scored, so that no worker has nothing to do.
AHEAD: Final = 2
LOOK_SECONDS: Final = 1.0

Key = TypeVar("Key")


class Workers(Protocol):
    """Workers that score chunks."""

    def submit(self, chunk: pa.Table) -> "Future[pa.Table]":
        """Begin to score a chunk."""
        ...

    def room(self) -> int:
        """Return how many chunks to hold at a time."""
        ...

    def result(self, future: "Future[pa.Table]") -> pa.Table:
        """Return the scores of a finished chunk, or raise its error."""
        ...

    def look(self) -> None:
        """Raise an error if no chunk can be scored any more; called regularly while waiting."""
        ...

    def close(self) -> None:
        """Drop the waiting chunks."""
        ...


class LocalWorkers:
    """Threads or processes of this machine.

    Args:
        parameters: The parameters of scoring.
        jobs: How many, at least 1; one is this thread.

    Raises:
        InvalidArgumentError: If there would be none.
    """

    def __init__(self, parameters: ScoringParameters, jobs: int) -> None:
        if jobs < 1:
            raise InvalidArgumentError(f"expected at least 1 job, got {jobs!r}")
        self._parameters = parameters
        self._jobs = jobs
        self._executor = _executor(parameters, jobs) if jobs > 1 else None

    def submit(self, chunk: pa.Table) -> "Future[pa.Table]":
        """Begin to score a chunk, or, if this thread is the only worker, score it."""
        if self._executor is not None:
            return self._executor.submit(scored, own_rows(chunk), self._parameters)
        done: Future[pa.Table] = Future()
        done.set_result(scored(chunk, self._parameters))
        return done

    def room(self) -> int:
        """Return how many chunks to hold at a time."""
        return 1 if self._executor is None else self._jobs * (1 + AHEAD)

    def result(self, future: "Future[pa.Table]") -> pa.Table:
        """Return the scores of a finished chunk, or raise its error."""
        return future.result()

    def look(self) -> None:
        """Return at once: the futures report a broken pool of this machine."""

    def close(self) -> None:
        """Drop the waiting chunks."""
        if self._executor is not None:
            self._executor.shutdown(wait=False, cancel_futures=True)


def own_rows(chunk: pa.Table) -> pa.Table:
    """Return rows in memory of their own: a slice is sent to a process with the whole table."""
    return chunk.take(pa.array(range(len(chunk))))


def _executor(parameters: ScoringParameters, jobs: int) -> Executor:
    if parameters.engine == "compiled":
        # The kernel releases the interpreter's lock while it walks.
        return ThreadPoolExecutor(jobs)
    # A fresh interpreter for each worker: forking a process with threads, such as a notebook's
    # kernel, can deadlock.
    return ProcessPoolExecutor(jobs, get_context("spawn"), initializer=end_with_parent)


def scored_chunks(
    chunks: Iterable[tuple[Key, pa.Table]],
    workers: Workers,
    on_done: Callable[[int], object] = lambda rows: None,
) -> Generator[tuple[Key, pa.Table], None, None]:
    """Yield the scores of chunks as they finish, reading ahead only as far as there is room.

    Args:
        chunks: Chunks with their keys; taken when there is room for another.
        workers: Who scores them; closed at the end, or where this stops.
        on_done: Called with the rows of each chunk that was scored.
    """
    waiting: dict[Future[pa.Table], Key] = {}
    try:
        for key, chunk in chunks:
            waiting[workers.submit(chunk)] = key
            while len(waiting) >= workers.room():
                yield from _done(waiting, workers, on_done)
        while waiting:
            yield from _done(waiting, workers, on_done)
    finally:
        workers.close()


def _done(
    waiting: dict["Future[pa.Table]", Key], workers: Workers, on_done: Callable[[int], object]
) -> Iterator[tuple[Key, pa.Table]]:
    done, _ = wait(waiting, LOOK_SECONDS, FIRST_COMPLETED)
    if not done:
        workers.look()
    for future in done:
        key = waiting.pop(future)
        found = workers.result(future)
        on_done(len(found))
        yield key, found
