"""Necessary conditions for a board to be reachable from the initial position of chess.

Each is necessary: a board that violates one cannot arise by legal moves. Together they are not
sufficient: a board that violates none may still be unreachable. Clocks play no part.
"""

from enum import StrEnum
from functools import lru_cache
from typing import Final, NamedTuple

import chess
import numpy as np
import numpy.typing as npt


class Condition(StrEnum):
    """A condition that a board violates, and why no game leads there.

    ``*_kings``: there is not exactly one king of the colour, or one is marked as promoted (``~``).
    Kings are neither taken nor made.

    ``*_pieces``, ``*_pawns``: more than 16 pieces, or more than 8 pawns, of the colour. Nothing is
    ever added, and a promotion puts one piece in one pawn's place.

    ``pawns_on_back_rank``: a pawn on rank 1 or 8. Pawns start in front of their back rank, never
    go back, and promote when they reach the other one.

    ``*_promotions``: the queens beyond one, the rooks and knights beyond two, and the bishops
    beyond one on squares of either shade, are more than the pawns that are missing from eight.
    What is beyond the pieces of the start was promoted, each from another pawn, and bishops keep
    to the shade they start on.

    ``*_shut_in_bishops``: the same, only when this is counted as well: between two unmoved pawns
    (White's on b2 and d2, or e2 and g2) no bishop leaves its first square or comes to it, so that
    all others on its shade were promoted. A pawn on its first rank has not moved.

    ``*_pawn_captures``: the pawns of the colour cannot have reached their squares by as many
    captures as there are pieces missing from the other side's sixteen. A pawn changes to the next
    file only by capturing and goes one rank on with it, so that a pawn d files from its first one
    has made at least d captures and advanced at least d ranks. The least sum over all ways to
    give each pawn a first file of its own is needed at least. As many further first files as
    pieces must have been promoted are given to promoted pawns, which needed a file on which no
    pawn of the other side is still on its first square, as they had to pass that rank. A bishop
    of the other side that was shut in and is gone was taken where it stood, and no pawn can have
    done so: the squares from which one would have to capture hold the pawns that shut it in.

    ``opponent_in_check``: the side that is not to move is in check, so that its move was illegal.

    ``castling_rights``: a right to castle without the king or the rook on its first square.

    ``en_passant``: an en-passant square on the wrong rank for the side to move, without a pawn of
    the other side in front of it, or occupied, or with the pawn's first square occupied. The pawn
    has just passed over the one and left the other.

    ``too_many_checkers``: more than two pieces give check. A move checks by the piece that moved
    and on the lines that it opens. From the king, a square lies on one line, and so a move opens
    one. En passant vacates two squares and may open two, but a king that the pawn itself then checks
    is a knight's move from the taken pawn's square, and so on no line with it. Castling checks by
    the rook alone: behind the squares that it vacates the board ends.

    ``impossible_check``: two pieces give check, and neither is a bishop, rook or queen (one of
    them must check on an opened line), or both stand on one line with the king between them (the
    piece that moved would have come from the other's side past the king); or a pawn has just made a double step,
    as the en-passant square says, and there are two checkers (from rank 4 or 5 a pawn checks kings
    that are not on a line with its first square), or one that is not the pawn and gave check
    before the step, too.
    """

    WHITE_KINGS = "white_kings"
    BLACK_KINGS = "black_kings"
    WHITE_PIECES = "white_pieces"
    BLACK_PIECES = "black_pieces"
    WHITE_PAWNS = "white_pawns"
    BLACK_PAWNS = "black_pawns"
    PAWNS_ON_BACK_RANK = "pawns_on_back_rank"
    WHITE_PROMOTIONS = "white_promotions"
    BLACK_PROMOTIONS = "black_promotions"
    WHITE_SHUT_IN_BISHOPS = "white_shut_in_bishops"
    BLACK_SHUT_IN_BISHOPS = "black_shut_in_bishops"
    WHITE_PAWN_CAPTURES = "white_pawn_captures"
    BLACK_PAWN_CAPTURES = "black_pawn_captures"
    OPPONENT_IN_CHECK = "opponent_in_check"
    CASTLING_RIGHTS = "castling_rights"
    EN_PASSANT = "en_passant"
    TOO_MANY_CHECKERS = "too_many_checkers"
    IMPOSSIBLE_CHECK = "impossible_check"


