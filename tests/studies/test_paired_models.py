"""Pairs of models, against differences and p-values worked by hand."""

import math

import numpy as np
import pandas as pd
import pytest

from workbench.errors import InvalidArgumentError
from workbench.studies.models.paired_models import compute, group_letters, separated, sign_test


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
    table = compute(
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
    assert found["low"] == pytest.approx(0.25)
    assert found["high"] == pytest.approx(0.75)


def test_many_games_are_tested_by_drawn_changes_of_signs():
    generator = np.random.default_rng(0)
    noise = generator.random(40)
    table = compute(
        scores_of(
            a=[[value] for value in noise],
            b=[[value - 0.1] for value in noise],
            c=[[value] for value in generator.permutation(noise)],
        ),
        measure="precision_1",
    )
    assert pair(table, "a", "b")["p_value"] == pytest.approx(1 / 100_000)
    assert pair(table, "a", "b")["holm"] == pytest.approx(3 / 100_000)
    of_c = compute(scores_of(a=[[1.0]], b=[[0.5]], c=[[0.0]]), measure="precision_1", against=["c"])
    assert list(zip(of_c["model"], of_c["other"], strict=True)) == [("a", "c"), ("b", "c")]
    # Equal means: every change of signs is as far from 0.
    assert pair(table, "a", "c")["p_value"] == 1.0
    assert separated(table) == {frozenset("ab")} | (
        {frozenset("bc")} if pair(table, "b", "c")["holm"] < 0.05 else set()
    )


def test_the_sign_test_counts_changes_of_signs():
    assert sign_test(np.array([1.0, 1.0, 1.0])) == 2 / 8
    assert sign_test(np.array([3.0, -1.0])) == 1.0
    # 16 games are enumerated: two of 65,536 changes.
    assert sign_test(np.ones(16)) == 2 / 2**16
    assert sign_test(np.zeros(5)) == 1.0
    assert math.isnan(sign_test(np.ones(1)))
    # 30 / sqrt(200) = 2.1213 standard deviations.
    wins = np.repeat([1.0, -1.0], [115, 85])
    assert sign_test(wins) == pytest.approx(0.0339, abs=1e-4)
    drawn = sign_test(np.repeat([1.0, -1.0], [58, 42]))
    # Binomial: twice the probability of at least 58 heads of 100.
    assert drawn == pytest.approx(0.1332, abs=0.005)


def test_pairs_are_compared_where_both_answered():
    table = compute(
        scores_of(
            a=[[1.0, None], [1.0, 0.0]], b=[[0.5, 0.5], [None, 0.0]], c=[[None, None], [None, None]]
        ),
        measure="precision_1",
    )
    found = pair(table, "a", "b")
    assert len(table) == 1
    assert (found["positions"], found["games"]) == (2, 2)
    assert found["difference"] == pytest.approx(0.25)
    nothing = compute(scores_of(a=[[1.0, None]], b=[[None, 0.0]]), measure="precision_1")
    assert nothing.empty
    assert "holm" in nothing
    one_game = compute(scores_of(a=[[1.0, 1.0]], b=[[0.5, 0.0]]), measure="precision_1")
    assert math.isnan(one_game["p_value"].iloc[0])
    assert separated(one_game) == set()
    with pytest.raises(InvalidArgumentError, match="precision_4"):
        compute(scores_of(a=[[1.0]]))


def test_failed_calls_take_no_part():
    scores = scores_of(a=[[1.0], [1.0]], b=[[0.5], [0.5]])
    scores.loc[0, ["precision_1", "unscored"]] = [math.nan, "busy"]
    assert compute(scores, measure="precision_1")["positions"].iloc[0] == 1


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
