"""What a report's claims open: the positions of a difference, the replies of a class."""

from collections.abc import Hashable, Iterator
from html import escape
from typing import Any, Final

import pandas as pd

from workbench.drawing.reply_words import class_words
from workbench.drawing.score_description import class_counts, scored_rows
from workbench.environments.registry import DEFAULT
from workbench.explore.board_reading import pair_link
from workbench.long_texts import cut
from workbench.prediction import CLASSES, READABLE, ReplyClass
from workbench.reports.chapters import Chapter
from workbench.reports.page_parts import (
    Markup,
    counted,
    details,
    link,
    number,
    paragraph,
    preformatted,
    section,
    table,
    with_interval,
)
from workbench.tables.parquet_tables import REPLY_KEY

MOST_POSITIONS: Final = 3
"""Positions that a difference opens."""

MOST_REPLIES: Final = 2
"""Replies of a class that are shown of each model."""

_LONGEST: Final = 300


def difference_identity(place: Hashable) -> str:
    """Return the end of the identity of a pair's positions, from its label in the index of all pairs."""
    return f"difference-{place}"


def difference_evidence(
    chapter: Chapter, pairs: pd.DataFrame, identity: str
) -> tuple[list[str], str]:
    """Return the identity of each pair's positions, and these as parts of a page.

    Args:
        chapter: The chapter.
        pairs: Of its models, as of `workbench.reports.model_comparison.compare`.
        identity: Begins the identities.
    """
    column = f"precision_{chapter.depth}"
    rows = scored_rows(chapter.all_scores()).drop_duplicates(["model", "position_id"])
    values = rows.pivot(index="position_id", columns="model", values=column).astype(float)
    answers = rows.set_index(["model", "position_id"])[["true_state", "predicted_state"]]
    names, parts = [], []
    for place, row in pairs.iterrows():
        names.append(f"{identity}-{difference_identity(place)}")
        models = [row["model"], row["other"]]
        apart = (values[models[0]] - values[models[1]]).abs()
        largest = apart[apart > 0].nlargest(MOST_POSITIONS, keep="first")
        items = [
            f"<li>{escape(cut(str(position)))}: "
            + ", ".join(
                _answer(chapter, model, values.loc[position, model], answers.loc[(model, position)])
                for model in models
            )
            + "</li>"
            for position in largest.index
        ]
        words = f"{models[0]} – {models[1]}: {with_interval(row['difference'], row['low'], row['high'])}"
        content = f"<ul>{''.join(items)}</ul>" if items else paragraph("No position differs.")
        parts.append(details(words, content, identity=names[-1]))
    return names, "".join(parts)


def _answer(chapter: Chapter, model: str, value: float, row: "pd.Series[Any]") -> str:
    words = f"{model} {number(value)}"
    can_open = chapter.environment.name == DEFAULT and chapter.measures_text
    if not can_open or not isinstance(row["predicted_state"], str):
        return escape(words)
    return link(pair_link(row["true_state"], row["predicted_state"]), words)


def classes_section(chapter: Chapter, identity: str) -> str:
    """Return how many replies of each class the models gave; a number opens some of the replies."""
    counts = class_counts(chapter.scores).set_index("model")
    replies = [name for name in CLASSES if name != ReplyClass.FAILED]
    heads = [class_words(name, chapter.answer) for name in replies]
    rows = [
        [
            model,
            *(
                Markup(link(f"#{identity}-replies-{name}", f"{row[name]:,}")) if row[name] else "0"
                for name in replies
            ),
            *(f"{row[name]:,}" for name in ["failed", "unscored", "count"]),
        ]
        for model, row in counts.iterrows()
    ]
    return section(
        f"{identity}-classes",
        "Classes of answers",
        table(
            "Classes of answers; failed calls are no replies and enter no number. A number opens replies.",
            ["model", *heads, "failed calls", class_words("unscored"), "all rows"],
            rows,
        ),
        *_replies_of_classes(chapter, identity, replies),
    )


def _replies_of_classes(chapter: Chapter, identity: str, classes: list[str]) -> Iterator[str]:
    rows = with_replies(chapter, chapter.scores)
    for name in classes:
        part = rows[rows["reply_class"] == name]
        if part.empty:
            continue
        sample = (
            part.groupby("model", sort=True).head(MOST_REPLIES).sort_values("model", kind="stable")
        )
        title = (
            f"{class_words(name, chapter.answer)}: {counted(len(sample), 'reply', 'replies')} of "
            f"{len(part):,}, at most {MOST_REPLIES} of each model"
        )
        yield details(
            title,
            *(reply_text(chapter, row) for row in sample.to_dict("records")),
            identity=f"{identity}-replies-{name}",
        )


def with_replies(chapter: Chapter, rows: pd.DataFrame) -> pd.DataFrame:
    """Return rows of a chapter's scores with the column ``reply``, where predictions have the texts."""
    if chapter.predictions.empty:
        return rows
    texts = chapter.predictions.drop_duplicates(list(REPLY_KEY))[[*REPLY_KEY, "reply"]]
    keyed = rows.assign(model=rows["asked"])
    merged = keyed.merge(texts, on=list(REPLY_KEY), how="left")
    return merged.assign(model=rows["model"].to_numpy())


def reply_text(chapter: Chapter, row: dict[Any, Any]) -> str:
    """Return the text of a reply with its model, position and p_m; in chess a link opens its boards."""
    words = f"{row['model']}, {cut(str(row['position_id']))}"
    text = next(
        (
            row[name]
            for name in ("reply", "predicted_state", "predicted_actions")
            if isinstance(row.get(name), str)
        ),
        "The reply is in the predictions, which are not available.",
    )
    value = row[f"precision_{chapter.depth}"]
    facts = [f"{chapter.symbol} {number(float(value))}"] if not pd.isna(value) else []
    facts += [row["reason"]] if isinstance(row["reason"], str) and row["reason"] else []
    opened = ""
    if (
        row["reply_class"] in READABLE
        and chapter.environment.name == DEFAULT
        and chapter.measures_text
    ):
        opened = link(
            pair_link(row["true_state"], row["predicted_state"]), f"Open the boards: {words}"
        )
    return (
        paragraph("; ".join([words, *facts]))
        + preformatted(cut(text, _LONGEST), f"Reply of {words}")
        + opened
    )
