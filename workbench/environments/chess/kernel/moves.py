"""The legal moves of a board, exactly those of python-chess, and the boards after them."""

from typing import TypeAlias

import numpy as np

from workbench.environments.chess.kernel.bitboards import (
    ALL,
    BACK,
    BETWEEN,
    DIAGONAL,
    E1,
    E8,
    FALLING,
    FILE_C,
    FILE_D,
    FILE_F,
    FILE_G,
    FILES,
    KING,
    KNIGHT,
    LINE,
    NOT_FILE_A,
    NOT_FILE_H,
    ONE,
    ORTHOGONAL,
    RANK_1,
    RANK_3,
    RANK_4,
    RANK_5,
    RANK_6,
    RANK_8,
    RISING,
    ZERO,
    Board,
    Word,
    attacked,
    bishop_attacks,
    capturable,
    pawn_attacks,
    rook_attacks,
)
from workbench.environments.chess.kernel.compiler import (
    BOARD,
    CODES,
    WORDS,
    Codes,
    Words,
    compiled,
    inlined,
    leading_zeros,
    lowest,
    popcount,
    table,
)

Three: TypeAlias = tuple[Word, Word, Word]
Four: TypeAlias = tuple[Word, Word, Word, Word]
Moves: TypeAlias = tuple[Word, Word, Word, Word, Word, Word]

FOUR_WORDS = "UniTuple(uint64,4)"

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


@inlined
def threats(board: Board, king: Word) -> Three:
    """Return the own pieces that are pinned, what gives check, and the squares in its shadow."""
    pawns, knights, diagonals, orthogonals, kings, own, enemy, _, _, white = board
    crown = ONE << king
    checkers = (
        KNIGHT(king) & knights | KING(king) & kings | pawn_attacks(crown, white) & pawns
    ) & enemy
    snipers = (ORTHOGONAL(king) & orthogonals | DIAGONAL(king) & diagonals) & enemy
    occupied = own | enemy
    pinned = shadow = ZERO
    while snipers:
        sniper = lowest(snipers)
        between = BETWEEN(king, sniper) & occupied
        if not between:
            checkers |= ONE << sniper
            shadow |= LINE(king, sniper) ^ (ONE << sniper)
        elif not between & (between - ONE):
            pinned |= between & own
        snipers &= snipers - ONE
    return pinned, checkers, shadow


@inlined
def pawn_moves(board: Board, king: Word, pinned: Word, allowed: Word) -> Four:
    """Return the squares that pawns reach to the left, to the right, by one step and by two."""
    pawns, own, enemy, white = board[0], board[5], board[6], board[9]
    straight = rising = falling = pawns & own
    empty = ~(own | enemy)
    if pinned & straight:
        straight &= ~pinned | FILES(king)
        rising &= ~pinned | RISING(king)
        falling &= ~pinned | FALLING(king)
    if white:
        one = (straight << EIGHT) & empty
        two = (one << EIGHT) & empty & (RANK_3 | RANK_4)
        to_left = ((falling & NOT_FILE_A) << SEVEN) & enemy
        to_right = ((rising & NOT_FILE_H) << NINE) & enemy
    else:
        one = (straight >> EIGHT) & empty
        two = (one >> EIGHT) & empty & (RANK_6 | RANK_5)
        to_left = ((rising & NOT_FILE_A) >> NINE) & enemy
        to_right = ((falling & NOT_FILE_H) >> SEVEN) & enemy
    return to_left & allowed, to_right & allowed, one & allowed, two & allowed


@inlined
def pawn_count(moves: Four) -> Word:
    """Return how many moves of pawns these are."""
    to_left, to_right, one, two = moves
    count: Word = popcount(to_left) + popcount(to_right) + popcount(one | two)
    if (to_left | to_right | one) & BACK:
        count += THREE * (
            popcount(to_left & BACK) + popcount(to_right & BACK) + popcount(one & BACK)
        )
    return count


@compiled(f"uint64({FOUR_WORDS},uint64,uint64)")
def pawn_reaches(moves: Four, white: Word, bit: Word) -> Word:
    """Return where the pawn on a square may go, by promoting or not."""
    to_left, to_right, one, two = moves
    if white:
        return (
            bit << SEVEN & to_left | bit << NINE & to_right | bit << EIGHT & one | bit << SIXTEEN & two
        )  # fmt: skip
    return (
        bit >> NINE & to_left | bit >> SEVEN & to_right | bit >> EIGHT & one | bit >> SIXTEEN & two
    )  # fmt: skip


@compiled(f"{MOVES}({BOARD},{WORDS})")
def generate(board: Board, targets: Words) -> Moves:
    """Find all legal moves.

    Args:
        board: The board.
        targets: Overwritten, shape (64,): for each square in the second word of the result, where
            the piece on it may go.
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
        pinned, checkers, shadow = threats(board, king)
        steps = KING(king) & ~own & ~shadow
        if steps:
            steps &= ~attacked(
                steps, occupied, knights & enemy, diagonals & enemy, orthogonals & enemy,
                kings & enemy, pawn_attacks(pawns & enemy, ONE - white),
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

    to_left, to_right, one, two = pawn_moves(board, king, pinned, allowed)
    if passant:
        removed = passant >> EIGHT if white else passant << EIGHT
        if not checkers or passant & allowed or removed == checkers:
            rising = pawns & own & (~pinned | RISING(king))
            falling = pawns & own & (~pinned | FALLING(king))
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
    count += pawn_count((to_left, to_right, one, two))
    return count, movers, to_left, to_right, one, two


PAWN_STEPS = table("pawn_steps", np.array([[-9, -7, -8, -16], [7, 9, 8, 16]]).astype(np.uint64))
"""How far a pawn goes to the left, to the right, by one step and by two: by side, White 1."""


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
        reached, step = moves[way + 2], PAWN_STEPS(white, way)
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
def _shifted(pieces: Word, start: Word, target: Word) -> Word:
    return pieces & ~(start | target) | (target if pieces & start else ZERO)


@inlined
def special(board: Board, code: Word) -> Board:
    """Return the board after a move of a king or pawn, or on a board with castling rights.

    The new board's ``passant`` is set after every pawn's first move of two squares, whether or not
    a capture is possible there; see `workbench.environments.chess.kernel.bitboards.capturable`.
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
    pawns = _shifted(pawns, start, target) & ~removed
    knights = _shifted(knights, start, target) & ~removed
    diagonals = _shifted(diagonals, start, target) & ~removed
    orthogonals = _shifted(orthogonals, start, target) & ~removed
    kings = _shifted(kings, start, target) & ~removed
    if promotion:
        pawns ^= target
        if promotion == np.uint64(2):
            knights |= target
        if promotion == np.uint64(3) or promotion == np.uint64(5):
            diagonals |= target
        if promotion >= np.uint64(4):
            orthogonals |= target
    return (
        pawns, knights, diagonals, orthogonals, kings,
        enemy & nought, own & nought | target, rights, passant, ONE - white,
    )  # fmt: skip


@inlined
def move_piece(board: Board, start: Word, target: Word) -> Board:
    """Return the board after a move that only shifts a piece or pawn, and takes what stands there.

    Castling rights stay as they are: neither a king nor a rook that may castle moves or is taken.
    """
    pawns, knights, diagonals, orthogonals, kings, own, enemy, rights, _, white = board
    nought = ~(start | target)
    return (
        _shifted(pawns, start, target), _shifted(knights, start, target),
        _shifted(diagonals, start, target), _shifted(orthogonals, start, target),
        kings & nought, enemy & nought, own & nought | target, rights, ZERO, ONE - white,
    )  # fmt: skip


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
