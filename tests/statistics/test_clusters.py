"""Intervals over clusters against scipy's, against cases by hand, and on repeated rows."""

import math
import tracemalloc

import numpy as np
import pytest
from scipy.special import expit
from scipy.stats import kendalltau, sem, ttest_1samp, ttest_ind, ttest_rel
from scipy.stats import t as student

from workbench.errors import InvalidArgumentError
from workbench.statistics import intervals
from workbench.statistics.intervals import (
    DIFFERENCE,
    SHARE,
    cluster_codes,
    cluster_resamples,
    clustered_mean_interval,
    clustered_tau_interval,
    comparable,
    difference_interval,
    resampled_means,
)


def test_rows_that_are_clusters_give_students_interval():
    data = np.random.default_rng(0).normal(3.0, 2.0, size=25)
    found = clustered_mean_interval(data, np.arange(25))
    expected = ttest_1samp(data, 0).confidence_interval(0.95)
    assert (found.low, found.high) == pytest.approx((expected.low, expected.high), rel=1e-12)
    assert found.standard_error == pytest.approx(sem(data), rel=1e-12)
    assert (found.count, found.clusters, found.effective) == (25, 25, 25.0)
    narrow = clustered_mean_interval(data, np.arange(25), level=0.5)
    expected = ttest_1samp(data, 0).confidence_interval(0.5)
    assert (narrow.low, narrow.high) == pytest.approx((expected.low, expected.high), rel=1e-12)


def test_clusters_of_one_size_give_students_interval_of_their_means():
    """A hundred copies of the same ten games are still ten games."""
    generator = np.random.default_rng(1)
    data = generator.normal(size=(10, 7))
    expected = ttest_1samp(data.mean(axis=1), 0).confidence_interval()
    found = clustered_mean_interval(data.ravel(), np.repeat(np.arange(10), 7))
    assert (found.low, found.high) == pytest.approx((expected.low, expected.high))
    many = clustered_mean_interval(np.repeat(data, 100), np.repeat(np.arange(10), 700))
    assert (many.low, many.high) == pytest.approx((found.low, found.high))
    assert (many.clusters, many.effective) == (10, pytest.approx(10.0))


def test_clusters_of_different_sizes_by_hand():
    """Sizes 1, 2, 3 and sums 0, 1, 3: the mean is 2/3, the deviations' sums are -2/3, -1/3 and 1.

    CR2 divides their squares by 1 - n/6: 4/9 * 6/5 + 1/9 * 3/2 + 1 * 2 = 2.7; the error is sqrt(2.7)/6.
    The effective number is 36/14, so Student's t has 11/7 degrees.
    """
    found = clustered_mean_interval([0, 0, 1, 1, 1, 1], [0, 1, 1, 2, 2, 2])
    assert found.value == pytest.approx(2 / 3)
    assert found.standard_error == pytest.approx(math.sqrt(2.7) / 6)
    assert found.effective == pytest.approx(36 / 14)
    half = student.ppf(0.975, 11 / 7) * math.sqrt(2.7) / 6
    assert (found.low, found.high) == pytest.approx((2 / 3 - half, 2 / 3 + half))
    inside = clustered_mean_interval([0, 0, 1, 1, 1, 1], [0, 1, 1, 2, 2, 2], within=(0, 1))
    # The logit of 2/3 is log 2, and its derivative there 1 / (2/3 * 1/3) = 9/2.
    ends = expit(math.log(2) + np.array([-1, 1]) * half * 9 / 2)
    assert (inside.low, inside.high) == pytest.approx(tuple(ends))
    wider = clustered_mean_interval([-1, -1, 1, 1, 1, 1], [0, 1, 1, 2, 2, 2], within=(-1, 1))
    assert (wider.low, wider.high) == pytest.approx(tuple(2 * ends - 1))


def test_an_interval_stays_in_the_range_of_the_values():
    games = np.repeat(np.arange(20), 10)
    for errors in (1, 3, 199):
        values = np.ones(200)
        values[:errors] = 0
        found = clustered_mean_interval(values, games, within=SHARE)
        assert 0 < found.low < found.value < found.high < 1
    with pytest.raises(InvalidArgumentError, match=r"from 0 to 1, got 1 others, such as .*1\.5"):
        clustered_mean_interval([0.0, 1.5], [0, 1], within=SHARE)


