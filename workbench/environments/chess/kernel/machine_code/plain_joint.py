"""The joint walk without shortcuts: every pair of boards that shared moves lead to is walked.

At the last step no move is made: moves are counted as words. What the walk of joint.py leaves out
is compared with this.
"""

import numpy as np
from numpy.typing import NDArray

from workbench.environments.chess.kernel.machine_code.board import ZERO, Board, load
from workbench.environments.chess.kernel.machine_code.compiled import BOARD, compiled
from workbench.environments.chess.kernel.machine_code.intrinsics import (
    Values,
    Words,
    address,
    move_codes,
    signed,
    square_words,
)
from workbench.environments.chess.kernel.machine_code.joint_moves import common
from workbench.environments.chess.kernel.machine_code.making import advance
from workbench.environments.chess.kernel.machine_code.moves import list_moves


@compiled(f"int64({BOARD},{BOARD},int64,int64,float64[:,:,::1])")
def _walk(true: Board, predicted: Board, depth: int, flags: int, sums: Values) -> int:
    # sums[depth, 0, :depth] and sums[depth, 1, :depth] become p_1.. and r_1.. of this pair.
    targets = square_words()
    of_true, of_predicted, count, movers, to_left, to_right, one, two = common(
        true, predicted, targets, square_words()
    )
    if not count:
        value = 1.0 if flags & 1 and of_true == ZERO and of_predicted == ZERO else 0.0
        sums[depth, :, :depth] = value
        return 0
    by_predicted = 1.0 / np.float64(of_predicted)
    by_true = 1.0 / np.float64(of_true)
    sums[depth, 0, 0] = np.float64(count) * by_predicted
    sums[depth, 1, 0] = np.float64(count) * by_true
    nodes = signed(count)
    if depth == 1:
        return nodes
    codes = move_codes()
    list_moves((count, movers, to_left, to_right, one, two), true[9], targets, codes)
    sums[depth, :, 1:depth] = 0.0
    for index in range(signed(count)):
        code = np.uint64(codes[index])
        nodes += _walk(advance(true, code), advance(predicted, code), depth - 1, flags, sums)
        for level in range(1, depth):
            sums[depth, 0, level] += sums[depth - 1, 0, level - 1]
            sums[depth, 1, level] += sums[depth - 1, 1, level - 1]
    for level in range(1, depth):
        sums[depth, 0, level] *= by_predicted
        sums[depth, 1, level] *= by_true
    return nodes


@compiled(
    "void(uint64[:,::1],uint64[:,::1],int64,int64,float64[:,::1],float64[:,::1],int64[::1])",
    entry=True,
)
def plain_profiles(
    true: Words,
    predicted: Words,
    depth: int,
    flags: int,
    precision: Values,
    recall: Values,
    nodes: NDArray[np.int64],
) -> None:
    """Walk pairs of rows, one after the other.

    Args:
        true: Rows of the true boards S, shape (n, 8).
        predicted: Rows of the predicted boards T, shape (n, 8).
        depth: The number of moves m, at least 1.
        flags: 1 for ``absorb``, else 0.
        precision: Overwritten with p_1 .. p_m, shape (n, m).
        recall: Overwritten with r_1 .. r_m, shape (n, m).
        nodes: Overwritten with the joint nodes visited, the root not counted, shape (n,).
    """
    sums = np.empty((depth + 1, 2, depth), np.float64)
    for pair in range(len(nodes)):
        nodes[pair] = _walk(
            load(address(true, pair)), load(address(predicted, pair)), depth, flags, sums
        )
        for level in range(depth):
            precision[pair, level] = sums[depth, 0, level]
            recall[pair, level] = sums[depth, 1, level]
