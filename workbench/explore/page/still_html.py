"""The last answer of a widget as plain HTML: for exports, code hosts and pages without a kernel.

Nothing here needs a script or a style sheet, and every text is escaped.
"""

import base64
import re
from collections.abc import Iterable, Sequence
from html import escape
from typing import Final

import chess
import chess.svg

from workbench.environments.square_picture import difference_mark

_SQUARES: Final = {
    "square light": "#efebe2",
    "square dark": "#b9b09c",
    "square light lastmove": "#efebe2",
    "square dark lastmove": "#b9b09c",
    "margin": "#ffffff",
    "coord": "#3a3a3a",
}
_MARGIN: Final = 15
"""Around the squares of a drawing of python-chess that has coordinates."""
_BOARD_PIXELS: Final = 280
_WRAPPED: Final = "font-size:11px;overflow-wrap:anywhere;white-space:normal"
_LEFT: Final = "text-align:left"
_ASIDE: Final = "display:inline-block;vertical-align:top;margin:0 24px 8px 0"


_SYMBOL: Final = re.compile(r"\b([prFv])_(\d+|m)\b")


def with_subscripts(html: str) -> str:
    """Return HTML whose p_4, r_m and the like, which no attribute may hold, have subscripts."""
    return _SYMBOL.sub(r"\1<sub>\2</sub>", html)


def paragraph(text: str) -> str:
    """Return a text as a paragraph; an empty text gives nothing."""
    return f"<p>{with_subscripts(escape(text))}</p>" if text else ""


def heading(text: str) -> str:
    """Return a text as a short bold line."""
    return f"<p><strong>{with_subscripts(escape(text))}</strong></p>"


def listing(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Return a table with a line of names; the first column names the rows."""
    names = [with_subscripts(escape(name)) for name in columns]
    head = "".join(f'<th scope="col">{name}</th>' for name in names)
    lines = [
        f'<tr><th scope="row" style="{_LEFT}">{escape(str(first))}</th>'
        + "".join(f"<td>{escape(str(cell))}</td>" for cell in cells)
        + "</tr>"
        for first, *cells in rows
    ]
    return f"<table><thead><tr>{head}</tr></thead><tbody>{''.join(lines)}</tbody></table>"


def board(
    name: str,
    position: chess.Board | None,
    fen: str,
    different: Iterable[str] = (),
    *,
    flipped: bool = False,
) -> str:
    """Return one board as a picture with its name and its FEN, some squares marked.

    Without a position there is the FEN alone, or that there is none.
    """
    # Lines break after a slash, of which a FEN has seven, or a space; not inside a rank.
    broken = escape(fen).replace("/", "/<wbr>", 7)
    text = f'<code style="{_WRAPPED}">{broken}</code>' if fen else "no board"
    drawing = ""
    if position is not None:
        drawn = chess.svg.board(
            position,
            size=_BOARD_PIXELS,
            colors=_SQUARES,
            orientation=chess.BLACK if flipped else chess.WHITE,
        )
        marks = (
            difference_mark(
                *_corner(chess.parse_square(square), flipped),
                chess.svg.SQUARE_SIZE,
                chess.svg.SQUARE_SIZE,
            )
            for square in different
        )
        drawn = f"{drawn.removesuffix('</svg>')}{''.join(marks)}</svg>"
        drawing = picture(drawn, f"{name}: {fen}", _BOARD_PIXELS)
    return aside(f"<strong>{escape(name)}</strong><br>{drawing}{text}", _BOARD_PIXELS)


def _corner(square: chess.Square, flipped: bool) -> tuple[int, int]:
    """Return where a square begins in a drawing of python-chess."""
    file, rank = chess.square_file(square), chess.square_rank(square)
    column, row = (7 - file, rank) if flipped else (file, 7 - rank)
    side = chess.svg.SQUARE_SIZE
    return _MARGIN + side * column, _MARGIN + side * row


def picture(svg: str | None, alt: str, width: int) -> str:
    """Return an SVG drawing as an image, in which nothing is run or loaded; None gives nothing."""
    if svg is None:
        return ""
    code = base64.b64encode(svg.encode()).decode()
    return (
        f'<img width="{width}" style="max-width:100%" alt="{escape(alt)}" '
        f'src="data:image/svg+xml;base64,{code}"><br>'
    )


def preformatted(text: str) -> str:
    """Return a text with its line breaks."""
    return f'<pre style="font-size:11px;white-space:pre-wrap">{escape(text)}</pre>'


def aside(content: str, width: int | None = None) -> str:
    """Return HTML as a block beside its neighbours, as far as there is room."""
    wide = "" if width is None else f";width:{width}px;max-width:100%"
    return f'<div style="{_ASIDE}{wide}">{content}</div>'
