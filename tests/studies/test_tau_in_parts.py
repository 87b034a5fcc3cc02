"""Tau in parts: cases worked by hand, closed forms of the null, and the drawing."""

import numpy as np
import pandas as pd
import pytest
from drawn import faults

from workbench.errors import InvalidArgumentError
from workbench.statistics.intervals import tau_b
from workbench.studies.paper import kendall_tau
from workbench.studies.paper.kendall_tau import length_strata


def rows_of(values, distances, lengths, right=None):
    count = len(values)
    return pd.DataFrame(
        {
            "model": "m", "game": [f"g{n}" for n in range(count)], "group": lengths, "ply": lengths,
            "reply_class": "valid", "unscored": "", "precision_1": values, "levenshtein": distances,
            "levenshtein_position": distances,
            "exact_match_position": [False] * count if right is None else right,
        }
    )  # fmt: skip


def part(table, group="overall", replies="all", distance="levenshtein"):
    rows = table.set_index(["group", "replies", "distance"])
    return rows.loc[(group, replies, distance)]


def test_of_one_value_a_length_the_null_is_all_of_tau():
    """Shuffled within lengths nothing changes, so that length alone gives the whole tau."""
    lengths = np.repeat([10, 20, 30], 12)
    rows = rows_of(1 - lengths / 40, lengths, lengths)
    row = part(kendall_tau.compute_parts(rows, depth=1, shuffles=5))
    assert row["tau"] == row["null"] == row["null_low"] == row["null_high"] == 1


def test_within_one_length_the_null_is_nought():
    """The mean of tau over shuffles is 0, its deviation sqrt(2 (2n + 5) / (9 n (n - 1)))."""
    count, shuffles = 100, 200
    values = np.linspace(0, 1, count)
    rows = rows_of(values, -values, 10)
    row = part(kendall_tau.compute_parts(rows, depth=1, shuffles=shuffles))
    deviation = np.sqrt(2 * (2 * count + 5) / (9 * count * (count - 1)))
    assert row["tau"] == 1
    assert abs(row["null"]) < 4 * deviation / np.sqrt(shuffles)
    assert row["null_high"] - row["null_low"] == pytest.approx(2 * 1.96 * deviation, rel=0.25)


def test_right_and_unreadable_replies_are_no_wrong_boards():
    right = [True, True, False, False, False, False]
    rows = rows_of([1, 1, 0.5, 0.4, 0.3, 0.0], [0, 2, 3, 5, 4, 60], 10, right)
    rows.loc[5, "reply_class"] = "absent"
    table = kendall_tau.compute_parts(rows, depth=1, shuffles=2)
    wrong = part(table, replies="wrong")
    assert wrong["count"] == 3
    # Of the pairs (3, .5), (5, .4), (4, .3) two agree and one does not.
    assert wrong["tau"] == pytest.approx(1 / 3)
    everyone = part(table)
    assert everyone["count"] == 6
    assert everyone["tau"] == tau_b(rows["precision_1"], -rows["levenshtein"])


def test_by_group_and_each_model():
    lengths = np.repeat([10, 20], 8)
    values = np.tile(np.linspace(0, 1, 8), 2)
    rows = rows_of(values, -values, lengths)
    by_group = kendall_tau.compute_parts(rows, depth=1, shuffles=1)
    assert part(by_group, "10")["tau"] == pytest.approx(1)
    both = pd.concat([rows, rows.assign(model="n", levenshtein=values)])
    table = kendall_tau.compute_parts(both, depth=1, each_model=True, shuffles=1)
    taus = table[(table["replies"] == "all") & (table["distance"] == "levenshtein")]
    assert taus.set_index("model")["tau"].to_dict() == pytest.approx({"m": 1, "n": -1})


def test_neighbouring_lengths_make_up_a_stratum():
    lengths = pd.Series([3, 3, 1, 1, 1, 2, 9, None])
    assert length_strata(lengths, least=3).tolist() == [1, 1, 0, 0, 0, 1, 1, -1]
    assert length_strata(pd.Series([1, 2, 3]), least=1).tolist() == [0, 1, 2]
    assert length_strata(pd.Series([1, 2]), least=10).tolist() == [0, 0]


def test_shuffles_stay_within_their_stratum():
    """Two strata whose values do not overlap: their order against each other never changes."""
    lengths = np.repeat([1, 2], 10)
    values = np.concatenate([np.linspace(0.6, 1, 10), np.linspace(0, 0.4, 10)])
    rows = rows_of(values, np.repeat([0, 1], 10), lengths)
    row = part(kendall_tau.compute_parts(rows, depth=1, shuffles=20))
    assert row["null_low"] == row["null_high"] == row["tau"]


def test_what_was_not_scored_is_refused():
    rows = rows_of([1.0, 0.0], [0, 1], 10)
    with pytest.raises(InvalidArgumentError, match="precision_3"):
        kendall_tau.compute_parts(rows, depth=3)
    with pytest.raises(InvalidArgumentError, match="shuffle"):
        kendall_tau.compute_parts(rows, depth=1, shuffles=0)


@pytest.mark.slow
def test_nothing_is_cut_off_or_hidden():
    generator = np.random.default_rng(1)
    lengths = np.repeat([10, 20, 30, 40, 50], 2000)
    values = generator.random(len(lengths))
    rows = rows_of(values, generator.integers(0, 9, len(lengths)), lengths)
    table = kendall_tau.compute_parts(rows, depth=1, shuffles=2)
    without = table[table["distance"] == "levenshtein"]
    assert (
        faults(
            kendall_tau.draw_parts({"gpt-4.1-2025-04-14 on World Cup games": table, "other": table})
        )
        == []
    )
    assert faults(kendall_tau.draw_parts({"alone": without}, "note")) == []
