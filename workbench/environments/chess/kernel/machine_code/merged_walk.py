"""The joint walk, ply by ply: equal pairs of one ply are merged, and their weights summed.

The pairs two moves before the end are visited in groups, by the moves of the side that does not make
the last but one. What its opponent reaches in another order is then found within one group, and the
table of last_ply.py need hold no more than a group, which fits into a processor's cache.

A ply that has no more room is walked to the end and emptied; then the ply before it goes on. Pairs
that would have met are then walked twice, and memory stays below 30 MB a ply, 140 MB for the last.
"""

from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from workbench.environments.chess.kernel.machine_code.board import (
    BACK,
    ONE,
    RANK_3,
    RANK_6,
    ZERO,
    Board,
    Word,
    Words,
    same,
)
from workbench.environments.chess.kernel.machine_code.compiled import BOARD, compiled, inlined
from workbench.environments.chess.kernel.machine_code.intrinsics import (
    WORDS,
    move_codes,
    signed,
    square_words,
)
from workbench.environments.chess.kernel.machine_code.joint_moves import common
from workbench.environments.chess.kernel.machine_code.last_ply import last_ply
from workbench.environments.chess.kernel.machine_code.making import advance
from workbench.environments.chess.kernel.machine_code.moves import EIGHT, TOP_SQUARE, list_moves
from workbench.environments.chess.kernel.machine_code.pair_keys import KEY, PIECES, Key, key_after

Values: TypeAlias = NDArray[np.float64]
Places: TypeAlias = NDArray[np.int32]

# Most pairs of a ply, and of that two moves before the end, where 545,000 is typical at m = 6;
# places of the index of a ply; most groups.
_ROOM: Final = 1 << 17
_LAST_ROOM: Final = 3 << 18
_PLACES: Final = 1 << 21
_GROUPS: Final = 1 << 16

LEAVES: Final = 1 << 14
"""Places of the table of last_ply.py, a power of two: 256 kB."""

# What a pair is kept as, in words: seven for each board, its key, its group and the next of it.
_PREDICTED: Final = 7
_FIRST: Final = 14
_SECOND: Final = 15
_GROUP: Final = 16
_NEXT: Final = 17
STATE_WIDTH: Final = 18

_PLIES: Final = "uint64[:,::1],float64[:,::1],int32[::1],float64[:,:,::1],"


@inlined
def _keep(board: Board, states: Words, pair: int, column: int) -> None:
    states[pair, column], states[pair, column + 1] = board[0], board[1]
    states[pair, column + 2], states[pair, column + 3] = board[2], board[3]
    states[pair, column + 4], states[pair, column + 5] = board[4], board[5]
    # Rights are on the outer ranks, a capture en passant on the third or sixth.
    states[pair, column + 6] = board[7] | board[8] | board[9] << EIGHT


@inlined
def _kept(states: Words, pair: int, column: int) -> Board:
    pawns, knights = states[pair, column], states[pair, column + 1]
    diagonals, orthogonals = states[pair, column + 2], states[pair, column + 3]
    kings, own, rest = states[pair, column + 4], states[pair, column + 5], states[pair, column + 6]
    enemy = (pawns | knights | diagonals | orthogonals | kings) ^ own
    return (
        pawns, knights, diagonals, orthogonals, kings, own, enemy,
        rest & BACK, rest & (RANK_3 | RANK_6), rest >> EIGHT & ONE,
    )  # fmt: skip


@inlined
def _grouped(base: int, count: int, states: Words, places: Places) -> int:
    """Chain the pairs of a ply by their groups, the first of each in ``places``; return how many."""
    groups = 16
    while groups < 2 * count and groups < _GROUPS:
        groups *= 2
    places[:groups] = -1
    for pair in range(base + count - 1, base - 1, -1):
        group = states[pair, _GROUP]
        place = signed(group >> np.uint64(32) ^ group) & (groups - 1)
        states[pair, _NEXT] = np.uint64(np.int64(places[place]))
        places[place] = pair
    return groups


