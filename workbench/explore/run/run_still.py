"""A run's rows as plain HTML."""

from collections.abc import Mapping
from typing import Any, Final

from workbench.drawing.reply_words import class_words
from workbench.explore.page.still_html import heading, listing, paragraph
from workbench.explore.run.run_columns import cell_text, column_label
from workbench.explore.run.run_table import RunTable
from workbench.long_texts import cut

_ROWS: Final = 12
_COLUMNS: Final = ("position_id", "model", "reply_class", "edit_distance", "precision", "recall")


def run_still(run: RunTable, answer: Mapping[str, Any] | None, opened: Mapping[str, Any]) -> str:
    """Return the counts of the rows shown, the first of them, and the open row, as HTML.

    Args:
        run: The run.
        answer: ``order`` and ``classes`` of the rows shown, and ``notes``; None if not computed.
        opened: The text about the open row; empty if none is open.
    """
    if answer is None:
        return heading("Run browser") + paragraph("The rows were not computed.")
    order = answer["order"]
    classes = ", ".join(
        f"{shown:,} {class_words(name)}"
        for name, (shown, _every) in answer["classes"].items()
        if shown
    )
    parts = [
        heading(f"{len(order):,} of {len(run.rows):,} rows: {classes or 'none'}"),
        *map(paragraph, answer["notes"]),
        listing(
            [column_label(name, run) for name in _COLUMNS],
            [
                [cut(cell_text(name, row[name], run)) for name in _COLUMNS]
                for row in run.rows.iloc[list(order[:_ROWS])].to_dict("records")
            ],
        ),
    ]
    if len(order) > _ROWS:
        parts.append(paragraph(f"The first {_ROWS} of them in the order shown."))
    if opened:
        parts.append(heading(f"Open: {opened['title']}"))
        parts.append(listing(("", ""), opened["facts"]))
    return "".join(parts)
