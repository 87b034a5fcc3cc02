"""A FEN is parsed once, as python-chess reads it."""

import chess
import pytest

from workbench.environments.chess import ChessState
from workbench.environments.chess.state import Fen
from workbench.errors import InvalidFenError


@pytest.mark.parametrize(
    "text",
    [
        "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq e3 7 9",
        "8/8/8/8/8/8/8/K6k b",
        "8/8/8/8/8/8/8/K6k w - - 5",
        "8/8/8/8/8/8/8/K6k w - - 5 0",
        "8/8/8/8/8/8/8/K6k w - - +5 1_0",
        "Q~6k/8/8/8/8/8/8/K6n~ w - - 0 1",
    ],
)
def test_the_board_is_python_chess_own_with_its_clocks(text):
    fen = Fen(text)
    assert fen.fault == ""
    assert fen.board == chess.Board(text)
    assert fen.board.fen(en_passant="fen") == chess.Board(text).fen(en_passant="fen")
    assert fen.pieces == fen.state == ChessState.from_board(chess.Board(text))


@pytest.mark.parametrize(
    ("text", "fault", "placement"),
    [
        ("", "empty fen", None),
        ("9/8 w", "expected 8 rows in position part of fen: '9/8'", None),
        (
            "8/8/8/8/8/8/8/K6k w - - 0 x",
            "invalid fullmove number in fen: '8/8/8/8/8/8/8/K6k w - - 0 x'",
            "8/8/8/8/8/8/8/K6k",
        ),
    ],
)
def test_the_pieces_may_be_readable_where_the_rest_is_not(text, fault, placement):
    fen = Fen(text)
    assert fen.fault == fault
    assert (fen.pieces and fen.pieces.board().board_fen()) == placement
    with pytest.raises(InvalidFenError, match="expected a FEN that python-chess reads"):
        _ = fen.state
