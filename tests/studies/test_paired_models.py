"""Pairs of models, against differences and p-values worked by hand."""

import math

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binomtest
from scipy.stats import t as student

from workbench.errors import InvalidArgumentError
from workbench.statistics import paired_tests
from workbench.statistics.paired_tests import (
    group_letters,
    grouped_mcnemar,
    holm_in_families,
    least_p_value,
    separated_pairs,
    sign_test,
)
from workbench.studies.models.model_ranks import compare_pairs


def scores_of(**models):
    """Scores p_1 by model, a list over games of lists over positions; None where none was asked."""
    rows = [
        {"position_id": f"{game}-{place}", "game": f"game {game}", "model": model,
         "precision_1": value, "unscored": ""}
        for model, games in models.items()
        for game, values in enumerate(games)
        for place, value in enumerate(values)
        if value is not None
    ]  # fmt: skip
    return pd.DataFrame(rows)


def pair(table, *models):
    (row,) = table[table.apply(lambda row: {row["model"], row["other"]} == set(models), axis=1)].to_dict("records")  # fmt: skip
    return row


def test_differences_and_p_values_are_those_worked_by_hand():
    table = compare_pairs(
        scores_of(
            good=[[1.0, 0.5], [1.0, 1.0], [0.5, 0.5]],
            poor=[[0.5, 0.5], [0.5, 0.0], [0.5, 0.0]],
        ),
        measure="precision_1",
    )
    found = pair(table, "good", "poor")
    # Differences 1/2, 0, 1/2, 1, 0, 1/2; of games 1/2, 3/2, 1/2.
    assert found["model"] == "good"
    assert found["difference"] == pytest.approx(2.5 / 6)
    assert (found["better"], found["worse"]) == (4, 0)
    assert found["effect"] == pytest.approx(2.5 / 6 / np.std([0.5, 0, 0.5, 1, 0, 0.5], ddof=1))
    # Of the 8 changes of signs, only none and all give a sum as far from 0 as 5/2.
    assert found["p_value"] == pytest.approx(2 / 8)
    assert found["holm"] == pytest.approx(2 / 8)
    # The games' deviations sum to -1/3, 2/3, -1/3 and CR2 divides their squares by 2/3: an error of 1/6
    # with two degrees, on the scale of Fisher's z.
    middle, half = math.atanh(5 / 12), student.ppf(0.975, 2) / 6 / (1 - (5 / 12) ** 2)
    assert (found["low"], found["high"]) == pytest.approx(
        (math.tanh(middle - half), math.tanh(middle + half))
    )


def test_many_games_are_tested_by_drawn_changes_of_signs():
    generator = np.random.default_rng(0)
    noise = generator.random(40)
    table = compare_pairs(
        scores_of(
            a=[[value] for value in noise],
            b=[[value - 0.1] for value in noise],
            c=[[value] for value in generator.permutation(noise)],
        ),
        measure="precision_1",
    )
    assert pair(table, "a", "b")["p_value"] == pytest.approx(1 / 100_000)
    assert pair(table, "a", "b")["holm"] == pytest.approx(3 / 100_000)
    # Equal means: every change of signs is as far from 0.
    assert pair(table, "a", "c")["p_value"] == 1.0
    assert separated_pairs(table) == {frozenset("ab")} | (
        {frozenset("bc")} if pair(table, "b", "c")["holm"] < 0.05 else set()
    )


def signed(games, above):
    """One difference of 1 for each game, of which so many are above 0."""
    return np.repeat([1.0, -1.0], [above, games - above])


def test_the_sign_test_counts_changes_of_signs():
    assert sign_test(np.array([1.0, 1.0, 1.0])) == 2 / 8
    assert sign_test(np.array([3.0, -1.0])) == 1.0
    # 20 games are enumerated: two of 1,048,576 changes.
    assert sign_test(np.ones(20)) == 2 / 2**20
    assert sign_test(signed(20, 15)) == pytest.approx(binomtest(15, 20).pvalue, rel=1e-12)
    assert sign_test(np.zeros(5)) == 1.0
    assert math.isnan(sign_test(np.ones(1)))


