"""The compiled estimators of p_m."""

from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from workbench.environments.chess.kernel.bitboards import BACK, ONE, ZERO, Board, Word, load
from workbench.environments.chess.kernel.common_moves import common
from workbench.environments.chess.kernel.compiler import (
    BOARD,
    MOST_MOVES,
    WORDS,
    Codes,
    Values,
    Words,
    address,
    compiled,
    inlined,
    lowest,
    popcount,
    signed,
    square_words,
    state_words,
)
from workbench.environments.chess.kernel.moves import (
    FOUR,
    MOVES,
    PAWN_STEPS,
    TOP_SQUARE,
    Moves,
    Three,
    advance,
    generate,
    list_moves,
    pawn_reaches,
)
from workbench.environments.chess.kernel.random_numbers import below, draw, seed_state

RESULT = "Tuple((float64,int64))"
"""The numba type of an estimate and the states generated for it."""

BOARD_WIDTH = 10
"""Words of an unpacked board."""

_SPARE = np.uint64(11)
_UNIT = 2.0**-53

NAIVE = 0
BRANCH = 1
INTERMEDIATE = 2
INTERMEDIATE_MASS = 3
STRATIFIED = 4
INTERMEDIATE_RESAMPLED = 5

METHODS = MappingProxyType(
    {
        "naive": NAIVE,
        "branch": BRANCH,
        "intermediate": INTERMEDIATE,
        "intermediate-mass": INTERMEDIATE_MASS,
        "stratified": STRATIFIED,
        "intermediate-resampled": INTERMEDIATE_RESAMPLED,
    }
)
"""The numbers above by the names that the estimators have in `workbench.affordance.ESTIMATORS`."""


@inlined
def store(place: Words, board: Board) -> None:
    """Write an unpacked board, ten words, to an address."""
    place[0], place[1], place[2], place[3], place[4] = board[:5]
    place[5], place[6], place[7], place[8], place[9] = board[5:]


@inlined
def fetch(place: Words) -> Board:
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
        reached, step = moves[way + 2], PAWN_STEPS(white, way)
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


@inlined
def _share(pair: Words, targets: Words, scratch: Words, moves: Words) -> Three:
    """Store the moves that the boards of a pair share; return how many one, the other and both have."""
    shared = common(fetch(pair), fetch(address(pair, BOARD_WIDTH)), targets, scratch)
    for index in range(6):
        moves[index] = shared[index + 2]
    return shared[0], shared[1], shared[2]


@inlined
def _advance_pair(pair: Words, after: Words, targets: Words, moves: Words, index: int) -> None:
    walker, other = fetch(pair), fetch(address(pair, BOARD_WIDTH))
    six = (moves[0], moves[1], moves[2], moves[3], moves[4], moves[5])
    code = pick_move(six, walker[9], targets, np.uint64(index))
    store(after, advance(walker, code))
    store(address(after, BOARD_WIDTH), advance(other, code))


