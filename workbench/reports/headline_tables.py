"""The first tables of a chapter: headline numbers, and the classes of the replies."""

from itertools import combinations
from typing import Final

from workbench.drawing.quantities import EDIT_DISTANCE
from workbench.drawing.reply_words import class_words
from workbench.drawing.scores_in_words import class_counts, counting_words, left_out, scored_rows
from workbench.prediction import CLASSES, ReplyClass
from workbench.reports.chapters import Chapter
from workbench.reports.headline import headline, quantities_of
from workbench.reports.numbers_in_words import counted, quantity_name, with_interval
from workbench.reports.page_parts import paragraph, table

_MOST_NAMED: Final = 5


def headline_section(chapter: Chapter) -> str:
    """Return the headline numbers of a chapter's models, the best first, and its replies' classes.

    Args:
        chapter: With at least one row.
    """
    numbers = headline(chapter.scores, depth=chapter.depth)
    quantities = quantities_of(chapter.task, chapter.depth, chapter.scores.columns)
    by_model = {
        model: part.set_index("quantity") for model, part in numbers.groupby("model", sort=True)
    }
    order = sorted(
        by_model, key=lambda model: -by_model[model].loc[quantities[0], ["mean"]].fillna(-1).iloc[0]
    )
    rows = []
    for model in order:
        first = by_model[model].loc[quantities[0]]
        cells = [
            with_interval(*map(float, by_model[model].loc[name, ["mean", "lower", "upper"]]))
            for name in quantities
        ]
        rows.append([model, *cells, f"{first['n']:,}", f"{first['games']:,}"])
    scores = chapter.scores
    noun = chapter.environment.episode_noun
    positions = counted(scores["position_id"].nunique(), "position")
    games = counted(scores["game"].nunique(), noun)
    missing = left_out(scores)
    excluded = " and ".join(
        words
        for words in (
            counted(missing["failed"], "failed call") if missing["failed"] else "",
            counted(missing["unscored"], "reply that could not be scored",
                    "replies that could not be scored") if missing["unscored"] else "",
        )
        if words
    )  # fmt: skip
    return (
        paragraph(
            f"{positions} of {games}; {counting_words(scores)}. In brackets: 95% intervals, by "
            f"the variance between whole {noun}s; none for a single {noun}, or where {noun}s do not vary."
            + (f" Left out of every number: {excluded}." if excluded else "")
        )
        + paragraph(_positions_apart(chapter))
        + table(
            "Headline numbers, means over replies",
            ["model", *map(quantity_name, quantities), "n", f"{noun}s"],
            rows,
        )
        + paragraph(_undefined(chapter))
        + _classes(chapter)
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


def _classes(chapter: Chapter) -> str:
    counts = class_counts(chapter.scores).set_index("model")
    shown = [name for name in CLASSES if name != ReplyClass.FAILED]
    names = [class_words(name, chapter.answer) for name in shown]
    rows = [
        [model, *(f"{row[name]:,}" for name in [*shown, "failed", "unscored"]), f"{row['count']:,}"]
        for model, row in counts.iterrows()
    ]
    return table(
        "Classes of answers; failed calls are no replies and enter no number",
        ["model", *names, "failed calls", class_words("unscored"), "all rows"],
        rows,
    )
