"""Where tracking was lost: the move whose wrong replay leads nearest to a prediction.

The game is replayed once for every ply with that one move left out, and once for every capture
with the taken piece left standing, by the rules of `workbench.environments.chess.slips`.
"""

from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

import chess
import numpy as np

from workbench.environments.chess.fen import Fen
from workbench.environments.chess.replay import read_moves
from workbench.environments.chess.slips import (
    START,
    Boards,
    DoubleStep,
    SlipKind,
    captured_square,
    carry_out,
    landing_square,
    pieces_of,
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

    Args:
        moves: The true game's UCI moves, separated by spaces, legal from the first position on;
            None if they are unknown.
        predicted: Any text, of which the first field is read as the placement.

    Raises:
        IllegalMoveError: If a move is no UCI move.
    """
    if moves is None or predicted.pieces is None:
        return LostTrack()
    replays = _replays(moves)
    squares = np.count_nonzero(replays.boards != pieces_of(predicted.fields[0]), axis=1)
    true_squares = int(squares[0])
    latest = len(squares) - 1 - int(np.argmin(squares[::-1]))
    if squares[latest] == true_squares:
        return LostTrack(true_squares=true_squares)
    ply, kind = replays.mistakes[latest - 1]
    return LostTrack(ply, kind, int(squares[latest]), true_squares)


@dataclass(frozen=True, slots=True)
class _Replays:
    """The true board, then the board at the end of each mistaken replay, and their mistakes.

    ``boards`` has the shape (1 + replays, 64); its row i + 1 belongs to ``mistakes[i]``. They are
    ordered by ply, and a move left out stands behind a capture not removed.
    """

    boards: Boards
    mistakes: tuple[tuple[int, LossKind], ...]


# Several models reply to the same position; a game of 100 plies takes about 8 kB.
@lru_cache(maxsize=1 << 11)
def _replays(moves: str) -> _Replays:
    played = read_moves(moves.split())
    # One board per column: a move touches two or three squares of all boards. Captures are at most
    # 31, even where a king is taken.
    boards = np.zeros((64, 1 + len(played) + 31), dtype=np.uint8)
    boards[:, 0] = START
    mistakes: list[tuple[int, LossKind]] = []
    stepped: DoubleStep | None = None
    for ply, move in enumerate(played, start=1):
        before = boards[:, :1].copy()
        standing = _with_taken_piece(before, move, stepped)
        stepped = carry_out(boards[:, : 1 + len(mistakes)], move, stepped)
        if standing is not None:
            mistakes.append((ply, LossKind.CAPTURE_NOT_REMOVED))
            boards[:, len(mistakes)] = standing[:, 0]
        mistakes.append((ply, LossKind.MOVE_LEFT_OUT))
        boards[:, len(mistakes)] = before[:, 0]
    return _Replays(np.ascontiguousarray(boards[:, : 1 + len(mistakes)].T), tuple(mistakes))


def _with_taken_piece(
    before: Boards, move: chess.Move, stepped: DoubleStep | None
) -> Boards | None:
    """Return the true board after a capture that is not removed; None if that says nothing.

    Args:
        before: The true board, shape (64, 1), which is not changed.
        move: What is played on it.
        stepped: The double step before it.
    """
    if not before[move.from_square, 0] or captured_square(before, move, stepped) is None:
        return None
    landing = landing_square(before, move, SlipKind.CAPTURED_PIECE_STAYS)
    if landing is None:
        return None
    after = before.copy()
    carry_out(after, move, stepped, landing=landing, takes=False)
    return after