@compiled(f"{RESULT}({BOARD},{BOARD},int64,int64,boolean,int64,{WORDS})")
def _weighted(
    true: Board,
    predicted: Board,
    depth: int,
    samples: int,
    absorb: bool,
    method: int,
    state: Words,
) -> tuple[float, int]:
    """Run Algorithm 2 once, thinned as printed or by stratified, weight-proportional resampling."""
    targets = np.empty((samples, 64), np.uint64)
    scratch = square_words()
    moves = np.empty((samples, 6), np.uint64)
    pairs = np.empty((2 * samples, 2 * BOARD_WIDTH), np.uint64)
    weights = np.empty((2, samples), np.float64)
    shares = np.empty(samples, np.float64)
    # What could be kept is numbered from 0; a line owns the numbers from its first on.
    first = np.empty(samples + 1, np.int64)
    owners = np.empty(samples, np.int64)
    numbers = np.empty(samples, np.int64)
    now = 0
    store(address(pairs, 0), predicted)
    store(address(address(pairs, 0), BOARD_WIDTH), true)
    weights[0, 0] = 1.0
    lines = 1
    finished = 0.0
    nodes = 0
    for step in range(depth):
        total = 0
        mass = 0.0
        last = -1
        for line in range(lines):
            shared = _share(
                address(pairs, now * samples + line), address(targets, line), scratch,
                address(moves, line),
            )  # fmt: skip
            nodes += signed(shared[0])
            count = signed(shared[2])
            first[line] = total
            shares[line] = 0.0
            if count > 0:
                shares[line] = weights[now, line] / np.float64(shared[0])
                mass += shares[line] * count
                total += count
                last = line
            elif absorb and not shared[0] and not shared[1]:
                finished += weights[now, line]
        first[lines] = total
        at_end = step == depth - 1
        if total == 0 or (at_end and (total <= samples or method == INTERMEDIATE_RESAMPLED)):
            return finished + mass, nodes
        size = 0
        if total <= samples:
            for line in range(lines):
                for number in range(first[line + 1] - first[line]):
                    owners[size] = line
                    numbers[size] = number
                    weights[1 - now, size] = shares[line]
                    size += 1
        elif method == INTERMEDIATE_RESAMPLED:
            # The children lie side by side on [0, mass), each as wide as its weight; the points
            # ascend, so that one pass finds whose each is, and copies come one after the other.
            width = mass / samples
            line = 0
            start = 0.0
            for index in range(samples):
                point = (index + np.float64(draw(state) >> _SPARE) * _UNIT) * width
                count = first[line + 1] - first[line]
                while line < last and point >= start + shares[line] * count:
                    start += shares[line] * count
                    line += 1
                    count = first[line + 1] - first[line]
                # Rounding may put the last points a little beyond the last child.
                number = min(int((point - start) / shares[line]), count - 1)
                if size > 0 and owners[size - 1] == line and numbers[size - 1] == number:
                    weights[1 - now, size - 1] += width
                else:
                    owners[size] = line
                    numbers[size] = number
                    weights[1 - now, size] = width
                    size += 1
        else:
            line_of = np.empty(total, np.int32)
            children = np.empty(total, np.int32)
            for line in range(lines):
                for child in range(first[line], first[line + 1]):
                    line_of[child] = line
                    children[child] = child
            sample_mass = 0.0
            for index in range(samples):
                swap = index + signed(below(state, np.uint64(total - index)))
                children[index], children[swap] = children[swap], children[index]
                sample_mass += shares[line_of[children[index]]]
            scale = mass / sample_mass if method == INTERMEDIATE_MASS else total / samples
            if at_end:
                return finished + scale * sample_mass, nodes
            for size in range(samples):
                line = line_of[children[size]]
                owners[size] = line
                numbers[size] = children[size] - first[line]
                weights[1 - now, size] = scale * shares[line]
            size = samples
        for index in range(size):
            line = owners[index]
            _advance_pair(
                address(pairs, now * samples + line), address(pairs, (1 - now) * samples + index),
                address(targets, line), address(moves, line), numbers[index],
            )  # fmt: skip
        now = 1 - now
        lines = size
    return finished, nodes


FINISHED = np.uint64(0xFFFF)
"""Stands where a move's code would, for a line that has ended and stays as it is."""


@compiled(f"boolean({BOARD},{MOVES},{WORDS},uint64)")
def _permits(board: Board, moves: Moves, targets: Words, code: Word) -> bool:
    square = code & TOP_SQUARE
    start = ONE << square
    target = ONE << ((code >> np.uint64(6)) & TOP_SQUARE)
    promotes = code >> np.uint64(12) != ZERO
    if moves[1] & start:
        return bool(targets[square] & target != ZERO and not promotes)
    if not board[0] & board[5] & start:
        return False
    reached = pawn_reaches(moves[2:], board[9], start)
    return bool(reached & target != ZERO and (target & BACK != ZERO) == promotes)


