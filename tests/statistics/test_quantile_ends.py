"""The percentile interval of resampled values."""

import math

import numpy as np
import pytest

from workbench.errors import InvalidArgumentError
from workbench.statistics.intervals import quantile_ends


@pytest.mark.parametrize(
    ("level", "ends"), [(0.95, (25, 975)), (0.9, (50, 950)), (0.5, (250, 750))]
)
def test_equal_shares_are_left_out_at_both_ends(level, ends):
    values = np.random.default_rng(0).permutation(1001)
    assert quantile_ends(values, level) == pytest.approx(ends)


def test_the_level_is_95_percent_unless_another_is_named():
    assert quantile_ends(range(1001)) == quantile_ends(range(1001), 0.95)


def test_what_is_undefined_is_left_out():
    assert quantile_ends([math.nan, *range(1001), math.nan]) == pytest.approx((25, 975))
    assert np.isnan(quantile_ends([])).all()
    assert np.isnan(quantile_ends([math.nan])).all()


@pytest.mark.parametrize("level", [0, 1, -0.5, math.nan])
def test_a_level_is_inside_0_and_1(level):
    with pytest.raises(InvalidArgumentError):
        quantile_ends([1, 2], level)
