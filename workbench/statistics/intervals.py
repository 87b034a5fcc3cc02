"""Intervals of means, differences and tau over clusters: rows of one game are similar.

A mean's variance is that of the sums of its clusters' deviations, corrected for clusters of different
sizes (CR2), and its interval is Student's t with one degree of freedom less than the effective number
of clusters. A mean of values in a known range is transformed by the logit of that range, so that
its interval stays inside. Where each row is a cluster, this is the ordinary t interval. Sources: Bell and
McCaffrey (2002), Survey Methodology 28(2); Kish (1965), Survey Sampling, on effective numbers.
``benchmarks/interval_coverage.py`` measures how often the intervals hold the true value.

Ranks are resampled, whole clusters together: Davison and Hinkley (1997), Bootstrap Methods and their
Application, section 3.8, doi:10.1017/CBO9780511802843.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pandas as pd

from workbench.affordance.estimate import check_level
from workbench.errors import InvalidArgumentError

Values = npt.NDArray[np.float64]
Counts = npt.NDArray[np.uint8]

_BLOCK = 64
_BITS = 40
# Below, nearly all rows are of one cluster.
_LEAST_EFFECTIVE = 1.5
# In counts of one byte; as many as eight tables of this size are kept.
_MOST_KEPT = 2**23


SHARE: Final = (0.0, 1.0)
"""The range of p_m, of r_m and of shares."""

DIFFERENCE: Final = (-1.0, 1.0)
"""The range of differences of shares, and of tau."""


@dataclass(frozen=True, slots=True)
class Interval:
    """A statistic with its interval.

    Attributes:
        value: The statistic of the data; NaN where it is undefined.
        low: Lower end; NaN where there is no interval: of fewer than two clusters, of fewer than 1.5
            effective ones, or of clusters that do not vary.
        high: Upper end, likewise.
        count: Rows of the data.
        clusters: Their clusters.
        effective: The effective number of clusters, (sum n)^2 / sum n^2 of their sizes n; NaN of
            no rows.
        standard_error: Of the value; NaN for fewer than two clusters, or if they do not vary.
    """

    value: float
    low: float
    high: float
    count: int
    clusters: int
    effective: float
    standard_error: float = math.nan


def quantile_ends(values: Any, level: float = 0.95) -> tuple[float, float]:
    """Return the percentile interval of resampled values; those that are NaN are left out."""
    check_level(level)
    defined = np.asarray(values, dtype=float)
    defined = defined[~np.isnan(defined)]
    if len(defined) == 0:
        return math.nan, math.nan
    tail = (1 - level) / 2
    low, high = np.quantile(defined, [tail, 1 - tail])
    return float(low), float(high)


def comparable(values: npt.ArrayLike) -> Values:
    """Return values rounded to 40 bits, some 12 digits: equal where only rounding errors differ.

    The order in which p_m is summed up changes its last digits, and so would make or break ties.
    """
    mantissas, exponents = np.frexp(np.asarray(values, dtype=float))
    rounded: Values = np.ldexp(np.round(np.ldexp(mantissas, _BITS)), exponents - _BITS)
    return rounded


def tau_b(values: npt.ArrayLike, others: npt.ArrayLike) -> float:
    """Return Kendall's tau-b of `comparable` values; NaN where either is the same in all rows."""
    return _tau_b(comparable(values), comparable(others))


def _tau_b(values: Values, others: Values) -> float:
    # Here, for it takes long.
    from scipy.stats import kendalltau

    if len(values) < 2:
        return math.nan
    return float(kendalltau(values, others).statistic)


def share_of_ties(values: npt.ArrayLike) -> float:
    """Return the share of pairs of rows that have the same value, as `comparable`; NaN below two rows."""
    numbers = comparable(values)
    if len(numbers) < 2:
        return math.nan
    _, sizes = np.unique(numbers, return_counts=True)
    return float((sizes * (sizes - 1)).sum() / (len(numbers) * (len(numbers) - 1)))


def cluster_codes(clusters: npt.ArrayLike) -> tuple[npt.NDArray[np.intp], int]:
    """Return a number from 0 for each row's cluster, and how many clusters there are."""
    codes, names = pd.factorize(np.asarray(clusters, dtype=object), sort=True)
    return codes, len(names)