@inlined
def _enlarged(values: NDArray[Any], used: int, length: int) -> NDArray[Any]:
    larger = np.empty(length, values.dtype)
    # A loop: numba takes a second or more to compile the copy of a slice.
    for index in range(used):
        larger[index] = values[index]
    return larger


@compiled(f"{RESULT}({BOARD},{BOARD},int64,int64,boolean,{WORDS})")
def _branch(
    true: Board, predicted: Board, depth: int, samples: int, absorb: bool, state: Words
) -> tuple[float, int]:
    targets, scratch = square_words(), square_words()
    accepted = nodes = 0
    for _ in range(samples):
        walker, other = predicted, true
        alive = True
        for step in range(depth):
            moves = generate(walker, targets)
            of_other = generate(other, scratch)
            if not moves[0]:
                alive = absorb and of_other[0] == ZERO
                break
            nodes += 1
            code = pick_move(moves, walker[9], targets, below(state, moves[0]))
            if not _permits(other, of_other, scratch, code):
                alive = False
                break
            if step < depth - 1:
                walker, other = advance(walker, code), advance(other, code)
        if alive:
            accepted += 1
    return accepted / samples, nodes


@compiled(f"{RESULT}({BOARD},{BOARD},int64,int64,boolean,{WORDS})")
def _naive(
    true: Board, predicted: Board, depth: int, samples: int, absorb: bool, state: Words
) -> tuple[float, int]:
    targets = square_words()
    pairs = np.empty((2 * samples, 2 * BOARD_WIDTH), np.uint64)
    # How many moves a line had when it ended, or -1; whether the other board has accepted it all.
    ended = np.empty((2, samples), np.int64)
    alive = np.empty((2, samples), np.bool_)
    ended[0, 0], alive[0, 0] = -1, True
    codes = np.empty(max(40 * samples, MOST_MOVES), np.uint16)
    owners = np.empty(codes.size, np.int32)
    now = 0
    store(address(pairs, 0), predicted)
    store(address(address(pairs, 0), BOARD_WIDTH), true)
    lines = 1
    nodes = 0
    for step in range(depth):
        total = 0
        for line in range(lines):
            count = 0
            white = ZERO
            moves = (ZERO, ZERO, ZERO, ZERO, ZERO, ZERO)
            if ended[now, line] < 0:
                walker = fetch(address(pairs, now * samples + line))
                white = walker[9]
                moves = generate(walker, targets)
                count = signed(moves[0])
                nodes += count
                if count == 0:
                    if not absorb:
                        continue
                    ended[now, line] = step
            places = max(count, 1)
            if total + places > codes.size:
                codes = _enlarged(codes, total, 2 * (total + places))
                owners = _enlarged(owners, total, codes.size)
            if count == 0:
                codes[total] = FINISHED
            else:
                list_moves(moves, white, targets, address(codes, total))
            for index in range(total, total + places):
                owners[index] = line
            total += places
        size = min(total, samples)
        if total > samples:
            for index in range(samples):
                swap = index + signed(below(state, np.uint64(total - index)))
                codes[index], codes[swap] = codes[swap], codes[index]
                owners[index], owners[swap] = owners[swap], owners[index]
        for index in range(size):
            line = owners[index]
            code = np.uint64(codes[index])
            alive[1 - now, index] = alive[now, line]
            ended[1 - now, index] = ended[now, line]
            before = address(pairs, now * samples + line)
            after = address(pairs, (1 - now) * samples + index)
            if code == FINISHED:
                for word in range(2 * BOARD_WIDTH):
                    after[word] = before[word]
                continue
            if alive[now, line]:
                other = fetch(address(before, BOARD_WIDTH))
                moves = generate(other, targets)
                alive[1 - now, index] = _permits(other, moves, targets, code)
                if alive[1 - now, index]:
                    store(address(after, BOARD_WIDTH), advance(other, code))
            if step < depth - 1:
                store(after, advance(fetch(before), code))
        now = 1 - now
        lines = size
    if lines == 0:
        return 0.0, nodes
    accepted = 0
    for line in range(lines):
        nodes += depth if ended[now, line] < 0 else ended[now, line]
        other = fetch(address(address(pairs, now * samples + line), BOARD_WIDTH))
        if alive[now, line] and (ended[now, line] < 0 or not generate(other, targets)[0]):
            accepted += 1
    return accepted / lines, nodes


