"""The parts of a reply that are reasoning, marked answers, struck out, fenced, or under JSON keys."""

import bisect
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

_TAG: Final = re.compile(
    r"<(?P<close>/?)(?P<name>think|thinking|thoughts?|reasoning|reflection|scratchpad|analysis"
    r"|answer|final|final[_-]?answer|solution|output|s|del|strike|script|style|details)"
    r"(?:\s[^<>]{0,200})?>"
    r"|[◁\[](?P<slash>/?)(?P<bracketed>think)[▷\]]"
    r"|<\|(?P<edge>begin|end)_of_(?P<part>thought|solution)\|>"
    r"|<\|channel\|>\s{0,4}(?P<channel>analysis|commentary|final)"
    r"|(?P<end><\|end\|>)|(?P<comment><!--|-->)",
    re.IGNORECASE,
)
_ANSWERS: Final = frozenset(
    {"answer", "final", "finalanswer", "final_answer", "final-answer", "solution", "output"}
)
_STRUCK_TAGS: Final = frozenset({"s", "del", "strike", "script", "style"})
_SUMMARY: Final = re.compile(
    r"\s{0,20}<summary>[^<]{0,60}(?:reason|think|thought|step|analys|work)", re.IGNORECASE
)
_STRUCK: Final = re.compile(
    r"(?<!~)~~(?!~)(?:[^~]|~(?!~)){1,400}~~(?!~)|\\(?:sout|x?cancel|st)\{[^{}]{0,400}\}"
)
_FENCE: Final = re.compile("```")
_JSON_SIGN: Final = re.compile(r"\"([^\"]*+)\"\s{0,20}(:)?|[{}\[\],]")
_LONGEST_KEY: Final = 60
_KEYS_KEPT: Final = 4


class Spans:
    """Stretches of a text that do not overlap, in order."""

    def __init__(self, spans: Iterable[tuple[int, int]]) -> None:
        self._spans = sorted(spans)
        self._starts = [start for start, _ in self._spans]

    def __bool__(self) -> bool:
        return bool(self._spans)

    def holds(self, place: int) -> bool:
        """Tell whether a place lies in one of them."""
        index = bisect.bisect_right(self._starts, place) - 1
        return index >= 0 and place < self._spans[index][1]


@dataclass(frozen=True, slots=True)
class Regions:
    """The parts of a text.

    Attributes:
        reasoning: What a model wrote on the way, by its tags; to the end where it was not closed,
            from the beginning where it was only closed.
        answers: Text in tags of an answer, outside reasoning.
        struck: What is struck out or not shown.
    """

    reasoning: Spans
    answers: Spans
    struck: Spans
    _fences: Sequence[int]

    def fenced(self, place: int) -> bool:
        """Tell whether a place lies in a fenced block of code."""
        return bisect.bisect_left(self._fences, place) % 2 == 1


def regions_of(text: str) -> Regions:
    """Return the parts of a text; the time taken is linear in its length."""
    reasoning = _Region()
    answers = _Region()
    struck = _Region()
    details: list[bool] = []
    beginning = len(text) - len(text.lstrip())
    for tag in _TAG.finditer(text) if "<" in text or "[" in text or "◁" in text else ():
        name = (tag["name"] or tag["bracketed"] or "").lower()
        opens = not (tag["close"] or tag["slash"])
        if tag["part"]:
            region = reasoning if tag["part"].lower() == "thought" else answers
            region.take(tag, tag["edge"].lower() == "begin")
        elif tag["channel"]:
            reasoning.close_open(tag)
            (answers if tag["channel"].lower() == "final" else reasoning).take(tag, True)
        elif tag["end"]:
            reasoning.close_open(tag)
        elif tag["comment"]:
            struck.take(tag, tag["comment"] == "<!--")
        elif name == "details":
            if opens:
                details.append(_SUMMARY.match(text, tag.end()) is not None)
            if details and details[-1]:
                reasoning.take(tag, opens)
            if not opens and details:
                details.pop()
        elif name in _ANSWERS:
            answers.take(tag, opens)
        elif name in _STRUCK_TAGS:
            # A tokenizer's marks of beginning and end, <s> and </s>, are no strokes.
            if name != "s" or tag.start() > beginning or not opens:
                struck.take(tag, opens)
        else:
            reasoning.take(tag, opens, from_the_beginning=True)
    unclosed = reasoning.opened
    if unclosed is not None:
        first_answer = next((place for place in answers.openings if place > unclosed), len(text))
        reasoning.spans.append((unclosed, first_answer))
    if answers.opened is not None:
        answers.spans.append((answers.opened, len(text)))
    strokes = (
        [found.span() for found in _STRUCK.finditer(text)] if "~~" in text or "\\" in text else []
    )
    return Regions(
        Spans(reasoning.spans),
        Spans(answers.spans),
        Spans(struck.spans + strokes),
        [fence.start() for fence in _FENCE.finditer(text)],
    )


class _Region:
    """Spans between opening and closing tags of one kind, nested ones counted as one."""

    def __init__(self) -> None:
        self.spans: list[tuple[int, int]] = []
        self.openings: list[int] = []
        self.opened: int | None = None
        self._depth = 0
        self._last_end = 0

    def take(self, tag: re.Match[str], opens: bool, *, from_the_beginning: bool = False) -> None:
        if opens:
            self.openings.append(tag.start())
            if self.opened is None:
                self.opened = tag.start()
            self._depth += 1
        elif self.opened is not None:
            self._depth -= 1
            if not self._depth:
                self._end(self.opened, tag)
        elif from_the_beginning:
            self._end(self._last_end, tag)

    def close_open(self, tag: re.Match[str]) -> None:
        if self.opened is not None:
            self._end(self.opened, tag)

    def _end(self, start: int, tag: re.Match[str]) -> None:
        self.spans.append((start, tag.end()))
        self.opened = None
        self._depth = 0
        self._last_end = tag.end()


def json_keys(text: str, places: Sequence[int]) -> list[tuple[str, ...]]:
    """Return the keys that lead to each of some places, outermost first; empty outside of JSON.

    What is no JSON is passed over as well as may be: a key is a string before a colon, and braces
    and brackets nest.

    Args:
        text: What may hold JSON objects.
        places: In ascending order.
    """
    found: list[tuple[str, ...]] = []
    stack: list[str] = []
    key = ""
    waiting = iter([*places, len(text) + 1])
    place = next(waiting)
    for sign in _JSON_SIGN.finditer(text):
        # A place within a string is led to by the key before it.
        while place < sign.end() and len(found) < len(places):
            found.append(_path(stack, key))
            place = next(waiting)
        mark = sign[0][0]
        if mark == '"':
            if sign[2]:
                key = sign[1] if len(sign[1]) <= _LONGEST_KEY else ""
        elif mark in "{[":
            stack.append(key)
            key = ""
        elif mark in "}]":
            key = stack.pop() if stack else ""
        else:
            key = ""
    return found + [_path(stack, key)] * (len(places) - len(found))


def _path(stack: Sequence[str], key: str) -> tuple[str, ...]:
    return tuple(name for name in (*stack[-_KEYS_KEPT:], key) if name)
