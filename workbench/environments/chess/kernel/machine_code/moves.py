"""The legal moves of a board, exactly those that python-chess 1.11 generates.

Moves are kept as words: for each piece but pawns the squares it may go to, and for all pawns
together the squares reached by each of their four ways to move. A move by itself is a code:
``from + 64 * to + 4096 * promotion``, the promotion as python-chess numbers pieces, 0 for none.

Where a board could not arise in chess the rules are those of python-chess's generator:
the king on the highest square is the one that must not stand in check; castling belongs to the king
on the lowest square of the back rank; while in check no other king moves; a pawn on its first rank
may go two squares; an en-passant capture removes whatever stands where the pawn should be; without
a king everything pseudo-legal is legal.
"""

from typing import TypeAlias

import numpy as np

from workbench.environments.chess.kernel.machine_code.attacks import (
    BETWEEN,
    DIAGONAL,
    FALLING,
    FILES,
    KING,
    KNIGHT,
    LINE,
    ORTHOGONAL,
    RISING,
    attacked,
    bishop_attacks,
    pawn_attacks,
    rook_attacks,
)
from workbench.environments.chess.kernel.machine_code.board import (
    ALL,
    BACK,
    E1,
    E8,
    FILE_C,
    FILE_D,
    FILE_F,
    FILE_G,
    NOT_FILE_A,
    NOT_FILE_H,
    ONE,
    RANK_1,
    RANK_3,
    RANK_4,
    RANK_5,
    RANK_6,
    RANK_8,
    ZERO,
    Board,
    Word,
)
from workbench.environments.chess.kernel.machine_code.compiled import BOARD, compiled
from workbench.environments.chess.kernel.machine_code.intrinsics import (
    CODES,
    WORDS,
    Codes,
    Words,
    leading_zeros,
    lowest,
    popcount,
)

Moves: TypeAlias = tuple[Word, Word, Word, Word, Word, Word]

MOVES = "UniTuple(uint64,6)"
"""Number of moves; pieces that have an entry of targets; squares reached by pawns that capture to
the left, to the right, that go one square and two."""

SEVEN = np.uint64(7)
EIGHT = np.uint64(8)
NINE = np.uint64(9)
SIXTEEN = np.uint64(16)
TOP_SQUARE = np.uint64(63)
THREE = np.uint64(3)
FOUR = np.uint64(4)


@compiled(f"UniTuple(uint64,2)({BOARD})")
def castling(board: Board) -> tuple[Word, Word]:
    """Return the square of the king that may castle, and where to; for a board not in check."""
    _, knights, diagonals, orthogonals, kings, own, enemy, rights, _, white = board
    pawns = board[0]
    rank = RANK_1 if white else RANK_8
    king = kings & own & rank
    king &= ZERO - king
    rooks = rights & rank
    targets = ZERO
    if not king:
        return ZERO, ZERO
    square = lowest(king)
    occupied = own | enemy
    by_pawns = pawn_attacks(pawns & enemy, ONE - white)
    while rooks:
        rook = rooks & (ZERO - rooks)
        rooks ^= rook
        if rook < king:
            king_to, rook_to = FILE_C & rank, FILE_D & rank
        else:
            king_to, rook_to = FILE_G & rank, FILE_F & rank
        path = BETWEEN(square, lowest(king_to))
        swept = path | king_to | rook_to | BETWEEN(lowest(rook), lowest(rook_to))
        if (occupied ^ king ^ rook) & swept:
            continue
        if attacked(
            path | king, occupied ^ king, knights & enemy, diagonals & enemy,
            orthogonals & enemy, kings & enemy, by_pawns,
        ):  # fmt: skip
            continue
        if not attacked(
            king_to, occupied ^ king ^ rook ^ rook_to, knights & enemy, diagonals & enemy,
            orthogonals & enemy, kings & enemy, by_pawns,
        ):  # fmt: skip
            # A king off e1 or e8 is written as taking its own rook.
            targets |= king_to if king & (E1 | E8) else rook
    return square, targets


@compiled("boolean(uint64,uint64,uint64,uint64,uint64,uint64,uint64)")
def _skewered(
    king: Word,
    capturer: Word,
    removed: Word,
    passant: Word,
    occupied: Word,
    diagonals: Word,
    orthogonals: Word,
) -> bool:
    # python-chess looks along every rank here, and at diagonals, but not along files.
    after = occupied & ~removed & ~capturer | passant
    rank = rook_attacks(king, after) & ~FILES(king)
    return bool(rank & orthogonals != ZERO or bishop_attacks(king, after) & diagonals != ZERO)


