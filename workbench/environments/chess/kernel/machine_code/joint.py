"""The joint walk: p_1..p_m and r_1..r_m of two boards from one pass over what both permit.

At the last step no move is made: moves are counted as words. Under ``absorb`` two boards that have
become the same need no walk, for all that follows is certain. Pairs of boards that other moves have
led to as well are walked once (see merged_walk.py).
"""

import numpy as np
from numpy.typing import NDArray

from workbench.environments.chess.kernel.machine_code.board import Board, load, same
from workbench.environments.chess.kernel.machine_code.compiled import BOARD, compiled
from workbench.environments.chess.kernel.machine_code.intrinsics import (
    VALUES,
    Places,
    Values,
    Words,
    address,
    signed,
    square_words,
)
from workbench.environments.chess.kernel.machine_code.joint_moves import common
from workbench.environments.chess.kernel.machine_code.merged_walk import (
    ACCEPTED,
    CERTAIN,
    LEAVES,
    STATE_WIDTH,
    SUMS_WIDTH,
    merged_walk,
    workspace,
)
from workbench.environments.chess.kernel.machine_code.pair_keys import salted


@compiled(f"int64({BOARD},{BOARD},int64,{VALUES})")
def _one_move(true: Board, predicted: Board, flags: int, result: Values) -> int:
    """Write p_1 and r_1, and return how many moves are shared."""
    found = common(true, predicted, square_words(), square_words())
    of_true, of_predicted, shared = found[0], found[1], found[2]
    result[0] = result[1] = 0.0
    if shared:
        result[0] = np.float64(shared) * (1.0 / np.float64(of_predicted))
        result[1] = np.float64(shared) * (1.0 / np.float64(of_true))
    elif flags & 1 and not of_true | of_predicted:
        result[0] = result[1] = 1.0
    return signed(shared)


@compiled(
    "void(uint64[:,::1],uint64[:,::1],int64,int64,float64[:,::1],float64[:,::1],int64[::1],"
    "int64,int64,uint64[::1],float64[::1],int32[::1],float64[::1],uint64[::1])",
    entry=True,
)
def _walked(
    true: Words,
    predicted: Words,
    depth: int,
    flags: int,
    precision: Values,
    recall: Values,
    nodes: NDArray[np.int64],
    room: int,
    last_room: int,
    states: Words,
    weights: Values,
    places: Places,
    sums: Values,
    leaves: Words,
) -> None:
    for pair in range(len(nodes)):
        a, b = load(address(true, pair)), load(address(predicted, pair))
        of_precision, of_recall = address(precision, pair), address(recall, pair)
        certain_precision = certain_recall = 0.0
        if flags & 2 and same(a, b):
            for level in range(depth):
                of_precision[level] = of_recall[level] = 1.0
            nodes[pair] = 0
            continue
        if depth == 1:
            nodes[pair] = _one_move(a, b, flags, address(sums, 0))
            of_precision[0], of_recall[0] = sums[0], sums[1]
            continue
        nodes[pair] = merged_walk(
            a, b, salted(np.uint64(pair)), depth, flags, room, last_room,
            address(states, 0), address(weights, 0), address(places, 0), address(sums, 0),
            address(leaves, 0), np.uint64(LEAVES - 1),
        )  # fmt: skip
        for level in range(depth):
            certain_precision += sums[SUMS_WIDTH * level + CERTAIN]
            certain_recall += sums[SUMS_WIDTH * level + CERTAIN + 1]
            of_precision[level] = sums[SUMS_WIDTH * (level + 1) + ACCEPTED] + certain_precision
            of_recall[level] = sums[SUMS_WIDTH * (level + 1) + ACCEPTED + 1] + certain_recall


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
            with ``absorb``).
        precision: Overwritten with p_1 .. p_m, shape (n, m).
        recall: Overwritten with r_1 .. r_m, shape (n, m).
        nodes: Overwritten with the joint nodes visited, the root not counted, shape (n,).
    """
    room, last_room, pairs, length = workspace(depth) if depth > 1 else (0, 0, 0, 0)
    _walked(
        true, predicted, depth, flags, precision, recall, nodes, room, last_room,
        np.empty(STATE_WIDTH * pairs, np.uint64), np.empty(2 * pairs), np.empty(length, np.int32),
        np.empty(SUMS_WIDTH * (depth + 1)), np.zeros(2 * LEAVES if pairs else 0, np.uint64),
    )  # fmt: skip
