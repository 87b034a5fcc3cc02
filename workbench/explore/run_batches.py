"""Runs of the estimators on one pair of boards in small batches, and the reference value."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from time import perf_counter, thread_time
from typing import Any, Final, get_args

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from workbench.affordance import ESTIMATORS, measure
from workbench.affordance.estimate import Measure, in_order, single_runs
from workbench.automaton import Sink, twin_for
from workbench.environments.chess import ChessAutomaton, ChessState
from workbench.errors import InvalidArgumentError
from workbench.explore.board_reading import REFERENCE_SLOWDOWN, read_board, same_lines
from workbench.scoring.parameters import ComparisonSettings
from workbench.seeds import derived_seed

DEEPEST: Final = 20
MOST_SAMPLES: Final = 100_000
MOST_REPEATS: Final = 10_000
BATCH_SECONDS: Final = 0.05
"""Duration of one batch: short enough that stopping feels immediate."""

EXACT_BUDGET: Final = 25_000_000
"""Joint nodes above the last ply that the exact line may cost, at most about two seconds."""

RELATIVE_ERROR: Final = 0.0005
"""Relative standard error wanted of the line where it is not exact."""

_ROUNDING: Final = 1e-12
"""The share of the largest value by which rounding may move sums and means of runs."""

_CHESS: Final = ChessAutomaton()


@dataclass(frozen=True, slots=True, kw_only=True)
class RunSettings(ComparisonSettings):
    """What is run, compared as `ComparisonSettings` say; their depth is at most `DEEPEST`.

    Attributes:
        true_fen: The true board S.
        predicted_fen: The predicted board T; blank if there is none.
        samples: N of each run, 1 to `MOST_SAMPLES`.
        repeats: Independent runs of each estimator, 1 to `MOST_REPEATS`.
        seed: At least 0.
        measure: ``precision`` (lines drawn from T, tried in S) or ``recall`` (the reverse).
        methods: Names in `workbench.affordance.ESTIMATORS`.
    """

    true_fen: str
    predicted_fen: str
    samples: int = 500
    repeats: int = 200
    seed: int = 0
    measure: Measure = "precision"
    methods: tuple[str, ...] = tuple(ESTIMATORS)

    def __post_init__(self) -> None:
        ComparisonSettings.__post_init__(self)
        for name, least, most in (
            ("depth", 1, DEEPEST),
            ("samples", 1, MOST_SAMPLES),
            ("repeats", 1, MOST_REPEATS),
            ("seed", 0, 2**53),
        ):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
                raise InvalidArgumentError(
                    f"expected {name} as a whole number from {least} to {most}, got {value!r}"
                )
        if self.measure not in get_args(Measure):
            raise InvalidArgumentError(
                f"expected a measure of {get_args(Measure)}, got {self.measure!r}"
            )
        if unknown := [name for name in self.methods if name not in ESTIMATORS]:
            raise InvalidArgumentError(f"expected methods of {list(ESTIMATORS)}, got {unknown}")

    @classmethod
    def from_page(cls, values: Mapping[str, Any]) -> "RunSettings":
        """Return the settings that a page sends."""
        try:
            return cls(**{**values, "methods": tuple(values["methods"])})
        except (KeyError, TypeError) as error:
            raise InvalidArgumentError(f"expected settings of runs, got {values!r}") from error

    def states(self) -> tuple[ChessState | Sink, ChessState | Sink]:
        """Return the true and the predicted state."""
        true = read_board(self.true_fen, "true").fen.state
        return true, read_board(self.predicted_fen, "predicted").state(self.ill_formed)


@dataclass(frozen=True, slots=True)
class Reference:
    """The value p_m or r_m that the runs aim at, with its 95% interval.

    It may be exact, or nothing to sample (not runnable); the reason says how it was obtained.
    """

    value: float
    standard_error: float
    low: float
    high: float
    exact: bool
    runnable: bool
    reason: str


def _exact(value: float, reason: str, *, runnable: bool = True) -> Reference:
    return Reference(value, 0.0, value, value, True, runnable, reason)


@dataclass(frozen=True, slots=True)
class Batch:
    """Consecutive runs of one estimator: estimates, states generated, and the time of one core."""

    values: tuple[float, ...]
    node_counts: tuple[int, ...]
    milliseconds: float
    first: int = 0

    def continued(self, batch: "Batch") -> "Batch":
        """Return these runs, which are the first ones, up to where a batch begins, and the batch."""
        count = batch.first
        if count > len(self.values):
            raise InvalidArgumentError(
                f"expected runs that begin from 0 to {len(self.values)}, got {count}; "
                "Reset begins anew"
            )
        return Batch(
            self.values[:count] + batch.values,
            self.node_counts[:count] + batch.node_counts,
            self.milliseconds * count / max(len(self.values), 1) + batch.milliseconds,
        )


def reference(settings: RunSettings) -> Reference:
    """Return the reference value of the runs: exact where that is fast, else measured."""
    true, predicted = settings.states()
    if isinstance(true, Sink) or isinstance(predicted, Sink):
        reason = "there is no predicted state, so the value is 0 and there is nothing to sample"
        return _exact(0.0, reason, runnable=False)
    if settings.terminal == "absorb" and same_lines(true, predicted):
        return _exact(1.0, "exact: both boards permit the same lines")
    compiled = twin_for(_CHESS, None, true, predicted) is not None
    budget = EXACT_BUDGET // (1 if compiled else REFERENCE_SLOWDOWN)
    measured = measure(
        true,
        predicted,
        settings.depth,
        automaton=_CHESS,
        relative_error=RELATIVE_ERROR,
        budget=budget,
        seed=derived_seed(settings.seed, "reference"),
        terminal=settings.terminal,
    )
    aim = measured.precision if settings.measure == "precision" else measured.recall
    if measured.how == "exact":
        return _exact(aim.value, measured.reason)
    low, high = max(aim.interval()[0], 0.0), min(aim.interval()[1], 1.0)
    return Reference(aim.value, aim.standard_error, low, high, False, True, measured.reason)


def next_batches(
    settings: RunSettings, done: Mapping[str, int], seconds: float = BATCH_SECONDS
) -> dict[str, Batch]:
    """Continue the runs of the estimators, those with the fewest runs first.

    At least one run is made if any is left, however long it takes. ``done`` has the finished runs of
    each estimator; none if it is not named.
    """
    true, predicted = settings.states()
    if isinstance(true, Sink) or isinstance(predicted, Sink):
        return {}
    states = in_order(true, predicted, settings.measure)
    behind = {method: done.get(method, 0) for method in settings.methods}
    if not all(type(count) is int and count >= 0 for count in behind.values()):
        raise InvalidArgumentError(f"expected counts of runs of at least 0, got {behind!r}")
    order = sorted(
        (method for method, count in behind.items() if count < settings.repeats),
        key=lambda method: behind[method],
    )
    for method in order:
        _warm_up(method)
    start = perf_counter()
    batches: dict[str, Batch] = {}
    for place, method in enumerate(order):
        left = seconds - (perf_counter() - start)
        if batches and left <= 0:
            break
        share = left / (len(order) - place)
        batches[method] = _runs(settings, method, *states, behind[method], share)
    return batches


def all_runs(settings: RunSettings) -> pd.DataFrame:
    """Return all the runs that a page with these settings ends up with."""
    rows = []
    counts: dict[str, int] = dict.fromkeys(settings.methods, 0)
    while batches := next_batches(settings, counts, seconds=1.0):
        for method, batch in batches.items():
            numbers = range(batch.first, batch.first + len(batch.values))
            rows += [
                (method, *row) for row in zip(numbers, batch.values, batch.node_counts, strict=True)
            ]
            counts[method] += len(batch.values)
    table = pd.DataFrame(rows, columns=["method", "run", "value", "node_count"])
    table["method"] = pd.Categorical(table["method"], list(settings.methods), ordered=True)
    return table.sort_values(["method", "run"], ignore_index=True).astype({"method": str})


def summarise(
    values: ArrayLike, node_counts: ArrayLike, aim: Reference, samples: int, method: str
) -> dict[str, Any]:
    """Return mean, bias and spread of an estimator's single runs; see `summarise_runs`."""
    runs = np.asarray(values, dtype=float)
    count = len(runs)
    mean = float(runs.mean()) if count else np.nan
    bias = mean - aim.value
    deviation = float(runs.std(ddof=1)) if count > 1 else np.nan
    noise = _ROUNDING * float(np.abs(runs).max(initial=0.0))
    if deviation <= noise:
        deviation = 0.0
    if aim.standard_error == 0 and abs(bias) <= noise:
        bias = 0.0
    variance = deviation**2 / max(count, 1)
    if ESTIMATORS[method].binomial and count:
        variance = aim.value * (1 - aim.value) / (samples * count)
    return {
        "method": method,
        "runs": count,
        "mean": mean,
        "bias": bias,
        "standard_error": float(np.sqrt(np.maximum(variance, 0.0) + aim.standard_error**2)),
        "standard_deviation": deviation,
        "zeros": int((runs == 0).sum()),
        "node_count": float(np.mean(np.asarray(node_counts))) if count else np.nan,
    }


