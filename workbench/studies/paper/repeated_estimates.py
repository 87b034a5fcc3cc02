"""Repeated measurements of one pair of boards: the exact value and the spread of estimators."""

from collections.abc import Iterable, Sequence
from itertools import product

import pandas as pd

from workbench.affordance import Terminal, exact_profile
from workbench.affordance.estimate import single_runs
from workbench.environments.registry import environment_named
from workbench.seeds import derived_seed


def repeated_estimates(
    true_fen: str,
    predicted_fen: str,
    settings: Iterable[tuple[int, int]],
    *,
    methods: Sequence[str],
    runs: int,
    exact_depth: int,
    seed: int,
    terminal: Terminal,
) -> pd.DataFrame:
    """Return estimates of p_m and r_m from independent single runs, with the exact values beside them.

    r_m is p_m with the boards exchanged, so that the same methods estimate it.

    Args:
        true_fen: The board S.
        predicted_fen: The board T.
        settings: Pairs (depth m, samples N) to run each method at.
        methods: Names in `workbench.affordance.ESTIMATORS`.
        runs: Independent runs of each method at each setting.
        exact_depth: The exact p_1 .. and r_1 .. are given up to this depth.
        seed: At least 0; every run's own seed is derived from it.
        terminal: How games that finish earlier count.

    Returns:
        Columns method, depth, samples, run, value, node_count, measure (``precision``, and below it
        ``recall``); ``exact`` has samples and run 0.
    """
    chess = environment_named("chess")
    true, predicted = (chess.read_state(fen) for fen in (true_fen, predicted_fen))
    exact = exact_profile(
        true, predicted, exact_depth, automaton=chess.automaton, terminal=terminal
    )
    settings = list(settings)
    rows: list[tuple[str, int, int, int, float, int, str]] = []
    for measure, values, boards, own in (
        ("precision", exact.precision, (true, predicted), ()),
        ("recall", exact.recall, (predicted, true), ("recall",)),
    ):
        rows += [
            ("exact", m, 0, 0, value, exact.node_count, measure)
            for m, value in enumerate(values, start=1)
        ]
        for (depth, samples), method in product(settings, methods):
            seeds = [derived_seed(seed, *own, method, depth, samples, run) for run in range(runs)]
            estimates = single_runs(
                *boards, depth, automaton=chess.automaton, method=method, samples=samples,
                seeds=seeds, terminal=terminal,
            )  # fmt: skip
            rows += [
                (method, depth, samples, run, estimate.value, estimate.node_count, measure)
                for run, estimate in enumerate(estimates)
            ]
    columns = ["method", "depth", "samples", "run", "value", "node_count", "measure"]
    return pd.DataFrame(rows, columns=columns)


def summarise_estimates(table: pd.DataFrame, by: str) -> pd.DataFrame:
    """Return bias and spread of each method, relative to the exact value.

    Args:
        table: The result of `repeated_estimates`.
        by: ``depth`` or ``samples``.

    Returns:
        Columns measure, depth, samples, method, exact, mean, bias, spread, zeros (share of runs that
        gave 0) and runs; exact, bias and spread are NaN where the exact value was not computed.
    """
    exact = table[table["method"] == "exact"].rename(columns={"value": "exact"})
    estimates = table[table["method"] != "exact"]
    estimates = estimates.assign(zero=estimates["value"] == 0)
    summary = (
        estimates.groupby(["measure", "depth", "samples", "method"], sort=False)
        .agg(
            mean=("value", "mean"),
            deviation=("value", "std"),
            zeros=("zero", "mean"),
            runs=("run", "count"),
        )
        .reset_index()
        .merge(exact[["measure", "depth", "exact"]], how="left")
        .sort_values(["measure", by, "method"], kind="stable")
    )
    summary["bias"] = summary["mean"] / summary["exact"] - 1
    summary["spread"] = summary["deviation"] / summary["exact"]
    columns = [
        "measure", "depth", "samples", "method", "exact", "mean", "bias", "spread", "zeros", "runs",
    ]  # fmt: skip
    return summary[columns].reset_index(drop=True)
