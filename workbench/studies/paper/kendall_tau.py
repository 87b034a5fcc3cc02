"""Kendall's tau between state precision and edit distance, per group of games and overall.

tau-b, because ties are many: whole boards right, and p = 0. The distance enters with its sign
turned, so that two measures which agree have tau > 0. Source: arXiv 2508.19851, the table and
figure of Kendall's tau per group; Kendall (1945), doi:10.1093/biomet/33.3.239.
"""

from typing import Final, Literal

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from workbench.answers.recorded_replies import BASELINE
from workbench.drawing.appearance import caption, figure_of_rows, model_style
from workbench.drawing.labels import fitting_ticks, labels, room, typeset
from workbench.drawing.scores_in_words import (
    counted_by,
    counted_models,
    episode_words,
    has_bands,
    in_parts,
    interval_words,
    length_words,
)
from workbench.environments.registry import DEFAULT
from workbench.errors import InvalidArgumentError
from workbench.scoring.parameters import Distance
from workbench.statistics.grouped import grouped_tau

OVERALL: Final = "overall"

_COLUMNS: Final = (
    "model", "group", "measure", "tau", "low", "high", "count", "games", "effective", "ties_measure",
    "ties_distance", "failed", "left_out", "in_bands",
)  # fmt: skip
_MOST_GROUPS: Final = 8
_ROW: Final = 0.24


def compute(
    scores: pd.DataFrame,
    *,
    depth: int = 4,
    measure: Literal["precision", "recall"] = "precision",
    distance: Distance = "levenshtein",
    absent: Literal["keep", "leave_out"] = "keep",
    each_model: bool = False,
) -> pd.DataFrame:
    """Compute tau-b(p_m, -distance) for each group and over all.

    Intervals are of 95%, by the variance between games; see `workbench.statistics.intervals`.

    Args:
        scores: Rows of a scores table that has ``<measure>_<depth>``, with the column ``game``.
        depth: m.
        measure: Precision or recall.
        distance: Which edit distance.
        absent: Replies without a FEN have p = 0 and the distance to the empty text; ``leave_out``
            computes without them.
        each_model: Compute each model by itself, not all rows together.

    Returns:
        One row per group and one called "overall", of each model: model, group, measure, tau, low,
        high, count, games, effective (number of games), ties_measure, ties_distance (shares
        of tied pairs), failed (calls, which are no replies), left_out (replies not scored, or absent
        and left out), in_bands (whether a group is a band of lengths, and its name the upper edge).

    Raises:
        InvalidArgumentError: If the scores lack the measure at this depth.
    """
    column = f"{measure}_{depth}"
    if column not in scores:
        raise InvalidArgumentError(
            f"expected scores with a column {column!r}, got {list(scores.columns)}; "
            "score with this depth"
        )
    rows = in_parts(scores, each_model=each_model)
    in_bands = {str(model): has_bands(part) for model, part in rows.groupby("model")}
    values = rows[column].astype(float)
    if absent == "leave_out":
        values = values.where(rows["reply_class"] != "absent")
    rows = rows.assign(
        group=rows["length"], values=values, similarity=-rows[distance].astype(float)
    )
    by = ["model", "group"]
    table = grouped_tau(rows, "values", "similarity", by, total=OVERALL)
    table = table.rename(
        columns={"value": "tau", "ties": "ties_measure", "ties_other": "ties_distance"}
    )
    table = table.merge(counted_by(rows, by, OVERALL)[[*by, "failed"]], on=by)
    return table.assign(
        measure=f"{measure[0]}_{depth}",
        left_out=table["undefined"] - table["failed"],
        in_bands=table["model"].map(in_bands),
    )[list(_COLUMNS)]


