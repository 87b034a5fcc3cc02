"""The moves that two boards share, as words."""

from typing import TypeAlias

from workbench.environments.chess.kernel.machine_code.board import BACK, ONE, ZERO, Board, Word
from workbench.environments.chess.kernel.machine_code.compiled import BOARD, compiled
from workbench.environments.chess.kernel.machine_code.intrinsics import (
    WORDS,
    Words,
    lowest,
    popcount,
)
from workbench.environments.chess.kernel.machine_code.moves import (
    EIGHT,
    MOVES,
    NINE,
    SEVEN,
    SIXTEEN,
    THREE,
    Moves,
    generate,
)

Common: TypeAlias = tuple[Word, Word, Word, Word, Word, Word, Word, Word]

COMMON = "UniTuple(uint64,8)"
"""Moves of the one board, moves of the other, and the six words of the moves of both."""


@compiled(f"uint64({MOVES},uint64,uint64)")
def pawn_targets(moves: Moves, white: Word, square: Word) -> Word:
    """Return where the pawn on a square may go, by promoting or not."""
    bit = ONE << square
    if white:
        reached = (
            bit << SEVEN & moves[2] | bit << NINE & moves[3]
            | bit << EIGHT & moves[4] | bit << SIXTEEN & moves[5]
        )  # fmt: skip
    else:
        reached = (
            bit >> NINE & moves[2] | bit >> SEVEN & moves[3]
            | bit >> EIGHT & moves[4] | bit >> SIXTEEN & moves[5]
        )  # fmt: skip
    return reached


@compiled(f"{COMMON}({BOARD},{BOARD},{WORDS},{WORDS})")
def common(a: Board, b: Board, targets: Words, scratch: Words) -> Common:
    """Find the moves that two boards share.

    Args:
        a: One board.
        b: The other.
        targets: Overwritten with the entries of the shared moves, shape (64,).
        scratch: Overwritten, shape (64,).

    Returns:
        Eight words, see `COMMON`.
    """
    moves_a = generate(a, targets)
    moves_b = generate(b, scratch)
    movers = moves_a[1] & moves_b[1]
    count = ZERO
    left = movers
    while left:
        square = lowest(left)
        reached = targets[square] & scratch[square]
        targets[square] = reached
        count += popcount(reached)
        left &= left - ONE
    # A pawn here and another piece there share what is no promotion; bits that wrap round the
    # edge of the board fall on squares that no pawn move of this kind reaches.
    left = moves_a[1] & b[0] & b[5]
    movers |= left
    while left:
        square = lowest(left)
        reached = targets[square] & pawn_targets(moves_b, b[9], square) & ~BACK
        targets[square] = reached
        count += popcount(reached)
        left &= left - ONE
    left = moves_b[1] & a[0] & a[5]
    movers |= left
    while left:
        square = lowest(left)
        reached = scratch[square] & pawn_targets(moves_a, a[9], square) & ~BACK
        targets[square] = reached
        count += popcount(reached)
        left &= left - ONE
    to_left = to_right = one = two = ZERO
    if a[9] == b[9]:
        to_left = moves_a[2] & moves_b[2]
        to_right = moves_a[3] & moves_b[3]
        one = moves_a[4] & moves_b[4]
        two = moves_a[5] & moves_b[5]
        count += popcount(one) + popcount(two) + popcount(to_left) + popcount(to_right)
        if (one | to_left | to_right) & BACK:
            count += THREE * (
                popcount(one & BACK) + popcount(to_left & BACK) + popcount(to_right & BACK)
            )
    return moves_a[0], moves_b[0], count, movers, to_left, to_right, one, two
