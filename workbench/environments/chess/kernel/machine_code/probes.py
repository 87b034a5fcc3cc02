"""How large a joint tree is expected to be, by random probes, compiled.

Source: Knuth (1975), doi:10.1090/S0025-5718-1975-0373371-6.
"""

import numpy as np

from workbench.environments.chess.kernel.machine_code.board import Word, load
from workbench.environments.chess.kernel.machine_code.compiled import compiled
from workbench.environments.chess.kernel.machine_code.draws import below, seed_state
from workbench.environments.chess.kernel.machine_code.intrinsics import (
    Words,
    address,
    move_codes,
    square_words,
    state_words,
)
from workbench.environments.chess.kernel.machine_code.joint_moves import common
from workbench.environments.chess.kernel.machine_code.making import advance
from workbench.environments.chess.kernel.machine_code.moves import list_moves


@compiled("float64(uint64[::1],uint64[::1],int64,int64,uint64)", entry=True)
def expected_nodes(first: Words, second: Words, depth: int, probes: int, seed: Word) -> float:
    """Return the mean over probes of the joint nodes above the last ply.

    Args:
        first: A row, shape (8,).
        second: A row, shape (8,).
        depth: The number of moves m, at least 1.
        probes: Random branches to look at, at least 1.
        seed: Seed of the branches.
    """
    state = state_words()
    seed_state(seed, state)
    targets, scratch, codes = square_words(), square_words(), move_codes()
    total = 0.0
    for _ in range(probes):
        one, other = load(address(first, 0)), load(address(second, 0))
        size = 1.0
        for _ in range(depth - 1):
            shared = common(one, other, targets, scratch)
            count = shared[2]
            if not count:
                break
            size *= np.float64(count)
            total += size
            list_moves(
                (count, shared[3], shared[4], shared[5], shared[6], shared[7]),
                one[9], targets, codes,
            )  # fmt: skip
            code = np.uint64(codes[below(state, count)])
            one, other = advance(one, code), advance(other, code)
    return total / np.float64(probes)
