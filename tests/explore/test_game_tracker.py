import base64
import io
import json
import math
import zlib

import chess.pgn
import pandas as pd
import pytest
from processor_time import least_seconds
from test_tracked_game import AFTER_E5, AFTER_NC6, HOSTILE, rows

from workbench.errors import InvalidArgumentError
from workbench.explore import game_tracker
from workbench.explore.game_tracker import GameTracker, live_games, track_model
from workbench.explore.pair.board_pair import BoardPair
from workbench.explore.tracked_game import TrackedGame, game_stops
from workbench.language_model.language_model import load_model, model_names
from workbench.language_model.vocabulary import MOST_PLIES
from workbench.language_model.written_replies import replies_along
from workbench.scoring import ScoringParameters


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
        GameTracker(TrackedGame("empty", False, ScoringParameters(depth=1), (), ()))


def test_still_picture_has_both_measures_and_names_its_axes():
    widget = GameTracker.from_rows(rows(), depth=2)
    upper, lower = widget.figure().axes
    assert upper.get_ylabel() == "state precision $p_{2}$"
    assert lower.get_ylabel() == "edit distance / longer FEN"
    assert lower.get_xlabel() == "ply"
    assert list(upper.lines[0].get_ydata()) == widget.replies["precision_2"].tolist()
    assert list(lower.lines[0].get_ydata())[:3] == widget.replies["distance"].tolist()[:3]
    assert math.isnan(lower.lines[0].get_ydata()[3])


GAME = "1. e4 e5 2. Nf3 Nc6 3. Bc4 Bc5"
ENDINGS = (
    "1. e4 d5 2. exd5 c6 3. dxc6 Nf6 4. cxb7 Nbd7 5. bxa8=Q g6 6. Nf3 Bg7 7. Be2 O-O 8. O-O e5",
    "1. e4 c5 2. Nf3 d6 3. d4 cxd4 4. Nxd4 Nf6 5. Nc3 a6 6. Be2 e5 7. Nb3 Be7 8. O-O O-O 9. Be3 Be6 "
    "10. Nd5 Nbd7 11. Qd3 Bxd5 12. exd5 Rc8 13. c4 Ne8 14. Qd2 b6 15. Rac1 a5 16. f3 g6 17. Kh1 Ng7 "
    "18. Bh6 Re8 19. Bd3 Bg5 20. Bxg5 Qxg5 21. Qxg5 h6 22. Qe3 f5 23. Rfe1 Kh7 24. Nd2 Nc5 25. Bf1 a4",
)
"""A promotion and castlings, and fifty plies."""