@pytest.mark.parametrize("alike", [0, 1, 195, 20_000])
def test_games_without_a_difference_change_no_p_value(alike):
    for differ in (1, 2, 4, 5, 20):
        sums = np.concatenate([np.zeros(alike), np.full(differ, 0.3)])
        if len(sums) > 1:
            assert sign_test(sums) == 2 / 2**differ
    # 0.1 + 0.2 - 0.3 is not 0 in floating point.
    assert sign_test(np.array([0.1 + 0.2 - 0.3] * alike + [1.0] * 5)) == 2 / 2**5
    many = np.concatenate([signed(60, 40), np.zeros(alike)])
    assert sign_test(many) == sign_test(signed(60, 40))


@pytest.mark.parametrize(("games", "above"), [(21, 15), (100, 58), (200, 115), (1001, 530)])
def test_drawn_signs_give_the_binomial_p_value(games, above):
    exact = binomtest(above, games).pvalue
    error = math.sqrt(exact * (1 - exact) / 100_000)
    assert sign_test(signed(games, above)) == pytest.approx(exact, abs=4 * error)
    assert sign_test(np.ones(games)) == 1 / 100_000


@pytest.mark.slow
def test_beyond_10_000_games_the_sum_is_as_good_as_normal(monkeypatch):
    # The worst case: all of one size, so that the sums are far apart.
    for above in (5050, 5100, 5150):
        exact = binomtest(above, 10_001).pvalue
        assert sign_test(signed(10_001, above)) == pytest.approx(exact, rel=0.04)
    generator = np.random.default_rng(3)
    for exponent in (1, 5):
        sums = generator.choice([-1, 1], 10_001) * generator.random(10_001) ** exponent
        sums += 0.017 * np.abs(sums).mean()
        normal = sign_test(sums)
        assert 0.01 < normal < 0.5
        with monkeypatch.context() as patch:
            patch.setattr(paired_tests, "_MOST_DRAWN", 20_000)
            assert sign_test(sums) == pytest.approx(normal, abs=0.004)


def test_few_differing_games_of_many_separate_nothing():
    same = [[1.0]] * 196
    table = compare_pairs(
        scores_of(a=[[1.0]] * 4 + same, b=[[0.5]] * 4 + same), measure="precision_1"
    )
    assert pair(table, "a", "b")["p_value"] == 2 / 2**4
    assert separated_pairs(table) == set()


def test_pairs_are_compared_where_both_answered():
    table = compare_pairs(
        scores_of(
            a=[[1.0, None], [1.0, 0.0]], b=[[0.5, 0.5], [None, 0.0]], c=[[None, None], [None, None]]
        ),
        measure="precision_1",
    )
    found = pair(table, "a", "b")
    assert len(table) == 1
    assert (found["positions"], found["games"]) == (2, 2)
    assert found["difference"] == pytest.approx(0.25)
    nothing = compare_pairs(scores_of(a=[[1.0, None]], b=[[None, 0.0]]), measure="precision_1")
    assert nothing.empty
    assert "holm" in nothing
    one_game = compare_pairs(scores_of(a=[[1.0, 1.0]], b=[[0.5, 0.0]]), measure="precision_1")
    assert math.isnan(one_game["p_value"].iloc[0])
    assert separated_pairs(one_game) == set()
    with pytest.raises(InvalidArgumentError, match="precision_4"):
        compare_pairs(scores_of(a=[[1.0]]))


def test_failed_calls_take_no_part():
    scores = scores_of(a=[[1.0], [1.0]], b=[[0.5], [0.5]])
    scores.loc[0, ["precision_1", "unscored"]] = [math.nan, "busy"]
    assert compare_pairs(scores, measure="precision_1")["positions"].iloc[0] == 1


