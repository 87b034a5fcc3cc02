"""Exact precision and recall at every depth, and the survival curve p_1 .. p_m with its decay rate, half-depth and mean."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt

from workbench.affordance.estimate import Measure, batch_seeds, in_order, single_runs
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
from workbench.depth_summaries import harmonic_mean
from workbench.errors import InvalidArgumentError
from workbench.seeds import derived_seed

_Walked: TypeAlias = tuple[tuple[float, ...], tuple[float, ...], int]

_MERGED_FROM: Final = 2
"""Depth below a joint node from which looking it up takes less time than walking it again."""
_MOST_KNOWN: Final = 1 << 16
"""Joint nodes kept in one call: tens of megabytes. Further ones are walked, and not kept."""


@dataclass(frozen=True, slots=True)
class Profile:
    """Exact p_1..p_m and r_1..r_m of a true and a predicted state.

    Attributes:
        precision: p_1 .. p_m, each in [0, 1].
        recall: r_1 .. r_m, each in [0, 1].
        terminal: How finished games were counted.
        node_count: Nodes of the joint tree down to depth m, the root not counted: all of them by the
            reference, those it visited by the compiled twin.
    """

    precision: tuple[float, ...]
    recall: tuple[float, ...]
    terminal: Terminal
    node_count: int

    @property
    def depth(self) -> int:
        """The depth m."""
        return len(self.precision)

    @property
    def step_precision(self) -> tuple[float, ...]:
        """v_i = p_i / p_(i-1), whose product is p_m; NaN from where p_(i-1) is 0."""
        return _ratios(self.precision)

    @property
    def step_recall(self) -> tuple[float, ...]:
        """The same ratios of the recall."""
        return _ratios(self.recall)

    @property
    def f_score(self) -> tuple[float, ...]:
        """F_1 .. F_m, the harmonic means of p and r; 0 where both are 0, their limit."""
        return tuple(harmonic_mean(np.array(self.precision), np.array(self.recall)).tolist())


@dataclass(frozen=True, slots=True)
class SetOverlap:
    """How many sequences of m actions each state accepts, and how many both accept.

    Under ``absorb`` a line that is finished sooner counts as one sequence.
    """

    shared: int
    predicted: int
    true: int

    @property
    def precision(self) -> float:
        """|A_S and A_T| / |A_T|; NaN where the predicted state accepts no sequence."""
        return self.shared / self.predicted if self.predicted else math.nan

    @property
    def recall(self) -> float:
        """|A_S and A_T| / |A_S|; NaN where the true state accepts no sequence."""
        return self.shared / self.true if self.true else math.nan


def exact_profile(
    true: State | Sink,
    predicted: State | Sink,
    depth: int,
    *,
    automaton: Automaton[State, Action],
    terminal: Terminal = "absorb",
    engine: Engine | None = None,
) -> Profile:
    """Return p_1..p_m and r_1..r_m by walking the whole joint tree.

    The cost grows with the number of different pairs of states that joint sequences lead to, for two
    like chess boards about 30^(m-1). The compiled twin leaves out what is known without walking; its values are the same to rounding.

    Args:
        true: The true state S; the sink is allowed.
        predicted: The predicted state T; the sink gives p = r = 0.
        depth: The number of actions m, at least 1.
        automaton: The automaton of both states.
        terminal: How a game that finishes earlier counts.
        engine: ``reference`` or ``compiled``; by default the value of ``WORKBENCH_ENGINE``, else
            compiled where the automaton has a twin that takes these states.

    Raises:
        InvalidArgumentError: If ``depth``, ``terminal`` or ``engine`` is out of range.

    Example:
        Without the knight on b1 two of White's 20 moves are missing.

        >>> import workbench
        >>> true = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
        >>> profile = workbench.exact_profile(true, true.replace("/RN", "/R1"), 2)
        >>> profile.recall[0]
        0.9
    """
    check_walk(depth, terminal)
    if isinstance(true, Sink) or isinstance(predicted, Sink):
        return Profile((0.0,) * depth, (0.0,) * depth, terminal, 0)
    twin = twin_for(automaton, engine, true, predicted)
    if twin is not None:
        rows = twin.packed([true]), twin.packed([predicted])
        values = twin.profiles(*rows, depth, terminal, workers=1)
        precision, recall, nodes = (each[0].tolist() for each in values)
        precision, recall = tuple(precision), tuple(recall)
    else:
        precision, recall, nodes = _walk(automaton, true, predicted, depth, terminal, {})
    return Profile(precision, recall, terminal, nodes)


def _walk(
    automaton: Automaton[State, Action],
    true: State,
    predicted: State,
    depth: int,
    terminal: Terminal,
    memo: dict[tuple[State, State, int], _Walked],
) -> _Walked:
    """Return p_1..p_m, r_1..r_m and the nodes below a joint node, from ``memo`` if they are there.

    Sequences that lead to the same two states are walked once; each still counts with its nodes.
    """
    here = true, predicted, depth
    if depth >= _MERGED_FROM and here in memo:
        return memo[here]
    of_true = automaton.permitted(true)
    of_predicted = automaton.permitted(predicted)
    if not of_true and not of_predicted:
        value = 1.0 if terminal == "absorb" else 0.0
        return (value,) * depth, (value,) * depth, 0
    allowed = frozenset(of_true)
    shared = [action for action in of_predicted if action in allowed]
    if not shared:
        return (0.0,) * depth, (0.0,) * depth, 0
    precision = [len(shared) / len(of_predicted)]
    recall = [len(shared) / len(of_true)]
    nodes = len(shared)
    if depth > 1:
        below = [
            _walk(
                automaton,
                automaton.successor(true, action),
                automaton.successor(predicted, action),
                depth - 1,
                terminal,
                memo,
            )
            for action in shared
        ]
        for level in range(depth - 1):
            precision.append(math.fsum(child[0][level] for child in below) / len(of_predicted))
            recall.append(math.fsum(child[1][level] for child in below) / len(of_true))
        nodes += sum(child[2] for child in below)
    walked = tuple(precision), tuple(recall), nodes
    if depth >= _MERGED_FROM and len(memo) < _MOST_KNOWN:
        memo[here] = walked
    return walked


def exact_set_overlap(
    true: State | Sink,
    predicted: State | Sink,
    depth: int,
    *,
    automaton: Automaton[State, Action],
    terminal: Terminal = "absorb",
) -> SetOverlap:
    """Count the sequences of m actions that each state, and both, accept.

    This walks each state's whole tree, not the joint one alone: keep m small.

    Args:
        true: The true state S; the sink accepts nothing.
        predicted: The predicted state T.
        depth: The number of actions m, at least 1.
        automaton: The automaton of both states.
        terminal: Whether a line finished sooner counts as one sequence or as none.

    Raises:
        InvalidArgumentError: If ``depth`` or ``terminal`` is out of range.

    Example:
        >>> import workbench
        >>> true = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
        >>> workbench.exact_set_overlap(true, true.replace("/RN", "/R1"), 1)
        SetOverlap(shared=18, predicted=19, true=20)
    """
    check_walk(depth, terminal)
    return SetOverlap(
        _count_shared(automaton, true, predicted, depth, terminal),
        _count_shared(automaton, predicted, predicted, depth, terminal),
        _count_shared(automaton, true, true, depth, terminal),
    )


def _count_shared(
    automaton: Automaton[State, Action],
    true: State | Sink,
    predicted: State | Sink,
    depth: int,
    terminal: Terminal,
) -> int:
    if isinstance(true, Sink) or isinstance(predicted, Sink):
        return 0
    of_true = automaton.permitted(true)
    of_predicted = automaton.permitted(predicted)
    if not of_true and not of_predicted:
        return int(terminal == "absorb")
    allowed = frozenset(of_true)
    shared = [action for action in of_predicted if action in allowed]
    if depth == 1:
        return len(shared)
    return sum(
        _count_shared(
            automaton,
            automaton.successor(true, action),
            automaton.successor(predicted, action),
            depth - 1,
            terminal,
        )
        for action in shared
    )


def _ratios(values: tuple[float, ...]) -> tuple[float, ...]:
    before = (1.0, *values[:-1])
    return tuple(
        value / previous if previous > 0 else math.nan
        for previous, value in zip(before, values, strict=True)
    )


Values = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number derived from a curve, with its standard error from sampling.

    The error is 0 where the curve is exact, and NaN where it, or the number, is undefined.
    """

    value: float
    standard_error: float


