"""Scores and summaries from any frame: values by hand, columns carried along, and what is compared."""

import warnings

import chess
import numpy as np
import pandas as pd
import pytest

import workbench
from workbench.answers.game_clusters import whole_games
from workbench.answers.recorded_replies import recorded_replies_path
from workbench.errors import InvalidArgumentError
from workbench.scoring import ScoringParameters, score_file
from workbench.studies.models import model_summary

START = chess.STARTING_FEN
WITHOUT = START.replace("RNBQKBNR", "R1BQKBNR")
FRAME = pd.DataFrame(
    {
        "fen": [START] * 4,
        "reply": [START, WITHOUT, "no idea", START.replace("pppp", "ppppp")],
        "model": ["a", "a", "b", "b"],
        "game": ["1", "2", "1", "2"],
        "heat": [0.1, 0.2, 0.3, 0.4],
    },
    index=[7, 3, 5, 1],
)


@pytest.fixture(scope="module")
def scores():
    return workbench.score(FRAME, depth=1)


def test_scores_are_those_of_the_definition(scores):
    assert scores.index.tolist() == [7, 3, 5, 1]
    assert scores["precision_1"].tolist() == [1, pytest.approx(18 / 19), 0, 0]
    assert scores["recall_1"].tolist() == [1, pytest.approx(18 / 20), 0, 0]
    assert scores["f_1"].tolist() == [1, pytest.approx(36 / 39), 0, 0]
    assert scores["reply_class"].tolist() == ["valid", "valid", "absent", "unparseable"]
    assert scores["exact_match"].tolist() == [True, False, False, False]


def test_columns_of_ones_own_the_reply_and_the_game_are_carried_along(scores):
    assert scores["heat"].tolist() == [0.1, 0.2, 0.3, 0.4]
    assert scores["reply"].tolist() == FRAME["reply"].tolist()
    assert scores["game"].tolist() == ["1", "2", "1", "2"]


def test_a_summary_has_means_classes_and_counts(scores):
    table = workbench.summary(scores)
    assert table["model"].tolist() == ["a", "b"]
    assert table["precision_1"].tolist() == [pytest.approx((1 + 18 / 19) / 2), 0]
    assert table["valid"].tolist() == [2, 0]
    assert table[["absent", "unparseable", "replies", "games"]].iloc[1].tolist() == [1, 1, 2, 2]
    assert table["precision_1_low"][0] < table["precision_1"][0] < table["precision_1_high"][0]
    # Values that do not vary have no interval.
    assert np.isnan(table["precision_1_low"][1])


def test_a_summary_is_by_any_columns_and_of_any_metrics(scores):
    table = workbench.summary(scores, by="heat", metrics=["levenshtein", "exact_match"])
    assert table["heat"].tolist() == [0.1, 0.2, 0.3, 0.4]
    assert table["levenshtein"].tolist()[:2] == [0, 1]
    assert table["exact_match"].tolist()[:2] == [1, 0]


def test_failed_calls_are_counted_and_left_out():
    failed = FRAME.assign(
        reply_class=["failed", None, None, None], reply=[None, *FRAME["reply"][1:]]
    )
    table = workbench.summary(workbench.score(failed, depth=1))
    assert table[["failed", "replies", "valid"]].iloc[0].tolist() == [1, 1, 1]
    assert table["recall_1"][0] == pytest.approx(18 / 20)


@pytest.mark.slow
def test_the_recorded_replies_give_the_numbers_of_the_studies(tmp_path):
    replies = workbench.recorded_replies(models=("o3-2025-04-16", "gpt-4.1-2025-04-14"))
    replies = replies[replies["group"] <= 20]
    scores = workbench.score(replies, depth=2)
    table = workbench.summary(scores, by=["model", "group"])
    games = whole_games(workbench.recorded_replies(sets=(), settings=()))
    study = model_summary.compute(
        scores.assign(game=scores["position_id"].map(games)), depth=2, with_tau=False
    )
    study = study[study["length"] != "all"].reset_index(drop=True)
    assert table["precision_2"].tolist() == pytest.approx(study["precision"].tolist(), abs=1e-15)
    assert table["recall_2_low"].tolist() == pytest.approx(study["recall_low"].tolist(), abs=1e-12)
    assert table["valid"].tolist() == study["valid"].tolist()
    # What the command writes is taken as well, and its games are recognised.
    path = tmp_path / "scores.parquet"
    assert recorded_replies_path().is_file()
    replies.to_parquet(tmp_path / "predictions.parquet")
    score_file(tmp_path / "predictions.parquet", path, ScoringParameters(2))
    of_file = workbench.summary(path, by=["model", "group"])
    pd.testing.assert_frame_equal(of_file[table.columns[:5]], table[table.columns[:5]])