def cluster_resamples(count: int, resamples: int, seed: int) -> Counts:
    """Return how often each cluster is drawn in each resample, with replacement.

    Returns:
        Shape (resamples, count), not to be changed; each row sums to ``count``.
    """
    if count < 1 or resamples < 1:
        raise InvalidArgumentError(
            f"expected clusters and resamples of at least 1, got {count!r}, {resamples!r}"
        )
    draw = _kept_draws if count * resamples <= _MOST_KEPT else _draws
    return draw(count, resamples, seed)


def _draws(count: int, resamples: int, seed: int) -> Counts:
    generator = np.random.default_rng(seed)
    # A cluster is drawn once on average; that one is drawn 256 times has a chance below 1e-500.
    counts: Counts = np.empty((resamples, count), dtype=np.uint8)
    for rows in _blocks_of_rows(resamples, count):
        counts[rows] = generator.multinomial(count, np.full(count, 1 / count), len(counts[rows]))
    counts.flags.writeable = False
    return counts


# Many quantities of the same games are resampled alike.
_kept_draws = lru_cache(maxsize=8)(_draws)


def _blocks_of_rows(rows: int, columns: int) -> Iterator[slice]:
    """Yield the rows of a table in parts that fit in little memory."""
    step = max(1, _MOST_KEPT // columns)
    yield from (slice(first, min(first + step, rows)) for first in range(0, rows, step))


def resampled_means(values: Values, codes: npt.NDArray[np.intp], draws: npt.NDArray[Any]) -> Values:
    """Return the means of each resample.

    Returns:
        Shape (resamples,) or (resamples, columns).
    """
    resamples, count = draws.shape
    table = values.reshape(len(values), -1)
    sums = np.zeros((count, table.shape[1]))
    np.add.at(sums, codes, table)
    sizes = np.bincount(codes, minlength=count)
    means: Values = np.empty((resamples, table.shape[1]))
    for rows in _blocks_of_rows(resamples, count):
        times = draws[rows].astype(float)
        means[rows] = (times @ sums) / (times @ sizes)[:, None]
    return means[:, 0] if values.ndim == 1 else means


def clustered_mean_interval(
    values: npt.ArrayLike,
    clusters: npt.ArrayLike,
    *,
    within: tuple[float, float] | None = None,
    level: float = 0.95,
) -> Interval:
    """Return the mean of all rows with its interval, from the variance between clusters.

    Args:
        values: Shape (rows,).
        clusters: Each row's cluster, shape (rows,).
        within: The least and the largest value possible, such as `SHARE` or `DIFFERENCE`: the
            interval stays inside. Where the largest is infinite, it ends at the least, or above. None
            if there is no bound.
        level: Coverage wanted, in (0, 1).

    Returns:
        The interval; it has no ends for fewer than two clusters, for fewer than 1.5 effective ones,
        or if their means do not vary.
    """
    check_level(level)
    numbers = np.asarray(values, dtype=float)
    codes, count = cluster_codes(clusters)
    if len(numbers) == 0:
        return Interval(math.nan, math.nan, math.nan, 0, 0, math.nan)
    value = float(numbers.mean())
    largest = float(np.abs(numbers).max())
    if within is not None:
        _check_within(numbers, within)
    sizes = np.bincount(codes, minlength=count)
    effective = _effective(sizes)
    sums = np.bincount(codes, numbers - value, count).astype(float)
    error = _standard_error(sums, sizes, largest)
    low, high = _student_ends(value, error, effective - 1, within, level)
    return Interval(value, low, high, len(numbers), count, effective, error)


def difference_interval(
    one: Interval,
    other: Interval,
    *,
    within: tuple[float, float] | None = None,
    level: float = 0.95,
) -> Interval:
    """Return the difference of two means that have no cluster in common, with its interval.

    Returns:
        The interval, with Welch's degrees of freedom; it has no ends where one of both has none.

    Source: Welch (1947), doi:10.1093/biomet/34.1-2.28.
    """
    check_level(level)
    value = one.value - other.value
    squares = [each.standard_error**2 for each in (one, other)]
    error, freedom = math.sqrt(sum(squares)), math.nan
    if error > 0:
        freedom = sum(squares) ** 2 / sum(
            square**2 / (each.effective - 1)
            for square, each in zip(squares, (one, other), strict=True)
        )
    low, high = _student_ends(value, error, freedom, within, level)
    return Interval(
        value, low, high, one.count + other.count, one.clusters + other.clusters, freedom + 1, error
    )


def _effective(sizes: npt.NDArray[np.intp]) -> float:
    return float(sizes.sum() ** 2 / (sizes.astype(float) ** 2).sum())


def _standard_error(sums: Values, sizes: npt.NDArray[np.intp], scale: float) -> float:
    """Return the standard error of a mean from the deviations of each cluster, summed over its rows.

    Returns:
        The error; NaN for fewer than two clusters, or without variation.
    """
    if len(sizes) < 2 or (np.abs(sums) <= 1e-9 * scale * sizes).all():
        return math.nan
    rows = sizes.sum()
    return math.sqrt(float((sums**2 / (1 - sizes / rows)).sum())) / float(rows)


def _student_ends(
    value: float, error: float, freedom: float, within: tuple[float, float] | None, level: float
) -> tuple[float, float]:
    # Here, for it takes long.
    from scipy.special import expit, logit, stdtrit

    if math.isnan(error) or not freedom >= _LEAST_EFFECTIVE - 1:
        return math.nan, math.nan
    half = float(stdtrit(freedom, (1 + level) / 2)) * error
    if within is None:
        return value - half, value + half
    least, largest = within
    if math.isinf(largest):
        return max(least, value - half), value + half
    span = largest - least
    place = (value - least) / span
    half /= span * place * (1 - place)
    ends = expit(logit(place) + np.array([-half, half]))
    low, high = least + span * ends
    return float(low), float(high)


def _check_within(values: Values, within: tuple[float, float]) -> None:
    least, largest = within
    error = 1e-9 * (largest - least) if math.isfinite(largest) else 0.0
    outside = values[(values < least - error) | (values > largest + error)]
    if len(outside):
        raise InvalidArgumentError(
            f"expected values from {least:g} to {largest:g}, got {len(outside)} others, such as "
            f"{outside[0]!r}"
        )


def clustered_tau_interval(
    values: npt.ArrayLike, others: npt.ArrayLike, clusters: npt.ArrayLike, *, level: float = 0.95
) -> Interval:
    """Return Kendall's tau-b of `comparable` values, with its interval.

    tau-b is linearised: each row's influence enters as its deviation would in a mean. The interval
    is on the scale of Fisher's z, inside (-1, 1). All pairs of rows are compared, in parts: the
    time grows with the square of their number, the memory does not.

    Returns:
        The interval; it has no ends where that of a mean has none, or tau is undefined.
    """
    check_level(level)
    one, other = comparable(values), comparable(others)
    if len(one) == 0:
        return Interval(math.nan, math.nan, math.nan, 0, 0, math.nan)
    codes, count = cluster_codes(clusters)
    sizes = np.bincount(codes, minlength=count)
    effective, error = _effective(sizes), math.nan
    tau = _tau_b(one, other)
    if not math.isnan(tau):
        sums = np.bincount(codes, _influence_on_tau(one, other, tau), count).astype(float)
        error = _standard_error(sums, sizes, 1.0)
    low, high = _student_ends(tau, error, effective - 1, DIFFERENCE, level)
    return Interval(tau, low, high, len(one), count, effective, error)


def _influence_on_tau(one: Values, other: Values, tau: float) -> Values:
    """Return how far each row moves tau-b, times the number of rows; together they are 0."""
    concordant = np.empty(len(one))
    for first in range(0, len(one), _BLOCK):
        rows = slice(first, first + _BLOCK)
        signs = [np.sign(column[rows, None] - column) for column in (one, other)]
        concordant[rows] = np.einsum("ij,ij->i", *signs)
    untied = [_rows_untied(column) for column in (one, other)]
    total = math.sqrt(untied[0].mean() * untied[1].mean())
    influence: Values = 2 * concordant / total
    for each in untied:
        influence -= tau * each / each.mean()
    return influence


def _rows_untied(values: Values) -> Values:
    """Return with how many rows each one is not tied."""
    _, inverse, sizes = np.unique(values, return_inverse=True, return_counts=True)
    untied: Values = len(values) - sizes[inverse].astype(float)
    return untied