@dataclass(frozen=True, slots=True)
class SurvivalCurve:
    """p_1 .. p_m of a pair of states, and its summary.

    Attributes:
        values: p_1 .. p_m.
        standard_errors: Of each.
        decay_rate: lambda of the exponential exp(-lambda i) that fits the curve best, by least
            squares of -ln p_i on i through the origin; depths at which p_i is 0 are left out, and
            without any other it is NaN.
        fit_error: Standard error of lambda from how far the curve is from an exponential; NaN for
            fewer than two depths.
        half_depth: Where the curve, log-linear between depths from p_0 = 1 on, falls under 1/2; NaN
            if it does not up to m.
        mean: The average of p_1 .. p_m.
        method: ``exact`` or an estimator's name.
    """

    values: tuple[float, ...]
    standard_errors: tuple[float, ...]
    decay_rate: Quantity
    fit_error: float
    half_depth: Quantity
    mean: Quantity
    method: str


def decay_rate(values: Sequence[float]) -> float:
    """Return lambda of the best exponential; see `SurvivalCurve`."""
    depths, heights = _positive(values)
    if len(depths) == 0:
        return math.nan
    return float(-(depths * np.log(heights)).sum() / (depths**2).sum())


def fit_error(values: Sequence[float]) -> float:
    """Return the standard error that the misfit gives lambda; see `SurvivalCurve`."""
    depths, heights = _positive(values)
    if len(depths) < 2:
        return math.nan
    misfit = -np.log(heights) - decay_rate(values) * depths
    return math.sqrt(float((misfit**2).sum()) / (len(depths) - 1) / float((depths**2).sum()))


