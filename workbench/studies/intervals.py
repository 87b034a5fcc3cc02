"""Bootstrap intervals for statistics that may be undefined on some resamples."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from workbench.affordance.confidence import check_level


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
