"""The unpacked board of the compiled kernel as ten 64-bit words, and attacked squares."""

from typing import Final, TypeAlias

import chess
import numpy as np
from numpy.typing import NDArray

from workbench.environments.chess.kernel.compiler import (
    BOARD,
    WORDS,
    Words,
    compiled,
    inlined,
    leading_zeros,
    lowest,
    table,
)

Word: TypeAlias = np.uint64
Board: TypeAlias = tuple[Word, Word, Word, Word, Word, Word, Word, Word, Word, Word]
ZERO = np.uint64(0)
ONE = np.uint64(1)
ALL = np.uint64(2**64 - 1)
RANK_1 = np.uint64(0xFF)
RANK_3 = np.uint64(0xFF << 16)
RANK_4 = np.uint64(0xFF << 24)
RANK_5 = np.uint64(0xFF << 32)
RANK_6 = np.uint64(0xFF << 40)
RANK_8 = np.uint64(0xFF << 56)
BACK = np.uint64(0xFF | 0xFF << 56)
NOT_FILE_A = np.uint64(0xFEFEFEFEFEFEFEFE)
NOT_FILE_H = np.uint64(0x7F7F7F7F7F7F7F7F)
FILE_C = np.uint64(0x0404040404040404)
FILE_D = np.uint64(0x0808080808080808)
FILE_F = np.uint64(0x2020202020202020)
FILE_G = np.uint64(0x4040404040404040)
CORNERS_1 = np.uint64(0x81)
CORNERS_8 = np.uint64(0x81 << 56)
E1 = np.uint64(1 << 4)
E8 = np.uint64(1 << 60)


@compiled("uint64(uint64,uint64,uint64,uint64,uint64)")
def capturable(passant: Word, pawns: Word, own: Word, occupied: Word, white: Word) -> Word:
    """Return ``passant`` if a pawn of the side to move could capture onto it, else 0."""
    if white:
        beside = ((passant >> np.uint64(7)) & NOT_FILE_A) | ((passant >> np.uint64(9)) & NOT_FILE_H)
        rank = RANK_6
    else:
        beside = ((passant << np.uint64(7)) & NOT_FILE_H) | ((passant << np.uint64(9)) & NOT_FILE_A)
        rank = RANK_3
    if passant & rank & ~occupied and beside & pawns & own:
        return passant
    return ZERO


@compiled(f"{BOARD}({WORDS})")
def load(row: Words) -> Board:
    """Unpack a row, by its address; rights and en-passant square become those that have an effect."""
    pawns, knights, diagonals, orthogonals, kings = row[0], row[1], row[2], row[3], row[4]
    of_white, meta = row[5], row[7]
    occupied = pawns | knights | diagonals | orthogonals | kings
    of_black = occupied ^ of_white
    rights = ((meta >> np.uint64(8)) & RANK_1 | meta & RANK_8) & orthogonals & ~diagonals
    rights &= of_white & CORNERS_1 | of_black & CORNERS_8
    if not kings & of_white & E1:
        rights &= ~RANK_1
    if not kings & of_black & E8:
        rights &= ~RANK_8
    white = meta & ONE
    own, enemy = (of_white, of_black) if white else (of_black, of_white)
    passant = ZERO
    square = (meta >> ONE) & np.uint64(127)
    if square:
        passant = capturable(ONE << (square - ONE), pawns, own, occupied, white)
    return (
        pawns, knights, diagonals, orthogonals, kings, own, enemy, rights, passant, white
    )  # fmt: skip


@inlined
def same(a: Board, b: Board) -> bool:
    """Return whether two boards permit the same lines."""
    differing = (
        (a[0] ^ b[0]) | (a[1] ^ b[1]) | (a[2] ^ b[2]) | (a[3] ^ b[3]) | (a[4] ^ b[4])
        | (a[5] ^ b[5]) | (a[6] ^ b[6]) | (a[7] ^ b[7]) | (a[8] ^ b[8]) | (a[9] ^ b[9])
    )  # fmt: skip
    return bool(differing == ZERO)


def _words(rows: object) -> NDArray[np.uint64]:
    return np.array(rows, dtype=np.uint64)


def _half_lines(square: int) -> list[int]:
    """Return the squares below and above one on its file, rank, rising and falling diagonal."""
    lines = chess.BB_FILE_ATTACKS, chess.BB_RANK_ATTACKS, chess.BB_DIAG_ATTACKS
    file, rank, diagonals = (line[square][0] for line in lines)
    # A rising diagonal goes on where the file does.
    right = sum(chess.BB_FILES[chess.square_file(square) + 1 :])
    below = chess.BB_SQUARES[square] - 1
    rising = diagonals & (right & ~below | ~right & below)
    whole = file, rank, rising, diagonals & ~rising
    return [half for line in whole for half in (line & below, line & ~below)]


KNIGHT: Final = table("knight", _words(chess.BB_KNIGHT_ATTACKS))
"""What a knight attacks."""

KING: Final = table("king", _words(chess.BB_KING_ATTACKS))
"""What a king attacks."""

_HALVES: Final = _words([_half_lines(square) for square in chess.SQUARES])
_RISING: Final = _HALVES[:, 4] | _HALVES[:, 5]
_FALLING: Final = _HALVES[:, 6] | _HALVES[:, 7]

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

BETWEEN: Final = table(
    "between", _words([[chess.between(a, b) for b in chess.SQUARES] for a in chess.SQUARES])
)
"""The squares strictly between two squares of one line, else none: shape (64, 64)."""

LINE: Final = table(
    "line", _words([[chess.ray(a, b) for b in chess.SQUARES] for a in chess.SQUARES])
)
"""The whole line through two distinct squares, both included, else none: shape (64, 64)."""

TOP = np.uint64(1 << 63)


@inlined
def _along(below: Word, above: Word, occupied: Word) -> Word:
    nearest_below = TOP >> leading_zeros(below & occupied | ONE)
    beyond = above & occupied
    nearest_above = beyond & (ZERO - beyond)
    attacks: Word = ((nearest_above << ONE) - nearest_below) & (below | above)
    return attacks


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
    """Return which of ``squares`` the given pieces, all of one side, attack."""
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
