"""Format apart from tracking: how much of a mean is the writing of states, how much the states.

A mean of p_m over all replies is the share of readable replies times the mean over these. So a model
may be low because it writes no state, or in a notation of its own, and not because it lost track. A
reply that differs from the true state in letter case alone (White's pawns as ``p``) is also measured
as if it were written in the right case.
"""

from collections.abc import Mapping
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from workbench.answers.recorded_replies import BASELINE
from workbench.drawing.appearance import bar_lengths, caption, plain_axes
from workbench.drawing.labels import labels, room, typeset
from workbench.drawing.quantities import QUANTITIES
from workbench.drawing.score_description import (
    class_counts_by,
    environment_of,
    episode_words,
    has_bands,
    interval_words,
    length_words,
    scored_rows,
    state_words,
    with_length,
)
from workbench.environments.registry import DEFAULT
from workbench.prediction import READABLE, ReplyClass
from workbench.scoring import ScoringParameters
from workbench.scoring.score_rows import affordance_scores, is_state
from workbench.statistics.grouped import grouped_means, grouped_sums, spread
from workbench.statistics.intervals import SHARE
from workbench.studies.panels import ALL_LENGTHS, require_columns

_MEANS: Final = ("readable", "mean", "mean_readable", "mean_valid", "mean_in_true_case")
_PANEL: Final = (2.15, 1.75)
_MOST_COLUMNS: Final = 5
_SIZE: Final = 8
_ROW: Final = 0.3
_BAR: Final = "0.87"
# The mean in the right letter case is drawn where it is higher by so much.
_LEAST: Final = 0.01


def compute(scores: pd.DataFrame, *, depth: int = 4) -> pd.DataFrame:
    """Take the mean of p_m of each model apart, at each length of the episode and over all.

    Intervals are of 95%, clustered by game; see `workbench.statistics.intervals`.

    Returns:
        One row for each model and length, "all" last: model, length, replies (scored),
        games, effective (number of games), readable (share), mean (over all replies: readable times mean_readable),
        mean_readable, mean_valid (over replies whose state can arise), mean_in_true_case (over all
        replies, each that differs in letter case alone written in the right case), each with _low
        and _high; readable_replies, valid_replies, case_replies (that differ in letter case alone);
        right (share of all replies whose state is right as written; of a FEN the placement),
        right_ignoring_case, right_without_clocks (NaN where states have none), measure, depth
        and in_bands (whether a length is the upper edge of a band). A mean over no reply is NaN.
    """
    column = f"precision_{depth}"
    require_columns(scores, [column])
    rows, key = with_length(_with_case(scored_rows(scores), depth)), ["model", "length"]
    readable = rows["reply_class"].isin(READABLE)
    rows = rows.assign(
        readable=readable,
        mean=rows[column],
        mean_readable=rows[column].where(readable),
        mean_valid=rows[column].where(rows["reply_class"] == ReplyClass.VALID),
        mean_in_true_case=rows["in_true_case"],
        right_ignoring_case=rows["right"] + rows["case_alone"],
    )
    means = grouped_means(rows, [*_MEANS, *_SHARES], key, within=SHARE, total=ALL_LENGTHS)
    table = spread(means, key, counted="mean")
    counts = class_counts_by(rows, key, ALL_LENGTHS)
    table["replies"], table["valid_replies"] = counts["count"], counts["valid"]
    table["readable_replies"] = counts["valid"] + counts["ill_formed"]
    cases = grouped_sums(rows, "case_alone", key, total=ALL_LENGTHS)["case_alone"]
    table["case_replies"] = cases.astype(int)
    ends = [f"{name}{end}" for name in _MEANS for end in ("", "_low", "_high")]
    table = table.assign(measure="precision", depth=depth, in_bands=has_bands(rows))
    return table[
        [*key, "replies", "games", *ends[:3], "effective", *ends[3:],
         "readable_replies", "valid_replies", "case_replies", *_SHARES, "measure", "depth", "in_bands"]
    ]  # fmt: skip


def _with_case(rows: pd.DataFrame, depth: int) -> pd.DataFrame:
    """Return scored rows with what is right of each, and its p_m in the true letter case."""
    right = "exact_match_placement" if "exact_match_placement" in rows else "exact_match"
    undefined = pd.Series(np.nan, rows.index)
    rows = rows.assign(
        right=rows.get(right, undefined).astype(float),
        right_without_clocks=rows.get("exact_match_position", undefined).astype(float),
        case_alone=0.0,
        in_true_case=rows[f"precision_{depth}"].astype(float),
    )
    mended = _mended_states(rows)
    if mended:
        kind = ScoringParameters(
            depth=depth,
            terminal=rows["terminal"].iloc[0],
            ill_formed=rows["ill_formed_policy"].iloc[0],
        )
        environment = environment_of(rows)
        pairs = list(mended.values())
        classes = [(text, environment.classify_state(text).reply_class) for _, text in pairs]
        values = affordance_scores(
            environment.automaton,
            [true for true, _ in pairs],
            [
                environment.parse(text).state if is_state(reply_class, kind.ill_formed) else None
                for text, reply_class in classes
            ],
            kind,
            [0] * len(pairs),
        )
        index = list(mended)
        rows.loc[index, "case_alone"] = 1.0
        rows.loc[index, "in_true_case"] = [each[depth - 1] for each in values]
    return rows


