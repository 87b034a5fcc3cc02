"""Estimates of p_m with their standard errors, by any of the named estimators."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from workbench.affordance.confidence import binomial_interval, skewed_mean_interval
from workbench.affordance.engine import Engine, twin_for
from workbench.affordance.estimators import ESTIMATORS
from workbench.affordance.estimators.contract import Run
from workbench.automaton import Action, Automaton, Sink, State
from workbench.errors import InvalidArgumentError
from workbench.seeds import derived_seed
from workbench.terminal import Terminal, check_walk

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
            level: The coverage wanted, in (0, 1).

        Returns:
            Lower and upper end; NaN where there is no standard error, both the value where it is 0.

        Raises:
            InvalidArgumentError: If ``level`` is out of range.

        Source: see `workbench.affordance.confidence`.
        """
        if self.node_count and self.method in ESTIMATORS and ESTIMATORS[self.method].binomial:
            draws = self.samples * self.batches
            return binomial_interval(round(self.value * draws), draws, level)
        return skewed_mean_interval(
            self.value, self.standard_error, self.skewness, self.batches, level
        )


def estimate(
    automaton: Automaton[State, Action],
    walks: State | Sink,
    accepts: State | Sink,
    depth: int,
    *,
    method: str = "intermediate",
    samples: int = 500,
    batches: int = BATCHES,
    seed: int,
    terminal: Terminal = "absorb",
    engine: Engine | None = None,
) -> Estimate:
    """Estimate the chance that a line of m actions drawn from one state is accepted by the other.

    Precision p_m(S, T) has ``walks=T, accepts=S``; recall r_m(S, T) has ``walks=S, accepts=T``.

    Args:
        automaton: The environment of both states.
        walks: The state from which lines are drawn by uniform branching; the sink gives 0.
        accepts: The state in which they are tried; the sink gives 0.
        depth: The number of actions m, at least 1.
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
    """
    check_walk(depth, terminal)
    if method not in ESTIMATORS:
        raise InvalidArgumentError(f"expected a method of {list(ESTIMATORS)}, got {method!r}")
    for name, count in (("samples", samples), ("batches", batches)):
        if count < 1:
            raise InvalidArgumentError(f"expected {name} of at least 1, got {count!r}")
    if seed < 0:
        raise InvalidArgumentError(f"expected a seed of at least 0, got {seed!r}")
    if isinstance(walks, Sink) or isinstance(accepts, Sink):
        return Estimate(0.0, 0.0, method, samples, batches, depth, terminal, seed, 0)
    seeds = batch_seeds(seed, batches)
    runs = single_runs(automaton, walks, accepts, depth, method, samples, seeds, terminal, engine)
    values = [run.value for run in runs]
    value, error = combined(values, method, samples)
    nodes = sum(run.node_count for run in runs)
    return Estimate(
        value, error, method, samples, batches, depth, terminal, seed, nodes, skewness(values)
    )


def single_runs(
    automaton: Automaton[State, Action],
    walks: State,
    accepts: State,
    depth: int,
    method: str,
    samples: int,
    seeds: Sequence[int],
    terminal: Terminal = "absorb",
    engine: Engine | None = None,
) -> list[Run]:
    """Run an estimator once for each seed: the algorithm as it is printed.

    Args:
        automaton: The environment of both states.
        walks: The state from which lines are drawn.
        accepts: The state in which they are tried.
        depth: The number of actions m, at least 1.
        method: A name in `ESTIMATORS`.
        samples: N, at least 1.
        seeds: One a run, each at least 0.
        terminal: How a line that is finished before m actions counts.
        engine: As for `estimate`.
    """
    twin = twin_for(automaton, engine, walks, accepts)
    if twin is not None and method in twin.methods:
        found = twin.estimator_runs(method, walks, accepts, depth, samples, seeds, terminal)
        return [Run(value, nodes) for value, nodes in found]
    estimator = ESTIMATORS[method]
    return [
        estimator.run(
            automaton, walks, accepts, depth, samples, np.random.default_rng(seed), terminal
        )
        for seed in seeds
    ]


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


def combined(values: Sequence[float], method: str, samples: int) -> tuple[float, float]:
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
