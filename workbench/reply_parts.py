"""The parts of a reply that may be its answer, for environments without rules of their own.

A model that was asked to reply with a state alone may still add words, headings, Markdown fences or
lists. What is found here is only where an answer may stand; the environment decides what it is.
Of a reply longer than `LONGEST_READ` the end is read, where answers stand. The time taken is linear
in the length of what is read.
"""

import re
from collections.abc import Callable, Iterator
from functools import cache
from itertools import chain, islice, pairwise, zip_longest
from typing import Final

LONGEST_READ: Final = 200_000
"""Characters."""

_MOST_PARTS: Final = 1000
"""Of each kind, the last."""
_MOST_ITEMS: Final = 10_000
_LONGEST_ITEM: Final = 1000
_LONGEST_NONE: Final = 120

_FENCE: Final = re.compile(r"^[ \t]*(?:```|~~~)[^\n]*$", re.MULTILINE)
# Possessive, for else a reply of nothing but such words would take time quadratic in its length.
_HEADING: Final = re.compile(
    r"^(?P<marks>[^\w\n]*+)(?:(?:here|is|are|this|these|all|so|thus|therefore|the|my|your|final"
    r"|resulting|updated|current|new|legal|permitted|possible|valid|available|next)[ \t]++)*+"
    r"(?:state|board|position|map|room|facts|contents|variables|answer|result|moves|actions|steps"
    r"|continuation|line|statements|list)\b[^:\n]{0,60}(?::[*_ \t]*+|(?<=\*\*)$|$(?<=\w))",
    re.IGNORECASE | re.MULTILINE,
)
_BLANK: Final = re.compile(r"\n[ \t]*\n")
BULLET: Final = re.compile(r"^\s*(?:[-*+•]\s+|\(?\d{1,4}[.)]+\s*(?=\S))")
"""Before an item of a list."""
_NUMBER: Final = re.compile(r"^\d{1,4}\.+")
_BETWEEN: Final = re.compile(r"and|or|then|[-=]>|[→⇒–—-]|\d{1,4}\.+", re.IGNORECASE)
_JOINED: Final = re.compile(r"^(?:and|or|then)\s+", re.IGNORECASE)
_NONE: Final = re.compile(
    r"(?:there (?:are|is) )?(?:none|nothing|\[\s*\]|an empty list|empty(?: list)?"
    r"|no (?:(?:legal|permitted|possible|valid|available|more|further) )*(?:moves?|actions?|steps?"
    r"|statements?)(?: (?:are|is|available|possible|permitted|left|here|exist))*)",
    re.IGNORECASE,
)
_EXAMPLE: Final = re.compile(
    r"\b(?:for (?:example|instance)|e\.g\.|an example|example (?:state|board|map)"
    r"|looks? like this)[,:]?",
    re.IGNORECASE,
)
_OR: Final = re.compile(r"\bor\b|\balternatively\b", re.IGNORECASE)
_MOST_ALTERNATIVES: Final = 20
_MOST_EXAMPLES: Final = 50
_MARKS: Final = "`*_ \t\"'"
_BRACKETS: Final = "[]{}"

IsAction = Callable[[str], bool]


def _read(reply: str) -> str:
    return reply[-LONGEST_READ:].replace("\r\n", "\n")


def _plain(text: str) -> str:
    return text.strip("\n").strip("`").strip("\n")


def fenced_blocks(reply: str) -> list[str]:
    """Return the texts between Markdown fences, and after a last one that is not closed."""
    marks = list(_FENCE.finditer(reply))
    return [
        reply[one.end() : other.start() if other else None].strip("\n")
        for one, other in zip_longest(marks[::2], marks[1::2])
    ]


def after_heading(reply: str) -> str | None:
    """Return what follows the last heading that has something after it, or None."""
    last, end = None, len(reply.rstrip())
    for match in _HEADING.finditer(reply):
        # Without a colon it is a heading if Markdown makes it one.
        marked = match["marks"].lstrip().startswith(("#", "**"))
        if match.end() < end and (marked or ":" in match[0]):
            last = match
    return None if last is None else reply[last.end() :].strip("\n")


