"""The joint walk, ply by ply: equal pairs of one ply are merged, and their weights summed.

The pairs two moves before the end are visited in groups, by the moves of the side that does not make
the last but one. What its opponent reaches in another order is then found within one group, and the
table of last_ply.py need hold no more than a group, which fits into a processor's cache.

A ply that has no more room is walked to the end and emptied; then the ply before it goes on. Pairs
that would have met are then walked twice, and memory stays below 30 MB a ply, 140 MB for the last.
"""

from typing import Final

import numpy as np

from workbench.environments.chess.kernel.machine_code.board import (
    BACK,
    ONE,
    RANK_3,
    RANK_6,
    ZERO,
    Board,
    Word,
    same,
)
from workbench.environments.chess.kernel.machine_code.compiled import BOARD, compiled, inlined
from workbench.environments.chess.kernel.machine_code.intrinsics import (
    PLACES,
    VALUES,
    WORDS,
    Places,
    Values,
    Words,
    address,
    move_codes,
    signed,
    square_words,
)
from workbench.environments.chess.kernel.machine_code.joint_moves import common
from workbench.environments.chess.kernel.machine_code.last_ply import last_ply
from workbench.environments.chess.kernel.machine_code.making import advance
from workbench.environments.chess.kernel.machine_code.moves import EIGHT, TOP_SQUARE, list_moves
from workbench.environments.chess.kernel.machine_code.pair_keys import KEY, PIECES, Key, key_after

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

# What is accepted by a number of moves, and what is certain from then on to be accepted, each for
# precision and recall.
ACCEPTED: Final = 0
CERTAIN: Final = 2
SUMS_WIDTH: Final = 4

_PLIES: Final = f"{WORDS},{VALUES},{PLACES},{VALUES},"


@inlined
def _keep(board: Board, place: Words) -> None:
    place[0], place[1], place[2], place[3] = board[0], board[1], board[2], board[3]
    # Rights are on the outer ranks, a capture en passant on the third or sixth.
    place[4], place[5], place[6] = board[4], board[5], board[7] | board[8] | board[9] << EIGHT


@inlined
def _kept(place: Words) -> Board:
    pawns, knights, diagonals, orthogonals = place[0], place[1], place[2], place[3]
    kings, own, rest = place[4], place[5], place[6]
    enemy = (pawns | knights | diagonals | orthogonals | kings) ^ own
    return (
        pawns, knights, diagonals, orthogonals, kings, own, enemy,
        rest & BACK, rest & (RANK_3 | RANK_6), rest >> EIGHT & ONE,
    )  # fmt: skip


@inlined
def _clear(places: Places, count: int) -> None:
    for place in range(count):
        places[place] = -1


@inlined
def _grouped(base: int, count: int, states: Words, places: Places) -> int:
    """Chain the pairs of a ply by their groups, the first of each in ``places``; return how many."""
    groups = 16
    while groups < 2 * count and groups < _GROUPS:
        groups *= 2
    _clear(places, groups)
    for pair in range(base + count - 1, base - 1, -1):
        state = address(states, STATE_WIDTH * pair)
        group = state[_GROUP]
        place = signed(group >> np.uint64(32) ^ group) & (groups - 1)
        state[_NEXT] = np.uint64(np.int64(places[place]))
        places[place] = pair
    return groups


@inlined
def _add(sums: Values, moves: int, column: int, of_precision: float, of_recall: float) -> None:
    sums[SUMS_WIDTH * moves + column] += of_precision
    sums[SUMS_WIDTH * moves + column + 1] += of_recall


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
            state = address(states, STATE_WIDTH * pair)
            true, predicted = _kept(state), _kept(address(state, _PREDICTED))
            by_predicted, by_true = weights[2 * pair], weights[2 * pair + 1]
            of_true, of_predicted, shared, movers, to_left, to_right, one, two = common(
                true, predicted, targets, scratch
            )
            if shared:
                by_predicted /= np.float64(of_predicted)
                by_true /= np.float64(of_true)
                precision_before += np.float64(shared) * by_predicted
                recall_before += np.float64(shared) * by_true
                of_precision, of_recall, below = last_ply(
                    true, predicted, (state[_FIRST], state[_SECOND]),
                    (shared, movers, to_left, to_right, one, two), flags, targets, leaves, last,
                )  # fmt: skip
                precision += of_precision * by_predicted
                recall += of_recall * by_true
                nodes += signed(shared) + below
            elif flags & 1 and not of_true | of_predicted:
                _add(sums, depth - 2, CERTAIN, by_predicted, by_true)
            pair = signed(state[_NEXT])
        _add(sums, depth - 1, ACCEPTED, precision_before, recall_before)
        _add(sums, depth, ACCEPTED, precision, recall)
    return nodes


