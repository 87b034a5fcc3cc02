"""The game tracker as a static picture, for exports, code hosts and papers."""

import math
from typing import Final

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from workbench.drawing.appearance import caption
from workbench.drawing.labels import typeset
from workbench.drawing.quantities import EDIT_DISTANCE, PRECISION, Quantity
from workbench.drawing.reply_words import class_words
from workbench.explore.game.tracked_game import TrackedGame

_MARKERS: Final = {"valid": "o", "ill_formed": "^", "unparseable": "x", "absent": "s"}


def tracker_figure(tracked: TrackedGame, depth: int) -> Figure:
    """Draw state precision and edit distance along a game; a mark's shape is the reply's class.

    Args:
        tracked: The game and its replies.
        depth: m, up to the depth that was scored.

    Returns:
        A figure that pyplot does not keep.
    """
    figure = Figure(figsize=(8.0, 3.4), layout="constrained")
    left = figure.subplots()
    right = left.twinx()
    precision = [reply.precision[depth - 1] for reply in tracked.replies]
    distance = [math.nan if each.distance is None else each.distance for each in tracked.replies]
    _draw(right, tracked, distance, EDIT_DISTANCE, hollow=True)
    _draw(left, tracked, precision, PRECISION, hollow=False)
    left.set(xlabel="ply", ylim=(-0.03, 1.05))
    left.set_ylabel(typeset(PRECISION.label(depth)), color=PRECISION.colour)
    right.set_ylabel(f"{EDIT_DISTANCE.name} / longer FEN", color=EDIT_DISTANCE.colour)
    right.set_ylim(bottom=-0.03 * right.get_ylim()[1])
    present = [name for name in _MARKERS if any(r.reply_class == name for r in tracked.replies)]
    handles = [
        *(
            Line2D([], [], color=quantity.colour, linestyle=quantity.metric.look.line, label=f"{name} ({side} axis)")
            for quantity, name, side in (
                (PRECISION, typeset(f"{PRECISION.symbol}_{depth}"), "left"),
                (EDIT_DISTANCE, EDIT_DISTANCE.name, "right"),
            )
        ),
        *(
            Line2D([], [], color="0.4", marker=_MARKERS[name], linestyle="", label=class_words(name))
            for name in present
        ),
    ]  # fmt: skip
    left.legend(
        handles=handles, fontsize=7, frameon=False, ncols=len(handles),
        loc="lower center", bbox_to_anchor=(0.5, 1.0),
    )  # fmt: skip
    for axes in (left, right):
        axes.spines["top"].set_visible(False)
    caption(figure, tracked.title, f"{len(tracked.replies)} replies; {tracked.conventions}")
    return figure


def _draw(
    axes: Axes,
    tracked: TrackedGame,
    values: list[float],
    quantity: Quantity,
    *,
    hollow: bool,
) -> None:
    plies = [reply.ply for reply in tracked.replies]
    axes.plot(
        plies, values, color=quantity.colour, linestyle=quantity.metric.look.line, linewidth=1.1
    )
    for name, marker in _MARKERS.items():
        places = [n for n, reply in enumerate(tracked.replies) if reply.reply_class == name]
        face = "none" if hollow else quantity.colour
        axes.plot(
            [plies[n] for n in places], [values[n] for n in places], linestyle="", marker=marker,
            markersize=4, color=quantity.colour, markerfacecolor=face, markeredgewidth=0.9,
        )  # fmt: skip