def state_parts(reply: str, is_line: Callable[[str], bool] = lambda line: False) -> Iterator[str]:
    """Yield the parts of a reply that may be the state it gives, the likeliest first, each once.

    These are the whole reply; what follows the last heading such as "Final state:", as a whole, to
    its first blank line, and its lines that may belong to a state; fenced blocks, lines one after
    the other that may belong to a state, paragraphs and lines, the last of each first.
    """
    earlier: set[str] = set()
    for part in _parts(_read(reply), is_line):
        plain = _plain(part)
        if plain.strip() and plain not in earlier:
            earlier.add(plain)
            yield plain


def _parts(reply: str, is_line: Callable[[str], bool]) -> Iterator[str]:
    yield reply
    after = after_heading(reply)
    if after is not None:
        yield from reversed(fenced_blocks(after))
        yield after
        yield _BLANK.split(after, maxsplit=1)[0]
        yield from islice(_runs(after, is_line), 1)
        yield after.partition("\n")[0]
    yield from islice(reversed(fenced_blocks(reply)), _MOST_PARTS)
    for run in islice(reversed(list(_runs(reply, is_line))), _MOST_PARTS):
        yield run
        yield from reversed(_BLANK.split(run))
    yield from islice(reversed(_BLANK.split(reply)), _MOST_PARTS)
    yield from islice(reversed(reply.split("\n")), _MOST_PARTS)


def _runs(reply: str, is_line: Callable[[str], bool]) -> Iterator[str]:
    """Yield lines one after the other that may belong to a state, and blank ones between them."""
    run: list[str] = []
    for line in chain(reply.split("\n"), ["```"]):
        if is_line(line) or (run and not line.strip()):
            run.append(line)
        elif run:
            yield "\n".join(run).rstrip()
            run = []


def without_examples(reply: str, looks_like_state: Callable[[str], bool]) -> str:
    """Return a reply without the states that it gives as examples.

    That is what follows "for example" in its line, if it looks like a state, and the next paragraph
    or fenced block, if the line leads to it: if it does not end as a sentence does.
    """
    parts, end = list[str](), 0
    for match in islice(_EXAMPLE.finditer(reply), _MOST_EXAMPLES):
        if match.start() < end:
            continue
        parts.append(reply[end : match.start()])
        end = match.end()
        stop = reply.find("\n", end)
        line = reply[end : stop if stop >= 0 else len(reply)]
        if looks_like_state(line):
            end += len(line)
        elif stop >= 0 and not line.rstrip(" *_").endswith((".", "!", "?")):
            start = stop + len(reply[stop:]) - len(reply[stop:].lstrip())
            fence = _FENCE.match(reply, start)
            closing = (_FENCE if fence else _BLANK).search(reply, fence.end() if fence else start)
            after = closing.end() if closing else len(reply)
            if looks_like_state(reply[start:after]):
                end = after
                parts.append("\n\n")
    return "".join([*parts, reply[end:]])


def alternatives(reply: str) -> Iterator[tuple[str, str]]:
    """Yield the texts before and after each "or", as far as the next one.

    Where there is a heading such as "Final state:" only what follows the last one counts.
    """
    after = after_heading(reply)
    pieces = _OR.split(reply if after is None else after, maxsplit=_MOST_ALTERNATIVES)
    if len(pieces) <= _MOST_ALTERNATIVES:
        yield from pairwise(pieces)


def list_items(
    reply: str, splits: re.Pattern[str], remark: re.Pattern[str], is_action: IsAction
) -> list[str]:
    """Return the items of the list that a reply gives, in its order, repetitions included.

    The list stands in the last fenced block that has an action, else it is the first behind the
    last heading such as "Legal moves:", else the last of the reply. A line of a list has an action,
    or begins with a bullet or a number; other lines are prose, and end a list unless they end in a
    colon. Words before the first action of a line and remarks behind an action are left out.
    """
    reply, memo = _read(reply), dict[str, bool]()

    def is_known_action(text: str) -> bool:
        if text not in memo:
            memo[text] = len(text) <= _LONGEST_ITEM and is_action(text)
        return memo[text]

    # A line may stand in a block, behind a heading and in the reply.
    line_items = cache(_LineItems(splits, remark, is_known_action))
    after = after_heading(reply)
    for block in islice(reversed(fenced_blocks(reply)), _MOST_PARTS):
        items = [item for line in block.split("\n") for item in line_items(line)]
        if any(map(is_known_action, items)):
            return items[:_MOST_ITEMS]
    lists = [] if after is None else list(_lists(after, line_items))
    for items in chain(lists, reversed(list(_lists(reply, line_items)))):
        if any(map(is_known_action, items)):
            return items[:_MOST_ITEMS]
    return []