def test_an_interval_of_values_without_an_upper_bound_ends_at_the_lower_one():
    values = [0, 0, 0, 90]
    free = clustered_mean_interval(values, range(4))
    bounded = clustered_mean_interval(values, range(4), within=(0, math.inf))
    assert free.low < 0
    assert (bounded.low, bounded.high) == (0, free.high)
    with pytest.raises(InvalidArgumentError, match="from 0 to inf"):
        clustered_mean_interval([-1, 2], range(2), within=(0, math.inf))


@pytest.mark.parametrize("value", [0.0, 1.0, 0.1, -1e-7])
def test_clusters_that_do_not_vary_have_no_interval(value):
    found = clustered_mean_interval(np.full(30, value), np.arange(30) % 4, within=DIFFERENCE)
    assert found.value == pytest.approx(value)
    assert math.isnan(found.low)
    assert math.isnan(found.high)
    assert math.isnan(found.standard_error)


def test_nearly_all_rows_in_one_cluster_have_no_interval():
    found = clustered_mean_interval([*np.arange(100.0), 7.0], [*np.zeros(100), 1])
    assert found.clusters == 2
    assert found.effective == pytest.approx(101**2 / 10_001)
    assert math.isnan(found.low)


def test_means_of_other_clusters_differ_as_by_welch():
    generator = np.random.default_rng(3)
    one, other = generator.normal(1, 1, 12), generator.normal(0, 4, 30)
    found = difference_interval(
        clustered_mean_interval(one, np.arange(12)), clustered_mean_interval(other, np.arange(30))
    )
    expected = ttest_ind(one, other, equal_var=False)
    ends = expected.confidence_interval()
    assert (found.low, found.high) == pytest.approx((ends.low, ends.high), rel=1e-12)
    assert found.effective - 1 == pytest.approx(expected.df)
    assert (found.count, found.clusters) == (42, 42)
    still = clustered_mean_interval(np.ones(5), np.arange(5))
    assert math.isnan(difference_interval(still, clustered_mean_interval(one, np.arange(12))).low)


def test_paired_differences_have_the_paired_interval():
    one, other = np.random.default_rng(4).random((2, 15))
    found = clustered_mean_interval(one - other, np.arange(15))
    ends = ttest_rel(one, other).confidence_interval()
    assert (found.low, found.high) == pytest.approx((ends.low, ends.high), rel=1e-12)


def test_means_are_those_of_the_drawn_rows():
    values = np.array([[1.0, 10.0], [2.0, 20.0], [4.0, 40.0]])
    codes, count = cluster_codes(["b", "a", "b"])
    assert (codes.tolist(), count) == ([1, 0, 1], 2)
    drawn = np.array([[2.0, 0.0], [1.0, 1.0], [0.0, 2.0]])
    means = resampled_means(values, codes, drawn)
    assert means[:, 0] == pytest.approx([2.0, 7 / 3, 2.5])
    assert means[:, 1] == pytest.approx([20.0, 70 / 3, 25.0])


@pytest.mark.parametrize("block", [1, 3, 512])
def test_taus_error_is_that_of_the_infinitesimal_jackknife(monkeypatch, block):
    """The influence of a row is the derivative of tau-b by its weight."""
    monkeypatch.setattr(intervals, "_BLOCK", block)
    one, other = np.random.default_rng(5).integers(0, 5, size=(2, 40)).astype(float)
    tau = kendalltau(one, other).statistic
    influence = intervals._influence_on_tau(one, other, tau)
    assert influence.sum() == pytest.approx(0, abs=1e-9)
    for row in range(0, 40, 7):
        # As if this row stood there one and a millionth times.
        taus = [_weighted_tau(one, other, row, 1 + step) for step in (-1e-6, 1e-6)]
        assert influence[row] / 40 == pytest.approx((taus[1] - taus[0]) / 2e-6, rel=1e-5, abs=1e-8)


def _weighted_tau(one, other, row, weight):
    weights = np.ones(len(one))
    weights[row] = weight
    signs = [np.sign(column[:, None] - column) for column in (one, other)]
    sums = [weights @ each @ weights for each in (signs[0] * signs[1], *map(np.abs, signs))]
    return sums[0] / math.sqrt(sums[1] * sums[2])