def half_depth(values: Sequence[float]) -> float:
    """Return where the curve falls under 1/2; see `SurvivalCurve`."""
    before = 1.0
    for depth, value in enumerate(values, start=1):
        if value < 0.5:
            if value <= 0:
                return float(depth)
            step = math.log(before / 0.5) / math.log(before / value)
            return depth - 1 + step
        before = value
    return math.nan


def survival_curve(
    true: State,
    predicted: State,
    depth: int,
    *,
    automaton: Automaton[State, Action],
    measure: Measure = "precision",
    method: str = "exact",
    samples: int = 500,
    batches: int = 16,
    seed: int = 0,
    terminal: Terminal = "absorb",
    engine: Engine | None = None,
) -> SurvivalCurve:
    """Compute or estimate p_1 .. p_m and summarise the curve.

    Args:
        true: The true state S.
        predicted: The predicted state T.
        depth: The number of actions m, at least 1.
        automaton: The automaton of both states.
        measure: ``precision``; or ``recall``, that is precision with the two states exchanged.
        method: ``exact``, or a name in `workbench.affordance.ESTIMATORS`; each depth is then
            estimated by itself, and the errors come from the batches (delete-one jackknife).
        samples: N of an estimator.
        batches: Independent runs of an estimator, at least 2.
        seed: Seed of an estimator.
        terminal: How a game that finishes earlier counts.
        engine: As for `workbench.affordance.estimate.estimate`.

    Raises:
        InvalidArgumentError: If an argument is out of range.

    Source: the jackknife, Efron and Stein (1981), doi:10.1214/aos/1176345462.

    Example:
        >>> import workbench
        >>> true = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
        >>> curve = workbench.survival_curve(true, true.replace("/RN", "/R1"), 4, measure="recall")
        >>> [round(value, 2) for value in curve.values]
        [0.9, 0.9, 0.82, 0.82]
    """
    check_walk(depth, terminal)
    true, predicted = in_order(true, predicted, measure)
    if method == "exact":
        profile = exact_profile(
            true, predicted, depth, automaton=automaton, terminal=terminal, engine=engine
        )
        curves = np.array([profile.precision])
    else:
        if batches < 2:
            raise InvalidArgumentError(f"expected at least 2 batches, got {batches!r}")
        columns = [
            single_runs(
                true,
                predicted,
                m,
                automaton=automaton,
                method=method,
                samples=samples,
                seeds=batch_seeds(derived_seed(seed, "depth", m), batches),
                terminal=terminal,
                engine=engine,
            )
            for m in range(1, depth + 1)
        ]
        curves = np.array([[run.value for run in column] for column in columns]).T
    mean = curves.mean(axis=0)
    return SurvivalCurve(
        values=tuple(mean.tolist()),
        standard_errors=tuple(
            _jackknifed(curves[:, [m]], lambda c: float(c[0])).standard_error for m in range(depth)
        ),
        decay_rate=_jackknifed(curves, lambda c: decay_rate(c.tolist())),
        fit_error=fit_error(mean.tolist()),
        half_depth=_jackknifed(curves, lambda c: half_depth(c.tolist())),
        mean=_jackknifed(curves, lambda c: float(c.mean())),
        method=method,
    )


def _jackknifed(curves: Values, statistic: Callable[[Values], float]) -> Quantity:
    value = statistic(curves.mean(axis=0))
    count = len(curves)
    if math.isnan(value):
        return Quantity(value, math.nan)
    if count == 1:
        return Quantity(value, 0.0)
    total = curves.sum(axis=0)
    left = np.array([statistic((total - curve) / (count - 1)) for curve in curves])
    return Quantity(value, math.sqrt((count - 1) * float(np.var(left))))


def _positive(values: Sequence[float]) -> tuple[Values, Values]:
    heights = np.asarray(values, dtype=float)
    depths = np.arange(1, len(heights) + 1, dtype=float)
    return depths[heights > 0], heights[heights > 0]