class TestALanguageModelReads:
    def test_the_page_gets_the_boards_a_few_at_a_time(self, monkeypatch):
        monkeypatch.setattr(game_tracker, "_READING_SECONDS", 0.0)
        widget = GameTracker.simulated(GAME, rate=0, depth=1)
        given = widget.game
        known, boards = 0, []
        while known < 6:
            (answer,) = answers(widget, kind="read", serial=1, reader="tiny", known=known)
            assert answer["game"]["title"] == "workbench/tiny"
            assert answer["known"] == known
            assert answer["done"] == (known == 5)
            assert answer["milliseconds"] > 0
            (reply,) = answer["game"]["replies"]
            boards.append(reply["predicted_fen"])
            known += 1
        moves = [move.uci() for move in chess.pgn.read_game(io.StringIO(GAME)).mainline_moves()]
        model = load_model("tiny")
        assert boards == [model.write_states([moves[:ply]])[0] for ply in range(1, 7)]
        assert widget.reader == "tiny"
        assert widget.game["replies"][5]["predicted_fen"] == boards[5]
        assert widget.game["simulated"] is False
        (answer,) = answers(widget, kind="read", serial=2, reader="", known=0)
        assert answer["done"]
        assert (widget.reader, widget.game) == ("", given)

    def test_the_same_from_python(self):
        widget = GameTracker.from_model(GAME, "tiny", depth=2)
        other = GameTracker.simulated(GAME, rate=0, depth=2)
        other.read_with("tiny")
        assert other.game == widget.game
        pd.testing.assert_frame_equal(other.replies, widget.replies)
        assert widget.readers == list(model_names())

    @pytest.mark.parametrize(
        "name", ["tiny", "small", pytest.param("medium", marks=pytest.mark.slow)]
    )
    def test_plies_that_are_read_together_have_the_replies_of_plies_alone(self, name):
        model = load_model(name)
        for movetext in ENDINGS:
            moves = [str(stop.uci) for stop in game_stops(movetext)[1:]]
            plies = range(1, len(moves) + 1)
            (alone,) = zip(*(model.write_states([moves[:ply]]) for ply in plies), strict=True)
            assert replies_along(model, moves, plies) == list(alone)
            assert replies_along(model, moves, [7, 3]) == [alone[6], alone[2]]
        assert replies_along(model, moves, []) == []

    def test_what_a_model_cannot_read_is_refused_at_its_ply(self):
        moves = ["g1f3", "g8f6", "f3g1", "f6g8"] * 51
        model = load_model("tiny")
        last, refused = replies_along(model, moves, [MOST_PLIES, MOST_PLIES + 1])
        assert last == model.write_states([moves[:MOST_PLIES]])[0]
        assert refused.startswith("The language model cannot reply: it reads at most 200 plies")
        assert replies_along(model, ["e2e4", "e5"], [1, 2])[1].startswith(
            "The language model cannot"
        )

    @pytest.mark.slow
    def test_fifty_plies_take_less_than_a_second_of_one_core(self):
        track_model("1. e4", "small", ScoringParameters(depth=4))
        seconds = least_seconds(
            lambda: track_model(ENDINGS[1], "small", ScoringParameters(depth=4)), enough=1
        )
        assert seconds < 1

    def test_a_game_without_moves_or_a_model_that_is_none(self):
        widget = GameTracker.from_rows(rows().drop(columns="moves"), depth=1)
        assert widget.readers == []
        for reader in ("tiny", "huge"):
            (answer,) = answers(widget, kind="read", serial=1, reader=reader, known=0)
            assert answer["kind"] == "failed"
            assert "a game with moves" in answer["message"]

    def test_a_table_names_its_game(self):
        widget = GameTracker.from_rows(rows(), depth=1)
        widget.read_with("tiny")
        assert widget.game["title"] == "Game game, workbench/tiny"
        assert widget.game["notes"] == ()

    @pytest.mark.slow
    def test_beyond_the_longest_game_there_is_no_answer(self):
        shuffle = "Nf3 Nf6 Ng1 Ng8 " * 50 + "Nf3 Nf6"
        tracked = track_model(shuffle, "tiny", ScoringParameters(depth=1))
        assert [reply.reply_class for reply in tracked.replies[200:]] == ["absent"] * 2
        assert "at most 200 plies" in tracked.replies[200].reply
        assert tracked.replies[199].reply_class != "absent"


def test_a_page_without_python_gets_the_game_and_the_weights_of_its_readers():
    moves = "1. e4 e5 2. Nf3"
    given = GameTracker.simulated(moves, depth=6, terminal="drop")
    state = given.page_state()
    assert state["traits"]["reader"] == ""
    assert state["traits"]["depth"] == 6
    assert state["scoring"] == {"terminal": "drop", "ill_formed": "as_is"}
    game = json.loads(zlib.decompress(base64.b64decode(state["packed"])))
    assert game == json.loads(json.dumps(given.game))
    assert '"weights": "' not in live_games([given.still()])
    given.read_with("tiny")
    state = given.page_state()
    # The replies that were given stay a choice; a page reads to depth 4.
    assert state["traits"] | {"ply": 0} == {
        "ply": 0, "depth": 4, "flipped": False, "reader": "tiny", "readers": ["tiny"],
    }  # fmt: skip
    written = GameTracker.from_model(moves, "tiny")
    assert written.page_state()["traits"]["reader"] == "tiny"
    script = live_games([given.still(), json.dumps(written.still())])
    assert script.count('"weights": "') == 1
