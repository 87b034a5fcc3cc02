"""How well a model writes boards of games that it was not trained on, while it is trained."""

from collections.abc import Sequence
from typing import Final

import numpy as np
import pandas as pd

from workbench.environments.chess.kernel.packed_boards import Words, pack_fens, supported
from workbench.environments.chess.kernel.profiles import joint_profiles
from workbench.environments.chess.replay import play_moves
from workbench.errors import InvalidFenError
from workbench.games.pgn import Game
from workbench.language_model.language_model import LanguageModel

PLIES: Final = (10, 32, 54, 76, 100)
"""5, 16, 27, 38 and 50 full moves, as in the paper."""
_DEPTH: Final = 4


class HeldOutBoards:
    """Boards after fixed numbers of plies of some games."""

    def __init__(self, games: Sequence[Game], count: int) -> None:
        """Take the first games that are long enough.

        Args:
            games: Not among those trained on.
            count: How many.
        """
        long = [game.moves for game in games if len(game.moves) >= PLIES[-1]][:count]
        self._lines = [list(moves[:plies]) for plies in PLIES for moves in long]
        self._true = [play_moves(line).fen() for line in self._lines]
        self._count = len(long)

    def accuracy(self, model: LanguageModel) -> pd.DataFrame:
        """Return, by ply, the share of boards that are wholly right, and the mean p_4.

        A board is right if placement, side to move, castling rights and en-passant square are.
        A text that is no FEN counts as 0.
        """
        texts = model.write_states(self._lines)
        exact = [
            text.split(" ")[:4] == true.split(" ")[:4]
            for text, true in zip(texts, self._true, strict=True)
        ]
        precision = np.zeros(len(texts))
        for index, (text, true) in enumerate(zip(texts, self._true, strict=True)):
            rows = _rows(text)
            if rows is not None:
                found = joint_profiles(pack_fens([true]), rows, _DEPTH, workers=1)
                precision[index] = found.precision[0, -1]
        frame = pd.DataFrame(
            {"plies": np.repeat(PLIES, self._count), "exact": exact, "p_4": precision}
        )
        return frame.groupby("plies", as_index=False).mean()


def _rows(text: str) -> Words | None:
    try:
        rows = pack_fens([text])
    except InvalidFenError:
        return None
    return rows if supported(rows).all() else None
