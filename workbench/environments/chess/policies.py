"""Chess policies for guided sampling: moves to sample more often."""

from collections.abc import Sequence
from typing import Final

import chess

from workbench.environments.chess.state import ChessState

PIECE_VALUES: Final = {
    chess.PAWN: 1.0,
    chess.KNIGHT: 3.0,
    chess.BISHOP: 3.0,
    chess.ROOK: 5.0,
    chess.QUEEN: 9.0,
    chess.KING: 10.0,
}


def material_greedy(state: ChessState, moves: Sequence[chess.Move]) -> list[float]:
    """Return weights of 1 plus the material that a move wins by capture or promotion.

    Args:
        state: The position to move in.
        moves: Its legal moves.

    Returns:
        One weight above 0 per move, in pawns.
    """
    board = state.board()
    weights = []
    for move in moves:
        taken = board.piece_type_at(move.to_square)
        if taken is None and board.is_en_passant(move):
            taken = chess.PAWN
        gain = PIECE_VALUES[taken] if taken and not board.is_castling(move) else 0.0
        if move.promotion:
            gain += PIECE_VALUES[move.promotion] - PIECE_VALUES[chess.PAWN]
        weights.append(1.0 + gain)
    return weights
