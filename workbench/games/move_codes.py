"""Moves as numbers of two bytes: small to store, and read back without playing the game.

A code is from + 64 * to + 4096 * promotion: squares from 0 (a1) to 63 (h8) as python-chess counts
them, promotion 0 for none and else the number of the piece, 2 (knight) to 5 (queen).
"""

from collections.abc import Iterable
from functools import cache
from typing import Final

import chess
import numpy as np

from workbench.errors import TableError

_CODE: Final = np.dtype("<u2")
_PROMOTIONS: Final = (0, chess.KNIGHT, chess.BISHOP, chess.ROOK, chess.QUEEN)


def encode_moves(moves: Iterable[str]) -> bytes:
    """Return the moves as codes of two bytes, the lower byte first.

    Args:
        moves: In UCI; no null move.
    """
    codes = _codes()
    return np.array([codes[move] for move in moves], dtype=_CODE).tobytes()


def decode_moves(codes: bytes) -> tuple[str, ...]:
    """Return the moves in UCI of what `encode_moves` made.

    Raises:
        TableError: If the bytes are no codes of moves.
    """
    if len(codes) % _CODE.itemsize:
        raise TableError(
            f"expected moves of two bytes each, got {len(codes)} bytes; the file was changed: "
            "get it again"
        )
    moves = _moves()
    try:
        return tuple([moves[code] for code in np.frombuffer(codes, dtype=_CODE).tolist()])
    except KeyError as error:
        raise TableError(
            f"expected codes of moves, got {error.args[0]!r}; the file was changed: get it again"
        ) from error


@cache
def _moves() -> dict[int, str]:
    return {
        start + 64 * end + 4096 * promotion: chess.Move(start, end, promotion or None).uci()
        for start in chess.SQUARES
        for end in chess.SQUARES
        for promotion in _PROMOTIONS
        if start != end
    }


@cache
def _codes() -> dict[str, int]:
    return {move: code for code, move in _moves().items()}
