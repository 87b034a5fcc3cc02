"""Looks of figures: sizes, grid, colours that survive colour-blindness and greyscale, and static output."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from io import BytesIO
from itertools import count
from math import lcm
from pathlib import Path
from typing import Final

import numpy as np
import numpy.typing as npt
import pandas as pd
from IPython.display import Image
from matplotlib.axes import Axes
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

from workbench.drawing.labels import STILL_DOTS_AN_INCH, typeset, wrapped
from workbench.tables.parquet_tables import replacing

# Seaborn's palette "colorblind"; importing seaborn takes longer than drawing most figures.
COLOURS: Final = tuple(
    map(
        to_rgb,
        ("#0173b2", "#de8f05", "#029e73", "#d55e00", "#cc78bc",
         "#ca9161", "#fbafe4", "#949494", "#ece133", "#56b4e9"),
    )
)  # fmt: skip
MARKERS: Final = ("o", "s", "^", "D", "v", "P", "X", "<")
LINES: Final = ("-", "--", ":", "-.")
HATCHES: Final = ("", "///", "...", "xx", "\\\\\\", "---", "ooo", "+++", "|||", "**")

_TITLE_SIZE: Final = 11
_SHOWN_DOTS_AN_INCH: Final = 110
_NOTE_SIZE: Final = 7
_MARGIN: Final = 0.06
_LINE_HEIGHT: Final = 1.25


@dataclass(frozen=True, slots=True)
class Style:
    """The look that distinguishes one of several things, with and without colour.

    Attributes:
        colour: Red, green, blue.
        marker: Marker of points.
        line: Style of lines, as matplotlib names it.
        hatch: Hatch of surfaces.
        face: Inside a marker: the colour, or white.
    """

    colour: tuple[float, float, float]
    marker: str
    line: str
    hatch: str
    face: tuple[float, float, float] | str


def style(index: int) -> Style:
    """Return the look with this number; there is one for every number.

    The first 64 differ in marker, line or face, whatever their colour; the first 320 in all four.
    """
    colour = COLOURS[index % len(COLOURS)]
    shape, turn = index % len(MARKERS), index // len(MARKERS)
    filled = turn // len(LINES) % 2 == 0
    return Style(
        colour=colour,
        marker=MARKERS[shape],
        line=LINES[(index + turn) % len(LINES)],
        hatch=HATCHES[index % len(HATCHES)],
        face=colour if filled else "white",
    )


def series_looks(names: Iterable[str], own: Mapping[str, Style]) -> dict[str, Style]:
    """Return a look for each of several series, the same in every figure of the same ones.

    Args:
        names: Of the series, in any order.
        own: The looks that some names have always, whatever else is drawn. The others take those of
            `style` in the order of their names, without the marker, line and face of these.
    """
    different = sorted(set(names))
    in_use = {_shape(own[name]) for name in different if name in own}
    others = (look for look in map(style, count()) if _shape(look) not in in_use)
    return {name: own.get(name) or next(others) for name in different}


def _shape(look: Style) -> tuple[str, str, bool]:
    return look.marker, look.line, look.face == "white"


class _NotebookFigure(Figure):
    """A figure outside pyplot that a notebook shows where a cell returns it."""

    def _repr_png_(self) -> bytes:
        picture = BytesIO()
        self.savefig(picture, format="png", dpi=_SHOWN_DOTS_AN_INCH)
        return picture.getvalue()


def new_figure(
    panels: int = 1, width: float = 6.4, height: float = 4.0, rows: int = 1
) -> tuple[Figure, list[Axes]]:
    """Return an empty figure, kept out of pyplot's list of open ones, and its axes.

    ``panels`` stand side by side and share the vertical axis, ``rows`` of them the horizontal one;
    sizes are those of the whole figure in inches.
    """
    figure = _NotebookFigure(figsize=(width, height), layout="constrained")
    grid = figure.subplots(rows, panels, squeeze=False, sharey="row", sharex=rows > 1)
    plain_axes(grid.flat)
    return figure, list(grid.flat)


def figure_of_rows(
    panels: Sequence[int], heights: Sequence[float], width: float
) -> tuple[Figure, list[list[Axes]]]:
    """Return an empty figure, as `new_figure` does, and its axes by row, with heights in inches."""
    figure = _NotebookFigure(figsize=(width, sum(heights)), layout="constrained")
    columns = lcm(*panels)
    grid = figure.add_gridspec(len(panels), columns, height_ratios=heights)
    rows: list[list[Axes]] = []
    for row, number in enumerate(panels):
        span = columns // number
        rows.append([])
        for place in range(number):
            shared = rows[-1][0] if place else None
            cell = grid[row, place * span : (place + 1) * span]
            rows[-1].append(figure.add_subplot(cell, sharey=shared))
            rows[-1][-1].tick_params(labelleft=place == 0)
        plain_axes(rows[-1])
    return figure, rows


def plain_axes(panels: Iterable[Axes], grid: str = "y") -> None:
    """Draw faint lines along one axis, and no frame at the top and at the right."""
    for axes in panels:
        axes.grid(True, axis=grid, linewidth=0.5, alpha=0.5)  # type: ignore[arg-type]
        axes.set_axisbelow(True)
        axes.spines[["top", "right"]].set_visible(False)


def bar_lengths(
    value: npt.ArrayLike, low: npt.ArrayLike, high: npt.ArrayLike
) -> npt.NDArray[np.float64]:
    """Return how far error bars reach below and above values, as matplotlib takes it; NaN: no bar."""
    values, lows, highs = (np.asarray(each, dtype=float) for each in (value, low, high))
    reach = np.clip([values - lows, highs - values], 0, None)
    lengths: npt.NDArray[np.float64] = np.nan_to_num(reach)
    return lengths


def draw_means(
    axes: Axes,
    at: "pd.Series[float]",
    mean: "pd.Series[float]",
    low: "pd.Series[float]",
    high: "pd.Series[float]",
    look: Style,
    label: str,
    *,
    size: float = 5.0,
    width: float = 1.3,
) -> None:
    """Draw a line through means, with their intervals as bars; size and width are in points."""
    axes.errorbar(
        at,
        mean,
        yerr=[(mean - low).clip(lower=0), (high - mean).clip(lower=0)],
        marker=look.marker,
        markerfacecolor=look.face,
        linestyle=look.line,
        color=look.colour,
        markersize=size,
        linewidth=width,
        elinewidth=0.8,
        capsize=2,
        label=label,
    )


def plain_log_scale(axes: Axes) -> None:
    """Make the vertical axis logarithmic, with plain numbers at 1, 2 and 5 of every decade.

    Where what is drawn spans less than a decade, 3 and 7 are written too.
    """
    axes.set_yscale("log")
    low, high = axes.get_ylim()
    between = (1.0, 2.0, 3.0, 5.0, 7.0) if high < 10 * low else (1.0, 2.0, 5.0)
    axes.yaxis.set_major_locator(LogLocator(subs=between))
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axes.yaxis.set_minor_formatter(NullFormatter())


def caption(figure: Figure, title: str, note: str, subject: str = "") -> None:
    """Put a title above, and below in small what a reader must know to read the figure.

    Both are broken into lines as wide as the figure, which grows by the lines that this adds.
    Symbols such as ``p_4`` become formulas. ``subject``, what the title is about, follows it.
    """
    if subject:
        title += f" {subject}" if title.endswith("?") else f": {subject}"
    width = figure.get_figwidth() - _MARGIN
    height = figure.get_figheight()
    texts = []
    for text, size in ((title, _TITLE_SIZE), (note, _NOTE_SIZE)):
        texts.append(typeset(wrapped(text, width, size)))
        added = texts[-1].count("\n") - text.count("\n")
        height += added * size * _LINE_HEIGHT / 72
    figure.set_figheight(height)
    figure.suptitle(texts[0], fontsize=_TITLE_SIZE)
    figure.supxlabel(texts[1], fontsize=_NOTE_SIZE, color="0.3")


def still(figure: Figure, alt: str, name: str = "", out: str | Path = "") -> Image:
    """Return a figure as a PNG for notebooks and exports, with alternative text.

    Args:
        figure: A figure; pyplot need not know it.
        alt: Alternative text for the picture.
        name: The stem of the PNG file that is written as well.
        out: The folder for it; none is written if it is empty.
    """
    content = BytesIO()
    figure.savefig(content, format="png", dpi=STILL_DOTS_AN_INCH, metadata={"Software": None})
    picture = content.getvalue()
    if out:
        with replacing(Path(out) / f"{name}.png") as beside:
            beside.write_bytes(picture)
    return Image(data=picture, format="png", alt=alt)  # type: ignore[no-untyped-call]
