"""A pair of boards and its numbers as plain HTML."""

from collections.abc import Mapping
from html import escape
from typing import Any, Final

from workbench.drawing.quantities import EDIT_DISTANCE, PRECISION, RECALL
from workbench.explore.board.pair_link import pair_link
from workbench.explore.board.reading import read_board
from workbench.explore.page.still_html import aside, board, heading, listing, paragraph
from workbench.long_texts import cut

_LINK: Final = '<p data-pair-link hidden><a href="{}">Open this pair</a></p>'
"""Shown where something opens it: static_page/exported_notebook.py."""


def pair_still(view: Mapping[str, Any] | None, caption: str, *, flipped: bool = False) -> str:
    """Return a pair of boards as HTML.

    Args:
        view: The result of `workbench.explore.pair.pair_view.pair_view`; None if there is none.
        caption: A line above the boards.
        flipped: Whether Black is at the bottom.
    """
    if view is None:
        return heading("Board pair") + paragraph(
            f"{cut(caption, 800)} No numbers were computed.".strip()
        )
    profile, text = view["profile"], view["text"]
    boards = [
        board(
            f"{name.capitalize()} board",
            read_board(view[name]["fen"], "predicted").board,
            view[name]["fen"],
            view["different"],
            flipped=flipped,
        )
        for name in ("true", "predicted")
    ]
    accuracy = text["board_accuracy"]
    facts = listing(
        ("", ""),
        [
            ("exact match", "yes" if text["exact_match"] else "no"),
            (EDIT_DISTANCE.name, text["levenshtein"]),
            ("board accuracy", "undefined" if accuracy is None else f"{accuracy:.4f}"),
            ("squares that differ", ", ".join(view["different"]) or "none"),
            ("predicted board", view["predicted"]["words"].rstrip(".")),
        ],
    )
    link = pair_link(view["true"]["fen"], view["predicted"]["fen"])
    words = profile["reason"][:1].upper() + profile["reason"][1:] + "."
    return (
        (heading(cut(caption, 800)) if caption else "")
        + "".join(boards)
        + aside(numbers_listing(profile) + paragraph(words))
        + aside(facts)
        + (_LINK.format(escape(link)) if link else "")
    )


def numbers_listing(profile: Mapping[str, Any]) -> str:
    """Return precision and recall at every depth as a table."""
    return listing(
        ("m", PRECISION.label("m"), RECALL.label("m")),
        [
            (depth, _in_words(precision), _in_words(recall))
            for depth, precision, recall in zip(
                profile["depths"], profile["precision"], profile["recall"], strict=True
            )
        ],
    )


def _in_words(entry: Mapping[str, Any]) -> str:
    """Return a value, with its interval where it is estimated."""
    value, low, high = entry["value"], entry["low"], entry["high"]
    if value is None:
        return "undefined"
    return f"{value:.4f}" + (f" ({low:.4f} to {high:.4f})" if high > low else "")
