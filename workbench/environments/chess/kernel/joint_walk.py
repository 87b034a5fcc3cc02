"""The joint walk: exact p_1..p_m and r_1..r_m of pairs of boards, with equal pairs merged."""

from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from workbench.environments.chess.kernel.bitboards import (
    ALL,
    BACK,
    NOT_FILE_A,
    NOT_FILE_H,
    ONE,
    RANK_3,
    RANK_6,
    ZERO,
    Board,
    Word,
    load,
    same,
)
from workbench.environments.chess.kernel.common_moves import common, countable, counts
from workbench.environments.chess.kernel.compiler import (
    BOARD,
    PLACES,
    VALUES,
    WORDS,
    Places,
    Values,
    Words,
    address,
    also_compiled,
    compiled,
    folded_product,
    inlined,
    lowest,
    move_codes,
    move_words,
    signed,
    square_words,
    table,
)
from workbench.environments.chess.kernel.moves import (
    EIGHT,
    MOVES,
    THREE,
    TOP_SQUARE,
    Moves,
    advance,
    list_moves,
    move_piece,
)

Key: TypeAlias = tuple[Word, Word]

KEY: Final = "UniTuple(uint64,2)"

# Any random words will do, but they must be the same in every process: keys decide which pairs meet
# in a table. For each of the two boards pawns, knights, diagonals, orthogonals, kings, White, Black,
# rights and passant, each by square.
_RANDOM: Final = np.random.Generator(np.random.PCG64(20250819)).integers(
    2**64, size=(2, 9, 64, 2), dtype=np.uint64
)
_WORDS: Final = table("random_words", _RANDOM)

_BOTH: Final = _RANDOM[0] ^ _RANDOM[1]
_KINDS: Final = (_BOTH[0], _BOTH[1], _BOTH[2], _BOTH[3], _BOTH[4], _BOTH[2] ^ _BOTH[3])

PIECES: Final = table(
    "pieces", np.array([[kind ^ side for kind in _KINDS] for side in (_BOTH[6], _BOTH[5])])
)
"""What a piece adds to a key if it stands on both boards: by side, White 1, by kind (pawn 0, knight
1, bishop 2, rook 3, king 4, queen 5) and by square; shape (2, 6, 64, 2)."""


@compiled(f"{KEY}(uint64)")
def salted(salt: Word) -> Key:
    """Return the key of the first pair of a walk, for comparison under one salt."""
    return folded_product(salt ^ _WORDS(0, 0, 0, 0), _WORDS(0, 0, 0, 1)), folded_product(
        salt ^ _WORDS(1, 0, 0, 0), _WORDS(1, 0, 0, 1)
    )


@inlined
def _toggled(first: Word, second: Word, board: Word, plane: Word, squares: Word) -> Key:
    while squares:
        square = lowest(squares)
        squares &= squares - ONE
        first ^= _WORDS(board, plane, square, 0)
        second ^= _WORDS(board, plane, square, 1)
    return first, second


@compiled(f"{KEY}({KEY},uint64,{BOARD},{BOARD})")
def key_after(key: Key, board: Word, before: Board, after: Board) -> Key:
    """Return the key of a pair after one of its boards has changed by a move.

    Args:
        key: Of the pair before.
        board: 0 if the first board has changed, 1 if the second.
        before: The board.
        after: What it has become; the side to move is the other.
    """
    first, second = key
    white, black = before[5], before[6]
    if not before[9]:
        white, black = black, white
    now_white, now_black = after[5], after[6]
    if not after[9]:
        now_white, now_black = now_black, now_white
    changes = (
        before[0] ^ after[0], before[1] ^ after[1], before[2] ^ after[2], before[3] ^ after[3],
        before[4] ^ after[4], white ^ now_white, black ^ now_black, before[7] ^ after[7],
        before[8] ^ after[8],
    )  # fmt: skip
    plane = ZERO
    for change in changes:
        if change:
            first, second = _toggled(first, second, board, plane, change)
        plane += ONE
    return first, second


_TWO: Final = np.uint64(2)
_TARGET: Final = np.uint64(6)

# In a code, beside the move: that it only shifts a piece, the same on both boards.
_PLAIN: Final = np.uint64(1 << 15)

