"""Which squares are attacked: sliders by subtraction along each line, and all pieces together.

Along a line the squares that a slider sees run from its nearest neighbour below to its nearest
neighbour above: one subtraction of the two bits sets exactly these.
"""

import numpy as np

from workbench.environments.chess.kernel.machine_code.board import (
    NOT_FILE_A,
    NOT_FILE_H,
    ONE,
    ZERO,
    Word,
)
from workbench.environments.chess.kernel.machine_code.compiled import compiled, inlined
from workbench.environments.chess.kernel.machine_code.geometry import (
    DIAGONAL,
    HALF_LINES,
    KING,
    KNIGHT,
    ORTHOGONAL,
)
from workbench.environments.chess.kernel.machine_code.intrinsics import leading_zeros, lowest

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
    return _along(HALF_LINES[square, 0], HALF_LINES[square, 1], occupied) | _along(
        HALF_LINES[square, 2], HALF_LINES[square, 3], occupied
    )


@inlined
def bishop_attacks(square: Word, occupied: Word) -> Word:
    """Return what a bishop on a square attacks."""
    return _along(HALF_LINES[square, 4], HALF_LINES[square, 5], occupied) | _along(
        HALF_LINES[square, 6], HALF_LINES[square, 7], occupied
    )


@inlined
def pawn_attacks(pawns: Word, white: Word) -> Word:
    """Return what all these pawns of one side attack."""
    if white != ZERO:
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
    while knights != ZERO:
        danger |= KNIGHT[lowest(knights)]
        knights &= knights - ONE
    while kings != ZERO:
        danger |= KING[lowest(kings)]
        kings &= kings - ONE
    danger &= squares
    left = squares & ~danger
    while left != ZERO:
        square = lowest(left)
        if (
            ORTHOGONAL[square] & orthogonals != ZERO
            and rook_attacks(square, occupied) & orthogonals != ZERO
        ) or (
            DIAGONAL[square] & diagonals != ZERO
            and bishop_attacks(square, occupied) & diagonals != ZERO
        ):
            danger |= left & (ZERO - left)
        left &= left - ONE
    return danger
