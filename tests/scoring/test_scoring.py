"""Scores of rows worked by hand: every class of reply, every policy, nothing lost."""

import math
import re

import pandas as pd
import pytest

from workbench.errors import InvalidArgumentError
from workbench.scoring import ScoringParameters, score_predictions, scores_schema
from workbench.scoring.score_tables import score
from workbench.tables.parquet_tables import PREDICTIONS, read_table, write_table

TWO = ScoringParameters(depth=2)


def test_every_row_stays_with_its_identity_and_class(predictions):
    scores = score_predictions(predictions, TWO)
    assert list(scores.columns) == scores_schema(TWO).names
    assert list(scores["position_id"]) == list(predictions["position_id"])
    assert list(scores["reply_class"]) == [
        "valid", "valid", "ill_formed", "unparseable", "absent", "valid",
    ]  # fmt: skip


def test_the_measures_of_each_class(predictions):
    scores = score_predictions(predictions, TWO)
    right, other, kingless, unparseable, absent, unscored = scores.to_dict("records")
    assert (right["precision_1"], right["precision_2"], right["recall_2"]) == (1.0, 1.0, 1.0)
    # After 1. e4 it is Black's turn: no move is common.
    assert (other["precision_1"], other["recall_1"]) == (0.0, 0.0)
    # Without its king White has Qd1-e1 besides the 20 moves; Black's replies are the same.
    assert kingless["precision_1"] == pytest.approx(20 / 21)
    assert kingless["recall_2"] == pytest.approx(1.0)
    for sunk in (unparseable, absent):
        assert [sunk[f"{n}_{m}"] for n in ("precision", "recall") for m in (1, 2)] == [0.0] * 4
    assert math.isnan(unscored["precision_1"])
    assert "'no board'" in unscored["unscored"]


def test_the_text_metrics_of_each_class(predictions):
    scores = score_predictions(predictions, TWO)
    assert list(scores["levenshtein"].iloc[:5]) == [0, 5, 1, 9, 56]
    assert list(scores["levenshtein_to_empty"].iloc[:5]) == [False, False, False, False, True]
    assert list(scores["exact_match"].iloc[:5]) == [True, False, False, False, False]
    accuracy = scores["board_accuracy"].iloc[:5]
    assert list(accuracy.iloc[:3]) == [1.0, 62 / 64, 63 / 64]
    assert accuracy.iloc[3:].isna().all()
    assert list(scores["correct_side_to_move"].iloc[:2]) == [True, False]
    assert pd.isna(scores["exact_match"].iloc[5])


def test_what_each_prediction_says_of_its_past(predictions):
    """The game is 1. e4: a board that still has the pawn on e2 left that ply out."""
    rows = predictions.copy()
    rows.loc[0, "true_state"] = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1"
    scores = score_predictions(rows, ScoringParameters(depth=1))
    left_out, _, kingless, unparseable, absent, unscored = scores.to_dict("records")
    assert (left_out["lost_ply"], left_out["lost_kind"]) == (1, "move_left_out")
    assert (left_out["lost_squares"], left_out["wrong_squares"]) == (0, 2)
    assert left_out["violated_conditions"] == ""
    assert "white_kings" in kingless["violated_conditions"]
    for row in (unparseable, absent, unscored):
        assert pd.isna(row["violated_conditions"])
        assert pd.isna(row["lost_ply"])


def test_the_policy_sink_takes_ill_formed_boards_for_no_state(predictions):
    scores = score_predictions(predictions, ScoringParameters(depth=1, ill_formed="sink"))
    assert scores["precision_1"].iloc[2] == 0.0
    assert scores["precision_1"].iloc[0] == 1.0
    assert set(scores["ill_formed_policy"]) == {"sink"}
    assert scores["levenshtein"].iloc[2] == 1