@compiled(f"{RESULT}({BOARD},{BOARD},int64,int64,float64,boolean,{WORDS},uint16[:,::1])")
def _stratified(
    other: Board,
    walker: Board,
    depth: int,
    particles: int,
    mass: float,
    absorb: bool,
    state: Words,
    codes: Codes,
) -> tuple[float, int]:
    targets, scratch = square_words(), square_words()
    nodes = 0
    while True:
        shared = common(walker, other, targets, scratch)
        nodes += signed(shared[0])
        count = signed(shared[2])
        if count == 0:
            both = absorb and shared[0] == ZERO and shared[1] == ZERO
            return (mass if both else 0.0), nodes
        mass *= np.float64(count) / np.float64(shared[0])
        if depth == 1:
            return mass, nodes
        if particles > 1:
            break
        # A particle by itself, as most are in the end, needs no list of the moves.
        code = pick_move(
            shared[2:],
            walker[9], targets, below(state, shared[2]) if count > 1 else ZERO,
        )  # fmt: skip
        walker, other = advance(walker, code), advance(other, code)
        depth -= 1
    list_moves(
        shared[2:],
        walker[9], targets, address(codes, depth),
    )  # fmt: skip
    each = particles // count
    rest = particles - each * count
    for index in range(rest):
        swap = index + signed(below(state, np.uint64(count - index)))
        codes[depth, index], codes[depth, swap] = (codes[depth, swap], codes[depth, index])
    total = 0.0
    reached = count if each > 0 else rest
    for index in range(reached):
        code = np.uint64(codes[depth, index])
        value, below_it = _stratified(
            advance(other, code), advance(walker, code), depth - 1,
            each + 1 if index < rest else each, mass / reached, absorb, state, codes,
        )  # fmt: skip
        total += value
        nodes += below_it
    return total, nodes


@compiled(
    "void(uint64[:,::1],uint64[:,::1],int64,int64,int64,boolean,uint64[::1],"
    "float64[::1],int64[::1])",
    entry=True,
)
def estimates(
    true: Words,
    predicted: Words,
    depth: int,
    method: int,
    samples: int,
    absorb: bool,
    seeds: Words,
    values: Values,
    nodes: NDArray[np.int64],
) -> None:
    """Run one estimator once on each pair of rows.

    Args:
        true: Rows of the boards in which lines are tried, shape (n, 8).
        predicted: Rows of the boards from which they are drawn, shape (n, 8).
        depth: The number of moves m, at least 1.
        method: One of the numbers above.
        samples: N, at least 1.
        absorb: Whether finished lines are complete; else they vanish.
        seeds: Shape (n,).
        values: Overwritten with the estimates, shape (n,).
        nodes: Overwritten with the states generated, shape (n,).
    """
    state = state_words()
    for pair in range(true.shape[0]):
        other, walker = load(address(true, pair)), load(address(predicted, pair))
        seed_state(seeds[pair], state)
        if method == NAIVE:
            result = _naive(other, walker, depth, samples, absorb, state)
        elif method == BRANCH:
            result = _branch(other, walker, depth, samples, absorb, state)
        elif method == STRATIFIED:
            result = _stratified(
                other, walker, depth, samples, 1.0, absorb, state,
                np.empty((depth + 1, MOST_MOVES), np.uint16),
            )  # fmt: skip
        else:
            result = _weighted(other, walker, depth, samples, absorb, method, state)
        values[pair], nodes[pair] = result