@compiled(f"{MOVES}({BOARD},{WORDS})")
def generate(board: Board, targets: Words) -> Moves:
    """Find all legal moves.

    Args:
        board: The board.
        targets: Overwritten, shape (64,): for each square in the second word of the result, where
            the piece on it may go.

    Returns:
        Six words, see `MOVES`.
    """
    pawns, knights, diagonals, orthogonals, kings, own, enemy, rights, passant, white = board
    occupied = own | enemy
    pinned = ZERO
    checkers = ZERO
    allowed = ALL
    count = ZERO
    movers = ZERO
    king = ZERO
    pieces = own & ~pawns
    royal = kings & own
    if royal:
        king = TOP_SQUARE - leading_zeros(royal)
        crown = ONE << king
        far_orthogonals = orthogonals & enemy
        far_diagonals = diagonals & enemy
        by_pawns = pawn_attacks(pawns & enemy, ONE - white)
        checkers = (KNIGHT(king) & knights | KING(king) & kings) & enemy
        if by_pawns & crown:
            checkers |= pawn_attacks(crown, white) & pawns & enemy
        snipers = ORTHOGONAL(king) & far_orthogonals | DIAGONAL(king) & far_diagonals
        shadow = ZERO
        while snipers:
            sniper = lowest(snipers)
            between = BETWEEN(king, sniper) & occupied
            if not between:
                checkers |= ONE << sniper
                shadow |= LINE(king, sniper) ^ (ONE << sniper)
            elif not between & (between - ONE):
                pinned |= between & own
            snipers &= snipers - ONE
        steps = KING(king) & ~own & ~shadow
        if steps:
            steps &= ~attacked(
                steps, occupied, knights & enemy, far_diagonals, far_orthogonals,
                kings & enemy, by_pawns,
            )  # fmt: skip
        targets[king] = steps
        count = popcount(steps)
        movers = crown
        if checkers:
            if checkers & (checkers - ONE):
                return count, movers, ZERO, ZERO, ZERO, ZERO
            allowed = BETWEEN(king, lowest(checkers)) | checkers
            pieces &= ~kings
        pieces &= ~crown
    movers |= pieces
    free = ~own & allowed

    left = pieces & knights
    while left:
        square = lowest(left)
        reached = ZERO if left & (ZERO - left) & pinned else KNIGHT(square) & free
        targets[square] = reached
        count += popcount(reached)
        left &= left - ONE
    left = pieces & (diagonals | orthogonals)
    while left:
        square = lowest(left)
        bit = left & (ZERO - left)
        reached = ZERO
        if bit & diagonals:
            reached = bishop_attacks(square, occupied)
        if bit & orthogonals:
            reached |= rook_attacks(square, occupied)
        reached &= free
        if bit & pinned:
            reached &= LINE(king, square)
        targets[square] = reached
        count += popcount(reached)
        left ^= bit
    left = pieces & kings
    while left:
        square = lowest(left)
        reached = KING(square) & free
        if left & (ZERO - left) & pinned:
            reached &= LINE(king, square)
        targets[square] = reached
        count += popcount(reached)
        left &= left - ONE
    if not checkers and rights & (RANK_1 if white else RANK_8):
        square, reached = castling(board)
        if reached:
            if (ONE << square) & pinned:
                reached &= LINE(king, square)
            targets[square] |= reached
            count += popcount(reached)

    ours = pawns & own
    straight = rising = falling = ours
    if pinned & ours:
        straight = ours & (~pinned | FILES(king))
        rising = ours & (~pinned | RISING(king))
        falling = ours & (~pinned | FALLING(king))
    if white:
        one = (straight << EIGHT) & ~occupied
        two = (one << EIGHT) & ~occupied & (RANK_3 | RANK_4) & allowed
        to_left = ((falling & NOT_FILE_A) << SEVEN) & enemy & allowed
        to_right = ((rising & NOT_FILE_H) << NINE) & enemy & allowed
    else:
        one = (straight >> EIGHT) & ~occupied
        two = (one >> EIGHT) & ~occupied & (RANK_6 | RANK_5) & allowed
        to_left = ((rising & NOT_FILE_A) >> NINE) & enemy & allowed
        to_right = ((falling & NOT_FILE_H) >> SEVEN) & enemy & allowed
    one &= allowed
    if passant:
        removed = passant >> EIGHT if white else passant << EIGHT
        if not checkers or passant & allowed or removed == checkers:
            if white:
                capturer_left = (passant >> SEVEN) & NOT_FILE_A & falling
                capturer_right = (passant >> NINE) & NOT_FILE_H & rising
            else:
                capturer_left = (passant << NINE) & NOT_FILE_A & rising
                capturer_right = (passant << SEVEN) & NOT_FILE_H & falling
            far_diagonals = diagonals & enemy
            far_orthogonals = orthogonals & enemy
            if capturer_left and (
                not royal
                or not _skewered(
                    king, capturer_left, removed, passant, occupied, far_diagonals, far_orthogonals
                )
            ):
                to_left |= passant
            if capturer_right and (
                not royal
                or not _skewered(
                    king, capturer_right, removed, passant, occupied, far_diagonals, far_orthogonals
                )
            ):
                to_right |= passant
    count += popcount(one) + popcount(two) + popcount(to_left) + popcount(to_right)
    if (one | to_left | to_right) & BACK:
        count += THREE * (
            popcount(one & BACK) + popcount(to_left & BACK) + popcount(to_right & BACK)
        )
    return count, movers, to_left, to_right, one, two


@compiled(f"uint64({MOVES},uint64,{WORDS},{CODES})")
def list_moves(moves: Moves, white: Word, targets: Words, codes: Codes) -> Word:
    """Write the codes of moves one after the other, and return how many there are.

    Args:
        moves: Found by `generate`; those of pieces whose entry is 0 are left out.
        white: 1 if White moves.
        targets: The entries, shape (64,).
        codes: Overwritten from its start, shape (MOST_MOVES,).
    """
    count = 0
    left = moves[1]
    while left:
        square = lowest(left)
        left &= left - ONE
        reached = targets[square]
        while reached:
            codes[count] = square | lowest(reached) << np.uint64(6)
            count += 1
            reached &= reached - ONE
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
            code = (goal - step) & TOP_SQUARE | goal << np.uint64(6)
            if reached & (ZERO - reached) & BACK:
                for promotion in range(2, 6):
                    codes[count] = code | np.uint64(promotion) << np.uint64(12)
                    count += 1
            else:
                codes[count] = code
                count += 1
            reached &= reached - ONE
    return np.uint64(count)