def _mended_states(rows: pd.DataFrame) -> dict[Any, tuple[Any, str]]:
    """Return, by index, the true state and the text in its case of rows that differ in case alone."""
    wrong = rows[(rows["right"] == 0) & rows["predicted_state"].notna()]
    if wrong.empty:
        return {}
    environment = environment_of(rows)
    mended = {}
    columns = wrong[["true_state", "predicted_state"]]
    for index, truth, predicted in columns.itertuples(name=None):
        true = environment.parse_true(truth)
        text = environment.with_true_case(true, environment.parse(predicted))
        if text is not None:
            mended[index] = (true.state, text)
    return mended


def format_words(row: Mapping[Any, Any], environment: str = DEFAULT) -> str:
    """Return a row of `compute` in a sentence: what is readable, the mean over it, and letter case."""
    symbol = f"p_{row['depth']}"
    replies, readable = row["replies"], row["readable_replies"]
    if not readable:
        return f"none of {replies:,} replies can be read: the mean says nothing about tracking"
    words = (
        f"{readable:,} of {replies:,} replies can be read; over these mean {symbol} is "
        f"{row['mean_readable']:.3f}"
    )
    if row["case_replies"]:
        words += (
            f"; {row['case_replies']:,} differ from the true {state_words(environment)} in the letter "
            f"case of {'pieces' if environment == DEFAULT else 'the text'} alone: with these in the "
            f"right case mean {symbol} over all replies is {row['mean_in_true_case']:.3f}"
        )
    return words


