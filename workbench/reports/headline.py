"""The headline numbers of a run, and the first tables of a chapter."""

from collections.abc import Collection
from itertools import combinations
from typing import Final

import pandas as pd

from workbench.drawing.quantities import EDIT_DISTANCE
from workbench.drawing.score_description import (
    class_counts_by,
    convention_words,
    left_out,
    scored_rows,
    with_names,
)
from workbench.errors import InvalidArgumentError
from workbench.explore.run.failure_causes import depths_of
from workbench.metrics import headline_columns, range_of, with_summaries
from workbench.reports.chapters import Chapter
from workbench.reports.page_parts import counted, interval_cell, paragraph, quantity_name, table
from workbench.statistics.grouped import grouped_means

KEY: Final = ("task", "set", "model", "setting")
"""The columns that identify a line of results."""

COLUMNS: Final = (
    *KEY, "quantity", "mean", "standard_error", "lower", "upper", "n", "games", "effective",
    "undefined", "failed", "unscored",
)  # fmt: skip

_NAMES: Final = {
    "column": "quantity", "value": "mean", "low": "lower", "high": "upper", "count": "n",
}  # fmt: skip


def headline_depth(scores: pd.DataFrame) -> int:
    """Return the largest m for which a scores table has p_m and r_m."""
    depths = depths_of(scores)
    if not depths:
        raise InvalidArgumentError(
            "expected scores with columns such as 'precision_4' and 'recall_4', got "
            f"{list(scores.columns)}; make them by `workbench score`"
        )
    return depths[-1]


def headline(scores: pd.DataFrame, *, depth: int | None = None) -> pd.DataFrame:
    """Return the means of each model's replies, with standard errors and 95% intervals.

    Positions of one game are not independent: errors and intervals are by the variance between games,
    see `workbench.statistics.intervals`. Failed calls and replies that could not be scored are
    left out of every mean, and counted.

    Args:
        scores: Rows of a scores table. A column ``game``, as `workbench.reports.chapters` adds
            it, names the games; without it ``game_id`` does.
        depth: m; the largest that the scores have if None.

    Returns:
        One row for each task, set, model, setting and quantity of `quantities_of`; no row for no scores.
        mean, standard_error, lower and upper are NaN where there is nothing to compute them from:
        error and interval for fewer than two games, or games that do not vary, too. n counts the rows
        in the mean, games their games and effective the effective number of these; undefined the
        scored rows without this value; failed and unscored the rows of the model that have no scores.

    Raises:
        InvalidArgumentError: If the scores lack p_m and r_m.
    """
    m = headline_depth(scores) if depth is None else depth
    if m not in depths_of(scores):
        raise InvalidArgumentError(
            f"depth: expected one of {depths_of(scores)}, which these scores have, got {m!r}"
        )
    rows = with_summaries(with_names(scores))
    # An estimator gives p_m alone, so that p_1 may be missing.
    rows = rows.reindex(columns=rows.columns.union(["precision_1"], sort=False))
    tables = [pd.DataFrame(columns=list(COLUMNS))]
    for task, part in rows.groupby("task", sort=True, dropna=False):
        table = grouped_means(
            part,
            quantities_of(str(task), m, scores.columns),
            KEY,
            clusters="game" if "game" in part else "game_id",
            within=range_of,
        ).rename(columns=_NAMES)
        table = table.merge(class_counts_by(part, KEY)[[*KEY, "failed", "unscored"]], on=list(KEY))
        table["undefined"] -= table["failed"] + table["unscored"]
        tables.append(table[list(COLUMNS)])
    return pd.concat(tables[1:] or tables, ignore_index=True)


def quantities_of(task: str, depth: int, present: Collection[str] = ()) -> tuple[str, ...]:
    """Return the columns of a scores table that a task is reported by."""
    if task == "state":
        return headline_columns(depth, present)
    named = {
        "actions": ("precision_1", "recall_1"),
        "continuation": (f"precision_{depth}",),
        "legal_mass": ("precision_1",),
    }
    return named.get(task, (f"precision_{depth}", f"recall_{depth}"))


