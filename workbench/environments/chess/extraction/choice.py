"""The choice among the boards of a reply by named rules, and among boards listed as options."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import chess

from workbench.environments.chess.extraction import phrases
from workbench.environments.chess.extraction.boards import BoardSpan
from workbench.environments.chess.extraction.roles import Candidate, Emphasis, Role, joined_by_or

_CONTEXT: Final = 600
_INTRODUCTION: Final = 160
_BESIDE: Final = 80
_LABEL_REACH: Final = 24
_LETTER: Final = r"(?-i:[A-H]|[АБВГ])"
_WORDS: Final = (
    r"options?|candidates?|possibilit(?:y|ies)|readings?|variants?|versions?|choices?|alternatives?"
    r"|possible (?:answers?|positions?|boards?|fens?)|either(?! (?:side|player|colou?r|way))|between"
    r"|variantes?|opci(?:ón|ones)|kandidaten?|möglichkeit(?:en)?|вариант\w*|选项|方案"
)
_ANNOUNCED: Final = re.compile(rf"(?<![^\W_])(?:{_WORDS})|选项|方案", re.IGNORECASE)
_LABEL: Final = re.compile(
    r"(?<![^\W_])(?P<label>[A-Ha-h]|[1-9]|[АБВГ])[\"'`*_]{0,2}\s?(?:[).:\]=-]|\bis\b|ist\b)?"
    r"[\s\"'`*_(]{0,6}\Z"
)
_RIGHT: Final = (
    r"(?:it is|is (?:it|(?:the |my )?(?:correct|right|answer|one|best))|must be (?:it|right|correct)"
    r"|fits|matches|has the (?:right|correct)"
    r"|ist (?:richtig|korrekt)|est (?:correcte?|la bonne)|es (?:correct[oa])|верен)"
)
_WRONG: Final = (
    r"(?:(?:is|was|must be) (?:wrong|incorrect|illegal|impossible|mistaken)"
    r"|can(?:not|['’]t) be (?:it|right|correct)|ist falsch|est fausse?|es (?:fals|incorrect)[oa])"
)
_OR_NOT: Final = re.compile(r"\bor not\b", re.IGNORECASE)
_HAS_NOT: Final = re.compile(
    r"[\W_]{0,6}(?:it|they) (?:has|have|is|are|did|was) not\b", re.IGNORECASE
)
_MARKS: Final = r"[\s\"'`*_(]{0,4}"
_PLACES: Final = {
    "first": 0, "former": 0, "erste": 0, "première": 0, "primera": 0,
    "second": 1, "zweite": 1, "deuxième": 1, "segunda": 1, "third": 2, "latter": -1, "last": -1,
}  # fmt: skip
_PLACE: Final = rf"(?:{'|'.join(_PLACES)})"
_NOUN: Final = r"(?:one|option|reading|board|fen|candidate|position|version|count|method)"
_PICKED: Final = re.compile(
    r"(?:choose|chose|pick|select|go(?:ing)? with|prefer|take|settle (?:on|for)|opt for|i['’]d say"
    r"|trust|stick with|keep|only"
    r"|answer(?: is)?|correct(?: one)?(?: is)?|right(?: one)? is"
    r"|wähle|nehme|choisis|elijo|escojo|выбираю|选择?|答案是?)"
    rf"\s?:?{_MARKS}(?:the |die |la |el )?(?:(?:\w{{4,11}} )?{_MARKS}"
    rf"(?P<chosen>{_LETTER}|[1-9])(?![^\W_])"
    rf"|(?P<taken>{_PLACE})(?:(?<=er)\b| {_NOUN}\b|(?=[^\w\s]|\s*\Z|\n)))"
    rf"|(?<![^\W_])(?P<bare>[A-Ha-h]|[1-9])[\"'`*_)]{{0,3}},? {_RIGHT}"
    rf"|(?:discard|reject|dismiss|rule out) (?:the )?(?P<discarded>{_PLACE})\b"
    rf"|\b(?P<ordinal>{_PLACE})(?: {_NOUN})? (?:{_RIGHT}|(?P<dropped>{_WRONG}))",
    re.IGNORECASE,
)
_CONFIDENCE: Final = re.compile(
    r"(?<![\w.+-])(?:(?P<hundredths>\d{1,3}(?:[.,]\d{1,2})?)\s?(?:%|per ?cent\b)"
    r"|(?P<tenths>\d{1,2})/10(?![\w/])|(?P<share>[01]?\.\d{1,4})(?![\w/])"
    r"|(?i:confidence)\W{1,4}(?P<level>(?i:high|medium|low))\b|\b(?P<beside>(?i:high|medium|low)) confidence\b)"
)
_LEVELS: Final = {"low": 0.1, "medium": 0.5, "high": 0.9}
_ABOUT_CONFIDENCE: Final = re.compile(
    r"(?<![^\W_])(?:confiden|probab|likel|chance|sure\b|certain|wahrschein|möglich|p\b)|%",
    re.IGNORECASE,
)
_MAY_BE_OPTIONS: Final = (Role.OFFERED, Role.LOGGED, Role.SUPPOSED)


@dataclass(frozen=True, slots=True)
class Choice:
    """The result of the rules.

    Attributes:
        board: The answer; None if no board is one, or several exclude each other and nothing says
            which holds.
        rule: The rule that decided.
    """

    board: BoardSpan | None
    rule: str


def options_in(text: str, candidates: Sequence[Candidate]) -> Choice | None:
    """Return the decision between the options that a reply lists, or None if it lists none.

    Options are boards with successive letters or numbers before them, boards that a word such as
    "option", "either" or "another" introduces, boards with a confidence each, and boards that the
    reply calls the first, the second, the former or the latter. A pick is after the last, or before
    the first; it may also be a verdict that the other one of two is wrong.
    """
    options = [one for one in candidates if one.role in _MAY_BE_OPTIONS]
    if len({one.board.text for one in options}) < 2:
        return None
    labels, listed = _labelled(text, options)
    first, last = options[0].board, options[-1].board
    introduction = text[max(0, first.start - _INTRODUCTION) : first.start]
    behind = text[last.end : last.end + _CONTEXT]
    between = text[first.end : last.start] if last.start - first.end <= _INTRODUCTION else ""
    picked = _PICKED.search(behind) or _PICKED.search(introduction)
    announced = _ANNOUNCED.search(introduction) or _ANNOUNCED.search(between)
    if picked:
        label = (picked["chosen"] or picked["bare"] or "").upper()
        if label in labels:
            return Choice(listed[labels.index(label)].board, "the chosen option")
        among = listed or options
        named = picked["taken"] or picked["ordinal"] or picked["discarded"] or ""
        place = _PLACES.get(named.lower())
        if place is not None and (picked["dropped"] or picked["discarded"]):
            place = (1 - place % 2) if len(among) == 2 else None
        if place is not None and place < len(among):
            return Choice(among[place].board, "the chosen option")
    if _OR_NOT.search(between) and _HAS_NOT.match(behind):
        return Choice(options[-1].board, "the chosen option")
    rated = _by_confidence(text, options)
    if rated:
        return rated
    if any(one.emphasis is Emphasis.FINAL or one.renews for one in options):
        return None
    if announced and labels:
        return Choice(None, "options, none of them chosen")
    return None


def _by_confidence(text: str, candidates: Sequence[Candidate]) -> Choice | None:
    """Return the board with the highest confidence, where each has one before or behind it."""
    starts = [0, *(one.board.end for one in candidates)]
    ends = [*(one.board.start for one in candidates), len(text)]
    before = [
        list(_CONFIDENCE.finditer(text, max(start, end - _BESIDE), end))
        for start, end in zip(starts, ends, strict=True)
    ]
    behind = [
        list(_CONFIDENCE.finditer(text, start, min(end, start + _BESIDE)))
        for start, end in zip(starts, ends, strict=True)
    ]
    if all(before[:-1]):
        values = [_share(numbers[-1]) for numbers in before[:-1]]
    elif all(behind[1:]):
        values = [_share(numbers[0]) for numbers in behind[1:]]
    else:
        return None
    beside = "".join(text[max(0, end - _BESIDE) : end] for end in ends)
    if not _ABOUT_CONFIDENCE.search(beside):
        return None
    best = max(values)
    picked = [one for one, value in zip(candidates, values, strict=True) if value == best]
    if len({one.board.text for one in picked}) > 1:
        return Choice(None, "options of the same confidence")
    return Choice(picked[0].board, "the highest confidence")


def _share(number: re.Match[str]) -> float:
    level = number["level"] or number["beside"]
    if level:
        return _LEVELS[level.lower()]
    if number["share"]:
        return float(number["share"])
    return float((number["hundredths"] or number["tenths"] + "0").replace(",", ".")) / 100


def _labelled(text: str, candidates: Sequence[Candidate]) -> tuple[list[str], list[Candidate]]:
    """Return the boards with successive labels, and these in capitals; none unless there are two."""
    labels: list[str] = []
    listed: list[Candidate] = []
    end = 0
    for one in candidates:
        begin = max(end, one.board.start - _LABEL_REACH)
        label = _LABEL.search(text, begin, one.board.start)
        end = one.board.end
        if label and (not labels or ord(label["label"].upper()) == ord(labels[-1]) + 1):
            labels.append(label["label"].upper())
            listed.append(one)
    return (labels, listed) if len(labels) > 1 else ([], [])


_FIELDS: Final = 6
_WORD: Final = re.compile(r"[^\W_]")
_NO_ANSWER: Final = frozenset({Role.STRUCK, Role.REJECTED})
_LAST_RESORTS: Final = (
    Role.LOGGED, Role.SUPPOSED, Role.HEADER, Role.QUOTED, Role.LATER, Role.EARLIER,
    Role.OTHER_SPEAKER, Role.EXAMPLE,
)  # fmt: skip
"""What is taken where nothing is offered, the first of these that is there."""

_DESPITE_A_REFUSAL: Final = frozenset({Role.LOGGED, Role.SUPPOSED, Role.HEADER})


def choose_board(text: str, candidates: Sequence[Candidate]) -> Choice:
    """Choose the board that a reply gives as its answer.

    The rules, the first that decides:

    1. Where a reply has boards in its reasoning alone, one that is announced as final there and not
       taken back, or one announced with all its fields at which the reasoning breaks off; else none.
    2. Of boards that exclude each other, the one that the reply picks or gives the highest
       confidence; else none. See `workbench.environments.chess.extraction.choice.options_in`.
    3. What follows a word of correction replaces everything before, unless the reply then
       confirms what it said first.
    4. Of what is offered, the most strongly announced (final, announced, plain, a guess); of
       several, one with a side to move; of several, one that is written again, or the last, if a word
       such as "then" leads to it and it has another side to move or number of the move than the
       others. Else, and of several guesses or two joined by "or", none.
    5. Where nothing is offered: the last of a log of positions, the one conditional board, the last
       in a game's header; and unless the reply is a refusal, the last quotation, later or earlier
       position, board of another speaker, or example.

    A board that is denied or struck out is never the answer. The choice does not look at whether a
    board parses.

    Args:
        text: What holds the boards.
        candidates: Every board with its role, in order.
    """
    open_ones = [one for one in candidates if one.role not in _NO_ANSWER]
    if not open_ones:
        return Choice(None, f"no board but {candidates[-1].role.value}")
    outside = [one for one in open_ones if one.role is not Role.REASONING]
    if not outside:
        return _from_reasoning(text, open_ones)
    choice = options_in(text, outside)
    if choice:
        return choice
    positions = [one for one in outside if one.role in (Role.OFFERED, Role.LOGGED)]
    if any(one.role is Role.OFFERED for one in positions):
        return _offered(text, positions)
    return _last_resort(text, outside)


def _from_reasoning(text: str, reasoned: Sequence[Candidate]) -> Choice:
    final = [one.board for one in reasoned if one.emphasis is Emphasis.FINAL]
    if final:
        behind = text[final[-1].end : final[-1].end + _CONTEXT]
        if not phrases.CORRECTION.search(behind):
            return Choice(final[-1], "final in the reasoning")
    last = reasoned[-1]
    announced = [one for one in reasoned if one.emphasis >= Emphasis.ANNOUNCED]
    breaks_off = (
        not last.renews
        and len(last.board.fields) == _FIELDS
        and not _WORD.search(text, last.board.end)
    )
    if breaks_off and last in announced and _singled_out(text, announced, last.board):
        return Choice(last.board, "where the reasoning breaks off")
    return Choice(None, "boards in the reasoning alone, none of them final")


def _offered(text: str, positions: Sequence[Candidate]) -> Choice:
    anew = max((place for place, one in enumerate(positions) if one.renews), default=0)
    before = [one for one in positions[:anew] if one.role is Role.OFFERED]
    since = [one for one in positions[anew:] if one.role is Role.OFFERED]
    last = positions[-1].board
    final_anew = any(one.emphasis is Emphasis.FINAL for one in since)
    behind = text[last.end : last.end + _CONTEXT]
    if before and not final_anew and phrases.CONFIRMED.search(behind):
        return _strongest(text, before, "confirmed")
    if not since:
        return Choice(last, "corrected")
    return _strongest(text, since, "corrected" if anew else "")


def _strongest(text: str, offered: Sequence[Candidate], rule: str) -> Choice:
    emphasis = max(one.emphasis for one in offered)
    among = [one for one in offered if one.emphasis is emphasis]
    best = _last_with_a_side(among)
    others = [one.board for one in among if one.board.text != best.text]
    if emphasis is Emphasis.HEDGED and others:
        return Choice(None, "several guesses")
    if others and joined_by_or(text, others[-1], best):
        return Choice(None, "two boards joined by or")
    if not _singled_out(text, among, best):
        return Choice(None, "several boards, none of them singled out")
    if not rule:
        rule = "the only one offered" if len(offered) == 1 else _BY_EMPHASIS[emphasis]
    return Choice(best, rule)


def _singled_out(text: str, among: Sequence[Candidate], best: BoardSpan) -> bool:
    """Tell whether a board is the last of stages of a game, or stands again behind the others."""
    others = [one.board for one in among if _rivals(one.board, best)]
    if not others or sum(one.board.text == best.text for one in among) > 1:
        return True
    follows = phrases.FOLLOWS.search(text, others[-1].end, best.start)
    return follows is not None and all(_ply(one) != _ply(best) for one in others)


def _rivals(one: BoardSpan, other: BoardSpan) -> bool:
    """Tell whether two boards differ; the initial position is the stage before any other."""
    if one.has_side is not other.has_side or one.fields[0] == chess.STARTING_BOARD_FEN:
        return False
    pairs = zip(one.fields[:4], other.fields[:4], strict=False)
    return any(field != its for field, its in pairs)


def _ply(board: BoardSpan) -> tuple[str, ...]:
    """Return the side to move and the number of the move, as far as they are written."""
    return (*board.fields[1:2], *board.fields[5:6])


_BY_EMPHASIS: Final = {
    Emphasis.FINAL: "the one called final",
    Emphasis.ANNOUNCED: "the one announced",
    Emphasis.PLAIN: "the last",
    Emphasis.HEDGED: "the only guess",
}


def _last_resort(text: str, candidates: Sequence[Candidate]) -> Choice:
    role = next(role for role in _LAST_RESORTS if any(one.role is role for one in candidates))
    among = [one for one in candidates if one.role is role]
    if role not in _DESPITE_A_REFUSAL and phrases.REFUSAL.search(text):
        return Choice(None, f"a refusal; no board but {role.value}")
    best = _last_with_a_side(among)
    others = [one.board for one in among if one.board.text != best.text]
    if role is Role.SUPPOSED and others:
        return Choice(None, "several conditions, none of them met")
    return Choice(best, role.value)


def _last_with_a_side(among: Sequence[Candidate]) -> BoardSpan:
    with_side = [one for one in among if one.board.has_side]
    return (with_side or among)[-1].board
