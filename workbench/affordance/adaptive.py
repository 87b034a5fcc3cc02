"""Precision and recall to a target error: exact where that is cheap, else by sampling.

Random probes (Knuth) estimate the size of the joint tree before it is walked. A tree that is too
large is estimated by batches of the stratified sampler until the relative standard error is small
enough or the budget is spent. This is the adaptive stopping criterion that arXiv 2508.19851 names
as future work. Source of the probes: Knuth (1975), doi:10.1090/S0025-5718-1975-0373371-6.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Final, Literal, get_args

import numpy as np

from workbench.affordance.estimate import Estimate, Measure, estimate
from workbench.affordance.profile import exact_profile
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

METHOD: Final = "stratified"
FEWEST_SAMPLES: Final = 32
PROBES: Final = 64


@dataclass(frozen=True, slots=True)
class Measurement:
    """Precision and recall at depth m, how they were obtained, and why.

    Attributes:
        precision: p_m; its standard error is 0 where it is exact.
        recall: r_m, likewise.
        how: ``exact``, ``estimated`` to the target error, or ``budget``: the budget was spent
            first.
        reason: The reason in words, with the deciding numbers.
        expected_nodes: Joint nodes that an exact walk was expected to visit.
        node_count: States generated in all.
    """

    precision: Estimate
    recall: Estimate
    how: Literal["exact", "estimated", "budget"]
    reason: str
    expected_nodes: float
    node_count: int


def expected_joint_nodes(
    true: State,
    predicted: State,
    depth: int,
    *,
    automaton: Automaton[State, Action],
    seed: int,
    probes: int = PROBES,
    engine: Engine | None = None,
) -> float:
    """Estimate how many joint nodes above the last ply an exact walk visits.

    The last ply is counted in bulk and is left out. Unbiased: every probe goes down one random
    branch and multiplies up the branchings on its way.

    Args:
        true: The true state S.
        predicted: The predicted state T.
        depth: The number of actions m, at least 1.
        automaton: The automaton of both states.
        seed: Seed of the probes.
        probes: Random branches to look at, at least 1.
        engine: As for `workbench.affordance.estimate.estimate`.
    """
    twin = twin_for(automaton, engine, true, predicted)
    if twin is not None:
        return twin.expected_joint_nodes(true, predicted, depth, probes, seed)
    generator = np.random.default_rng(seed)
    total = 0.0
    for _ in range(probes):
        one, other, size = true, predicted, 1.0
        for _ in range(depth - 1):
            allowed = frozenset(automaton.permitted(one))
            common = [action for action in automaton.permitted(other) if action in allowed]
            if not common:
                break
            size *= len(common)
            total += size
            action = common[int(generator.integers(len(common)))]
            one, other = automaton.successor(one, action), automaton.successor(other, action)
    return total / probes


def estimate_to_error(
    true: State,
    predicted: State,
    depth: int,
    *,
    automaton: Automaton[State, Action],
    measure: Measure = "precision",
    relative_error: float,
    budget: float,
    seed_for: Callable[[int], int],
    terminal: Terminal,
    engine: Engine | None = None,
) -> tuple[Estimate, bool, int]:
    """Estimate p_m with twice as many samples each time, until it reaches the target error.

    Args:
        true: The true state S.
        predicted: The predicted state T.
        depth: The number of actions m, at least 1.
        automaton: The automaton of both states.
        measure: ``precision``; or ``recall``, that is precision with the two states exchanged.
        relative_error: The target relative standard error, above 0.
        budget: States after which no further estimate is made.
        seed_for: The seed of the estimate with so many samples.
        terminal: How a game that finishes earlier counts.
        engine: As for `workbench.affordance.estimate.estimate`.

    Returns:
        The last estimate, whether it reaches the target error, and the states generated for all.
    """
    samples, spent = FEWEST_SAMPLES, 0
    while True:
        result = estimate(
            true,
            predicted,
            depth,
            automaton=automaton,
            measure=measure,
            method=METHOD,
            samples=samples,
            seed=seed_for(samples),
            terminal=terminal,
            engine=engine,
        )
        spent += result.node_count
        reached = result.value > 0 and result.standard_error <= relative_error * result.value
        # More lines than states may be generated find no more: the value is 0.
        if reached or spent >= budget or samples >= budget:
            return result, reached, spent
        samples *= 2


def measure(
    true: State | Sink,
    predicted: State | Sink,
    depth: int,
    *,
    automaton: Automaton[State, Action],
    relative_error: float = 0.01,
    budget: int = 2_000_000,
    seed: int,
    terminal: Terminal = "absorb",
    engine: Engine | None = None,
) -> Measurement:
    """Measure p_m and r_m to a target relative error.

    Args:
        true: The true state S; the sink is allowed.
        predicted: The predicted state T, likewise.
        depth: The number of actions m, at least 1.
        automaton: The automaton of both states.
        relative_error: The target relative standard error of each of the two, above 0.
        budget: States to generate at most, at least 1; the exact walk is chosen if it is expected
            to stay within. The last batches may go beyond it.
        seed: Seed of the probes and samples.
        terminal: How a game that finishes earlier counts.
        engine: As for `workbench.affordance.estimate.estimate`.

    Raises:
        InvalidArgumentError: If an argument is out of range.

    Example:
        >>> import workbench
        >>> true = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
        >>> result = workbench.measure(true, true.replace("/RN", "/R1"), 8, seed=0)
        >>> result.how, round(result.recall.value, 1)
        ('estimated', 0.7)
    """
    check_walk(depth, terminal)
    if not relative_error > 0 or budget < 1 or seed < 0:
        raise InvalidArgumentError(
            "expected relative_error above 0, budget of at least 1 and seed of at least 0, got "
            f"{relative_error!r}, {budget!r}, {seed!r}"
        )
    expected = 0.0
    if not isinstance(true, Sink) and not isinstance(predicted, Sink):
        probing = derived_seed(seed, "probes")
        expected = expected_joint_nodes(
            true, predicted, depth, automaton=automaton, seed=probing, engine=engine
        )
    if isinstance(true, Sink) or isinstance(predicted, Sink) or expected <= budget:
        profile = exact_profile(
            true, predicted, depth, automaton=automaton, terminal=terminal, engine=engine
        )
        precision, recall = (
            Estimate(values[-1], 0.0, "exact", 0, 1, depth, terminal, seed, profile.node_count)
            for values in (profile.precision, profile.recall)
        )
        reason = f"exact: about {expected:.3g} joint nodes expected, within the budget of {budget}"
        return Measurement(precision, recall, "exact", reason, expected, profile.node_count)
    spent = 0
    estimates: list[Estimate] = []
    reached = []
    for name in get_args(Measure):
        close, good, nodes = estimate_to_error(
            true,
            predicted,
            depth,
            automaton=automaton,
            measure=name,
            relative_error=relative_error,
            # Half for each, and for recall what precision has left.
            budget=budget * (1 + len(estimates)) / 2 - spent,
            seed_for=partial(derived_seed, seed, name),
            terminal=terminal,
            engine=engine,
        )
        estimates.append(replace(close, seed=seed))
        reached.append(good)
        spent += nodes
    errors = ", ".join(
        f"{each.standard_error / each.value:.2g}" if each.value > 0 else "undefined (value 0)"
        for each in estimates
    )
    how: Literal["estimated", "budget"] = "estimated" if all(reached) else "budget"
    reason = (
        f"{METHOD}: about {expected:.3g} joint nodes expected, more than the budget of {budget}; "
        f"relative standard errors {errors}, target {relative_error:.2g}"
        + ("" if all(reached) else f", stopped by the budget after {spent} states")
    )
    return Measurement(estimates[0], estimates[1], how, reason, expected, spent)
