"""Calls that failed say nothing about a model: every study leaves them out and counts them."""

import math

import pandas as pd
import pytest

from workbench.drawing.score_description import (
    class_counts,
    describe_scores,
    left_out,
    reply_count_words,
)
from workbench.scoring import ScoringParameters, score_predictions
from workbench.studies.models import answer_spread, model_ranks, model_summary, setting_effects
from workbench.studies.paper import kendall_tau, mean_precision

START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
AFTER_E4 = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1"
DEPTH_TWO = ScoringParameters(depth=2)


def failed(row):
    return row | {
        "reply": None,
        "predicted_state": None,
        "reply_class": "failed",
        "status": "",
        "reason": "call failed: ConnectionResetError",
    }


@pytest.fixture
def half_failed(predictions):
    """A perfect model of which every other call failed, and its four replies alone."""
    right = predictions.iloc[0].to_dict()
    rows = []
    for index, fen in enumerate([START, AFTER_E4] * 4):
        row = right | {"position_id": f"p{index}", "true_state": fen, "predicted_state": fen}
        rows.append(failed(row) if index % 4 >= 2 else row)
    scores = score_predictions(pd.DataFrame(rows), DEPTH_TWO)
    return scores.assign(game=scores["position_id"], prompt="direct")


def test_a_failed_call_has_no_measure_and_says_why(half_failed):
    calls = half_failed[half_failed["reply_class"] == "failed"]
    measures = [
        name for name in half_failed
        if name.startswith(("precision", "recall", "levenshtein", "exact", "correct", "board"))
    ]  # fmt: skip
    assert len(calls) == 4
    assert calls[measures].isna().all().all()
    assert set(calls["unscored"]) == {"call failed: ConnectionResetError"}
    assert half_failed.loc[half_failed["reply_class"] == "valid", measures].notna().all().all()


def test_a_perfect_model_with_half_its_calls_failed_is_perfect(half_failed):
    mean = mean_precision.compute({"one": half_failed}, depth=2)
    assert list(mean["mean"]) == [1.0, 1.0]
    assert (mean["count"].sum(), mean["failed"].sum(), mean["unscored"].sum()) == (8, 8, 0)
    tau = kendall_tau.compute(half_failed, depth=2).set_index("group")
    # Every reply is right, so that nothing can be ranked.
    assert math.isnan(tau.loc["overall", "tau"])
    assert (tau.loc["overall", "count"], tau.loc["overall", "failed"]) == (4, 4)
    assert tau.loc["overall", "left_out"] == 0


def test_the_table_of_models_counts_them_apart(half_failed):
    row = model_summary.compute(half_failed, depth=2).set_index("length").loc["all"]
    assert (row["count"], row["valid"], row["absent"], row["failed"], row["unscored"]) == (
        4,
        4,
        0,
        4,
        0,
    )
    assert (row["precision"], row["exact_match"], row["levenshtein"]) == (1.0, 1.0, 0.0)


def test_prompts_and_repeated_answers_leave_them_out(half_failed):
    row = setting_effects.compute_prompts(half_failed, depth=2).iloc[0]
    assert (row["positions"], row["answers"], row["failed"], row["exact_match"]) == (4, 4, 4, 1.0)
    assert answer_spread.compute(half_failed, depth=2)["answers"].sum() == 4


def test_shares_are_of_replies(half_failed):
    table = model_summary.compute_flags(half_failed)
    assert list(table["replies"].unique()) == [4]


def test_ranks_compare_positions_that_both_answered(half_failed):
    other = half_failed.assign(model="all answered").sort_values("reply_class")
    other.loc[other["unscored"] != "", ["unscored", "reply_class"]] = ["", "absent"]
    other = other.fillna({"precision_2": 0.0, "levenshtein": 56})
    ranks = model_ranks.compute(pd.concat([half_failed, other]), depth=2, resamples=50)
    common = ranks[ranks["ranking"] == model_ranks.ALL_MODELS]
    assert set(common["positions"]) == {4}
    assert set(common["precision"]) == {1.0}


def test_captions_and_counts_name_them(half_failed):
    assert left_out(half_failed) == {"failed": 4, "unscored": 0}
    words = "4 valid, 0 ill-formed, 0 unreadable, 0 without a FEN; 4 failed calls left out"
    assert reply_count_words(half_failed) == words
    assert words in describe_scores(half_failed)
    counts = class_counts(half_failed).iloc[0]
    assert (counts["failed"], counts["unscored"], counts["count"]) == (4, 0, 8)
