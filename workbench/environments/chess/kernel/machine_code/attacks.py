"""Which squares are attacked: tables of an empty board, sliders, and all pieces together.

Tables and boards are 64-bit words: bit ``8 * rank + file``, a1 = 0. Sliders take a subtraction.
Along a line the squares that a slider sees run from its nearest neighbour below to its nearest
neighbour above: one subtraction of the two bits sets exactly these.
"""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from workbench.environments.chess.kernel.machine_code.board import (
    NOT_FILE_A,
    NOT_FILE_H,
    ONE,
    ZERO,
    Word,
)
from workbench.environments.chess.kernel.machine_code.compiled import compiled, inlined, table
from workbench.environments.chess.kernel.machine_code.intrinsics import leading_zeros, lowest

Table = NDArray[np.uint64]

_ROOK_STEPS: Final = ((0, 1), (1, 0))
_BISHOP_STEPS: Final = ((1, 1), (-1, 1))
_KNIGHT_LEAPS: Final = ((1, 2), (2, 1), (2, -1), (1, -2), (-1, -2), (-2, -1), (-2, 1), (-1, 2))
_KING_LEAPS: Final = ((1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1), (0, -1), (1, -1))


def _word(squares: list[int]) -> int:
    return sum(1 << square for square in squares)


def _leaps(leaps: tuple[tuple[int, int], ...]) -> Table:
    words = np.zeros(64, np.uint64)
    for square in range(64):
        file, rank = square % 8, square // 8
        words[square] = _word(
            [
                8 * (rank + up) + file + right
                for right, up in leaps
                if 0 <= rank + up < 8 and 0 <= file + right < 8
            ]
        )
    return words


def _ray(square: int, right: int, up: int) -> list[int]:
    file, rank = square % 8 + right, square // 8 + up
    squares = []
    while 0 <= file < 8 and 0 <= rank < 8:
        squares.append(8 * rank + file)
        file, rank = file + right, rank + up
    return squares


def _table(rows: list[list[int]]) -> Table:
    return np.array(rows, dtype=np.uint64)


def _pairs() -> tuple[Table, Table]:
    between = [[0] * 64 for _ in range(64)]
    line = [[0] * 64 for _ in range(64)]
    for square in range(64):
        for right, up in _ROOK_STEPS + _BISHOP_STEPS:
            ahead, behind = _ray(square, right, up), _ray(square, -right, -up)
            whole = _word([*ahead, *behind, square])
            for ray in (ahead, behind):
                for distance, other in enumerate(ray):
                    between[square][other] = _word(ray[:distance])
                    line[square][other] = whole
    return _table(between), _table(line)


def _half_lines() -> Table:
    rows = []
    for square in range(64):
        row = []
        for right, up in _ROOK_STEPS + _BISHOP_STEPS:
            both = _ray(square, right, up) + _ray(square, -right, -up)
            row.append(_word([other for other in both if other < square]))
            row.append(_word([other for other in both if other > square]))
        rows.append(row)
    return _table(rows)


KNIGHT: Final = table("knight", _leaps(_KNIGHT_LEAPS))
"""What a knight attacks."""

KING: Final = table("king", _leaps(_KING_LEAPS))
"""What a king attacks."""

_HALVES: Final = _half_lines()
_RISING: Final = _HALVES[:, 4] | _HALVES[:, 5]
_FALLING: Final = _HALVES[:, 6] | _HALVES[:, 7]
_BETWEEN, _LINE = _pairs()

HALF_LINES: Final = table("half_lines", _HALVES)
"""For each square the squares below and above it (by index) on its file, rank, rising diagonal
and falling diagonal, in this order: shape (64, 8)."""

FILES: Final = table("files", _HALVES[:, 0] | _HALVES[:, 1])
"""The file of a square, without the square."""

RISING: Final = table("rising", _RISING)
"""The diagonal of a square that runs like a1-h8, without the square."""

FALLING: Final = table("falling", _FALLING)
"""The diagonal of a square that runs like h1-a8, without the square."""

ORTHOGONAL: Final = table("orthogonal", np.bitwise_or.reduce(_HALVES[:, :4], axis=1))
"""What a rook attacks on an empty board."""

DIAGONAL: Final = table("diagonal", _RISING | _FALLING)
"""What a bishop attacks on an empty board."""

BETWEEN: Final = table("between", _BETWEEN)
"""The squares strictly between two squares of one line, else none: shape (64, 64)."""

LINE: Final = table("line", _LINE)
"""The whole line through two distinct squares, both included, else none: shape (64, 64)."""

TOP = np.uint64(1 << 63)


@inlined
def _along(below: Word, above: Word, occupied: Word) -> Word:
    nearest_below = TOP >> leading_zeros(below & occupied | ONE)
    beyond = above & occupied
    nearest_above = beyond & (ZERO - beyond)
    seen: Word = ((nearest_above << ONE) - nearest_below) & (below | above)
    return seen


@inlined
def rook_attacks(square: Word, occupied: Word) -> Word:
    """Return what a rook on a square attacks."""
    return _along(HALF_LINES(square, 0), HALF_LINES(square, 1), occupied) | _along(
        HALF_LINES(square, 2), HALF_LINES(square, 3), occupied
    )


@inlined
def bishop_attacks(square: Word, occupied: Word) -> Word:
    """Return what a bishop on a square attacks."""
    return _along(HALF_LINES(square, 4), HALF_LINES(square, 5), occupied) | _along(
        HALF_LINES(square, 6), HALF_LINES(square, 7), occupied
    )


@inlined
def pawn_attacks(pawns: Word, white: Word) -> Word:
    """Return what all these pawns of one side attack."""
    if white:
        return ((pawns & NOT_FILE_A) << np.uint64(7)) | ((pawns & NOT_FILE_H) << np.uint64(9))
    return ((pawns & NOT_FILE_A) >> np.uint64(9)) | ((pawns & NOT_FILE_H) >> np.uint64(7))


@compiled("uint64(uint64,uint64,uint64,uint64,uint64,uint64,uint64)")
def attacked(
    squares: Word,
    occupied: Word,
    knights: Word,
    diagonals: Word,
    orthogonals: Word,
    kings: Word,
    swept: Word,
) -> Word:
    """Return which of ``squares`` the given pieces, all of one side, attack.

    Args:
        squares: The squares asked about.
        occupied: What blocks the sliders.
        knights: Of the attacking side, as the next three.
        diagonals: Bishops and queens.
        orthogonals: Rooks and queens.
        kings: Kings.
        swept: Squares known to be attacked, by pawns.
    """
    danger = swept
    while knights:
        danger |= KNIGHT(lowest(knights))
        knights &= knights - ONE
    while kings:
        danger |= KING(lowest(kings))
        kings &= kings - ONE
    danger &= squares
    left = squares & ~danger
    while left:
        square = lowest(left)
        if (ORTHOGONAL(square) & orthogonals and rook_attacks(square, occupied) & orthogonals) or (
            DIAGONAL(square) & diagonals and bishop_attacks(square, occupied) & diagonals
        ):
            danger |= left & (ZERO - left)
        left &= left - ONE
    return danger
