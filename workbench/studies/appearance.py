"""How every figure looks: sizes, grid, and colours that survive colour-blindness and greyscale."""

from typing import Final

import seaborn as sns
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

COLOURS: Final = tuple(sns.color_palette("colorblind"))
MARKERS: Final = ("o", "s", "^", "D", "v", "P", "X", "<")
HATCHES: Final = ("", "///", "...", "xx")


def new_figure(
    panels: int = 1, width: float = 6.4, height: float = 4.0
) -> tuple[Figure, list[Axes]]:
    """Return an empty figure, kept out of pyplot's list of open ones, and its axes in a row.

    Args:
        panels: Axes side by side, sharing the vertical axis, at least 1.
        width: Of the whole figure in inches.
        height: Of the whole figure in inches.
    """
    figure = Figure(figsize=(width, height), layout="constrained")
    grid = figure.subplots(1, panels, squeeze=False, sharey=True)
    axes = list(grid[0])
    for each in axes:
        each.grid(True, axis="y", linewidth=0.5, alpha=0.5)
        each.set_axisbelow(True)
        each.spines[["top", "right"]].set_visible(False)
    return figure, axes


def plain_log_scale(axes: Axes) -> None:
    """Make the vertical axis logarithmic, with plain numbers at 1, 2 and 5 of every decade."""
    axes.set_yscale("log")
    axes.yaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axes.yaxis.set_minor_formatter(NullFormatter())


def caption(figure: Figure, title: str, note: str) -> None:
    """Put a title above, and below in small what a reader must know to read the figure."""
    figure.suptitle(title, fontsize=11)
    figure.supxlabel(note, fontsize=7, color="0.3")
