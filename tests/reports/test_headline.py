"""The headline numbers, against means worked by hand."""

import math

import pandas as pd
import pytest

from workbench.errors import InvalidArgumentError
from workbench.reports.headline import headline
from workbench.scoring import ScoringParameters
from workbench.scoring.score_tables import score
from workbench.studies.models.model_summary import compute as summarise

# Right: 1. After 1. e4 Black moves, and White has none of these moves: 0. Without the king the queen
# has a move more: 20 of 21. The sink twice: 0.
MEAN = (1 + 20 / 21) / 5


@pytest.fixture
def scores(predictions):
    """One row of each class, and one that cannot be scored; p_1 and r_1."""
    failed = predictions.iloc[[0]].assign(
        position_id="failed", reply=None, predicted_state=None, reply_class="failed", reason="busy"
    )
    table = pd.concat([predictions, failed], ignore_index=True)
    return score(table, ScoringParameters(depth=1))


def row(table, quantity):
    (found,) = table[table["quantity"] == quantity].to_dict("records")
    return found


def test_means_and_counts_are_those_worked_by_hand(scores):
    table = headline(scores)
    assert list(table["quantity"]) == [
        "precision_1", "recall_1", "f_1", "exact_match", "levenshtein",
    ]  # fmt: skip
    found = row(table, "precision_1")
    assert found["mean"] == pytest.approx(MEAN)
    assert (found["n"], found["games"], found["undefined"]) == (5, 5, 0)
    assert (found["failed"], found["unscored"]) == (1, 1)
    assert row(table, "exact_match")["mean"] == pytest.approx(1 / 5)
    # F is 1 for the right board and, of p = 20/21 and r = 1, 40/41 for the one without a king.
    assert row(table, "f_1")["mean"] == pytest.approx((1 + 40 / 41) / 5)
    assert set(table["model"]) == {"by hand"}
    # Each of 5 games has one position: the variance with 4 degrees over 5.
    variance = (1 + (20 / 21) ** 2) / 5 - MEAN**2
    assert found["standard_error"] == pytest.approx(math.sqrt(variance / 4))
    assert found["effective"] == 5
    assert 0 < found["lower"] < MEAN < found["upper"] < 1


def test_ends_are_those_of_the_figures(scores):
    of_figure = summarise(scores.assign(game=scores["game_id"]), depth=1)
    (overall,) = of_figure[of_figure["length"] == "all"].to_dict("records")
    found = row(headline(scores), "precision_1")
    assert (found["lower"], found["upper"]) == (overall["precision_low"], overall["precision_high"])


def test_rows_of_one_game_are_drawn_together(scores):
    found = row(headline(scores.assign(game="one")), "precision_1")
    assert found["mean"] == pytest.approx(MEAN)
    assert found["games"] == 1
    assert math.isnan(found["standard_error"])
    assert math.isnan(found["lower"])


def test_failed_calls_alone_have_no_mean(scores):
    failed = scores[scores["reply_class"] == "failed"]
    table = headline(failed)
    assert table["mean"].isna().all()
    assert (table["n"] == 0).all()
    assert (table["failed"] == 1).all()
    assert headline(scores.iloc[:0]).empty


def test_sets_settings_and_models_have_their_own_rows(scores):
    both = pd.concat([scores, scores.assign(setting="thinking=0"), scores.assign(set="random")])
    assert len(headline(both)) == 3 * 5


def test_other_tasks_have_the_quantities_that_they_measure(scores):
    actions = scores.assign(task="actions")
    assert list(headline(actions)["quantity"]) == ["precision_1", "recall_1"]
    line = scores.assign(task="continuation", recall_1=math.nan)
    assert list(headline(line)["quantity"]) == ["precision_1"]
    # Left out of the mean, not taken as 0.
    without = headline(scores.assign(recall_1=[1.0, *[math.nan] * 6]))
    found = row(without, "recall_1")
    assert (found["mean"], found["n"], found["undefined"]) == (1.0, 1, 4)


def test_a_depth_that_the_scores_lack_is_named(scores):
    with pytest.raises(InvalidArgumentError, match=r"expected one of \[1\].*got 4"):
        headline(scores, depth=4)
    with pytest.raises(InvalidArgumentError, match="workbench score"):
        headline(scores.drop(columns="precision_1"))