def violated_conditions(board: chess.Board) -> tuple[Condition, ...]:
    """Return the conditions that a python-chess board violates, in the order of `Condition`."""
    violated: list[Condition] = []
    white, black = _census(board, _WHITE), _census(board, _BLACK)
    for side, own, other in ((_WHITE, white, black), (_BLACK, black, white)):
        kings = board.kings & own.pieces
        if kings.bit_count() != 1 or kings & board.promoted:
            violated.append(side.condition("kings"))
        if own.pieces.bit_count() > 16:
            violated.append(side.condition("pieces"))
        pawns = own.pawns.bit_count()
        if pawns > 8:
            violated.append(side.condition("pawns"))
        if own.promotions + own.shut_in_promotions > max(0, 8 - pawns):
            beyond = own.promotions > max(0, 8 - pawns)
            violated.append(side.condition("promotions" if beyond else "shut_in_bishops"))
        if pawns <= 8 and not own.pawns & chess.BB_BACKRANKS:
            promoted = min(own.promotions + own.shut_in_promotions, 8 - pawns)
            # Pawns that are all on files of their own need not have captured.
            if promoted or _files(own.pawns).bit_count() < pawns:
                passable = 0xFF & ~(other.pawns >> side.other_pawns_shift)
                needed = _least_captures(side.color, own.pawns, promoted, passable)
                if needed > 16 - other.pieces.bit_count() - other.taken_at_home:
                    violated.append(side.condition("pawn_captures"))
    if board.pawns & chess.BB_BACKRANKS:
        violated.append(Condition.PAWNS_ON_BACK_RANK)
    if board.was_into_check():
        violated.append(Condition.OPPONENT_IN_CHECK)
    if board.castling_rights and board.castling_rights != board.clean_castling_rights():
        violated.append(Condition.CASTLING_RIGHTS)
    step = None
    if board.ep_square is not None:
        step = _double_step(board, board.ep_square)
        if step is None:
            violated.append(Condition.EN_PASSANT)
    checkers = board.checkers_mask()
    if checkers:
        if checkers.bit_count() > 2:
            violated.append(Condition.TOO_MANY_CHECKERS)
        elif _is_impossible_check(board, checkers, step):
            violated.append(Condition.IMPOSSIBLE_CHECK)
    if len(violated) > 1:
        violated.sort(key=list(Condition).index)
    return tuple(violated)


class _Side(NamedTuple):
    """What differs between the colours.

    ``bishops`` holds for each bishop its first square, the pawns that shut it in and the squares
    of its shade, all as bitboards. The other side's first rank of pawns, shifted to the right by
    ``other_pawns_shift``, is the lowest byte.
    """

    color: chess.Color
    bishops: tuple[tuple[int, int, int], ...]
    other_pawns_shift: int

    def condition(self, name: str) -> Condition:
        return Condition(f"{chess.COLOR_NAMES[self.color]}_{name}")


_WHITE: Final = _Side(
    chess.WHITE,
    (
        (chess.BB_C1, chess.BB_B2 | chess.BB_D2, chess.BB_DARK_SQUARES),
        (chess.BB_F1, chess.BB_E2 | chess.BB_G2, chess.BB_LIGHT_SQUARES),
    ),
    48,
)
_BLACK: Final = _Side(
    chess.BLACK,
    (
        (chess.BB_C8, chess.BB_B7 | chess.BB_D7, chess.BB_LIGHT_SQUARES),
        (chess.BB_F8, chess.BB_E7 | chess.BB_G7, chess.BB_DARK_SQUARES),
    ),
    8,
)


class _Census(NamedTuple):
    """Bitboards of a side, and how many of its pieces must have been promoted or taken at home.

    ``shut_in_promotions`` are those beyond ``promotions`` that follow from shut-in bishops.
    """

    pieces: int
    pawns: int
    promotions: int
    shut_in_promotions: int
    taken_at_home: int


