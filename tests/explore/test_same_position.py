"""Other replies to an open row's position, and one of them beside it."""

import pandas as pd
import pytest

from workbench.errors import InvalidArgumentError
from workbench.explore.run.run_browser import RunBrowser
from workbench.explore.run.run_table import run_table
from workbench.explore.run.same_position import (
    all_on_one_board,
    other_replies,
    reply_name,
    side_by_side,
)
from workbench.scoring import ScoringParameters
from workbench.scoring.score_tables import score


@pytest.fixture
def scores(predictions):
    """Five models on the initial position: right, e2-e4 ahead, kingless, broken, absent; an odd one."""
    return score(predictions, ScoringParameters(depth=2)).assign(
        position_id="start", model=list("abcdef")
    )


@pytest.fixture
def browser(scores):
    return RunBrowser(scores)


def test_a_reply_is_named_by_its_model_setting_and_sample():
    row = {"model": "a", "setting": "", "sample": 0}
    assert reply_name(row) == "a"
    assert (
        reply_name({**row, "setting": "thinking=256", "sample": 2}) == "a, thinking=256, sample 2"
    )


def test_others_have_the_same_position_and_the_nearest_come_first(scores):
    run = run_table(scores)
    others = other_replies(run, 1)
    assert [each["name"] for each in others] == ["a", "c", "d", "e"]
    # Of the kingless board's 21 moves Qe1 is illegal, as the README says.
    assert [each["precision"] for each in others] == [1.0, pytest.approx(20 / 21), 0.0, 0.0]
    assert other_replies(run_table(scores.assign(position_id=list("abcdef"))), 1) == []


def test_two_replies_are_shown_with_what_differs_from_the_true_board(scores):
    run = run_table(scores)
    found = side_by_side(run, 1, 2)
    assert found["true_fen"] == scores["true_state"][0]
    ahead, kingless = found["replies"]
    assert (ahead["different"], ahead["fields"]) == (["e2", "e4"], ["side to move"])
    assert kingless["different"] == ["e1"]
    assert "White has no king" in kingless["words"]
    broken, absent = side_by_side(run, 3, 4)["replies"]
    assert (broken["board"], broken["fen"]) == ("", scores["predicted_state"][3])
    assert "cannot be read" in broken["words"]
    assert (absent["board"], absent["fen"], absent["words"]) == ("", "", "No board.")


def test_all_replies_are_counted_on_one_board(scores):
    found = all_on_one_board(run_table(scores), 0)
    # Of five replies one cannot be read and one has no FEN.
    assert (found["replies"], found["boards"]) == (5, 3)
    assert found["true_board"] == scores["true_state"][0]
    assert found["squares"] == [
        {"square": "e1", "wrong": 1, "words": "e1, white king: empty in c"},
        {"square": "e2", "wrong": 1, "words": "e2, white pawn: empty in b"},
        {"square": "e4", "wrong": 1, "words": "e4, empty: white pawn in b"},
    ]
    same = scores.assign(predicted_state=scores["predicted_state"][1])
    e4 = all_on_one_board(run_table(same), 0)["squares"][1]
    assert e4 == {"square": "e4", "wrong": 5, "words": "e4, empty: white pawn in a, b, c, d, e"}


def test_a_model_stays_beside_the_rows_that_are_opened(scores):
    elsewhere = scores.iloc[:3].assign(position_id="again", model=list("dac"))
    lone = scores.iloc[[0]].assign(position_id="alone")
    browser = RunBrowser(pd.concat([scores, elsewhere, lone], ignore_index=True))
    browser.open_row(0)
    assert browser.table.beside == {}
    browser.table.show_beside(2)
    assert [each["name"] for each in browser.table.beside["replies"]] == ["a", "c"]
    browser.open_row(6)
    assert [each["row"] for each in browser.table.beside["replies"]] == [6, 8]
    browser.open_row(9)
    assert (browser.table.opened["others"], browser.table.beside) == ([], {})
    browser.open_row(1)
    assert [each["name"] for each in browser.table.beside["replies"]] == ["b", "c"]
    browser.table.show_beside(None)
    browser.open_row(0)
    assert browser.table.beside == {}


@pytest.mark.parametrize("row", [0, 5, -1, "1"])
def test_only_other_replies_to_the_position_stand_beside(browser, row):
    with pytest.raises(InvalidArgumentError, match=r"of \[\]"):
        browser.table.show_beside(row)
    browser.open_row(0)
    with pytest.raises(InvalidArgumentError, match=r"of \[2, 1, 3, 4\]"):
        browser.table.show_beside(row)
    assert browser.table.beside == {}


def test_filters_are_cleared(browser):
    browser.table.classes = ["valid"]
    browser.table.precision_range = [0.5, None]
    assert len(browser.shown) == 1
    browser.table.show_all()
    assert len(browser.shown) == 6
