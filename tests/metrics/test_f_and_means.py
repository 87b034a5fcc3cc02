"""F_m, its standard error and the means over m: worked by hand, and read from tables without them."""

import math

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest

from workbench.checking.table_check import check_table
from workbench.depth_summaries import harmonic_mean, harmonic_mean_error, stale_summaries
from workbench.metrics import with_summaries
from workbench.scoring import ScoringParameters, score_file, scores_schema
from workbench.tables.parquet_tables import PREDICTIONS, read_provenance, read_table, write_table


def harmonic(p, r):
    return harmonic_mean(np.array([p]), np.array([r]))[0]


@pytest.mark.parametrize(
    ("p", "r", "f"),
    [
        (1, 1, 1),
        (0, 0, 0),
        (0, 1, 0),
        (0.5, 0.25, 1 / 3),
        (0.6, 0.9, 0.72),
        (1e-200, 1e-200, 1e-200),
    ],
)
def test_f_by_hand(p, r, f):
    assert harmonic(p, r) == pytest.approx(f, rel=1e-15)
    assert harmonic(r, p) == pytest.approx(f, rel=1e-15)


def test_f_is_undefined_where_p_or_r_is():
    assert math.isnan(harmonic(math.nan, 0.5))
    assert math.isnan(harmonic(0.5, math.nan))


def test_the_error_of_f_is_that_of_the_delta_method():
    """p = 1/2, r = 1/4: dF/dp = 2/9 and dF/dr = 8/9."""
    error = harmonic_mean_error(*(np.array([each]) for each in (0.5, 0.09, 0.25, 0.0)))
    assert error[0] == pytest.approx(0.02)
    error = harmonic_mean_error(*(np.array([each]) for each in (0.5, 0.09, 0.25, 0.018)))
    assert error[0] == pytest.approx(math.hypot(0.02, 0.016))


def test_the_error_of_f_agrees_with_draws():
    generator = np.random.default_rng(0)
    p, r = (generator.normal(mean, error, 200_000) for mean, error in ((0.7, 0.01), (0.4, 0.02)))
    error = harmonic_mean_error(*(np.array([each]) for each in (0.7, 0.01, 0.4, 0.02)))[0]
    assert np.std(harmonic_mean(p, r)) == pytest.approx(error, rel=0.02)


def test_without_a_derivative_the_error_is_undefined_unless_p_and_r_are_certain():
    zero, some = np.array([0.0]), np.array([0.1])
    assert harmonic_mean_error(zero, zero, zero, zero)[0] == 0
    assert math.isnan(harmonic_mean_error(zero, some, zero, zero)[0])


@pytest.fixture(params=["exact", "stratified"])
def tables(request, predictions, tmp_path):
    """The parameters, a scores table, and the same as it was made before there was F."""
    parameters = ScoringParameters(depth=3, method=request.param)
    source, new, old = (tmp_path / f"{name}.parquet" for name in ("predictions", "new", "old"))
    write_table(predictions, source, PREDICTIONS, {"stage": "by hand"})
    score_file(source, new, parameters)
    schema = scores_schema(parameters)
    names = [
        name for name in schema.names if not name.startswith("f_") and not name.endswith("_mean")
    ]
    lesser = schema.empty_table().select(names).schema
    write_table(pq.read_table(new).select(names), old, lesser, read_provenance(new))
    return parameters, new, old


def test_a_table_made_before_is_read_with_f_and_the_means(tables):
    parameters, new, old = tables
    schema = scores_schema(parameters)
    assert len(pq.read_schema(old).names) < len(schema.names)
    expected = read_table(new, schema)
    pd.testing.assert_frame_equal(read_table(old, schema), expected)
    frame = with_summaries(pd.read_parquet(old))
    pd.testing.assert_frame_equal(frame[schema.names], expected)
    assert expected[f"f_{parameters.depth}"].notna().any()


@pytest.mark.slow
def test_a_table_made_before_is_as_sound_as_a_new_one(tables):
    """What is odd in both is the rows' own: a true board that cannot be read, moves to another."""
    _, new, old = tables
    found = [[each.what for each in check_table(path).oddities] for path in (new, old)]
    assert found[0] == found[1]
    assert "not scored" in found[0]
    assert not [what for what in found[0] if "column" in what or what.startswith(("f_", "mean"))]


def test_means_are_of_the_depth_that_is_read(predictions, tmp_path):
    """A deeper table is read to a smaller depth: the mean over 1, 2 is not that over 1, 2, 3."""
    deep, source = tmp_path / "deep.parquet", tmp_path / "predictions.parquet"
    write_table(predictions, source, PREDICTIONS, {"stage": "by hand"})
    score_file(source, deep, ScoringParameters(depth=3))
    rows = read_table(deep, scores_schema(ScoringParameters(depth=2)))
    expected = (rows["precision_1"] + rows["precision_2"]) / 2
    pd.testing.assert_series_equal(rows["precision_mean"], expected, check_names=False)
    whole = read_table(deep, scores_schema(ScoringParameters(depth=3)))
    assert not whole["precision_mean"].equals(rows["precision_mean"])


def test_no_mean_follows_from_an_estimate():
    names = ["precision_1", "precision_1_standard_error", "recall_1", "recall_1_standard_error"]
    assert stale_summaries([*names, "precision_mean", "f_1"], names) == ["f_1"]
