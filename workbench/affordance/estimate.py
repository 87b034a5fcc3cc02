"""Estimates of p_m by any of the named estimators, with standard errors and confidence intervals."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, Literal, TypeVar, get_args

import numpy as np

from workbench.affordance.estimators import ESTIMATORS
from workbench.affordance.estimators.contract import Pair, Run
from workbench.automaton import (
    Action,
    Automaton,
    Engine,
    Sink,
    State,
    Terminal,
    check_walk,
    twin_for,
)
from workbench.errors import InvalidArgumentError
from workbench.seeds import derived_seed


# Runs that count accepted lines have the same few counts again and again.
@lru_cache(maxsize=1 << 12)
def binomial_interval(accepted: int, draws: int, level: float = 0.95) -> tuple[float, float]:
    """Return the mid-P interval of a chance, from independent yes-or-no draws.

    Where few draws are expected to be accepted, every interval that depends on the count alone
    holds the chance in steps: this one at 95% from 91.7% (where three are expected) to always.

    Args:
        accepted: Draws that were accepted, from 0 to ``draws``.
        draws: At least 1.
        level: The nominal coverage, in (0, 1).

    Returns:
        Lower and upper end, 0 where no draw and 1 where every draw was accepted.

    Raises:
        InvalidArgumentError: If an argument is out of range.

    Source: Berry and Armitage (1995), doi:10.2307/2348891.
    """
    # scipy.stats takes longer to import than everything else that the package needs at first.
    from scipy.optimize import brentq
    from scipy.stats import binom

    check_level(level)
    if not 0 <= accepted <= draws or draws < 1:
        raise InvalidArgumentError(
            f"expected 0 to {draws!r} accepted of at least 1 draw, got {accepted!r}"
        )
    tail = (1 - level) / 2

    def above(chance: float) -> float:
        half = 0.5 * float(binom.pmf(accepted, draws, chance))
        return float(binom.sf(accepted, draws, chance)) + half

    low = 0.0 if accepted == 0 else brentq(lambda p: above(p) - tail, 0.0, 1.0, xtol=1e-14)
    high = 1.0 if accepted == draws else brentq(lambda p: above(p) - 1 + tail, 0.0, 1.0, xtol=1e-14)
    return float(low), float(high)


def skewed_mean_interval(
    value: float, standard_error: float, skewness: float, count: int, level: float = 0.95
) -> tuple[float, float]:
    """Return the interval of a mean of independent values that may be skewed.

    Student's t, transformed so that the skewness of the values, as it was found, has no part in
    it: weighted estimates have rare large values, and the symmetrical interval is then too short
    above.

    Args:
        value: The mean.
        standard_error: Of the mean, from the spread of the values.
        skewness: Of the values; NaN, as of fewer than three, leaves Student's interval.
        count: How many values there were, at least 1.
        level: The nominal coverage, in (0, 1).

    Returns:
        Lower and upper end; both the value where the standard error is 0, NaN where it is NaN.

    Raises:
        InvalidArgumentError: If ``level`` is out of range.

    Source: Hall (1992), the cubic transformation, doi:10.1111/j.2517-6161.1992.tb01872.x.
    """
    from scipy.stats import t as student

    check_level(level)
    if math.isnan(standard_error):
        return math.nan, math.nan
    if standard_error == 0.0:
        return value, value
    quantile = float(student.ppf((1 + level) / 2, count - 1))
    low, high = (_untransformed(sign * quantile, skewness, count) for sign in (1, -1))
    return value - low * standard_error, value - high * standard_error


def _untransformed(quantile: float, skewness: float, count: int) -> float:
    """Return the standardised distance of the mean whose transform is ``quantile``."""
    if math.isnan(skewness) or abs(skewness) < 1e-6:
        return quantile
    root = math.sqrt(count)
    inner = 1 + skewness * (quantile / root - skewness / (6 * count))
    return 3 * root * (math.cbrt(inner) - 1) / skewness


def check_level(level: float) -> None:
    """Refuse a coverage that is none.

    Raises:
        InvalidArgumentError: If ``level`` is not in (0, 1).
    """
    if not 0 < level < 1:
        raise InvalidArgumentError(f"expected a level in (0, 1), got {level!r}")


Measure = Literal["precision", "recall"]
_State = TypeVar("_State")

BATCHES: Final = 32
"""Independent runs per estimate, enough for the nominal coverage of 95% intervals."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """An estimate of p_m.

    Attributes:
        value: The mean over the batches.
        standard_error: Of ``value``: binomial for independent draws, else from the spread of the
            batches; NaN for a single batch of an estimator whose spread one run does not show.
        method: The estimator's name.
        samples: N, the lines kept at most in each batch.
        batches: Independent runs.
        depth: m.
        terminal: How finished lines were counted.
        seed: What the random draws came from.
        node_count: States generated, over all batches.
        skewness: Of the batches, which corrects the interval; NaN for fewer than three, or where
            nothing is random.
    """

    value: float
    standard_error: float
    method: str
    samples: int
    batches: int
    depth: int
    terminal: Terminal
    seed: int
    node_count: int
    skewness: float = math.nan

    def interval(self, level: float = 0.95) -> tuple[float, float]:
        """Return a confidence interval for p_m.

        The mid-P interval for independent draws, else Student's t over the batches with their
        skewness taken out. Neither end is cut off at 0 or 1.

        Args:
            level: The nominal coverage, in (0, 1).

        Returns:
            Lower and upper end; NaN where there is no standard error, both the value where it is 0.

        Raises:
            InvalidArgumentError: If ``level`` is out of range.

        Source: see `workbench.affordance.estimate`.
        """
        if self.node_count and self.method in ESTIMATORS and ESTIMATORS[self.method].binomial:
            draws = self.samples * self.batches
            return binomial_interval(round(self.value * draws), draws, level)
        return skewed_mean_interval(
            self.value, self.standard_error, self.skewness, self.batches, level
        )


def estimate(
    true: State | Sink,
    predicted: State | Sink,
    depth: int,
    *,
    automaton: Automaton[State, Action],
    measure: Measure = "precision",
    method: str = "intermediate",
    samples: int = 500,
    batches: int = BATCHES,
    seed: int,
    terminal: Terminal = "absorb",
    engine: Engine | None = None,
) -> Estimate:
    """Estimate p_m, the chance that the true state accepts a line drawn from the predicted one.

    Args:
        true: The true state S; the sink gives 0.
        predicted: The predicted state T; the sink gives 0.
        depth: The number of actions m, at least 1.
        automaton: The automaton of both states.
        measure: ``precision``; or ``recall``, that is precision with the two states exchanged.
        method: A name in `ESTIMATORS`.
        samples: N of the paper, for each batch, at least 1. The paper uses 500.
        batches: Independent runs, at least 1; 1 is the algorithm as printed. With fewer than the
            default the intervals of skewed estimates hold p_m too rarely.
        seed: At least 0. The same seed gives the same estimate on the same engine.
        terminal: How a line that is finished before m actions counts.
        engine: ``reference`` or ``compiled``, as for `exact_profile`. The two draw other random
            numbers, from the same distribution.

    Raises:
        InvalidArgumentError: If an argument is out of range or the method unknown.

    Example:
        >>> import workbench
        >>> true = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
        >>> predicted = true.replace("/RN", "/R1")
        >>> recall = workbench.estimate(true, predicted, 4, measure="recall", seed=0)
        >>> round(recall.value, 1)
        0.8
    """
    check_walk(depth, terminal)
    if method not in ESTIMATORS:
        raise InvalidArgumentError(f"expected a method of {list(ESTIMATORS)}, got {method!r}")
    for name, count in (("samples", samples), ("batches", batches)):
        if count < 1:
            raise InvalidArgumentError(f"expected {name} of at least 1, got {count!r}")
    if seed < 0:
        raise InvalidArgumentError(f"expected a seed of at least 0, got {seed!r}")
    true, predicted = in_order(true, predicted, measure)
    if isinstance(true, Sink) or isinstance(predicted, Sink):
        return Estimate(0.0, 0.0, method, samples, batches, depth, terminal, seed, 0)
    seeds = batch_seeds(seed, batches)
    runs = single_runs(
        true,
        predicted,
        depth,
        automaton=automaton,
        method=method,
        samples=samples,
        seeds=seeds,
        terminal=terminal,
        engine=engine,
    )
    values = [run.value for run in runs]
    value, error = mean_and_error(values, method, samples)
    nodes = sum(run.node_count for run in runs)
    return Estimate(
        value, error, method, samples, batches, depth, terminal, seed, nodes, skewness(values)
    )


def single_runs(
    true: State,
    predicted: State,
    depth: int,
    *,
    automaton: Automaton[State, Action],
    method: str,
    samples: int,
    seeds: Sequence[int],
    terminal: Terminal = "absorb",
    engine: Engine | None = None,
) -> list[Run]:
    """Run an estimator once for each seed: the algorithm as it is printed.

    Args:
        true: The state in which lines are tried.
        predicted: The state from which they are drawn.
        depth: The number of actions m, at least 1.
        automaton: The automaton of both states.
        method: A name in `ESTIMATORS`.
        samples: N, at least 1.
        seeds: One a run, each at least 0.
        terminal: How a line that is finished before m actions counts.
        engine: As for `estimate`.

    Raises:
        InvalidArgumentError: If an estimator of another package returns something else than a `Run`.
    """
    twin = twin_for(automaton, engine, true, predicted)
    if twin is not None and method in twin.methods:
        one, other = (
            np.repeat(twin.packed([state]), len(seeds), axis=0) for state in (true, predicted)
        )
        values, nodes = twin.estimates(
            one,
            other,
            depth,
            method=method,
            samples=samples,
            seeds=seeds,
            terminal=terminal,
            workers=1,
        )
        return list(map(Run, values.tolist(), nodes.tolist()))
    pair = Pair(true, predicted, depth, automaton, terminal == "absorb")
    estimator = ESTIMATORS[method]
    runs = [estimator.run(pair, samples, np.random.default_rng(seed)) for seed in seeds]
    for run in runs:
        if not isinstance(run, Run) or not run.value >= 0:
            raise InvalidArgumentError(
                f"estimator {method!r}: expected a Run with a value of at least 0, got {run!r:.80}"
            )
    return runs


def in_order(true: _State, predicted: _State, measure: Measure) -> tuple[_State, _State]:
    """Return the two states in the order whose precision is the measure.

    Args:
        true: The true state.
        predicted: The predicted state.
        measure: ``precision`` leaves the order as it is, ``recall`` exchanges the two.

    Raises:
        InvalidArgumentError: If the measure is neither.
    """
    if measure not in get_args(Measure):
        raise InvalidArgumentError(f"expected a measure of {get_args(Measure)}, got {measure!r}")
    return (true, predicted) if measure == "precision" else (predicted, true)


def batch_seeds(seed: int, batches: int) -> list[int]:
    """Return the seeds of the independent batches of an estimate."""
    return [derived_seed(seed, "batch", batch) for batch in range(batches)]


def skewness(values: Sequence[float]) -> float:
    """Return the skewness of independent values, without its bias; NaN where it is undefined.

    Args:
        values: One estimate of p_m per batch.
    """
    count = len(values)
    deviations = np.asarray(values) - np.mean(values)
    second = float((deviations**2).mean())
    # What rounding leaves of equal values has no shape.
    if count < 3 or second <= (1e-12 * float(np.mean(values))) ** 2:
        return math.nan
    biased = float((deviations**3).mean()) / math.pow(second, 1.5)
    return biased * math.sqrt(count * (count - 1)) / (count - 2)


def mean_and_error(values: Sequence[float], method: str, samples: int) -> tuple[float, float]:
    """Return the mean of independent batches, and its standard error.

    Args:
        values: One estimate of p_m per batch.
        method: A name in `ESTIMATORS`.
        samples: N of each batch.
    """
    value = float(np.mean(values))
    if ESTIMATORS[method].binomial:
        return value, math.sqrt(value * (1 - value) / (samples * len(values)))
    if len(values) > 1:
        return value, float(np.std(values, ddof=1)) / math.sqrt(len(values))
    return value, math.nan
