"""The workers that score chunks: this thread, threads, processes, or a Dask cluster."""

import importlib.util
import logging
import socket
import time
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import (
    FIRST_COMPLETED,
    CancelledError,
    Executor,
    Future,
    ProcessPoolExecutor,
    ThreadPoolExecutor,
    wait,
)
from multiprocessing import get_context
from typing import Any, Final, TypeVar
from urllib.parse import urlsplit

import pyarrow as pa

from workbench.environments.registry import AnyEnvironment, environment_of
from workbench.errors import ClusterError, MissingExtraError
from workbench.installation import install_hint
from workbench.scoring.parameters import ScoringParameters, scoring_code
from workbench.scoring.score_rows import score_chunk
from workbench.tables.provenance import differences_in_words, find_differences, package_versions
from workbench.worker_processes import end_with_parent

# Chunks that wait behind each one that is being scored, so that no worker has nothing to do.
AHEAD: Final = 2
LOOK_SECONDS: Final = 1.0

Key = TypeVar("Key")


class LocalWorkers:
    """Threads or processes of this machine that score chunks; one is this thread."""

    def __init__(self, parameters: ScoringParameters, jobs: int) -> None:
        self._parameters = parameters
        self._jobs = jobs
        self._executor = _executor(parameters, jobs) if jobs > 1 else None

    def submit(self, chunk: pa.Table) -> "Future[pa.Table]":
        """Begin to score a chunk, or, if this thread is the only worker, score it."""
        if self._executor is not None:
            return self._executor.submit(score_chunk, own_rows(chunk), self._parameters)
        future: Future[pa.Table] = Future()
        future.set_result(score_chunk(chunk, self._parameters))
        return future

    def room(self) -> int:
        """Return how many chunks to hold at a time."""
        return 1 if self._executor is None else self._jobs * (1 + AHEAD)

    def result(self, future: "Future[pa.Table]") -> pa.Table:
        """Return the scores of a finished chunk, or raise its error."""
        return future.result()

    def look(self) -> None:
        """Raise an error if no chunk can be scored any more; called regularly while waiting."""

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


def chunk_scores(
    chunks: Iterable[tuple[Key, pa.Table]],
    workers: LocalWorkers,
    on_done: Callable[[int], object] = lambda rows: None,
) -> Generator[tuple[Key, pa.Table], None, None]:
    """Yield the scores of chunks as they finish, reading ahead only as far as there is room."""
    waiting: dict[Future[pa.Table], Key] = {}
    try:
        for key, chunk in chunks:
            waiting[workers.submit(chunk)] = key
            while len(waiting) >= workers.room():
                yield from _finished(waiting, workers, on_done)
        while waiting:
            yield from _finished(waiting, workers, on_done)
    finally:
        workers.close()


def _finished(
    waiting: dict["Future[pa.Table]", Key], workers: LocalWorkers, on_done: Callable[[int], object]
) -> Iterator[tuple[Key, pa.Table]]:
    finished, _ = wait(waiting, LOOK_SECONDS, FIRST_COMPLETED)
    if not finished:
        workers.look()
    for future in finished:
        key = waiting.pop(future)
        scores = workers.result(future)
        on_done(len(scores))
        yield key, scores


CONNECT_SECONDS: Final = 20.0
WORKERLESS_SECONDS: Final = 60.0
COUNT_SECONDS: Final = 1.0
_TRANSPORTS: Final = ("tcp", "tls", "ws", "wss", "ucx")
RESUME_HINT: Final = "finished scores are kept: the same command resumes"


def score_as(chunk: pa.Table, parameters: ScoringParameters, versions: dict[str, Any]) -> pa.Table:
    """Score a chunk on a worker with the same packages as the client."""
    if differences := find_differences(_versions(environment_of(chunk), parameters), versions):
        raise ClusterError(
            "expected a worker with the same packages and code as here, got a worker with others "
            f"({differences_in_words(differences)}); install the same there"
        )
    return score_chunk(chunk, parameters)


def _versions(environment: AnyEnvironment, parameters: ScoringParameters) -> dict[str, Any]:
    return {**package_versions(), "code": scoring_code(environment, parameters.method)}


def check_scheduler(scheduler: str) -> None:
    """Check that an address can be that of a scheduler, without connecting."""
    if importlib.util.find_spec("distributed") is None:
        raise MissingExtraError(
            "scoring on a cluster needs the optional extra 'cluster' (dask.distributed): "
            f"{install_hint('cluster')}"
        )
    transport, _, place = scheduler.rpartition("://")
    # A scheduler in this process names itself otherwise.
    if transport == "inproc":
        return
    try:
        parts = urlsplit(f"//{place}")
        if transport not in ("", *_TRANSPORTS) or not parts.hostname or not parts.port:
            raise ValueError("it needs a host and a port")
        socket.getaddrinfo(parts.hostname, parts.port)
    except (OSError, ValueError) as error:
        raise ClusterError(
            f"expected the address of a Dask scheduler such as tcp://host:8786, got {scheduler!r}: "
            f"{error}"
        ) from error


