"""Estimators of p_m on chess states, compiled: one run, or one on each of many pairs."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from workbench.environments.chess.kernel.machine_code.cache import compiled_module
from workbench.environments.chess.kernel.packed_boards import Words, pack_states
from workbench.environments.chess.kernel.profiles import Values, checked_rows
from workbench.environments.chess.kernel.threads import Progress, share
from workbench.environments.chess.state import ChessState
from workbench.errors import InvalidArgumentError
from workbench.terminal import Terminal, check_walk


@dataclass(frozen=True, slots=True)
class EstimatorRun:
    """One run of an estimator.

    Attributes:
        value: The estimate of p_m, at least 0.
        node_count: States generated on the way.
    """

    value: float
    node_count: int


@dataclass(frozen=True, slots=True)
class EstimatorRuns:
    """A run on each of n pairs, in the order in which they were given.

    Attributes:
        value: The estimates of p_m, shape (n,).
        node_count: States generated on the way, shape (n,).
    """

    value: Values
    node_count: NDArray[np.int64]


def compiled_methods() -> Mapping[str, int]:
    """Return the estimators that are compiled, by name, with their numbers in the compiled code."""
    methods: Mapping[str, int] = compiled_module("particles").METHODS
    return methods


def run_estimator(
    true: ChessState,
    predicted: ChessState,
    depth: int,
    *,
    method: str,
    samples: int,
    seed: int,
    terminal: Terminal = "absorb",
) -> EstimatorRun:
    """Run an estimator once: the same distribution as its namesake in `workbench.affordance`.

    Args:
        true: The state in which lines are tried.
        predicted: The state from which they are drawn.
        depth: The number of moves m, at least 1.
        method: One of `compiled_methods`.
        samples: N, at least 1 and below 2 million.
        seed: In [0, 2**64). It alone decides the random draws.
        terminal: How a game that finishes earlier counts.

    Raises:
        InvalidArgumentError: If an argument is out of range.
        UnsupportedBoardError: If a state has a promoted king.
    """
    found = run_estimators(
        pack_states([true]), pack_states([predicted]), depth, method=method, samples=samples,
        seeds=[seed], terminal=terminal, workers=1,
    )  # fmt: skip
    return EstimatorRun(float(found.value[0]), int(found.node_count[0]))


def run_estimators(
    true: Words,
    predicted: Words,
    depth: int,
    *,
    method: str,
    samples: int,
    seeds: Sequence[int] | NDArray[np.uint64],
    terminal: Terminal = "absorb",
    workers: int | None = None,
    progress: Progress | None = None,
) -> EstimatorRuns:
    """Run an estimator once on each of many pairs, on all cores.

    Args:
        true: Packed boards in which lines are tried, shape (n, 8).
        predicted: Packed boards from which they are drawn, shape (n, 8).
        depth: The number of moves m, at least 1.
        method: One of `compiled_methods`.
        samples: N, at least 1 and below 2 million.
        seeds: One for each pair, each in [0, 2**64).
        terminal: How a game that finishes earlier counts.
        workers: Threads, at least 1; None takes one for each core. The result does not depend on
            it.
        progress: Called in this thread with the number of pairs done since the last call.

    Raises:
        InvalidArgumentError: If an argument is out of range or the shapes do not agree.
        UnsupportedBoardError: If a board has a promoted king; `supported` finds these beforehand.
    """
    check_walk(depth, terminal)
    methods = compiled_methods()
    if method not in methods:
        raise InvalidArgumentError(f"expected an estimator of {list(methods)}, got {method!r}")
    # The draws are below 2**32: so many lines times the most moves of a board must stay below.
    if not 1 <= samples < 2_000_000:
        raise InvalidArgumentError(f"expected 1 to 1,999,999 samples, got {samples!r}")
    true, predicted = checked_rows(true=true, predicted=predicted)
    if any(not 0 <= int(seed) < 2**64 for seed in seeds) or len(seeds) != len(true):
        raise InvalidArgumentError(
            f"expected {len(true)} seeds in [0, 2**64), one for each pair, got {len(seeds)} "
            f"from {min(seeds, default=None)!r} to {max(seeds, default=None)!r}"
        )
    of_pairs = np.array(seeds, dtype=np.uint64)
    values, nodes = np.empty(len(true)), np.empty(len(true), np.int64)
    estimates = compiled_module("particles").estimates

    def work(part: slice) -> None:
        estimates(
            true[part], predicted[part], depth, methods[method], samples,
            terminal == "absorb", of_pairs[part], values[part], nodes[part],
        )  # fmt: skip

    share(work, len(true), workers, 16, progress)
    return EstimatorRuns(values, nodes)
