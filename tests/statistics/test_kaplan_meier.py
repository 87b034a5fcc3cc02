"""The share without an event, and the median length until it, of censored lengths."""

import math

import numpy as np
import pytest

from workbench.errors import InvalidArgumentError
from workbench.statistics.kaplan_meier import median_length, share_without_event

# Weeks of remission under 6-mercaptopurine; Freireich et al. (1963), Blood 21, as in every textbook.
WEEKS = [6, 6, 6, 6, 7, 9, 10, 10, 11, 13, 16, 17, 19, 20, 22, 23, 25, 32, 32, 34, 35]
EVENTS = [1, 1, 1, 0, 1, 0, 1, 0, 0, 1, 1, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0]


def test_the_shares_are_those_of_the_textbook():
    times, shares = share_without_event(WEEKS, EVENTS)
    assert times.tolist() == [6, 7, 10, 13, 16, 22, 23]
    assert shares == pytest.approx([0.857, 0.807, 0.753, 0.690, 0.627, 0.538, 0.448], abs=5e-4)
    median = median_length(WEEKS, EVENTS)
    assert (median.value, median.count, median.events) == (23, 21, 9)
    assert median.low < 23 < median.high


def test_without_censoring_it_is_the_plain_median():
    lengths = np.random.default_rng(0).integers(1, 50, 101)
    assert median_length(lengths, np.ones(101)).value == np.median(lengths)


def test_a_median_beyond_the_lengths_is_infinite_and_not_a_number_of_none():
    assert str(median_length([5, 5, 5], [False] * 3)) == "∞ [∞, ∞]"
    assert median_length([5, 9], [True, False]).high == math.inf
    assert math.isnan(median_length([], []).value)
    assert str(median_length([4], [True])) == "4"


def test_units_of_which_half_have_the_event_are_at_the_median():
    # Ten units, one event each: rounding must not move the half by one.
    assert median_length(range(1, 11), [True] * 10).value == 5


def test_the_interval_holds_the_median_as_often_as_it_says():
    generator = np.random.default_rng(1)
    held = 0
    for _ in range(200):
        true, censored = generator.exponential(10, 40), generator.exponential(20, 40)
        interval = median_length(np.minimum(true, censored), true <= censored, resamples=400)
        held += interval.low <= 10 * math.log(2) <= interval.high
    # 95% of 200, less three standard errors.
    assert held >= 180


@pytest.mark.parametrize(
    ("lengths", "events"), [([-1], [True]), ([1, 2], [True]), ([math.nan], [0])]
)
def test_other_lengths_are_refused(lengths, events):
    with pytest.raises(InvalidArgumentError, match="lengths: expected numbers of at least 0"):
        median_length(lengths, events)