def test_any_number_of_workers_gives_the_same(scores):
    pd.testing.assert_frame_equal(workbench.score(FRAME, depth=1, jobs=2), scores)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["othello", "boxes", "planning:gripper", "programs"])
def test_other_environments_are_scored_alike(name):
    rows = workbench.positions(3, name).assign(reply=lambda table: table["true_state"])
    scores = workbench.score(rows, depth=2)
    assert scores["precision_2"].tolist() == [1.0] * 3
    assert workbench.summary(scores)["f_2"].tolist() == [1.0]


@pytest.mark.slow
def test_predictions_of_other_rows_are_noticed():
    positions = workbench.positions(10)
    right = positions.assign(reply=positions["true_state"])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        workbench.score(right, depth=1)
    shifted = positions.assign(reply=np.roll(positions["true_state"], 1))
    with pytest.warns(
        UserWarning, match="10 of 10 wrong predictions are the true state of another"
    ):
        workbench.score(shifted, depth=1)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda s: workbench.score(s), "scored already"),
        (lambda s: workbench.summary(FRAME), "score the frame first"),
        (lambda s: workbench.summary(s, by="modle"), "did you mean 'model'"),
        (lambda s: workbench.summary(s, metrics=["presicion_1"]), "did you mean 'precision_1'"),
        (lambda s: workbench.summary(s, metrics=["reply"]), "reply"),
        (lambda s: workbench.summary(s.drop(columns=["precision_1"])), "precision_4"),
        (lambda s: workbench.score(FRAME, depht=1), "depht"),
        (lambda s: workbench.score(FRAME, environment="ches"), "'ches'"),
        (lambda s: workbench.score(FRAME, environment="boxes"), "expected a state"),
    ],
)
def test_wrong_calls_say_what_to_pass(call, words, scores):
    with pytest.raises(InvalidArgumentError, match=words):
        call(scores)


def test_no_rows_give_scores_without_rows():
    assert len(workbench.score(FRAME.iloc[:0], depth=1)) == 0


def test_all_rows_together_are_one_line(scores):
    table = workbench.summary(scores, by=[])
    assert table["precision_1"].tolist() == [pytest.approx((1 + 18 / 19) / 4)]
    assert table["replies"].tolist() == [4]
    assert "model" not in table


def test_causes_are_counted_by_model_and_shares_are_of_defined_replies():
    """Of mine two of three replies are wrong; the failed call is in no share."""
    black = FRAME_START.replace(" w ", " b ")
    replies = [("mine", FRAME_START), ("mine", black), ("mine", "No."), ("other", black)]
    scores = workbench.score(
        [{"fen": FRAME_START, "reply": reply, "model": model} for model, reply in replies], depth=2
    )
    failed = scores.iloc[:1].assign(
        reply_class="failed", unscored="timeout", precision_2=float("nan"), recall_2=float("nan")
    )
    table = workbench.causes(pd.concat([scores, failed])).set_index(["model", "cause"])
    assert table.loc["mine", "replies"].to_dict() == {
        "no board": 1, "nothing lost": 1, "side to move": 1, "undefined": 1,
    }  # fmt: skip
    assert table.loc[("mine", "side to move"), "share"] == pytest.approx(1 / 3)
    assert table.loc[("mine", "side to move"), "share_of_wrong"] == pytest.approx(1 / 2)
    assert table.loc[("other", "side to move"), "share_of_wrong"] == 1.0
    assert table.loc[("mine", "side to move"), "precision_2_lost"] == 1.0
    undefined = table.loc[("mine", "undefined")]
    assert undefined[["share", "share_of_wrong", "precision_2_lost"]].isna().all()
    assert workbench.causes(scores, by=[])["replies"].sum() == 4


FRAME_START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