@compiled(f"int64(int64,int64,int64,int64,{_PLIES}{WORDS},uint64)")
def _finish(
    base: int,
    count: int,
    depth: int,
    flags: int,
    states: Words,
    weights: Values,
    places: Places,
    sums: Values,
    leaves: Words,
    last: Word,
) -> int:
    targets, scratch = square_words(), square_words()
    nodes = 0
    for group in range(_grouped(base, count, states, places)):
        pair = int(places[group])
        # Sums of sums lose less in rounding than one long sum.
        precision = recall = precision_before = recall_before = 0.0
        while pair >= 0:
            true, predicted = _kept(states, pair, 0), _kept(states, pair, _PREDICTED)
            by_predicted, by_true = weights[pair, 0], weights[pair, 1]
            of_true, of_predicted, shared, movers, to_left, to_right, one, two = common(
                true, predicted, targets, scratch
            )
            if shared != ZERO:
                by_predicted /= np.float64(of_predicted)
                by_true /= np.float64(of_true)
                precision_before += np.float64(shared) * by_predicted
                recall_before += np.float64(shared) * by_true
                of_precision, of_recall, below = last_ply(
                    true, predicted, (states[pair, _FIRST], states[pair, _SECOND]),
                    (shared, movers, to_left, to_right, one, two), flags, targets, leaves, last,
                )  # fmt: skip
                precision += of_precision * by_predicted
                recall += of_recall * by_true
                nodes += signed(shared) + below
            elif flags & 1 and of_true == ZERO and of_predicted == ZERO:
                sums[1, 0, depth - 2] += by_predicted
                sums[1, 1, depth - 2] += by_true
            pair = signed(states[pair, _NEXT])
        sums[0, 0, depth - 1] += precision_before
        sums[0, 1, depth - 1] += recall_before
        sums[0, 0, depth] += precision
        sums[0, 1, depth] += recall
    return nodes


