import json

import chess
import pandas as pd
import pytest

from workbench.affordance import exact_profile
from workbench.environments.chess import ChessAutomaton, ChessState
from workbench.environments.chess.tracker import track
from workbench.errors import IllegalMoveError, InvalidArgumentError, TableError
from workbench.explore.tracked_game import game_stops, numbered_move, track_rows, track_simulated
from workbench.scoring import ScoringParameters

START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
AFTER_E4 = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1"
AFTER_E5 = "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2"
AFTER_NF3 = "rnbqkbnr/pppp1ppp/8/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R b KQkq - 1 2"
AFTER_NC6 = "r1bqkbnr/pppp1ppp/2n5/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R w KQkq - 2 3"
MOVES = ["e2e4", "e7e5", "g1f3", "b8c6"]
HOSTILE = "<img src=x onerror=alert(1)> I cannot tell."
PARAMETERS = ScoringParameters(depth=2)


def rows():
    """Four cuts of one game: right, ill-formed, unparseable and absent replies."""
    without_king = AFTER_E5.replace("RNBQKBNR", "RNBQ1BNR")
    seven_ranks = AFTER_NF3.replace("/8/4p3", "/4p3")
    replies = [AFTER_E4, f"FEN: {without_king}", seven_ranks, HOSTILE]
    return pd.DataFrame(
        {
            "game_id": "game",
            "ply": [1, 2, 3, 4],
            "true_state": [AFTER_E4, AFTER_E5, AFTER_NF3, AFTER_NC6],
            "moves": [" ".join(MOVES[:ply]) for ply in range(1, 5)],
            "model": "by hand",
            "sample": 0,
            "reply": replies,
        }
    )


def tracked(frame, **chosen):
    given = {"game_id": None, "model": None, "sample": None, "parameters": PARAMETERS, **chosen}
    return track_rows(frame, **given)


def test_a_failed_call_is_no_reply_and_is_named():
    frame = rows().assign(reply_class=["valid", "ill_formed", "unparseable", "failed"])
    frame["predicted_state"] = [*frame["reply"].iloc[:3], None]
    frame["status"], frame["reason"] = "", ["", "", "7 ranks", "call failed: 500"]
    frame.loc[1, "predicted_state"] = frame.loc[1, "reply"].removeprefix("FEN: ")
    game = tracked(frame)
    assert [reply.ply for reply in game.replies] == [1, 2, 3]
    assert "The call failed at ply 4: there is no reply." in game.notes


def test_replies_of_every_class():
    right, ill_formed, unparseable, absent = tracked(rows()).replies
    assert [reply.reply_class for reply in (right, ill_formed, unparseable, absent)] == [
        "valid", "ill_formed", "unparseable", "absent",
    ]  # fmt: skip
    assert right.exact_match
    assert right.precision == right.recall == (1.0, 1.0)
    assert (right.levenshtein, right.distance, right.different) == (0, 0.0, ())
    assert right.wrong_fields == ()
    assert ill_formed.words.startswith("Ill-formed board: White has no king")
    assert ill_formed.different == ("e1",)
    # One sign of the FEN's text is another: "K" became "1".
    assert (ill_formed.levenshtein, ill_formed.longer) == (1, len(AFTER_E5))
    assert ill_formed.distance == 1 / len(AFTER_E5)
    assert ill_formed.wrong_fields == ("pieces",)
    assert (
        unparseable.words
        == "No readable FEN: there are 7 ranks; a board has 8, with '/' between them."
    )
    assert (unparseable.on_board, unparseable.precision) == (False, (0.0, 0.0))
    assert unparseable.levenshtein == 2
    assert (absent.predicted_fen, absent.levenshtein, absent.distance) == (None, None, None)
    assert absent.precision == (0.0, 0.0)
    assert absent.reply == HOSTILE


def test_precision_is_that_of_the_reference_walk():
    ill_formed = tracked(rows()).replies[1]
    true, predicted = (ChessState.from_fen(fen) for fen in (AFTER_E5, ill_formed.predicted_fen))
    exact = exact_profile(true, predicted, 2, automaton=ChessAutomaton(), engine="reference")
    assert ill_formed.precision == pytest.approx(exact.precision)
    assert ill_formed.recall == pytest.approx(exact.recall)
    assert 0 < ill_formed.recall[-1] < 1


def test_ill_formed_boards_as_no_state():
    sink = ScoringParameters(depth=2, ill_formed="sink")
    found = tracked(rows(), parameters=sink)
    assert found.replies[1].precision == (0.0, 0.0)
    assert found.replies[1].on_board
    assert "ill-formed boards: no state" in found.conventions


def test_the_game_is_replayed_between_the_cuts():
    found = tracked(rows().iloc[[0, 3]])
    assert [stop.ply for stop in found.stops] == [0, 1, 2, 3, 4]
    assert [stop.fen for stop in found.stops] == [START, AFTER_E4, AFTER_E5, AFTER_NF3, AFTER_NC6]
    assert [stop.san for stop in found.stops] == [None, "e4", "e5", "Nf3", "Nc6"]
    assert [reply.ply for reply in found.replies] == [1, 4]
    assert found.notes == ()
    assert found.moves_until(3) == "1. e4 e5 2. Nf3"


def test_a_table_without_moves_has_the_cuts_alone():
    found = tracked(rows().drop(columns="moves"))
    assert [stop.ply for stop in found.stops] == [1, 2, 3, 4]
    assert found.stops[1].fen == AFTER_E5
    assert "has no moves of the game" in found.notes[0]
    assert found.moves_until(4) == ""


