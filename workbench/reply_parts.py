"""The parts of a reply that may be its answer, for environments without rules of their own.

A model that was asked to reply with a state alone may still add words, headings, Markdown fences or
lists. What is found here is only where an answer may stand; the environment decides what it is.
The time taken is linear in the length of the reply.
"""

import re
from collections.abc import Callable, Iterator
from itertools import islice
from typing import Final

_MOST_PARTS: Final = 1000
"""Of each kind; of a longer reply the last are looked at, where answers stand."""
_MOST_ITEMS: Final = 10_000
_LONGEST_ITEM: Final = 1000

_FENCE: Final = re.compile(r"^[ \t]*(?:```|~~~)[^\n]*$", re.MULTILINE)
_HEADING: Final = re.compile(
    r"^[^\w\n]*(?:(?:the|my|final|resulting|current|new|legal|permitted|possible|next)[ \t]+)*"
    r"(?:state|board|position|map|room|facts|contents|variables|answer|result|moves|actions"
    r"|continuation|line|statements|list)\b[^:\n]{0,60}:[*_ \t]*",
    re.IGNORECASE | re.MULTILINE,
)
_BLANK: Final = re.compile(r"\n[ \t]*\n")
BULLET: Final = re.compile(r"^\s*(?:[-*+•]\s+|\(?\d{1,4}[.)]+\s*(?=\S))")
"""Before an item of a list."""
_NUMBER: Final = re.compile(r"^\d{1,4}\.+")
_MARKS: Final = "`*_ \t\r\"'"


def _plain(text: str) -> str:
    return text.strip("\n").strip("`").strip("\n")


def fenced_blocks(reply: str) -> list[str]:
    """Return what stands between pairs of Markdown fences, in the order of the reply."""
    marks = list(_FENCE.finditer(reply))
    return [
        reply[one.end() : other.start()].strip("\n")
        for one, other in zip(marks[::2], marks[1::2], strict=False)
    ]


def after_heading(reply: str) -> str | None:
    """Return what follows the last heading that has something after it, or None."""
    end = len(reply.rstrip())
    last = None
    for found in _HEADING.finditer(reply):
        if found.end() < end:
            last = found
    return None if last is None else reply[last.end() :].strip("\n")


def stated_parts(reply: str) -> Iterator[str]:
    """Yield the parts of a reply that may be the state it gives, the likeliest first, each once.

    These are the whole reply; what follows the last heading such as "Final state:", as a whole and
    to its first blank line; fenced blocks, paragraphs and lines, the last of each first.

    Args:
        reply: A model's whole text, of any length.
    """
    seen: set[str] = set()
    for part in _parts(reply):
        plain = _plain(part)
        if plain.strip() and plain not in seen:
            seen.add(plain)
            yield plain


def _parts(reply: str) -> Iterator[str]:
    yield reply
    blocks = fenced_blocks(reply)
    after = after_heading(reply)
    if after is not None:
        yield from reversed(fenced_blocks(after))
        yield after
        yield _BLANK.split(after, maxsplit=1)[0]
        yield after.partition("\n")[0]
    yield from islice(reversed(blocks), _MOST_PARTS)
    yield from islice(reversed(_BLANK.split(reply)), _MOST_PARTS)
    yield from islice(reversed(reply.split("\n")), _MOST_PARTS)


def listed_items(
    reply: str, splits: re.Pattern[str], is_action: Callable[[str], bool]
) -> list[str]:
    """Return the items of the list that a reply gives, in its order, repetitions included.

    The list stands in the last fenced block that has an action, else behind the last heading such
    as "Legal moves:" if there is an action, else anywhere. A line of it has an action, or begins
    with a bullet or a number; other lines are prose.

    Args:
        reply: A model's whole text, of any length.
        splits: What separates items in a line.
        is_action: Whether an item, without bullet and Markdown, is an action.
    """
    after = after_heading(reply)
    regions = [*reversed(fenced_blocks(reply)), *([] if after is None else [after]), reply]
    for region in islice(regions, _MOST_PARTS):
        items = list(islice(_items(region, splits, is_action), _MOST_ITEMS))
        if any(map(is_action, items)):
            return items
    return []


def _items(region: str, splits: re.Pattern[str], is_action: Callable[[str], bool]) -> Iterator[str]:
    for line in region.split("\n"):
        bare = BULLET.sub("", line, count=1).strip(_MARKS)
        if not bare:
            continue
        items = [_item(each) for each in splits.split(bare[: _MOST_ITEMS * 10])]
        items = [each for each in items if each]
        whole = _item(bare)
        if is_action(whole):
            yield whole
        elif any(map(is_action, items)) or (BULLET.match(line) and len(items) == 1):
            yield from items


def _item(text: str) -> str:
    bare = text.strip(_MARKS)
    numbered = _NUMBER.match(bare)
    if numbered:
        bare = bare[numbered.end() :].strip(_MARKS)
    return bare[:_LONGEST_ITEM]
