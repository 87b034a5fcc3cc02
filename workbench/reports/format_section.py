"""Format apart from tracking on the page: what of each model's mean is the writing of its replies."""

import math

import pandas as pd

from workbench.drawing.scores_in_words import length_words
from workbench.reports.chapters import Chapter
from workbench.reports.numbers_in_words import UNDEFINED, number, with_interval
from workbench.reports.page_parts import details, figure, paragraph, section, table
from workbench.studies.models import format_and_tracking
from workbench.studies.models.format_and_tracking import OVERALL


def parts_of_means(chapter: Chapter) -> pd.DataFrame:
    """Return `format_and_tracking.compute` of a chapter and what stands beside it.

    Args:
        chapter: With at least one row that has scores.
    """
    return format_and_tracking.compute(chapter.together(), depth=chapter.depth)


def format_section(chapter: Chapter, parts: pd.DataFrame, identity: str) -> str:
    """Return each model's mean and its parts, over all lengths and by length.

    Args:
        chapter: The chapter.
        parts: The result of `parts_of_means`.
        identity: Of the chapter on the page.
    """
    name = chapter.environment.name
    overall = parts[parts["length"] == OVERALL].sort_values("mean", ascending=False)
    by_length = parts[parts["length"] != OVERALL]
    title = "Format apart from tracking"
    words = (
        f"Mean {chapter.symbol} over all replies is the share of readable replies times the mean over "
        "these. A difference between models that is not there over the readable replies is one of "
        "format, and says nothing about tracking."
    )
    if chapter.measures_text and overall["case_replies"].any():
        words += (
            " Replies that differ from the true state in letter case alone are also measured in the "
            "right case."
        )
    drawn = format_and_tracking.draw_overall(parts, environment=name)
    alt = f"{chapter.title}: mean {chapter.symbol} of each model and its parts; the table has the numbers."
    content = [
        paragraph(words),
        _table(chapter, overall, f"Mean {chapter.symbol} and its parts, with 95% intervals"),
        figure(drawn, alt),
    ]
    if len(by_length):
        lines = format_and_tracking.draw(parts, environment=name)
        alt = f"{chapter.title}: the parts of mean {chapter.symbol} by length, a panel a model."
        caption = f"The same by length ({length_words(name)})"
        content.append(details(caption, figure(lines, alt), _table(chapter, by_length, caption)))
    return section(f"{identity}-format", title, *content, level=3)


def _table(chapter: Chapter, rows: pd.DataFrame, caption: str) -> str:
    symbol = chapter.symbol
    columns = [
        "model", "replies", "readable", symbol, f"{symbol} over readable", f"{symbol} over valid",
    ]  # fmt: skip
    names = ["readable", "mean", "mean_readable", "mean_valid"]
    if case := bool(rows["case_replies"].any()):
        columns += [f"{symbol} in the right letter case", "replies wrong in case alone"]
    if chapter.measures_text:
        columns += ["right as written", "right ignoring case", "right without clocks"]
    of_length = (rows["length"] != OVERALL).any()
    lines = []
    for row in rows.to_dict("records"):
        cells = [row["model"] + (f", {row['length']}" if of_length else ""), f"{row['replies']:,}"]
        cells += [
            with_interval(*(row[f"{each}{end}"] for end in ("", "_low", "_high"))) for each in names
        ]
        if case:
            cells += [number(row["mean_in_true_case"]), f"{row['case_replies']:,}"]
        if chapter.measures_text:
            cells += [
                UNDEFINED if math.isnan(row[each]) else f"{row[each]:.1%}"
                for each in ("right", "right_ignoring_case", "right_without_clocks")
            ]
        lines.append(cells)
    return table(caption, columns, lines)
