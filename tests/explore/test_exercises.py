"""Boards with one thing wrong, and what is said of them."""

import chess
import pytest

from workbench.errors import IllegalMoveError, InvalidArgumentError
from workbench.explore.explorer_settings import ExplorerSettings
from workbench.explore.lesson.exercises import (
    board_after,
    compare_predictions,
    show_boards,
    with_other_side_to_move,
    with_piece_moved,
    without_piece,
)

START = chess.STARTING_FEN


def test_a_board_after_moves_is_python_chess_own():
    expected = "rnbqkb1r/pppp1ppp/5n2/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R w KQkq - 2 3"
    assert board_after("1. e4 e5 2.Nf3 Nf6") == board_after("e4 e5 Nf3 Nf6") == expected
    with pytest.raises(IllegalMoveError, match=r"ply 2: .* 'Nf3'"):
        board_after("1. e4 2.Nf3")


def test_one_thing_is_changed_and_nothing_else():
    assert without_piece(START, "e1") == START.replace("RNBQKBNR", "RNBQ1BNR")
    moved = with_piece_moved(START, "b1", "c3")
    assert moved == "rnbqkbnr/pppppppp/8/8/8/2N5/PPPPPPPP/R1BQKBNR w KQkq - 0 1"
    assert with_piece_moved(START, "d1", "d8") == (
        "rnbQkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNB1KBNR w KQkq - 0 1"
    )
    assert with_other_side_to_move(START) == START.replace(" w ", " b ")
    with pytest.raises(InvalidArgumentError, match="e4"):
        without_piece(START, "e4")
    with pytest.raises(InvalidArgumentError, match="'j9'"):
        with_piece_moved(START, "j9", "e4")


def test_measures_of_the_papers_own_example():
    # From the README: without its king White has one move too many in 21 at the first ply.
    table = compare_predictions(
        START,
        {
            "right": START,
            "no king": without_piece(START, "e1"),
            "other side": with_other_side_to_move(START),
        },
        ExplorerSettings(depth=1),
    )
    assert list(table["p_1"]) == [1, 0.952, 0]
    assert list(table["r_1"]) == [1, 1, 0]
    assert list(table["edit distance"]) == [0, 1, 1]
    assert list(table["class"]) == ["valid", "ill_formed", "valid"]


def test_beside_boards_stands_what_they_hold_and_how_they_differ():
    rook_game = "4k3/8/8/8/8/8/8/R3K2R b K - 0 1"
    text = show_boards(
        {"True board": rook_game, "Predicted board": with_other_side_to_move(rook_game)}
    ).data
    assert "<p>Black to move.</p>" in text
    assert "<p>Difference: in truth Black is to move, on the predicted board White.</p>" in text
    assert "<p>White: king e1, rooks a1 h1.</p><p>Black: king e8.</p>" in text
    assert "Difference" not in show_boards({"One board": rook_game}).data
    assert "No difference." in show_boards({"True board": rook_game, "The same": rook_game}).data
    # Three boards fill a row.
    assert "to move" not in show_boards(dict.fromkeys("abc", rook_game)).data
