"""Time the reference and the compiled kernel on the same pairs; write README.md beside this file.

Run from the repository: ``python -m benchmarks``, some five minutes, with ``--quick`` a share, or
with ``--estimators`` the table of the estimators alone.
"""

import argparse
import os
import platform
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final

import chess
import numba
import numpy as np
from numpy.typing import NDArray

from benchmarks.older_kernel import older_and_newer, same_side
from benchmarks.pairs import KINDS, Pair, near_pairs, positions, unrelated_pairs
from workbench.affordance import exact_profile
from workbench.affordance.estimators.contract import Pair as EstimatorPair
from workbench.affordance.estimators.intermediate import Intermediate
from workbench.environments.chess import ChessAutomaton, ChessState
from workbench.environments.chess.kernel import kernel_functions as kernel
from workbench.environments.chess.kernel.kernel_functions import core_count
from workbench.seeds import derived_seed

SEED: Final = 2508
REPORT: Final = Path(__file__).with_name("README.md")
COVERAGE: Final = "## Coverage of 95% intervals over games"
"""Begins the sections whose tables other benchmarks print; they stay as they are."""
FIRST_CALL: Final = """
import time
from workbench.environments.chess.kernel import kernel_functions as kernel
state = kernel.pack_fens(["8/8/8/8/8/8/4P3/8 w - - 0 1"])
other = kernel.pack_fens(["8/8/8/8/8/4P3/8/8 w - - 0 1"])
start = time.process_time()
kernel.{call}
print(time.process_time() - start)
"""
CALLS: Final = {
    "exact": "joint_profiles(state, other, 4)",
    "estimators": 'run_estimators(other, state, 4, method="intermediate", samples=500, seeds=[1])',
}

ESTIMATORS: Final = ("intermediate", "intermediate-resampled", "stratified")
RUNS: Final = 400
SAMPLES: Final = 500

States = tuple[ChessState, ChessState]


def one_row_each(*pair: ChessState) -> list[kernel.Words]:
    """Return each state of a pair as rows of one."""
    return [kernel.pack_states([state]) for state in pair]


def states(pair: Pair) -> States:
    """Return the states of a pair of FENs."""
    return ChessState.from_fen(pair[0]), ChessState.from_fen(pair[1])


def seconds(call: Callable[[], object], repeats: int = 1) -> float:
    """Return the least time that a call took."""
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    return min(times)


def spread(times: list[float], unit: float, digits: int = 2) -> str:
    """Return median, least and most of some times as cells of a table."""
    values = np.array(times) / unit
    return " | ".join(f"{f(values):,.{digits}f}" for f in (np.median, np.min, np.max))


def against_reference(pairs: list[Pair]) -> list[str]:
    """Compare exact p and r to m = 4, and Algorithm 2, pair by pair."""
    automaton = ChessAutomaton()
    rows = []
    exact_reference, exact_compiled, printed_reference, printed_compiled = [], [], [], []
    for true, predicted in map(states, pairs):
        exact_reference.append(
            seconds(
                lambda t=true, p=predicted: exact_profile(
                    t, p, 4, automaton=automaton, engine="reference"
                )
            )
        )
        exact_compiled.append(
            seconds(lambda t=true, p=predicted: kernel.joint_profiles(*one_row_each(t, p), 4), 3)
        )
        generator = np.random.default_rng(SEED)
        printed_reference.append(
            seconds(
                lambda t=true, p=predicted, g=generator: Intermediate("count").run(
                    EstimatorPair(t, p, 4, automaton, absorb=True), 500, g
                )
            )
        )
        printed_compiled.append(
            seconds(
                lambda t=true, p=predicted: kernel.run_estimators(
                    *one_row_each(t, p), 4, method="intermediate", samples=500, seeds=[SEED]
                ),
                3,
            )
        )
    for name, reference, compiled in (
        ("exact p and r, m = 1..4", exact_reference, exact_compiled),
        ("Algorithm 2, m = 4, N = 500", printed_reference, printed_compiled),
    ):
        ratios = np.array(reference) / np.array(compiled)
        rows.append(
            f"| {name} | {np.median(reference) * 1e3:,.0f} | {np.median(compiled) * 1e3:.2f} | "
            f"{np.median(reference) / np.median(compiled):,.0f} | {np.median(ratios):,.0f} |"
        )
    return rows


