"""A pair of boards as one static picture, for exports, code hosts and papers."""

from textwrap import wrap
from typing import Any, Final

import chess
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import FancyArrowPatch
from matplotlib.ticker import MaxNLocator

from workbench.drawing.appearance import caption
from workbench.drawing.labels import typeset
from workbench.drawing.policy_words import finished_words, ill_formed_words
from workbench.drawing.quantities import EDIT_DISTANCE, PRECISION, RECALL
from workbench.environments.chess.board_picture import draw_board
from workbench.explore.explorer_settings import ExplorerSettings
from workbench.explore.pair.pair_view import pair_view

_DEFAULTS: Final = ExplorerSettings()


def pair_figure(
    true_fen: str, predicted_fen: str | None, settings: ExplorerSettings = _DEFAULTS
) -> Figure:
    """Draw both boards with what differs, and precision and recall at every depth.

    Squares that differ have a dashed frame. On each board arrows show the moves that it alone
    permits: on the true board they are lost to recall, on the predicted board to precision.

    Args:
        true_fen: A FEN that python-chess reads.
        predicted_fen: Another; None or a blank text is no state.
        settings: How to measure.

    Returns:
        A figure that pyplot does not keep.

    Raises:
        InvalidFenError: If a FEN cannot be read.
    """
    view = pair_view(true_fen, predicted_fen, settings)
    figure = Figure(figsize=(11.0, 4.4), layout="constrained")
    of_true, of_predicted, chart = figure.subplots(1, 3, width_ratios=(1.0, 1.0, 0.95))
    moves = view["moves"]
    for axes, side, title, arrows, colour in (
        (of_true, "true", "True board", moves["only_true"], RECALL.colour),
        (of_predicted, "predicted", "Predicted board", moves["only_predicted"], PRECISION.colour),
    ):
        noun = "move" if len(arrows) == 1 else "moves"
        marked = map(chess.parse_square, view["different"])
        draw_board(axes, view[side]["fen"], marked if view[side]["fen"] else (), size=19)
        _draw_arrows(axes, arrows, colour)
        axes.set_title(f"{title}: {len(arrows)} {noun} only here", fontsize=9)
        axes.set_xlabel(_wrapped(view[side]["words"]), fontsize=7)
    _draw_profile(chart, view["profile"])
    text = view["text"]
    accuracy = text["board_accuracy"]
    caption(
        figure,
        "What can be done on two boards",
        f"{EDIT_DISTANCE.name} {text['levenshtein']}, board accuracy "
        f"{'undefined' if accuracy is None else f'{accuracy:.3f}'}, "
        f"{finished_words(settings.terminal)}, {ill_formed_words(settings.ill_formed)}; "
        f"{view['profile']['reason']}",
    )
    return figure


def _draw_arrows(axes: Axes, moves: list[dict[str, Any]], colour: Any) -> None:
    for start, end in dict.fromkeys((move["from"], move["to"]) for move in moves):
        places = [
            (chess.square_file(square) + 0.5, chess.square_rank(square) + 0.5)
            for square in (chess.parse_square(start), chess.parse_square(end))
        ]
        arrow = FancyArrowPatch(
            *places, arrowstyle="-|>", mutation_scale=9, linewidth=1.6, color=colour, alpha=0.85,
            shrinkA=5, shrinkB=2, zorder=5,
        )  # fmt: skip
        axes.add_patch(arrow)


def _draw_profile(axes: Axes, profile: dict[str, Any]) -> None:
    depths = profile["depths"]
    for name, quantity in (("precision", PRECISION), ("recall", RECALL)):
        values = [entry["value"] for entry in profile[name]]
        axes.errorbar(
            depths,
            values,
            yerr=[
                [entry["value"] - entry["low"] for entry in profile[name]],
                [entry["high"] - entry["value"] for entry in profile[name]],
            ],
            color=quantity.colour,
            marker=quantity.look.marker,
            markersize=6,
            linestyle=quantity.look.line,
            capsize=3,
            label=typeset(quantity.label("m")),
        )
    axes.set(ylim=(-0.02, 1.04), xlim=(depths[0] - 0.4, depths[-1] + 0.4), xlabel="depth m")
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    axes.grid(True, axis="y", linewidth=0.5, alpha=0.5)
    axes.spines[["top", "right"]].set_visible(False)
    last = [profile[name][-1]["value"] for name in ("precision", "recall")]
    title = f"p_{depths[-1]} = {last[0]:.3g}, r_{depths[-1]} = {last[1]:.3g}"
    axes.set_title(typeset(title), fontsize=9)
    axes.legend(fontsize=8, frameon=False)


def _wrapped(words: str, width: int = 62) -> str:
    return "\n".join(wrap(words, width))
