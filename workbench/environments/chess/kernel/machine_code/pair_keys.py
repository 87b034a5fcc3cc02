"""Keys of pairs of boards: 128 bits each, changed by a move and not made anew.

A key is the exclusive-or of random words, one for each piece, right and square of an en-passant
capture on either board (Zobrist 1970, "A new hashing method with application for game playing"). That two different pairs of one walk share a key has a
chance below 1e-20.
"""

from typing import Final, TypeAlias

import numpy as np

from workbench.environments.chess.kernel.machine_code.board import ONE, ZERO, Board, Word
from workbench.environments.chess.kernel.machine_code.compiled import (
    BOARD,
    compiled,
    inlined,
    table,
)
from workbench.environments.chess.kernel.machine_code.intrinsics import folded_product, lowest

Key: TypeAlias = tuple[Word, Word]

KEY: Final = "UniTuple(uint64,2)"

# Any random words will do, but they must be the same in every process: keys decide which pairs meet
# in a table. For each of the two boards pawns, knights, diagonals, orthogonals, kings, White, Black,
# rights and passant, each by square.
_RANDOM: Final = np.random.Generator(np.random.PCG64(20250819)).integers(
    2**64, size=(2, 9, 64, 2), dtype=np.uint64
)
_WORDS: Final = table("random_words", _RANDOM)

_BOTH: Final = _RANDOM[0] ^ _RANDOM[1]
_KINDS: Final = (_BOTH[0], _BOTH[1], _BOTH[2], _BOTH[3], _BOTH[4], _BOTH[2] ^ _BOTH[3])

PIECES: Final = table(
    "pieces", np.array([[kind ^ side for kind in _KINDS] for side in (_BOTH[6], _BOTH[5])])
)
"""What a piece adds to a key if it stands on both boards: by side, White 1, by kind (pawn 0, knight
1, bishop 2, rook 3, king 4, queen 5) and by square; shape (2, 6, 64, 2)."""


@compiled(f"{KEY}(uint64)")
def salted(salt: Word) -> Key:
    """Return the key of the first pair of a walk, for comparison under one salt."""
    return folded_product(salt ^ _WORDS(0, 0, 0, 0), _WORDS(0, 0, 0, 1)), folded_product(
        salt ^ _WORDS(1, 0, 0, 0), _WORDS(1, 0, 0, 1)
    )


@inlined
def _toggled(first: Word, second: Word, board: Word, plane: Word, squares: Word) -> Key:
    while squares:
        square = lowest(squares)
        squares &= squares - ONE
        first ^= _WORDS(board, plane, square, 0)
        second ^= _WORDS(board, plane, square, 1)
    return first, second


@compiled(f"{KEY}({KEY},uint64,{BOARD},{BOARD})")
def key_after(key: Key, board: Word, before: Board, after: Board) -> Key:
    """Return the key of a pair after one of its boards has changed by a move.

    Args:
        key: Of the pair before.
        board: 0 if the first board has changed, 1 if the second.
        before: The board.
        after: What it has become; the side to move is the other.
    """
    first, second = key
    white, black = before[5], before[6]
    if not before[9]:
        white, black = black, white
    now_white, now_black = after[5], after[6]
    if not after[9]:
        now_white, now_black = now_black, now_white
    changes = (
        before[0] ^ after[0], before[1] ^ after[1], before[2] ^ after[2], before[3] ^ after[3],
        before[4] ^ after[4], white ^ now_white, black ^ now_black, before[7] ^ after[7],
        before[8] ^ after[8],
    )  # fmt: skip
    plane = ZERO
    for change in changes:
        if change:
            first, second = _toggled(first, second, board, plane, change)
        plane += ONE
    return first, second
