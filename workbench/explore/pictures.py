"""The widgets as static pictures for exports, code hosts and papers."""

import math
from textwrap import fill
from typing import Any, Final

import chess
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import FancyArrowPatch
from matplotlib.ticker import MaxNLocator

from workbench.affordance import ESTIMATORS
from workbench.drawing.appearance import bar_lengths, caption, new_figure
from workbench.drawing.labels import typeset
from workbench.drawing.quantities import EDIT_DISTANCE, PRECISION, QUANTITIES, RECALL, Quantity
from workbench.drawing.reply_words import class_words, finished_words, ill_formed_words
from workbench.drawing.score_description import describe_scores
from workbench.environments.chess.board_picture import draw_board
from workbench.explore.explorer_settings import ExplorerSettings
from workbench.explore.pair.pair_view import pair_view
from workbench.explore.run.run_columns import column_label, default_mark
from workbench.explore.run.run_table import GAP, RunTable, in_order, value_names
from workbench.explore.run_batches import Reference, RunSettings, summarise_runs
from workbench.explore.tracked_game import TrackedGame
from workbench.studies.recorded_models import column_looks

_DEFAULTS: Final = ExplorerSettings()


def pair_figure(
    true_fen: str, predicted_fen: str | None, settings: ExplorerSettings = _DEFAULTS
) -> Figure:
    """Draw both boards with what differs, and precision and recall at every depth.

    Squares that differ have brackets and hatching. On each board arrows show the moves that it alone
    permits: on the true board they are lost to recall, on the predicted board to precision.
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
        axes.set_xlabel(fill(view[side]["words"], 62), fontsize=7)
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
        values, low, high = (
            [entry[end] for entry in profile[name]] for end in ("value", "low", "high")
        )
        axes.errorbar(
            depths,
            values,
            yerr=bar_lengths(values, low, high),
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


_MARKERS: Final = {"valid": "o", "ill_formed": "^", "unparseable": "x", "absent": "s"}


def tracker_figure(tracked: TrackedGame, depth: int) -> Figure:
    """Draw state precision and, below it, edit distance along a game; a mark's shape is the reply's class."""
    figure = Figure(figsize=(8.0, 4.2), layout="constrained")
    upper, lower = figure.subplots(2, 1, sharex=True)
    precision = [reply.precision[depth - 1] for reply in tracked.replies]
    distance = [math.nan if each.distance is None else each.distance for each in tracked.replies]
    _draw(upper, tracked, precision, PRECISION, hollow=False)
    _draw(lower, tracked, distance, EDIT_DISTANCE, hollow=True)
    lower.set_xlabel("ply")
    upper.set_ylim(-0.03, 1.05)
    upper.set_ylabel(typeset(PRECISION.label(depth)), color=PRECISION.colour)
    lower.set_ylabel(f"{EDIT_DISTANCE.name} / longer FEN", color=EDIT_DISTANCE.colour)
    lower.set_ylim(bottom=-0.03 * lower.get_ylim()[1])
    present = [name for name in _MARKERS if any(r.reply_class == name for r in tracked.replies)]
    handles = [
        Line2D([], [], color="0.4", marker=_MARKERS[name], linestyle="", label=class_words(name))
        for name in present
    ]
    upper.legend(
        handles=handles, fontsize=7, frameon=False, ncols=len(handles),
        loc="lower center", bbox_to_anchor=(0.5, 1.0),
    )  # fmt: skip
    for axes in (upper, lower):
        axes.spines[["top", "right"]].set_visible(False)
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


_GOLDEN = 0.6180339887
"""Heights of dots: multiples of it modulo 1 spread evenly however many there are."""


def estimator_figure(settings: RunSettings, runs: pd.DataFrame, aim: Reference) -> Figure:
    """Draw a strip of single runs for each estimator, with the mean and the value aimed at."""
    methods = settings.methods
    figure = Figure(figsize=(7.5, 0.8 + 0.62 * max(len(methods), 1)), layout="constrained")
    axes = figure.subplots()
    quantity = QUANTITIES[settings.measure]
    name = f"{quantity.symbol}_{settings.depth}"
    if not aim.exact:
        axes.axvspan(aim.low, aim.high, color="0.8", linewidth=0)
    axes.axvline(
        aim.value, color="black", linewidth=1.2, linestyle="-" if aim.exact else "--", zorder=3
    )
    summary = summarise_runs(runs, aim, settings.samples, methods)
    for place, row in enumerate(summary.to_dict("records")):
        values = runs.loc[runs["method"] == row["method"], "value"].to_numpy(float)
        heights = place + 0.6 * (np.arange(len(values)) * _GOLDEN % 1) - 0.3
        axes.plot(values, heights, ".", color=quantity.colour, markersize=2.5, alpha=0.5)
        axes.errorbar(
            row["mean"], place, xerr=2 * row["standard_error"], fmt="D", color="black",
            markersize=5, markeredgecolor="white", capsize=3, zorder=4,
        )  # fmt: skip
    axes.set_yticks(range(len(methods)), [ESTIMATORS[each].label for each in methods])
    axes.set_ylim(len(methods) - 0.5, -0.5)
    axes.set_xlabel(typeset(f"{name} by a single run, N = {settings.samples}"))
    axes.spines[["top", "right"]].set_visible(False)
    words = "exact" if aim.exact else "estimated, with its 95% band"
    caption(
        figure,
        f"Estimators of {name}: {settings.repeats} runs each",
        f"line: {words} {aim.value:.5g}; diamonds: means ± 2 standard errors; seed {settings.seed}",
    )
    return figure


_MOST_IN_COLUMN: Final = 18
_SLICES: Final = 20


def run_figure(run: RunTable) -> Figure:
    """Draw the rows of a run that have both measures; the note counts the others."""
    rows = run.rows
    defined = rows["edit_distance"].notna() & rows["precision"].notna()
    figure, (axes,) = new_figure(width=7.2, height=4.4)
    measure = column_label("precision", run)
    by = default_mark(run)
    names = value_names(rows, by)
    different = in_order(names.unique())
    looks = column_looks(by, different)
    counts = names[defined].value_counts()
    # In mixed order: drawn one after the other, the last group would cover the rest.
    mixed = np.random.default_rng(0).permutation(np.flatnonzero(defined))
    for number, places in enumerate(np.array_split(mixed, _SLICES)):
        for name, look in looks.items():
            part = rows.iloc[places][(names.iloc[places] == name).to_numpy()]
            axes.scatter(
                part["edit_distance"],
                part["precision"],
                s=18,
                marker=look.marker,
                facecolors=look.face,
                edgecolors="none" if look.face == look.colour else look.colour,
                alpha=0.6,
                linewidths=0.8,
                label=None if number else f"{name} ({counts.get(name, 0):,})",
            )
    axes.set_xlabel(f"{EDIT_DISTANCE.name} (characters)")
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    axes.set_ylabel(typeset(measure))
    axes.set_ylim(-0.03, 1.03)
    axes.legend(
        title=f"{by} (rows)",
        fontsize=8,
        title_fontsize=8,
        frameon=False,
        loc="upper left",
        bbox_to_anchor=(1.0, 1.0),
        ncols=-(-max(1, len(different)) // _MOST_IN_COLUMN),
    )
    apart = rows[defined]["disagreement"].abs()
    far = int(np.count_nonzero(apart >= GAP))
    left = int((~defined).sum())
    sets = [name for name in in_order(value_names(rows, "set").unique()) if name != "none"]
    caption(
        figure,
        f"Edit distance against {measure}: {far:,} of {len(rows):,} rows lie at least a quarter of the "
        "ranking apart",
        f"{rows['position_id'].nunique():,} positions{' of ' if sets else ''}{', '.join(sets)}; "
        f"{describe_scores(rows)}; {left:,} rows without one of the two measures, not drawn",
    )
    return figure