_COUNT: Final = np.uint64((1 << 11) - 1)
_OF_TRUE: Final = np.uint64(11)
_OF_PREDICTED: Final = np.uint64(22)
_COUNTS: Final = np.uint64((1 << 33) - 1)

# More moves than there can be, on both boards and in common: all that follows is accepted.
_CERTAIN: Final = _COUNTS

LEAVES: Final = 1 << 14
"""Places of the table of pairs on the last ply, a power of two: 256 kB."""

_LAST_LEAF: Final = np.uint64(LEAVES - 1)


@inlined
def _kind(board: Board, square: Word) -> Word:
    return (
        (board[1] >> square & ONE)
        + _TWO * (board[2] >> square & ONE)
        + THREE * (board[3] >> square & ONE)
    )


@compiled(f"Tuple((float64,float64,int64))({BOARD},{BOARD},{KEY},{MOVES},int64,{WORDS},{WORDS})")
def last_ply(
    true: Board, predicted: Board, key: Key, moves: Moves, flags: int, targets: Words, table: Words
) -> tuple[float, float, int]:
    """Return sums of p_1 and r_1 over the pairs to which shared moves lead, and the nodes visited.

    ``targets`` says where the shared moves lead, and is overwritten; ``table`` has two words for each of
    the pairs that were counted before, by this call or under other keys.
    """
    codes, scratch = move_codes(), square_words()
    firsts, seconds, counts_of, misses = move_words(), move_words(), move_words(), move_words()
    count = signed(list_moves(moves, true[9], targets, codes))
    white = true[9]
    special = (
        (true[0] ^ predicted[0]) | (true[1] ^ predicted[1]) | (true[2] ^ predicted[2])
        | (true[3] ^ predicted[3]) | (true[5] ^ predicted[5]) | (true[6] ^ predicted[6])
        | true[4] | predicted[4] | true[7] | predicted[7]
    )  # fmt: skip
    if true[8] | predicted[8]:
        special = ALL
    enemy_pawns = true[0] & true[6] | predicted[0] & predicted[6]
    beside = (enemy_pawns & NOT_FILE_A) >> ONE | (enemy_pawns & NOT_FILE_H) << ONE
    for index in range(count):
        code = np.uint64(codes[index])
        start = code & TOP_SQUARE
        goal = (code >> _TARGET) & TOP_SQUARE
        bit, target = ONE << start, ONE << goal
        plain = (bit | target) & special == ZERO
        # A pawn that promotes, or goes two squares to where it can be taken en passant.
        if bit & true[0] and target & (BACK | beside):
            plain = plain and target & BACK == ZERO and (start ^ goal) & EIGHT != ZERO
        if plain:
            kind = _kind(true, start)
            first = key[0] ^ PIECES(white, kind, start, 0) ^ PIECES(white, kind, goal, 0)
            second = key[1] ^ PIECES(white, kind, start, 1) ^ PIECES(white, kind, goal, 1)
            if target & true[6]:
                kind = _kind(true, goal)
                first ^= PIECES(ONE - white, kind, goal, 0)
                second ^= PIECES(ONE - white, kind, goal, 1)
            codes[index] = code | _PLAIN
        else:
            first, second = key_after(
                key_after(key, ZERO, true, advance(true, code)),
                ONE, predicted, advance(predicted, code),
            )  # fmt: skip
        firsts[index] = first
        seconds[index] = second & ~_COUNTS
    # Without a branch on what is found, so that the look-ups wait for memory together.
    missing = 0
    for index in range(count):
        place = (firsts[index] & _LAST_LEAF) << ONE
        entry = table[place + ONE]
        counts_of[index] = entry & _COUNTS
        misses[missing] = np.uint64(index)
        if (table[place] ^ firsts[index]) | (entry & ~_COUNTS ^ seconds[index]):
            missing += 1
    nodes = 0
    for miss in range(missing):
        index = signed(misses[miss])
        code = np.uint64(codes[index])
        if code & _PLAIN:
            bit, target = ONE << (code & TOP_SQUARE), ONE << ((code >> _TARGET) & TOP_SQUARE)
            one, other = move_piece(true, bit, target), move_piece(predicted, bit, target)
        else:
            one, other = advance(true, code), advance(predicted, code)
        packed = _CERTAIN
        if not (flags & 2 and same(one, other)):
            if countable(one, other):
                of_true, of_predicted, both = counts(one, other)
            else:
                shared = common(one, other, targets, scratch)
                of_true, of_predicted, both = shared[0], shared[1], shared[2]
            if not flags & 1 or of_true | of_predicted:
                packed = both | of_true << _OF_TRUE | of_predicted << _OF_PREDICTED
                nodes += signed(both)
        counts_of[index] = packed
        place = (firsts[index] & _LAST_LEAF) << ONE
        table[place] = firsts[index]
        table[place + ONE] = seconds[index] | packed
    precision = recall = 0.0
    for index in range(count):
        both = counts_of[index] & _COUNT
        if both:
            precision += np.float64(both) / np.float64(counts_of[index] >> _OF_PREDICTED & _COUNT)
            recall += np.float64(both) / np.float64(counts_of[index] >> _OF_TRUE & _COUNT)
    return precision, recall, nodes


