"""Right answers, equal answers, and the spread of repeated answers to the same position."""

import math
import re
from typing import Final

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from workbench.drawing.appearance import caption, new_figure
from workbench.drawing.labels import LONGEST, labels, some_of, span, typeset
from workbench.drawing.quantities import PRECISION
from workbench.drawing.score_description import answer_words, scored_rows
from workbench.prediction import ACTION_SEPARATOR
from workbench.studies.panels import empty_figure, require_columns


def right_answers(scores: pd.DataFrame, depth: int) -> "pd.Series[bool]":
    """Return which replies are right.

    A state is right if its text is the true one. Actions are if each of p_1 .. p_m and r_1 .. r_m
    that their task defines is 1: every permitted action and no other, or a line that is accepted
    whole.
    """
    names = [str(name) for name in scores.columns]
    matches = [re.fullmatch(r"(?:precision|recall)_(\d+)", name) for name in names]
    used = [match[0] for match in matches if match and int(match[1]) <= depth]
    measures = scores[used].astype(float)
    by_measures = (measures.isna() | (measures == 1)).all(axis=1) & measures.notna().any(axis=1)
    exact = scores["exact_match"]
    return exact.eq(True).where(exact.notna(), by_measures).astype(bool)


def answer_keys(scores: pd.DataFrame) -> "pd.Series[str]":
    """Return a text for each reply, equal for equal answers; empty where a reply gives none.

    A list of permitted actions is compared without its order and repetitions, a line of actions
    with them.
    """
    if "predicted_actions" not in scores:
        return scores["predicted_state"].fillna("")
    lists = scores["predicted_actions"].fillna("")
    listed = scores["task"] == "actions"
    sets = lists.map(lambda text: ACTION_SEPARATOR.join(sorted(set(text.split(ACTION_SEPARATOR)))))
    return scores["predicted_state"].fillna(lists.where(~listed, sets)).astype(str)


_MOST_IN_ROW: Final = 3
_MOST_PANELS: Final = 6
_SUMMARY: Final = [
    "model", "prompt", "positions", "repeated", "same", "always", "sometimes", "never", "within",
    "between", "share_within",
]  # fmt: skip


def compute(scores: pd.DataFrame, *, depth: int = 4) -> pd.DataFrame:
    """Describe the answers to each position.

    Returns:
        One row per model, prompt and position: model, prompt, position_id, answers, different
        (distinct answers by `answer_keys`; none is one), right (answers that are, by
        `right_answers`), mean, least and most of p_m, variance (of p_m, unbiased; NaN
        for one answer), depth and answer (what a reply gives, in words).
    """
    measure = f"precision_{depth}"
    require_columns(scores, [measure])
    rows = scored_rows(scores)
    rows = rows.assign(answer=answer_keys(rows), hit=right_answers(rows, depth).astype(float))
    table = rows.groupby(["model", "prompt", "position_id"], sort=False).agg(
        answers=("sample", "size"), different=("answer", "nunique"), right=("hit", "sum"),
        mean=(measure, "mean"), least=(measure, "min"), most=(measure, "max"),
        variance=(measure, "var"),
    )  # fmt: skip
    return table.reset_index().assign(depth=depth, answer=answer_words(rows))


def summarise(table: pd.DataFrame) -> pd.DataFrame:
    """Return how much of the spread of p_m is between answers to the same question.

    Returns:
        One row per model and prompt: positions, repeated (positions with at least two answers; the
        rest is about these), same (share of them with the same answer in all), always, sometimes,
        never (shares with all, some, no answers right), within (standard deviation of p_m between
        answers to one position, from the mean variance), between (of the positions' means, less
        what the answers' spread adds to it; 0 if that is all) and share_within (of the whole variance
        of an answer). NaN where nothing was asked twice, or nothing varies.
    """
    rows = []
    for (model, prompt), part in table.groupby(["model", "prompt"], sort=False):
        again = part[part["answers"] > 1]
        within = float(again["variance"].mean())
        # The variance of the mean of k answers is a k-th of theirs.
        added = float((again["variance"] / again["answers"]).mean())
        between = max(0.0, float(again["mean"].var()) - added) if len(again) > 1 else math.nan
        whole = within + between
        always = again["right"] == again["answers"]
        never = again["right"] == 0
        same = (again["different"] == 1).mean()
        shares = (same, always.mean(), (~always & ~never).mean(), never.mean())
        deviations = [math.sqrt(each) if each >= 0 else math.nan for each in (within, between)]
        share_within = within / whole if whole > 0 else math.nan
        counts = (len(part), len(again))
        rows.append((model, prompt, *counts, *shares, *deviations, share_within))
    return pd.DataFrame(rows, columns=_SUMMARY)


def draw(table: pd.DataFrame, note: str = "", subject: str = "") -> Figure:
    """Draw the range of p_m over the answers to each position, one panel per model and prompt."""
    again = table[table["answers"] > 1]
    models = list(table["model"].unique())
    of_one = some_of(models, "models") if len(models) == 1 else ""
    subject = f"{subject or of_one}: the" if subject or of_one else "The"
    title = f"{subject} same question asked again"
    if again.empty:
        return empty_figure(title, "each position was asked once", note)
    depth = table["depth"].iloc[0]
    groups = list(again.groupby(["model", "prompt"], sort=False))
    panels_of = groups[:_MOST_PANELS]
    columns, rows = min(len(panels_of), _MOST_IN_ROW), -(-len(panels_of) // _MOST_IN_ROW)
    figure, panels = new_figure(
        columns, width=1.2 + 3.4 * columns, height=0.6 + 3.3 * rows, rows=rows
    )
    for axes in panels[len(panels_of) :]:
        axes.set_axis_off()
    several = len(models) > 1
    of_models = labels(models, 24)
    of_prompts = labels(table["prompt"], 24 if several else LONGEST)
    for axes, ((model, prompt), part) in zip(panels, panels_of, strict=False):
        ordered = part.sort_values(["mean", "most", "least"])
        share = (np.arange(len(ordered)) + 0.5) / len(ordered)
        axes.vlines(
            share, ordered["least"], ordered["most"], color=PRECISION.colour, alpha=0.45,
            linewidth=min(1.5, 200 / len(ordered)),
        )  # fmt: skip
        axes.plot(share, ordered["mean"], ".", color="black", markersize=2.5)
        row = summarise(part).iloc[0]
        names = [of_models[str(model)]] * several + [of_prompts[str(prompt)]] * bool(prompt)
        name = ": ".join(names)
        axes.set_title(
            (f"{name}\n" if name else "")
            + f"{len(part)} positions, {span(part['answers'])} answers each\n"
            f"same {part['answer'].iloc[0]} in all: {row['same']:.0%}; within {row['within']:.2f}, "
            f"between {row['between']:.2f}",
            fontsize=8,
        )
        axes.tick_params(labelbottom=True)
        axes.set_xlabel("positions, by their mean (share)", fontsize=9)
    for axes in panels[::columns]:
        axes.set_ylabel(typeset(f"p_{depth}"))
        axes.set_ylim(-0.02, 1.02)
    more = (
        f"; {len(groups) - len(panels_of)} panels not drawn" if len(groups) > len(panels_of) else ""
    )
    caption(
        figure,
        title,
        f"{note}\nlines: from the least to the largest p_{depth} of the answers to one position; dots: "
        f"their mean; within and between positions: standard deviations{more}",
    )
    return figure
