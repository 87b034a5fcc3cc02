import pandas as pd
import pytest

from workbench.errors import InvalidArgumentError
from workbench.studies.language_models.training_seeds import COLUMNS, compute, seed_values


def values(numbers):
    rows = [("finished", "", "precision", "5", seed, value) for seed, value in enumerate(numbers)]
    return pd.DataFrame(rows, columns=list(COLUMNS))


def test_the_interval_is_students():
    # Mean 3, standard deviation sqrt(2.5), standard error 0.7071; t of 4 degrees is 2.7764.
    (row,) = compute(values([1.0, 2, 3, 4, 5]), "finished").to_dict("records")
    assert (row["mean"], row["seeds"], row["least"], row["most"]) == (3, 5, 1, 5)
    assert row["low"] == pytest.approx(3 - 2.776445 * 0.7071068, abs=1e-5)
    assert row["high"] == pytest.approx(3 + 2.776445 * 0.7071068, abs=1e-5)


def test_one_seed_has_no_interval():
    (row,) = compute(values([0.5]), "finished").to_dict("records")
    assert row["mean"] == 0.5
    assert pd.isna([row["low"], row["high"]]).all()


def test_another_study_is_refused():
    with pytest.raises(InvalidArgumentError, match="finished"):
        compute(values([0.5]), "other")


def test_the_bundled_numbers_are_of_five_seeds():
    table = seed_values()
    assert sorted(table["seed"].unique()) == [0, 1, 2, 3, 4]
    for study in ("finished", "step", "later", "probe", "selectivity", "patch"):
        assert compute(table, study)["seeds"].max() == 5
