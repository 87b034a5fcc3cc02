"""The moves that two boards share, as words, and fast counts of them."""

from typing import TypeAlias

from workbench.environments.chess.kernel.bitboards import (
    ALL,
    BACK,
    BETWEEN,
    DIAGONAL,
    KING,
    KNIGHT,
    LINE,
    ONE,
    ORTHOGONAL,
    RANK_1,
    RANK_8,
    ZERO,
    Board,
    Word,
    bishop_attacks,
    pawn_attacks,
    rook_attacks,
)
from workbench.environments.chess.kernel.compiler import (
    BOARD,
    WORDS,
    Words,
    compiled,
    inlined,
    lowest,
    popcount,
)
from workbench.environments.chess.kernel.moves import (
    Four,
    Three,
    castling,
    generate,
    pawn_count,
    pawn_moves,
    pawn_reaches,
    threats,
)

Common: TypeAlias = tuple[Word, Word, Word, Word, Word, Word, Word, Word]

COMMON = "UniTuple(uint64,8)"
"""Moves of the one board, moves of the other, and the six words of the moves of both."""


@inlined
def _shared_with_pawns(
    left: Word, entries: Words, moves: Four, white: Word, targets: Words
) -> Word:
    """Write where pieces of one board and pawns of the other both go; return how many moves."""
    count = ZERO
    while left:
        square = lowest(left)
        targets[square] = entries[square] & pawn_reaches(moves, white, ONE << square) & ~BACK
        count += popcount(targets[square])
        left &= left - ONE
    return count


@compiled(f"{COMMON}({BOARD},{BOARD},{WORDS},{WORDS})")
def common(a: Board, b: Board, targets: Words, scratch: Words) -> Common:
    """Find the moves that two boards share.

    Args:
        a: One board.
        b: The other.
        targets: Overwritten with the entries of the shared moves, shape (64,).
        scratch: Overwritten, shape (64,).

    Returns:
        Eight words, see `COMMON`.
    """
    moves_a = generate(a, targets)
    moves_b = generate(b, scratch)
    movers = moves_a[1] & moves_b[1]
    count = ZERO
    left = movers
    while left:
        square = lowest(left)
        reached = targets[square] & scratch[square]
        targets[square] = reached
        count += popcount(reached)
        left &= left - ONE
    # A pawn here and another piece there share what is no promotion; bits that wrap round the
    # edge of the board fall on squares that no pawn move of this kind reaches.
    left = moves_a[1] & b[0] & b[5]
    right = moves_b[1] & a[0] & a[5]
    movers |= left | right
    count += _shared_with_pawns(left, targets, moves_b[2:], b[9], targets)
    count += _shared_with_pawns(right, scratch, moves_a[2:], a[9], targets)
    to_left = to_right = one = two = ZERO
    if a[9] == b[9]:
        to_left = moves_a[2] & moves_b[2]
        to_right = moves_a[3] & moves_b[3]
        one = moves_a[4] & moves_b[4]
        two = moves_a[5] & moves_b[5]
        count += pawn_count((to_left, to_right, one, two))
    return moves_a[0], moves_b[0], count, movers, to_left, to_right, one, two


@inlined
def _reached(board: Board, square: Word, king: Word, pinned: Word) -> Word:
    """Return what an own piece, no pawn and not the king, attacks and may go to."""
    bit = ONE << square
    occupied = board[5] | board[6]
    reached = ZERO
    if board[1] & bit:
        reached = KNIGHT(square)
    if board[2] & bit:
        reached |= bishop_attacks(square, occupied)
    if board[3] & bit:
        reached |= rook_attacks(square, occupied)
    if pinned & bit:
        reached &= LINE(king, square)
    return reached


@inlined
def countable(a: Board, b: Board) -> bool:
    """Return whether `counts` takes two boards: one king each, and no capture en passant."""
    one, other = a[4] & a[5], b[4] & b[5]
    several = one & (one - ONE) | other & (other - ONE) | a[8] | b[8] | (a[9] ^ b[9])
    return bool(several == ZERO and one != ZERO and other != ZERO)


