"""Chess states, compiled: their legal moves, the moves two share, successors, and counting lines."""

import chess
import numpy as np
from numpy.typing import NDArray

from workbench.environments.chess.kernel.machine_code.cache import compiled_module
from workbench.environments.chess.kernel.packed_boards import (
    WIDTH,
    Words,
    pack_states,
    unpack_state,
)
from workbench.environments.chess.kernel.profiles import checked_rows
from workbench.environments.chess.state import ChessState
from workbench.errors import InvalidArgumentError


def legal_moves(state: ChessState) -> list[chess.Move]:
    """Return the legal moves, the same as python-chess generates, ordered by their numbers.

    Raises:
        UnsupportedBoardError: If the state has a promoted king.
    """
    module = compiled_module("single")
    codes = np.empty(module.MOST_MOVES, np.uint16)
    count = int(module.legal_codes(_row(state), codes))
    return _moves(codes, count)


def shared_moves(first: ChessState, second: ChessState) -> list[chess.Move]:
    """Return the moves that are legal in both states, ordered by their numbers.

    Raises:
        UnsupportedBoardError: If a state has a promoted king.
    """
    module = compiled_module("single")
    codes = np.empty(module.MOST_MOVES, np.uint16)
    count = int(module.shared_codes(_row(first), _row(second), codes))
    return _moves(codes, count)


def successor(state: ChessState, move: chess.Move) -> ChessState:
    """Return the state after a legal move, the same as python-chess's ``push`` leaves.

    Raises:
        InvalidArgumentError: If the move is not among `legal_moves`.
        UnsupportedBoardError: If the state has a promoted king.
    """
    if move not in legal_moves(state):
        raise InvalidArgumentError(
            f"expected a legal move of {state.fen()!r}, got {move.uci()!r}; "
            "legal_moves lists them, castling as the king's move of two squares"
        )
    result = np.empty(WIDTH, np.uint64)
    code = move.from_square | move.to_square << 6 | (move.promotion or 0) << 12
    compiled_module("single").successor_row(_row(state), np.uint64(code), result)
    return unpack_state(result)


def line_count(state: ChessState, depth: int) -> int:
    """Return how many lines of ``depth`` moves a state permits (perft).

    Args:
        state: Where the lines start.
        depth: At least 1.

    Raises:
        InvalidArgumentError: If the depth is below 1.
        UnsupportedBoardError: If the state has a promoted king.
    """
    if depth < 1:
        raise InvalidArgumentError(f"expected a depth of at least 1, got {depth!r}")
    return int(compiled_module("single").perft(_row(state), depth))


def _row(state: ChessState) -> Words:
    (rows,) = checked_rows(state=pack_states([state]))
    row: Words = rows[0]
    return row


def _moves(codes: NDArray[np.uint16], count: int) -> list[chess.Move]:
    return [
        chess.Move(code & 63, code >> 6 & 63, code >> 12 or None)
        for code in sorted(codes[:count].tolist())
    ]
