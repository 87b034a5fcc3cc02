"""Confidence intervals: of a share of independent draws, and of a mean of skewed values."""

import math
from functools import lru_cache

from workbench.errors import InvalidArgumentError


# Runs that count accepted lines have the same few counts again and again.
@lru_cache(maxsize=1 << 12)
def binomial_interval(accepted: int, draws: int, level: float = 0.95) -> tuple[float, float]:
    """Return the mid-P interval of a chance, from independent yes-or-no draws.

    Where hardly a draw is expected to be accepted, every interval that depends on the count alone
    holds the chance in steps: this one at 95% from 91.7% (where three are expected) to always.

    Args:
        accepted: Draws that said yes, from 0 to ``draws``.
        draws: At least 1.
        level: The coverage wanted, in (0, 1).

    Returns:
        Lower and upper end, 0 where no draw and 1 where every draw was accepted.

    Raises:
        InvalidArgumentError: If an argument is out of range.

    Source: Berry and Armitage (1995), doi:10.2307/2348891.
    """
    # scipy.stats takes longer to import than everything else that the package needs at first.
    from scipy.optimize import brentq
    from scipy.stats import binom

    check_level(level)
    if not 0 <= accepted <= draws or draws < 1:
        raise InvalidArgumentError(
            f"expected 0 to {draws!r} accepted of at least 1 draw, got {accepted!r}"
        )
    tail = (1 - level) / 2

    def above(chance: float) -> float:
        half = 0.5 * float(binom.pmf(accepted, draws, chance))
        return float(binom.sf(accepted, draws, chance)) + half

    low = 0.0 if accepted == 0 else brentq(lambda p: above(p) - tail, 0.0, 1.0, xtol=1e-14)
    high = 1.0 if accepted == draws else brentq(lambda p: above(p) - 1 + tail, 0.0, 1.0, xtol=1e-14)
    return float(low), float(high)


def skewed_mean_interval(
    value: float, standard_error: float, skewness: float, count: int, level: float = 0.95
) -> tuple[float, float]:
    """Return the interval of a mean of independent values that may be skewed.

    Student's t, transformed so that the skewness of the values, as it was found, has no part in
    it: weighted estimates have rare large values, and the symmetrical interval is then too short
    above.

    Args:
        value: The mean.
        standard_error: Of the mean, from the spread of the values.
        skewness: Of the values; NaN, as of fewer than three, leaves Student's interval.
        count: How many values there were, at least 1.
        level: The coverage wanted, in (0, 1).

    Returns:
        Lower and upper end; both the value where the standard error is 0, NaN where it is NaN.

    Raises:
        InvalidArgumentError: If ``level`` is out of range.

    Source: Hall (1992), the cubic transformation, doi:10.1111/j.2517-6161.1992.tb01872.x.
    """
    from scipy.stats import t as student

    check_level(level)
    if math.isnan(standard_error):
        return math.nan, math.nan
    if standard_error == 0.0:
        return value, value
    quantile = float(student.ppf((1 + level) / 2, count - 1))
    low, high = (_untransformed(sign * quantile, skewness, count) for sign in (1, -1))
    return value - low * standard_error, value - high * standard_error


def _untransformed(quantile: float, skewness: float, count: int) -> float:
    """Return the standardised distance of the mean whose transform is ``quantile``."""
    if math.isnan(skewness) or abs(skewness) < 1e-6:
        return quantile
    root = math.sqrt(count)
    inner = 1 + skewness * (quantile / root - skewness / (6 * count))
    return 3 * root * (math.cbrt(inner) - 1) / skewness


def check_level(level: float) -> None:
    """Refuse a coverage that is none.

    Raises:
        InvalidArgumentError: If ``level`` is not in (0, 1).
    """
    if not 0 < level < 1:
        raise InvalidArgumentError(f"expected a level in (0, 1), got {level!r}")
