"""Boards as labels, and boards assembled from what each move moved, against python-chess."""

import chess
import numpy as np
import pytest

from workbench.games.synthetic_boards import random_games
from workbench.language_model.board_probe import (
    LABELS,
    SQUARES,
    board_labels,
    fen_of_labels,
    labels_from_moves,
    written_squares,
)

CASTLING_AND_PASSANT = (
    "e2e4 a7a6 e4e5 d7d5 e5d6 g8f6 g1f3 g7g6 f1e2 f8g7 e1g1 e8g8 d6c7 a6a5 c7b8n a8b8"
).split()


def games():
    return [CASTLING_AND_PASSANT, *(game.moves for game in random_games(30, 90, seed=3))]


def moved_labels(moves):
    """Return the board after each move, and the label of the square that it entered."""
    board, boards, labels = chess.Board(), [], []
    for move in map(chess.Move.from_uci, moves):
        board.push(move)
        boards.append(board.copy())
        labels.append(int(board_labels(board)[move.to_square]))
    return boards, labels


def test_the_initial_position():
    labels = board_labels(chess.Board())
    assert labels[:16].tolist() == [4, 2, 3, 5, 6, 3, 2, 4] + [1] * 8
    assert labels[48:64].tolist() == [7] * 8 + [10, 8, 9, 11, 12, 9, 8, 10]
    assert labels[SQUARES:].tolist() == [1, 1, 1, 1, 1, 0]
    assert fen_of_labels(labels) == chess.STARTING_FEN


@pytest.mark.slow
def test_labels_say_the_fen_and_the_fen_the_squares():
    for moves in games():
        for board in moved_labels(moves)[0]:
            labels = board_labels(board)
            fen = fen_of_labels(labels)
            assert fen.split()[:4] == board.fen(en_passant="fen").split()[:4]
            assert written_squares(fen).tolist() == labels[:SQUARES].tolist()


@pytest.mark.slow
def test_moves_and_what_they_moved_give_the_board():
    for moves in games():
        boards, moved = moved_labels(moves)
        for ply in (1, 7, 16, 33, len(moves)):
            if ply <= len(moves):
                expected = board_labels(boards[ply - 1]).tolist()
                assert labels_from_moves(moves[:ply], moved[:ply]).tolist() == expected


def test_a_wrong_piece_stands_where_it_was_said_to_go():
    labels = labels_from_moves(["g1f3"], [3])
    assert labels[chess.F3] == 3
    assert labels[chess.G1] == 0


def test_any_labels_give_a_fen_and_no_board_is_no_squares():
    generator = np.random.default_rng(0)
    for _ in range(50):
        fen = fen_of_labels(generator.integers(13, size=LABELS))
        assert written_squares(fen) is not None
    assert written_squares("9/8 w - -") is None
    assert written_squares(None) is None


@pytest.mark.parametrize(
    ("file", "expected"), [(0, "-"), (1, "a6"), (8, "h6"), (9, "-"), (12, "-")]
)
def test_the_file_of_a_double_step(file, expected):
    labels = board_labels(chess.Board())
    labels[-1] = file
    assert fen_of_labels(labels).split()[3] == expected
