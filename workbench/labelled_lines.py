"""Replies that give a state in lines, rewritten in the one form that an environment reads.

A model that was asked for lines such as ``A: 4 3`` may set the labels in bold, number the lines,
write them in another order, as JSON, as a table, or all in one line with slashes between. Each of
these is rewritten where it stands; prose stays as it is. Only where the labels and their values
begin and end is decided here: the environment reads the values. The time taken is linear in the
length of the reply.
"""

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from workbench.reply_parts import fenced_blocks

IsLine = Callable[[str], bool]
Values = Mapping[str, str]

_LONGEST_LINE: Final = 10_000
_LONGEST_VALUE: Final = 2000
_MOST_RUNS: Final = 1000
_MOST_WORDS: Final = 40
_FEWEST_IN_A_LINE: Final = 3

_WIDE: Final = str.maketrans("：＝；，、／｜（）｛｝［］　", ":=;,,/|(){}[] ")
"""Punctuation alone: a letter or digit that merely looks like another is kept."""

_SIGN: Final = r"(?:[:|]|=(?![=>])|->|=>|→)"
_MARKS: Final = r"[*_`\"']"
_OTHER_WORDS: Final = frozenset(
    "answer candidate case choice move option plan player step turn variant version".split()
)
"""Before a label they make it the name of something else, as in ``Option A: ...``."""

_EMPTY: Final = re.compile(
    r"(?ai)\(?(?:empty|none|nothing|null|no [a-z]+|-|–|—|∅|\[\s*\]|\{\s*\}|\(\s*\))\)?\.?"
)
_NO_WORD: Final = re.compile(r"[\[\](){},;\"'`*\s]+")
_CLOSED: Final = re.compile(r"(?:\s*[/|;,]|\s+and|\*\*|`|(?<=[\w\])}])[\"'])+\s*$")
_OPEN: Final = re.compile(r"^(?:\*\*|[`\"'])+")
_PROSE: Final = re.compile(r"[^\W\d_]")
_KEY: Final = re.compile(r"[\"']\w{1,30}[\"']\s*:\s*[{\[]|\band\b")
_NUMBER_KEY: Final = re.compile(r'"(-?\d+)":')
_LIST_MARK: Final = re.compile(r"^[ \t]*(?:[-*+•]|\d{1,3}[.)])[ \t]+")
_QUOTE: Final = re.compile(r"^[ \t]*>[ \t]?", re.MULTILINE)
_FENCE_LINE: Final = re.compile(r"^[ \t]*(?:```|~~~)")


@dataclass(frozen=True, slots=True)
class _Labelled:
    """A label in a text, with its value.

    Attributes:
        label: Its name.
        words: What stands before it, such as ``peg`` in ``Peg A: 4 3``.
        start: Where it begins, in characters.
        end: Where its value ends.
        value: As it is written.
    """

    label: str
    words: tuple[str, ...]
    start: int
    end: int
    value: str


def plain_signs(reply: str) -> str:
    """Return a reply with full-width punctuation as ASCII, and without marks of quotation."""
    return _QUOTE.sub("", reply.replace("\r\n", "\n").translate(_WIDE))


def plain_lines(reply: str, is_line: IsLine, is_label: IsLine) -> str:
    """Return a reply in which lines of a state stand alone, one below the other.

    Rewritten are lists whose every line is a line of the state, JSON, and lines of a state that
    stand in one line with slashes or bars between.
    """
    reply = _json_as_lines(reply, is_label)
    lines = [
        each
        for line in reply.split("\n")
        for each in (
            _lines_between_slashes(line, is_line) if "/" in line or "|" in line else [line]
        )
    ]
    return "\n".join(_without_list_marks(lines, is_line))


def _lines_between_slashes(line: str, is_line: IsLine) -> list[str]:
    if len(line) > _LONGEST_LINE:
        return [line]
    for sign in "/|":
        pieces = [re.sub(r"^ | $", "", piece) for piece in line.split(sign)]
        if len(pieces) < _FEWEST_IN_A_LINE or not all(map(is_line, pieces[1:-1])):
            continue
        before, first = _line_at_end(pieces[0], is_line)
        # A text read backwards ends where it began.
        behind, last = _line_at_end(pieces[-1][::-1], lambda text: is_line(text[::-1]))
        if first:
            ends = [last[::-1], behind[::-1]] if last else [pieces[-1]]
            return [before, first, *pieces[1:-1], *ends]
    return [line]


def _line_at_end(text: str, is_line: IsLine) -> tuple[str, str]:
    """Return a text in two: the words before the longest line at its end, and that line."""
    words = text.split(" ")
    for place in range(min(len(words), _MOST_WORDS)):
        last = " ".join(words[place:])
        if is_line(last):
            return " ".join(words[:place]), last
    return text, ""


