"""A chess board drawn on axes, for figures."""

from collections.abc import Iterable
from typing import Final

import chess
from matplotlib.axes import Axes
from matplotlib.patches import Rectangle
from matplotlib.patheffects import withStroke

LIGHT: Final = "#f4f4f0"
DARK: Final = "#c2c6c9"
INK: Final = "#1a1a1a"
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
        corner = chess.square_file(square) + 0.06, chess.square_rank(square) + 0.06
        axes.add_patch(
            Rectangle(
                corner, 0.88, 0.88, fill=False, edgecolor=INK, linewidth=1.4, linestyle=(0, (2, 1)),
                zorder=4,
            )
        )  # fmt: skip