@compiled(f"int64(int64,int64,int64,int64,int64,int64,{_PLIES}{WORDS},uint64)")
def _walk_on(
    ply: int,
    count: int,
    depth: int,
    flags: int,
    room: int,
    last_room: int,
    states: Words,
    weights: Values,
    places: Places,
    sums: Values,
    leaves: Words,
    last: Word,
) -> int:
    """Walk from the pairs of a ply to the end, and return the joint nodes visited."""
    base = ply * room
    index = address(places, ply * _PLACES)
    if ply == depth - 2:
        return _finish(base, count, depth, flags, states, weights, index, sums, leaves, last)
    targets, scratch, codes = square_words(), square_words(), move_codes()
    following = base + room
    size = 1 << 10
    while size < 128 * count and size < _PLACES:
        size *= 2
    _clear(index, size)
    most = room if ply < depth - 3 else last_room
    if most > size // 2:
        most = size // 2
    grouped = (depth - ply) & 1 == 1
    nodes = found = 0
    for pair in range(base, base + count):
        state = address(states, STATE_WIDTH * pair)
        true, predicted = _kept(state), _kept(address(state, _PREDICTED))
        key = (state[_FIRST], state[_SECOND])
        by_predicted, by_true = weights[2 * pair], weights[2 * pair + 1]
        of_true, of_predicted, shared, movers, to_left, to_right, one, two = common(
            true, predicted, targets, scratch
        )
        if not shared:
            if flags & 1 and not of_true | of_predicted:
                _add(sums, ply, CERTAIN, by_predicted, by_true)
            continue
        by_predicted /= np.float64(of_predicted)
        by_true /= np.float64(of_true)
        accepted = np.float64(shared)
        _add(sums, ply + 1, ACCEPTED, accepted * by_predicted, accepted * by_true)
        nodes += signed(shared)
        list_moves((shared, movers, to_left, to_right, one, two), true[9], targets, codes)
        for number in range(signed(shared)):
            code = np.uint64(codes[number])
            true_after, predicted_after = advance(true, code), advance(predicted, code)
            if flags & 2 and same(true_after, predicted_after):
                _add(sums, ply + 1, CERTAIN, by_predicted, by_true)
                continue
            first, second = key_after(
                key_after(key, ZERO, true, true_after), ONE, predicted, predicted_after
            )
            place = signed(first) & (size - 1)
            met = int(index[place])
            while met >= 0:
                other = address(states, STATE_WIDTH * met)
                if not (other[_FIRST] ^ first | other[_SECOND] ^ second):
                    break
                place = (place + 1) & (size - 1)
                met = int(index[place])
            if met >= 0:
                weights[2 * met] += by_predicted
                weights[2 * met + 1] += by_true
                continue
            new = following + found
            index[place] = new
            after = address(states, STATE_WIDTH * new)
            _keep(true_after, after)
            _keep(predicted_after, address(after, _PREDICTED))
            after[_FIRST], after[_SECOND], after[_GROUP] = first, second, state[_GROUP]
            if grouped:
                start, goal = code & TOP_SQUARE, (code >> np.uint64(6)) & TOP_SQUARE
                after[_GROUP] += PIECES(0, 0, goal, 0) - PIECES(0, 0, start, 0)
            weights[2 * new], weights[2 * new + 1] = by_predicted, by_true
            found += 1
            if found == most:
                nodes += _walk_on(
                    ply + 1, found, depth, flags, room, last_room,
                    states, weights, places, sums, leaves, last,
                )  # fmt: skip
                _clear(index, size)
                found = 0
    if found > 0:
        nodes += _walk_on(
            ply + 1, found, depth, flags, room, last_room,
            states, weights, places, sums, leaves, last,
        )  # fmt: skip
    return nodes


@compiled(f"int64({BOARD},{BOARD},{KEY},int64,int64,int64,int64,{_PLIES}{WORDS},uint64)")
def merged_walk(
    true: Board,
    predicted: Board,
    key: Key,
    depth: int,
    flags: int,
    room: int,
    last_room: int,
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
        room: Pairs that a ply holds.
        last_room: Pairs that the ply two moves before the end holds.
        states: Overwritten; for each pair `STATE_WIDTH` words.
        weights: Overwritten; for each pair two.
        places: Overwritten; see `workspace`.
        sums: Overwritten; for each number of moves from 0 to m, for precision and recall, what is
            accepted by then (`ACCEPTED`) and what is certain from then on to be accepted (`CERTAIN`).
        leaves: Of pairs counted before, by this call or under other keys, two words each.
        last: Its last place; the number of its places is a power of two.
    """
    for index in range(SUMS_WIDTH * (depth + 1)):
        sums[index] = 0.0
    _keep(true, states)
    _keep(predicted, address(states, _PREDICTED))
    states[_FIRST], states[_SECOND] = key
    states[_GROUP] = ZERO
    weights[0] = weights[1] = 1.0
    return _walk_on(
        0, 1, depth, flags, room, last_room, states, weights, places, sums, leaves, last
    )


def workspace(depth: int) -> tuple[int, int, int, int]:
    """Return what `merged_walk` needs, of which Python makes room before it calls.

    Args:
        depth: The number of moves m, at least 2.

    Returns:
        The pairs that a ply holds, those of the ply two moves before the end, those of all plies,
        and the places.
    """
    last_room = min(1 << min(6 * depth - 12, 20), _LAST_ROOM)
    room = min(last_room, _ROOM)
    return room, last_room, (depth - 2) * room + last_room, (depth - 1) * _PLACES