def exact_rows(pairs: dict[str, list[Pair]], depth: int) -> list[str]:
    """Time exact p and r for each kind of pair and for all."""
    rows, by_kind = [], {}
    for kind, of_kind in pairs.items():
        by_kind[kind] = [
            seconds(
                lambda t=t, p=p: kernel.joint_profiles(*one_row_each(t, p), depth),
                3 if depth < 5 else 1,
            )
            for t, p in map(states, of_kind)
        ]
        rows.append(f"| {kind} | {depth} | {len(by_kind[kind])} | {spread(by_kind[kind], 1e-3)} |")
    # Where the side is changed nothing is shared, and the walk ends at its root.
    for name, without in (("near", {"unrelated"}), ("near, one side", {"unrelated", KINDS[-1]})):
        times = [t for kind, of_kind in by_kind.items() if kind not in without for t in of_kind]
        rows.append(f"| all {name} | {depth} | {len(times)} | {spread(times, 1e-3)} |")
    return rows


def table_rows(pairs: list[Pair], cores: int) -> list[str]:
    """Time the way from FEN strings to a table of p and r to m = 4."""
    rows = []
    took: dict[int, float] = {}
    for workers in sorted({1, min(2, cores)}):
        start = time.perf_counter()
        true = kernel.pack_fens([pair[0] for pair in pairs])
        predicted = kernel.pack_fens([pair[1] for pair in pairs])
        packed = time.perf_counter() - start
        kernel.joint_profiles(true, predicted, 4, workers=workers)
        took[workers] = time.perf_counter() - start
        rows.append(
            f"| {workers} | {len(pairs):,} | {took[workers]:.1f} | {packed:.2f} | "
            f"{took[1] / took[workers]:.2f} |"
        )
    return rows


def estimator_table(pairs: list[Pair]) -> str:
    """Compare spread and time of the weighted estimators on the same pairs, at m = 4 and 8."""
    rows, notes = [], []
    for depth in (4, 8):
        variances: dict[str, list[float]] = {name: [] for name in ESTIMATORS}
        times: dict[str, list[float]] = {name: [] for name in ESTIMATORS}
        references = []
        for true, predicted in map(states, pairs):
            reference = long_run(true, predicted, depth)
            found = {name: repeated_runs(name, true, predicted, depth) for name in ESTIMATORS}
            # Rounding alone leaves less than this. Ratios of what does not vary say nothing.
            if found["intermediate"][0].std() <= 1e-12:
                continue
            references.append(reference)
            for name, (values, took) in found.items():
                variances[name].append(values.var(ddof=1))
                times[name].append(took)
        notes.append(f"{len(references)} of {len(pairs)} at m = {depth}")
        for name in ESTIMATORS:
            relative = np.sqrt(variances[name]) / references * 100
            with np.errstate(divide="ignore"):
                less = np.array(variances["intermediate"]) / np.array(variances[name])
            ratios = np.array(times[name]) / np.array(times["intermediate"])
            rows.append(
                f"| {name} | {depth} | {np.median(relative):.2f} | {np.max(relative):.2f} | "
                f"{np.median(less):,.1f} | {np.median(times[name]) * 1e3:.3f} | "
                f"{np.median(ratios):.2f} |"
            )
    return f"""| estimator | m | relative standard deviation, median % | largest % | variance of Algorithm 2 / its own, median | median ms | its time / that of Algorithm 2, median |
| --- | --- | --- | --- | --- | --- | --- |
{chr(10).join(rows)}

{RUNS} runs on each pair, one thread. Relative to the exact p at m = 4, and at m = 8 to one run of `stratified` with
N = 200,000 and a separate seed. Pairs on which Algorithm 2 has no spread are left out; in most of them p is 0
because the side to move differs: {" and ".join(notes)} remain."""


def long_run(true: ChessState, predicted: ChessState, depth: int) -> float:
    """Return p_m, exact where that is soon done, else by a run of many samples."""
    if depth <= 4:
        return float(kernel.joint_profiles(*one_row_each(true, predicted), depth).precision[0, -1])
    found = kernel.run_estimators(
        *one_row_each(true, predicted), depth, method="stratified", samples=200_000,
        seeds=[derived_seed(SEED, "long run")],
    )  # fmt: skip
    return float(found.value[0])


def repeated_runs(
    name: str, true: ChessState, predicted: ChessState, depth: int
) -> tuple[NDArray[np.float64], float]:
    """Return the values of many runs on one pair, and the least seconds that one run took."""
    batches = np.split(np.arange(RUNS, dtype=np.uint64), 4)
    boards = [kernel.pack_states([state] * len(batches[0])) for state in (true, predicted)]
    values, times = [], []
    for seeds in batches:
        start = time.perf_counter()
        found = kernel.run_estimators(
            *boards, depth, method=name, samples=SAMPLES, seeds=seeds, workers=1
        )
        times.append((time.perf_counter() - start) / len(seeds))
        values.append(found.value)
    return np.concatenate(values), min(times)


