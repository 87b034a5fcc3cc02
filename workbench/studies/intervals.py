"""Bootstrap intervals for statistics that may be undefined on some resamples."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from workbench.affordance.confidence import check_level
from workbench.errors import InvalidArgumentError


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


def bootstrap_interval(
    statistic: Callable[..., float],
    *columns: npt.ArrayLike,
    seed: int,
    resamples: int = 1000,
    level: float = 0.95,
) -> Interval:
    """Return a statistic of paired columns with its percentile-bootstrap interval.

    Args:
        statistic: Takes as many arrays as there are columns; returns a float, NaN if undefined.
        columns: Arrays of one length n; rows are resampled together.
        seed: At least 0; the same seed gives the same interval.
        resamples: At least 1.
        level: Coverage wanted, in (0, 1).

    Raises:
        InvalidArgumentError: If the columns differ in length, or a number is out of range.

    Source: Efron (1979), doi:10.1214/aos/1176344552.
    """
    check_level(level)
    arrays = [np.asarray(column) for column in columns]
    counts = {len(array) for array in arrays}
    if len(counts) != 1 or resamples < 1:
        raise InvalidArgumentError(
            f"expected columns of one length and resamples of at least 1, got lengths "
            f"{sorted(counts)}, {resamples!r}"
        )
    count = counts.pop()
    if count == 0:
        return Interval(np.nan, np.nan, np.nan, 0, 0)
    generator = np.random.default_rng(seed)
    values = np.empty(resamples)
    for index in range(resamples):
        rows = generator.integers(count, size=count)
        values[index] = statistic(*(array[rows] for array in arrays))
    ends = quantile_ends(values, level)
    return Interval(float(statistic(*arrays)), *ends, count, int(np.isnan(values).sum()))


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
