"""Where tracking was lost: the move whose wrong replay leads nearest to a prediction.

The game is replayed once for every ply with that one move left out, and once for every capture
with the taken piece left standing, by the rules of `workbench.environments.chess.slips`.
"""

from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

import numpy as np

from workbench.environments.chess.fen import Fen
from workbench.environments.chess.kernel import MistakenReplays, mistaken_replays
from workbench.environments.chess.replay import read_moves
from workbench.environments.chess.slips import pieces_of


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
