"""Bootstrap of whole clusters: rows of one game are drawn together, because they are similar.

Where each row is a cluster of its own, this is the ordinary bootstrap. With few clusters (about 20
or less) percentile intervals of clusters are somewhat too short. Source: Davison and Hinkley (1997),
Bootstrap Methods and their Application, section 3.8, doi:10.1017/CBO9780511802843.
"""

import math
from functools import lru_cache

import numpy as np
import numpy.typing as npt
import pandas as pd

from workbench.errors import InvalidArgumentError
from workbench.studies.intervals import Interval, quantile_ends

Values = npt.NDArray[np.float64]

_BLOCK = 512
_BITS = 40


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


# Many quantities of the same games are resampled alike.
@lru_cache(maxsize=8)
def drawn_clusters(count: int, resamples: int, seed: int) -> Values:
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
    generator = np.random.default_rng(seed)
    drawn: Values = generator.multinomial(count, np.full(count, 1 / count), resamples).astype(float)
    drawn.flags.writeable = False
    return drawn


def resampled_means(values: Values, codes: npt.NDArray[np.intp], drawn: Values) -> Values:
    """Return the means of each resample.

    Args:
        values: Shape (rows,) or (rows, columns).
        codes: Each row's cluster, shape (rows,).
        drawn: The result of `drawn_clusters`.

    Returns:
        Shape (resamples,) or (resamples, columns).
    """
    table = values.reshape(len(values), -1)
    sums = np.zeros((drawn.shape[1], table.shape[1]))
    np.add.at(sums, codes, table)
    sizes = np.bincount(codes, minlength=drawn.shape[1])
    means: Values = (drawn @ sums) / (drawn @ sizes)[:, None]
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

    Pairs of rows are compared once; a resample only weighs the pairs of its clusters. A row drawn
    twice is tied with itself, as if tau-b were computed on the drawn rows.

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
    if count == len(one):
        # No two rows share a cluster: to draw rows costs less than to weigh all pairs.
        numbers = (np.repeat(codes.argsort(), times) for times in drawn.astype(int))
        taus = np.array([_tau_b(one[rows], other[rows]) for rows in numbers])
        return _interval(_tau_b(one, other), taus, count, len(one), level)
    order = np.argsort(codes, kind="stable")
    one, other, codes = one[order], other[order], codes[order]
    starts = np.flatnonzero(np.diff(codes, prepend=-1))
    weighed = np.zeros((3, resamples))
    for first in range(0, count, _BLOCK):
        last = min(first + _BLOCK, count)
        rows = slice(starts[first], starts[last] if last < count else len(codes))
        signs = [np.sign(column[rows, None] - column) for column in (one, other)]
        pairs = (signs[0] * signs[1], np.abs(signs[0]), np.abs(signs[1]))
        inner = starts[first:last] - starts[first]
        for index, pair in enumerate(pairs):
            sums = np.add.reduceat(np.add.reduceat(pair, inner, axis=0), starts, axis=1)
            weighed[index] += ((drawn[:, first:last] @ sums) * drawn).sum(axis=1)
    untied = np.sqrt(weighed[1] * weighed[2])
    taus = np.divide(weighed[0], untied, out=np.full(resamples, np.nan), where=untied > 0)
    return _interval(_tau_b(one, other), taus, count, len(one), level)


def _interval(value: float, resampled: Values, clusters: int, rows: int, level: float) -> Interval:
    low, high = quantile_ends(resampled, level) if clusters > 1 else (math.nan, math.nan)
    return Interval(value, low, high, rows, int(np.isnan(resampled).sum()))
