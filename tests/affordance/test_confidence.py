"""Intervals against closed forms, their defining equations and scipy."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from workbench.affordance.estimate import binomial_interval, skewed_mean_interval
from workbench.errors import InvalidArgumentError

# No automaton takes part, so that one engine is enough.
pytestmark = pytest.mark.parametrize("engine", ["reference"], indirect=True)


class TestBinomial:
    @pytest.mark.parametrize("draws", [1, 7, 500])
    def test_none_and_all_in_closed_form(self, draws):
        """Half of P[0] is the tail of 2.5%: (1 - p)^n = 0.05."""
        assert binomial_interval(0, draws) == pytest.approx((0, 1 - 0.05 ** (1 / draws)))
        assert binomial_interval(draws, draws) == pytest.approx((0.05 ** (1 / draws), 1))

    @given(st.integers(1, 60), st.data())
    def test_the_tails_hold_what_they_should(self, draws, data):
        accepted = data.draw(st.integers(0, draws))
        low, high = binomial_interval(accepted, draws, 0.9)
        chances = {
            end: [math.comb(draws, k) * end**k * (1 - end) ** (draws - k) for k in range(draws + 1)]
            for end in (low, high)
        }
        if accepted > 0:
            assert sum(chances[low][accepted + 1 :]) + chances[low][accepted] / 2 == pytest.approx(
                0.05
            )
        if accepted < draws:
            assert sum(chances[high][:accepted]) + chances[high][accepted] / 2 == pytest.approx(
                0.05
            )

    @given(st.integers(1, 40), st.data())
    def test_lies_within_clopper_and_pearson(self, draws, data):
        accepted = data.draw(st.integers(0, draws))
        low, high = binomial_interval(accepted, draws)
        wider = stats.binomtest(accepted, draws).proportion_ci(0.95, "exact")
        assert wider.low - 1e-9 <= low <= accepted / draws <= high <= wider.high + 1e-9

    def test_holds_small_chances_at_least_almost_as_often_as_it_says(self):
        """Summed over all counts, for 0.01 to 50 expected yeses: the least is 91.7%, at three."""
        draws = 1000
        ends = np.array([binomial_interval(count, draws) for count in range(140)])
        for expected in np.geomspace(0.01, 50, 200):
            chance = expected / draws
            held = (ends[:, 0] <= chance) & (chance <= ends[:, 1])
            assert stats.binom.pmf(np.arange(140), draws, chance)[held].sum() > 0.916

    @pytest.mark.parametrize(("accepted", "draws"), [(-1, 4), (5, 4), (0, 0)])
    def test_impossible_counts_are_named(self, accepted, draws):
        with pytest.raises(InvalidArgumentError, match="accepted"):
            binomial_interval(accepted, draws)

    def test_a_level_out_of_range_is_named(self):
        with pytest.raises(InvalidArgumentError, match="level"):
            binomial_interval(1, 2, 1.0)


class TestMean:
    def test_without_skewness_it_is_students(self):
        values = np.random.default_rng(5).normal(3, 1, 12)
        found = skewed_mean_interval(values.mean(), stats.sem(values), math.nan, 12, 0.9)
        assert found == pytest.approx(stats.ttest_1samp(values, 0).confidence_interval(0.9))
        near = skewed_mean_interval(values.mean(), stats.sem(values), 1e-5, 12, 0.9)
        assert near == pytest.approx(found, abs=1e-4)

    @given(st.floats(-4, 4).filter(lambda g: abs(g) > 1e-3), st.integers(3, 64))
    def test_the_ends_solve_halls_equation(self, skewness, count):
        """T + g T^2 / (3 sqrt n) + g^2 T^3 / (27 n) + g / (6 sqrt n) is the quantile of t."""
        ends = skewed_mean_interval(0.0, 1.0, skewness, count)
        quantile = stats.t.ppf(0.975, count - 1)
        for end, wanted in zip(ends, (quantile, -quantile), strict=True):
            distance = -end
            root = math.sqrt(count)
            transformed = (
                distance
                + skewness * distance**2 / (3 * root)
                + skewness**2 * distance**3 / (27 * count)
                + skewness / (6 * root)
            )
            assert transformed == pytest.approx(wanted, rel=1e-6)

    def test_covers_a_skewed_mean_better_than_students(self):
        """Means of 32 draws of exp(normal), 2,000 of them; what Student's t misses is above."""
        values = np.random.default_rng(6).lognormal(0, 1, (2000, 32))
        exact = math.exp(0.5)
        ends = np.array(
            [
                skewed_mean_interval(row.mean(), stats.sem(row), skew, 32)
                for row, skew in zip(values, stats.skew(values, axis=1, bias=False), strict=True)
            ]
        )
        plain = np.array(
            [skewed_mean_interval(row.mean(), stats.sem(row), math.nan, 32) for row in values]
        )
        covered, less = (((e[:, 0] <= exact) & (exact <= e[:, 1])).mean() for e in (ends, plain))
        error = math.sqrt(0.95 * 0.05 / 2000)
        assert less + 4 * error < covered < 0.95 + 4 * error

    def test_what_has_no_spread_or_no_error(self):
        assert skewed_mean_interval(0.3, 0.0, math.nan, 8) == (0.3, 0.3)
        assert all(map(math.isnan, skewed_mean_interval(0.3, math.nan, math.nan, 1)))

    def test_a_level_out_of_range_is_named(self):
        with pytest.raises(InvalidArgumentError, match="level"):
            skewed_mean_interval(0.3, 0.1, 0.0, 8, 0.0)