class ClusterWorkers(LocalWorkers):
    """The workers of a Dask cluster, by the address of its scheduler, such as ``tcp://host:8786``.

    ``connect_seconds`` are waited for the scheduler and for a first worker, ``workerless_seconds`` for a
    worker to come back once all are lost.
    """

    def __init__(
        self,
        parameters: ScoringParameters,
        scheduler: str,
        *,
        connect_seconds: float = CONNECT_SECONDS,
        workerless_seconds: float = WORKERLESS_SECONDS,
    ) -> None:
        check_scheduler(scheduler)
        super().__init__(parameters, 1)
        self._scheduler = scheduler
        self._versions = _versions
        self._workerless_seconds = workerless_seconds
        self._client = _client(scheduler, connect_seconds)
        self._cluster = self._client.get_executor(pure=False)
        self._workerless_since = time.monotonic()
        self._counted = (-COUNT_SECONDS, 0)

    def submit(self, chunk: pa.Table) -> "Future[pa.Table]":
        """Send a chunk to the scheduler."""
        future: Future[pa.Table] = self._cluster.submit(
            score_as,
            own_rows(chunk),
            self._parameters,
            self._versions(environment_of(chunk), self._parameters),
        )
        return future

    def result(self, future: "Future[pa.Table]") -> pa.Table:
        """Return the scores of a chunk that is done."""
        from distributed import KilledWorker

        try:
            return future.result()
        except KilledWorker as error:
            raise ClusterError(
                f"{self._scheduler}: a chunk was repeatedly lost with its worker: {error}; "
                f"if workers run out of memory, use fewer rows per chunk; {RESUME_HINT}"
            ) from error
        except CancelledError as error:
            raise self._lost_connection("the scheduler dropped a chunk") from error
        except (ImportError, RuntimeError) as error:
            if isinstance(error, ClusterError):
                raise
            raise ClusterError(
                f"{self._scheduler}: expected a cluster with the same packages on its scheduler "
                f"and workers as here, got: {error!r}; install the workbench there"
            ) from error

    def room(self) -> int:
        """Return how many chunks to hold at a time, as needed by the current workers."""
        return max(1, self._threads()) * (1 + AHEAD)

    def look(self) -> None:
        """Raise an error if the scheduler is gone, or had no worker for too long."""
        if self._client.status != "running":
            raise self._lost_connection(f"the client is {self._client.status}")
        now = time.monotonic()
        if self._threads():
            self._workerless_since = now
        if now - self._workerless_since > self._workerless_seconds:
            raise ClusterError(
                f"{self._scheduler}: the scheduler has had no worker for "
                f"{self._workerless_seconds:.0f} s; start workers; {RESUME_HINT}"
            )

    def close(self) -> None:
        """Drop the waiting chunks and the connection; the cluster keeps running."""
        log = logging.getLogger("distributed.client")
        level = log.level
        # Our error reports that a scheduler is gone; a traceback in the log would repeat it.
        log.setLevel(logging.CRITICAL + 1)
        try:
            self._cluster.shutdown(wait=False)
            self._client.close()
        finally:
            log.setLevel(level)

    def _threads(self) -> int:
        now = time.monotonic()
        if now - self._counted[0] >= COUNT_SECONDS:
            try:
                self._counted = (now, sum(self._client.nthreads().values()))
            except OSError as error:
                raise self._lost_connection(str(error)) from error
        return self._counted[1]

    def _lost_connection(self, why: str) -> ClusterError:
        return ClusterError(
            f"{self._scheduler}: the scheduler cannot be reached any more ({why}); {RESUME_HINT}"
        )


def _client(scheduler: str, seconds: float) -> Any:
    import distributed

    # Its own functions are partly untyped.
    connect: Any = distributed.Client
    try:
        client = connect(scheduler, timeout=seconds, set_as_default=False)
    except (OSError, ValueError) as error:
        raise ClusterError(
            f"expected the address of a Dask scheduler such as tcp://host:8786, got {scheduler!r}: "
            f"{error}; start one with `dask scheduler`"
        ) from error
    try:
        client.wait_for_workers(1, timeout=seconds)
    except OSError as error:
        client.close()
        raise ClusterError(
            f"{scheduler}: expected at least one worker, got none in {seconds:.0f} s; start one "
            f"with `dask worker {scheduler}`"
        ) from error
    return client
