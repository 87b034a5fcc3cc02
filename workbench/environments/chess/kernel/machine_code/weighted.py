"""Algorithm 2 on compiled boards: lines that both accept, weighted, and thinned in two ways.

Each draws from the same distribution as its namesake in `workbench.affordance.estimators`, which
documents it. Where lines are resampled in strata, the order of the moves decides which of them
share a stratum; it is the order of `pick_move`, not that of python-chess, which changes no mean.
Source: arXiv 2508.19851, Algorithm 2.
"""

import numpy as np

from workbench.environments.chess.kernel.machine_code.board import BACK, ONE, ZERO, Board, Word
from workbench.environments.chess.kernel.machine_code.compiled import BOARD, compiled, inlined
from workbench.environments.chess.kernel.machine_code.draws import below, draw
from workbench.environments.chess.kernel.machine_code.intrinsics import (
    WORDS,
    Words,
    address,
    lowest,
    popcount,
    signed,
    square_words,
)
from workbench.environments.chess.kernel.machine_code.joint_moves import common
from workbench.environments.chess.kernel.machine_code.making import advance
from workbench.environments.chess.kernel.machine_code.moves import (
    EIGHT,
    FOUR,
    MOVES,
    NINE,
    SEVEN,
    SIXTEEN,
    TOP_SQUARE,
    Moves,
)

RESULT = "Tuple((float64,int64))"
"""The numba type of an estimate and the states generated for it."""

BOARD_WIDTH = 10
"""Words of an unpacked board."""

_SPARE = np.uint64(11)
_UNIT = 2.0**-53


@inlined
def put(place: Words, board: Board) -> None:
    """Write an unpacked board, ten words, to an address."""
    place[0], place[1], place[2], place[3], place[4] = board[:5]
    place[5], place[6], place[7], place[8], place[9] = board[5:]


@inlined
def get(place: Words) -> Board:
    """Read an unpacked board, ten words, from an address."""
    return (
        place[0], place[1], place[2], place[3], place[4],
        place[5], place[6], place[7], place[8], place[9],
    )  # fmt: skip


@compiled(f"uint64({MOVES},uint64,{WORDS},uint64)")
def pick_move(moves: Moves, white: Word, targets: Words, index: Word) -> Word:
    """Return the code of one move, by its number in an order of its own.

    Args:
        moves: As for `list_moves`.
        white: 1 if White moves.
        targets: The entries, shape (64,).
        index: Below the number of moves.
    """
    left = moves[1]
    while left:
        square = lowest(left)
        left &= left - ONE
        reached = targets[square]
        here = popcount(reached)
        if index < here:
            while index:
                reached &= reached - ONE
                index -= ONE
            return np.uint64(square | lowest(reached) << np.uint64(6))
        index -= here
    for way in range(4):
        if way == 0:
            reached = moves[2]
            step = SEVEN if white else ZERO - NINE
        elif way == 1:
            reached = moves[3]
            step = NINE if white else ZERO - SEVEN
        elif way == 2:
            reached = moves[4]
            step = EIGHT if white else ZERO - EIGHT
        else:
            reached = moves[5]
            step = SIXTEEN if white else ZERO - SIXTEEN
        while reached:
            goal = lowest(reached)
            promotes = reached & (ZERO - reached) & BACK != ZERO
            here = FOUR if promotes else ONE
            if index < here:
                code = (goal - step) & TOP_SQUARE | goal << np.uint64(6)
                if promotes:
                    code |= (index + np.uint64(2)) << np.uint64(12)
                return np.uint64(code)
            index -= here
            reached &= reached - ONE
    return ZERO


@compiled(f"{RESULT}({BOARD},{BOARD},int64,int64,boolean,boolean,{WORDS})")
def intermediate(
    true: Board,
    predicted: Board,
    depth: int,
    samples: int,
    absorb: bool,
    by_mass: bool,
    state: Words,
) -> tuple[float, int]:
    """Run Algorithm 2 as printed once; return the estimate and the states generated.

    Args:
        true: The board in which lines are tried.
        predicted: The board from which they are drawn.
        depth: The number of moves m, at least 1.
        samples: N, at least 1.
        absorb: Whether finished lines are complete; else they vanish.
        by_mass: Whether thinning keeps the total weight; else it rescales by the count.
        state: Of the random numbers, shape (4,); moved on.
    """
    targets = np.empty((samples, 64), np.uint64)
    scratch = square_words()
    moves = np.empty((samples, 6), np.uint64)
    pairs = np.empty((2 * samples, 2 * BOARD_WIDTH), np.uint64)
    weights = np.empty((2, samples), np.float64)
    shares = np.empty(samples, np.float64)
    first = np.empty(samples + 1, np.int64)
    now = 0
    put(address(pairs, 0), predicted)
    put(address(address(pairs, 0), BOARD_WIDTH), true)
    weights[0, 0] = 1.0
    lines = 1
    finished = 0.0
    nodes = 0
    for step in range(depth):
        total = 0
        mass = 0.0
        for line in range(lines):
            place = address(pairs, now * samples + line)
            walker, other = get(place), get(address(place, BOARD_WIDTH))
            shared = common(walker, other, address(targets, line), scratch)
            nodes += signed(shared[0])
            count = signed(shared[2])
            first[line] = total
            total += count
            if count > 0:
                shares[line] = weights[now, line] / np.float64(shared[0])
                mass += shares[line] * count
                for index in range(6):
                    moves[line, index] = shared[index + 2]
            elif absorb and not shared[0] and not shared[1]:
                finished += weights[now, line]
        first[lines] = total
        if total <= samples and step == depth - 1:
            return finished + mass, nodes
        # What could be kept is numbered from 0; a line owns the numbers from its first on.
        owners = np.empty(total, np.int32)
        numbers = np.empty(total, np.int32)
        for line in range(lines):
            for number in range(first[line], first[line + 1]):
                owners[number] = line
                numbers[number] = number
        kept = total
        scale = 1.0
        if total > samples:
            kept = samples
            held = 0.0
            for index in range(samples):
                chosen = index + signed(below(state, np.uint64(total - index)))
                numbers[index], numbers[chosen] = numbers[chosen], numbers[index]
                held += shares[owners[numbers[index]]]
            scale = mass / held if by_mass else total / samples
            mass = held
        if step == depth - 1:
            return finished + scale * mass, nodes
        for index in range(kept):
            line = owners[numbers[index]]
            place = address(pairs, now * samples + line)
            walker, other = get(place), get(address(place, BOARD_WIDTH))
            code = pick_move(
                (
                    moves[line, 0], moves[line, 1], moves[line, 2],
                    moves[line, 3], moves[line, 4], moves[line, 5],
                ),
                walker[9], address(targets, line), np.uint64(numbers[index] - first[line]),
            )  # fmt: skip
            place = address(pairs, (1 - now) * samples + index)
            put(place, advance(walker, code))
            put(address(place, BOARD_WIDTH), advance(other, code))
            weights[1 - now, index] = scale * shares[line]
        now = 1 - now
        lines = kept
    return finished, nodes


