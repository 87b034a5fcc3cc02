"""Precision and recall at every depth, fast enough for interaction: exact, and estimated beyond."""

from functools import partial
from typing import Any, NamedTuple, get_args

from workbench.affordance.adaptive import METHOD, estimate_to_error, expected_joint_nodes
from workbench.affordance.estimate import Measure
from workbench.automaton import Action, Sink, State
from workbench.explore.explorer_settings import ExploredAutomaton, ExplorerSettings
from workbench.seeds import derived_seed


class ExactDepth(NamedTuple):
    """How deep exact values stay interactive for a pair, and why, in words."""

    depth: int
    reason: str


def exact_depth(
    explored: ExploredAutomaton[State, Action],
    true: State,
    predicted: State,
    settings: ExplorerSettings,
) -> ExactDepth:
    """Find the deepest depth, up to m, at which an exact walk is expected to stay in budget.

    Depth 1 is always taken: it compares two lists of actions.
    """
    budget = explored.budget(true, predicted, settings)
    if settings.terminal == "absorb" and explored.same_lines(true, predicted):
        nouns = f"{explored.words.state}s"
        return ExactDepth(settings.depth, f"exact at every depth: both {nouns} permit the same")
    seed = derived_seed(settings.seed, "probes")
    reason = ""
    for depth in range(settings.depth, 1, -1):
        expected = expected_joint_nodes(
            true, predicted, depth, automaton=explored.automaton, seed=seed
        )
        if expected <= budget:
            break
        reason = f"depth {depth} has about {expected:.2g} joint nodes, more than {budget:,}"
    else:
        depth = 1
    if not reason:
        return ExactDepth(depth, "exact at every depth")
    words = f"exact up to depth {depth}: {reason}"
    if explored.limit_note and not explored.compiled_takes(true, predicted):
        words += f", the limit {explored.limit_note}"
    return ExactDepth(depth, words)


def depth_profile(
    explored: ExploredAutomaton[State, Action],
    true: State | Sink,
    predicted: State | Sink,
    settings: ExplorerSettings,
) -> dict[str, Any]:
    """Measure p_1..p_m and r_1..r_m of a pair.

    Returns:
        ``depths``; ``precision`` and ``recall``, for each depth a value, low, high (95% interval;
        the value itself where it is exact) and method; ``exact``, whether all of them are; and
        ``reason``, in words.
    """
    depths = list(range(1, settings.depth + 1))
    if isinstance(true, Sink) or isinstance(predicted, Sink):
        zeros = [_exact(0.0) for _ in depths]
        return {
            "depths": depths,
            "precision": zeros,
            "recall": [*zeros],
            "exact": True,
            "reason": "no state to compare: p and r are 0",
        }
    limit = exact_depth(explored, true, predicted, settings)
    precision, recall = (
        [_exact(value) for value in values]
        for values in explored.exact_values(true, predicted, limit.depth, settings.terminal)
    )
    misses = 0
    for depth in depths[limit.depth :]:
        for measure, values in zip(get_args(Measure), (precision, recall), strict=True):
            bound = values[limit.depth - 1]["value"]
            entry, reached = _estimated(explored, true, predicted, depth, measure, bound, settings)
            values.append(entry)
            misses += not reached
    reason = limit.reason
    if limit.depth < settings.depth:
        reason += f"; deeper values are estimated ({METHOD} sampling) with 95% intervals"
        if misses:
            reason += f", {misses} of them missed the target error, because the budget was spent"
    return {
        "depths": depths,
        "precision": precision,
        "recall": recall,
        "exact": limit.depth == settings.depth,
        "reason": reason,
    }


def _estimated(
    explored: ExploredAutomaton[State, Action],
    true: State,
    predicted: State,
    depth: int,
    measure: Measure,
    bound: float,
    settings: ExplorerSettings,
) -> tuple[dict[str, Any], bool]:
    """Return an estimate with its interval, and whether it is as close as wanted."""
    if bound == 0:
        return {**_exact(0.0), "method": METHOD}, True
    estimate, reached, _ = estimate_to_error(
        true,
        predicted,
        depth,
        automaton=explored.automaton,
        measure=measure,
        relative_error=settings.relative_error,
        budget=explored.sampling_budget(true, predicted, settings),
        seed_for=partial(derived_seed, settings.seed, measure, depth),
        terminal=settings.terminal,
    )
    # Where no line was accepted, that says little about how many there are.
    low, high = estimate.interval() if estimate.value else (0.0, bound)
    low, high = max(low, 0.0), min(high, bound)
    value = min(estimate.value, bound)
    return {"value": value, "low": min(low, value), "high": high, "method": METHOD}, reached


def _exact(value: float) -> dict[str, Any]:
    return {"value": value, "low": value, "high": value, "method": "exact"}
