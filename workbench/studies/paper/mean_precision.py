"""Mean state precision per group of games, on a logarithmic scale.

Source: arXiv 2508.19851, the figure of mean precision per group.
"""

from typing import Final

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from workbench.answers.recorded_replies import BASELINE
from workbench.drawing.appearance import Style, caption, draw_means, figure_of_rows, plain_log_scale
from workbench.drawing.labels import fitting_ticks, labels, room, span, typeset
from workbench.drawing.quantities import QUANTITIES
from workbench.drawing.score_description import (
    class_counts_by,
    episode_words,
    has_bands,
    interval_words,
    length_words,
    with_length_and_model,
)
from workbench.environments.registry import DEFAULT
from workbench.statistics.grouped import grouped_means
from workbench.statistics.intervals import SHARE
from workbench.studies.panels import empty_figure, legend_beside, require_columns
from workbench.studies.recorded_models import model_count_words, model_looks

_PANEL: Final = 4.2
_LEGEND: Final = 1.4
_LABEL: Final = 8
_LINE: Final = 1.35 * _LABEL / 72

# Below every limit of an axis; a logarithm of 0 would leave the bar out.
_LEAST: Final = 1e-300

_COLUMNS: Final = [
    "variant", "model", "group", "measure", "depth", "mean", "low", "high", "count", "games",
    "effective", "failed", "unscored", "in_bands",
]  # fmt: skip


def compute(
    variants: dict[str, pd.DataFrame], *, depth: int = 4, each_model: bool = False
) -> pd.DataFrame:
    """Compute the mean of p_m and r_m in each group.

    Intervals are of 95%, by the variance between games; see `workbench.statistics.intervals`.

    Returns:
        Columns variant, model, group, measure, depth, mean, low, high, count (scored replies), games,
        effective (number of games), failed (calls, left out), unscored (replies, left out) and in_bands
        (whether a group is a band of lengths, and its number the upper edge). Rows without a group are
        in none of its rows.
    """
    tables, by, measures = [], ["model", "group"], ("precision", "recall")
    for variant, scores in variants.items():
        require_columns(scores, [f"{each}_{depth}" for each in measures], variant)
        rows = with_length_and_model(scores, each_model=each_model)
        rows = rows.assign(
            group=rows["length"], **{each: rows[f"{each}_{depth}"] for each in measures}
        )
        in_bands = {str(model): has_bands(part) for model, part in rows.groupby("model")}
        rows = rows.dropna(subset="group")
        means = grouped_means(rows, measures, by, within=SHARE)
        means = means.rename(columns={"column": "measure", "value": "mean"})
        counts = class_counts_by(rows, by)[[*by, "failed", "unscored"]]
        table = means.sort_values(["model", "measure"], kind="stable").merge(counts, on=by)
        tables.append(
            table.assign(variant=variant, depth=depth, in_bands=table["model"].map(in_bands))
        )
    return pd.concat(tables, ignore_index=True)[_COLUMNS]


def draw(
    table: pd.DataFrame,
    note: str = "",
    subject: str = "",
    models: pd.DataFrame | None = None,
    environment: str = DEFAULT,
) -> Figure:
    """Draw the means with 95% intervals against the length of the game, one panel per variant."""
    title = "state precision and recall against the length of the game"
    title = f"{subject}: {title}" if subject else title.capitalize()
    if table.empty:
        return empty_figure(title, "no row says how long its game was", note)
    variants = list(table["variant"].unique())
    panels, heights = [len(variants)], [4.2]
    width = _PANEL * len(variants) + _LEGEND
    if models is not None:
        panels, heights = [*panels, 1], [3.2, max(4.2, 1.2 + _LINE * models["model"].nunique())]
    figure, rows = figure_of_rows(panels, heights, width)
    for axes, variant in zip(rows[0], variants, strict=True):
        _draw_variant(axes, table[table["variant"] == variant], environment)
    rows[0][0].set_ylim(bottom=_floor(table))
    rows[0][0].set_ylabel("mean over positions (logarithmic)")
    legend_beside(rows[0][-1])
    every = table
    if models is not None:
        every = models[models["measure"] == "precision"]
        _draw_models(rows[1][0], every, heights[1] - 1.0, width, environment)
        title += f"; below, {model_count_words(list(every['model']))}"
        every = pd.concat([table, every])
    note += f"\n{interval_words(every, episode_words(environment))}"
    if ((every["low"] < _floor(every)) & (every["mean"] > 0)).any():
        note += "; one that ends at the lower edge of a panel goes on below it"
    if hidden := int((every["mean"] == 0).sum()):
        note += f"; not drawn on the logarithmic scale: {hidden} of {len(every)} means, which are 0"
    caption(figure, title, note)
    return figure