# Most pairs of a ply, and of that two moves before the end, where 545,000 is typical at m = 6;
# places of the index of a ply; most groups.
_ROOM: Final = 1 << 17
_LAST_ROOM: Final = 3 << 18
_PLACES: Final = 1 << 21
_GROUPS: Final = 1 << 16

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
def _store_board(board: Board, place: Words) -> None:
    place[0], place[1], place[2], place[3] = board[0], board[1], board[2], board[3]
    # Rights are on the outer ranks, a capture en passant on the third or sixth.
    place[4], place[5], place[6] = board[4], board[5], board[7] | board[8] | board[9] << EIGHT


@inlined
def _load_board(place: Words) -> Board:
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


@compiled(f"int64(int64,int64,int64,int64,{_PLIES}{WORDS})")
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
) -> int:
    targets, scratch = square_words(), square_words()
    nodes = 0
    for group in range(_grouped(base, count, states, places)):
        pair = int(places[group])
        # Sums of sums lose less in rounding than one long sum.
        precision = recall = precision_before = recall_before = 0.0
        while pair >= 0:
            state = address(states, STATE_WIDTH * pair)
            true, predicted = _load_board(state), _load_board(address(state, _PREDICTED))
            by_predicted, by_true = weights[2 * pair], weights[2 * pair + 1]
            both = common(true, predicted, targets, scratch)
            of_true, of_predicted, shared = both[0], both[1], both[2]
            if shared:
                by_predicted /= np.float64(of_predicted)
                by_true /= np.float64(of_true)
                precision_before += np.float64(shared) * by_predicted
                recall_before += np.float64(shared) * by_true
                key = (state[_FIRST], state[_SECOND])
                of_precision, of_recall, below = last_ply(
                    true, predicted, key, both[2:], flags, targets, leaves
                )
                precision += of_precision * by_predicted
                recall += of_recall * by_true
                nodes += signed(shared) + below
            elif flags & 1 and not of_true | of_predicted:
                _add(sums, depth - 2, CERTAIN, by_predicted, by_true)
            pair = signed(state[_NEXT])
        _add(sums, depth - 1, ACCEPTED, precision_before, recall_before)
        _add(sums, depth, ACCEPTED, precision, recall)
    return nodes


@also_compiled
def rooms(depth: int) -> tuple[int, int]:
    """Return the pairs that a ply holds, and those of the ply two moves before the end."""
    last_room = min(1 << min(6 * depth - 12, 20), _LAST_ROOM)
    return min(last_room, _ROOM), last_room