def test_models_share_a_letter_exactly_if_they_are_not_separated():
    apart = {frozenset("ac"), frozenset("ad"), frozenset("bd")}
    assert group_letters("abcd", apart) == {"a": "a", "b": "ab", "c": "bc", "d": "c"}
    assert group_letters("abc", set()) == dict.fromkeys("abc", "a")
    everyone = {frozenset(pair) for pair in ("ab", "ac", "bc")}
    assert group_letters("abc", everyone) == {"a": "a", "b": "b", "c": "c"}


def test_letters_of_any_separation():
    generator = np.random.default_rng(1)
    names = "abcdefgh"
    for _ in range(30):
        apart = {
            frozenset((one, other))
            for one in names
            for other in names
            if one < other and generator.random() < 0.5
        }
        letters = group_letters(names, apart)
        for one in names:
            for other in names:
                shared = bool(set(letters[one]) & set(letters[other]))
                assert shared == (frozenset((one, other)) not in apart)


def test_the_effect_is_undefined_where_all_positions_differ_by_the_same():
    """Mean over deviation: 0.1 / 0, though the differences of floats differ in their last digits."""
    same = compare_pairs(
        scores_of(a=[[0.3], [0.4], [0.9]], b=[[0.2], [0.3], [0.8]]), measure="precision_1"
    )
    assert same["difference"].iloc[0] == pytest.approx(0.1)
    assert math.isnan(same["effect"].iloc[0])
    alone = compare_pairs(scores_of(a=[[1.0]], b=[[0.5]]), measure="precision_1")
    assert math.isnan(alone["effect"].iloc[0])
    other = compare_pairs(scores_of(a=[[1.0], [1.0]], b=[[0.5], [0.0]]), measure="precision_1")
    assert other["effect"].iloc[0] == pytest.approx(0.75 / math.sqrt(0.125))


def test_positions_are_paired_by_their_id_alone():
    scores = scores_of(a=[[1.0], [1.0]], b=[[0.5], [0.5]])
    scores.loc[scores["model"] == "b", "game"] = "another name"
    assert compare_pairs(scores, measure="precision_1")["positions"].tolist() == [2]


def test_the_least_p_value_is_the_one_of_games_that_all_differ_alike():
    for games in (2, 10, 20, 21, 300):
        assert least_p_value(games) == sign_test(np.ones(games))
    assert math.isnan(least_p_value(1))


def test_mcnemar_of_groups_counts_the_units_that_both_have_and_adjusts_in_each_group():
    rights = {
        ("a", "plain"): "1100", ("a", "long"): "1011", ("a", "short"): "0000",
        ("b", "plain"): "000", ("b", "long"): "111",
    }  # fmt: skip
    rows = pd.DataFrame(
        [
            {"model": model, "prompt": prompt, "position_id": place, "right": int(right)}
            for (model, prompt), text in rights.items()
            for place, right in enumerate(text)
        ]
    )
    # A position without an answer is in no pair.
    rows.loc[3, "right"] = np.nan
    table = grouped_mcnemar(rows, "right", "model", between="prompt", reference="plain")
    counts = table[["model", "prompt", "pairs", "only_here", "only_reference"]]
    assert counts.to_numpy().tolist() == [
        ["a", "long", 3, 1, 1],
        ["a", "short", 3, 0, 2],
        ["b", "long", 3, 3, 0],
    ]
    # Of n positions that one got right alone, two-sided: 2 / 2**n.
    assert table["mcnemar"].tolist() == pytest.approx([1, 1 / 2, 1 / 4])
    assert table["holm"].tolist() == pytest.approx([1, 1, 1 / 4])


def test_p_values_are_adjusted_in_each_family_alone_and_stay_in_their_rows():
    table = pd.DataFrame({"family": ["x", "y", "x", "x"], "p": [0.04, 0.04, math.nan, 0.01]})
    adjusted = holm_in_families(table, "p", "family").tolist()
    assert adjusted[:2] == pytest.approx([0.04, 0.04])
    assert math.isnan(adjusted[2])
    assert adjusted[3] == pytest.approx(0.02)
    assert holm_in_families(table[:0], "p", "family").empty
