"""Boards of squares drawn as SVG, with marked squares; what they show survives a grey printer."""

from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import Final

from workbench.environment import Place

CELL: Final = 40
"""Side of a square, in the units of the drawing."""
INK: Final = "#1a1a1a"
_MARGIN: Final = 18
DIFFERENT: Final = "#9a1286"
"""The colour of the mark of what differs, on light grounds; pages, pictures and figures have the same mark."""
HATCH: Final = "M0,15L15,0M0,30L30,0M0,45L45,0M15,45L45,15M30,45L45,30"
BRACKETS: Final = "M2,13V2H13M32,2H43V13M43,32V43H32M13,43H2V32"
"""The mark on a square of 45 units, the shape of which is seen without its colour, too."""
_MARK_UNITS: Final = 45


def difference_mark(x: float, y: float, width: float, height: float) -> str:
    """Return the mark of what differs as SVG: brackets in the corners, and hatching."""
    place = f"translate({x:g} {y:g}) scale({width / _MARK_UNITS:.5g} {height / _MARK_UNITS:.5g})"
    return (
        f'<g class="different" transform="{place}" fill="none" stroke="{DIFFERENT}">'
        f'<path d="{HATCH}" stroke-width="1.6" stroke-opacity="0.5"/>'
        f'<path d="{BRACKETS}" stroke="#ffffff" stroke-width="5.5" stroke-opacity="0.7"/>'
        f'<path d="{BRACKETS}" stroke-width="3"/></g>'
    )


def square_place(name: str, row: int, column: int, *, movable: bool) -> Place:
    """Return a square of `square_picture` as a place; rows and columns count from 0."""
    return Place(name, CELL * column, CELL * row, CELL, CELL, movable)


def square_centre(row: int, column: int) -> tuple[float, float]:
    """Return the middle of a square of `square_picture`."""
    return CELL * (column + 0.5), CELL * (row + 0.5)


def square_picture(
    name: str,
    caption: str,
    squares: Sequence[Sequence[str]],
    marked: Iterable[tuple[int, int]],
    labels: tuple[Sequence[str], Sequence[str]],
    symbols: Mapping[str, str],
) -> str:
    """Return a board of squares as the text of an SVG element.

    Args:
        name: What the picture shows, for those who cannot see it; the caption follows it.
        caption: What stands below the board.
        squares: What stands on each square, row by row, as keys of ``symbols``.
        marked: Rows and columns, from 0, of squares that differ; see `difference_mark`.
        labels: Of the rows, at their left, and of the columns, above them.
        symbols: What is drawn for each key, as SVG on a square of `CELL` by `CELL` units.
    """
    drawn = "".join(
        f'<g transform="translate({CELL * column} {CELL * row})">{symbols[key]}</g>'
        for row, line in enumerate(squares)
        for column, key in enumerate(line)
    )
    frames = sorted(set(marked))
    drawn += "".join(
        difference_mark(CELL * column, CELL * row, CELL, CELL) for row, column in frames
    )
    size = len(squares), max(map(len, squares))
    return board_frame(name, caption, size, len(frames), f"{board_labels(labels)}{drawn}")


def board_frame(name: str, caption: str, size: tuple[int, int], marks: int, drawing: str) -> str:
    """Return a drawing of a board as an SVG element that has a name and a caption.

    Args:
        name: What the picture shows.
        caption: What stands below the board.
        size: Rows and columns.
        marks: The number of marked squares.
        drawing: SVG whose origin is the upper left corner of the board, a square being `CELL` wide.
    """
    height, width = (CELL * count for count in size)
    description = f"{name}: {caption}" + (f"; {marks} squares marked" if marks else "")
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" aria-label="{escape(description)}" '
        f'viewBox="{-_MARGIN} {-_MARGIN} {width + _MARGIN + 2} {height + 2 * _MARGIN}" '
        'font-family="sans-serif" font-size="12" text-anchor="middle">'
        f"<title>{escape(description)}</title>"
        f'<rect x="{-_MARGIN}" y="{-_MARGIN}" width="100%" height="100%" fill="#ffffff"/>{drawing}'
        f'<text x="{width / 2:g}" y="{height + _MARGIN - 5}" fill="{INK}">{escape(caption)}</text></svg>'
    )


def board_labels(labels: tuple[Sequence[str], Sequence[str]]) -> str:
    """Return the labels of a board's rows, at their left, and of its columns, above them, as SVG."""
    rows, columns = labels
    return "".join(
        f'<text x="{-_MARGIN / 2}" y="{CELL * place + CELL / 2 + 4:g}" fill="{INK}">{escape(label)}</text>'
        for place, label in enumerate(rows)
    ) + "".join(
        f'<text x="{CELL * place + CELL / 2:g}" y="-5" fill="{INK}">{escape(label)}</text>'
        for place, label in enumerate(columns)
    )
