"""Where tracking was lost: the move whose wrong replay leads nearest to a prediction.

The game is replayed once for every ply with that one move left out, and once for every capture
with the taken piece left standing. The rules of a mistaken replay are those of the simulated
tracker (`workbench.answers.simulated_tracker`), kept here for all replays of a game at once.
"""

from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from typing import Final

import chess
import numpy as np
import numpy.typing as npt

from workbench.environments.chess.replay import read_moves


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


def lost_track(moves: str | None, predicted_fen: str | None) -> LostTrack:
    """Find the mistaken replay of a game that is nearest to a prediction.

    Of equally near replays the latest ply is named: it takes the fewest moves to have been played
    on a mistaken board. At the same ply, a move left out comes before a capture not removed. A
    replay must be nearer than the true board; a right placement therefore names no ply.

    Args:
        moves: The true game's UCI moves, separated by spaces, legal from the first position on;
            None if they are unknown.
        predicted_fen: Any text, of which the first field is read as the placement, or None.

    Raises:
        IllegalMoveError: If a move is no UCI move.
    """
    predicted = _placement(predicted_fen)
    if moves is None or predicted is None:
        return LostTrack()
    replays = _replays(moves)
    squares = np.count_nonzero(replays.boards != predicted, axis=1)
    true_squares = int(squares[0])
    latest = len(squares) - 1 - int(np.argmin(squares[::-1]))
    if squares[latest] == true_squares:
        return LostTrack(true_squares=true_squares)
    ply, kind = replays.mistakes[latest - 1]
    return LostTrack(ply, kind, int(squares[latest]), true_squares)


_Boards = npt.NDArray[np.uint8]

# A piece is the code of its letter in a FEN, so that bit 5 is Black's colour; 0 is an empty square.
_BLACK: Final = 32
_PAWN, _ROOK, _KING = (ord(letter) for letter in "PRK")
_DIGITS: Final = str.maketrans({str(number): "\0" * number for number in range(1, 9)} | {"~": ""})


def _placement(fen: str | None) -> _Boards | None:
    """Return the pieces of a FEN, or None if they cannot be read."""
    words = fen.split() if fen is not None else []
    try:
        chess.BaseBoard(words[0] if words else "")
    except ValueError:
        return None
    return _squares(words[0])


def _squares(placement: str) -> _Boards:
    """Return the pieces on a1, b1, ..., h8 of a placement that python-chess reads."""
    ranks = placement.translate(_DIGITS).split("/")
    return np.frombuffer("".join(reversed(ranks)).encode("ascii"), dtype=np.uint8)


_START: Final = _squares(chess.STARTING_BOARD_FEN)


@dataclass(frozen=True, slots=True)
class _Replays:
    """The true board, then the board at the end of each mistaken replay, and their mistakes.

    ``boards`` has the shape (1 + replays, 64); its row i + 1 belongs to ``mistakes[i]``. They are
    ordered by ply, and a move left out stands behind a capture not removed.
    """

    boards: _Boards
    mistakes: tuple[tuple[int, LossKind], ...]


# Several models reply to the same position; a game of 100 plies takes about 8 kB.
@lru_cache(maxsize=1 << 11)
def _replays(moves: str) -> _Replays:
    played = read_moves(moves.split())
    # One board per column: a move touches two or three squares of all boards. Captures are at most
    # 31, even where a king is taken.
    boards = np.zeros((64, 1 + len(played) + 31), dtype=np.uint8)
    boards[:, 0] = _START
    mistakes: list[tuple[int, LossKind]] = []
    stepped: _Step | None = None
    for ply, move in enumerate(played, start=1):
        before = boards[:, 0].copy()
        standing = _with_taken_piece(before, move, stepped)
        stepped = _play(boards[:, : 1 + len(mistakes)], move, stepped)
        if standing is not None:
            mistakes.append((ply, LossKind.CAPTURE_NOT_REMOVED))
            boards[:, len(mistakes)] = standing
        mistakes.append((ply, LossKind.MOVE_LEFT_OUT))
        boards[:, len(mistakes)] = before
    return _Replays(np.ascontiguousarray(boards[:, : 1 + len(mistakes)].T), tuple(mistakes))


@dataclass(frozen=True, slots=True)
class _Step:
    """The square that a double step has just passed over, and on which boards a pawn made it."""

    passed: chess.Square
    boards: npt.NDArray[np.bool_]


def _with_taken_piece(before: _Boards, move: chess.Move, stepped: _Step | None) -> _Boards | None:
    """Return the true board after a capture that is not removed; None if that says nothing.

    Args:
        before: The true board, which is not changed.
        move: What is played on it.
        stepped: The double step before it.
    """
    piece, target = int(before[move.from_square]), move.to_square
    if not piece:
        return None
    if before[target]:
        file = chess.square_file(target)
        beside = [target + side for side in (-1, 1) if 0 <= file + side < 8]
        free = [square for square in beside if not before[square]]
        if not free:
            return None
        target = free[0]
    elif not (
        stepped is not None
        and stepped.passed == target
        and piece & ~_BLACK == _PAWN
        and chess.square_file(move.from_square) != chess.square_file(target)
    ):
        return None
    after = before.copy()
    after[move.from_square] = 0
    after[target] = _promoted(move) | piece & _BLACK if move.promotion else piece
    return after


def _promoted(move: chess.Move) -> int:
    """Return White's piece that a promotion makes."""
    return ord(chess.piece_symbol(move.promotion).upper()) if move.promotion else 0


def _play(boards: _Boards, move: chess.Move, stepped: _Step | None) -> _Step | None:
    """Play a move on all boards as far as possible, and return its double step, if it is one.

    A move from a square that is empty moves nothing, a move onto any piece takes it, castling
    moves a rook only if one of the king's colour stands in the corner, and a piece that is no pawn
    does not promote.

    Args:
        boards: Of shape (64, boards), changed in place.
        move: The move.
        stepped: The move before it, if that was a double step; boards beyond its own come last
            and have none.
    """
    origin, target = move.from_square, move.to_square
    start, end = boards[origin], boards[target]
    piece = start.copy()
    kind = piece & ~np.uint8(_BLACK)
    files = abs(chess.square_file(origin) - chess.square_file(target))
    if stepped is not None and stepped.passed == target and files:
        behind = chess.square(chess.square_file(target), chess.square_rank(origin))
        last = len(stepped.boards)
        taken = stepped.boards & (kind[:last] == _PAWN) & (end[:last] == 0)
        taken &= boards[behind, :last] & ~np.uint8(_BLACK) == _PAWN
        boards[behind, :last][taken] = 0
    if files == 2 and (kind == _KING).any():
        _castle(boards, origin, target, piece, kind)
    if move.promotion:
        piece = np.where(kind == _PAWN, _promoted(move) | piece & np.uint8(_BLACK), piece)
    np.copyto(end, piece, where=kind != 0)
    start[:] = 0
    if abs(target - origin) == 16:
        return _Step((origin + target) // 2, kind == _PAWN)
    return None


def _castle(
    boards: _Boards, origin: chess.Square, target: chess.Square, piece: _Boards, kind: _Boards
) -> None:
    """Move the rooks out of the corner where a king moves two files."""
    corner = chess.square(7 if target > origin else 0, chess.square_rank(origin))
    if corner == target:
        return
    rooks = np.uint8(_ROOK) | piece & np.uint8(_BLACK)
    castling = (kind == _KING) & (boards[corner] == rooks)
    boards[corner][castling] = 0
    boards[(origin + target) // 2][castling] = rooks[castling]
