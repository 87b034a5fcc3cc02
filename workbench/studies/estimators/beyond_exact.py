"""Comparison of estimators at a depth where the exact value takes too long."""

from collections.abc import Sequence
from typing import Final

import numpy as np
import pandas as pd

from workbench.affordance import Terminal
from workbench.seeds import derived_seed
from workbench.studies.estimators.against_exact import ROUNDING, timed_runs
from workbench.studies.estimators.bias_and_variance import check
from workbench.studies.estimators.chess_pairs import ComparisonPair

_COLUMNS: Final = [
    "pair", "method", "depth", "samples", "repeats", "reference", "reference_error", "mean", "bias",
    "z", "deviation", "node_count", "milliseconds",
]  # fmt: skip


def compute(
    pairs: Sequence[ComparisonPair],
    *,
    depth: int = 8,
    methods: Sequence[str] = ("branch", "intermediate", "stratified"),
    samples: int = 500,
    repeats: int = 200,
    reference_samples: int = 20_000,
    reference_runs: int = 16,
    terminal: Terminal = "absorb",
    workers: int | None = None,
    seed: int = 0,
) -> pd.DataFrame:
    """Compare estimators at a depth where the exact value takes too long, on near pairs.

    A long run of ``stratified``, independent of the other runs, replaces it.

    Args:
        pairs: From `workbench.studies.estimators.chess_pairs.pairs`; far ones are left aside.
        depth: m, at least 1.
        methods: Compiled estimators.
        samples: N of each run.
        repeats: Independent runs, at least 2.
        reference_samples: N of each run of the long run.
        reference_runs: Runs that make the long run, at least 2.
        terminal: How finished games count.
        workers: Threads, None for all cores.
        seed: Seed of all runs.

    Returns:
        Columns pair, method, depth, samples, repeats, reference, reference_error (its standard
        error), mean, bias, z (against both standard errors), deviation, node_count, milliseconds;
        errors, bias and deviation relative to the reference.

    Raises:
        InvalidArgumentError: If an argument is out of range.
    """
    methods = tuple(methods)
    check(pairs, (depth,), methods, min(repeats, reference_runs), 0)
    rows = []
    for index, pair in enumerate(pairs):
        if pair.kind != "near":
            continue
        seeds = [derived_seed(seed, index, "long run", depth, run) for run in range(reference_runs)]
        long, _, _ = timed_runs(
            "stratified", pair, depth, reference_samples, seeds, terminal, workers
        )
        reference = float(long.mean())
        reference_error = float(long.std(ddof=1) / np.sqrt(reference_runs))
        for method in methods:
            seeds = [derived_seed(seed, index, method, depth, run) for run in range(repeats)]
            values, nodes, elapsed = timed_runs(
                method, pair, depth, samples, seeds, terminal, workers
            )
            off, spread = float(values.mean()) - reference, float(values.std(ddof=1))
            error = float(np.hypot(spread / np.sqrt(repeats), reference_error))
            rows.append(
                {
                    "pair": index,
                    "method": method,
                    "depth": depth,
                    "samples": samples,
                    "repeats": repeats,
                    "reference": reference,
                    "reference_error": reference_error / reference,
                    "mean": float(values.mean()),
                    "bias": off / reference,
                    "z": off / error if error > ROUNDING * reference else np.nan,
                    "deviation": spread / reference,
                    "node_count": nodes,
                    "milliseconds": elapsed,
                }
            )
    return pd.DataFrame(rows, columns=_COLUMNS)


def summarise(table: pd.DataFrame) -> pd.DataFrame:
    """Return spread and time of each estimator, over pairs.

    Args:
        table: The result of `compute`.
    """
    found: pd.DataFrame = table.groupby(["depth", "method"], sort=False).agg(
        pairs=("pair", "count"),
        deviation_median=("deviation", "median"),
        deviation_high=("deviation", "max"),
        z_largest=("z", _largest_size),
        reference_error=("reference_error", "max"),
        node_count=("node_count", "median"),
        milliseconds=("milliseconds", "median"),
    )
    return found.reset_index()


def _largest_size(values: "pd.Series[float]") -> float:
    return float(values.abs().max())