def draw(
    table: pd.DataFrame, note: str = "", subject: str = "", environment: str = DEFAULT
) -> Figure:
    """Draw the parts of the mean against the length of the episode, a panel a model, the best first."""
    symbol, models = f"p_{table['depth'].iloc[0]}", _ordered(table)
    columns = min(_MOST_COLUMNS, len(models))
    rows = -(-len(models) // columns)
    width, height = _PANEL
    figure = Figure(
        figsize=(max(7.2, 0.7 + width * columns), 1.7 + height * rows), layout="constrained"
    )
    spec = figure.add_gridspec(rows + 1, columns, height_ratios=[0.3, *[1.0] * rows])
    key = figure.add_subplot(spec[0, :])
    key.set_axis_off()
    panels: list[Axes] = []
    for place in range(len(models)):
        first = panels[0] if panels else None
        cell = spec[1 + place // columns, place % columns]
        panels.append(figure.add_subplot(cell, sharex=first, sharey=first))
    names = labels(models, 30)
    replies = table[table["length"] == ALL_LENGTHS].set_index("model")["replies"]
    parts = table[table["length"] != ALL_LENGTHS]
    lengths = sorted(parts["length"].astype(int).unique())
    if not lengths:
        parts, lengths = table.assign(length="0"), [0]
    step = float(min(np.diff(lengths), default=10))
    for place, (axes, model) in enumerate(zip(panels, models, strict=True)):
        line = parts[parts["model"] == model].assign(length=lambda part: part["length"].astype(int))
        line = line.sort_values("length")
        axes.bar(line["length"], line["readable"], width=0.75 * step, color=_BAR, zorder=0)
        for name in _LOOKS:
            if name != "mean_in_true_case" or _case_matters(line).any():
                _draw_mean(axes, line, name, line["length"])
        axes.set_title(f"{names[model]}\n(n = {replies[model]:,})", fontsize=_SIZE - 0.5)
        axes.set_ylim(0, 1.04)
        axes.spines[["top", "right"]].set_visible(False)
        axes.tick_params(labelsize=_SIZE)
        axes.set_xticks(lengths, ["all"] if lengths == [0] else [str(each) for each in lengths])
        axes.tick_params(labelleft=place % columns == 0, labelbottom=place + columns >= len(models))
    figure.supylabel(typeset(f"share, or mean {symbol}"), fontsize=9)
    key.legend(
        handles=_handles(symbol, case=bool(_case_matters(parts).any())), loc="center",
        ncols=3 if columns > 3 else 2, frameon=False, fontsize=_SIZE,
    )  # fmt: skip
    across = length_words(environment, in_bands=bool(table["in_bands"].any()))
    caption(
        figure,
        f"Format apart from tracking: mean {symbol} and its parts",
        f"horizontal: {across}; {_bars(parts, environment)}\n{note}".strip(),
        subject,
    )
    return figure


def draw_overall(
    table: pd.DataFrame, note: str = "", subject: str = "", environment: str = DEFAULT
) -> Figure:
    """Draw the parts of each model's mean over all lengths, and the share of right states."""
    symbol, models = f"p_{table['depth'].iloc[0]}", _ordered(table)
    part = table[table["length"] == ALL_LENGTHS].set_index("model").loc[models]
    places = np.arange(len(models))
    names = labels(models, 32)
    beside = max(room(each, _SIZE) for each in names.values())
    figure = Figure(
        figsize=(max(10.0, 7.2 + beside), 1.7 + _ROW * len(models)), layout="constrained"
    )
    shares = {name: look for name, look in _SHARES.items() if part[name].notna().any()}
    ratios = [1.5, 1] if shares else [1]
    parts, *others = figure.subplots(
        1, len(ratios), sharey=True, width_ratios=ratios, squeeze=False
    )[0]
    parts.barh(places, part["readable"], height=0.75, color=_BAR, zorder=0)
    for name in _LOOKS:
        defined = _case_matters(part) if name == "mean_in_true_case" else part[name].notna()
        _draw_mean(parts, part[defined], name, places[defined], across=True)
    noun = "placement" if environment == DEFAULT else state_words(environment)
    for right in others:
        for name, look in shares.items():
            label = f"{noun} right as written" if name == "right" else look["label"]
            right.plot(
                part[name], places, color="black", linestyle="none", **{**look, "label": label}
            )
        right.set_xlim(-0.02, 1.02)
        right.set_xlabel("share of all replies", fontsize=9)
        right.legend(
            loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=1, frameon=False, fontsize=_SIZE
        )
    parts.set_yticks(places, [f"{names[each]}" for each in models], fontsize=_SIZE)
    for label, model in zip(parts.get_yticklabels(), models, strict=True):
        label.set_color("0.45" if model == BASELINE else "black")
    parts.set(xlim=(0, 1.02), ylim=(len(models) - 0.4, -0.6))
    parts.set_xlabel(typeset(f"share of replies, or mean {symbol}"), fontsize=9)
    parts.legend(
        handles=_handles(symbol, case=bool(_case_matters(part).any())),
        loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=2, frameon=False, fontsize=_SIZE,
    )  # fmt: skip
    plain_axes((parts, *others), "x")
    for axes in (parts, *others):
        axes.tick_params(axis="x", labelsize=_SIZE)
    caption(
        figure,
        f"Format apart from tracking: mean {symbol} over all lengths, and its parts",
        f"models by mean {symbol}; {_bars(part, environment)}\n{note}".strip(),
        subject,
    )
    return figure


def _draw_mean(
    axes: Axes, rows: pd.DataFrame, name: str, at: npt.ArrayLike, *, across: bool = False
) -> None:
    lengths = bar_lengths(rows[name], rows[f"{name}_low"], rows[f"{name}_high"])
    look: dict[str, Any] = {"elinewidth": 0.8, "capsize": 1.5, **_LOOKS[name]}
    if across:
        axes.errorbar(rows[name], at, xerr=lengths, **{**look, "linestyle": "none"})
    else:
        axes.errorbar(at, rows[name], yerr=lengths, **look)


_COLOUR: Final = QUANTITIES["precision"].colour
_LOOKS: Final[Mapping[str, Mapping[str, Any]]] = {
    "mean": {
        "label": "mean {symbol} over all replies (product)",
        "marker": "s", "color": _COLOUR, "linestyle": "-", "linewidth": 1.4, "markersize": 4.5,
    },
    "mean_readable": {
        "label": "mean {symbol} over readable replies",
        "marker": "o", "color": "black", "markerfacecolor": "white", "linestyle": "--",
        "linewidth": 0.9, "markersize": 4.5,
    },
    "mean_valid": {
        "label": "mean {symbol} over valid replies",
        "marker": "^", "color": "0.45", "linestyle": ":", "linewidth": 0.9, "markersize": 4,
    },
    "mean_in_true_case": {
        "label": "mean {symbol} over all, in the right letter case (if 0.01 higher)",
        "marker": "D", "color": "#0b5fa5", "markerfacecolor": "none", "linestyle": "-.",
        "linewidth": 0.9, "markersize": 4.5,
    },
}  # fmt: skip


_SHARES: Final[Mapping[str, Mapping[str, Any]]] = {
    "right": {"marker": "o", "markersize": 5, "label": ""},
    "right_ignoring_case": {
        "marker": "D", "markerfacecolor": "none", "markersize": 5,
        "label": "right ignoring letter case",
    },
    "right_without_clocks": {"marker": "|", "markersize": 9, "label": "position right without clocks"},
}  # fmt: skip


def _bars(table: pd.DataFrame, environment: str) -> str:
    return interval_words(table, episode_words(environment), "mean_low")


def _handles(symbol: str, *, case: bool) -> list[Any]:
    lines = [
        Line2D([], [], **{**look, "label": typeset(look["label"].format(symbol=symbol))})
        for name, look in _LOOKS.items()
        if case or name != "mean_in_true_case"
    ]
    return [Patch(color=_BAR, label="share of readable replies"), *lines]


def _case_matters(rows: pd.DataFrame) -> "pd.Series[bool]":
    return rows["mean_in_true_case"] - rows["mean"] >= _LEAST


def _ordered(table: pd.DataFrame) -> list[str]:
    overall = table[table["length"] == ALL_LENGTHS].sort_values(
        ["mean", "model"], ascending=[False, True], na_position="last"
    )
    return list(overall["model"])
