"""Kendall's tau between state precision and edit distance, and its parts: right replies, clocks, length."""

from collections.abc import Mapping
from typing import Any, Final, Literal

import numpy as np
import numpy.typing as npt
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from workbench.answers.recorded_replies import BASELINE
from workbench.drawing.appearance import bar_lengths, caption, figure_of_rows, new_figure
from workbench.drawing.labels import fitting_ticks, labels, room, span, typeset
from workbench.drawing.score_description import (
    class_counts_by,
    episode_words,
    has_bands,
    interval_words,
    length_words,
    scored_rows,
    with_length_and_model,
)
from workbench.environments.registry import DEFAULT
from workbench.errors import InvalidArgumentError
from workbench.prediction import READABLE
from workbench.scoring.parameters import Distance
from workbench.seeds import derived_seed
from workbench.statistics.grouped import grouped_tau
from workbench.statistics.intervals import quantile_ends, tau_b
from workbench.studies.panels import draw_bars, legend_beside
from workbench.studies.recorded_models import model_count_words, model_looks

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
    """
    column = f"{measure}_{depth}"
    if column not in scores:
        raise InvalidArgumentError(
            f"expected scores with a column {column!r}, got {list(scores.columns)}; "
            "score with this depth"
        )
    rows = with_length_and_model(scores, each_model=each_model)
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
    table = table.merge(class_counts_by(rows, by, OVERALL)[[*by, "failed"]], on=by)
    return table.assign(
        measure=f"{measure[0]}_{depth}",
        left_out=table["undefined"] - table["failed"],
        in_bands=table["model"].map(in_bands),
    )[list(_COLUMNS)]


def draw(
    table: pd.DataFrame,
    note: str = "",
    subject: str = "",
    models: pd.DataFrame | None = None,
    environment: str = DEFAULT,
) -> Figure:
    """Draw tau with its 95% interval for each group, and over all in another mark."""
    width = min(max(6.4, 1.0 + 0.6 * len(table)), 16.0)
    every = table if models is None else pd.concat([table, models])
    bars = interval_words(every, episode_words(environment))
    title = "agreement of state precision and edit distance"
    title = f"{subject}: {title}" if subject else title.capitalize()
    if models is None:
        figure, ((axes,),) = figure_of_rows([1], [4.0], width)
        _draw_groups(axes, table, width, environment)
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
    looks = model_looks(order)
    name = "band to" if table["in_bands"].any() else "group"
    for axes, group in zip(facets, groups, strict=True):
        part = models[models["group"] == group].set_index("model").reindex(order)
        axes.axvline(0, color="0.4", linewidth=0.8)
        for place, (model, row) in enumerate(part.iterrows()):
            look = looks[str(model)]
            if np.isnan(row["tau"]):
                axes.text(0, place, "undefined", va="center", ha="center", fontsize=7)
                continue
            draw_bars(
                axes, [place], part.loc[[model]], "tau", look, across=True, linestyle="none",
                markersize=4.5, elinewidth=1.0, capsize=2,
            )  # fmt: skip
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
    counts = models["count"][models["group"] == OVERALL]
    caption(
        figure,
        f"{title};\nbelow, {model_count_words(list(order))}",
        f"{note}\nbelow: {span(counts)} replies a model, by τ-b over all groups\n{bars}",
    )
    return figure


def _draw_groups(axes: Axes, table: pd.DataFrame, width: float, environment: str) -> None:
    overall = (table["group"] == OVERALL).to_numpy()
    places = np.arange(len(table))
    tau, low, high = (table[name].to_numpy(float) for name in ("tau", "low", "high"))
    (look,) = model_looks(table["model"]).values()
    for where, mark, face in ((~overall, "o", look.colour), (overall, "D", "white")):
        axes.errorbar(
            places[where], tau[where],
            yerr=np.clip([(tau - low)[where], (high - tau)[where]], 0, None), fmt=mark,
            color=look.colour, markerfacecolor=face, markersize=7, capsize=4,
        )  # fmt: skip
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


DISTANCES: Final = ("levenshtein", "levenshtein_position")
REPLIES: Final = ("all", "wrong")
LEAST_ALIKE: Final = 10
"""Rows among which p_m is shuffled for the null: of one length, or of neighbouring ones."""

_NULL: Final = ("null", "null_low", "null_high")
_PART_COLUMNS: Final = (
    "model", "group", "measure", "replies", "distance", "tau", "low", "high", "count", "games",
    "effective", *_NULL, "in_bands",
)  # fmt: skip
_LOOKS: Final[Mapping[tuple[str, str], Mapping[str, Any]]] = {
    ("all", "levenshtein"): {"marker": "o", "color": "black", "label": "all replies"},
    ("all", "levenshtein_position"): {
        "marker": "o", "color": "black", "markerfacecolor": "white",
        "label": "all replies, without clocks",
    },
    ("wrong", "levenshtein"): {"marker": "s", "color": "#c04a00", "label": "wrong boards alone"},
    ("wrong", "levenshtein_position"): {
        "marker": "s", "color": "#c04a00", "markerfacecolor": "white",
        "label": "wrong boards alone, without clocks",
    },
}  # fmt: skip


def compute_parts(
    scores: pd.DataFrame,
    *,
    depth: int = 4,
    each_model: bool = False,
    shuffles: int = 200,
    seed: int = 0,
) -> pd.DataFrame:
    """Compute tau-b(p_m, -distance) of all replies and of wrong states alone, with and without clocks.

    The null of length alone: p_m is shuffled among replies of one length, at least `LEAST_ALIKE` of
    neighbouring lengths, and tau taken again; what is left is due to the length.

    With ``each_model`` each model is by itself, over all lengths alone; ``shuffles`` are those of
    the null.

    Returns:
        Columns model, group ("overall" last), replies ("all", or "wrong": readable, and wrong
        without regard to clocks), distance (with clocks and, where the scores have it, without),
        tau, low, high, count, games, effective (number of games), and null, null_low, null_high (mean and central 95% of the
        shuffles; of the overall rows), and in_bands (whether a group is the upper edge of a band).
    """
    column = f"precision_{depth}"
    distances = [name for name in DISTANCES if name in scores]
    if column not in scores or not distances or shuffles < 1:
        raise InvalidArgumentError(
            f"expected scores with columns {column!r} and {DISTANCES[0]!r} and at least one shuffle, "
            f"got {list(scores.columns)} and {shuffles!r}; score with this depth"
        )
    rows = scored_rows(with_length_and_model(scores, each_model=each_model))
    rows = rows.assign(group=rows["length"])
    tables, by = [], ["model", "group"]
    right = "exact_match_position" if "exact_match_position" in rows else "exact_match"
    wrong = rows["reply_class"].isin(READABLE) & ~rows[right].astype(bool)
    for replies, where in (("all", pd.Series(True, rows.index)), ("wrong", wrong)):
        for distance in distances:
            near = rows.assign(near=-rows[distance].astype(float).where(where))
            table = grouped_tau(near, column, "near", by, total=OVERALL)
            overall = table["group"] == OVERALL
            for model, part in near[where].groupby("model"):
                generator = np.random.default_rng(derived_seed(seed, "shuffle", replies))
                null = _null(part, column, shuffles, generator)
                table.loc[overall & (table["model"] == model), list(_NULL)] = (
                    null.mean(), *quantile_ends(null)
                )  # fmt: skip
            table = table.assign(replies=replies, distance=distance, place=range(len(table)))
            tables.append(table[overall if each_model else overall | (table["count"] > 0)])
    table = pd.concat(tables).sort_values(["model", "replies", "place"], kind="stable")
    table = table.rename(columns={"value": "tau"}).assign(
        measure=f"p_{depth}", in_bands=has_bands(scores)
    )
    return table[list(_PART_COLUMNS)].reset_index(drop=True)


def _null(
    rows: pd.DataFrame, column: str, shuffles: int, generator: np.random.Generator
) -> npt.NDArray[np.float64]:
    """Return tau of each shuffle of a column within strata of `length_strata`; NaN where tau is undefined."""
    values, near = (rows[name].to_numpy(float) for name in (column, "near"))
    strata = length_strata(rows["ply"])
    order = np.argsort(strata, kind="stable")
    taus = np.empty(shuffles)
    for place in range(shuffles):
        # Sorted by stratum, then at random: a permutation within each.
        shuffle = np.lexsort((generator.random(len(strata)), strata))
        shuffled = np.empty_like(values)
        shuffled[order] = values[shuffle]
        taus[place] = tau_b(shuffled, near)
    return taus


def length_strata(lengths: "pd.Series[int]", least: int = LEAST_ALIKE) -> npt.NDArray[np.intp]:
    """Return a stratum for each row: its length, with the next ones where too few rows have it."""
    counts = lengths.value_counts().sort_index()
    stratum_of: dict[Any, int] = {}
    stratum = rows = 0
    for length, count in counts.items():
        stratum_of[length] = stratum
        rows += int(count)
        if rows >= least:
            stratum, rows = stratum + 1, 0
    if 0 < rows < least and stratum:
        # The longest are too few for a stratum of their own.
        stratum_of = {length: min(each, stratum - 1) for length, each in stratum_of.items()}
    return lengths.map(stratum_of).fillna(-1).to_numpy(np.intp)


def draw_parts(
    tables: Mapping[str, pd.DataFrame], note: str = "", environment: str = DEFAULT
) -> Figure:
    """Draw tau in parts by group and overall, with the null of length alone; a panel a table."""
    sizes = [table["group"].nunique() for table in tables.values()]
    figure, panels = new_figure(len(tables), width=3.1 + 0.72 * sum(sizes), height=4.4)
    first = next(iter(tables.values()))
    for axes, (title, table) in zip(panels, tables.items(), strict=True):
        _draw_panel(axes, table)
        axes.set_title(title, fontsize=9)
        across = length_words(environment, in_bands=bool(table["in_bands"].any()))
        words = f"{across}, and all groups;\nbelow: all replies, wrong ones"
        axes.set_xlabel(words, fontsize=9)
    panels[0].set_ylabel(typeset(f"Kendall's τ-b ({first['measure'].iloc[0]}, −edit distance)"))
    lowest = min(float(np.nanmin([0.0, *table["low"]])) for table in tables.values())
    panels[0].set_ylim(max(-1.0, lowest - 0.05), 1.05)
    handles, texts = panels[0].get_legend_handles_labels()
    legend_beside(panels[-1], handles=handles, labels=texts)
    caption(
        figure,
        "Agreement of state precision and edit distance, in parts",
        f"{interval_words(pd.concat(tables.values()), episode_words(environment))}; wrong: readable, and "
        f"wrong without regard to clocks; length alone: p shuffled among replies of the same length\n{note}",
    )
    return figure


def _draw_panel(axes: Axes, table: pd.DataFrame) -> None:
    groups = list(dict.fromkeys(table["group"]))
    looks = {
        key: look
        for key, look in _LOOKS.items()
        if ((table["replies"] == key[0]) & (table["distance"] == key[1])).any()
    }
    for place, (key, look) in enumerate(looks.items()):
        part = table[(table["replies"] == key[0]) & (table["distance"] == key[1])]
        part = part.set_index("group").reindex(groups)
        shift = (place - (len(looks) - 1) / 2) * 0.17
        ends = bar_lengths(part["tau"], part["low"], part["high"])
        at = np.arange(len(groups)) + shift
        axes.errorbar(
            at, part["tau"], yerr=ends, linestyle="none", markersize=5, elinewidth=0.9,
            capsize=2, **look,
        )  # fmt: skip
        null = part["null"].iloc[-1]
        axes.plot(
            [at[-1] - 0.07, at[-1] + 0.07], [null, null], color="#0b5fa5", linewidth=2.5,
            solid_capstyle="butt", label="length alone" if place == len(looks) - 1 else None,
        )  # fmt: skip
    counted = table[table["distance"] == table["distance"].iloc[0]].pivot(
        index="group", columns="replies", values="count"
    )
    counted = counted.reindex(index=groups, columns=list(REPLIES)).fillna(0).astype(int)
    counts = [f"{group}\n{every:,}\n{wrong:,}" for group, every, wrong in counted.itertuples()]
    axes.axhline(0, color="0.4", linewidth=0.8)
    axes.axvline(len(groups) - 1.5, color="0.8", linewidth=0.8)
    axes.set_xticks(range(len(groups)), counts, fontsize=7.5)