@compiled(f"int64(int64,int64,int64,int64,{_PLIES}{WORDS})")
def _walk_on(
    ply: int,
    count: int,
    depth: int,
    flags: int,
    states: Words,
    weights: Values,
    places: Places,
    sums: Values,
    leaves: Words,
) -> int:
    """Walk from the pairs of a ply to the end, and return the joint nodes visited."""
    room, last_room = rooms(depth)
    base = ply * room
    index = address(places, ply * _PLACES)
    if ply == depth - 2:
        return _finish(base, count, depth, flags, states, weights, index, sums, leaves)
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
    nodes = fresh = 0
    for pair in range(base, base + count):
        state = address(states, STATE_WIDTH * pair)
        true, predicted = _load_board(state), _load_board(address(state, _PREDICTED))
        key = (state[_FIRST], state[_SECOND])
        by_predicted, by_true = weights[2 * pair], weights[2 * pair + 1]
        both = common(true, predicted, targets, scratch)
        of_true, of_predicted, shared = both[0], both[1], both[2]
        if not shared:
            if flags & 1 and not of_true | of_predicted:
                _add(sums, ply, CERTAIN, by_predicted, by_true)
            continue
        by_predicted /= np.float64(of_predicted)
        by_true /= np.float64(of_true)
        accepted = np.float64(shared)
        _add(sums, ply + 1, ACCEPTED, accepted * by_predicted, accepted * by_true)
        nodes += signed(shared)
        list_moves(both[2:], true[9], targets, codes)
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
            new = following + fresh
            index[place] = new
            after = address(states, STATE_WIDTH * new)
            _store_board(true_after, after)
            _store_board(predicted_after, address(after, _PREDICTED))
            after[_FIRST], after[_SECOND], after[_GROUP] = first, second, state[_GROUP]
            if grouped:
                start, goal = code & TOP_SQUARE, (code >> np.uint64(6)) & TOP_SQUARE
                after[_GROUP] += PIECES(0, 0, goal, 0) - PIECES(0, 0, start, 0)
            weights[2 * new], weights[2 * new + 1] = by_predicted, by_true
            fresh += 1
            if fresh == most:
                nodes += _walk_on(
                    ply + 1, fresh, depth, flags, states, weights, places, sums, leaves
                )
                _clear(index, size)
                fresh = 0
    if fresh > 0:
        nodes += _walk_on(ply + 1, fresh, depth, flags, states, weights, places, sums, leaves)
    return nodes


@compiled(f"int64({BOARD},{BOARD},int64,{VALUES})")
def _one_move(true: Board, predicted: Board, flags: int, result: Values) -> int:
    moves = common(true, predicted, square_words(), square_words())
    of_true, of_predicted, shared = moves[0], moves[1], moves[2]
    result[0] = result[1] = 0.0
    if shared:
        result[0] = np.float64(shared) * (1.0 / np.float64(of_predicted))
        result[1] = np.float64(shared) * (1.0 / np.float64(of_true))
    elif flags & 1 and not of_true | of_predicted:
        result[0] = result[1] = 1.0
    return signed(shared)


@compiled(
    "void(uint64[:,::1],uint64[:,::1],int64,int64,float64[:,::1],float64[:,::1],int64[::1],"
    "uint64[::1],float64[::1],int32[::1],float64[::1],uint64[::1])",
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
        for index in range(SUMS_WIDTH * (depth + 1)):
            sums[index] = 0.0
        _store_board(a, address(states, 0))
        _store_board(b, address(states, _PREDICTED))
        states[_FIRST], states[_SECOND] = salted(np.uint64(pair))
        states[_GROUP] = ZERO
        weights[0] = weights[1] = 1.0
        nodes[pair] = _walk_on(
            0, 1, depth, flags, address(states, 0), address(weights, 0), address(places, 0),
            address(sums, 0), address(leaves, 0),
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
    """Walk pairs of rows, and write p_1 .. p_m, r_1 .. r_m and the joint nodes visited of each.

    ``flags`` is 1 for ``absorb``, else 0; plus 2 for the shortcut where boards are the same (only with
    ``absorb``).
    """
    room, last_room = rooms(depth) if depth > 1 else (0, 0)
    pairs = (depth - 2) * room + last_room
    _walked(
        true, predicted, depth, flags, precision, recall, nodes,
        np.empty(STATE_WIDTH * pairs, np.uint64), np.empty(2 * pairs),
        np.empty((depth - 1) * _PLACES, np.int32), np.empty(SUMS_WIDTH * (depth + 1)),
        np.zeros(2 * LEAVES if pairs else 0, np.uint64),
    )  # fmt: skip