def test_taus_error_without_ties_is_the_one_of_kendall():
    """Of independent values without ties the variance is 2(2n + 5) / 9n(n - 1): Kendall (1938)."""
    generator = np.random.default_rng(6)
    taus = [clustered_tau_interval(*generator.random((2, 60)), np.arange(60)) for _ in range(200)]
    expected = math.sqrt(2 * 125 / (9 * 60 * 59))
    assert np.std([each.value for each in taus]) == pytest.approx(expected, rel=0.15)
    assert np.mean([each.standard_error for each in taus]) == pytest.approx(expected, rel=0.05)
    assert 182 <= sum(each.low <= 0 <= each.high for each in taus) <= 198


def test_tau_of_clusters_repeated_is_that_of_fewer_rows():
    """Ten copies of each row in its cluster say nothing new."""
    one, other = np.random.default_rng(8).random((2, 24))
    games = np.arange(24) % 6
    few = clustered_tau_interval(one, other, games)
    many = clustered_tau_interval(*(np.repeat(each, 10) for each in (one, other, games)))
    assert (many.value, many.low, many.high) == pytest.approx((few.value, few.low, few.high))
    assert -1 < few.low < few.value < few.high < 1


def test_of_many_rows_no_pairs_are_kept():
    """All pairs of 6,000 rows as floats take 288 MB."""
    one, other = np.random.default_rng(0).integers(0, 50, (2, 6000)).astype(float)
    tracemalloc.start()
    try:
        found = clustered_tau_interval(one, other, np.arange(6000) // 5)
        assert tracemalloc.get_traced_memory()[1] < 30e6
    finally:
        tracemalloc.stop()
    assert abs(found.value) < 0.05


def test_draws_are_those_of_one_multinomial_however_they_are_made_and_kept(monkeypatch):
    expected = np.random.default_rng(9).multinomial(100, np.full(100, 1 / 100), 70)
    for most in (2**23, 1000, 1):
        monkeypatch.setattr(intervals, "_MOST_KEPT", most)
        drawn = cluster_resamples(100, 70, 9)
        np.testing.assert_array_equal(drawn, expected)
        assert drawn.itemsize == 1
        # What is large is drawn again, not kept.
        assert (cluster_resamples(100, 70, 9) is drawn) == (most == 2**23)
        values = np.random.default_rng(1).random((300, 2))
        codes = np.arange(300) % 100
        means = (expected @ values.reshape(3, 100, 2).sum(axis=0)) / 300
        np.testing.assert_allclose(resampled_means(values, codes, drawn), means, rtol=1e-12)


@pytest.mark.parametrize("clusters", [6, 3])
def test_rounding_errors_make_and_break_no_ties(clusters):
    """0.1 + 0.2 is not 0.3 in binary; of three pairs of 6 values, tied within, tau-b is 1."""
    sums = [0.1 + 0.2, 0.3, 1e-9, 1e-9 * (1 + 2**-52), 1.0, 1 - 2**-53]
    assert len(set(sums)) == 6
    assert len(set(comparable(sums))) == 3
    found = clustered_tau_interval(sums, [2, 2, 1, 1, 3, 3], np.arange(6) % clusters)
    assert found.value == 1.0


def test_values_that_differ_by_more_stay_apart():
    values = 10.0 ** -np.arange(300) * (1 + np.array([[0.0], [1e-11]]))
    assert len(np.unique(comparable(values))) == 600
    assert comparable([0.0, -0.25, np.nan, np.inf]).tolist()[:2] == [0.0, -0.25]


def test_perfect_agreement_has_no_interval():
    """No cluster moves tau, and none says how far others would."""
    found = clustered_tau_interval([0.0, 1.0, 2.0], [2.0, 5.0, 7.0], [0, 1, 2])
    assert found.value == pytest.approx(1.0)
    assert math.isnan(found.low)
    constant = clustered_tau_interval([1.0, 1.0, 1.0], [2.0, 5.0, 7.0], [0, 1, 2])
    assert math.isnan(constant.value)
    assert math.isnan(constant.high)


def test_one_cluster_has_no_interval_and_no_rows_have_no_mean():
    one = clustered_mean_interval([1.0, 3.0], ["game", "game"])
    assert one.value == 2.0
    assert math.isnan(one.low)
    assert math.isnan(one.high)
    none = clustered_mean_interval([], [])
    assert math.isnan(none.value)
    assert none.count == 0
    assert math.isnan(clustered_tau_interval([], [], []).value)


def test_what_is_out_of_range_is_refused():
    with pytest.raises(InvalidArgumentError, match="0"):
        cluster_resamples(3, 0, 0)
    with pytest.raises(InvalidArgumentError, match="level"):
        clustered_mean_interval([1.0, 2.0], [0, 1], level=1.0)
