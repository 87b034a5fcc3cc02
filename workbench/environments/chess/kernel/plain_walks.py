"""Single boards: legal moves, successor, perft and mistaken replays; random probes of the size of the joint tree."""

import numpy as np

from workbench.environments.chess import replay
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
    Codes,
    Words,
    address,
    also_compiled,
    compiled,
    inlined,
    lowest,
    move_codes,
    square_words,
    state_words,
)
from workbench.environments.chess.kernel.compiler import (
    MOST_MOVES as MOST_MOVES,
)
from workbench.environments.chess.kernel.moves import (
    TOP_SQUARE,
    advance,
    generate,
    list_moves,
    special,
)
from workbench.environments.chess.kernel.random_numbers import below, seed_state
from workbench.environments.chess.replay import (
    captured_square,
    carry_out,
    landing_beside,
    square_beside,
    takes_en_passant,
)


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
            list_moves(shared[2:], one[9], targets, codes)
            code = np.uint64(codes[below(state, count)])
            one, other = advance(one, code), advance(other, code)
    return total / np.float64(probes)


for _rule in (takes_en_passant, captured_square, square_beside, landing_beside, carry_out):
    also_compiled(_rule)

mistaken_boards = compiled("int64(uint16[::1],uint8[:,::1],int64[::1],uint8[::1])", entry=True)(
    replay.mistaken_boards
)
"""Compiled from the source that Python runs as it stands."""


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
