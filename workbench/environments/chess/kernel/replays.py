"""All mistaken replays of a game: once for every ply with that move left out, and so on.

The rules are those of `workbench.environments.chess.replay`, from the same source.
"""

import numpy as np
from numpy.typing import NDArray

from workbench.environments.chess.kernel.compiler import also_compiled, compiled
from workbench.environments.chess.replay import (
    NO_SQUARE,
    captured_square,
    carry_out,
    landing_beside,
    square_beside,
    takes_en_passant,
)

for _rule in (takes_en_passant, captured_square, square_beside, landing_beside, carry_out):
    also_compiled(_rule)


@compiled("int64(uint16[::1],uint8[:,::1],int64[::1],uint8[::1])", entry=True)
def mistaken_boards(
    moves: NDArray[np.uint16],
    boards: NDArray[np.uint8],
    plies: NDArray[np.int64],
    stays: NDArray[np.uint8],
) -> int:
    """Write the true board at the end of a game, and the board of each mistaken replay.

    They are ordered by ply, and a move left out stands behind a capture not removed. A capture that
    leaves the taker no square is none.

    Args:
        moves: From square, to square times 64, promotion times 4096.
        boards: Overwritten but for the first, which holds the first board; shape (n, 64), with n
            enough for all.
        plies: Overwritten: the ply of each mistake, from 1, shape (n,).
        stays: Overwritten: whether the mistake is a capture not removed, shape (n,).
    """
    passed = np.full(len(boards), NO_SQUARE)
    count = 1
    for ply, code in enumerate(moves):
        origin, target, promotion = int(code) & 63, int(code) >> 6 & 63, int(code) >> 12
        true, before = boards[0], count
        if true[origin] != 0 and captured_square(true, origin, target, passed[0]) != NO_SQUARE:
            landing = landing_beside(true, origin, target)
            if landing != NO_SQUARE:
                boards[count] = true
                carry_out(boards[count], origin, target, promotion, passed[0], landing, False)
                plies[count], stays[count] = ply + 1, 1
                count += 1
        boards[count] = true
        plies[count], stays[count] = ply + 1, 0
        count += 1
        for row in range(before):
            passed[row] = carry_out(
                boards[row], origin, target, promotion, passed[row], target, True
            )
    return count
