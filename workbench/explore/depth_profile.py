"""Precision and recall at every depth, fast enough for interaction: exact, and estimated beyond."""

from dataclasses import dataclass
from functools import partial
from typing import Any, Final

from workbench.affordance import exact_profile
from workbench.affordance.adaptive import METHOD, estimate_to_error, expected_joint_nodes
from workbench.affordance.engine import twin_for
from workbench.automaton import Sink
from workbench.environments import ChessAutomaton, ChessState
from workbench.explore.explorer_settings import ExplorerSettings
from workbench.seeds import derived_seed
from workbench.terminal import Terminal

REFERENCE_SLOWDOWN: Final = 500
"""Time of the reference for a node, relative to the compiled kernel."""

_CHESS: Final = ChessAutomaton()


@dataclass(frozen=True, slots=True)
class ExactDepth:
    """How deep exact values stay interactive for a pair.

    Attributes:
        depth: From 1 to the depth asked for.
        reason: Why so, in words.
    """

    depth: int
    reason: str


def same_lines(true: ChessState, predicted: ChessState) -> bool:
    """Return whether two states agree in everything that legal moves depend on."""
    return true == predicted or _moving_text(true) == _moving_text(predicted)


def compiled_takes(true: ChessState, predicted: ChessState) -> bool:
    """Return whether the compiled kernel is used for a pair; else python-chess is."""
    return twin_for(_CHESS, None, true, predicted) is not None


def exact_depth(true: ChessState, predicted: ChessState, settings: ExplorerSettings) -> ExactDepth:
    """Find the deepest depth, up to m, at which an exact walk is expected to stay in budget.

    Depth 1 is always taken: it compares two lists of moves.

    Args:
        true: The true state S.
        predicted: The predicted state T.
        settings: m, the budget and the seed of the probes.
    """
    compiled = compiled_takes(true, predicted)
    budget = settings.exact_budget // (1 if compiled else REFERENCE_SLOWDOWN)
    if settings.terminal == "absorb" and same_lines(true, predicted):
        return ExactDepth(settings.depth, "exact at every depth: both boards permit the same")
    seed = derived_seed(settings.seed, "probes")
    refused = ""
    for depth in range(settings.depth, 1, -1):
        expected = expected_joint_nodes(_CHESS, true, predicted, depth, seed=seed)
        if expected <= budget:
            break
        refused = f"depth {depth} has about {expected:.2g} joint nodes, more than {budget:,}"
    else:
        depth = 1
    if not refused:
        return ExactDepth(depth, "exact at every depth")
    words = f"exact up to depth {depth}: {refused}"
    if not compiled:
        words += (
            ", the limit without the compiled kernel, which takes no board with a promoted king"
        )
    return ExactDepth(depth, words)


def exact_values(
    true: ChessState, predicted: ChessState, depth: int, terminal: Terminal
) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Return p_1..p_m and r_1..r_m; boards that permit the same lines need no walk.

    Args:
        true: The true state S.
        predicted: The predicted state T.
        depth: The number of moves m, at least 1.
        terminal: How a game that finishes earlier counts.
    """
    if terminal == "absorb" and same_lines(true, predicted):
        return (1.0,) * depth, (1.0,) * depth
    found = exact_profile(_CHESS, true, predicted, depth, terminal)
    return found.precision, found.recall


def depth_profile(
    true: ChessState | Sink, predicted: ChessState | Sink, settings: ExplorerSettings
) -> dict[str, Any]:
    """Measure p_1..p_m and r_1..r_m of a pair.

    Args:
        true: The true state S; the sink gives zeros.
        predicted: The predicted state T; likewise.
        settings: m, budgets, the wanted error and the seed.

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
    limit = exact_depth(true, predicted, settings)
    precision, recall = (
        [_exact(value) for value in values]
        for values in exact_values(true, predicted, limit.depth, settings.terminal)
    )
    misses = 0
    for depth in depths[limit.depth :]:
        for name, values, walks, accepts in (
            ("precision", precision, predicted, true),
            ("recall", recall, true, predicted),
        ):
            bound = values[limit.depth - 1]["value"]
            entry, reached = _estimated(walks, accepts, depth, name, bound, settings)
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
    walks: ChessState,
    accepts: ChessState,
    depth: int,
    name: str,
    bound: float,
    settings: ExplorerSettings,
) -> tuple[dict[str, Any], bool]:
    """Return an estimate with its interval, and whether it is as close as wanted.

    Args:
        walks: The state from which lines are drawn.
        accepts: The state in which they are tried.
        depth: The number of moves.
        name: ``precision`` or ``recall``, for the seed.
        bound: The exact value at a smaller depth, which no deeper one exceeds.
        settings: The target error and the budget.
    """
    if bound == 0:
        return {**_exact(0.0), "method": METHOD}, True
    found, reached, _ = estimate_to_error(
        _CHESS,
        walks,
        accepts,
        depth,
        relative_error=settings.relative_error,
        budget=settings.sampling_budget,
        seed_for=partial(derived_seed, settings.seed, name, depth),
        terminal=settings.terminal,
    )
    low, high = found.interval()
    if found.value == 0:
        # No line was accepted: that says little about how many there are.
        low, high = 0.0, bound
    low, high = max(low, 0.0), min(high, bound)
    value = min(found.value, bound)
    return {"value": value, "low": min(low, value), "high": high, "method": METHOD}, reached


def _exact(value: float) -> dict[str, Any]:
    return {"value": value, "low": value, "high": value, "method": "exact"}


def _moving_text(state: ChessState) -> str:
    # An en-passant square onto which nothing can capture is left out, and rights without effect.
    return " ".join(state.board().fen(promoted=True).split()[:4])
