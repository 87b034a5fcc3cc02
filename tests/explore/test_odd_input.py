"""Long and odd input in the widgets: cut, normalised, refused by name; and games that are over."""

import chess
import pandas as pd
import pytest

from workbench.environments.chess.classification import names_rook_files
from workbench.errors import InvalidFenError
from workbench.explore.board_reading import (
    ending_of,
    ending_words,
    explain,
    game_over_words,
    read_board,
)
from workbench.explore.explorer_settings import ExplorerSettings
from workbench.explore.game_tracker import GameTracker
from workbench.explore.pair.board_pair import BoardPair, compare_answer
from workbench.explore.pair.pair_view import pair_view
from workbench.scoring import ScoringParameters, score_predictions
from workbench.scoring.single_pair import compare
from workbench.tables.parquet_tables import PREDICTIONS

START = chess.STARTING_FEN
DASHES = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR  w KQkq – 0 1"
SHREDDER = START.replace("KQkq", "HAha")
MATED = "rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3"
STALEMATE = "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1"
MEGABYTE = 1_000_000
LONG = {
    "letters": "x" * MEGABYTE,
    "ranks": "8/" * (MEGABYTE // 2),
    "castling": START.replace("KQkq", "K" * MEGABYTE),
    "side to move": START.replace(" w ", f" {'w' * MEGABYTE} "),
    "en passant": START.replace(" - ", f" {'e3' * (MEGABYTE // 2)} "),
    "clock": START.replace(" 0 ", f" {'9' * MEGABYTE} "),
    "ideograms": "中文" * (MEGABYTE // 2),
    "markup": "<script>" * (MEGABYTE // 8),
    "many fields": START + " x" * (MEGABYTE // 2),
}


@pytest.mark.parametrize("name", LONG)
class TestAMegabyte:
    def test_the_problem_is_told_in_a_few_lines(self, name):
        assert len(explain(LONG[name])) < 600

    @pytest.mark.slow
    def test_a_pair_refuses_it_in_a_few_lines(self, name):
        for boards in ((LONG[name], START), (START, LONG[name])):
            with pytest.raises(InvalidFenError) as error:
                BoardPair(*boards)
            assert len(str(error.value)) < 900
            assert "characters)" in str(error.value)

    @pytest.mark.slow
    def test_a_row_shows_it_cut_with_its_length(self, name):
        row = {"true_state": START, "predicted_state": LONG[name], "position_id": "g-1"}
        pair = BoardPair.from_row(row)
        assert pair.predicted_fen == ""
        assert len(pair.caption) < 900
        assert f"({len(LONG[name]):,} characters)" in pair.caption

    @pytest.mark.slow
    def test_a_page_is_told_in_a_few_lines(self, name):
        answer = compare_answer(START, LONG[name], [], ExplorerSettings(1))
        assert len(answer["problems"]["predicted"]) < 600


def predictions(**changes):
    row = {
        "position_id": "g-1", "game_id": "g", "source": "", "group": 1, "ply": 1, "game_plies": 40,
        "environment": "chess", "task": "state", "movetext": "1. e4", "moves": "e2e4", "true_state": START, "model": "m", "sample": 0,
        "reply": START, "predicted_state": START, "reply_class": "valid", "status": "", "reason": "",
    }  # fmt: skip
    return pd.DataFrame([{**row, **changes}], columns=PREDICTIONS.names)


class TestTracker:
    def test_a_reply_of_a_megabyte_is_cut_for_the_page_alone(self):
        long = "x" * MEGABYTE
        tracker = GameTracker.from_rows(
            predictions(reply=long, predicted_state=long, reply_class="unparseable")
        )
        (shown,) = tracker.tracked.page()["replies"]
        (kept,) = tracker.tracked.replies
        assert kept.reply == kept.predicted_fen == long
        for name in ("reply", "predicted_fen"):
            assert shown[name].endswith("(1,000,000 characters)")
            assert len(shown[name]) < 200
        assert len(shown["words"]) < 600

    def test_a_game_that_is_over_says_so(self):
        tracker = GameTracker.from_rows(
            predictions(true_state=MATED, moves=None, reply=MATED, predicted_state=START)
        )
        (reply,) = tracker.tracked.replies
        assert reply.game_over == "the game is over on the true board (checkmate)"


class TestTypographicDashes:
    def test_both_boards_are_normalised_alike(self):
        pair = BoardPair(DASHES, DASHES)
        assert (pair.true_fen, pair.predicted_fen) == (START, START)
        assert pair.compare()["text"]["exact_match"]

    def test_scores_take_the_true_fen_as_the_predicted_one(self):
        (written, plain) = (
            score_predictions(predictions(true_state=fen), ScoringParameters(depth=2)).iloc[0]
            for fen in (DASHES, START)
        )
        assert written["unscored"] == plain["unscored"] == ""
        assert written["true_state"] == DASHES
        assert written.drop("true_state").equals(plain.drop("true_state"))
        assert compare(DASHES, START, ScoringParameters(depth=1))["exact_match"]

    def test_a_tracked_game_takes_it(self):
        tracker = GameTracker.from_rows(predictions(true_state=DASHES, moves=None))
        assert tracker.tracked.replies[0].true_fen == START
        assert tracker.tracked.replies[0].exact_match


class TestChess960:
    def test_castling_letters_of_the_true_board_are_not_supported_by_name(self):
        for make in (
            lambda: BoardPair(SHREDDER, START),
            lambda: pair_view(SHREDDER, START),
            lambda: read_board(SHREDDER, "true"),
        ):
            with pytest.raises(InvalidFenError, match=r"Chess960 is not supported.*'HAha'"):
                make()
        problems = compare_answer(SHREDDER, START, [], ExplorerSettings(1))["problems"]
        assert problems["true"].startswith("Chess960 is not supported")

    def test_those_of_the_predicted_board_are_scored_and_named(self):
        view = pair_view(START, SHREDDER, ExplorerSettings(2))
        assert view["profile"]["precision"][-1]["value"] == 1.0
        assert "Chess960 is not supported" in view["predicted"]["words"]

    @pytest.mark.parametrize(
        ("rights", "named"),
        [("HAha", True), ("K", False), ("KQkq", False), ("-", False), ("", False), ("Kb", True)],
    )
    def test_letters_of_files(self, rights, named):
        assert names_rook_files(rights) is named


class TestFinishedGames:
    @pytest.mark.parametrize(
        ("fen", "ending", "words"),
        [
            (MATED, "checkmate", "Checkmate: Black has won."),
            (STALEMATE, "stalemate", "Stalemate: Black has no legal move, a draw."),
            (START, "", ""),
        ],
    )
    def test_how_a_game_has_ended(self, fen, ending, words):
        assert ending_of(chess.Board(fen)) == ending
        assert ending_words(chess.Board(fen)) == words

    def test_the_numbers_and_the_board_say_so(self):
        view = pair_view(MATED, START, ExplorerSettings(2))
        assert view["profile"]["reason"] == (
            "the game is over on the true board (checkmate); exact at every depth"
        )
        assert view["true"]["words"] == "Valid board. Checkmate: Black has won."
        assert view["predicted"]["words"] == "Valid board."

    def test_on_which_boards(self):
        mated, stalemate, start = map(chess.Board, (MATED, STALEMATE, START))
        assert game_over_words(start, None) == ""
        assert game_over_words(mated, mated) == "the game is over on both boards (checkmate)"
        assert game_over_words(mated, stalemate) == (
            "the game is over on the true board (checkmate) and on the predicted board (stalemate)"
        )
        assert game_over_words(start, stalemate) == (
            "the game is over on the predicted board (stalemate)"
        )