def _without_list_marks(lines: Sequence[str], is_line: IsLine) -> Iterator[str]:
    run: list[str] = []
    for line in [*lines, ""]:
        bare = _LIST_MARK.sub("", line, count=1)
        if bare != line and is_line(_OPEN.sub("", _CLOSED.sub("", bare))):
            run.append(line)
            continue
        for each in run:
            bare = _LIST_MARK.sub("", each, count=1)
            # A list has more than one item; in some environments a mark is a sign of the state.
            yield _OPEN.sub("", _CLOSED.sub("", bare)) if len(run) > 1 else each
        run = []
        yield line


def _json_as_lines(reply: str, is_label: IsLine) -> str:
    opened, closed = re.search(r"[{\[]", reply), max(reply.rfind("}"), reply.rfind("]"))
    outer = [reply[opened.start() : closed + 1]] if opened else []
    for text in dict.fromkeys([*fenced_blocks(reply)[-_MOST_RUNS:], *outer]):
        try:
            value = json.loads(text, strict=False)
        except (ValueError, RecursionError):
            continue
        if isinstance(value, dict | list) and value:
            reply = reply.replace(text, "\n".join(_flat(value, is_label)))
    return reply


def _flat(value: Any, is_label: IsLine, key: str = "") -> Iterator[str]:
    if key and is_label(key):
        inline = json.dumps(value) if isinstance(value, list) else value
        # Keys of JSON are texts, also those that are numbers.
        inner = _NUMBER_KEY.sub(r"\1:", json.dumps(value)) if isinstance(value, dict) else inline
        yield f"{key}: {'' if inner is None else inner}"
    elif isinstance(value, dict):
        for name, each in value.items():
            yield from _flat(each, is_label, name.replace("_", " "))
    elif isinstance(value, list):
        for each in value:
            parts = list(map(str, each)) if isinstance(each, list) else []
            joint = "" if all(len(part) == 1 for part in parts) else " "
            yield from [joint.join(parts)] if parts else _flat(each, is_label)
    elif isinstance(value, str) and "\n" in value:
        yield from value.split("\n")
    else:
        yield f"{key}: {value}" if key and not key.endswith("state") else str(value)


