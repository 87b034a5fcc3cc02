import math

import pytest
from test_tracked_game import AFTER_E5, AFTER_NC6, HOSTILE, rows

from workbench.errors import InvalidArgumentError
from workbench.explore.game.game_tracker import GameTracker
from workbench.explore.game.tracked_game import TrackedGame
from workbench.explore.pair.board_pair import BoardPair


def answers(widget, **message):
    sent = []
    widget.send = lambda content, buffers=None: sent.append(content)
    widget.answer(widget, message)
    return sent


def test_rows_of_a_table_are_shown():
    widget = GameTracker.from_rows(rows(), "game", "by hand", depth=2)
    assert widget.game == widget.tracked.page()
    assert widget.depth == 2
    assert not widget.can_open
    assert widget.replies["reply_class"].tolist()[0] == "valid"
    # The first reply is right; the kingless board of the second loses moves.
    assert widget.ply == 2


def test_the_simulated_tracker_is_called_so():
    widget = GameTracker.simulated("1. e4 e5 2. Nf3", rate=0, depth=1)
    assert widget.game["simulated"] is True
    assert widget.game["title"].startswith("Simulated tracker")
    assert widget.ply == 3


def test_boards_open_in_the_pair():
    pair = BoardPair()
    widget = GameTracker.from_rows(rows(), depth=2, pair=pair)
    assert widget.can_open
    pair.line = []
    (answer,) = answers(widget, kind="open", serial=1, ply=2)
    assert answer == {"kind": "open", "serial": 1, "ply": 2}
    assert pair.true_fen == AFTER_E5
    assert pair.predicted_fen == AFTER_E5.replace("RNBQKBNR", "RNBQ1BNR")
    assert pair.reply.startswith("FEN: ")
    assert pair.moves == "1. e4 e5"
    assert "after 2 plies" in pair.caption


@pytest.mark.parametrize("ply", [3, 4])
def test_what_is_no_board_opens_as_no_state(ply):
    pair = BoardPair()
    widget = GameTracker.from_rows(rows(), depth=2, pair=pair)
    answers(widget, kind="open", serial=1, ply=ply)
    assert pair.predicted_fen == ""
    if ply == 4:
        assert (pair.true_fen, pair.reply) == (AFTER_NC6, HOSTILE)


@pytest.mark.parametrize(("pair", "words"), [(True, "a ply with a reply"), (False, "pair=")])
def test_failures_are_told_and_kept(pair, words):
    widget = GameTracker.from_rows(rows().iloc[:2], depth=1, pair=BoardPair() if pair else None)
    (answer,) = answers(widget, kind="open", serial=4, ply=0)
    assert (answer["kind"], answer["asked"], answer["serial"]) == ("failed", "open", 4)
    assert words in answer["message"]
    assert isinstance(widget.last_error, InvalidArgumentError)


def test_a_game_without_replies_is_refused():
    with pytest.raises(InvalidArgumentError, match="at least one reply"):
        GameTracker(TrackedGame("empty", False, 1, "", (), ()))


def test_still_picture_has_both_measures_and_names_its_axes():
    widget = GameTracker.from_rows(rows(), depth=2)
    left, right = widget.figure().axes
    assert left.get_ylabel() == "state precision p_2"
    assert right.get_ylabel() == "edit distance / longer FEN"
    assert list(left.lines[0].get_ydata()) == widget.replies["precision_2"].tolist()
    assert list(right.lines[0].get_ydata())[:3] == widget.replies["distance"].tolist()[:3]
    assert math.isnan(right.lines[0].get_ydata()[3])
