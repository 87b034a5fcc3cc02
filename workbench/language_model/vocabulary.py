"""What the model reads and writes: moves as numbers, and the tokens that spell a FEN.

A written board is `SLOTS` tokens in the order of a FEN: 64 squares from a8 to h1, side to move,
castling rights, en-passant square, half-move clock, move number. Nothing forces a token to fit its
slot: `spell` writes the tokens as they are, which may be no FEN.
"""

from collections.abc import Sequence
from itertools import chain, combinations, groupby
from typing import Final

import chess
import numpy as np
from numpy.typing import NDArray

from workbench.errors import IllegalMoveError

SQUARES: Final = 64
SLOTS: Final = SQUARES + 5
CLOCKS: Final = SLOTS - 2
"""The first slot of the half-move clock and the move number, which end a board."""
MOST_PLIES: Final = 200
"""The longest game that the model reads."""

_PIECES: Final = "PNBRQKpnbrqk"
_EMPTY: Final = ""
_CASTLING: Final = tuple(
    "".join(rights) or "-"
    for rights in chain.from_iterable(combinations("KQkq", size) for size in range(5))
)
_PASSANT: Final = ("-", *(f"{file}{rank}" for rank in "36" for file in "abcdefgh"))
_NUMBERS: Final = tuple(map(str, range(151)))

TOKENS: Final = (_EMPTY, *_PIECES, "w", "b", *_CASTLING, *_PASSANT, *_NUMBERS)
"""The text of each token; the first is an empty square."""

SIDE: Final = 1 + len(_PIECES)
CASTLING: Final = SIDE + 2
PASSANT: Final = CASTLING + len(_CASTLING)
NUMBER: Final = PASSANT + len(_PASSANT)
LARGEST_NUMBER: Final = len(_NUMBERS) - 1

CASTLING_TOKEN: Final = {rights: CASTLING + at for at, rights in enumerate(_CASTLING)}

_SQUARE: Final = {name: square for square, name in enumerate(chess.SQUARE_NAMES)}
PROMOTIONS: Final = " nbrq"
START: Final = (SQUARES, SQUARES, 0)
"""Read before the first move."""


def read_moves(moves: Sequence[str]) -> NDArray[np.uint8]:
    """Return moves as the model reads them, with the start before the first."""
    if len(moves) > MOST_PLIES:
        raise IllegalMoveError(
            f"the language model reads at most {MOST_PLIES} plies, got {len(moves)}"
        )
    rows = [START]
    for ply, move in enumerate(moves, 1):
        start, end, promotion = move[:2], move[2:4], move[4:] or " "
        if not (start in _SQUARE and end in _SQUARE and promotion in set(PROMOTIONS)):
            raise IllegalMoveError(f"ply {ply}: expected a move in UCI, got {move[:20]!r}")
        rows.append((_SQUARE[start], _SQUARE[end], PROMOTIONS.index(promotion)))
    return np.array(rows, dtype=np.uint8)


def write_move(start: int, end: int, promotion: int) -> str:
    """Return a move in UCI, of numbers as `read_moves` gives them."""
    return chess.SQUARE_NAMES[start] + chess.SQUARE_NAMES[end] + PROMOTIONS[promotion].strip()


def spell(tokens: Sequence[int]) -> str:
    """Return the text that the tokens of a written board spell; nothing is repaired."""
    ranks = []
    for first in range(0, SQUARES, 8):
        groups = groupby(tokens[first : first + 8])
        ranks.append(
            "".join(
                str(len(list(same))) if token == 0 else TOKENS[token] * len(list(same))
                for token, same in groups
            )
        )
    fields = ["/".join(ranks), *(TOKENS[token] or "1" for token in tokens[SQUARES:])]
    return " ".join(fields)
