"""Tables of groups against the intervals of each group by itself, pandas, scipy and cases by hand."""

import math
from dataclasses import astuple

import numpy as np
import pandas as pd
import pytest
from scipy.stats import ttest_ind, ttest_rel

from workbench.errors import InvalidArgumentError
from workbench.statistics.grouped import (
    STATISTICS,
    grouped_differences,
    grouped_means,
    grouped_tau,
    groups,
    spread,
)
from workbench.statistics.intervals import SHARE, clustered_mean_interval, clustered_tau_interval


@pytest.fixture
def rows():
    """Three games a model and length, with undefined values, lengths and a model without a name."""
    generator = np.random.default_rng(0)
    table = pd.DataFrame(
        {
            "model": np.repeat(["b", "a", None], 24),
            "length": pd.array(np.tile([10, 5, None, 10], 18), "Int64"),
            "game": np.tile(np.repeat([0, 1, 2], 8), 3),
            "precision": generator.random(72),
            "exact": generator.random(72) < 0.4,
        }
    )
    table.loc[::7, "precision"] = np.nan
    return table


def test_each_row_is_the_interval_of_its_group(rows):
    table = grouped_means(rows, ["precision", "exact"], ["model", "length"], within=SHARE)
    assert len(table) == 3 * 3 * 2
    for row in table.to_dict("records"):
        model = (
            rows["model"] == row["model"] if row["model"] in ("a", "b") else rows["model"].isna()
        )
        length = rows["length"].fillna(-1) == (-1 if pd.isna(row["length"]) else row["length"])
        defined = rows[model & length & rows[row["column"]].notna()]
        interval = clustered_mean_interval(defined[row["column"]], defined["game"], within=SHARE)
        np.testing.assert_array_equal([row[name] for name in STATISTICS], astuple(interval))
        assert row["undefined"] == (model & length).sum() - row["count"]
    assert table["undefined"].sum() == rows["precision"].isna().sum()


def test_groups_are_in_order_with_their_total_last(rows):
    named = rows.fillna({"model": "c"})
    keys = [tuple(key.values()) for key, _ in groups(named, ["model", "length"], total="all")]
    lengths = ("5", "10", "all")
    assert keys == [(model, length) for model in "abc" for length in lengths]
    # Rows without a length are in the total alone.
    sizes = [len(part) for _, part in groups(named, ["model", "length"], total="all")]
    assert sizes == [6, 12, 24] * 3
    assert [(key, len(part)) for key, part in groups(rows, ())] == [({}, 72)]


def test_ranges_by_column_and_rows_that_are_clusters(rows):
    ranges = {"precision": SHARE, "exact": None}
    table = grouped_means(rows, list(ranges), clusters=None, within=ranges.get).set_index("column")
    assert list(table["games"]) == list(table["count"]) == [61, 72]
    values = rows["precision"].dropna()
    interval = clustered_mean_interval(values, range(len(values)), within=SHARE)
    assert table.loc["precision", "low"] == interval.low
    exact = clustered_mean_interval(rows["exact"], range(72))
    assert table.loc["exact", "low"] == exact.low
    narrow = grouped_means(rows, "exact", clusters=None, level=0.5).iloc[0]
    assert narrow["low"] > exact.low


def test_a_group_without_values_is_undefined_and_counted():
    rows = pd.DataFrame({"model": ["a", "a", "b"], "game": [1, 2, 1], "p": [None, None, 1]})
    table = grouped_means(rows, "p", "model")
    assert math.isnan(table.loc[0, "value"])
    assert list(table["count"]) == [0, 1]
    assert list(table["undefined"]) == [2, 0]
    assert grouped_means(rows[:0], "p", "model").empty


def test_tau_of_each_group(rows):
    table = grouped_tau(rows.assign(other=range(72)), "precision", "other", "length", total="all")
    part = rows.assign(other=range(72)).dropna(subset="precision")
    interval = clustered_tau_interval(part["precision"], part["other"], part["game"])
    last = table.iloc[-1]
    assert (last["length"], last["value"], last["low"]) == ("all", interval.value, interval.low)
    assert (last["undefined"], last["ties"], last["ties_other"]) == (11, 0, 0)
    tied = pd.DataFrame({"one": [0, 0, 0, 1], "other": [1, 2, 3, 3], "game": [1, 2, 3, 4]})
    (row,) = grouped_tau(tied, "one", "other").to_dict("records")
    assert (row["ties"], row["ties_other"]) == (pytest.approx(3 / 6), pytest.approx(1 / 6))


def test_unpaired_differences_are_those_of_welch():
    generator = np.random.default_rng(3)
    rows = pd.DataFrame({"set": ["x"] * 9 + ["y"] * 14, "p": generator.normal(size=23)})
    rows["game"] = range(23)
    (row,) = grouped_differences(rows, "p", between="set", reference="x").to_dict("records")
    values = [rows.loc[rows["set"] == name, "p"] for name in "yx"]
    expected = ttest_ind(*values, equal_var=False).confidence_interval()
    assert (row["set"], row["count"]) == ("y", 23)
    assert (row["low"], row["high"]) == pytest.approx((expected.low, expected.high))


def test_paired_differences_are_those_of_the_units_that_both_have():
    generator = np.random.default_rng(4)
    rows = pd.DataFrame(
        {
            "prompt": np.repeat(["plain", "long", "short"], 20),
            "position": np.tile(np.repeat(range(10), 2), 3),
            "p": generator.normal(size=60),
        }
    ).assign(game=lambda table: table["position"])
    # One unit of "long" has no value, and one is missing in the reference.
    rows.loc[(rows["prompt"] == "long") & (rows["position"] == 9), "p"] = np.nan
    rows = rows[(rows["prompt"] != "plain") | (rows["position"] > 0)]
    table = grouped_differences(rows, "p", between="prompt", reference="plain", unit="position")
    assert list(table["prompt"]) == ["long", "short"]
    assert list(table["count"]) == [8, 9]
    assert list(table["undefined"]) == [2, 1]
    means = rows.groupby(["prompt", "position"])["p"].mean().unstack("prompt").dropna()
    expected = ttest_rel(means["long"], means["plain"]).confidence_interval()
    assert (table.loc[0, "low"], table.loc[0, "high"]) == pytest.approx(
        (expected.low, expected.high)
    )


def test_spread_gives_one_row_a_group(rows):
    table = grouped_means(rows.fillna({"model": "c"}), ["precision", "exact"], "model")
    wide = spread(table, "model")
    assert list(wide["model"]) == ["a", "b", "c"]
    assert list(wide.columns[1:4]) == ["precision", "precision_low", "precision_high"]
    of_exact = table[table["column"] == "exact"]
    assert list(wide["exact_high"]) == list(of_exact["high"])


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"columns": "recall", "by": "model"}, "expected columns ['recall'], got ['model', 'game'"),
        ({"columns": "p", "by": "set"}, "expected columns ['set']"),
        ({"columns": "p", "by": "model", "clusters": "board"}, "expected columns ['board']"),
        ({"columns": "model", "by": "game"}, "column 'model': expected numbers"),
        ({"columns": "p", "by": "model", "within": SHARE}, "expected values from 0 to 1, got 1"),
        ({"columns": "p", "clusters": "part"}, "column 'part': expected a value in each row"),
    ],
)
def test_wrong_calls_are_named(arguments, words):
    rows = pd.DataFrame({"model": ["a", "b"], "game": [1, 2], "p": [0, 2], "part": ["x", None]})
    with pytest.raises(InvalidArgumentError) as error:
        grouped_means(rows, **arguments)
    assert words in str(error.value)
