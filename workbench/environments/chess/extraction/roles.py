"""The role of every board in a reply, from the regions it lies in and the words around it."""

import bisect
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import Enum, IntEnum
from functools import lru_cache
from typing import Final, NamedTuple

from workbench.environments.chess.extraction import phrases
from workbench.environments.chess.extraction.boards import BoardSpan

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
        [match.span() for match in _STRUCK.finditer(text)] if "~~" in text or "\\" in text else []
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

    What is not JSON is skipped where possible: a key is a string before a colon, and braces
    and brackets nest.
    """
    paths: list[tuple[str, ...]] = []
    stack: list[str] = []
    key = ""
    waiting = iter([*places, len(text) + 1])
    place = next(waiting)
    for sign in _JSON_SIGN.finditer(text):
        # A place within a string is led to by the key before it.
        while place < sign.end() and len(paths) < len(places):
            paths.append(_path(stack, key))
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
    return paths + [_path(stack, key)] * (len(places) - len(paths))


def _path(stack: Sequence[str], key: str) -> tuple[str, ...]:
    return tuple(name for name in (*stack[-_KEYS_KEPT:], key) if name)


class Role(Enum):
    """What a board is in a reply, beside its answer."""

    OFFERED = "offered"
    STRUCK = "one that is struck out"
    REASONING = "in the reasoning"
    REJECTED = "one that is rejected"
    EXAMPLE = "an example"
    SUPPOSED = "a conditional one"
    LATER = "a later position"
    EARLIER = "an earlier position or a draft"
    HEADER = "the header of a game"
    QUOTED = "a quoted one"
    LOGGED = "a log of positions"
    OTHER_SPEAKER = "one of another speaker"


class Emphasis(IntEnum):
    """How strongly an offered board is announced."""

    HEDGED = 0
    PLAIN = 1
    ANNOUNCED = 2
    FINAL = 3


class Candidate(NamedTuple):
    """A board and its part in the reply.

    Attributes:
        board: What is written.
        role: What it is.
        emphasis: How it is announced.
        renews: Whether it replaces those before.
    """

    board: BoardSpan
    role: Role
    emphasis: Emphasis
    renews: bool


_POSITIONS: Final = (Role.OFFERED, Role.LOGGED)
_REACH: Final = 240
_TAIL: Final = 120
_CORRECTION_REACH: Final = 20_000
_COLUMN: Final = 3
_OR_REACH: Final = 30
_LONGEST_GAP: Final = 60
_LABEL: Final = re.compile(r"[\W_]*(?:\n[^\n!?;]{1,30})?")
_CLAUSE_END: Final = re.compile(
    r"(?:(?<!\d)(?<!e\.g)(?<!i\.e)(?<!z\.b)(?<!z\. b)(?<!p\. ej)[.!?][\"'`*_)\]]{0,3}(?=\s)"
    r"|(?<=\d)[.](?=\s{0,3}\n)|[。！？；;…]|\n\s*\n|\n(?=\s{0,8}(?:[-*•+|#>❌✅✗✓]|\d{1,3}[.)]))|,\n)",
    re.IGNORECASE,
)
_ENDED: Final = re.compile(r"[.!?。！？][^\w]*\Z")
_CLOSING_TAG: Final = re.compile(r"</[^<>]{0,40}>")
_BLOCK_TAG: Final = re.compile(
    r"<(?:tr|li|p|div|ul|ol|h\d|hr|section)\b[^<>]{0,80}>", re.IGNORECASE
)
_PLAIN_TAG: Final = re.compile(
    r"<(?:b|i|u|p|em|strong|code|pre|span|td|th|table|tbody|html|body|font|br|sub|sup)\b[^<>]{0,80}>",
    re.IGNORECASE,
)
_ABOUT_THE_ONE_BEFORE: Final = re.compile(
    r"\A[^\w\n(]{0,4}(?:\([^()\n]{0,80}\)|(?:[❌✗✘❎✅✓✔☑]|wrong|right|correct|incorrect)"
    r"[^\w\n]{0,4}(?=\n))"
)
_FENCE_LINE: Final = re.compile(r"```\w{0,12}")
_CAMEL: Final = re.compile(r"(?<=[a-z])(?=[A-Z])")
_WORD: Final = re.compile(r"[^\W_]|[❌✗✘❎✅✓✔☑]")
_TURN: Final = re.compile(r"(?<!\S)(?:(?:Human|User|Assistant)\b[^\n:]{0,12}|(?P<letter>[A-Z])):")
_CONSEQUENCE: Final = re.compile(
    r"\W{0,6}(?:then|in that case|that would|we would|it would|dann|alors|entonces|тогда|那么)\b",
    re.IGNORECASE,
)
_OPENING: Final = re.compile(r"[^\w/]*(?:fen)?[^\w/]*", re.IGNORECASE)


def candidates_of(text: str, boards: Sequence[BoardSpan]) -> list[Candidate]:
    """Return every board with its role.

    The rules, the first that holds: struck out; in the reasoning (by tags or JSON keys); said by
    another speaker; denied or called wrong; an example; quoted from the prompt or a game's header;
    conditional; from after or before the position that was asked for; one of a log of positions
    move by move; else offered.
    """
    regions = regions_of(text)
    has_keys = '"' in text and ":" in text and len(boards) > 1
    keys = _labels(json_keys(text, [board.start for board in boards])) if has_keys else []
    candidates: list[Candidate] = []
    end = 0
    carried = other_speaker = False
    letters: list[str] = []
    for number, board in enumerate(boards):
        gap = text[end : board.start]
        behind = boards[number + 1].start if number + 1 < len(boards) else len(text)
        tail = text[board.end : min(behind, board.end + _TAIL)]
        role, emphasis = _wording(gap[-_REACH:], keys[number] if keys else "", tail)
        turns = [turn["letter"] for turn in _TURN.finditer(gap)] if ":" in gap else []
        other_speaker |= bool(candidates) and _is_turn(turns, letters)
        letters = [letter for letter in turns if letter] or letters
        if regions.struck.holds(board.start):
            role = Role.STRUCK
        elif regions.reasoning.holds(board.start):
            # What is not offered in it is no answer either.
            emphasis = emphasis if role is Role.OFFERED else Emphasis.HEDGED
            role = Role.REASONING
        elif other_speaker:
            role = Role.OTHER_SPEAKER
        elif role in _POSITIONS and regions.answers.holds(board.start):
            role, emphasis = Role.OFFERED, Emphasis.FINAL
        elif regions.fenced(board.start):
            emphasis = max(emphasis, Emphasis.ANNOUNCED)
        renews = bool(candidates) and (carried or _renews(gap[-_CORRECTION_REACH:], role))
        carried = renews and role not in _POSITIONS
        candidates.append(Candidate(board, role, emphasis, renews))
        end = board.end
    return _in_context(text, candidates)


def _labels(keys: Sequence[tuple[str, ...]]) -> list[str]:
    """Return what JSON keys call each board; nothing where every board is in an explanation."""
    labels = [_CAMEL.sub(" ", " ".join(path)).replace("_", " ") for path in keys]
    return labels if not all(map(phrases.REASONING_KEYS.search, labels)) else []


@lru_cache(maxsize=4096)
def _wording(before: str, label: str, tail: str) -> tuple[Role, Emphasis]:
    before = _ABOUT_THE_ONE_BEFORE.sub("", before)
    clause, sentence = _clause(before)
    if label:
        _, _, within = before.rpartition('"')
        clause, sentence = f"{label}: {within}", ""
        tail = tail.partition('"')[0]
        if phrases.REASONING_KEYS.search(label):
            return Role.REASONING, _emphasis(clause)
        if phrases.LISTED_KEYS.search(label) and not phrases.FINAL.search(label):
            return Role.LOGGED, Emphasis.PLAIN
    tail = tail.partition("\n")[0]
    emphasis = _emphasis(clause)
    if not label and phrases.ANSWERS.match(tail):
        emphasis = Emphasis.FINAL
    return _role(clause, sentence, before, tail), emphasis


def _emphasis(clause: str) -> Emphasis:
    if phrases.HEDGED.search(clause):
        return Emphasis.HEDGED
    if phrases.FINAL.search(clause) or phrases.ANSWER.search(clause):
        return Emphasis.FINAL
    return Emphasis.ANNOUNCED if phrases.ANNOUNCED.search(clause) else Emphasis.PLAIN


def _role(clause: str, sentence: str, before: str, tail: str) -> Role:
    final = max(_last(phrases.FINAL, clause), _last(phrases.ANSWER, clause))
    arrived = max(_last(phrases.ARRIVED, clause), _last(phrases.FINAL, clause))
    if phrases.HEADER.search(before):
        return Role.HEADER
    if phrases.NEGATED.search(clause) or phrases.CALLED_WRONG.match(tail):
        return Role.REJECTED
    ended = _ENDED.search(clause) or phrases.ADMITTED.search(clause)
    if _last(phrases.WRONG, clause) > arrived and not ended:
        return Role.REJECTED
    if _last(phrases.EXAMPLE, clause) > final or phrases.EXAMPLE_BEHIND.match(tail):
        return Role.EXAMPLE
    if phrases.QUOTED.search(clause):
        return Role.QUOTED
    condition = clause
    if _CONSEQUENCE.match(clause):
        condition = _clause(sentence)[0] + clause
    if phrases.SUPPOSED.search(condition) or phrases.SUPPOSED_BEHIND.match(tail):
        return Role.SUPPOSED
    if phrases.LATER.search(clause) or phrases.LATER_BEHIND.match(tail):
        return Role.LATER
    if _last(phrases.EARLIER, clause) > arrived or phrases.EARLIER_BEHIND.match(tail):
        return Role.EARLIER
    if phrases.LOGGED.search(before) and not phrases.FINAL.search(clause):
        return Role.LOGGED
    return Role.OFFERED


def _last(phrase: re.Pattern[str], clause: str) -> int:
    return max((match.start() for match in phrase.finditer(clause)), default=-1)


def _clause(before: str) -> tuple[str, str]:
    """Return the last clause of a text that has words in it, and the text before it."""
    text = _CLOSING_TAG.sub(" ", before)
    text = _PLAIN_TAG.sub(" ", _BLOCK_TAG.sub("\n\n", text)) if "<" in text else text
    text = _CAMEL.sub(" ", _FENCE_LINE.sub(" ", text)).replace("_", " ")
    for start in reversed([0, *(end.end() for end in _CLAUSE_END.finditer(text))]):
        if _WORD.search(text, start):
            return text[start:], text[:start]
    return "", ""


def _renews(gap: str, role: Role) -> bool:
    """Tell whether a board replaces those before it, by the text between.

    A board on the way of a mere check does not.
    """
    if phrases.CORRECTION.search(gap):
        return True
    return role is Role.OFFERED and phrases.CHECKING.search(gap) is not None


def _is_turn(turns: Sequence[str | None], letters: Sequence[str]) -> bool:
    """Tell whether another speaker has the word; "B:" after "A:" is an option instead."""
    return any(
        letter is None or not letters or ord(letter) != ord(letters[-1]) + 1 for letter in turns
    )


def _in_context(text: str, candidates: list[Candidate]) -> list[Candidate]:
    """Return candidates with the roles that only show beside the others."""
    candidates = _alike(text, _columns(text, candidates))
    if sum(candidate.role is Role.LOGGED for candidate in candidates) == 1:
        candidates = [
            candidate._replace(role=Role.OFFERED) if candidate.role is Role.LOGGED else candidate
            for candidate in candidates
        ]
    if _opens(text, candidates[0]):
        candidates = [
            candidates[0]._replace(emphasis=max(candidates[0].emphasis, Emphasis.ANNOUNCED))
        ] + [
            one._replace(emphasis=Emphasis.PLAIN)
            if one.emphasis is Emphasis.ANNOUNCED and not one.renews
            else one
            for one in candidates[1:]
        ]
    return candidates


def _opens(text: str, first: Candidate) -> bool:
    """Tell whether a board opens the reply: what follows is taken for an explanation."""
    if first.role is not Role.OFFERED or not first.board.has_side or first.board.start > _TAIL:
        return False
    before = text[: first.board.start]
    return "```" not in before and _OPENING.fullmatch(before) is not None


def joined_by_or(text: str, before: BoardSpan, board: BoardSpan) -> bool:
    """Tell whether nothing but an "or" stands between two boards."""
    if not 0 <= board.start - before.end <= _OR_REACH:
        return False
    return phrases.OR.fullmatch(text, before.end, board.start) is not None


def _alike(text: str, candidates: list[Candidate]) -> list[Candidate]:
    """Return candidates of which each that an "or" joins to the one before is what that one is."""
    result = list(candidates)
    for number in range(1, len(candidates)):
        before, one = result[number - 1], candidates[number]
        if joined_by_or(text, before.board, one.board):
            result[number] = one._replace(role=before.role, emphasis=before.emphasis)
    return result


def _columns(text: str, candidates: list[Candidate]) -> list[Candidate]:
    """Return candidates of which those on lines of their own, with a label at most, are a log."""
    result = list(candidates)
    begin = 0
    for number in range(1, len(candidates) + 1):
        if number < len(candidates):
            gap = text[candidates[number - 1].board.end : candidates[number].board.start]
            if not _WORD.search(gap) or (len(gap) <= _LONGEST_GAP and _LABEL.fullmatch(gap)):
                continue
        if number - begin >= _COLUMN and candidates[begin].emphasis is not Emphasis.FINAL:
            for place in range(begin, number):
                if candidates[place].role in (Role.OFFERED, Role.EARLIER):
                    result[place] = candidates[place]._replace(role=Role.LOGGED)
        begin = number
    return result