@compiled(f"int64(int64,int64,int64,int64,int64,{_PLIES}{WORDS},uint64)")
def _walk_on(
    ply: int,
    count: int,
    depth: int,
    flags: int,
    room: int,
    states: Words,
    weights: Values,
    places: Places,
    sums: Values,
    leaves: Words,
    last: Word,
) -> int:
    """Walk from the pairs of a ply to the end, and return the joint nodes visited."""
    base = ply * room
    if ply == depth - 2:
        return _finish(
            base, count, depth, flags, states, weights, places[ply * _PLACES :], sums, leaves, last
        )
    targets, scratch, codes = square_words(), square_words(), move_codes()
    following = base + room
    index = places[(ply + 1) * _PLACES :]
    size = 1 << 10
    while size < 128 * count and size < _PLACES:
        size *= 2
    index[:size] = -1
    most = min(room if ply < depth - 3 else len(states) - following, size // 2)
    grouped = (depth - ply) & 1 == 1
    nodes = 0
    # Typed, since a bare 0 would be a type of its own in the call of this function.
    found = signed(ZERO)
    for pair in range(base, base + count):
        true, predicted = _kept(states, pair, 0), _kept(states, pair, _PREDICTED)
        key = (states[pair, _FIRST], states[pair, _SECOND])
        by_predicted, by_true = weights[pair, 0], weights[pair, 1]
        of_true, of_predicted, shared, movers, to_left, to_right, one, two = common(
            true, predicted, targets, scratch
        )
        if shared == ZERO:
            if flags & 1 and of_true == ZERO and of_predicted == ZERO:
                sums[1, 0, ply] += by_predicted
                sums[1, 1, ply] += by_true
            continue
        by_predicted /= np.float64(of_predicted)
        by_true /= np.float64(of_true)
        sums[0, 0, ply + 1] += np.float64(shared) * by_predicted
        sums[0, 1, ply + 1] += np.float64(shared) * by_true
        nodes += signed(shared)
        list_moves((shared, movers, to_left, to_right, one, two), true[9], targets, codes)
        for number in range(signed(shared)):
            code = np.uint64(codes[number])
            true_after, predicted_after = advance(true, code), advance(predicted, code)
            if flags & 2 and same(true_after, predicted_after):
                sums[1, 0, ply + 1] += by_predicted
                sums[1, 1, ply + 1] += by_true
                continue
            first, second = key_after(
                key_after(key, ZERO, true, true_after), ONE, predicted, predicted_after
            )
            place = signed(first) & (size - 1)
            met = int(index[place])
            while (
                met >= 0 and (states[met, _FIRST] ^ first | states[met, _SECOND] ^ second) != ZERO
            ):
                place = (place + 1) & (size - 1)
                met = int(index[place])
            if met >= 0:
                weights[met, 0] += by_predicted
                weights[met, 1] += by_true
                continue
            new = following + found
            index[place] = new
            _keep(true_after, states, new, 0)
            _keep(predicted_after, states, new, _PREDICTED)
            states[new, _FIRST], states[new, _SECOND] = first, second
            group = states[pair, _GROUP]
            if grouped:
                start, goal = code & TOP_SQUARE, (code >> np.uint64(6)) & TOP_SQUARE
                group += PIECES[0, 0, goal, 0] - PIECES[0, 0, start, 0]
            states[new, _GROUP] = group
            weights[new, 0], weights[new, 1] = by_predicted, by_true
            found += 1
            if found == most:
                nodes += _walk_on(
                    ply + 1, found, depth, flags, room, states, weights, places, sums, leaves, last
                )
                index[:size] = -1
                found = 0
    if found > 0:
        nodes += _walk_on(
            ply + 1, found, depth, flags, room, states, weights, places, sums, leaves, last
        )
    return nodes


@compiled(f"int64({BOARD},{BOARD},{KEY},int64,int64,int64,{_PLIES}{WORDS},uint64)")
def merged_walk(
    true: Board,
    predicted: Board,
    key: Key,
    depth: int,
    flags: int,
    room: int,
    states: Words,
    weights: Values,
    places: Places,
    sums: Values,
    leaves: Words,
    last: Word,
) -> int:
    """Walk a pair of boards, and return the joint nodes visited, the root not counted.

    Args:
        true: The true board.
        predicted: The predicted board.
        key: Of the pair.
        depth: The number of moves m, at least 2.
        flags: As for `workbench.environments.chess.kernel.machine_code.joint.profiles`.
        room: Of each ply, as `plies` returns it.
        states: Overwritten, of the length that `plies` returns, by 18.
        weights: Overwritten, as long, by 2.
        places: Overwritten, of the length that `plies` returns.
        sums: Overwritten, shape (2, 2, m + 1): for precision and recall, by the number of moves,
            what is accepted by then; and what is certain from then on to be accepted.
        leaves: Of pairs counted before, by this call or under other keys, two words each.
        last: Its last place; the number of its places is a power of two.
    """
    sums[:, :, :] = 0.0
    _keep(true, states, 0, 0)
    _keep(predicted, states, 0, _PREDICTED)
    states[0, _FIRST], states[0, _SECOND] = key
    states[0, _GROUP] = ZERO
    weights[0, 0] = weights[0, 1] = 1.0
    return _walk_on(0, 1, depth, flags, room, states, weights, places, sums, leaves, last)


@inlined
def plies(depth: int) -> tuple[int, int, int]:
    """Return what `merged_walk` needs: the pairs that a ply holds, those that all hold, the places.

    Args:
        depth: The number of moves m, at least 2.
    """
    last_room = min(1 << min(6 * depth - 12, 20), _LAST_ROOM)
    room = min(last_room, _ROOM)
    return room, (depth - 2) * room + last_room, (depth - 1) * _PLACES
