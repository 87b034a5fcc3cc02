"""The survival curve p_1 .. p_m over all depths: decay rate, half-depth and mean.

arXiv 2508.19851 looks at one m at a time and names an average over several as future work.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from workbench.affordance.engine import Engine
from workbench.affordance.estimate import Measure, batch_seeds, in_order, single_runs
from workbench.affordance.profile import exact_profile
from workbench.automaton import Action, Automaton, State
from workbench.errors import InvalidArgumentError
from workbench.seeds import derived_seed
from workbench.terminal import Terminal, check_walk

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
            _jackknifed(curves[:, [m]], _only).standard_error for m in range(depth)
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


def _only(curve: Values) -> float:
    return float(curve[0])


def _positive(values: Sequence[float]) -> tuple[Values, Values]:
    heights = np.asarray(values, dtype=float)
    depths = np.arange(1, len(heights) + 1, dtype=float)
    return depths[heights > 0], heights[heights > 0]