_MOST_NAMED: Final = 5


def headline_section(chapter: Chapter) -> str:
    """Return the headline numbers of a chapter's models, the best first."""
    scores, noun = chapter.scores, chapter.environment.episode_noun
    quantities = quantities_of(chapter.task, chapter.depth, scores.columns)
    numbers = headline(scores, depth=chapter.depth)
    by_model = {
        model: part.set_index("quantity").to_dict("index")
        for model, part in numbers.groupby("model", sort=True)
    }
    rows = []
    main = numbers[numbers["quantity"] == quantities[0]].sort_values("model", kind="stable")
    for first in main.sort_values("mean", ascending=False, kind="stable").to_dict("records"):
        cells = [interval_cell(by_model[first["model"]][name]) for name in quantities]
        rows.append([first["model"], *cells, f"{first['n']:,}", f"{first['games']:,}"])
    positions = counted(scores["position_id"].nunique(), "position")
    games = counted(scores["game"].nunique(), noun)
    missing = left_out(scores)
    one, several = "reply that could not be scored", "replies that could not be scored"
    excluded = [
        counted(missing["failed"], "failed call") if missing["failed"] else "",
        counted(missing["unscored"], one, several) if missing["unscored"] else "",
    ]
    words = (
        f"{positions} of {games}; {convention_words(scores)}. In brackets: 95% intervals, by "
        f"the variance between whole {noun}s; none for a single {noun}, or where {noun}s do not vary."
    )
    if any(excluded):
        words += f" Left out of every number: {' and '.join(filter(None, excluded))}."
    heads = ["model", *map(quantity_name, quantities), "n", f"{noun}s"]
    return (
        paragraph(words)
        + paragraph(_positions_apart(chapter))
        + table("Headline numbers, means over replies", heads, rows)
        + paragraph(_undefined(chapter))
    )


def _undefined(chapter: Chapter) -> str:
    """Return what a task's measures are, and what of the page is not defined for it and why."""
    if chapter.measures_text:
        return ""
    action, state = chapter.environment.action_noun, chapter.environment.state_noun
    without = (
        f"Not shown: exact match, {EDIT_DISTANCE.name}, Kendall's tau and {state}s that "
        f"{EDIT_DISTANCE.name} misjudges, because a {chapter.answer} is no {state} whose text could be "
        "compared"
    )
    if chapter.task == "actions":
        return (
            f"p_1 is the share of the listed {action}s that are permitted, r_1 the share of the permitted "
            f"{action}s that are listed. {without}; p_m and r_m for m > 1, because the list says "
            f"nothing about later {action}s."
        )
    if chapter.task == "legal_mass":
        return (
            f"p_1 is the probability that the model names a permitted {action}: exact where a reply gives "
            f"probabilities, else 1 or 0. {without}; all else but p_1, because one {action} is asked for."
        )
    return (
        f"{chapter.symbol} is the share of the replies whose first {chapter.depth} {action}s are "
        f"accepted. {without}; r_{chapter.depth}, because no {action}s are drawn from the true {state}."
    )


def _positions_apart(chapter: Chapter) -> str:
    """Return whether the models' means are of different positions, and who shares none."""
    of_models = scored_rows(chapter.scores).groupby("model")["position_id"].agg(frozenset)
    if of_models.nunique() < 2:
        return ""
    words = (
        "The models have scores at different positions, so that their means are not comparable: see "
        "the comparison on common positions."
    )
    without = [
        f"{one} and {other}"
        for one, other in combinations(of_models.index, 2)
        if of_models[one].isdisjoint(of_models[other])
    ]
    if without:
        words += (
            f" These share no position and are not compared: {'; '.join(without[:_MOST_NAMED])}"
        )
        more = len(without) - _MOST_NAMED
        words += f"; and {counted(more, 'other pair')}." if more > 0 else "."
    return words