def _floor(table: pd.DataFrame) -> float:
    """Return a lower limit of a logarithmic axis, below all means and intervals that are above 0.

    Intervals of few games may span decades: the limit is at least a thirtieth of the lowest mean.
    """
    means, ends = table["mean"][table["mean"] > 0], table["low"][table["low"] > 0]
    if means.empty:
        return 0.1
    lowest = float(means.min())
    return max(min(lowest, float(ends.min())), lowest / 30) / 1.5 if len(ends) else lowest / 1.5


def _draw_variant(axes: Axes, part: pd.DataFrame, environment: str) -> None:
    for index, (measure, line) in enumerate(part.groupby("measure", sort=False)):
        quantity = QUANTITIES[str(measure)]
        label = typeset(f"mean {quantity.symbol}_{part['depth'].iloc[0]} ({measure})")
        _draw_line(axes, line, quantity.look, (index - 0.5) * 0.5, label)
    plain_log_scale(axes)
    axes.set_xlabel(length_words(environment, in_bands=bool(part["in_bands"].any())))
    groups = sorted(part["group"].unique())
    fitting_ticks(axes, groups, map(str, groups), _PANEL - 0.6, 10)
    axes.set_title(f"{part['variant'].iloc[0]}, n = {span(part['count'])}", fontsize=9)


def _draw_line(axes: Axes, line: pd.DataFrame, look: Style, shift: float, label: str) -> None:
    mean = line["mean"].where(line["mean"] > 0)
    low = line["low"].clip(lower=_LEAST)
    draw_means(axes, line["group"] + shift, mean, low, line["high"], look, label)


def _draw_models(
    axes: Axes, table: pd.DataFrame, height: float, width: float, environment: str
) -> None:
    """Draw a line a model, its name at the right, in the order in which the lines end."""
    names, looks = labels(table["model"]), model_looks(table["model"])
    groups = sorted(table["group"].unique())
    step = min(np.diff(groups), default=1)
    by_model = table.sort_values("group").groupby("model")
    lines = [(str(model), line) for model, line in by_model if (line["mean"] > 0).any()]
    lines.sort(key=lambda part: float(part[1]["mean"].iloc[-1]))
    for index, (model, line) in enumerate(lines):
        shift = (index / max(1, len(lines) - 1) - 0.5) * 0.3 * step
        _draw_line(axes, line, looks[model], shift, names[model])
    plain_log_scale(axes)
    axes.set_ylim(_floor(table), 1.5)
    axes.set_xlim(groups[0] - 0.4 * step, groups[-1] + 0.4 * step)
    low, high = np.log10(axes.get_ylim())
    ends = [line["mean"][line["mean"] > 0].iloc[-1] for _, line in lines]
    heights = [float((np.log10(end) - low) / (high - low)) for end in ends]
    for (model, _), end, place in zip(lines, heights, _apart(heights, _LINE / height), strict=True):
        look = looks[model]
        axes.plot(
            [1.0, 1.03], [end, place], transform=axes.transAxes, clip_on=False, color=look.colour,
            linewidth=0.8, marker=look.marker, markevery=[1], markersize=5, markerfacecolor=look.face,
        )  # fmt: skip
        axes.text(
            1.045, place, names[model], transform=axes.transAxes, va="center", fontsize=_LABEL,
            color="0.45" if model == BASELINE else "black",
        )  # fmt: skip
    longest = max(room(name, _LABEL) for name in names.values())
    fitting_ticks(axes, groups, map(str, groups), width - longest - 1.2, 10)
    axes.set_xlabel(length_words(environment, in_bands=bool(table["in_bands"].any())))
    axes.set_ylabel(typeset(f"mean p_{table['depth'].iloc[0]} (logarithmic)"))
    axes.set_title(
        f"{model_count_words(list(names))}, {table['variant'].iloc[0]}, n = {span(table['count'])} "
        "positions a point",
        fontsize=9,
    )


def _apart(places: list[float], gap: float) -> list[float]:
    """Return ascending places, moved where they must be to lie a gap apart, and below 1."""
    moved: list[float] = []
    for place in places:
        moved.append(max(place, moved[-1] + gap) if moved else place)
    top = 1.0
    for index in reversed(range(len(moved))):
        moved[index] = min(moved[index], top)
        top = moved[index] - gap
    return moved
