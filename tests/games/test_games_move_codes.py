"""Codes of moves against codes worked by hand, and back."""

import chess
import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.errors import TableError
from workbench.games.game_tables import decode_moves, encode_moves

squares = st.sampled_from(chess.SQUARES)
promotions = st.sampled_from([None, chess.KNIGHT, chess.BISHOP, chess.ROOK, chess.QUEEN])


def test_codes_are_those_worked_by_hand():
    """e2 is square 12, e4 28: 12 + 64 * 28 = 1804 = 0x070c; e7e8q is 52 + 64 * 60 + 4096 * 5."""
    assert encode_moves(["e2e4", "e7e8q"]) == b"\x0c\x07\x34\x5f"
    assert encode_moves([]) == b""


@given(st.lists(st.builds(chess.Move, squares, squares, promotions)))
def test_every_move_comes_back(moves):
    texts = [move.uci() for move in moves if move.from_square != move.to_square]
    assert list(decode_moves(encode_moves(texts))) == texts


@pytest.mark.parametrize("codes", [b"\x0c", b"\x00\x00", b"\x0c\x17", b"\x0c\x67"])
def test_bytes_that_are_no_moves_are_refused(codes):
    """Half a code, a move that stays where it is, and promotions to a pawn and to a king."""
    with pytest.raises(TableError, match="expected"):
        decode_moves(codes)
