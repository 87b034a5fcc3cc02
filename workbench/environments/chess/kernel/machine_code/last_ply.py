"""The last ply of the joint walk: each distinct pair that a move leads to is counted once.

A pair is looked up by its key before its boards are made. The table holds two words for each pair,
and each newcomer writes over what stood in its place: a word of the key, and of the other word what
is left beside the numbers of moves of both, of the true and of the predicted board.
"""

from typing import Final

import numpy as np

from workbench.environments.chess.kernel.machine_code.board import (
    ALL,
    BACK,
    NOT_FILE_A,
    NOT_FILE_H,
    ONE,
    ZERO,
    Board,
    Word,
    same,
)
from workbench.environments.chess.kernel.machine_code.compiled import BOARD, compiled, inlined
from workbench.environments.chess.kernel.machine_code.counts import countable, counts
from workbench.environments.chess.kernel.machine_code.intrinsics import (
    WORDS,
    Words,
    move_codes,
    move_words,
    signed,
    square_words,
)
from workbench.environments.chess.kernel.machine_code.joint_moves import common
from workbench.environments.chess.kernel.machine_code.making import advance, move_piece
from workbench.environments.chess.kernel.machine_code.moves import (
    EIGHT,
    MOVES,
    THREE,
    TOP_SQUARE,
    Moves,
    list_moves,
)
from workbench.environments.chess.kernel.machine_code.pair_keys import KEY, PIECES, Key, key_after

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


@inlined
def _kind(board: Board, square: Word) -> Word:
    """Return the number of a piece, no king, in `PIECES`."""
    return (
        (board[1] >> square & ONE)
        + _TWO * (board[2] >> square & ONE)
        + THREE * (board[3] >> square & ONE)
    )


@compiled(
    f"Tuple((float64,float64,int64))({BOARD},{BOARD},{KEY},{MOVES},int64,{WORDS},{WORDS},uint64)"
)
def last_ply(
    true: Board,
    predicted: Board,
    key: Key,
    moves: Moves,
    flags: int,
    targets: Words,
    table: Words,
    last: Word,
) -> tuple[float, float, int]:
    """Return sums of p_1 and r_1 over the pairs to which shared moves lead.

    Args:
        true: The true board.
        predicted: The predicted board, with the same side to move.
        key: Of the pair.
        moves: The moves that the boards share.
        flags: As for `workbench.environments.chess.kernel.machine_code.joint.profiles`.
        targets: Where the shared moves lead, shape (64,); overwritten.
        table: Of pairs counted before, two words each.
        last: Its last place; the number of its places is a power of two.

    Returns:
        The sum of p_1, that of r_1, and the joint nodes that were counted.
    """
    codes, scratch = move_codes(), square_words()
    firsts, seconds, found, misses = move_words(), move_words(), move_words(), move_words()
    count = signed(list_moves(moves, true[9], targets, codes))
    white = true[9]
    special = (
        (true[0] ^ predicted[0]) | (true[1] ^ predicted[1]) | (true[2] ^ predicted[2])
        | (true[3] ^ predicted[3]) | (true[5] ^ predicted[5]) | (true[6] ^ predicted[6])
        | true[4] | predicted[4] | true[7] | predicted[7]
    )  # fmt: skip
    if true[8] | predicted[8]:
        special = ALL
    answering = true[0] & true[6] | predicted[0] & predicted[6]
    beside = (answering & NOT_FILE_A) >> ONE | (answering & NOT_FILE_H) << ONE
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
        place = (firsts[index] & last) << ONE
        kept = table[place + ONE]
        found[index] = kept & _COUNTS
        misses[missing] = np.uint64(index)
        if (table[place] ^ firsts[index]) | (kept & ~_COUNTS ^ seconds[index]):
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
        found[index] = packed
        place = (firsts[index] & last) << ONE
        table[place] = firsts[index]
        table[place + ONE] = seconds[index] | packed
    precision = recall = 0.0
    for index in range(count):
        both = found[index] & _COUNT
        if both:
            precision += np.float64(both) / np.float64(found[index] >> _OF_PREDICTED & _COUNT)
            recall += np.float64(both) / np.float64(found[index] >> _OF_TRUE & _COUNT)
    return precision, recall, nodes
