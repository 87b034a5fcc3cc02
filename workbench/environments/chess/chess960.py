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
from typing import Final

import chess

from workbench.environments.chess.fen import Fen
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


def chess960_row(true: Fen, moves: object = None, names: Iterable[object] = ()) -> str:
    """Return why a row is of Chess960, or nothing if it is not.

    Args:
        true: True FEN of the row; ignored if it is not a FEN.
        moves: In UCI from the initial position of standard chess, if known.
        names: Names of the row's file, position and so on, if known.
    """
    if reason := chess960_board(true):
        return reason
    for name in names:
        if isinstance(name, str) and VARIANT_NAMES.search(name):
            if isinstance(moves, str) and _leads_to(moves, true):
                return ""
            return f"{_PREFIX}named so in {name[-_SHOWN:]!r}"
    return ""


def chess960_board(fen: Fen) -> str:
    """Return why a board is of Chess960, or nothing if it is not, or cannot be read."""
    rights = "".join(fen.fields[2:3])
    if rights in ("", "-") or fen.fault:
        return ""
    if names_rook_files(rights):
        return f"{_PREFIX}its castling rights {rights!r} name the files of rooks"
    if not _rights_fit(fen.board) and _rights_fit(chess.Board(fen.text, chess960=True)):
        return (
            f"{_PREFIX}its castling rights {rights!r} belong to kings or rooks that do not stand "
            "where standard chess has them"
        )
    return ""


def _rights_fit(board: chess.Board) -> bool:
    return board.castling_rights == board.clean_castling_rights()


def names_rook_files(rights: str) -> bool:
    """Return whether a castling field names the files of rooks, as in Shredder-FEN: ``HAha``."""
    return bool(set(rights) & _FILES)


def chess960_headers(headers: Mapping[str, str]) -> str:
    """Return why a game is of Chess960 by its PGN headers, or nothing.

    Args:
        headers: ``Variant`` and ``FEN`` are looked at.
    """
    variant = headers.get("Variant", "")
    if VARIANT_NAMES.search(variant):
        return f"{_PREFIX}its game has the header Variant {variant[:_SHOWN]!r}"
    start = Fen(headers.get("FEN", ""))
    number = None if start.fault else start.board.chess960_pos(ignore_castling=True)
    if number not in (None, _STANDARD_START):
        return f"{_PREFIX}its game starts from {start.text[:_SHOWN]!r}"
    return chess960_board(start)


def _leads_to(moves: str, fen: Fen) -> bool:
    try:
        board = play_moves(moves.split())
    except IllegalMoveError:
        return False
    return fen.fields[:1] == [board.board_fen()]
