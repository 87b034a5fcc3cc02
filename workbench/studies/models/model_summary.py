"""A summary of each model's replies by length of the game, and the boards among them that cannot arise."""

import math
from typing import Final, Literal

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from workbench.affordance.profile import half_depth
from workbench.drawing.appearance import caption, new_figure, plain_log_scale
from workbench.drawing.labels import fitting_ticks, labels, room, typeset, wrapped
from workbench.drawing.quantities import QUANTITIES
from workbench.drawing.reply_words import status_words
from workbench.drawing.score_description import (
    class_counts_by,
    episode_words,
    interval_words,
    length_words,
    scored_rows,
    with_length,
)
from workbench.environments.registry import DEFAULT, environment_in_table
from workbench.prediction import CLASSES, ReplyClass
from workbench.statistics.grouped import grouped_means, grouped_tau, groups, spread
from workbench.statistics.intervals import SHARE
from workbench.studies.panels import ALL_LENGTHS, draw_above, legend_beside, require_columns
from workbench.studies.recorded_models import model_looks

_MOST_IN_PANEL: Final = 10
_LEAST: Final = 1e-4
"""Where the logarithmic axis begins at the lowest; means below it are counted, not drawn."""
_SIZE: Final = 8
_ROOM: Final = 2.2


def compute(
    scores: pd.DataFrame, *, depth: int = 4, by: str = "model", with_tau: bool = True
) -> pd.DataFrame:
    """Summarise the replies of each model to games of each length, and to all.

    Intervals are of 95%, by the variance between games; see `workbench.statistics.intervals`.

    ``by`` is the column whose values are compared. Without ``with_tau``, which takes most of the
    time, tau is NaN.

    Returns:
        One row for each model and length, "all" last: the column ``by``, length, count (replies),
        games, effective (number of games), valid, ill_formed, unparseable, absent, failed (calls, which are no replies and enter
        nothing else), unscored, exact_match (share), levenshtein
        (mean; an absent reply has the distance to the empty text), levenshtein_found (mean over
        the others), precision, recall (means at depth m) with _low and _high, tau (tau-b of p_m
        and -distance) with _low and _high, half_depth (of the mean curve p_1 .. p_m; NaN if it
        stays at or above 1/2) and depth. A statistic without rows, or undefined, is NaN.
    """
    curve = [f"precision_{m}" for m in range(1, depth + 1)]
    require_columns(scores, [*curve, f"recall_{depth}"], hint=", by the exact method")
    rows, key = with_length(scores), [by, "length"]
    rows = rows.assign(
        precision=rows[f"precision_{depth}"],
        recall=rows[f"recall_{depth}"],
        similarity=-rows["levenshtein"].astype(float),
    )
    means = grouped_means(rows, ["precision", "recall"], key, within=SHARE, total=ALL_LENGTHS)
    table = spread(means, key, counted="precision").drop(columns="count")
    table = class_counts_by(rows, key, ALL_LENGTHS).merge(table, on=key)
    statistics = []
    for values, part in groups(scored_rows(rows), key, total=ALL_LENGTHS):
        with_text = ~part["levenshtein_to_empty"].astype(bool)
        values["exact_match"] = part["exact_match"].astype(float).mean()
        values["levenshtein"] = part["levenshtein"].mean()
        values["levenshtein_found"] = part.loc[with_text, "levenshtein"].mean()
        values["half_depth"] = half_depth(part[curve].mean().tolist())
        statistics.append(values)
    table = table.merge(pd.DataFrame(statistics), on=key, how="left")
    tau = ["tau", "tau_low", "tau_high"]
    table[tau] = math.nan
    if with_tau:
        of_groups = grouped_tau(rows, "precision", "similarity", key, total=ALL_LENGTHS)
        table[tau] = of_groups[["value", "low", "high"]]
    table["count"] -= table["failed"]
    ends = [f"{each}{end}" for each in ("precision", "recall") for end in ("", "_low", "_high")]
    return table.assign(depth=depth)[
        [*key, "count", "games", "effective", *CLASSES, "unscored", "exact_match", "levenshtein",
         "levenshtein_found", *ends, *tau, "half_depth", "depth"]
    ]  # fmt: skip