def is_empty_list(reply: str) -> bool:
    """Return whether a reply that lists nothing states that there is nothing to list.

    It does so as a whole, in its last line, or after the last heading such as "Legal moves:".
    """
    reply = _read(reply).strip()
    after = after_heading(reply)
    parts = [
        reply,
        reply.rpartition("\n")[2],
        *([] if after is None else [after.partition("\n")[0]]),
    ]
    return any(
        _NONE.fullmatch(each.strip("`*_ \t\n\"'.!(){}"))
        for each in parts
        if len(each) <= _LONGEST_NONE
    )


def _lists(region: str, line_items: Callable[[str], list[str]]) -> Iterator[list[str]]:
    items: list[str] = []
    for line in region.split("\n"):
        line_actions = line_items(line)
        items += line_actions
        if items and not line_actions and line.strip() and not line.rstrip(" *_").endswith(":"):
            yield items
            items = []
    yield items


class _LineItems:
    """The items in a line of a reply; none in a line of prose."""

    def __init__(
        self, splits: re.Pattern[str], remark: re.Pattern[str], is_action: IsAction
    ) -> None:
        self._splits, self._remark, self._is_action = splits, remark, is_action

    def __call__(self, line: str) -> list[str]:
        bare = BULLET.sub("", line, count=1).strip()
        if not bare:
            return []
        alone = self._actions(bare)
        if alone:
            return alone
        pieces = [piece for piece in _unbroken(self._splits.split(bare)) if piece.strip(_MARKS)]
        parts = [self._actions(piece) or self._before_remark(piece) for piece in pieces]
        first = next((place for place, actions in enumerate(parts) if actions), None)
        if first is None:
            return [self._item(bare)] if len(pieces) == 1 and BULLET.match(line) else []
        if not parts[0]:
            # "The moves are d3, c4": the first piece ends in an action.
            parts[0] = self._actions(pieces[0].rpartition(" ")[2])
        one_word = " " not in parts[first][0]
        return [
            item
            for place, (piece, actions) in enumerate(zip(pieces, parts, strict=True))
            if actions or place > first or not (one_word and " " in piece.strip())
            for item in actions or [self._item(piece)]
        ]

    def _actions(self, text: str) -> list[str]:
        """Return the actions of a text: itself, what is behind a colon, its words, or its head."""
        text = _JOINED.sub("", text.strip())
        for one in (text, text.rpartition(":")[2]):
            item = self._item(one)
            if self._is_action(item):
                return [item]
        words = [self._item(each) for each in text.split() if not _BETWEEN.fullmatch(each)]
        if words and all(map(self._is_action, words)):
            return words
        remark = self._remark.search(text)
        # A remark in brackets may stand before the end of a list, another one goes to its end.
        return self._before_remark(text) if remark and "(" not in remark[0] else []

    def _before_remark(self, text: str) -> list[str]:
        remark = self._remark.search(text)
        item = self._item(_JOINED.sub("", text[: remark.start()].strip())) if remark else ""
        return [item] if self._is_action(item) else []

    def _item(self, text: str) -> str:
        """Return an item without Markdown, quotes and number, as far as it is no action with them."""
        bare = text.strip()
        for marks in ("`*", _MARKS, _MARKS + ".", _MARKS + "." + _BRACKETS):
            if self._is_action(bare):
                return bare
            bare = bare.strip(marks)
        numbered = _NUMBER.match(bare)
        if numbered and not self._is_action(bare):
            bare = bare[numbered.end() :].strip(_MARKS)
        return bare[:_LONGEST_ITEM]


def _unbroken(pieces: list[str]) -> Iterator[str]:
    """Yield pieces, those of one bracket together."""
    together: list[str] = []
    depth = 0
    for piece in pieces:
        together.append(piece)
        depth = max(0, depth + piece.count("(") - piece.count(")"))
        if not depth:
            yield ", ".join(together)
            together = []
    yield from together
