"""The joint walk: p_1..p_m and r_1..r_m of two boards from one pass over what both permit.

At the last step no move is made: moves are counted as words. Under ``absorb`` two boards that have
become the same need no walk, for all that follows is certain. Pairs of boards that other moves have
led to as well are walked once (see merged_walk.py).
"""

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from workbench.environments.chess.kernel.machine_code.board import ZERO, Board, Words, load, same
from workbench.environments.chess.kernel.machine_code.compiled import BOARD, compiled
from workbench.environments.chess.kernel.machine_code.intrinsics import (
    address,
    move_codes,
    signed,
    square_words,
)
from workbench.environments.chess.kernel.machine_code.joint_moves import common
from workbench.environments.chess.kernel.machine_code.making import advance
from workbench.environments.chess.kernel.machine_code.merged_walk import (
    LEAVES,
    STATE_WIDTH,
    merged_walk,
    plies,
)
from workbench.environments.chess.kernel.machine_code.moves import list_moves
from workbench.environments.chess.kernel.machine_code.pair_keys import salted

Values: TypeAlias = NDArray[np.float64]


@compiled(f"int64({BOARD},{BOARD},int64,int64,float64[:,:,::1])")
def _walk(true: Board, predicted: Board, depth: int, flags: int, sums: Values) -> int:
    # sums[depth, 0, :depth] and sums[depth, 1, :depth] become p_1.. and r_1.. of this pair.
    targets = square_words()
    of_true, of_predicted, count, movers, to_left, to_right, one, two = common(
        true, predicted, targets, square_words()
    )
    if count == ZERO:
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
def profiles(
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
        flags: 1 for ``absorb``, else 0; add 2 for the shortcut where boards are the same (only
            with ``absorb``), and 4 to merge equal pairs.
        precision: Overwritten with p_1 .. p_m, shape (n, m).
        recall: Overwritten with r_1 .. r_m, shape (n, m).
        nodes: Overwritten with the joint nodes visited, the root not counted, shape (n,).
    """
    merge = flags & 4 and depth > 1
    room, pairs, length = plies(depth) if merge else (0, 0, 0)
    states = np.empty((pairs, STATE_WIDTH), np.uint64)
    weights = np.empty((pairs, 2), np.float64)
    places = np.empty(length, np.int32)
    leaves = np.zeros(2 * LEAVES if merge else 0, np.uint64)
    levels = np.empty((2, 2, depth + 1), np.float64)
    sums = np.empty((depth + 1, 2, depth), np.float64)
    for pair in range(true.shape[0]):
        a, b = load(true[pair]), load(predicted[pair])
        if flags & 2 and same(a, b):
            precision[pair, :] = 1.0
            recall[pair, :] = 1.0
            nodes[pair] = 0
        elif merge:
            nodes[pair] = merged_walk(
                a, b, salted(np.uint64(pair)), depth, flags,
                room, states, weights, places, levels, address(leaves, 0), np.uint64(LEAVES - 1),
            )  # fmt: skip
            certain_precision = certain_recall = 0.0
            for level in range(depth):
                certain_precision += levels[1, 0, level]
                certain_recall += levels[1, 1, level]
                precision[pair, level] = levels[0, 0, level + 1] + certain_precision
                recall[pair, level] = levels[0, 1, level + 1] + certain_recall
        else:
            nodes[pair] = _walk(a, b, depth, flags, sums)
            for level in range(depth):
                precision[pair, level] = sums[depth, 0, level]
                recall[pair, level] = sums[depth, 1, level]
