"""The simulated tracker, and the ply at which a prediction lost track of a game."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from typing import Final

import chess
import numpy as np

from workbench.environment import check_tracker
from workbench.environments.chess.kernel.kernel_functions import MistakenReplays, mistaken_replays
from workbench.environments.chess.replay import (
    BLACK,
    NO_SQUARE,
    PAWN,
    START,
    SlipKind,
    captured_square,
    carry_out,
    landing_beside,
    pieces_of,
    read_moves,
    square_beside,
)
from workbench.environments.chess.state import Fen
from workbench.seeds import derived_seed


@dataclass(frozen=True, slots=True)
class Slip:
    """One slip: the ply it happened at (1 is White's first move), its kind, the move in UCI."""

    ply: int
    kind: SlipKind
    move: str


@dataclass(frozen=True, slots=True)
class Tracking:
    """What the tracker believes after the last move, as a FEN, and the slips that led there."""

    fen: str
    slips: tuple[Slip, ...]


def track(moves: str, *, position_id: str, rate: float, seed: int) -> Tracking:
    """Replay moves from the first position as the simulated tracker does, and name its slips.

    After a slip later moves are carried out on the mistaken map as well as they can be: a move
    from a square that is empty there moves nothing, a move onto any piece takes it, castling moves
    a rook only if one stands in the corner, and a piece that is no pawn does not promote. The
    mistaken reply keeps count of the moves; its half-move clock is reset by what is a pawn's move
    or a capture on the mistaken map.

    Args:
        moves: UCI moves, separated by spaces, as in the ``moves`` column; may be empty.
        position_id: What the randomness is derived from, beside ``seed``.
        rate: Probability of a slip at each ply, in [0, 1].
        seed: At least 0.

    Raises:
        InvalidArgumentError: If ``rate`` or ``seed`` is out of range.
        IllegalMoveError: If a move is no UCI move.
    """
    check_tracker(rate, seed)
    return tracking(moves, rate=rate, seed=derived_seed(seed, position_id), where=position_id)


def tracking(moves: str, *, rate: float, seed: int | Sequence[int], where: str) -> Tracking:
    """Do as `track` does, with the seed of this position alone.

    Args:
        moves: As of `track`.
        rate: As of `track`.
        seed: Seed of the position's own draws; or of each ply's, for a tracker that goes on: it takes no ply for
            the last, after which the side to move may be forgotten.
        where: What to call the position in a message.
    """
    played = read_moves(moves.split(), f"position {where!r}")
    # Always two draws per ply, so that one ply's slip does not change the next one's luck.
    goes_on = isinstance(seed, Sequence)
    draws = (
        [np.random.default_rng(each).random(2) for each in seed]
        if isinstance(seed, Sequence)
        else np.random.default_rng(seed).random((len(played), 2))
    )
    tracker = _Tracker()
    slips: list[Slip] = []
    for ply, move in enumerate(played, start=1):
        slip, kind = draws[ply - 1]
        slip_kind = None
        if slip < rate:
            possible = tracker.possible(move, last=not goes_on and ply == len(played))
            slip_kind = possible[int(kind * len(possible))]
            slips.append(Slip(ply, slip_kind, move.uci()))
        tracker.play(move, slip_kind)
    return Tracking(tracker.fen(), tuple(slips))


_RIGHTS_OF_SQUARES: Final[dict[chess.Square, str]] = {
    chess.E1: "KQ",
    chess.H1: "K",
    chess.A1: "Q",
    chess.E8: "kq",
    chess.H8: "k",
    chess.A8: "q",
}


class _Tracker:
    """The mistaken map and the other fields of a FEN, from the first position on."""

    def __init__(self) -> None:
        self.board = bytearray(START)
        self.rights = "KQkq"
        self.passed = NO_SQUARE
        self.halfmove_clock = 0
        self.plies = 0
        self.side_forgotten = False

    def possible(self, move: chess.Move, *, last: bool) -> list[SlipKind]:
        """Return the slips that this move allows."""
        kinds = [SlipKind.PIECE_LEFT_BEHIND]
        origin, target = move.from_square, move.to_square
        if self.board[origin]:
            if captured_square(self.board, origin, target, self.passed) != NO_SQUARE:
                kinds.append(SlipKind.CAPTURED_PIECE_STAYS)
            if square_beside(self.board, origin, target) != NO_SQUARE:
                kinds.append(SlipKind.PIECE_OFF_BY_ONE)
        if self.rights_of_mover() - set(_RIGHTS_OF_SQUARES.get(move.from_square, "")):
            kinds.append(SlipKind.CASTLING_FORGOTTEN)
        if last:
            kinds.append(SlipKind.SIDE_FORGOTTEN)
        return kinds

    def rights_of_mover(self) -> set[str]:
        """Return the castling rights of the side that is to play the next move."""
        return {right for right in self.rights if right.isupper() == (self.plies % 2 == 0)}

    def lose_rights(self, rights: Iterable[str]) -> None:
        """Strike castling rights out."""
        self.rights = "".join(right for right in self.rights if right not in rights)

    def play(self, move: chess.Move, slip: SlipKind | None) -> None:
        """Carry a move out on the map, with or without a slip."""
        if slip is SlipKind.CASTLING_FORGOTTEN:
            self.lose_rights(self.rights_of_mover())
        origin, target = move.from_square, move.to_square
        piece = self.board[origin]
        passed, reset = NO_SQUARE, False
        if slip is not SlipKind.PIECE_LEFT_BEHIND and piece:
            captured = captured_square(self.board, origin, target, self.passed)
            reset = captured != NO_SQUARE or piece & ~BLACK == PAWN
            takes = slip is not SlipKind.CAPTURED_PIECE_STAYS
            landing = target
            if slip is SlipKind.PIECE_OFF_BY_ONE:
                landing = square_beside(self.board, origin, target)
            elif not takes:
                landing = landing_beside(self.board, origin, target)
            if landing != NO_SQUARE:
                for square in (origin, landing, captured if takes else NO_SQUARE):
                    if square in _RIGHTS_OF_SQUARES:
                        self.lose_rights(_RIGHTS_OF_SQUARES[square])
                promotion = move.promotion or 0
                passed = carry_out(
                    self.board, origin, target, promotion, self.passed, landing, takes
                )
        self.passed = passed
        self.halfmove_clock = 0 if reset else self.halfmove_clock + 1
        self.plies += 1
        self.side_forgotten = slip is SlipKind.SIDE_FORGOTTEN

    def fen(self) -> str:
        """Return the FEN of what the tracker believes, as python-chess would write it.

        The en-passant square is written only where a capture is legal, the castling rights as
        they are believed, whether or not king and rook stand there.
        """
        board = chess.Board(None)
        for square, piece in enumerate(self.board):
            if piece:
                board.set_piece_at(square, chess.Piece.from_symbol(chr(piece)))
        board.turn = (self.plies % 2 == 0) != self.side_forgotten
        if self.passed != NO_SQUARE:
            board.ep_square = self.passed
        passed = board.ep_square if board.has_legal_en_passant() else None
        return " ".join(
            (
                board.board_fen(),
                "w" if board.turn else "b",
                self.rights or "-",
                "-" if passed is None else chess.square_name(passed),
                str(self.halfmove_clock),
                str(self.plies // 2 + 1),
            )
        )


class LossKind(StrEnum):
    """A way to lose track of a move.

    ``move_left_out``: the pieces stay where they were, as in the tracker's ``piece_left_behind``.
    ``capture_not_removed``: the taken piece stays and the taker goes to a free square beside it,
    as in the tracker's ``captured_piece_stays``; en passant the taker goes where it should. Where
    no square beside is free the taker stays too, and the move counts as left out.
    """

    MOVE_LEFT_OUT = "move_left_out"
    CAPTURE_NOT_REMOVED = "capture_not_removed"


@dataclass(frozen=True, slots=True)
class LostTrack:
    """Where a prediction lost track, as explained by one wrong move.

    Attributes:
        ply: The ply that was replayed wrongly (1 is White's first move); None if no replay is
            nearer to the prediction than the true board.
        kind: How it was replayed wrongly; None with ``ply``.
        squares: On how many of 64 squares that replay and the prediction differ; None with
            ``ply``. Only 0 means that the error explains the whole prediction.
        true_squares: On how many of 64 squares the true board and the prediction differ; None if
            the prediction's placement cannot be read, or there are no moves to replay.
    """

    ply: int | None = None
    kind: LossKind | None = None
    squares: int | None = None
    true_squares: int | None = None


def lost_track(moves: str | None, predicted: Fen) -> LostTrack:
    """Find the mistaken replay of a game that is nearest to a prediction.

    Of equally near replays the latest ply is named: it takes the fewest moves to have been played
    on a mistaken board. At the same ply, a move left out comes before a capture not removed. A
    replay must be nearer than the true board; a right placement therefore names no ply.
    """
    if moves is None or predicted.pieces is None:
        return LostTrack()
    replays = _replays(moves)
    pieces = np.frombuffer(pieces_of(predicted.fields[0]), np.uint8)
    squares = np.count_nonzero(replays.boards != pieces, axis=1)
    true_squares = int(squares[0])
    latest = len(squares) - 1 - int(np.argmin(squares[::-1]))
    if squares[latest] == true_squares:
        return LostTrack(true_squares=true_squares)
    kind = LossKind.CAPTURE_NOT_REMOVED if replays.stays[latest] else LossKind.MOVE_LEFT_OUT
    return LostTrack(int(replays.plies[latest]), kind, int(squares[latest]), true_squares)


# Several models reply to the same position; a game of 100 plies takes about 8 kB.
@lru_cache(maxsize=1 << 11)
def _replays(moves: str) -> MistakenReplays:
    return mistaken_replays(read_moves(moves.split()))
