"""The unpacked board of the compiled kernel, and how it is read from and written to a packed row.

A board is a tuple of ten words, seen from the side to move: pawns, knights, diagonals (bishops and
queens), orthogonals (rooks and queens), kings, own, enemy, rights, passant, white. ``rights`` holds
the rooks that may still castle, as python-chess cleans them; ``passant`` is the bit of an
en-passant square onto which a pawn could capture, else 0; ``white`` is 1 if White is to move.

Two boards with equal words permit the same lines at every depth. The promoted mask is left out: it
matters for promoted kings alone, and those are not for this kernel (see rows.py).
"""

from typing import TypeAlias

import numpy as np

from workbench.environments.chess.kernel.machine_code.compiled import BOARD, compiled, inlined
from workbench.environments.chess.kernel.machine_code.intrinsics import WORDS, Words

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
