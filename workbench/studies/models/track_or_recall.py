"""The same models on World Cup games and on random legal games of the same lengths.

A model that follows the moves should do as well on games that nobody has played; one that recalls
games, or guesses what is usual after so many moves, should not.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final, Literal

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure, SubFigure
from matplotlib.ticker import MaxNLocator

from workbench.answers.recorded_replies import BASELINE, RANDOM_GAMES, WORLD_CUP
from workbench.drawing.appearance import Style, bar_lengths, caption, model_style, plain_log_scale
from workbench.drawing.labels import labels, typeset
from workbench.drawing.quantities import difference_range, range_of
from workbench.drawing.scores_in_words import interval_words, scored_rows
from workbench.errors import InvalidArgumentError
from workbench.statistics.grouped import grouped_differences, grouped_means
from workbench.studies.models.format_and_tracking import READABLE
from workbench.studies.models.two_sets import ALL_LENGTHS, BAND, SET_NAMES, SETS

REASONING: Final = (
    "o3-2025-04-16",
    "o3-mini-2025-01-31",
    "gemini-2.5-flash-preview-04-17",
)
"""Models with replies to both sets that write hidden reasoning before they answer."""

_MEASURES: Final = (
    "precision", "exact_match", "exact_match_position", "levenshtein", "readable", "precision_readable",
    "levenshtein_readable",
)  # fmt: skip
_KINDS: Final = {"reasoning": "reasoning", "other": "no reasoning", "baseline": "baseline"}


def compute(
    scores: pd.DataFrame,
    *,
    depth: int = 4,
    reasoning: Sequence[str] = REASONING,
) -> pd.DataFrame:
    """Compare each model's replies to the two sets, at each length of the game and at all.

    Intervals are of 95%, by the variance between games, and of a difference between the games of each
    set; see `workbench.statistics.intervals`.

    Args:
        scores: `workbench.studies.models.two_sets.TwoSets.scores`.
        depth: m.
        reasoning: Names of the models that reason before they answer.

    Returns:
        One row for each model, length (the upper edge of its band in half-moves; "all" last) and
        measure (precision, which is p_m; exact_match and exact_match_position, shares; levenshtein;
        readable, a share; precision_readable and levenshtein_readable, over readable replies alone):
        kind (reasoning, other or baseline), for each set its mean, named as the set is, with _low,
        _high, _effective (number of games), _replies and _games, and difference (World Cup less random games) with _low,
        _high and _effective; and depth. NaN where a set has no rows; no interval where it has one game only. The
        models are sorted by kind, then by their mean on World Cup games, the best first.

    Raises:
        InvalidArgumentError: If a measure is missing.
    """
    column = f"precision_{depth}"
    if column not in scores:
        raise InvalidArgumentError(
            f"expected scores with {column!r}, got {list(scores.columns)}; "
            "score with this depth, by the exact method"
        )
    rows = scored_rows(scores)
    readable = rows["reply_class"].isin(READABLE)
    rows = rows.assign(
        precision=rows[column],
        readable=readable,
        precision_readable=rows[column].where(readable),
        levenshtein_readable=rows["levenshtein"].where(readable),
    )
    by = ["model", "length"]
    table = grouped_differences(
        rows, _MEASURES, by, between="set", reference=RANDOM_GAMES, within=difference_range,
        total=ALL_LENGTHS,
    )  # fmt: skip
    key = [*by, "column"]
    table = (
        table[[*key, "value", "low", "high", "effective"]].set_index(key).add_prefix("difference_")
    )
    for name in reversed(SETS):
        of_set = rows.assign(**{each: rows[each].where(rows["set"] == name) for each in _MEASURES})
        means = grouped_means(of_set, _MEASURES, by, within=range_of, total=ALL_LENGTHS)
        means = means.rename(columns={"count": "replies"}).set_index(key)
        means = means[["replies", "games", "value", "low", "high", "effective"]]
        table = means.add_prefix(f"{name}_").join(table)
    table = table.rename(columns=lambda each: each.removesuffix("_value")).reset_index()
    table = table.rename(columns={"column": "measure"}).assign(depth=depth)
    table["kind"] = [_kind(str(model), reasoning) for model in table["model"]]
    counts = [f"{name}_{each}" for name in SETS for each in ("replies", "games")]
    ends = [
        f"{name}{end}"
        for name in (*SETS, "difference")
        for end in ("", "_low", "_high", "_effective")
    ]
    return _ordered(table[["kind", *by, "measure", *counts, *ends, "depth"]])


def _kind(model: str, reasoning: Sequence[str]) -> str:
    if model == BASELINE:
        return "baseline"
    return "reasoning" if model in reasoning else "other"


def _ordered(table: pd.DataFrame) -> pd.DataFrame:
    overall = table[(table["measure"] == "precision") & (table["length"] == ALL_LENGTHS)]
    overall = overall.assign(place=overall["kind"].map(list(_KINDS).index))
    best = overall.sort_values(["place", WORLD_CUP], ascending=[True, False], kind="stable")
    places = {model: place for place, model in enumerate(best["model"])}
    return table.sort_values(
        "model", key=lambda names: names.map(places), kind="stable"
    ).reset_index(drop=True)


def draw(table: pd.DataFrame, whose: str, note: str = "", least: float = 1e-4) -> Figure:
    """Draw mean p_m by length on both sets, a panel a model, and the differences at all lengths.

    Args:
        table: The result of `compute`.
        whose: For the title, such as `TwoSets.whose`.
        note: Small print below the axes, such as `TwoSets.describe` gives.
        least: Where the logarithmic axes begin; means below it are not drawn, and the figure says
            how many.
    """
    depth = table["depth"].iloc[0]
    models = list(table["model"].unique())
    looks, shown = model_style(models), labels(models, 32)
    kinds = dict(zip(table["model"], table["kind"], strict=True))
    columns = min(5, len(models))
    rows = -(-len(models) // columns)
    heights = [0.5 + 2.0 * rows, 1.1 + 0.32 * len(models)]
    figure = Figure(figsize=(11.0, sum(heights) + 0.9), layout="constrained")
    spec = figure.add_gridspec(2, 1, height_ratios=heights)
    upper, lower = figure.add_subfigure(spec[0]), figure.add_subfigure(spec[1])
    grid = upper.subplots(rows, columns, squeeze=False, sharex=True, sharey=True)
    hidden = 0
    for axes, model in zip(grid.flat, models, strict=False):
        curves = table[(table["model"] == model) & (table["measure"] == "precision")]
        hidden += _draw_curves(axes, curves, looks[model], least)
        axes.set_title(f"{shown[model]}\n{_KINDS[kinds[model]]}", fontsize=8)
    for axes in grid.flat[len(models) :]:
        axes.set_axis_off()
    plain_log_scale(grid[0, 0])
    grid[0, 0].set_ylim(least, 1.4)
    upper.supylabel(typeset(f"mean p_{depth} (logarithmic)"), fontsize=9)
    upper.supxlabel(f"half-moves played (upper edge of a band of {BAND})", fontsize=9)
    handles = [
        grid[0, 0].errorbar([], [], color="0.2", markersize=4, label=SET_NAMES[name], **_look(name))
        for name in SETS
    ]
    upper.legend(handles=handles, loc="outside upper center", ncols=2, frameon=False, fontsize=9)
    _draw_differences(lower, table, looks, shown)
    below = f"{hidden} means below {least:g} are not drawn" if hidden else ""
    of_sets = [
        table.assign(
            games=table[f"{name}_games"],
            effective=table[f"{name}_effective"],
            low=table[f"{name}_low"],
        )
        for name in SETS
    ]
    bars = interval_words(pd.concat(of_sets).query("measure == 'precision'"))
    caption(
        figure,
        f"Tracking or recall? {whose} on World Cup games and on random legal games of the same lengths",
        "; ".join(filter(None, [note, bars, below])),
    )
    return figure


def _look(name: str) -> dict[str, Any]:
    if name == WORLD_CUP:
        return {"marker": "o", "linestyle": "-"}
    return {"marker": "s", "linestyle": "--", "markerfacecolor": "white"}


def _draw_curves(axes: Axes, curves: pd.DataFrame, look: Style, least: float) -> int:
    """Draw one model's means on both sets, and return how many lie below the axis."""
    lines = curves[curves["length"] != ALL_LENGTHS]
    lengths = lines["length"].astype(int)
    hidden = 0
    for name, shift in ((WORLD_CUP, -1.5), (RANDOM_GAMES, 1.5)):
        seen = lines[name] >= least
        hidden += int((~seen & lines[name].notna()).sum())
        mean = lines[name].where(seen)
        low = lines[f"{name}_low"].clip(lower=least).fillna(mean)
        high = lines[f"{name}_high"].fillna(mean)
        axes.errorbar(
            lengths + shift,
            mean,
            yerr=[(mean - low).clip(lower=0), (high - mean).clip(lower=0)],
            color=look.colour,
            markersize=4,
            linewidth=1.2,
            elinewidth=0.8,
            capsize=2,
            **_look(name),
        )
    axes.set_xticks(lengths)
    axes.tick_params(labelsize=8)
    _plain(axes, "y")
    return hidden


