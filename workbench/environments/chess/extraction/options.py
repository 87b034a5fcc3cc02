"""Boards that a reply lists as options, and the one of them that it picks."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from workbench.environments.chess.extraction.roles import Candidate, Emphasis, Role

_CONTEXT: Final = 600
_INTRODUCTION: Final = 160
_LABEL_REACH: Final = 24
_LETTER: Final = r"(?-i:[A-H]|[АБВГ])"
_WORDS: Final = (
    r"options?|candidates?|possibilit(?:y|ies)|readings?|variants?|versions?|choices?|alternatives?"
    r"|possible (?:answers?|positions?|boards?|fens?)|either(?! (?:side|player|colou?r|way))"
    r"|variantes?|opci(?:ón|ones)|kandidaten?|möglichkeit(?:en)?|вариант\w*|选项|方案"
)
_ANNOUNCED: Final = re.compile(rf"(?<![^\W_])(?:{_WORDS})|选项|方案", re.IGNORECASE)
_LABEL: Final = re.compile(
    r"(?<![^\W_])(?P<label>[A-Ha-h]|[1-9]|[АБВГ])[\"'`*_]{0,2}\s?(?:[).:\]=-]|\bis\b|ist\b)?"
    r"[\s\"'`*_(]{0,6}\Z"
)
_RIGHT: Final = (
    r"(?:it is|is (?:it|(?:the |my )?(?:correct|right|answer|one|best))|must be (?:it|right|correct)"
    r"|fits|matches|ist (?:richtig|korrekt)|est (?:correcte?|la bonne)|es (?:correct[oa])|верен)"
)
_MARKS: Final = r"[\s\"'`*_(]{0,4}"
_PICKED: Final = re.compile(
    r"(?:choose|chose|pick|select|go(?:ing)? with|prefer|take|settle (?:on|for)|opt for|i['’]d say"
    r"|answer(?: is)?|correct(?: one)?(?: is)?|right(?: one)? is"
    r"|wähle|nehme|choisis|elijo|escojo|выбираю|选择?|答案是?)"
    rf"\s?:?{_MARKS}(?:the |die |la |el )?(?:\w{{4,11}} )?{_MARKS}"
    rf"(?P<chosen>{_LETTER}|[1-9])(?![^\W_])"
    rf"|(?<![^\W_])(?P<bare>[A-Ha-h]|[1-9])[\"'`*_)]{{0,3}},? {_RIGHT}"
    rf"|(?:the |my )?(?P<ordinal>first|second|third|former|latter|last)"
    rf"(?: (?:one|option|reading|board|fen|candidate))? {_RIGHT}",
    re.IGNORECASE,
)
_ORDINALS: Final = {"first": 0, "former": 0, "second": 1, "third": 2, "latter": -1, "last": -1}
_MAY_BE_OPTIONS: Final = (Role.OFFERED, Role.LOGGED, Role.SUPPOSED)


@dataclass(frozen=True, slots=True)
class Options:
    """Boards between which a reply chooses, or does not.

    Attributes:
        listed: At least two, in order.
        picked: The one that it picks; None if it picks none.
    """

    listed: tuple[Candidate, ...]
    picked: Candidate | None


def options_in(text: str, candidates: Sequence[Candidate]) -> Options | None:
    """Return the options that a reply lists, or None if it lists none.

    Options are boards with successive letters or numbers before them, or boards that a word such as
    "option" or "either" introduces. A pick is after the last, or before the first.

    Args:
        text: What holds the boards.
        candidates: In order.
    """
    found = [one for one in candidates if one.role in _MAY_BE_OPTIONS]
    if len(found) < 2:
        return None
    labels, listed = _labelled(text, found)
    first, last = found[0].board, found[-1].board
    introduction = text[max(0, first.start - _INTRODUCTION) : first.start]
    behind = text[last.end : last.end + _CONTEXT]
    between = text[first.end : last.start] if last.start - first.end <= _INTRODUCTION else ""
    picked = _PICKED.search(behind) or _PICKED.search(introduction)
    announced = _ANNOUNCED.search(introduction) or _ANNOUNCED.search(between)
    if picked and (announced or labels):
        label = (picked["chosen"] or picked["bare"] or "").upper()
        if label in labels:
            return Options(tuple(listed), listed[labels.index(label)])
        place = _ORDINALS.get((picked["ordinal"] or "").lower())
        among = listed or found
        if place is not None and place < len(among):
            return Options(tuple(among), among[place])
    if announced and labels and all(one.emphasis is not Emphasis.FINAL for one in found):
        return Options(tuple(listed), None)
    return None


def _labelled(text: str, found: Sequence[Candidate]) -> tuple[list[str], list[Candidate]]:
    """Return the boards with successive labels, and these in capitals; none unless there are two."""
    labels: list[str] = []
    listed: list[Candidate] = []
    end = 0
    for one in found:
        begin = max(end, one.board.start - _LABEL_REACH)
        label = _LABEL.search(text, begin, one.board.start)
        end = one.board.end
        if label and (not labels or ord(label["label"].upper()) == ord(labels[-1]) + 1):
            labels.append(label["label"].upper())
            listed.append(one)
    return (labels, listed) if len(labels) > 1 else ([], [])
