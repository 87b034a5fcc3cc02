"""A chess board drawn on axes, for figures."""

from collections.abc import Iterable
from typing import Final

import chess
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.patches import Rectangle
from matplotlib.patheffects import withStroke

from workbench.environments.square_picture import DIFFERENT

LIGHT: Final = "#f4f4f0"
DARK: Final = "#c2c6c9"
INK: Final = "#1a1a1a"
_HATCH: Final = [[(0, a), (1 - a, 1)] for a in (0, 1 / 3, 2 / 3)] + [
    [(a, 0), (1, 1 - a)] for a in (1 / 3, 2 / 3)
]
_BRACKETS: Final = [
    [(x, abs(y - 0.25)), (x, y), (abs(x - 0.25), y)] for x in (0.04, 0.96) for y in (0.04, 0.96)
]
"""Lines of the mark of what differs, on a square of side 1; see `square_picture.difference_mark`."""
_GLYPHS: Final = {"p": "♟", "n": "♞", "b": "♝", "r": "♜", "q": "♛", "k": "♚"}


def draw_board(
    axes: Axes, placement: str, marked: Iterable[chess.Square] = (), size: float = 15
) -> None:
    """Draw pieces on a board, White below."""
    axes.set(xlim=(0, 8), ylim=(0, 8), aspect="equal")
    axes.set_xticks([file + 0.5 for file in range(8)], list(chess.FILE_NAMES), fontsize=6)
    axes.set_yticks([rank + 0.5 for rank in range(8)], list(chess.RANK_NAMES), fontsize=6)
    axes.tick_params(length=0, pad=1)
    axes.grid(visible=False)
    for square in chess.SQUARES:
        file, rank = chess.square_file(square), chess.square_rank(square)
        colour = LIGHT if (file + rank) % 2 else DARK
        axes.add_patch(Rectangle((file, rank), 1, 1, facecolor=colour, linewidth=0))
    if not placement:
        axes.text(4, 4, "no board", ha="center", va="center", fontsize=size * 0.7, color=INK)
        return
    for square, piece in chess.BaseBoard(placement.split()[0]).piece_map().items():
        glyph = axes.text(
            chess.square_file(square) + 0.5,
            chess.square_rank(square) + 0.46,
            _GLYPHS[piece.symbol().lower()],
            ha="center",
            va="center",
            fontsize=size,
            fontfamily="DejaVu Sans",
            color="white" if piece.color else INK,
            zorder=3,
        )
        if piece.color:
            glyph.set_path_effects([withStroke(linewidth=size / 12, foreground=INK)])
    for square in marked:
        for lines, width, alpha, level in ((_HATCH, 0.9, 0.5, 2), (_BRACKETS, 1.8, 1.0, 4)):
            corner = chess.square_file(square), chess.square_rank(square)
            placed = [[(corner[0] + x, corner[1] + y) for x, y in line] for line in lines]
            collection = LineCollection(placed, color=DIFFERENT, linewidth=width, alpha=alpha)
            collection.set_zorder(level)
            axes.add_collection(collection, autolim=False)
