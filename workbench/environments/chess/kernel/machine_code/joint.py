"""The joint walk: p_1..p_m and r_1..r_m of two boards from one pass over what both permit.

At the last step no move is made: moves are counted as words. Under ``absorb`` two boards that have
become the same need no walk, for all that follows is certain. Pairs of boards that have been walked
before are looked up in two tables: a small one that each newcomer writes over, for pairs with one
move to go (see last_ply.py), and a larger one for pairs with more. Both stay within 120 MB.
"""

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from workbench.environments.chess.kernel.machine_code.bits import signed
from workbench.environments.chess.kernel.machine_code.board import (
    ONE,
    ZERO,
    Board,
    Word,
    Words,
    load,
    same,
)
from workbench.environments.chess.kernel.machine_code.buffers import (
    WORDS,
    address,
    move_codes,
    square_words,
)
from workbench.environments.chess.kernel.machine_code.compiled import BOARD, compiled
from workbench.environments.chess.kernel.machine_code.joint_moves import common
from workbench.environments.chess.kernel.machine_code.last_ply import last_ply
from workbench.environments.chess.kernel.machine_code.making import advance
from workbench.environments.chess.kernel.machine_code.moves import list_moves
from workbench.environments.chess.kernel.machine_code.pair_keys import KEY, Key, key_after, salted

Values: TypeAlias = NDArray[np.float64]

PROBES = 4


@compiled("int64(uint64,uint64,uint64[:,::1],boolean)")
def _slot(first: Word, second: Word, seen: Words, claim: bool) -> int:
    """Return where in the table a pair is, or -1; or claim a place for it."""
    last: int = seen.shape[0] - 1
    start: int = signed(first >> ONE) & last
    place = start
    for probe in range(PROBES):
        slot: int = (start + probe) & last
        if seen[slot, 1] == second and seen[slot, 0] == first:
            return slot
        if seen[slot, 1] == ZERO:
            place = slot
            break
    if not claim:
        return -1
    seen[place, 0] = first
    seen[place, 1] = second
    return place


@compiled(
    f"int64({BOARD},{BOARD},{KEY},int64,int64,float64[:,:,::1],uint64[:,::1],float64[:,::1],"
    f"{WORDS},uint64)"
)
def _walk(
    true: Board,
    predicted: Board,
    key: Key,
    depth: int,
    flags: int,
    sums: Values,
    seen: Words,
    kept: Values,
    leaves: Words,
    last: Word,
) -> int:
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
    moves = (count, movers, to_left, to_right, one, two)
    if depth == 2 and flags & 8:
        precision, recall, below = last_ply(
            true, predicted, key, moves, flags, targets, leaves, last
        )
        sums[2, 0, 1] = precision * by_predicted
        sums[2, 1, 1] = recall * by_true
        return nodes + below
    codes = move_codes()
    list_moves(moves, true[9], targets, codes)
    sums[depth, :, 1:depth] = 0.0
    for index in range(signed(count)):
        code = np.uint64(codes[index])
        true_after, predicted_after = advance(true, code), advance(predicted, code)
        if flags & 2 and same(true_after, predicted_after):
            for level in range(1, depth):
                sums[depth, 0, level] += 1.0
                sums[depth, 1, level] += 1.0
            continue
        first, second = key
        if flags & 8:
            first, second = key_after(
                key_after(key, ZERO, true, true_after), ONE, predicted, predicted_after
            )
        if flags & 4:
            slot = _slot(first, second + np.uint64(depth) << ONE | ONE, seen, False)
            if slot >= 0:
                for level in range(1, depth):
                    sums[depth, 0, level] += kept[slot, 2 * level - 2]
                    sums[depth, 1, level] += kept[slot, 2 * level - 1]
                continue
        nodes += _walk(
            true_after, predicted_after, (first, second), depth - 1, flags,
            sums, seen, kept, leaves, last,
        )  # fmt: skip
        for level in range(1, depth):
            sums[depth, 0, level] += sums[depth - 1, 0, level - 1]
            sums[depth, 1, level] += sums[depth - 1, 1, level - 1]
        if flags & 4:
            slot = _slot(first, second + np.uint64(depth) << ONE | ONE, seen, True)
            for level in range(1, depth):
                kept[slot, 2 * level - 2] = sums[depth - 1, 0, level - 1]
                kept[slot, 2 * level - 1] = sums[depth - 1, 1, level - 1]
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
            with ``absorb``), 4 for the table of pairs seen two or more moves from the end, and 8
            for that of pairs one move from the end.
        precision: Overwritten with p_1 .. p_m, shape (n, m).
        recall: Overwritten with r_1 .. r_m, shape (n, m).
        nodes: Overwritten with the joint nodes visited, the root not counted, shape (n,).
    """
    sums = np.empty((depth + 1, 2, depth), np.float64)
    slots = 1
    if flags & 4:
        slots = 1 << min(max(4 * depth - 6, 12), 20)
    seen = np.empty((slots, 2), np.uint64)
    kept = np.empty((slots, 2 * depth), np.float64)
    places = 1 << min(max(5 * depth - 4, 6), 18) if flags & 8 else 1
    leaves = np.zeros(2 * places, np.uint64)
    for pair in range(true.shape[0]):
        a, b = load(true[pair]), load(predicted[pair])
        if flags & 2 and same(a, b):
            precision[pair, :] = 1.0
            recall[pair, :] = 1.0
            nodes[pair] = 0
            continue
        seen[:, :] = ZERO
        nodes[pair] = _walk(
            a, b, salted(np.uint64(pair)), depth, flags,
            sums, seen, kept, address(leaves, 0), np.uint64(places - 1),
        )  # fmt: skip
        for level in range(depth):
            precision[pair, level] = sums[depth, 0, level]
            recall[pair, level] = sums[depth, 1, level]
