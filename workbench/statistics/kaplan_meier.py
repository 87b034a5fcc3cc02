"""Lengths until an event, of which some end before it: the share without the event, and the median with its interval.

A length that ends before the event, for want of actions or of a budget, is censored: it says that the
event comes later, not when. A mean of lengths would count it as an event; the estimate here does not.
Source: Kaplan and Meier (1958), Journal of the American Statistical Association 53,
doi:10.1080/01621459.1958.10501452.
"""

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from workbench.affordance.estimate import check_level
from workbench.errors import InvalidArgumentError
from workbench.statistics.intervals import Values, cluster_resamples


@dataclass(frozen=True, slots=True)
class MedianLength:
    """The least length by which half of the units had the event, with its interval.

    Attributes:
        value: Infinite where fewer than half had it within the lengths seen; NaN of no units.
        low: Lower end, from resampled units; NaN of fewer than two units.
        high: Upper end, likewise; infinite where resamples do not reach the half.
        count: Units.
        events: Those with the event; the others are censored.
    """

    value: float
    low: float
    high: float
    count: int
    events: int

    def __str__(self) -> str:
        ends = "" if math.isnan(self.low) else f" [{self.low:g}, {self.high:g}]"
        return f"{self.value:g}{ends}".replace("inf", "∞")


def share_without_event(
    lengths: npt.ArrayLike, events: npt.ArrayLike
) -> tuple[Values, npt.NDArray[np.float64]]:
    """Return the share of units that are without the event after each length at which one has it.

    Args:
        lengths: Of each unit, until the event or until it was last seen without it; at least 0.
        events: Whether each one had it.

    Returns:
        The distinct lengths with events, rising, and the share after each, in [0, 1].
    """
    spans, had = _units(lengths, events)
    times = np.unique(spans[had])
    return times, _shares(spans, had, times, np.ones((1, len(spans))))[0]


def median_length(
    lengths: npt.ArrayLike,
    events: npt.ArrayLike,
    *,
    clusters: npt.ArrayLike | None = None,
    resamples: int = 2000,
    seed: int = 0,
    level: float = 0.95,
) -> MedianLength:
    """Return the median length until the event, with a percentile interval over resampled units.

    Args:
        lengths: As of `share_without_event`.
        events: As of `share_without_event`.
        clusters: Of each unit, what is resampled as a whole, such as its game; None for the unit itself.
        resamples: At least 1.
        seed: At least 0.
        level: Coverage wanted, in (0, 1).

    Example:
        >>> str(median_length([3, 4, 9, 9], [True, True, True, False]))
        '4 [3, ∞]'
    """
    check_level(level)
    spans, had = _units(lengths, events)
    count = len(spans)
    if not count:
        return MedianLength(math.nan, math.nan, math.nan, 0, 0)
    times = np.unique(spans[had])
    value = _medians(spans, had, times, np.ones((1, count)))[0]
    low = high = math.nan
    codes, number = _clusters(clusters, count)
    if number > 1:
        draws = cluster_resamples(number, resamples, seed)[:, codes]
        medians = np.sort(_medians(spans, had, times, draws))
        tail = (1 - level) / 2 * (resamples - 1)
        # Order statistics themselves: between infinite ones there is nothing to interpolate.
        low, high = medians[math.floor(tail)], medians[math.ceil(resamples - 1 - tail)]
    return MedianLength(float(value), float(low), float(high), count, int(had.sum()))


def share_interval(
    lengths: npt.ArrayLike,
    events: npt.ArrayLike,
    times: npt.ArrayLike,
    *,
    clusters: npt.ArrayLike | None = None,
    resamples: int = 2000,
    seed: int = 0,
    level: float = 0.95,
) -> tuple[Values, Values, Values]:
    """Return the share without the event after each of some lengths, and the ends of percentile intervals.

    Args:
        lengths: As of `share_without_event`.
        events: As of `share_without_event`.
        times: Lengths at which it is wanted, rising.
        clusters: As of `median_length`.
        resamples: As of `median_length`.
        seed: As of `median_length`.
        level: As of `median_length`.

    Returns:
        Share, lower and upper end; the ends are NaN of fewer than two clusters.
    """
    check_level(level)
    spans, had = _units(lengths, events)
    at = np.asarray(times, dtype=float)
    share = _shares(spans, had, at, np.ones((1, len(spans))))[0]
    codes, number = _clusters(clusters, len(spans))
    if number < 2:
        return share, np.full(len(at), math.nan), np.full(len(at), math.nan)
    draws = cluster_resamples(number, resamples, seed)[:, codes]
    tail = (1 - level) / 2
    low, high = np.quantile(_shares(spans, had, at, draws), [tail, 1 - tail], axis=0)
    return share, low, high


def share_by_cause(
    lengths: npt.ArrayLike, causes: npt.ArrayLike, cause: str, times: npt.ArrayLike
) -> Values:
    """Return the share of units that had an event of one cause by each of some lengths, where each has one at most.

    With those of the other causes and `share_without_event` it sums to 1. Source: Aalen and Johansen (1978),
    Scandinavian Journal of Statistics 5.

    Args:
        lengths: As of `share_without_event`.
        causes: Of each unit; empty where it is censored.
        cause: The one that is counted.
        times: Whole numbers, rising from 0 by 1.
    """
    names = np.asarray(causes, dtype=object)
    spans, had = _units(lengths, names != "")
    at = np.asarray(times, dtype=float)
    without = _shares(spans, had, at, np.ones((1, len(spans))))[0]
    before = np.concatenate([[1.0], without[:-1]])
    of_cause = ((spans[:, None] == at) & (names == cause)[:, None]).sum(axis=0)
    left = (spans[:, None] >= at).sum(axis=0)
    shares: Values = np.cumsum(before * of_cause / np.maximum(left, 1))
    return shares


def _clusters(clusters: npt.ArrayLike | None, count: int) -> tuple[npt.NDArray[np.intp], int]:
    """Return the number of each unit's cluster, and how many there are."""
    if clusters is None:
        return np.arange(count), count
    names, codes = np.unique(np.asarray(clusters), return_inverse=True)
    return codes, len(names)


def _units(lengths: npt.ArrayLike, events: npt.ArrayLike) -> tuple[Values, npt.NDArray[np.bool_]]:
    spans, had = np.asarray(lengths, dtype=float), np.asarray(events, dtype=bool)
    if spans.shape != had.shape or not (spans >= 0).all():
        raise InvalidArgumentError(
            "lengths: expected numbers of at least 0, and for each whether it ends in the event; got "
            f"{spans!r:.80} and {had!r:.80}"
        )
    return spans, had


def _shares(
    spans: Values, had: npt.NDArray[np.bool_], times: Values, counts: npt.NDArray[np.generic]
) -> Values:
    """Return the shares after each time, shape (resamples, times); counts are of units in each."""
    weights = counts.astype(float)
    events = weights @ ((spans[:, None] == times) & had[:, None])
    left = weights @ (spans[:, None] >= times)
    # A resample in which nobody is left at a time has no events there either.
    shares: Values = np.cumprod(1 - events / np.maximum(left, 1), axis=1)
    return shares


def _medians(
    spans: Values, had: npt.NDArray[np.bool_], times: Values, counts: npt.NDArray[np.generic]
) -> Values:
    if not len(times):
        return np.full(len(counts), math.inf)
    # Rounding may leave a share of one half a digit above it.
    below = _shares(spans, had, times, counts) <= 0.5 + 1e-12
    return np.where(below.any(axis=1), times[below.argmax(axis=1)], math.inf)
