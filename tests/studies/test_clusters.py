"""The bootstrap of clusters against the normal law, drawn rows, and itself on repeated rows."""

import math
import tracemalloc

import numpy as np
import pytest
from scipy.stats import kendalltau

from workbench.errors import InvalidArgumentError
from workbench.statistics import intervals
from workbench.statistics.intervals import (
    cluster_codes,
    clustered_mean_interval,
    clustered_tau_interval,
    comparable,
    drawn_clusters,
    resampled_means,
)


def test_rows_that_are_clusters_give_the_ordinary_interval():
    data = np.random.default_rng(0).normal(3.0, 2.0, size=2500)
    found = clustered_mean_interval(data, np.arange(2500), seed=1, resamples=2000)
    half = 1.96 * data.std() / 50
    assert found.value == pytest.approx(data.mean())
    assert found.low == pytest.approx(data.mean() - half, abs=0.15 * half)
    assert found.high == pytest.approx(data.mean() + half, abs=0.15 * half)


def test_repeating_the_rows_of_each_cluster_changes_nothing():
    """A hundred copies of the same ten games are still ten games."""
    data, games = np.random.default_rng(1).normal(size=10), np.arange(10)
    few = clustered_mean_interval(data, games, seed=3)
    many = clustered_mean_interval(np.repeat(data, 100), np.repeat(games, 100), seed=3)
    assert (many.low, many.high) == pytest.approx((few.low, few.high))
    as_rows = clustered_mean_interval(np.repeat(data, 100), np.arange(1000), seed=3)
    assert as_rows.high - as_rows.low < 0.2 * (few.high - few.low)


def test_means_are_those_of_the_drawn_rows():
    values = np.array([[1.0, 10.0], [2.0, 20.0], [4.0, 40.0]])
    codes, count = cluster_codes(["b", "a", "b"])
    assert (codes.tolist(), count) == ([1, 0, 1], 2)
    drawn = np.array([[2.0, 0.0], [1.0, 1.0], [0.0, 2.0]])
    means = resampled_means(values, codes, drawn)
    assert means[:, 0] == pytest.approx([2.0, 7 / 3, 2.5])
    assert means[:, 1] == pytest.approx([20.0, 70 / 3, 25.0])


@pytest.mark.parametrize(("block", "clusters"), [(1, 7), (3, 7), (512, 7), (512, 40)])
def test_tau_is_that_of_the_drawn_rows(monkeypatch, block, clusters):
    monkeypatch.setattr(intervals, "_BLOCK", block)
    generator = np.random.default_rng(5)
    one, other = generator.integers(0, 5, size=(2, 40)).astype(float)
    games = generator.permutation(np.arange(40) % clusters)
    found = clustered_tau_interval(one, other, games, seed=11, resamples=30)
    codes, count = cluster_codes(games)
    taus = []
    for times in drawn_clusters(count, 30, 11).astype(int):
        rows = np.concatenate(
            [np.repeat(np.flatnonzero(codes == c), times[c]) for c in range(count)]
        )
        taus.append(kendalltau(one[rows], other[rows]).statistic)
    assert found.value == pytest.approx(kendalltau(one, other).statistic)
    assert (found.low, found.high) == pytest.approx(tuple(np.quantile(taus, [0.025, 0.975])))


@pytest.mark.parametrize("clusters", [2, 60, 299, 300])
def test_pairs_and_drawn_rows_have_one_tau(monkeypatch, clusters):
    generator = np.random.default_rng(clusters)
    one = comparable(generator.integers(0, 9, 300) / 9)
    other = comparable(one + generator.integers(0, 3, 300))
    codes, count = cluster_codes(generator.permutation(np.arange(300) % clusters))
    drawn = drawn_clusters(count, 50, 2)
    pairs = intervals._taus_of_pairs(one, other, codes, drawn)
    rows = intervals._taus_of_rows(one, other, codes, drawn)
    np.testing.assert_allclose(rows, pairs, rtol=1e-12)
    below = clustered_tau_interval(one, other, codes, seed=2, resamples=50)
    monkeypatch.setattr(intervals, "_MOST_PAIRED", 0)
    beyond = clustered_tau_interval(one, other, codes, seed=2, resamples=50)
    assert (beyond.low, beyond.high) == pytest.approx((below.low, below.high), rel=1e-12)


def test_of_many_rows_no_pairs_are_kept():
    """All pairs of 6,000 rows as floats take 288 MB."""
    one, other = np.random.default_rng(0).integers(0, 50, (2, 6000)).astype(float)
    tracemalloc.start()
    try:
        found = clustered_tau_interval(one, other, np.arange(6000) // 5, seed=0, resamples=20)
        assert tracemalloc.get_traced_memory()[1] < 30e6
    finally:
        tracemalloc.stop()
    assert abs(found.value) < 0.05


def test_draws_are_those_of_one_multinomial_however_they_are_made_and_kept(monkeypatch):
    expected = np.random.default_rng(9).multinomial(100, np.full(100, 1 / 100), 70)
    for most in (2**23, 1000, 1):
        monkeypatch.setattr(intervals, "_MOST_KEPT", most)
        drawn = drawn_clusters(100, 70, 9)
        np.testing.assert_array_equal(drawn, expected)
        assert drawn.itemsize == 1
        # What is large is drawn again, not kept.
        assert (drawn_clusters(100, 70, 9) is drawn) == (most == 2**23)
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
    found = clustered_tau_interval(
        sums, [2, 2, 1, 1, 3, 3], np.arange(6) % clusters, seed=0, resamples=20
    )
    assert found.value == 1.0


def test_values_that_differ_by_more_stay_apart():
    values = 10.0 ** -np.arange(300) * (1 + np.array([[0.0], [1e-11]]))
    assert len(np.unique(comparable(values))) == 600
    assert comparable([0.0, -0.25, np.nan, np.inf]).tolist()[:2] == [0.0, -0.25]


def test_resamples_without_a_tau_are_counted():
    """Of two rows, half the resamples hold one row twice."""
    found = clustered_tau_interval([0.0, 1.0], [2.0, 5.0], [0, 1], seed=0, resamples=400)
    assert found.value == found.low == found.high == pytest.approx(1.0)
    assert abs(found.undefined - 200) < 4 * math.sqrt(400) / 2


def test_one_cluster_has_no_interval_and_no_rows_have_no_mean():
    one = clustered_mean_interval([1.0, 3.0], ["game", "game"], seed=0)
    assert one.value == 2.0
    assert math.isnan(one.low)
    assert math.isnan(one.high)
    none = clustered_mean_interval([], [], seed=0)
    assert math.isnan(none.value)
    assert none.count == 0
    assert math.isnan(clustered_tau_interval([], [], [], seed=0).value)


def test_what_is_out_of_range_is_refused():
    with pytest.raises(InvalidArgumentError, match="0"):
        drawn_clusters(3, 0, 0)
    with pytest.raises(InvalidArgumentError, match="level"):
        clustered_mean_interval([1.0, 2.0], [0, 1], seed=0, level=1.0)