def _draw_differences(
    figure: SubFigure, table: pd.DataFrame, looks: Mapping[str, Style], shown: Mapping[str, str]
) -> None:
    overall = table[table["length"] == ALL_LENGTHS]
    depth = table["depth"].iloc[0]
    titles = {
        "precision": f"mean p_{depth} over all replies",
        "readable": "share of readable replies",
        "precision_readable": f"mean p_{depth} over readable replies",
        "levenshtein_readable": "edit distance over readable replies",
    }
    panels = figure.subplots(1, len(titles), sharey=True)
    models = list(overall["model"].unique())
    for axes, (measure, title) in zip(panels, titles.items(), strict=True):
        part = overall[overall["measure"] == measure].set_index("model")
        for row, model in enumerate(models):
            value, low, high = part.loc[
                model, ["difference", "difference_low", "difference_high"]
            ].astype(float)
            ends = bar_lengths([value], [low], [high])
            look = looks[model]
            axes.errorbar(
                [value], [row], xerr=ends, fmt=look.marker, color=look.colour,
                markerfacecolor=look.face, markersize=5, capsize=3,
            )  # fmt: skip
        kinds = part.loc[models, "kind"].to_numpy()
        for place in np.flatnonzero(kinds[1:] != kinds[:-1]):
            axes.axhline(place + 0.5, color="0.7", linewidth=0.8)
        axes.axvline(0, color="0.3", linewidth=0.9)
        axes.set_xlabel(typeset(title), fontsize=9)
        axes.tick_params(axis="x", labelsize=8)
        axes.xaxis.set_major_locator(MaxNLocator(5))
        _plain(axes, "x")
    panels[0].set_yticks(range(len(models)), [shown[model] for model in models], fontsize=8)
    panels[0].set_ylim(len(models) - 0.5, -0.5)
    figure.suptitle("difference at all lengths: World Cup games less random games", fontsize=9)


def _plain(axes: Axes, grid: Literal["x", "y"]) -> None:
    axes.grid(True, axis=grid, linewidth=0.5, alpha=0.5)
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)
