"""Independent runs of one estimator on one pair of boards, compared with the exact value."""

import time
from collections.abc import Sequence
from typing import Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from workbench.affordance import ESTIMATORS, Estimate, Terminal
from workbench.affordance.estimate import BATCHES, combined, single_runs, skewness
from workbench.environments.registry import environment_named
from workbench.studies.estimators.chess_pairs import ComparisonPair, compiled_twin

Values: TypeAlias = NDArray[np.float64]

LARGEST_Z: Final = 4.0
"""Standard errors from the exact value within which a mean agrees with it."""

ROUNDING: Final = 1e-9
"""Sums in another order differ by less than this, relative, where nothing is random."""

_TIMED: Final = 50


def timed_runs(
    method: str,
    pair: ComparisonPair,
    depth: int,
    samples: int,
    seeds: Sequence[int],
    terminal: Terminal,
    workers: int | None,
) -> tuple[Values, float, float]:
    """Return the values of single runs, their mean node count, and milliseconds per run on a core.

    Args:
        method: A name in `workbench.affordance.ESTIMATORS`; one that is not compiled is run by the
            reference.
        pair: Lines are drawn from T and tried in S.
        depth: m, at least 1.
        samples: N of each run.
        seeds: One a run, at least one.
        terminal: How finished games count.
        workers: Threads, None for all cores; the first runs, which are timed, take one.
    """
    chess = environment_named("chess")
    predicted, true = (chess.read_state(fen) for fen in (pair.predicted_fen, pair.true_fen))
    twin = compiled_twin()
    if method not in twin.methods:
        start = time.perf_counter()
        found = single_runs(
            true, predicted, depth, automaton=chess.automaton, method=method, samples=samples,
            seeds=seeds, terminal=terminal,
        )  # fmt: skip
        elapsed = time.perf_counter() - start
        nodes = float(np.mean([run.node_count for run in found]))
        return np.array([run.value for run in found]), nodes, 1000 * elapsed / len(seeds)
    runs: list[tuple[float, int]] = []
    milliseconds = np.nan
    for part, threads in ((slice(_TIMED), 1), (slice(_TIMED, None), workers)):
        if not seeds[part]:
            continue
        start = time.perf_counter()
        runs += twin.estimator_runs(
            true, predicted, depth, method=method, samples=samples, seeds=seeds[part],
            terminal=terminal, workers=threads,
        )  # fmt: skip
        if part.start is None:
            milliseconds = 1000 * (time.perf_counter() - start) / len(seeds[part])
    estimates, counts = zip(*runs, strict=True)
    return np.array(estimates), float(np.mean(counts)), milliseconds


def compared(values: Values, exact: float, method: str, samples: int) -> dict[str, Any]:
    """Return how independent runs of an estimator compare with the exact value.

    Args:
        values: One estimate of p_m per run, shape (runs,), at least 2.
        exact: p_m, above 0.
        method: A name in `ESTIMATORS`.
        samples: N of each run.

    Returns:
        The columns exact to largest, and intervals and covered, of `compute`.
    """
    mean, spread = float(values.mean()), float(values.std(ddof=1))
    draws = samples * len(values)
    error = float(
        np.sqrt(exact * (1 - exact) / draws)
        if ESTIMATORS[method].binomial
        else spread / np.sqrt(len(values))
    )
    off = mean - exact
    certain = error <= ROUNDING * exact
    same = abs(off) <= ROUNDING * exact
    z = (np.nan if same else np.copysign(np.inf, off)) if certain else off / error
    covered = interval_covers(values, exact, method, samples)
    return {
        "exact": exact,
        "mean": mean,
        "bias": off / exact,
        "standard_error": error / exact,
        "z": z,
        "agrees": same or abs(z) < LARGEST_Z,
        "deviation": spread / exact,
        "largest": float(values.max()) / mean if mean else np.nan,
        "intervals": len(covered),
        "covered": int(covered.sum()),
    }


def interval_covers(
    values: Values, exact: float, method: str, samples: int, level: float = 0.95
) -> NDArray[np.bool_]:
    """Return which confidence intervals hold the exact value; each is made of `BATCHES` runs.

    As `workbench.affordance.Estimate` gives them. Runs that fill no whole interval are not used.

    Args:
        values: One estimate of p_m per run, shape (runs,).
        exact: p_m.
        method: A name in `ESTIMATORS`.
        samples: N of each run.
        level: The coverage wanted, in (0, 1).

    Returns:
        Shape (runs // BATCHES,).
    """
    batches = values[: len(values) // BATCHES * BATCHES].reshape(-1, BATCHES)
    # Of an estimate's other numbers the interval only asks that states were generated.
    found = [
        Estimate(
            *combined(row, method, samples), method, samples, BATCHES,
            depth=1, terminal="absorb", seed=0, node_count=1, skewness=skewness(row),
        )
        for row in batches.tolist()
    ]  # fmt: skip
    ends = np.array([each.interval(level) for each in found]).reshape(-1, 2)
    rounding = ROUNDING * exact
    return np.asarray((ends[:, 0] - rounding <= exact) & (exact <= ends[:, 1] + rounding))
