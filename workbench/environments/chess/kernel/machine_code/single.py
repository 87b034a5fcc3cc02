"""Entry points for a board or two: legal moves, shared moves, a successor, counting lines (perft)."""

import numpy as np

from workbench.environments.chess.kernel.machine_code.board import (
    ONE,
    RANK_1,
    RANK_8,
    ZERO,
    Board,
    Word,
    load,
)
from workbench.environments.chess.kernel.machine_code.compiled import BOARD, compiled, inlined
from workbench.environments.chess.kernel.machine_code.intrinsics import (
    MOST_MOVES,
    Codes,
    Words,
    address,
    lowest,
    move_codes,
    square_words,
)
from workbench.environments.chess.kernel.machine_code.joint_moves import common
from workbench.environments.chess.kernel.machine_code.making import advance, special
from workbench.environments.chess.kernel.machine_code.moves import TOP_SQUARE, generate, list_moves

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
