"""BoardPair without a page: its traits, its answers, its rows and its line of code."""

import chess
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from workbench.affordance import exact_profile
from workbench.environments.chess import ChessAutomaton, ChessState
from workbench.errors import InvalidArgumentError, InvalidFenError, TableError
from workbench.explore.explorer_settings import ExplorerSettings
from workbench.explore.pair.board_pair import PREDICTED_FEN, TRUE_FEN, BoardPair, compare_answer

START = chess.STARTING_FEN
WITHOUT_KNIGHT = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/R1BQKBNR w KQkq - 0 1"
BAD = "rnbqkbnr/pppppppp/9/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
HOSTILE = '<img src=x onerror="alert(1)"><script>alert(2)</script>'


@pytest.fixture
def page(monkeypatch):
    """Make a pair, and a function that asks as its page does and returns the answer."""

    def make(*arguments, **named):
        pair = BoardPair(*arguments, **named)
        sent = []
        monkeypatch.setattr(pair, "send", lambda content, buffers=None: sent.append(content))

        def ask(kind, **changes):
            state = {
                "true_fen": pair.true_fen,
                "predicted_fen": pair.predicted_fen,
                "line": pair.line,
                "depth": pair.depth,
                "terminal": pair.terminal,
                "ill_formed": pair.ill_formed,
            }
            pair.answer(pair, {"kind": kind, "serial": len(sent), **state, **changes})
            return sent[-1]

        return pair, ask

    return make


class TestAnswers:
    def test_the_numbers_are_the_packages(self, page):
        pair, ask = page(START, WITHOUT_KNIGHT, 3)
        answer = ask("compare")
        expected = exact_profile(
            ChessState.from_board(chess.Board(START)),
            ChessState.from_board(chess.Board(WITHOUT_KNIGHT)),
            3,
            automaton=ChessAutomaton(),
        )
        profile = answer["view"]["profile"]
        assert [entry["value"] for entry in profile["precision"]] == list(expected.precision)
        assert [entry["value"] for entry in profile["recall"]] == list(expected.recall)
        # 20 moves of which the knight on b1 has two; the rook on a1 gains b1.
        assert profile["recall"][0]["value"] == pytest.approx(18 / 20)
        assert profile["precision"][0]["value"] == pytest.approx(18 / 19)
        assert answer["view"]["profile"] == pair.compare()["profile"]

    def test_the_state_of_the_message_counts_not_that_of_the_traits(self, page):
        pair, ask = page(START, WITHOUT_KNIGHT)
        answer = ask("compare", predicted_fen=START, depth=2)
        assert answer["view"]["text"]["exact_match"]
        assert answer["view"]["profile"]["depths"] == [1, 2]
        assert pair.predicted_fen == WITHOUT_KNIGHT

    def test_a_line_is_stepped_on_both_boards_and_said_in_words(self, page):
        _, ask = page(START, WITHOUT_KNIGHT)
        answer = ask("compare", line=["e2e4", "e7e5", "g1f3"])
        assert answer["line_words"] == ["1. e4", "e5", "2. Nf3"]
        assert answer["view"]["true"]["fen"].split()[0] == (
            "rnbqkbnr/pppp1ppp/8/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R"
        )
        assert answer["view"]["different"] == ["b1"]

    @pytest.mark.parametrize("line", [["b1c3"], ["a1b1"], ["e2e5"]])
    def test_a_move_that_is_not_shared_is_refused_in_words(self, page, line):
        pair, ask = page(START, WITHOUT_KNIGHT)
        answer = ask("compare", line=line)
        assert answer["kind"] == "failed"
        assert "expected a move that both boards permit" in answer["message"]
        assert isinstance(pair.last_error, InvalidArgumentError)

    def test_what_is_wrong_with_a_fen_is_said_for_its_board(self, page):
        pair, ask = page(START, WITHOUT_KNIGHT)
        answer = ask("compare", predicted_fen=BAD)
        assert set(answer["problems"]) == {"predicted"}
        assert "rank 6" in answer["problems"]["predicted"]
        assert "view" not in answer
        assert set(ask("compare", true_fen="")["problems"]) == {"true"}
        assert pair.last_error is None

    def test_no_prediction_is_the_sink(self, page):
        _, ask = page(START, "")
        view = ask("compare")["view"]
        assert view["predicted"]["class"] == "absent"
        assert {entry["value"] for entry in view["profile"]["precision"]} == {0.0}

    @pytest.mark.parametrize("change", [{"depth": 0}, {"terminal": "stop"}, {"ill_formed": ""}])
    def test_settings_out_of_range_fail_in_words(self, page, change):
        _, ask = page()
        answer = ask("compare", **change)
        assert answer["kind"] == "failed"
        assert repr(next(iter(change.values()))) in answer["message"]

    def test_a_message_without_boards_fails_in_words(self, page):
        pair, _ = page()
        pair.answer(pair, {"kind": "compare", "serial": 1})
        assert "expected true_fen and predicted_fen" in str(pair.last_error)

    def test_what_is_lost_adds_up_to_what_the_numbers_lack(self, page):
        _, ask = page(START, WITHOUT_KNIGHT, 3)
        profile = ask("compare")["view"]["profile"]
        lost = ask("lost_mass")
        for name in ("precision", "recall"):
            assert lost[name]["lost"] == pytest.approx(1 - profile[name][-1]["value"])
            assert sum(child["lost"] for child in lost[name]["children"]) == pytest.approx(
                lost[name]["lost"]
            )


