"""How a move is lost track of, and what later moves do on a board that is mistaken.

A board here is a placement alone, which need not be able to arise in chess. Boards are columns, so
that a move is carried out on all replays of a game at once: an array of shape (64, boards) with a
piece code for each of a1, b1, ..., h8.

On a mistaken board a move from an empty square moves nothing, a move onto any piece takes it,
castling moves a rook only if one of the king's colour stands in the corner, and a piece that is no
pawn does not promote.
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

import chess
import numpy as np
import numpy.typing as npt

Boards = npt.NDArray[np.uint8]

# A piece is the code of its letter in a FEN, so that bit 5 is Black's colour; 0 is an empty square.
BLACK: Final = np.uint8(32)
PAWN, ROOK, KING = (ord(letter) for letter in "PRK")
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


@dataclass(frozen=True, slots=True)
class DoubleStep:
    """The square that a double step has just passed over, and on which boards a pawn made it."""

    passed: chess.Square
    boards: npt.NDArray[np.bool_]


def pieces_of(placement: str) -> Boards:
    """Return the pieces of a placement that python-chess reads, shape (64,)."""
    ranks = placement.translate(_DIGITS).split("/")
    return np.frombuffer("".join(reversed(ranks)).encode("ascii"), dtype=np.uint8)


START: Final = pieces_of(chess.STARTING_BOARD_FEN)


def captured_square(
    boards: Boards, move: chess.Move, stepped: DoubleStep | None
) -> chess.Square | None:
    """Return the square of what a move takes on the first board, or None.

    Args:
        boards: Of shape (64, boards).
        move: The move, which need not be possible.
        stepped: The move before it, if that was a double step.
    """
    if boards[move.to_square, 0]:
        return move.to_square
    taken = _taken_en_passant(boards[:, :1], move, stepped)
    return _square_behind(move) if taken is not None and taken[0] else None


def square_beside(boards: Boards, move: chess.Move) -> chess.Square | None:
    """Return a free square beside a move's target on its rank, the left one first, or None.

    A square to which castling brings the rook is not free.

    Args:
        boards: Of shape (64, boards), of which the first counts.
        move: The move, which need not be possible.
    """
    file = chess.square_file(move.to_square)
    castles = abs(_files(move)) == 2 and boards[move.from_square, 0] & ~BLACK == KING
    rook = (move.from_square + move.to_square) // 2 if castles else None
    for side in (-1, 1):
        square = move.to_square + side
        if 0 <= file + side < 8 and not boards[square, 0] and square != rook:
            return square
    return None


def landing_square(boards: Boards, move: chess.Move, slip: SlipKind | None) -> chess.Square | None:
    """Return where the piece that moves goes on the first board; None if it stays.

    Args:
        boards: Of shape (64, boards).
        move: The move, which need not be possible.
        slip: How it is lost track of, if it is.
    """
    if slip is SlipKind.PIECE_LEFT_BEHIND:
        return None
    occupied = slip is SlipKind.CAPTURED_PIECE_STAYS and boards[move.to_square, 0]
    if occupied or slip is SlipKind.PIECE_OFF_BY_ONE:
        return square_beside(boards, move)
    return move.to_square


def carry_out(
    boards: Boards,
    move: chess.Move,
    stepped: DoubleStep | None,
    *,
    landing: chess.Square | None = None,
    takes: bool = True,
) -> DoubleStep | None:
    """Carry a move out on all boards, and return what double step it was.

    Args:
        boards: Of shape (64, boards), changed in place.
        move: The move.
        stepped: The move before it, if that was a double step; boards beyond its own come last
            and have none.
        landing: Where the piece goes, if not to the move's target.
        takes: Whether what the move takes is removed.
    """
    landing = move.to_square if landing is None else landing
    piece = boards[move.from_square].copy()
    there = piece != 0
    wide = abs(_files(move)) == 2
    if takes:
        taken = _taken_en_passant(boards, move, stepped)
        if taken is not None:
            boards[_square_behind(move), : len(taken)][taken] = 0
        if wide or landing != move.to_square:
            boards[move.to_square][there] = 0
    if wide and (piece & ~BLACK == KING).any():
        _castle(boards, move, piece)
    if move.promotion:
        promoted = np.uint8(ord(chess.piece_symbol(move.promotion).upper()))
        piece = np.where(piece & ~BLACK == PAWN, promoted | piece & BLACK, piece)
    boards[move.from_square] = 0
    np.copyto(boards[landing], piece, where=there)
    if abs(landing - move.from_square) == 16:
        return DoubleStep((move.from_square + landing) // 2, piece & ~BLACK == PAWN)
    return None


def _files(move: chess.Move) -> int:
    return chess.square_file(move.to_square) - chess.square_file(move.from_square)


def _square_behind(move: chess.Move) -> chess.Square:
    """Return where the pawn stands that the move takes if it takes en passant."""
    return chess.square(chess.square_file(move.to_square), chess.square_rank(move.from_square))


def _taken_en_passant(
    boards: Boards, move: chess.Move, stepped: DoubleStep | None
) -> npt.NDArray[np.bool_] | None:
    """Return on which of the first boards the move takes en passant; None if on none at all."""
    if stepped is None or stepped.passed != move.to_square or not _files(move):
        return None
    known = boards[:, : len(stepped.boards)]
    taken: npt.NDArray[np.bool_] = stepped.boards[: known.shape[1]] & (known[move.to_square] == 0)
    for square in (move.from_square, _square_behind(move)):
        taken &= known[square] & ~BLACK == PAWN
    return taken


def _castle(boards: Boards, move: chess.Move, piece: Boards) -> None:
    """Bring the rooks out of the corner where a king goes two files."""
    file = 7 if move.to_square > move.from_square else 0
    corner = chess.square(file, chess.square_rank(move.from_square))
    rooks = np.uint8(ROOK) | piece & BLACK
    castling = (piece & ~BLACK == KING) & (boards[corner] == rooks)
    boards[corner][castling] = 0
    boards[(move.from_square + move.to_square) // 2][castling] = rooks[castling]