def test_a_table_of_scores_needs_no_reply():
    found = tracked(rows().drop(columns=["reply", "moves"]).assign(predicted_state=AFTER_E4))
    assert found.replies[0].exact_match
    assert found.replies[0].reply is None


def test_what_contradicts_the_moves_is_noted():
    frame = rows()
    frame.loc[1, "true_state"] = AFTER_E5.replace(" 0 2", " 0 9")
    frame.loc[3, "moves"] = None
    found = tracked(frame)
    assert [stop.ply for stop in found.stops] == [0, 1, 2, 3, 4]
    assert found.stops[4].fen == AFTER_NC6
    assert found.stops[4].san is None
    assert "The moves end at ply 3; the true board at ply 4" in found.notes[0]
    assert "At ply 2 the table's true FEN" in found.notes[1]
    assert found.replies[1].true_fen.endswith("0 9")


def test_moves_of_another_game_are_refused():
    frame = rows()
    frame.loc[1, "moves"] = "d2d4 d7d5"
    with pytest.raises(TableError, match="at ply 2 are not the beginning"):
        tracked(frame)
    frame = rows().iloc[[3]].assign(moves="e2e4 e2e4")
    with pytest.raises(IllegalMoveError, match=r"game '.*', ply 2: .* 'e2e4'"):
        tracked(frame)


def test_what_is_left_open_is_asked_for():
    frame = pd.concat([rows(), rows().assign(model="other")])
    with pytest.raises(InvalidArgumentError, match=r"one model, got 2: 'by hand', 'other'"):
        tracked(frame)
    assert tracked(frame, model="other").title == "Game game, other"
    with pytest.raises(InvalidArgumentError, match="game_id 'none', got none"):
        tracked(frame, game_id="none")
    samples = pd.concat([rows(), rows().assign(sample=1)])
    with pytest.raises(InvalidArgumentError, match="say which by sample="):
        tracked(samples)
    assert len(tracked(samples, sample=1).replies) == 4
    with pytest.raises(TableError, match="several at ply 1"):
        tracked(pd.concat([rows(), rows().iloc[:1]]))
    with pytest.raises(TableError, match="expected the columns"):
        tracked(rows().drop(columns="true_state"))
    with pytest.raises(TableError, match="reply or predicted_state"):
        tracked(rows().drop(columns="reply"))


def test_a_true_fen_that_cannot_be_read_is_refused():
    with pytest.raises(TableError, match=r"ply 1: .*no board"):
        tracked(rows().iloc[:1].drop(columns="moves").assign(true_state="no board"))


def test_simulated_tracker_without_slips_is_right_everywhere():
    found = track_simulated("1. e4 e5 2. Nf3 Nc6", rate=0, seed=3, parameters=PARAMETERS)
    assert found.simulated
    assert [reply.predicted_fen for reply in found.replies] == [
        AFTER_E4, AFTER_E5, AFTER_NF3, AFTER_NC6,
    ]  # fmt: skip
    assert all(reply.exact_match and reply.precision == (1.0, 1.0) for reply in found.replies)


def test_simulated_replies_are_those_of_the_tracker():
    found = track_simulated("1. e4 e5 2. Nf3 Nc6", rate=0.6, seed=4, parameters=PARAMETERS)
    again = track_simulated("1. e4 e5 2. Nf3 Nc6", rate=0.6, seed=4, parameters=PARAMETERS)
    assert found == again
    for reply in found.replies:
        wanted = track(" ".join(MOVES[: reply.ply]), position_id="tracked game", rate=0.6, seed=4)
        assert reply.reply == wanted.fen
        assert len(reply.slips) == len(wanted.slips)
    assert any(reply.slips for reply in found.replies)
    assert "slip rate 0.6" in found.title


def test_luck_of_a_ply_does_not_depend_on_later_ones():
    shorter = track_simulated("1. e4 e5", rate=0.5, seed=1, parameters=PARAMETERS)
    longer = track_simulated("1. e4 e5 2. Nf3 Nc6", rate=0.5, seed=1, parameters=PARAMETERS)
    assert longer.replies[:2] == shorter.replies


@pytest.mark.parametrize(
    ("movetext", "error"),
    [
        ("", InvalidArgumentError),
        ("1. e4 e5 1-0 1. d4 d5 0-1", InvalidArgumentError),
        ("1. e4 what", InvalidArgumentError),
        ("1. e4 Nf9", InvalidArgumentError),
        ("1. e4 e4", IllegalMoveError),
    ],
)
def test_moves_that_cannot_be_played_are_refused(movetext, error):
    with pytest.raises(error):
        game_stops(movetext)


def test_moves_are_numbered():
    stops = game_stops("1. e4 {best} e5 2. Nf3+?! Nc6 1-0")
    assert [numbered_move(stop) for stop in stops] == [
        "start",
        "1. e4",
        "1... e5",
        "2. Nf3",
        "2... Nc6",
    ]
    assert stops[-1].fen == chess.Board(AFTER_NC6).fen()


def test_the_page_gets_plain_json():
    found = json.loads(json.dumps(tracked(rows()).page(), allow_nan=False))
    assert found["replies"][3]["reply"] == HOSTILE
    assert found["replies"][3]["distance"] is None
    assert found["stops"][1] == {"ply": 1, "fen": AFTER_E4, "san": "e4", "uci": "e2e4"}


def test_table_has_a_row_a_reply():
    table = tracked(rows()).table()
    assert table["ply"].tolist() == [1, 2, 3, 4]
    assert table["precision_2"].tolist()[0] == 1.0
    assert {"precision_1", "recall_1", "recall_2", "distance", "reply_class"} <= set(table.columns)
