"""Boards of chess drawn as SVG within a page, which holds each piece's drawing once."""

import re
from typing import Final

from workbench.environments.square_picture import CELL, square_picture
from workbench.explore.board.moves_view import different_squares
from workbench.explore.board.reading import read_board
from workbench.explore.page.assets import piece_drawings

_UNITS: Final = 45
_SQUARES: Final = ("#efebe2", "#b9b09c")
_NO_IDENTITY: Final = re.compile(r' (?:id|class)="[^"]*"')


def piece_symbols() -> str:
    """Return the drawings that boards refer to: put this once into a page, before any board."""
    drawn = "".join(
        f'<g id="piece-{_name(letter)}" transform="scale({CELL / _UNITS:.5g})">'
        f"{_NO_IDENTITY.sub('', drawing)}</g>"
        for letter, drawing in piece_drawings().items()
    )
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" width="0" height="0" aria-hidden="true" '
        f'focusable="false" class="piece-symbols"><defs>{drawn}</defs></svg>'
    )


def drawn_board(name: str, fen: str, other: str) -> str:
    """Return a board as SVG, with dashed frames around the squares that another board has otherwise.

    Args:
        name: What the picture is called.
        fen: A FEN that python-chess reads.
        other: Another.

    Raises:
        InvalidFenError: If one of them cannot be read.
    """
    board, against = (read_board(text, "predicted").board for text in (fen, other))
    if board is None or against is None:
        return ""
    squares = []
    for rank in range(7, -1, -1):
        pieces = (board.piece_at(8 * rank + file) for file in range(8))
        squares.append(
            [
                f"{(rank + file + 1) % 2}{piece.symbol() if piece else ''}"
                for file, piece in enumerate(pieces)
            ]
        )
    symbols = {
        f"{dark}{letter}": f'<rect width="{CELL}" height="{CELL}" fill="{colour}"/>'
        + (f'<use href="#piece-{_name(letter)}"/>' if letter else "")
        for dark, colour in enumerate(_SQUARES)
        for letter in ["", *piece_drawings()]
    }
    marked = [
        (8 - int(square[1]), ord(square[0]) - ord("a"))
        for square in different_squares(board, against)
    ]
    turn = f"{'White' if board.turn else 'Black'} to move"
    return square_picture(name, turn, squares, marked, ("87654321", "abcdefgh"), symbols)


def _name(letter: str) -> str:
    """Return a name that differs from others also where upper and lower case do not."""
    return f"{'white' if letter.isupper() else 'black'}-{letter.lower()}"