def draw(
    table: pd.DataFrame,
    note: str = "",
    subject: str = "",
    environment: str = DEFAULT,
    measure: Literal["precision", "recall"] = "precision",
) -> Figure:
    """Draw mean p_m against the length of the game, one line per model, the best first."""
    depth = table["depth"].iloc[0]
    quantity = QUANTITIES[measure]
    symbol = f"{quantity.symbol}_{depth}"
    overall = table[table["length"] == ALL_LENGTHS].sort_values(measure, ascending=False)
    parts = table[table["length"] != ALL_LENGTHS].assign(
        length=lambda rows: rows["length"].astype(int)
    )
    lengths = sorted(parts["length"].unique())
    looks = model_looks(overall["model"])
    titles = labels(overall["model"])
    counts = dict(zip(overall["model"], overall["count"], strict=True))
    legend = max(room(f"{titles[name]} ({count})", _SIZE) for name, count in counts.items())
    width = 8.4 + max(0.0, legend - _ROOM)
    panels = np.array_split(overall["model"].to_numpy(), -(-len(overall) // _MOST_IN_PANEL))
    figure, grid = new_figure(width=width, height=0.4 + 4.2 * len(panels), rows=len(panels))
    step = float(min(np.diff(lengths), default=1))
    hidden = 0
    for axes, names in zip(grid, panels, strict=True):
        for place, name in enumerate(names):
            line = parts[parts["model"] == name].sort_values("length")
            shift = (place - (len(names) - 1) / 2) / len(names) * 0.3 * step
            label, at = f"{titles[name]} ({counts[name]})", line["length"] + shift
            hidden += draw_above(axes, at, line, measure, _LEAST, looks[name], label)
        title = typeset(f"by mean {symbol} over all its replies\n(their number)")
        legend_beside(axes, title=title, title_fontsize=_SIZE)
        axes.set_ylabel(typeset(f"mean {symbol} (logarithmic)"))
        plain_log_scale(axes)
    fitting_ticks(grid[-1], lengths, map(str, lengths), width - legend - 1.6, 10)
    grid[-1].set_xlabel(f"{length_words(environment)} (the group's upper edge, or its cut)")
    noun, verb = ("mean", "is") if hidden == 1 else ("means", "are")
    below = f"; {hidden} {noun} below {_LEAST:g} {verb} not drawn" if hidden else ""
    bars = interval_words(parts, episode_words(environment), f"{measure}_low")
    below += "; each panel has its own vertical axis" if len(panels) > 1 else ""
    caption(
        figure,
        f"{quantity.label(depth).capitalize()} by length of the game",
        f"{note}; {bars}{below}",
        subject,
    )
    return figure


ANY: Final = "ANY"
"""The label of the share of all ill-formed boards."""


def compute_flags(scores: pd.DataFrame) -> pd.DataFrame:
    """Count the ill-formed boards of each model by python-chess's status flags.

    A board may have several flags, so that their shares add up to more than that of ``ANY``.

    Returns:
        Columns model, flag ("ANY" first, then from the most frequent on), count, share (of all
        replies) and replies.
    """
    replies = scores[scores["reply_class"] != ReplyClass.FAILED].groupby("model").size()
    ill_formed = scores[scores["reply_class"] == "ill_formed"]
    flags = ill_formed.assign(flag=ill_formed["status"].str.split()).explode("flag")
    order = [ANY, *flags["flag"].value_counts(sort=True).sort_index(kind="stable").sort_values(
        ascending=False, kind="stable").index]  # fmt: skip
    counted = pd.concat([ill_formed.assign(flag=ANY), flags]).groupby(["model", "flag"]).size()
    index = pd.MultiIndex.from_product([replies.index, order], names=["model", "flag"])
    table = counted.reindex(index, fill_value=0).rename("count").reset_index()
    table["replies"] = table["model"].map(replies)
    table["share"] = table["count"] / table["replies"]
    return table


def draw_flags(
    table: pd.DataFrame, note: str = "", subject: str = "", environment: str = DEFAULT
) -> Figure:
    """Draw the shares as a field of numbers, one row per model and one column per flag."""
    shares = table.pivot(index="model", columns="flag", values="share")[
        list(table["flag"].unique())
    ]
    shares = shares.sort_values(ANY, ascending=False, kind="stable")
    replies = table.groupby("model")["replies"].first()
    rows, columns = shares.shape
    titles = labels(shares.index)
    names = [f"{titles[name]} ({replies[name]})" for name in shares.index]
    beyond = max(0.0, max(room(name, 8) for name in names) - 2.2)
    width = max(6.4, 3.2 + 0.62 * columns + beyond)
    figure, (axes,) = new_figure(width=width, height=3.4 + 0.34 * rows)
    axes.grid(visible=False)
    largest = max(0.01, float(shares.to_numpy().max()))
    axes.imshow(shares, cmap="Greys", vmin=0, vmax=largest * 1.35, aspect="auto")
    for (row, column), share in np.ndenumerate(shares.to_numpy()):
        axes.text(
            column, row, "·" if share == 0 else f"{share:.1%}", ha="center", va="center",
            fontsize=7.5, color="white" if share > 0.75 * largest else "black",
        )  # fmt: skip
    flags = ["anything", *(wrapped(status_words(flag), 3.2, 8) for flag in shares.columns[1:])]
    axes.set_xticks(
        range(columns), flags, rotation=40, ha="right", va="center", rotation_mode="anchor",
        fontsize=8,
    )  # fmt: skip
    axes.set_yticks(range(rows), names, fontsize=8)
    axes.axvline(0.5, color="0.3", linewidth=1.0)
    axes.spines[:].set_visible(False)
    axes.tick_params(length=0)
    named = environment_in_table(environment)
    caption(
        figure,
        f"Replies that parse, but cannot arise in {named.title}, by what is wrong",
        f"{note}\nshares of all replies (their number in brackets); several things may be wrong on a {named.state_noun}",
        subject,
    )
    return figure