class TestTraits:
    def test_the_default_pair_is_worth_looking_at(self):
        pair = BoardPair()
        assert (pair.true_fen, pair.predicted_fen) == (TRUE_FEN, PREDICTED_FEN)
        view = pair.compare()
        assert view["different"] == ["e2", "f3"]
        assert 0.1 < view["profile"]["precision"][-1]["value"] < 0.9
        assert view["predicted"]["class"] == "valid"

    def test_a_bad_fen_is_refused_and_the_last_good_one_stays(self):
        pair = BoardPair(START, WITHOUT_KNIGHT)
        for name in ("true_fen", "predicted_fen"):
            with pytest.raises(InvalidFenError, match=r"rank 6 .*9"):
                setattr(pair, name, BAD)
        assert (pair.true_fen, pair.predicted_fen) == (START, WITHOUT_KNIGHT)
        with pytest.raises(InvalidFenError, match="predicted FEN"):
            BoardPair(START, BAD)
        with pytest.raises(InvalidArgumentError, match="true_fen"):
            pair.true_fen = " "

    @pytest.mark.parametrize(
        ("name", "value"), [("depth", 0), ("terminal", "stop"), ("ill_formed", "drop")]
    )
    def test_settings_out_of_range_are_refused(self, name, value):
        pair = BoardPair()
        before = getattr(pair, name)
        with pytest.raises(InvalidArgumentError):
            setattr(pair, name, value)
        assert getattr(pair, name) == before
        with pytest.raises(InvalidArgumentError):
            BoardPair(**{name: value})

    def test_a_line_must_be_shared(self):
        pair = BoardPair(START, WITHOUT_KNIGHT, line=["e2e4"])
        assert pair.boards()[0].startswith("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b")
        with pytest.raises(InvalidArgumentError, match="b1c3"):
            pair.line = ["b1c3"]
        assert pair.line == ["e2e4"]

    def test_a_line_that_a_new_board_does_not_permit_is_emptied(self):
        pair = BoardPair(START, WITHOUT_KNIGHT, line=["e2e4"])
        pair.predicted_fen = "4k3/8/8/8/8/8/8/4K3 w - - 0 1"
        assert pair.line == []

    def test_the_state_of_the_page_is_taken_as_a_whole(self):
        pair = BoardPair(START, WITHOUT_KNIGHT)
        king = "4k3/8/8/8/8/8/8/4K3 w - - 0 1"
        pair.set_state({"true_fen": king, "predicted_fen": king, "line": ["e1e2"], "depth": 6})
        assert (pair.true_fen, pair.predicted_fen, pair.line, pair.depth) == (
            king,
            king,
            ["e1e2"],
            6,
        )

    def test_texts_of_others_are_kept_as_they_are(self):
        pair = BoardPair(reply=HOSTILE, caption=HOSTILE, moves=HOSTILE)
        state = pair.get_state()
        assert state["reply"] == state["caption"] == state["moves"] == HOSTILE
        assert HOSTILE not in state["_esm"]

    def test_the_pieces_are_python_chess_s_and_cannot_be_set(self):
        pair = BoardPair()
        assert len(pair.pieces) == 12
        with pytest.raises(Exception, match="read-only"):
            pair.pieces = {}


