"""A game replayed with one mistake at each ply in turn, compiled."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import chess
import numpy as np
from numpy.typing import NDArray

from workbench.environments.chess.kernel.machine_code.cache import compiled_module
from workbench.environments.chess.slips import START

_MOST_CAPTURES: Final = 31
"""Of a game: all pieces but one, where a king is taken."""


@dataclass(frozen=True, slots=True)
class MistakenReplays:
    """The true board, then the board at the end of each mistaken replay, ordered by ply.

    At one ply, a move left out stands behind a capture not removed. There is no replay of a capture
    not removed where the taker has no square to go to.

    Attributes:
        boards: Codes of pieces as in `workbench.environments.chess.slips`, shape (1 + replays, 64).
        plies: The ply of the mistake, 1 for White's first move, shape (1 + replays,); 0 first.
        stays: Whether the mistake is a capture not removed, shape (1 + replays,).
    """

    boards: NDArray[np.uint8]
    plies: NDArray[np.int64]
    stays: NDArray[np.uint8]


def mistaken_replays(moves: Sequence[chess.Move]) -> MistakenReplays:
    """Replay a game with each of its moves left out, and with each capture not removed.

    Args:
        moves: From the first position on; they need not be legal.
    """
    most = 1 + len(moves) + min(len(moves), _MOST_CAPTURES)
    boards = np.zeros((most, 64), np.uint8)
    boards[0] = np.frombuffer(START, np.uint8)
    plies, stays = np.zeros(most, np.int64), np.zeros(most, np.uint8)
    codes = [move.from_square | move.to_square << 6 | (move.promotion or 0) << 12 for move in moves]
    found = compiled_module("replays").mistaken_boards(
        np.array(codes, np.uint16), boards, plies, stays
    )
    return MistakenReplays(boards[:found].copy(), plies[:found], stays[:found])