def first_calls() -> list[str]:
    """Time the first call in a new process, with an empty cache folder and with a filled one."""
    rows = []
    for name, call in CALLS.items():
        empty, filled = [], []
        for _ in range(3):
            with tempfile.TemporaryDirectory() as folder:
                empty.append(_first_call(call, folder))
                filled.append(_first_call(call, folder))
        rows.append(f"| {name} | {min(empty):.1f} | {min(filled):.2f} |")
    return rows


def _first_call(call: str, folder: str) -> float:
    printed = subprocess.run(
        [sys.executable, "-c", FIRST_CALL.format(call=call)],
        env={**os.environ, "NUMBA_CACHE_DIR": folder},
        check=True, text=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
    ).stdout  # fmt: skip
    return float(printed)


def import_seconds() -> float:
    """Return the least time of ``import workbench`` in a new process, less that of Python."""

    def once(code: str) -> float:
        return seconds(lambda: subprocess.run([sys.executable, "-c", code], check=True), 5)

    return once("import workbench, workbench.environments.chess.kernel") - once("pass")


def main() -> None:
    """Measure everything and write the report."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a tenth of the pairs, no report")
    parser.add_argument(
        "--estimators", action="store_true", help="the table of the estimators alone, no report"
    )
    options = parser.parse_args()
    share = 10 if options.quick else 1
    cores = core_count()
    fens, source = positions(7_000 // share, SEED)
    near = near_pairs(fens[: 6_000 // share], SEED)
    in_turn = [pair for group in zip(*near.values(), strict=False) for pair in group]
    unrelated = unrelated_pairs(fens[6_000 // share :])
    kernel.joint_profiles(*one_row_each(*states(in_turn[0])), 2)
    kernel.run_estimators(
        *one_row_each(*states(in_turn[0])), 2, method="branch", samples=10, seeds=[SEED]
    )
    if options.estimators:
        print(estimator_table(in_turn[: 60 // share]))
        return

    def some(count: int) -> dict[str, list[Pair]]:
        chosen = {kind: pairs[: max(1, count // share)] for kind, pairs in near.items()}
        return {**chosen, "unrelated": unrelated[: max(1, count // share)]}

    many = [pair for pairs in near.values() for pair in pairs][: 5_000 // share]
    report = f"""# Benchmarks

`make bench` (`python -m benchmarks`) times the reference (python-chess's move generator with the generic walk)
and the compiled kernel on the same pairs, in one run, and writes this page. The pairs come from {source}, cut after 5, 16, 27, 38
and 50 full moves. A *near* pair differs by one piece {", ".join(KINDS[:4])}, by the castling rights or
by the side to move; an *unrelated* pair has two positions of different games. Single-pair times include
packing the states.

Measured on {cores} cores, Python {platform.python_version()}, numba {numba.__version__}, chess {chess.__version__}.

## Reference and compiled, near pairs

| operation | reference, median ms | compiled, median ms | ratio of medians | median of ratios |
| --- | --- | --- | --- | --- |
{chr(10).join(against_reference(in_turn[: 24 // share]))}

## Older kernel and this one, exact p and r, near pairs with the same side to move

{older_and_newer(same_side(near), share=share)}

## Exact p and r

| pairs | m | number | median ms | minimum | maximum |
| --- | --- | --- | --- | --- | --- |
{chr(10).join(exact_rows(some(100), 4))}
{chr(10).join(exact_rows(some(25), 5))}
{chr(10).join(exact_rows(some(5), 6))}

## Stratified against intermediate, near pairs, N = {SAMPLES}

{estimator_table(in_turn[: 60 // share])}

## From FEN strings to a table of p and r, m = 1..4, near pairs

| threads | pairs | seconds | of which packing the FENs | speed-up over one thread |
| --- | --- | --- | --- | --- |
{chr(10).join(table_rows(many, cores))}

## Start-up time

`import workbench, workbench.environments.chess.kernel`: {import_seconds():.2f} s. The first call, which imports numba, in
seconds of the processor, the least of three:

| operation | empty cache, s | filled cache, s |
| --- | --- | --- |
{chr(10).join(first_calls())}
"""
    print(report)
    if share == 1:
        _, title, rest = REPORT.read_text(encoding="utf-8").partition(COVERAGE)
        REPORT.write_text(f"{report.rstrip()}\n\n{title}{rest}".rstrip() + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
