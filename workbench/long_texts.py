"""Texts of any length in messages and on pages: cut, and how long they are."""

from typing import Final

LONGEST: Final = 80
"""Characters of a text that are shown, unless there is another reason."""

LONGEST_FEN: Final = 120
"""Characters of a FEN that are shown: one that can be read is rarely longer than 90."""

_ELLIPSIS: Final = "…"


def shortened(text: str, longest: int) -> str:
    """Return a text with its middle left out, if it is longer than so many characters."""
    if len(text) <= longest:
        return text
    head = (longest - 1) // 2
    return text[:head] + _ELLIPSIS + text[len(text) - (longest - 1 - head) :]


def cut(text: str, longest: int = LONGEST) -> str:
    """Return a text as it is, or with its middle left out and its length behind it."""
    if len(text) <= longest:
        return text
    return f"{shortened(text, longest)} ({len(text):,} characters)"


def quoted(text: str, longest: int = LONGEST) -> str:
    """Return a text between quotation marks, for messages; cut as `cut` does it."""
    if len(text) <= longest:
        return repr(text)
    return f"{shortened(text, longest)!r} ({len(text):,} characters)"
