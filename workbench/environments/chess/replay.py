"""A line of given moves: read from UCI or SAN, played on a board, and written in SAN again."""

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import Final, Literal

import chess

from workbench.errors import IllegalMoveError

Notation = Literal["UCI", "SAN"]

NOTATIONS: Final[tuple[Notation, ...]] = ("UCI", "SAN")
UCI: Final = re.compile(r"[a-h][1-8][a-h][1-8][qrbn]?")
SAN: Final = re.compile(
    r"(?:O-O(?:-O)?|[KQRBN][a-h]?[1-8]?x?[a-h][1-8]|[a-h](?:x[a-h])?[1-8](?:=?[QRBN])?)[+#]?[!?]{0,2}"
)
MOVE: Final = re.compile(f"{UCI.pattern}|{SAN.pattern}")
"""The form of a move in one of the notations, legal or not."""

_SHOWN: Final = 40


# There are some 2,000 moves, of which a game has a hundred; nobody changes one.
@lru_cache(maxsize=1 << 12)
def _move_of_uci(text: str) -> chess.Move:
    move = chess.Move.from_uci(text)
    if not move or move.drop:
        raise chess.InvalidMoveError(text)
    return move


def read_moves(texts: Iterable[str], game: str = "") -> list[chess.Move]:
    """Read moves without playing them, so that none need be legal.

    Args:
        texts: One move each, in UCI, from one square to another.
        game: What to call the game in a message.

    Raises:
        IllegalMoveError: If a text is no such move.
    """
    moves = []
    for ply, text in enumerate(texts, start=1):
        try:
            moves.append(_move_of_uci(text))
        except ValueError as error:
            raise IllegalMoveError(
                f"{_place(game, ply)}: expected a UCI move, got {text!r:.{_SHOWN}}"
            ) from error
    return moves


def play_moves(texts: Iterable[str], notation: Notation = "UCI", game: str = "") -> chess.Board:
    """Play moves from the initial position.

    Args:
        texts: One move each, legal in its place. Other spellings that python-chess takes, such as
            castling as e1h1, are read as the generated move.
        notation: Of all of them.
        game: What to call the game in a message.

    Returns:
        The board after the last move, with the moves on its stack.

    Raises:
        IllegalMoveError: If a move is illegal there, a null move, or in another notation.
    """
    board = chess.Board()
    parse = board.parse_uci if notation == "UCI" else board.parse_san
    for ply, text in enumerate(texts, start=1):
        try:
            move = parse(text)
            if not move:
                raise chess.IllegalMoveError("null move")
        except ValueError as error:
            # python-chess's message ends with the text and the FEN.
            reason = str(error).partition(":")[0]
            raise IllegalMoveError(
                f"{_place(game, ply)}: expected a legal move in {notation}, got "
                f"{text!r:.{_SHOWN}} ({reason}), FEN {board.fen()!r}"
            ) from error
        board.push(move)
    return board


def uci_moves(board: chess.Board) -> tuple[str, ...]:
    """Return the moves on a board's stack in UCI."""
    return tuple([move.uci() for move in board.move_stack])


def numbered_san(moves: Iterable[chess.Move], board: chess.Board) -> list[str]:
    """Play moves on a board, and return them in SAN with PGN's move numbers.

    Args:
        moves: Known to be legal.
        board: The board before them; after the call, the board after them.

    Returns:
        A text a move: "1. e4", "e5", "2. Nf3"; where Black moves first, "1... e5".
    """
    words: list[str] = []
    for move in moves:
        san = board.san_and_push(move)
        if not board.turn:
            words.append(f"{board.fullmove_number}. {san}")
        else:
            words.append(san if words else f"{board.fullmove_number - 1}... {san}")
    return words


def _place(game: str, ply: int) -> str:
    return f"{game}, ply {ply}" if game else f"ply {ply}"
