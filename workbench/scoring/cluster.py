"""Scoring on an existing Dask cluster, with the same results as on this machine.

The scheduler gives a chunk whose worker was lost to another one. Needs the extra ``cluster``.
"""

import importlib.util
import logging
import socket
import time
from concurrent.futures import CancelledError, Future
from typing import Any, Final
from urllib.parse import urlsplit

import pyarrow as pa

from workbench.environments.registry import AnyEnvironment, environment_of
from workbench.errors import ClusterError, MissingExtraError
from workbench.installation import install_hint
from workbench.scoring.parameters import ScoringParameters, scoring_code
from workbench.scoring.score_rows import scored
from workbench.scoring.workers import AHEAD, own_rows
from workbench.tables.provenance import differences_in_words, differing, package_versions

CONNECT_SECONDS: Final = 20.0
WORKERLESS_SECONDS: Final = 60.0
COUNT_SECONDS: Final = 1.0
_TRANSPORTS: Final = ("tcp", "tls", "ws", "wss", "ucx")
KEPT: Final = "finished scores are kept: the same command resumes"


def score_as(chunk: pa.Table, parameters: ScoringParameters, versions: dict[str, Any]) -> pa.Table:
    """Score a chunk on a worker with the same packages as the client.

    Raises:
        ClusterError: If it has others: one table must not mix scores of several versions.
    """
    if differences := differing(_versions(environment_of(chunk), parameters), versions):
        raise ClusterError(
            "expected a worker with the same packages and code as here, got a worker with others "
            f"({differences_in_words(differences)}); install the same there"
        )
    return scored(chunk, parameters)


def _versions(environment: AnyEnvironment, parameters: ScoringParameters) -> dict[str, Any]:
    return {**package_versions(), "code": scoring_code(environment, parameters.method)}


def check_scheduler(scheduler: str) -> None:
    """Check that an address can be that of a scheduler, without connecting.

    Raises:
        MissingExtraError: If ``distributed`` is not installed.
        ClusterError: If it names no transport, host and port, or its host is not known.
    """
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


class ClusterWorkers:
    """The workers of a Dask cluster.

    Args:
        parameters: The parameters of scoring.
        scheduler: Address of the scheduler, such as ``tcp://host:8786``.
        connect_seconds: To wait for the scheduler, and for a first worker.
        workerless_seconds: To wait for a worker to come back once all are lost.

    Raises:
        MissingExtraError: If ``distributed`` is not installed.
        ClusterError: If there is no such scheduler, or it has no worker.
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
        self._scheduler = scheduler
        self._parameters = parameters
        self._versions = _versions
        self._workerless_seconds = workerless_seconds
        self._client = _client(scheduler, connect_seconds)
        self._executor = self._client.get_executor(pure=False)
        self._workerless_since = time.monotonic()
        self._counted = (-COUNT_SECONDS, 0)

    def submit(self, chunk: pa.Table) -> "Future[pa.Table]":
        """Send a chunk to the scheduler."""
        future: Future[pa.Table] = self._executor.submit(
            score_as,
            own_rows(chunk),
            self._parameters,
            self._versions(environment_of(chunk), self._parameters),
        )
        return future

    def result(self, future: "Future[pa.Table]") -> pa.Table:
        """Return the scores of a chunk that is done.

        Raises:
            ClusterError: If the chunk was repeatedly lost with its worker, the scheduler is
                gone, or the cluster has not the packages that this machine has.
        """
        from distributed import KilledWorker

        try:
            return future.result()
        except KilledWorker as error:
            raise ClusterError(
                f"{self._scheduler}: a chunk was repeatedly lost with its worker: {error}; "
                f"if workers run out of memory, use fewer rows per chunk; {KEPT}"
            ) from error
        except CancelledError as error:
            raise self._gone("the scheduler dropped a chunk") from error
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
        """Raise an error if the scheduler is gone, or had no worker for too long.

        Raises:
            ClusterError: If so.
        """
        if self._client.status != "running":
            raise self._gone(f"the client is {self._client.status}")
        now = time.monotonic()
        if self._threads():
            self._workerless_since = now
        if now - self._workerless_since > self._workerless_seconds:
            raise ClusterError(
                f"{self._scheduler}: the scheduler has had no worker for "
                f"{self._workerless_seconds:.0f} s; start workers; {KEPT}"
            )

    def close(self) -> None:
        """Drop the waiting chunks and the connection; the cluster keeps running."""
        log = logging.getLogger("distributed.client")
        level = log.level
        # That a scheduler is gone is told by our error, not by a traceback in the log.
        log.setLevel(logging.CRITICAL + 1)
        try:
            self._executor.shutdown(wait=False)
            self._client.close()
        finally:
            log.setLevel(level)

    def _threads(self) -> int:
        """Return how many chunks the workers that there are can score at once."""
        now = time.monotonic()
        if now - self._counted[0] >= COUNT_SECONDS:
            try:
                self._counted = (now, sum(self._client.nthreads().values()))
            except OSError as error:
                raise self._gone(str(error)) from error
        return self._counted[1]

    def _gone(self, why: str) -> ClusterError:
        return ClusterError(
            f"{self._scheduler}: the scheduler cannot be reached any more ({why}); {KEPT}"
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