class TestCode:
    @settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.too_slow])
    @given(
        depth=st.integers(1, 8),
        terminal=st.sampled_from(["absorb", "drop"]),
        ill_formed=st.sampled_from(["as_is", "sink"]),
        line=st.sampled_from([[], ["e2e4"], ["e2e4", "e7e5"]]),
        predicted=st.sampled_from([WITHOUT_KNIGHT, START, None]),
    )
    def test_the_line_makes_the_pair_again(self, depth, terminal, ill_formed, line, predicted):
        line = line if predicted else []
        pair = BoardPair(
            START, predicted, depth, terminal=terminal, ill_formed=ill_formed, line=line
        )
        code = pair.code()
        assert "\n" not in code
        names: dict[str, object] = {}
        statement, _, expression = code.partition("; ")
        exec(statement, names)
        again = eval(expression, names)
        assert again.settings == pair.settings
        assert again.boards() == pair.boards()
        assert again.line == pair.line

    def test_the_page_gets_the_same_line(self, page):
        pair, ask = page(START, WITHOUT_KNIGHT, 2, line=["e2e4"])
        assert ask("compare")["code"] == pair.code()

    def test_lines_are_numbered_as_in_a_score(self):
        black = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 7"
        line = ["e7e5", "g1f3", "b8c6"]
        answer = compare_answer(black, black, line, ExplorerSettings(1))
        assert answer["line_words"] == ["7... e5", "8. Nf3", "Nc6"]
        assert compare_answer(black, black, [], ExplorerSettings(1))["line_words"] == []


ROW = {
    "position_id": "g-10",
    "model": "tracker",
    "group": 5,
    "true_state": START,
    "predicted_state": WITHOUT_KNIGHT,
    "reply_class": "valid",
    "reason": "",
}


class TestFromRow:
    def test_a_row_of_predictions_brings_reply_and_moves(self):
        row = {**ROW, "reply": HOSTILE, "movetext": "1. e4 e5", "moves": "e2e4 e7e5"}
        pair = BoardPair.from_row(pd.Series(row))
        assert (pair.true_fen, pair.predicted_fen) == (START, WITHOUT_KNIGHT)
        assert pair.reply == HOSTILE
        assert pair.moves == "1. e4 e5"
        assert pair.caption == "g-10, tracker, group 5, valid"

    def test_a_row_of_scores_brings_how_it_was_measured(self):
        row = {
            **ROW,
            **{f"precision_{depth}": 0.5 for depth in range(1, 4)},
            "precision_m_standard_error": 0.1,
            "terminal": "drop",
            "ill_formed_policy": "sink",
        }
        pair = BoardPair.from_row(row)
        assert (pair.depth, pair.terminal, pair.ill_formed) == (3, "drop", "sink")
        assert BoardPair.from_row(row, depth=2).depth == 2

    @pytest.mark.parametrize("missing", [None, float("nan"), ""])
    def test_an_absent_prediction_is_no_state_and_says_why(self, missing):
        row = {**ROW, "predicted_state": missing, "reply_class": "absent", "reason": "no FEN"}
        pair = BoardPair.from_row(row)
        assert pair.predicted_fen == ""
        assert pair.caption.endswith("without a FEN. no FEN")

    def test_an_unparseable_prediction_is_no_state_and_is_told_whole(self):
        row = {**ROW, "predicted_state": BAD, "reply_class": "unparseable"}
        pair = BoardPair.from_row(row)
        assert pair.predicted_fen == ""
        assert "cannot be read: rank 6" in pair.caption
        assert BAD in pair.caption

    def test_a_row_without_boards_is_refused(self):
        with pytest.raises(TableError, match="true_state"):
            BoardPair.from_row({"position_id": "x"})
        with pytest.raises(TableError, match="true_state"):
            BoardPair.from_row({**ROW, "true_state": None})

    def test_another_row_takes_the_place_of_the_first(self):
        pair = BoardPair.from_row({**ROW, "reply": "first", "moves": "e2e4"})
        pair.line = ["e2e4"]
        pair.show_row({**ROW, "predicted_state": START})
        assert (pair.predicted_fen, pair.reply, pair.moves, pair.line) == (START, "", "", [])


def test_the_picture_shows_the_boards_after_the_line():
    figure = BoardPair(START, WITHOUT_KNIGHT, 2, line=["e2e4"]).figure()
    assert figure.axes
