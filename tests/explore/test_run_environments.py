"""RunBrowser opens the rows of every environment: as pictures or as text, and in a pair."""

from itertools import islice

import pandas as pd
import pytest

import workbench as wb
from workbench.environments.registry import environment_named, environment_names
from workbench.explore.run.run_browser import RunBrowser
from workbench.explore.run.run_table import run_table
from workbench.explore.run.same_position import all_on_one_board, reply_boards

NAMES = [*environment_names(), "planning:gripper", "boxes:7x3"]
BROKEN = "I cannot say."


def scores_of(name, count=5):
    """Episodes of six actions: right, one slip each, and one reply without a state."""
    environment = environment_named(name)
    rows = []
    for number, episode in enumerate(islice(environment.episodes(6, 0), count)):
        rate = 0.4 if number else 0.0
        reply = environment.track(episode.initial, episode.actions, rate=rate, seed=number)
        rows.append({"true_state": episode.true, "reply": reply, "model": "tracker"})
    rows.append({**rows[0], "reply": BROKEN, "model": "other"})
    return wb.score(rows, name, depth=2)


@pytest.mark.parametrize("name", NAMES)
def test_every_row_opens_with_its_states_and_its_pair(name):
    environment = environment_named(name)
    scores = scores_of(name)
    browser = RunBrowser(scores)
    for row in range(len(scores)):
        browser.open_row(row)
        opened, reply = browser.table.opened, browser.table.opened["reply"]
        assert opened["row"] == row
        assert opened["noun"] == environment.state_noun
        assert opened["true_words"] == ""
        assert opened["true_fen"] == scores["true_state"][row]
        absent = scores["reply_class"][row] == "absent"
        assert reply["stated"] is not absent
        same = bool(scores["exact_match"][row])
        assert (reply["different"] == []) is (same or absent)
        picture = environment.picture(environment.read_state(opened["true_fen"]))
        assert opened["true_picture"] == ("" if name == "chess" else picture or "")
        assert bool(opened["true_board"]) is (name == "chess")
        assert browser.pair.layout.display is None
        precision = browser.pair.compare()["profile"]["precision"]
        assert [each["value"] for each in precision] == pytest.approx(
            list(scores.loc[row, ["precision_1", "precision_2"]])
        )
    assert browser.table.last_error is None
    assert browser.still()


def test_rows_of_several_environments_have_a_pair_each():
    frames = [scores_of(name, 2) for name in ("boxes", "chess", "othello")]
    scores = pd.concat(frames, ignore_index=True)
    browser = RunBrowser(scores)
    pairs = []
    for row in (0, 3, 6, 1):
        browser.open_row(row)
        assert browser.children == (browser.table, browser.pair)
        pairs.append(browser.pair)
    assert [type(pair).__name__ for pair in pairs] == [
        "StatePair",
        "BoardPair",
        "StatePair",
        "StatePair",
    ]
    assert pairs[0] is pairs[3]
    assert pairs[0].environment.startswith("boxes")
    assert [pair.layout.display for pair in pairs] == [None, "none", "none", None]


def test_what_differs_is_marked_and_what_cannot_be_read_is_text():
    true = "- X O - - - - -"
    scores = scores_of("othello", 1)
    board = scores["true_state"][0]
    lines = board.split("\n")
    slip = "\n".join([true, *lines[1:]])
    rows = [{"true_state": board, "reply": reply, "model": "m"} for reply in (slip, "- - X")]
    run = run_table(wb.score(rows, "othello", depth=1))
    wrong = reply_boards(run, 0)["reply"]
    assert wrong["different"] == ["b1", "c1"]
    assert wrong["picture"] != reply_boards(run_table(scores), 0)["true_picture"]
    assert wrong["board"] == ""
    unreadable = run.rows.assign(true_state="no board")
    opened = reply_boards(run_table(unreadable), 0)
    assert opened["true_words"].startswith("The true board cannot be read: ")
    assert opened["reply"]["different"] is None
    assert opened["reply"]["stated"]
    assert all_on_one_board(run, 0) == {}
