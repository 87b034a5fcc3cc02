"""Chess960: recognition of its boards and games, which are not scored.

The automaton castles as standard chess does, so the measures of a Chess960 board would be those of
another game. The *true* board or its game decides; a prediction with wrong castling rights is only
a wrong prediction. A row is Chess960's if one of these holds:

1. The castling field of its true FEN names rook files (Shredder-FEN).
2. Its castling rights cannot be held in standard chess, and all of them can in Chess960.
3. The headers of its game say so, or its game starts from a shuffled back rank.
4. A name of it (file, path, position, variant) says so, and no moves of it lead from the initial
   position of standard chess to the true board.

A board of a Chess960 game that has no castling rights left, no moves and no name looks like any
other; the measures are right there, because castling is no longer possible.
"""

import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Final

import chess

from workbench.environments.chess.replay import play_moves
from workbench.errors import IllegalMoveError

VARIANT_NAMES: Final = re.compile(
    r"chess[\W_]*960|960[\W_]*chess|fischer?[\W_]*random|freestyle[\W_]*chess", re.IGNORECASE
)
"""As in Chess960, Chess 960, Fischerandom, fischer_random and Freestyle Chess."""

_PREFIX: Final = "Chess960, which has no measures here: "
_FILES: Final = frozenset("ABCDEFGHabcdefgh")
_STANDARD_START: Final = 518
_SHOWN: Final = 80


def chess960_row(true_fen: object, moves: object = None, names: Iterable[object] = ()) -> str:
    """Return why a row is of Chess960, or nothing if it is not.

    Args:
        true_fen: True FEN of the row; ignored if it is not a FEN.
        moves: In UCI from the initial position of standard chess, if known.
        names: Names of the row's file, position and so on, if known.
    """
    fen = true_fen if isinstance(true_fen, str) else ""
    if reason := chess960_board(fen):
        return reason
    for name in names:
        if isinstance(name, str) and VARIANT_NAMES.search(name):
            if isinstance(moves, str) and _leads_to(moves, fen):
                return ""
            return f"{_PREFIX}named so in {name[-_SHOWN:]!r}"
    return ""


@lru_cache(maxsize=1 << 16)
def chess960_board(fen: str) -> str:
    """Return why a board is of Chess960, or nothing if it is not, or cannot be read."""
    rights = "".join(fen.split()[2:3])
    if rights in ("", "-"):
        return ""
    try:
        standard, shuffled = chess.Board(fen), chess.Board(fen, chess960=True)
    except ValueError:
        return ""
    if set(rights) & _FILES:
        return f"{_PREFIX}its castling rights {rights!r} name the files of rooks"
    wrong = chess.STATUS_BAD_CASTLING_RIGHTS
    if standard.status() & wrong and not shuffled.status() & wrong:
        return (
            f"{_PREFIX}its castling rights {rights!r} belong to kings or rooks that do not stand "
            "where standard chess has them"
        )
    return ""


def chess960_headers(headers: Mapping[str, str]) -> str:
    """Return why a game is of Chess960 by its PGN headers, or nothing.

    Args:
        headers: ``Variant`` and ``FEN`` are looked at.
    """
    variant = headers.get("Variant", "")
    if VARIANT_NAMES.search(variant):
        return f"{_PREFIX}its game has the header Variant {variant[:_SHOWN]!r}"
    start = headers.get("FEN", "")
    try:
        number = chess.Board(start).chess960_pos(ignore_castling=True) if start else None
    except ValueError:
        number = None
    if number not in (None, _STANDARD_START):
        return f"{_PREFIX}its game starts from {start[:_SHOWN]!r}"
    return chess960_board(start)


def _leads_to(moves: str, fen: str) -> bool:
    try:
        board = play_moves(moves.split())
    except IllegalMoveError:
        return False
    return board.board_fen() == fen.split()[0] if fen.strip() else False
