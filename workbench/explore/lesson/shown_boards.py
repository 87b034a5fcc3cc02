"""Boards side by side as pictures, without any number that a lesson still asks for."""

from collections.abc import Mapping

import chess
from IPython.display import HTML

from workbench.explore.page.still_html import board


def show_boards(boards: Mapping[str, str]) -> HTML:
    """Return boards as pictures beside each other; the squares that differ from the first are marked.

    Args:
        boards: Full FENs by what is written above each, the true board first.
    """
    positions = {name: chess.Board(fen) for name, fen in boards.items()}
    first = next(iter(positions.values()))
    drawn = [
        board(name, position, boards[name], _different(first, position))
        for name, position in positions.items()
    ]
    return HTML("".join(drawn))  # type: ignore[no-untyped-call]


def _different(one: chess.Board, other: chess.Board) -> list[str]:
    return [
        chess.square_name(square)
        for square in chess.SQUARES
        if one.piece_at(square) != other.piece_at(square)
    ]
