"""What can be measured on a drawn figure: text off the canvas, labels on each other, hidden points."""

import re
from itertools import combinations

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.text import Text

from workbench.drawing.labels import FILE_DOTS_AN_INCH

# ``p_4``, but not within a formula or a name.
PLAIN_SYMBOL = re.compile(r"(?<![\w$./-])[prFv]_(\d+|[mi])(?![\w$./-])")
SLACK = 1.0
"""Pixels."""


def drawn_texts(figure):
    """Return all texts of a figure that are drawn."""
    found = [*figure.texts, figure._suptitle, figure._supxlabel]
    for axes in figure.axes:
        found += [*axes.texts, axes.title]
        if axes.axison:
            found += [axes.xaxis.label, axes.yaxis.label]
            found += [*tick_labels(axes.xaxis), *tick_labels(axes.yaxis)]
    for legend in legends(figure):
        found += legend.findobj(Text)
    return [text for text in found if text is not None and text.get_visible() and text.get_text()]


def tick_labels(axis):
    """Return the labels that are drawn: those of ticks outside the view are not."""
    low, high = sorted(axis.get_view_interval())
    return [
        tick.label1
        for tick in axis.get_major_ticks()
        if low <= tick.get_loc() <= high and tick.label1.get_visible() and tick.label1.get_text()
    ]


def legends(figure):
    """Return the legends of a figure and of its axes."""
    of_axes = [axes.get_legend() for axes in figure.axes]
    return [*figure.legends, *(legend for legend in of_axes if legend is not None)]


def faults(figure):
    """Return in words what is cut off, or stands on something else, when a figure is drawn."""
    figure.set_dpi(FILE_DOTS_AN_INCH)
    renderer = FigureCanvasAgg(figure).get_renderer()
    figure.draw_without_rendering()
    found = []
    width, height = figure.bbox.size
    for text in drawn_texts(figure):
        box = text.get_window_extent(renderer)
        inside = min(box.x0, box.y0, width - box.x1, height - box.y1) >= -SLACK
        found += [] if inside else [f"cut off: {text.get_text()!r}"]
        if PLAIN_SYMBOL.search(text.get_text()):
            found.append(f"a symbol that is not typeset: {text.get_text()!r}")
    for axes in figure.axes:
        groups = [[text for text in axes.texts if text.get_text()]]
        if axes.axison:
            groups += [tick_labels(axes.xaxis), tick_labels(axes.yaxis)]
        for group in groups:
            # A rotated text does not fill its box.
            boxes = [(t, t.get_window_extent(renderer)) for t in group if not t.get_rotation()]
            found += [
                f"{one.get_text()!r} stands on {other.get_text()!r}"
                for (one, box), (other, its) in combinations(boxes, 2)
                if box.overlaps(its)
            ]
        found += [
            f"a legend stands on {axes.get_title()!r}"
            for legend in legends(figure)
            # Axes left empty are where a legend may be.
            if (axes.axison or axes.has_data())
            and legend.get_window_extent(renderer).overlaps(axes.bbox)
        ]
    return found
