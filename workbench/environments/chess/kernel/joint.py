"""The joint walk: p_1..p_m and r_1..r_m of two boards from one pass over what both permit.

At the last but one step no move is made: the two move sets are intersected as words. Under
``absorb`` two boards that have become the same need no walk, for all that follows is certain. Pairs
of boards that have been walked before are looked up in two tables: a small one that each newcomer
writes over, for pairs with one move to go, and a larger one for pairs with more.
"""

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from workbench.environments.chess.kernel.bits import folded_product, lowest, popcount, signed
from workbench.environments.chess.kernel.board import (
    BACK,
    ONE,
    ZERO,
    Board,
    Word,
    Words,
    load,
    same,
)
from workbench.environments.chess.kernel.compiled import BOARD, compiled
from workbench.environments.chess.kernel.making import advance
from workbench.environments.chess.kernel.moves import (
    EIGHT,
    MOST_MOVES,
    MOVES,
    NINE,
    SEVEN,
    SIXTEEN,
    THREE,
    Codes,
    Moves,
    generate,
    list_moves,
)

Values: TypeAlias = NDArray[np.float64]
Common: TypeAlias = tuple[Word, Word, Word, Word, Word, Word, Word, Word]

COMMON = "UniTuple(uint64,8)"
"""Moves of the one board, moves of the other, and the six words of the moves of both."""


@compiled(f"uint64({MOVES},uint64,uint64)")
def pawn_targets(moves: Moves, white: Word, square: Word) -> Word:
    """Return where the pawn on a square may go, by promoting or not."""
    bit = ONE << square
    if white != ZERO:
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


@compiled(f"{COMMON}({BOARD},{BOARD},uint64[::1],uint64[::1])")
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
    while left != ZERO:
        square = lowest(left)
        reached = targets[square] & scratch[square]
        targets[square] = reached
        count += popcount(reached)
        left &= left - ONE
    # A pawn here and another piece there share what is no promotion; bits that wrap round the
    # edge of the board fall on squares that no pawn move of this kind reaches.
    left = moves_a[1] & b[0] & b[5]
    movers |= left
    while left != ZERO:
        square = lowest(left)
        reached = targets[square] & pawn_targets(moves_b, b[9], square) & ~BACK
        targets[square] = reached
        count += popcount(reached)
        left &= left - ONE
    left = moves_b[1] & a[0] & a[5]
    movers |= left
    while left != ZERO:
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
        if (one | to_left | to_right) & BACK != ZERO:
            count += THREE * (
                popcount(one & BACK) + popcount(to_left & BACK) + popcount(to_right & BACK)
            )
    return moves_a[0], moves_b[0], count, movers, to_left, to_right, one, two


KEYS = np.random.Generator(np.random.PCG64(20250819)).integers(2**64, size=(2, 22), dtype=np.uint64)
"""Any random words will do, but they must be the same in every process: they are compiled in."""

PROBES = 4