def test_an_estimator_gives_one_depth_with_its_error(predictions):
    parameters = ScoringParameters(depth=2, method="intermediate", samples=30, batches=4, seed=5)
    scores = score_predictions(predictions, parameters)
    assert "precision_1" not in scores
    kingless = scores.iloc[2]
    assert kingless["precision_2"] == pytest.approx(20 / 21, abs=0.05)
    assert kingless["precision_2_standard_error"] >= 0
    assert scores["precision_2"].iloc[3] == 0.0


def test_a_row_scores_the_same_in_any_company(predictions):
    parameters = ScoringParameters(depth=2, method="branch", samples=20, batches=1, seed=3)
    whole = score_predictions(predictions, parameters)
    backwards = score_predictions(predictions.iloc[::-1], parameters).iloc[::-1]
    pd.testing.assert_frame_equal(whole, backwards.reset_index(drop=True))
    pd.testing.assert_frame_equal(
        whole.iloc[[2]].reset_index(drop=True),
        score_predictions(predictions.iloc[[2]], parameters),
        check_dtype=False,  # a column of bool without a null in it
    )


UNKNOWN = ["game_id", "source", "group", "ply", "game_plies", "movetext", "moves", "status"]


@pytest.mark.parametrize("unknown", ["all", "every second"])
def test_what_is_not_known_of_a_row_does_not_keep_it_from_its_scores(
    predictions, unknown, tmp_path
):
    rows = predictions.astype(dict.fromkeys(UNKNOWN, object))
    rows.loc[rows.index[:: 1 if unknown == "all" else 2], UNKNOWN] = None
    write_table(rows, tmp_path / "predictions.parquet", PREDICTIONS)
    rows = read_table(tmp_path / "predictions.parquet", PREDICTIONS)
    whole, scores = score_predictions(predictions, TWO), score_predictions(rows, TWO)
    # Where tracking was lost is told by the moves alone.
    told_by_moves = {"wrong_squares", "lost_ply", "lost_kind", "lost_squares"}
    same = [name for name in scores if name not in {*UNKNOWN, *told_by_moves}]
    pd.testing.assert_frame_equal(scores[same], whole[same])
    assert scores["game_id"].isna().tolist() == rows["game_id"].isna().tolist()
    assert scores.loc[rows["moves"].isna(), list(told_by_moves)].isna().all(axis=None)
    pd.testing.assert_frame_equal(score(rows, TWO, jobs=2), scores)


@pytest.mark.parametrize(
    ("column", "value", "reason"),
    [
        ("true_state", None, "true_state: expected a board, got none"),
        ("reply_class", None, "reply_class: expected one of valid, .*, failed, got None"),
        ("reply_class", "good", "reply_class: .* got 'good'"),
        ("predicted_state", None, "predicted_state of a reply that is valid: .* got none"),
        ("predicted_state", "8/8 w", "predicted_state of a reply that is valid: .*'8/8 w'"),
        ("moves", "e2e4 nonsense", "moves: ply 2: .*'nonsense'"),
    ],
)
def test_a_row_that_cannot_be_scored_stays_and_says_why(predictions, column, value, reason):
    rows = predictions.copy()
    rows.loc[1, column] = value
    whole, scores = score_predictions(predictions, TWO), score_predictions(rows, TWO)
    row = scores.iloc[1]
    assert re.match(reason, row["unscored"])
    assert row[["precision_2", "recall_1", "levenshtein", "exact_match"]].isna().all()
    others = [0, 2, 3, 4, 5]
    pd.testing.assert_frame_equal(scores.iloc[others], whole.iloc[others], check_dtype=False)


def test_no_rows_give_an_empty_table(predictions):
    scores = score(predictions.iloc[:0], TWO)
    assert list(scores.columns) == scores_schema(TWO).names
    assert len(scores) == 0


@pytest.mark.parametrize(
    "bad",
    [
        {"depth": 0},
        {"terminal": "stop"},
        {"ill_formed": "repair"},
        {"method": "guess"},
        {"samples": 0},
        {"seed": -1},
    ],
)
def test_parameters_out_of_range_are_named(bad):
    with pytest.raises(InvalidArgumentError, match=repr(next(iter(bad.values())))):
        ScoringParameters(**bad)
