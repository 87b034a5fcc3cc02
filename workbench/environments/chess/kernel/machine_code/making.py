"""Making a legal move, with the effects that python-chess's ``push`` has on the fields of a board."""

import numpy as np

from workbench.environments.chess.kernel.machine_code.board import (
    E1,
    E8,
    FILE_C,
    FILE_D,
    FILE_F,
    FILE_G,
    ONE,
    RANK_1,
    RANK_8,
    ZERO,
    Board,
    Word,
    capturable,
)
from workbench.environments.chess.kernel.machine_code.compiled import BOARD, compiled, inlined
from workbench.environments.chess.kernel.machine_code.moves import EIGHT, SIXTEEN, THREE, TOP_SQUARE


@compiled(f"{BOARD}({BOARD},uint64,uint64)")
def _castle(board: Board, start: Word, target: Word) -> Board:
    pawns, knights, diagonals, orthogonals, kings, own, enemy, rights, _, white = board
    rank = RANK_1 if white else RANK_8
    if target < start:
        king_to, rook_to = FILE_C & rank, FILE_D & rank
    else:
        king_to, rook_to = FILE_G & rank, FILE_F & rank
    rook = target
    if not own & target:
        rook = (np.uint64(1 | 1 << 56) if target < start else np.uint64(1 << 7 | 1 << 63)) & rank
    kings = kings & ~start | king_to
    orthogonals = orthogonals & ~rook | rook_to
    own = own & ~(start | rook) | king_to | rook_to
    return (
        pawns, knights, diagonals, orthogonals, kings, enemy, own, rights & ~rank, ZERO, ONE - white
    )  # fmt: skip


@inlined
def special(board: Board, code: Word) -> Board:
    """Return the board after a move of a king or pawn, or on a board with castling rights.

    The new board's ``passant`` is set after every pawn's first move of two squares, whether or not
    a capture is possible there; see `workbench.environments.chess.kernel.machine_code.board.capturable`.
    """
    pawns, knights, diagonals, orthogonals, kings, own, enemy, rights, _, white = board
    square = code & TOP_SQUARE
    goal = (code >> np.uint64(6)) & TOP_SQUARE
    promotion = code >> np.uint64(12)
    start = ONE << square
    target = ONE << goal
    if kings & start:
        distance = goal - square if goal > square else square - goal
        if own & target or distance == np.uint64(2):
            return _castle(board, start, target)
    captured = enemy & target
    vacated = start | target
    rank = RANK_1 if white else RANK_8
    far_rank = RANK_8 if white else RANK_1
    rights &= ~vacated
    if kings & start:
        rights &= ~rank
    elif kings & target & far_rank:
        rights &= ~far_rank
    passant = ZERO
    removed = ZERO
    if pawns & start:
        if white:
            if goal == square + SIXTEEN and square >> THREE == ONE:
                passant = start << EIGHT
            elif not captured and (goal - square) & ONE == ONE:
                removed = target >> EIGHT
        elif square == goal + SIXTEEN and square >> THREE == np.uint64(6):
            passant = start >> EIGHT
        elif not captured and (square - goal) & ONE == ONE:
            removed = target << EIGHT
    vacated |= removed
    nought = ~vacated
    new_pawns = pawns & nought | (target if pawns & start else ZERO)
    new_knights = knights & nought | (target if knights & start else ZERO)
    new_diagonals = diagonals & nought | (target if diagonals & start else ZERO)
    new_orthogonals = orthogonals & nought | (target if orthogonals & start else ZERO)
    new_kings = kings & nought | (target if kings & start else ZERO)
    if promotion:
        new_pawns ^= target
        if promotion == np.uint64(2):
            new_knights |= target
        if promotion == np.uint64(3) or promotion == np.uint64(5):
            new_diagonals |= target
        if promotion >= np.uint64(4):
            new_orthogonals |= target
    return (
        new_pawns, new_knights, new_diagonals, new_orthogonals, new_kings,
        enemy & nought, own & nought | target, rights, passant, ONE - white,
    )  # fmt: skip


@inlined
def move_piece(board: Board, start: Word, target: Word) -> Board:
    """Return the board after a move that only shifts a piece or pawn, and takes what stands there.

    Castling rights stay as they are: neither a king nor a rook that may castle moves or is taken.

    Args:
        board: The board.
        start: The bit of the square from which it goes.
        target: The bit of the square to which it goes.
    """
    pawns, knights, diagonals, orthogonals, kings, own, enemy, rights, _, white = board
    nought = ~(start | target)
    return (
        pawns & nought | (target if pawns & start else ZERO),
        knights & nought | (target if knights & start else ZERO),
        diagonals & nought | (target if diagonals & start else ZERO),
        orthogonals & nought | (target if orthogonals & start else ZERO),
        kings & nought,
        enemy & nought,
        own & nought | target,
        rights,
        ZERO,
        ONE - white,
    )


@compiled(f"{BOARD}({BOARD},uint64)")
def advance(board: Board, code: Word) -> Board:
    """Return the board after a legal move; rights and en-passant square only if they have an effect."""
    start = ONE << (code & TOP_SQUARE)
    if not (board[0] | board[4]) & start | board[7]:
        return move_piece(board, start, ONE << ((code >> np.uint64(6)) & TOP_SQUARE))
    after = special(board, code)
    rights, passant = after[7], after[8]
    if rights:
        # A king that is taken by a king leaves rights behind, which python-chess ignores.
        home, rank = (E1, RANK_1) if after[9] else (E8, RANK_8)
        if not after[4] & after[5] & home:
            rights &= ~rank
    if passant:
        passant = capturable(passant, after[0], after[5], after[5] | after[6], after[9])
    return (
        after[0], after[1], after[2], after[3], after[4],
        after[5], after[6], rights, passant, after[9],
    )  # fmt: skip
