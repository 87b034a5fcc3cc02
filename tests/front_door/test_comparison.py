"""One pair compared: the numbers are those of the exact profile, in the order (true, predicted)."""

import chess
import pandas as pd
import pytest

import workbench
from workbench.environments.chess import ChessState
from workbench.environments.registry import environment_named
from workbench.errors import InvalidArgumentError, WorkbenchError
from workbench.explore import BoardPair, StatePair

START = chess.STARTING_FEN
# The knight's two moves are gone, and the rook has one more: 19 moves, 18 of the 20 in truth.
WITHOUT = START.replace("RNBQKBNR", "R1BQKBNR")


def test_precision_and_recall_are_in_the_order_true_predicted():
    comparison = workbench.compare(START, WITHOUT, depth=1)
    assert comparison.precision == (pytest.approx(18 / 19),)
    assert comparison.recall == (pytest.approx(18 / 20),)
    assert comparison.f == (pytest.approx(2 * 18 / (19 + 20)),)
    swapped = workbench.compare(WITHOUT, START, depth=1)
    assert (swapped.precision, swapped.recall) == (comparison.recall, comparison.precision)


def test_texts_states_and_whole_replies_give_the_same():
    expected = workbench.compare(START, WITHOUT, depth=2)
    for true in (START, ChessState.from_fen(START), chess.Board()):
        for predicted in (WITHOUT, ChessState.from_fen(WITHOUT), f"The board is `{WITHOUT}`."):
            found = workbench.compare(true, predicted, depth=2)
            assert (found.precision, found.recall) == (expected.precision, expected.recall)


def test_what_is_no_state_is_the_sink_with_its_reason():
    for reply in ("I cannot tell.", None, "", float("nan"), pd.NA):
        comparison = workbench.compare(START, reply)
        assert comparison.reply_class == "absent"
        assert comparison.precision == comparison.recall == comparison.f == (0.0,) * 4
        assert comparison.reason
        assert comparison.cause == ""
        assert "without a FEN" in repr(comparison)


def test_the_cause_is_the_one_error():
    comparison = workbench.compare(START, START.replace(" w ", " b "))
    assert comparison.precision[-1] == 0
    assert "White is to move" in comparison.cause
    assert comparison.cause in repr(comparison)
    assert comparison.cause in comparison._repr_html_()
    assert workbench.compare(START, START).cause == ""


def test_two_moments_far_apart_are_remarked():
    endgame = "8/8/4k3/8/8/3K4/8/7R w - - 0 60"
    comparison = workbench.compare(START, endgame)
    assert "check that both are of the same" in comparison.remark
    assert comparison.remark in repr(comparison)
    assert workbench.compare(START, WITHOUT).remark == ""


def test_script_in_a_reply_stays_text():
    comparison = workbench.compare(START, "<script>alert(1)</script> " + WITHOUT)
    assert "<script>" not in comparison._repr_html_()


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", ["chess", "othello", "boxes", "sokoban", "planning:gripper", "programs"]
)
def test_every_environment_has_its_picture_and_its_explorer(name):
    environment = environment_named(name)
    true = workbench.positions(1, name)["true_state"][0]
    comparison = workbench.compare(true, true, name, depth=2)
    assert comparison.precision == comparison.recall == comparison.f == (1.0, 1.0)
    assert comparison.text_metrics["exact_match"] is True
    html = comparison._repr_html_()
    assert "True " in html
    assert "p_2 = 1.0000" in html
    widget = comparison.explore()
    assert isinstance(widget, BoardPair if name == "chess" else StatePair)
    assert comparison.plot().axes[0].get_xlabel() == "depth m, actions"
    assert workbench.compare(environment.parse_input(true).state, true, environment, 1).f == (1.0,)


def test_the_table_has_a_row_for_each_depth():
    table = workbench.compare(START, WITHOUT, depth=3).to_frame()
    assert table.columns.tolist() == ["depth", "precision", "recall", "f"]
    assert table["depth"].tolist() == [1, 2, 3]
    estimated = workbench.compare(START, WITHOUT, depth=3, method="stratified", seed=1).to_frame()
    assert estimated["depth"].tolist() == [3]


@pytest.mark.parametrize(
    ("arguments", "options", "words"),
    [
        ((START.replace("pppp", "pppx"), START), {}, "FEN"),
        ((3.5, START), {}, "expected a board of chess or its text, got float 3.5"),
        ((START, 7), {}, "got int 7"),
        ((START, START, "ches"), {}, "expected one of boxes, chess"),
        ((START, START), {"depht": 3}, r"got \['depht'\]"),
        ((START, START), {"depth": 0}, "at least 1"),
        ((START, START), {"method": "guess"}, "guess"),
        ((START, START), {"task": "sing"}, "sing"),
    ],
)
def test_wrong_calls_say_what_to_pass(arguments, options, words):
    with pytest.raises(WorkbenchError, match=words):
        workbench.compare(*arguments, **options)


def test_a_state_of_another_environment_is_refused():
    boxes = environment_named("boxes").automaton.initial
    with pytest.raises(InvalidArgumentError, match="expected a board of chess"):
        workbench.compare(boxes, START)
