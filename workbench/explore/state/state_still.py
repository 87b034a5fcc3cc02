"""A pair of states and its numbers as plain HTML."""

from collections.abc import Mapping
from typing import Any, Final

from workbench.drawing.quantities import EDIT_DISTANCE
from workbench.explore.page.still_html import (
    aside,
    heading,
    listing,
    paragraph,
    picture,
    preformatted,
)
from workbench.explore.pair.pair_still import numbers_listing
from workbench.long_texts import cut

_LONGEST: Final = 2000
_PIXELS: Final = 280


def state_still(view: Mapping[str, Any] | None, caption: str, title: str, noun: str) -> str:
    """Return a pair of states as HTML.

    Args:
        view: The result of `workbench.explore.state.state_view.state_view`; None if there is none.
        caption: A line above the states.
        title: The environment's name.
        noun: What a state is called.
    """
    if view is None:
        return heading(f"{title}: a pair of states") + paragraph(
            f"{cut(caption, 800)} No numbers were computed.".strip()
        )
    text = view["text"]
    states = [
        aside(
            heading(f"{name.capitalize()} {noun}")
            + picture(view[name]["picture"], f"{name} {noun}", _PIXELS)
            + preformatted(cut(view[name]["state"], _LONGEST) or f"no {noun}"),
            _PIXELS,
        )
        for name in ("true", "predicted")
    ]
    facts = listing(
        ("", ""),
        [
            ("exact match", "yes" if text["exact_match"] else "no"),
            (EDIT_DISTANCE.name, text["levenshtein"]),
            ("elements right", f"{text['right']} of {text['elements']}"),
            ("elements that differ", ", ".join(view["different"]) or "none"),
            (f"predicted {noun}", view["predicted"]["words"].rstrip(".")),
        ],
    )
    reason = view["profile"]["reason"]
    return (
        (heading(cut(caption, 800)) if caption else "")
        + "".join(states)
        + aside(numbers_listing(view["profile"]) + paragraph(f"{reason[:1].upper()}{reason[1:]}."))
        + aside(facts)
    )