def summarise_runs(
    runs: pd.DataFrame, aim: Reference, samples: int, methods: tuple[str, ...]
) -> pd.DataFrame:
    """Return mean, bias and spread of each estimator's single runs.

    The standard error of the bias comes from the spread of the runs; that of ``branch``, whose
    runs count accepted lines, from the binomial law at the value aimed at, because runs that all
    give 0 show no spread. Spread and bias that rounding explains are 0. Where the value aimed at is
    estimated, its own error is added in squares.

    Returns:
        Columns method, runs, mean, bias, standard_error (of the bias), standard_deviation (of one
        run), zeros (runs that gave 0) and node_count (mean). Undefined values are NaN.
    """
    parts = {method: runs[runs["method"] == method] for method in methods}
    rows = [
        summarise(part["value"].tolist(), part["node_count"].tolist(), aim, samples, method)
        for method, part in parts.items()
    ]
    return pd.DataFrame(rows)


def _runs(
    settings: RunSettings,
    method: str,
    true: ChessState,
    predicted: ChessState,
    first: int,
    seconds: float,
) -> Batch:
    """Run one estimator for about this long, at least once."""
    values: list[float] = []
    nodes: list[int] = []
    start, worked = perf_counter(), thread_time()
    size = 1
    while True:
        numbers = range(first + len(values), min(first + len(values) + size, settings.repeats))
        seeds = [derived_seed(settings.seed, method, number) for number in numbers]
        for run in single_runs(
            true, predicted, settings.depth, automaton=_CHESS, method=method,
            samples=settings.samples, seeds=seeds, terminal=settings.terminal,
        ):  # fmt: skip
            values.append(run.value)
            nodes.append(run.node_count)
        elapsed = perf_counter() - start
        left = settings.repeats - first - len(values)
        size = min(left, int((seconds - elapsed) * len(values) / elapsed))
        if size < 1:
            milliseconds = 1000 * (thread_time() - worked)
            return Batch(tuple(values), tuple(nodes), milliseconds, first)


@cache
def _warm_up(method: str) -> None:
    """Run an estimator once, so that no time is measured while machine code is loaded."""
    start = _CHESS.initial
    single_runs(start, start, 1, automaton=_CHESS, method=method, samples=1, seeds=[0])