@inlined
def counts(a: Board, b: Board) -> Three:
    """Return the moves of one board, of the other, and of both."""
    differing = (
        (a[0] ^ b[0]) | (a[1] ^ b[1]) | (a[2] ^ b[2]) | (a[3] ^ b[3]) | (a[4] ^ b[4])
        | (a[5] ^ b[5]) | (a[6] ^ b[6])
    )  # fmt: skip
    white = a[9]
    king_a = lowest(a[4] & a[5])
    king_b = lowest(b[4] & b[5])
    pinned_a, checkers_a, shadow_a = threats(a, king_a)
    pinned_b, checkers_b, shadow_b = pinned_a, checkers_a, shadow_a
    near = ORTHOGONAL(king_a) | DIAGONAL(king_a) | KNIGHT(king_a) | (ONE << king_a)
    if near & differing:
        pinned_b, checkers_b, shadow_b = threats(b, king_b)

    # The king's steps.
    occupied_a, occupied_b = a[5] | a[6], b[5] | b[6]
    steps_a = KING(king_a) & ~a[5] & ~shadow_a
    steps_b = KING(king_b) & ~b[5] & ~shadow_b
    steps_a &= ~pawn_attacks(a[0] & a[6], ONE - white)
    steps_b &= ~pawn_attacks(b[0] & b[6], ONE - white)
    diagonals_a, diagonals_b = a[2] & a[6], b[2] & b[6]
    orthogonals_a, orthogonals_b = a[3] & a[6], b[3] & b[6]
    knights_a, knights_b = a[1] & a[6], b[1] & b[6]
    kings_a, kings_b = a[4] & a[6], b[4] & b[6]
    left = steps_a | steps_b
    while left:
        square = lowest(left)
        bit = left & (ZERO - left)
        left ^= bit
        danger_a = KNIGHT(square) & knights_a | KING(square) & kings_a
        danger_b = KNIGHT(square) & knights_b | KING(square) & kings_b
        if ORTHOGONAL(square) & (orthogonals_a | orthogonals_b):
            attacks = rook_attacks(square, occupied_a)
            danger_a |= attacks & orthogonals_a
            if attacks & differing:
                attacks = rook_attacks(square, occupied_b)
            danger_b |= attacks & orthogonals_b
        if DIAGONAL(square) & (diagonals_a | diagonals_b):
            attacks = bishop_attacks(square, occupied_a)
            danger_a |= attacks & diagonals_a
            if attacks & differing:
                attacks = bishop_attacks(square, occupied_b)
            danger_b |= attacks & diagonals_b
        if danger_a:
            steps_a &= ~bit
        if danger_b:
            steps_b &= ~bit
    allowed_a = allowed_b = ALL
    if checkers_a:
        allowed_a = BETWEEN(king_a, lowest(checkers_a)) | checkers_a
        if checkers_a & (checkers_a - ONE):
            allowed_a = ZERO
    if checkers_b:
        allowed_b = BETWEEN(king_b, lowest(checkers_b)) | checkers_b
        if checkers_b & (checkers_b - ONE):
            allowed_b = ZERO
    rank = RANK_1 if white else RANK_8
    if (a[7] | b[7]) & rank:
        if a[7] & rank and not checkers_a:
            steps_a |= castling(a)[1]
        if b[7] & rank and not checkers_b:
            steps_b |= castling(b)[1]
    count_a, count_b = popcount(steps_a), popcount(steps_b)
    both = ZERO

    # Pieces that stand on both boards, and are pinned on none.
    free_a, free_b = ~a[5] & allowed_a, ~b[5] & allowed_b
    pieces_a = a[5] & ~a[0]
    pieces_b = b[5] & ~b[0]
    pinned = pinned_a | pinned_b
    alike = pieces_a & ~differing & ~pinned & ~a[4]
    left = alike
    while left:
        square = lowest(left)
        left &= left - ONE
        reached = other = _reached(a, square, king_a, pinned_a)
        if reached & differing:
            other = _reached(b, square, king_b, pinned_b)
        count_a += popcount(reached & free_a)
        count_b += popcount(other & free_b)
        both += popcount(reached & other & free_a & free_b)
    pawns_a = pawn_moves(a, king_a, pinned_a, allowed_a)
    pawns_b = pawn_moves(b, king_b, pinned_b, allowed_b)
    count_a += pawn_count(pawns_a)
    count_b += pawn_count(pawns_b)
    both += pawn_count(
        (
            pawns_a[0] & pawns_b[0],
            pawns_a[1] & pawns_b[1],
            pawns_a[2] & pawns_b[2],
            pawns_a[3] & pawns_b[3],
        )
    )

    # All others: pinned, or another piece or none on the other board.
    left = (pieces_a | pieces_b) & ~alike
    while left:
        square = lowest(left)
        bit = left & (ZERO - left)
        left ^= bit
        reached = other = ZERO
        if square == king_a:
            reached = steps_a
        elif pieces_a & bit:
            reached = _reached(a, square, king_a, pinned_a) & free_a
            count_a += popcount(reached)
        elif a[0] & a[5] & bit:
            reached = pawn_reaches(pawns_a, white, bit) & ~BACK
        if square == king_b:
            other = steps_b
        elif pieces_b & bit:
            other = _reached(b, square, king_b, pinned_b) & free_b
            count_b += popcount(other)
        elif b[0] & b[5] & bit:
            other = pawn_reaches(pawns_b, white, bit) & ~BACK
        both += popcount(reached & other)
    return count_a, count_b, both
