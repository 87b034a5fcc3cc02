"""Walks without shortcuts: legal moves, successor, perft, the plain joint walk, and random probes of the size of the joint tree."""

import numpy as np
from numpy.typing import NDArray

from workbench.environments.chess.kernel.bitboards import (
    ONE,
    RANK_1,
    RANK_8,
    ZERO,
    Board,
    Word,
    load,
)
from workbench.environments.chess.kernel.common_moves import common
from workbench.environments.chess.kernel.compiler import (
    BOARD,
    MOST_MOVES,
    Codes,
    Values,
    Words,
    address,
    compiled,
    inlined,
    lowest,
    move_codes,
    signed,
    square_words,
    state_words,
)
from workbench.environments.chess.kernel.moves import (
    TOP_SQUARE,
    advance,
    generate,
    list_moves,
    special,
)
from workbench.environments.chess.kernel.random_numbers import below, seed_state


@compiled("float64(uint64[::1],uint64[::1],int64,int64,uint64)", entry=True)
def expected_nodes(first: Words, second: Words, depth: int, probes: int, seed: Word) -> float:
    """Return the mean over probes of the joint nodes above the last ply.

    Args:
        first: A row, shape (8,).
        second: A row, shape (8,).
        depth: The number of moves m, at least 1.
        probes: Random branches to look at, at least 1.
        seed: Seed of the branches.
    """
    state = state_words()
    seed_state(seed, state)
    targets, scratch, codes = square_words(), square_words(), move_codes()
    total = 0.0
    for _ in range(probes):
        one, other = load(address(first, 0)), load(address(second, 0))
        size = 1.0
        for _ in range(depth - 1):
            shared = common(one, other, targets, scratch)
            count = shared[2]
            if not count:
                break
            size *= np.float64(count)
            total += size
            list_moves(
                (count, shared[3], shared[4], shared[5], shared[6], shared[7]),
                one[9], targets, codes,
            )  # fmt: skip
            code = np.uint64(codes[below(state, count)])
            one, other = advance(one, code), advance(other, code)
    return total / np.float64(probes)


@compiled(f"int64({BOARD},{BOARD},int64,int64,float64[:,:,::1])")
def _walk(true: Board, predicted: Board, depth: int, flags: int, sums: Values) -> int:
    # sums[depth, 0, :depth] and sums[depth, 1, :depth] become p_1.. and r_1.. of this pair.
    targets = square_words()
    of_true, of_predicted, count, movers, to_left, to_right, one, two = common(
        true, predicted, targets, square_words()
    )
    if not count:
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
def plain_profiles(
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
        flags: 1 for ``absorb``, else 0.
        precision: Overwritten with p_1 .. p_m, shape (n, m).
        recall: Overwritten with r_1 .. r_m, shape (n, m).
        nodes: Overwritten with the joint nodes visited, the root not counted, shape (n,).
    """
    sums = np.empty((depth + 1, 2, depth), np.float64)
    for pair in range(len(nodes)):
        nodes[pair] = _walk(
            load(address(true, pair)), load(address(predicted, pair)), depth, flags, sums
        )
        for level in range(depth):
            precision[pair, level] = sums[depth, 0, level]
            recall[pair, level] = sums[depth, 1, level]


__all__ = ["MOST_MOVES", "legal_codes", "perft", "shared_codes", "successor_row"]


@compiled("uint64(uint64[::1],uint16[::1])", entry=True)
def legal_codes(row: Words, codes: Codes) -> Word:
    """Write the codes of a row's legal moves, and return how many `generate` counted.

    Args:
        row: Shape (8,).
        codes: Overwritten from its start, shape (MOST_MOVES,); what follows the last is 0.
    """
    board = load(address(row, 0))
    targets = square_words()
    moves = generate(board, targets)
    codes[:] = 0
    list_moves(moves, board[9], targets, address(codes, 0))
    return moves[0]


@compiled("uint64(uint64[::1],uint64[::1],uint16[::1])", entry=True)
def shared_codes(first: Words, second: Words, codes: Codes) -> Word:
    """Write the codes of the moves that two rows share, and return how many `common` counted.

    Args:
        first: Shape (8,).
        second: Shape (8,).
        codes: Overwritten from its start, shape (MOST_MOVES,); what follows the last is 0.
    """
    board = load(address(first, 0))
    targets = square_words()
    _, _, count, movers, to_left, to_right, one, two = common(
        board, load(address(second, 0)), targets, square_words()
    )
    codes[:] = 0
    list_moves((count, movers, to_left, to_right, one, two), board[9], targets, address(codes, 0))
    return count


@inlined
def store(board: Board, promoted: Word, row: Words) -> None:
    """Pack a board, with its promoted mask, into a row."""
    pawns, knights, diagonals, orthogonals, kings, own, enemy, rights, passant, white = board
    row[0], row[1], row[2], row[3], row[4] = pawns, knights, diagonals, orthogonals, kings
    row[5] = own if white else enemy
    row[6] = promoted
    meta = white | (rights & RANK_1) << np.uint64(8) | rights & RANK_8
    if passant:
        meta |= (lowest(passant) + ONE) << ONE
    row[7] = meta


@compiled("void(uint64[::1],uint64,uint64[::1])", entry=True)
def successor_row(row: Words, code: Word, result: Words) -> None:
    """Write the row of the board after a legal move, all fields as python-chess sets them."""
    board = special(load(address(row, 0)), code)
    start = ONE << (code & TOP_SQUARE)
    target = ONE << ((code >> np.uint64(6)) & TOP_SQUARE)
    promoted = row[6] & ~start & ~target & (board[5] | board[6])
    if code >> np.uint64(12) or row[6] & start:
        promoted |= target
    store(board, promoted, result)


@compiled(f"uint64({BOARD},int64)")
def _lines(board: Board, depth: int) -> Word:
    targets, codes = square_words(), move_codes()
    moves = generate(board, targets)
    if depth == 1:
        return moves[0]
    count = list_moves(moves, board[9], targets, codes)
    lines = ZERO
    for index in range(count):
        lines += _lines(advance(board, np.uint64(codes[index])), depth - 1)
    return lines


@compiled("uint64(uint64[::1],int64)", entry=True)
def perft(row: Words, depth: int) -> Word:
    """Return how many lines of ``depth`` moves, at least 1, a row permits."""
    return _lines(load(address(row, 0)), depth)