def draw(
    table: pd.DataFrame,
    note: str = "",
    whose: str = "",
    models: pd.DataFrame | None = None,
    environment: str = DEFAULT,
) -> Figure:
    """Draw tau with its 95% interval for each group, and over all in another mark.

    Args:
        table: The result of `compute`.
        note: Small print below the axes, such as `describe_scores` gives.
        whose: Begins the title: whose replies these are.
        models: The result of `compute` for each of several models, drawn in panels below: a row a
            model, a panel a group; only all groups together if there are many.
        environment: The name of the environment, for the words.
    """
    width = min(max(6.4, 1.0 + 0.6 * len(table)), 16.0)
    drawn = table if models is None else pd.concat([table, models])
    bars = interval_words(drawn, episode_words(environment))
    title = "agreement of state precision and edit distance"
    title = f"{whose}: {title}" if whose else title.capitalize()
    if models is None:
        figure, (panels,) = figure_of_rows([1], [4.0], width)
        _draw_groups(panels[0], table, width, environment)
        caption(figure, title, f"{note}\n{bars}")
        return figure
    order = models[models["group"] == OVERALL].sort_values("tau", na_position="first")["model"]
    groups = list(dict.fromkeys(models["group"]))
    groups = groups if len(groups) <= _MOST_GROUPS else [OVERALL]
    names = labels(order)
    width = max(width, max(room(name, 8) for name in names.values()) + 1.1 * max(6, len(groups)))
    below = 1.0 + _ROW * len(order)
    figure, (above, facets) = figure_of_rows([1, len(groups)], [3.0, below], width)
    _draw_groups(above[0], table, width, environment)
    looks = model_style(order)
    name = "band to" if table["in_bands"].any() else "group"
    for axes, group in zip(facets, groups, strict=True):
        part = models[models["group"] == group].set_index("model").reindex(order)
        axes.axvline(0, color="0.4", linewidth=0.8)
        for place, (model, row) in enumerate(part.iterrows()):
            look = looks[str(model)]
            if np.isnan(row["tau"]):
                axes.text(0, place, "undefined", va="center", ha="center", fontsize=7)
                continue
            axes.errorbar(
                row["tau"],
                place,
                xerr=[[max(0.0, row["tau"] - row["low"])], [max(0.0, row["high"] - row["tau"])]],
                fmt=look.marker,
                color=look.colour,
                markerfacecolor=look.face,
                markersize=4.5,
                elinewidth=1.0,
                capsize=2,
            )
        axes.set_title("all groups" if group == OVERALL else f"{name} {group}", fontsize=8)
        axes.set_xticks([0.0, 0.5, 1.0], ["0", "0.5", "1"])
        axes.set_xlim(min(0.0, float(np.nanmin([0.0, *models["low"]]))) - 0.05, 1.05)
        axes.tick_params(axis="x", labelsize=8)
    facets[0].set_yticks(range(len(order)), [names[model] for model in order], fontsize=8)
    facets[0].set_ylim(-0.6, len(order) - 0.4)
    for label, model in zip(facets[0].get_yticklabels(), order, strict=True):
        label.set_color("0.45" if model == BASELINE else "black")
    facets[len(facets) // 2].set_xlabel(
        typeset(f"Kendall's τ-b ({table['measure'].iloc[0]}, −edit distance)")
    )
    counts = sorted(models["count"][models["group"] == OVERALL].unique())
    span = f"{counts[0]}" + (f" to {counts[-1]}" if len(counts) > 1 else "")
    caption(
        figure,
        f"{title};\nbelow, {counted_models(list(order))}",
        f"{note}\nbelow: {span} replies a model, by τ-b over all groups\n{bars}",
    )
    return figure


def _draw_groups(axes: Axes, table: pd.DataFrame, width: float, environment: str) -> None:
    overall = (table["group"] == OVERALL).to_numpy()
    places = np.arange(len(table))
    tau, low, high = (table[name].to_numpy(float) for name in ("tau", "low", "high"))
    (look,) = model_style(table["model"]).values()
    for chosen, mark, face in ((~overall, "o", look.colour), (overall, "D", "white")):
        axes.errorbar(
            places[chosen],
            tau[chosen],
            yerr=np.clip([(tau - low)[chosen], (high - tau)[chosen]], 0, None),
            fmt=mark,
            color=look.colour,
            markerfacecolor=face,
            markersize=7,
            capsize=4,
        )
    for place in places[np.isnan(tau)]:
        axes.annotate("undefined", (place, 0), ha="center", va="bottom", fontsize=7)
    axes.axhline(0, color="0.4", linewidth=0.8)
    ticks = [f"{g}\nn = {n}" for g, n in zip(table["group"], table["count"], strict=True)]
    axes.set_xlim(-0.5, len(table) - 0.5)
    fitting_ticks(axes, places, ticks, width - 0.8, 8)
    lengths = length_words(environment, in_bands=bool(table["in_bands"].any()))
    axes.set_xlabel(f"{lengths}; last, all together")
    axes.set_ylabel(typeset(f"Kendall's τ-b ({table['measure'].iloc[0]},\n−edit distance)"))
    axes.set_ylim(min(0.0, float(np.nanmin([0.0, *low])) * 1.1), 1.08)
