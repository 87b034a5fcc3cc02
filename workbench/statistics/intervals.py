"""Bootstrap of whole clusters: rows of one game are drawn together, because they are similar.

Where each row is a cluster of its own, this is the ordinary bootstrap. With few clusters (about 20
or less) percentile intervals of clusters are somewhat too short. Source: Davison and Hinkley (1997),
Bootstrap Methods and their Application, section 3.8, doi:10.1017/CBO9780511802843.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from workbench.affordance.confidence import check_level
from workbench.errors import InvalidArgumentError

Values = npt.NDArray[np.float64]
Counts = npt.NDArray[np.uint8]

_BLOCK = 256
_BITS = 40
# Up to so many rows all pairs are compared, which is quadratic in them.
_MOST_PAIRED = 5_000
# In counts of one byte; as many as eight tables of this size are kept.
_MOST_KEPT = 2**23


@dataclass(frozen=True, slots=True)
class Interval:
    """A statistic with its percentile-bootstrap interval.

    Attributes:
        value: The statistic of the data; NaN where it is undefined.
        low: Lower end; NaN where no resample gave a value.
        high: Upper end, likewise.
        count: Rows of the data.
        undefined: Resamples on which the statistic was undefined; they do not enter the interval.
    """

    value: float
    low: float
    high: float
    count: int
    undefined: int


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


def cluster_codes(clusters: npt.ArrayLike) -> tuple[npt.NDArray[np.intp], int]:
    """Return a number from 0 for each row's cluster, and how many clusters there are."""
    codes, names = pd.factorize(np.asarray(clusters, dtype=object), sort=True)
    return codes, len(names)


