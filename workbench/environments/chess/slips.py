"""How a move is lost track of, and what later moves do on a board that is mistaken.

A board here is a placement alone, which need not be able to arise in chess: 64 piece codes, of a1,
b1, ..., h8. Moves are carried out in place on a bytearray; the functions of board and squares are also
compiled, see `workbench.environments.chess.kernel.machine_code.replays`.

On a mistaken board a move from an empty square moves nothing, a move onto any piece takes it,
castling moves a rook only if one of the king's colour stands in the corner, and a piece that is no
pawn does not promote.
"""

from enum import StrEnum
from typing import Final, TypeAlias

import chess
import numpy as np
import numpy.typing as npt

Board: TypeAlias = bytearray | npt.NDArray[np.uint8]

# A piece is the code of its letter in a FEN, so that bit 5 is Black's colour; 0 is an empty square.
BLACK: Final = 32
PAWN, ROOK, KING = (ord(letter) for letter in "PRK")
NO_SQUARE: Final = -1
_PROMOTED: Final = (0, *(ord(chess.piece_symbol(kind).upper()) for kind in chess.PIECE_TYPES))
_DIGITS: Final = str.maketrans({str(number): "\0" * number for number in range(1, 9)} | {"~": ""})


class SlipKind(StrEnum):
    """A way to lose track of a move.

    ``captured_piece_stays``: the taken piece stays; the taker goes to a free square beside it on
    the same rank, or stays too if there is none. En passant, only the taken pawn stays.
    ``piece_left_behind``: the move is forgotten; the pieces stay where they were.
    ``piece_off_by_one``: the piece lands on a free square beside its target on the same rank; what
    stood on the target is taken. Possible only where there is such a square.
    ``castling_forgotten``: the move is made, and its side's remaining castling rights are lost.
    ``side_forgotten``: the move is made, but the side to move is not changed. Possible at the last
    move only.
    """

    CAPTURED_PIECE_STAYS = "captured_piece_stays"
    PIECE_LEFT_BEHIND = "piece_left_behind"
    PIECE_OFF_BY_ONE = "piece_off_by_one"
    CASTLING_FORGOTTEN = "castling_forgotten"
    SIDE_FORGOTTEN = "side_forgotten"


def pieces_of(placement: str) -> bytes:
    """Return the pieces of a placement that python-chess reads."""
    ranks = placement.translate(_DIGITS).split("/")
    return "".join(reversed(ranks)).encode("ascii")


START: Final = pieces_of(chess.STARTING_BOARD_FEN)


def takes_en_passant(board: Board, origin: int, target: int, passed: int) -> bool:
    """Return whether a move takes en passant.

    Args:
        board: Before the move.
        origin: The square that the move leaves.
        target: The square that it enters.
        passed: The square that a pawn's double step has just passed over, or NO_SQUARE.
    """
    if target != passed or target % 8 == origin % 8 or board[target] != 0:
        return False
    behind = origin // 8 * 8 + target % 8
    return bool(board[origin] & ~BLACK == PAWN and board[behind] & ~BLACK == PAWN)


def captured_square(board: Board, origin: int, target: int, passed: int) -> int:
    """Return the square of what a move takes, or NO_SQUARE; arguments as of `takes_en_passant`."""
    if board[target] != 0:
        return target
    if takes_en_passant(board, origin, target, passed):
        return origin // 8 * 8 + target % 8
    return NO_SQUARE


def square_beside(board: Board, origin: int, target: int) -> int:
    """Return a free square beside a move's target on its rank, the left one first, or NO_SQUARE.

    A square to which castling brings the rook is not free.
    """
    castles = abs(target % 8 - origin % 8) == 2 and board[origin] & ~BLACK == KING
    rook = (origin + target) // 2 if castles else NO_SQUARE
    if target % 8 > 0 and board[target - 1] == 0 and target - 1 != rook:
        return target - 1
    if target % 8 < 7 and board[target + 1] == 0 and target + 1 != rook:
        return target + 1
    return NO_SQUARE


def landing_beside(board: Board, origin: int, target: int) -> int:
    """Return where a piece goes that does not remove what it takes; NO_SQUARE if it stays."""
    return square_beside(board, origin, target) if board[target] != 0 else target


def carry_out(
    board: Board, origin: int, target: int, promotion: int, passed: int, landing: int, takes: bool
) -> int:
    """Carry a move out.

    Args:
        board: Changed in place.
        origin: The square that the move leaves.
        target: The square that it enters.
        promotion: What a pawn becomes, as python-chess numbers pieces; 0 for nothing.
        passed: As of `takes_en_passant`.
        landing: Where the piece goes: the target, or another square.
        takes: Whether what the move takes is removed.

    Returns:
        The square that a pawn has passed over by a double step, or NO_SQUARE.
    """
    piece = int(board[origin])
    if piece == 0:
        return NO_SQUARE
    if takes:
        if takes_en_passant(board, origin, target, passed):
            board[origin // 8 * 8 + target % 8] = 0
        board[target] = 0
    kind, colour = piece & ~BLACK, piece & BLACK
    if kind == KING and abs(target % 8 - origin % 8) == 2:
        corner = origin // 8 * 8 + (7 if target > origin else 0)
        if board[corner] == ROOK | colour:
            board[corner] = 0
            board[(origin + target) // 2] = ROOK | colour
    board[origin] = 0
    if kind == PAWN and promotion != 0:
        board[landing] = _PROMOTED[promotion] | colour
        return NO_SQUARE
    board[landing] = piece
    return (origin + landing) // 2 if kind == PAWN and abs(landing - origin) == 16 else NO_SQUARE
