"""Estimates of p_m with their standard errors, by any of the named estimators."""

import math
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

import numpy as np

from workbench.affordance.estimators.branch import Branch
from workbench.affordance.estimators.contract import Estimator
from workbench.affordance.estimators.intermediate import Intermediate
from workbench.affordance.estimators.naive import Naive
from workbench.affordance.terminal import Terminal, check_walk
from workbench.automaton import Action, Automaton, Sink, State
from workbench.errors import InvalidArgumentError

ESTIMATORS: Final = MappingProxyType[str, Estimator](
    {
        "naive": Naive(),
        "branch": Branch(),
        "intermediate": Intermediate("count"),
        "intermediate-mass": Intermediate("mass"),
    }
)
"""The estimators by name; `estimate` takes these names."""


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


def estimate(
    automaton: Automaton[State, Action],
    walks: State | Sink,
    accepts: State | Sink,
    depth: int,
    *,
    method: str = "intermediate",
    samples: int = 500,
    batches: int = 8,
    seed: int,
    terminal: Terminal = "absorb",
) -> Estimate:
    """Estimate the chance that a line of m actions drawn from one state is accepted by the other.

    Precision p_m(S, T) has ``walks=T, accepts=S``; recall r_m(S, T) has ``walks=S, accepts=T``.

    Args:
        automaton: The rules under which both states stand.
        walks: The state from which lines are drawn by uniform branching; the sink gives 0.
        accepts: The state in which they are tried; the sink gives 0.
        depth: The number of actions m, at least 1.
        method: A name in `ESTIMATORS`.
        samples: N of the paper, for each batch, at least 1. The paper uses 500.
        batches: Independent runs, at least 1; 1 is the algorithm as printed.
        seed: At least 0. The same seed gives the same estimate.
        terminal: How a line that is finished before m actions counts.

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
    estimator = ESTIMATORS[method]
    runs = [
        estimator.run(automaton, walks, accepts, depth, samples, generator, terminal)
        for generator in np.random.default_rng(seed).spawn(batches)
    ]
    values = np.array([run.value for run in runs])
    value = float(values.mean())
    if estimator.binomial:
        error = math.sqrt(value * (1 - value) / (samples * batches))
    elif batches > 1:
        error = float(values.std(ddof=1)) / math.sqrt(batches)
    else:
        error = math.nan
    nodes = sum(run.node_count for run in runs)
    return Estimate(value, error, method, samples, batches, depth, terminal, seed, nodes)