def drawn_clusters(count: int, resamples: int, seed: int) -> Counts:
    """Return how often each cluster is drawn in each resample, with replacement.

    Args:
        count: Clusters, at least 1.
        resamples: At least 1.
        seed: At least 0.

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
    drawn: Counts = np.empty((resamples, count), dtype=np.uint8)
    for rows in _blocks_of_rows(resamples, count):
        drawn[rows] = generator.multinomial(count, np.full(count, 1 / count), len(drawn[rows]))
    drawn.flags.writeable = False
    return drawn


# Many quantities of the same games are resampled alike.
_kept_draws = lru_cache(maxsize=8)(_draws)


def _blocks_of_rows(rows: int, columns: int) -> Iterator[slice]:
    """Yield the rows of a table in parts that fit in little memory."""
    step = max(1, _MOST_KEPT // columns)
    yield from (slice(first, min(first + step, rows)) for first in range(0, rows, step))


def resampled_means(values: Values, codes: npt.NDArray[np.intp], drawn: npt.NDArray[Any]) -> Values:
    """Return the means of each resample.

    Args:
        values: Shape (rows,) or (rows, columns).
        codes: Each row's cluster, shape (rows,).
        drawn: The result of `drawn_clusters`.

    Returns:
        Shape (resamples,) or (resamples, columns).
    """
    resamples, count = drawn.shape
    table = values.reshape(len(values), -1)
    sums = np.zeros((count, table.shape[1]))
    np.add.at(sums, codes, table)
    sizes = np.bincount(codes, minlength=count)
    means: Values = np.empty((resamples, table.shape[1]))
    for rows in _blocks_of_rows(resamples, count):
        times = drawn[rows].astype(float)
        means[rows] = (times @ sums) / (times @ sizes)[:, None]
    return means[:, 0] if values.ndim == 1 else means


def clustered_mean_interval(
    values: npt.ArrayLike,
    clusters: npt.ArrayLike,
    *,
    seed: int,
    resamples: int = 1000,
    level: float = 0.95,
) -> Interval:
    """Return a mean with its percentile interval from resampled clusters.

    Args:
        values: Shape (rows,).
        clusters: Each row's cluster, shape (rows,).
        seed: At least 0.
        resamples: At least 1.
        level: Coverage wanted, in (0, 1).

    Returns:
        The interval; its ends are NaN for fewer than two clusters.
    """
    numbers = np.asarray(values, dtype=float)
    if len(numbers) == 0:
        return Interval(math.nan, math.nan, math.nan, 0, 0)
    codes, count = cluster_codes(clusters)
    means = resampled_means(numbers, codes, drawn_clusters(count, resamples, seed))
    return _interval(float(numbers.mean()), means, count, len(numbers), level)


def clustered_tau_interval(
    values: npt.ArrayLike,
    others: npt.ArrayLike,
    clusters: npt.ArrayLike,
    *,
    seed: int,
    resamples: int = 1000,
    level: float = 0.95,
) -> Interval:
    """Return Kendall's tau-b of `comparable` values, with its interval from resampled clusters.

    Up to 5,000 rows, pairs are compared once; a resample only weighs the pairs of its clusters. A row
    drawn twice is tied with itself, as if tau-b were computed on the drawn rows. Of more rows, and
    where no two share a cluster, it is computed on them, in n log n.

    Args:
        values: Shape (rows,).
        others: Shape (rows,).
        clusters: Each row's cluster, shape (rows,).
        seed: At least 0.
        resamples: At least 1.
        level: Coverage wanted, in (0, 1).

    Returns:
        The interval; its ends are NaN for fewer than two clusters.
    """
    one, other = comparable(values), comparable(others)
    if len(one) == 0:
        return Interval(math.nan, math.nan, math.nan, 0, 0)
    codes, count = cluster_codes(clusters)
    drawn = drawn_clusters(count, resamples, seed)
    if count == len(one) or len(one) > _MOST_PAIRED:
        taus = _taus_of_rows(one, other, codes, drawn)
    else:
        taus = _taus_of_pairs(one, other, codes, drawn)
    return _interval(_tau_b(one, other), taus, count, len(one), level)


def _taus_of_rows(one: Values, other: Values, codes: npt.NDArray[np.intp], drawn: Counts) -> Values:
    """Return tau-b of each resample's rows."""
    # Rows in order are sorted again in half the time.
    order = np.lexsort((one, other))
    one, other, codes = one[order], other[order], codes[order]
    weights = (times[codes] for times in drawn)
    return np.array([_tau_b(np.repeat(one, each), np.repeat(other, each)) for each in weights])


def _taus_of_pairs(
    one: Values, other: Values, codes: npt.NDArray[np.intp], drawn: Counts
) -> Values:
    """Return tau-b of each resample from the pairs of its clusters."""
    times = drawn.astype(float)
    resamples = len(times)
    order = np.argsort(codes, kind="stable")
    one, other, codes = one[order], other[order], codes[order]
    starts = np.flatnonzero(np.diff(codes, prepend=-1))
    weighed = np.zeros((3, resamples))
    for first in range(0, len(codes), _BLOCK):
        rows = slice(first, first + _BLOCK)
        signs = [np.sign(column[rows, None] - column) for column in (one, other)]
        pairs = (signs[0] * signs[1], np.abs(signs[0]), np.abs(signs[1]))
        inner = np.flatnonzero(np.diff(codes[rows], prepend=-1))
        of_block = times[:, codes[rows][inner]]
        for index, pair in enumerate(pairs):
            sums = np.add.reduceat(np.add.reduceat(pair, inner, axis=0), starts, axis=1)
            weighed[index] += ((of_block @ sums) * times).sum(axis=1)
    untied = np.sqrt(weighed[1] * weighed[2])
    taus: Values = np.full(resamples, np.nan)
    np.divide(weighed[0], untied, out=taus, where=untied > 0)
    return taus


def _interval(value: float, resampled: Values, clusters: int, rows: int, level: float) -> Interval:
    low, high = quantile_ends(resampled, level) if clusters > 1 else (math.nan, math.nan)
    return Interval(value, low, high, rows, int(np.isnan(resampled).sum()))