class LabelledLines:
    """The reader of the labelled lines of one environment."""

    def __init__(
        self, labels: Sequence[str], text: Callable[[Values], str], is_readable: IsLine
    ) -> None:
        self._text, self._is_readable = text, is_readable
        short = [label.split(" ")[-1] for label in labels]
        keys = short if len(set(short)) == len(labels) else labels
        self._labels = {_plain(key): label for key, label in zip(keys, labels, strict=True)}
        names = "|".join(
            re.escape(key) if len(key) == 1 else rf"(?i:{re.escape(key)})" for key in keys
        )
        self._own_words = {_plain(word) for label in labels for word in label.split(" ")[:-1]}
        own = "|".join(map(re.escape, sorted(self._own_words))) or r"(?!)"
        label = (
            rf"(?<![\w.+])(?P<word>(?i:(?:(?:{own})(?:[ _]#?|(?=\d))){{1,3}})"
            rf"|(?!(?:and|or)\b)[A-Za-z]{{1,20}}(?:[ _]#?|(?=\d)))?(?P<key>{names})(?!\w)"
        )
        self._label = re.compile(label, re.A)
        self._token = re.compile(
            rf"(?P<label>{_MARKS}{{0,4}}{label}{_MARKS}{{0,4}}[ \t]*{_SIGN}(?:\*\*|[_`])?)"
            r"|(?P<open>[\[{(])|(?P<close>[\]})])|(?P<line>\n)",
            re.A,
        )
        self._needed = max(2, (len(labels) + 1) // 2)

    def is_label(self, text: str) -> bool:
        """Return whether a text is a label and nothing else."""
        return self._label.fullmatch(text.strip().replace("_", " ")) is not None

    def is_line(self, line: str) -> bool:
        """Return whether a line begins with a label; a bullet or a number may stand before it."""
        return self._begins(line) is not None

    def has_state(self, text: str) -> bool:
        """Return whether a text has at least half of the labels, one after the other."""
        return any(True for _ in self._runs(text))

    def _begins(self, line: str) -> re.Match[str] | None:
        match = self._token.match(_LIST_MARK.sub("", line[:_LONGEST_VALUE], count=1).lstrip(" \t|"))
        return match if match and match["label"] else None

    def in_own_form(self, reply: str) -> str:
        """Return a reply in which each run of labelled lines is as the environment writes it.

        Values are taken as they are written, else as plain words, whichever the environment reads.
        A run that it reads in neither way has its values as they are written.
        """
        parts, end = list[str](), 0
        for run in self._runs(reply):
            states = [self._state(each) for each in _statements(run)]
            lead = reply[end : run[0].start]
            # What stood before the first label of a line is no part of the state.
            before = lead.rstrip(" \t|>*_`\"'{[(") if lead.rpartition("\n")[2].strip() else lead
            before = re.sub(r"(?:^|\n)[ \t]*(?:[-*+•]|\d{1,3}[.)])?[ \t]*$", "\n", before)
            parts += [before.rstrip() + "\n\n" if before.strip() else "", "\n\n".join(states)]
            end = run[-1].end
            line_end = reply.find("\n", end)
            rest = reply[end : line_end if line_end >= 0 else len(reply)]
            end += len(rest) if not _PROSE.search(rest) else 0
            parts.append("\n" if end < len(reply) else "")
        return "".join([*parts, reply[end:]])

    def _state(self, statement: Sequence[_Labelled]) -> str:
        forms = []
        for form in (_as_written, _as_words):
            values = dict[str, dict[str, None]]()
            for each in statement:
                values.setdefault(each.label, {})[form(each.value)] = None
            # Two values of one label: no state, which the environment is to say.
            forms.append(self._text({label: " and ".join(some) for label, some in values.items()}))
        return next(filter(self._is_readable, forms), forms[0])

    def _runs(self, text: str) -> Iterator[list[_Labelled]]:
        """Yield labels one after the other, without prose between them, that are enough for a state."""
        run, words = list[_Labelled](), set[str]()
        for each in self._labelled(text):
            between = text[run[-1].end : each.start] if run else ""
            own = {*each.words} - self._own_words
            if run and (_PROSE.search(_KEY.sub("", between)) or len(words | own) > 1):
                if self._is_enough(run):
                    yield run
                run, words = [], set()
            run.append(each)
            words |= own
        if self._is_enough(run):
            yield run

    def _is_enough(self, run: Sequence[_Labelled]) -> bool:
        return len({each.label for each in run}) >= self._needed

    def _labelled(self, text: str) -> Iterator[_Labelled]:
        label, depth = None, 0
        for token in [*self._token.finditer(text), None]:
            kind = token.lastgroup if token else "end"
            place = token.start() if token else len(text)
            if label and (
                kind == "end"
                or place - label.end() > _LONGEST_VALUE
                or (kind == "label" and depth <= 0)
                or (kind == "line" and (depth <= 0 or text[place + 1 : place + 2] == "\n"))
            ):
                yield self._one(text, label, place)
                label = None
            if token is None or kind == "line":
                continue
            if label:
                depth += (kind == "open") - (kind == "close")
            elif kind == "label" and _OTHER_WORDS.isdisjoint(_words(token["word"])):
                label, depth = token, 0

    def _one(self, text: str, label_match: re.Match[str], end: int) -> _Labelled:
        value = text[label_match.end() : end]
        if not value.strip() and text[end : end + 1] == "\n":
            # What is in a list below the label.
            for line in text[end + 1 : end + _LONGEST_VALUE].split("\n"):
                if not _LIST_MARK.match(line) or self._begins(line):
                    break
                value += ", " * bool(value.strip()) + _LIST_MARK.sub("", line, count=1)
                end += len(line) + 1
        label = self._labels[_plain(label_match["key"])]
        return _Labelled(label, _words(label_match["word"]), label_match.start(), end, value)


def _words(before: str | None) -> tuple[str, ...]:
    return tuple(re.split(r"[ _#]+", (before or "").strip(" _#").lower())) if before else ()


def _plain(name: str) -> str:
    return name if len(name) == 1 else name.lower()


def _statements(run: Sequence[_Labelled]) -> Iterator[Sequence[_Labelled]]:
    """Yield the parts of a run that have each label once; the whole run if there are no such."""
    size = len({each.label for each in run})
    chunks = [run[start : start + size] for start in range(0, len(run), size)]
    apart = all(len({each.label for each in chunk}) == size for chunk in chunks)
    yield from chunks if apart else [run]


def _as_written(value: str) -> str:
    value = _CLOSED.sub("", value.rstrip())
    surplus = sum(map(value.count, "]})")) - sum(map(value.count, "[{("))
    while surplus > 0 and value.rstrip(" \n,")[-1:] in ("]", "}", ")"):
        value, surplus = value.rstrip(" \n,")[:-1].rstrip(), surplus - 1
    value = _OPEN.sub("", value[1:] if value[:1] == " " else value)
    return _CLOSED.sub("", value).replace("\n", " ")


def _as_words(value: str) -> str:
    value = _as_written(value).strip()
    return "" if _EMPTY.fullmatch(value) else _NO_WORD.sub(" ", value).strip(" .")