@compiled(f"{RESULT}({BOARD},{BOARD},int64,int64,boolean,{WORDS})")
def resampled(
    true: Board, predicted: Board, depth: int, samples: int, absorb: bool, state: Words
) -> tuple[float, int]:
    """Run Algorithm 2 with stratified, weight-proportional resampling once.

    Args:
        true: The board in which lines are tried.
        predicted: The board from which they are drawn.
        depth: The number of moves m, at least 1.
        samples: N, at least 1.
        absorb: Whether finished lines are complete; else they vanish.
        state: Of the random numbers, shape (4,); moved on.

    Returns:
        The estimate and the states generated.
    """
    targets = np.empty((samples, 64), np.uint64)
    scratch = square_words()
    moves = np.empty((samples, 6), np.uint64)
    counts = np.empty(samples, np.int64)
    shares = np.empty(samples, np.float64)
    pairs = np.empty((2 * samples, 2 * BOARD_WIDTH), np.uint64)
    weights = np.empty((2, samples), np.float64)
    owners = np.empty(samples, np.int64)
    numbers = np.empty(samples, np.int64)
    now = 0
    put(address(pairs, 0), predicted)
    put(address(address(pairs, 0), BOARD_WIDTH), true)
    weights[0, 0] = 1.0
    lines = 1
    finished = 0.0
    nodes = 0
    for step in range(depth):
        total = 0
        mass = 0.0
        last = -1
        for line in range(lines):
            place = address(pairs, now * samples + line)
            walker, other = get(place), get(address(place, BOARD_WIDTH))
            shared = common(walker, other, address(targets, line), scratch)
            nodes += signed(shared[0])
            count = signed(shared[2])
            counts[line] = count
            shares[line] = 0.0
            if count > 0:
                shares[line] = weights[now, line] / np.float64(shared[0])
                mass += shares[line] * count
                total += count
                last = line
                for index in range(6):
                    moves[line, index] = shared[index + 2]
            elif absorb and not shared[0] and not shared[1]:
                finished += weights[now, line]
        if total == 0 or step == depth - 1:
            return finished + mass, nodes
        kept = 0
        if total > samples:
            # The children lie side by side on [0, mass), each as wide as its weight; the points
            # ascend, so that one pass finds whose each is, and copies come one after the other.
            width = mass / samples
            line = 0
            start = 0.0
            for index in range(samples):
                point = (index + np.float64(draw(state) >> _SPARE) * _UNIT) * width
                while line < last and point >= start + shares[line] * counts[line]:
                    start += shares[line] * counts[line]
                    line += 1
                # Rounding may put the last points a little beyond the last child.
                number = min(int((point - start) / shares[line]), counts[line] - 1)
                if kept > 0 and owners[kept - 1] == line and numbers[kept - 1] == number:
                    weights[1 - now, kept - 1] += width
                else:
                    owners[kept] = line
                    numbers[kept] = number
                    weights[1 - now, kept] = width
                    kept += 1
        else:
            for line in range(lines):
                for number in range(counts[line]):
                    owners[kept] = line
                    numbers[kept] = number
                    weights[1 - now, kept] = shares[line]
                    kept += 1
        for index in range(kept):
            line = owners[index]
            place = address(pairs, now * samples + line)
            walker, other = get(place), get(address(place, BOARD_WIDTH))
            code = pick_move(
                (
                    moves[line, 0], moves[line, 1], moves[line, 2],
                    moves[line, 3], moves[line, 4], moves[line, 5],
                ),
                walker[9], address(targets, line), np.uint64(numbers[index]),
            )  # fmt: skip
            place = address(pairs, (1 - now) * samples + index)
            put(place, advance(walker, code))
            put(address(place, BOARD_WIDTH), advance(other, code))
        now = 1 - now
        lines = kept
    return finished, nodes