def _census(board: chess.Board, side: _Side) -> _Census:
    own = board.occupied_co[side.color]
    pawns = own & board.pawns
    promotions = (
        max(0, (own & board.queens).bit_count() - 1)
        + max(0, (own & board.rooks).bit_count() - 2)
        + max(0, (own & board.knights).bit_count() - 2)
    )
    shut_in_promotions = taken_at_home = 0
    for home, guards, shade in side.bishops:
        bishops = own & board.bishops & shade
        beyond_one = max(0, bishops.bit_count() - 1)
        promotions += beyond_one
        if pawns & guards == guards:
            shut_in_promotions += (bishops & ~home).bit_count() - beyond_one
            taken_at_home += not bishops & home
    return _Census(own, pawns, promotions, shut_in_promotions, taken_at_home)


def _files(squares: int) -> int:
    """Return a byte with a bit for each file on which there is one of the squares."""
    squares |= squares >> 32
    squares |= squares >> 16
    return (squares | squares >> 8) & 0xFF


_UNREACHABLE: Final = 1000
"""Stands for no number of captures; more than any sum of possible ones."""


def _captures_by_square(color: chess.Color) -> npt.NDArray[np.int64]:
    """Return the captures to each square from each first file, of shape (64, 8)."""
    square = np.arange(64)
    advance = square // 8 - 1 if color == chess.WHITE else 6 - square // 8
    captures = np.abs(square[:, None] % 8 - np.arange(8))
    return np.where(captures <= advance[:, None], captures, _UNREACHABLE)


def _captures_by_passable_files() -> npt.NDArray[np.int64]:
    """Return the captures to the nearest of a set of files from each, of shape (256, 8)."""
    files = np.arange(8)
    passable = np.arange(256)[:, None, None] >> files & 1 == 1
    captures = np.where(passable, np.abs(files[:, None] - files), _UNREACHABLE)
    nearest: npt.NDArray[np.int64] = captures.min(axis=2)
    return nearest


_CAPTURES: Final = {color: _captures_by_square(color) for color in chess.COLORS}
_PROMOTION_CAPTURES: Final = _captures_by_passable_files()


@lru_cache(maxsize=1 << 14)
def _least_captures(color: chess.Color, pawns: int, promoted: int, passable: int) -> int:
    """Return the fewest captures that bring a side's pawns to where they are.

    Args:
        color: The side.
        pawns: Its pawns, as a bitboard, none on a back rank.
        promoted: How many more were promoted; with the pawns at most 8.
        passable: A byte with a bit for each file on which a pawn can pass the first rank of the
            other side's pawns.
    """
    # Loaded where it is needed, which is seldom: it takes longer than the rest of this package.
    from scipy.optimize import linear_sum_assignment

    costs = np.concatenate(
        [
            _CAPTURES[color][list(chess.scan_forward(pawns))],
            np.tile(_PROMOTION_CAPTURES[passable], (promoted, 1)),
        ]
    )
    rows, first_files = linear_sum_assignment(costs)
    return int(costs[rows, first_files].sum())


def _double_step(
    board: chess.Board, en_passant: chess.Square
) -> tuple[chess.Square, chess.Square] | None:
    """Return the squares that a pawn left and reached over an en-passant square, if it can be."""
    forward = -8 if board.turn == chess.WHITE else 8
    if chess.square_rank(en_passant) != (5 if board.turn == chess.WHITE else 2):
        return None
    left, reached = en_passant - forward, en_passant + forward
    empty = chess.BB_SQUARES[en_passant] | chess.BB_SQUARES[left]
    pawns = board.pawns & board.occupied_co[not board.turn]
    if board.occupied & empty or not pawns & chess.BB_SQUARES[reached]:
        return None
    return left, reached


def _is_impossible_check(
    board: chess.Board, checkers: int, step: tuple[chess.Square, chess.Square] | None
) -> bool:
    """Return whether no legal move can have given this check by one piece or two."""
    king = board.king(board.turn)
    if king is None:
        return False
    if checkers.bit_count() == 2:
        first, second = chess.scan_forward(checkers)
        return bool(
            step is not None
            or not checkers & (board.bishops | board.rooks | board.queens)
            or chess.ray(first, second) & chess.BB_SQUARES[king]
        )
    if step is None:
        return False
    left, reached = (chess.BB_SQUARES[square] for square in step)
    before = board.occupied & ~reached | left
    return checkers != reached and bool(board.attackers_mask(not board.turn, king, before))