@compiled(f"UniTuple(uint64,2)({BOARD},{BOARD},uint64)", inline=True)
def _fingerprint(a: Board, b: Board, salt: Word) -> tuple[Word, Word]:
    """Return 128 bits made from all words of a pair, for comparison under one salt.

    That two different pairs of one walk share them has a chance below 1e-20.
    """
    words = (
        a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8], a[9],
        b[0], b[1], b[2], b[3], b[4], b[5], b[6], b[7], b[8], b[9],
    )  # fmt: skip
    first: Word = folded_product(salt ^ KEYS[0, 20], KEYS[0, 21])
    second: Word = folded_product(salt ^ KEYS[1, 20], KEYS[1, 21])
    for index in range(0, 20, 2):
        first += folded_product(
            words[index] ^ KEYS[0, index], words[index + 1] ^ KEYS[0, index + 1]
        )
        second += folded_product(
            words[index] ^ KEYS[1, index], words[index + 1] ^ KEYS[1, index + 1]
        )
    return first, second | ONE


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
    f"int64({BOARD},{BOARD},int64,int64,uint64[:,::1],uint64[:,::1],uint16[:,::1],"
    "float64[:,:,::1],uint64[:,::1],float64[:,::1],uint64[:,::1],float64[:,::1],uint64)"
)
def _walk(
    true: Board,
    predicted: Board,
    depth: int,
    flags: int,
    targets: Words,
    scratch: Words,
    codes: Codes,
    sums: Values,
    seen: Words,
    kept: Values,
    leaves: Words,
    of_leaves: Values,
    salt: Word,
) -> int:
    # sums[depth, 0, :depth] and sums[depth, 1, :depth] become p_1.. and r_1.. of this pair.
    of_true, of_predicted, count, movers, to_left, to_right, one, two = common(
        true, predicted, targets[depth], scratch[depth]
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
    list_moves((count, movers, to_left, to_right, one, two), true[9], targets[depth], codes[depth])
    sums[depth, :, 1:depth] = 0.0
    if depth == 2:
        precision = recall = 0.0
        for index in range(signed(count)):
            code = np.uint64(codes[2, index])
            true_after, predicted_after = advance(true, code), advance(predicted, code)
            if flags & 2 and same(true_after, predicted_after):
                precision += 1.0
                recall += 1.0
                continue
            first = second = ZERO
            slot = 0
            if flags & 8:
                first, second = _fingerprint(true_after, predicted_after, salt)
                slot = signed(first >> ONE) & (leaves.shape[0] - 1)
                if leaves[slot, 0] == first and leaves[slot, 1] == second:
                    precision += of_leaves[slot, 2]
                    recall += of_leaves[slot, 3]
                    continue
            below = common(true_after, predicted_after, targets[1], scratch[1])
            p = r = 0.0
            if below[2] != ZERO:
                p = np.float64(below[2]) / np.float64(below[1])
                r = np.float64(below[2]) / np.float64(below[0])
                nodes += signed(below[2])
            elif flags & 1 and below[0] == ZERO and below[1] == ZERO:
                p = r = 1.0
            precision += p
            recall += r
            if flags & 8:
                leaves[slot, 0] = first
                leaves[slot, 1] = second
                of_leaves[slot, 2] = p
                of_leaves[slot, 3] = r
        sums[2, 0, 1] = precision * by_predicted
        sums[2, 1, 1] = recall * by_true
        return nodes
    for index in range(signed(count)):
        code = np.uint64(codes[depth, index])
        true_after, predicted_after = advance(true, code), advance(predicted, code)
        if flags & 2 and same(true_after, predicted_after):
            for level in range(1, depth):
                sums[depth, 0, level] += 1.0
                sums[depth, 1, level] += 1.0
            continue
        first = second = ZERO
        if flags & 4:
            first, second = _fingerprint(true_after, predicted_after, np.uint64(depth))
            slot = _slot(first, second, seen, False)
            if slot >= 0:
                for level in range(1, depth):
                    sums[depth, 0, level] += kept[slot, 2 * level - 2]
                    sums[depth, 1, level] += kept[slot, 2 * level - 1]
                continue
        nodes += _walk(
            true_after, predicted_after, depth - 1, flags,
            targets, scratch, codes, sums, seen, kept, leaves, of_leaves, salt,
        )  # fmt: skip
        for level in range(1, depth):
            sums[depth, 0, level] += sums[depth - 1, 0, level - 1]
            sums[depth, 1, level] += sums[depth - 1, 1, level - 1]
        if flags & 4:
            slot = _slot(first, second, seen, True)
            for level in range(1, depth):
                kept[slot, 2 * level - 2] = sums[depth - 1, 0, level - 1]
                kept[slot, 2 * level - 1] = sums[depth - 1, 1, level - 1]
    for level in range(1, depth):
        sums[depth, 0, level] *= by_predicted
        sums[depth, 1, level] *= by_true
    return nodes


@compiled("void(uint64[:,::1],uint64[:,::1],int64,int64,float64[:,::1],float64[:,::1],int64[::1])")
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
    targets = np.empty((depth + 1, 64), np.uint64)
    scratch = np.empty((depth + 1, 64), np.uint64)
    codes = np.empty((depth + 1, MOST_MOVES), np.uint16)
    sums = np.empty((depth + 1, 2, depth), np.float64)
    slots = 1
    if flags & 4:
        slots = 1 << min(max(4 * depth - 6, 12), 20)
    seen = np.empty((slots, 2), np.uint64)
    kept = np.empty((slots, 2 * depth), np.float64)
    places = 1
    if flags & 8:
        places = 1 << 16 if depth < 6 else 1 << 18
    leaves = np.zeros((places, 4), np.uint64)
    of_leaves = leaves.view(np.float64)
    for pair in range(true.shape[0]):
        a, b = load(true[pair]), load(predicted[pair])
        if flags & 2 and same(a, b):
            precision[pair, :] = 1.0
            recall[pair, :] = 1.0
            nodes[pair] = 0
            continue
        seen[:, :] = ZERO
        nodes[pair] = _walk(
            a, b, depth, flags, targets, scratch, codes, sums, seen, kept, leaves, of_leaves,
            np.uint64(pair),
        )  # fmt: skip
        for level in range(depth):
            precision[pair, level] = sums[depth, 0, level]
            recall[pair, level] = sums[depth, 1, level]
