"""Every board in a text: its piece placement, and its other FEN fields beside it, under names or in words."""

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from workbench.environments.chess.extraction.plain_text import SQUARES

MINIMUM_RANKS: Final = 5
"""Groups that must read as ranks, so that 7 or 9 ranks are a broken FEN and "Q/R/B/N" is none."""

_LEAST_MEAN_SQUARES: Final = 5
"""Squares that these groups must describe on average; "1/2/3/4/5/6/7/8" has 4.5, a FEN has 8."""

_LONGEST_WORD: Final = 80
_FIELDS: Final = 6

_OUTSIDE: Final = r"""\s"'`*()\[\]{}<>:=,;|\\“”‘’«»„。、…「」『』《》【】"""
_RUN: Final = re.compile(rf"(?<![^{_OUTSIDE}])[^{_OUTSIDE}/]*+(?:/[^{_OUTSIDE}/]*+){{4,}}+")
_LIST_NUMBER: Final = re.compile(r"\A\d{1,3}\.")
_ASCII_END: Final = re.compile(r"[A-Za-z0-9.~_-]*\Z")
_RANK: Final = re.compile(r"[pnbrqkPNBRQK1-8.~]+\Z")
_HOST: Final = re.compile(r"[\w-]+(?:\.[\w-]+)*\.[A-Za-z]{2,}\Z")
_WRITTEN: Final = re.compile(r"[\x21-\x7e]+")

_SIDE: Final = r"[wbWB](?![\w/'’])"
_CASTLING: Final = r"(?:-|(?i:none)|K?Q?k?q?(?<=[KQkq])|[A-H]{1,2}[a-h]{1,2})(?![\w/])"
_PASSANT: Final = r"(?:-|(?i:none)|[a-h][1-8])(?![\w/])"
_NUMBER: Final = r"\d{1,4}(?![\w/])"
_STRICT: Final = (_SIDE, _CASTLING, _PASSANT, _NUMBER, _NUMBER)
# The fields that are left, down to the last, whatever white space stands between them.
_REST: Final = tuple(
    re.compile(r"[\s>|]{1,12}".join(_STRICT[first:]) + r"(?!\.\S)") for first in range(len(_STRICT))
)
_NEW_LINE: Final = re.compile(r"[ \t]*\r?\n[\s>|]{0,40}")
_SIDE_AND_CASTLING: Final = re.compile(r"[wb][ \t]+[KQkq-]")
_GAP: Final = re.compile(r"[^\S\r\n]+")
_FIELD_TOKEN: Final = re.compile(r"[^\s_]+")
_LOOSE: Final = tuple(
    re.compile(pattern)
    for pattern in (
        r"[wbWB]\Z",
        r"(?:-|[KQkq-]{1,8}|[A-H]{1,2}[a-h]{0,2}|[a-h]{2})\Z",
        r"(?:-|[a-h][1-8])\Z",
        r"-?[0-9]+",
        r"-?[0-9]+",
    )
)
_BROKEN_TAIL: Final = re.compile(
    r"(?:[ \t]+[^\s\"'`]{1,4}){0,3}?[ \t]+[0-9]{1,4}[ \t]+[0-9]{1,4}(?!\w|\.[0-9])"
)
_CLOSERS: Final = "\"'`*()[]{}<>,;:|\\“”‘’«»„.!?。、…「」『』《》【】"
# Commas, bars, quotes, backticks and the like between fields.
_BETWEEN: Final = r"[\s,;|\"'`*{}$]{1,24}(?:(?:\(?[1-6][.):]|(?<=\n)[-+•])[\s\"'`*]{1,6})?"
_LISTED: Final = r"[ \t]{0,4}\n[ \t]{0,8}(?:\(?[1-6][.):]|[-+•])[ \t]"
_APART: Final = re.compile(
    rf"(?=[\s]{{0,12}}[,;|\"'`*{{}}$]|{_LISTED}){_BETWEEN}(?P<side>{_SIDE}|(?i:white|black)\b)"
    rf"(?:{_BETWEEN}(?P<castling>{_CASTLING})"
    rf"(?:{_BETWEEN}(?P<passant>{_PASSANT})"
    rf"(?:{_BETWEEN}(?P<clock>{_NUMBER})(?:{_BETWEEN}(?P<number>{_NUMBER}))?)?)?"
    rf"|(?=[\"'`*\])}}|]*\s*\Z|[\"'`*\])}}|]*[ \t]*\n))"
)
_WITHOUT_SPACES: Final = re.compile(
    r"\s?([wb])\s?(-|K?Q?k?q?(?<=[KQkq]))\s?(-|[a-h][1-8])"
    r"(?:\s?(\d{1,3})\s(\d{1,4})|(\d)(\d))?(?!\s?[\w/-])"
)
_SIDE_NAMED: Final = re.compile(
    r"\s(?P<side>white|black)(?=\s+(?:-|[KQkq]{1,4})\s|[\"'`*)\]}.]{0,4}\s*\Z|[ \t]*\n)",
    re.IGNORECASE,
)
_OPERATION: Final = re.compile(r"\b(hmvc|fmvn) (\d{1,4});")
_OPERATIONS_REACH: Final = 120


class BoardSpan(NamedTuple):
    """A board in a text, with its place.

    Attributes:
        start: Where its placement begins.
        end: Behind its last field.
        fields: The placement and what follows it, as written: at most six, or a tail in one piece.
    """

    start: int
    end: int
    fields: tuple[str, ...]

    @property
    def text(self) -> str:
        """The fields with single spaces."""
        return " ".join(self.fields)

    @property
    def has_side(self) -> bool:
        """Whether more than the placement is written."""
        return len(self.fields) > 1


def board_spans(text: str) -> Iterator[BoardSpan]:
    """Yield every board of a text in order.

    A board is a word of at least five ranks. The fields after it may be on its line, apart by
    commas, bars or quotes, or on the lines that follow, down to the last. Where they go wrong but
    end in two numbers, all of it is the board. Web addresses, paths, fractions, dates and lists
    such as "Q/R/B/N" are none.
    """
    end = 0
    for run in _RUN.finditer(text):
        word = run[0]
        first, slash, others = word.partition("/")
        if not _RANK.match(first):
            # Only what is written in ASCII can belong to a rank.
            ascii_end = _ASCII_END.search(first[-_LONGEST_WORD:])
            first = ascii_end[0].lstrip("-~_") if ascii_end else ""
        unnumbered = _LIST_NUMBER.sub("", first)
        if unnumbered != first and _squares(unnumbered) == 8:
            first = unnumbered
        word = first + slash + others
        start = run.end() - len(word)
        if start < end or run[0].startswith("//") or not _is_placement(word):
            continue
        board = _with_fields(text, start, word)
        end = board.end
        yield board


def _is_placement(word: str) -> bool:
    """Tell whether a word without spaces is a piece placement, or an attempt at one."""
    groups = word.split("/")
    ranks = [group for group in groups if _RANK.match(group)]
    if groups[0] not in ranks and _HOST.match(groups[0][-_LONGEST_WORD:]):
        return False
    return (
        len(ranks) >= MINIMUM_RANKS
        and 2 * len(ranks) > len(groups)
        and _squares("".join(ranks)) >= _LEAST_MEAN_SQUARES * len(ranks)
    )


def _squares(rank: str) -> int:
    """Return how many squares a rank describes; a sign that has no place in one counts as none."""
    return sum(SQUARES.get(sign, 0) for sign in rank)


def _with_fields(text: str, start: int, word: str) -> BoardSpan:
    head, slash, last = word.rpartition("/")
    last, underscore, _ = last.partition("_")
    if not last.isascii():
        written = _WRITTEN.match(last)
        last = written[0] if written else ""
    placement = head + slash + last
    glued = _glued(text, start, placement)
    if glued:
        return glued
    ended = placement.rstrip("!?-")
    if "." not in ended.strip("."):
        # Dots may stand for empty squares; only at the ends they are punctuation.
        ended = ended.rstrip(".")
    place = start + len(placement)
    closed = len(ended) < len(placement)
    first = ended.lstrip(".") if "." not in ended.lstrip(".") else ended
    if underscore:
        fields, place = _on_the_line(text, place, re.compile("_"))
        return BoardSpan(start, place, (first, *fields))
    if closed:
        return BoardSpan(start, place, (first,))
    fields, end = _on_the_line(text, place, _GAP)
    if not fields:
        fields, end = _apart(text, place)
    if len(fields) + 1 == 4:
        fields, end = _with_operations(text, fields, end)
    return BoardSpan(start, end, (first, *fields))


def _glued(text: str, start: int, placement: str) -> BoardSpan | None:
    """Return the board of a whole placement whose fields lack a space between them, or None.

    Of two digits the first is the half-move clock; more of them without a space are left out.
    """
    ranks = placement.split("/")
    length = next((end for end in range(len(ranks[-1]) + 1) if _squares(ranks[-1][:end]) == 8), 0)
    if len(ranks) != 8 or any(_squares(rank) != 8 for rank in ranks[:-1]) or not length:
        return None
    end = start + len(placement) - len(ranks[-1]) + length
    match = _WITHOUT_SPACES.match(text, end)
    fields = [field for field in match.groups() if field] if match else []
    if not match or (match[0].split() == fields and match[0][0].isspace()):
        return None
    return BoardSpan(start, match.end(), (text[start:end], *fields))


def _on_the_line(text: str, place: int, gap: re.Pattern[str]) -> tuple[list[str], int]:
    """Return the fields that follow a placement with white space between, and where they end."""
    fields: list[str] = []
    closed = False
    for number, pattern in enumerate(_LOOSE):
        if closed:
            break
        named = number == 0 and _SIDE_NAMED.match(text, place)
        if named:
            fields.append(named["side"][0].lower())
            place = named.end()
            continue
        between = _NEW_LINE.match(text, place) or gap.match(text, place)
        token = between and _FIELD_TOKEN.match(text, between.end())
        if not between or not token:
            break
        if "\n" in between[0] and not (
            _REST[number].match(text, between.end())
            or (number == 0 and _SIDE_AND_CASTLING.match(text, between.end()))
        ):
            break
        field = token[0].split("\\", 1)[0].rstrip(_CLOSERS)
        read = pattern.match(field)
        if not read:
            break
        fields.append(read[0])
        closed = len(read[0]) < len(token[0])
        place = token.start() + len(read[0])
    if len(fields) + 1 < _FIELDS and not closed and gap is _GAP:
        # Two numbers a few short words on are the clocks of a FEN whose fields went wrong.
        tail = _BROKEN_TAIL.match(text, place)
        if tail:
            fields += tail[0].split()
            place = tail.end()
    return fields, place


def _apart(text: str, place: int) -> tuple[list[str], int]:
    """Return the fields that follow a placement with other signs between, and where they end."""
    match = _APART.match(text, place)
    if not match:
        return [], place
    side, *others = (field for field in match.groups() if field)
    return [
        side[0].lower(),
        *("-" if other.lower() == "none" else other for other in others),
    ], match.end()


def _with_operations(text: str, fields: list[str], end: int) -> tuple[list[str], int]:
    """Return the four fields of an EPD with the counters that its operations give."""
    operations = {
        operation[1]: operation
        for operation in _OPERATION.finditer(text, end, end + _OPERATIONS_REACH)
    }
    if operations.keys() != {"hmvc", "fmvn"}:
        return fields, end
    clocks = [operations["hmvc"][2], operations["fmvn"][2]]
    return fields + clocks, max(operation.end() for operation in operations.values())


_REACH: Final = 400
_WORDS_AFTER: Final = 160
_WORDS_BEFORE: Final = 100

_NAMED_AS: Final = r"[^\S\n]{0,3}[\w \-()/]{0,24}[\"'`*_)\]]{0,4}\s{0,3}"
_IS: Final = r"(?:[:=|>]|->|→|\bis\b|\bist\b|\best\b|\bes\b|是|为)[\s\"'`*_|({\[]{0,8}"
_WHITE: Final = r"(?:white|wei(?:ß|ss)(?:er)?|blancs?|blancas?|бел\w{1,4}|白|bianco|brancas?)"
_BLACK: Final = r"(?:black|schwarz(?:er)?|noirs?|negras?|ч[её]рн\w{1,4}|黑|nero|pretas|negras)"
_NONE: Final = r"-|none|null|nil|no|n/a|keine?|aucune?|ningun[oa]?|нет|无|没有"


def _named(name: str, value: str) -> re.Pattern[str]:
    return re.compile(
        rf"(?<![^\W_])(?:{name}){_NAMED_AS}{_IS}(?P<value>{value})(?![^\W_])", re.IGNORECASE
    )


_NAMES: Final = (
    _named(
        r"side|(?:active|whose|player)?[ _]?turn|active|stm|mover|to[ _-]?move|colou?r"
        r"|am[ _]zug|zugrecht|trait|turno|очередь(?: хода)?|ход|走子方|轮到|手番",
        rf"w|b|(?P<white>{_WHITE})|(?P<black>{_BLACK})",
    ),
    _named(
        r"castl\w{0,12}|rights|rochade\w{0,8}|roque|enroque|рокировк\w|易位",
        rf"(?-i:K?Q?k?q?(?<=[KQkq]))|{_NONE}",
    ),
    _named(
        r"en[ _-]?passant|ep|passant|prise en passant|взятие на проходе|吃过路兵|过路兵",
        rf"[a-h][1-8]|{_NONE}",
    ),
    _named(r"half[ _-]?moves?|half|halbz\w{1,6}|clock|fifty|полуход\w{1,3}|半回合", r"\d{1,4}"),
    _named(
        r"full[ _-]?moves?|full|(?<!half[ _-])moves?(?:[ _-]?(?:number|no|count))?|zugnummer|номер хода|回合",
        r"\d{1,4}",
    ),
)


def _side_in_words(colour: str) -> str:
    return "|".join(
        (
            rf"\b{colour}(?:['’]s)? (?:is )?(?:to (?:move|play)|on (?:the )?move|moves next)\b",
            rf"(?:it is|it['’]s|now|next) {colour}['’]s (?:turn|move)\b|\b{colour}['’]s turn\b",
            rf"\b(?:next to move|to move|turn|side to move) ?(?:is|:|belongs to) ?{colour}\b",
            rf"\b{colour} (?:ist )?(?:am zug|an der reihe)\b|\bam zug(?: ist)?:? {colour}\b",
            rf"\b(?:trait aux|aux) {colour}\b|\b{colour} au trait\b|\bles {colour} (?:jouent|ont le trait)\b",
            rf"\b(?:juegan|mueven|turno de)(?: las)? {colour}\b|\b{colour} juegan\b",
            rf"\b(?:ход|очередь)(?: за)?:? {colour}\b|\b{colour} ходят\b",
            rf"轮到{colour}|{colour}(?:方|棋|先)*(?:走|行棋|先行)",
            rf"\b(?:tocca|muove)(?: al| il)? {colour}\b|\b{colour} (?:jogam|muove)\b",
            rf"\bvez das {colour}\b",
        )
    )


_SIDE_WORDS: Final = re.compile(
    rf"(?P<white>{_side_in_words(_WHITE)})|(?P<black>{_side_in_words(_BLACK)})", re.IGNORECASE
)
_PAST: Final = re.compile(r"\b(?:was|had been|war|était|era)\s\Z", re.IGNORECASE)


def with_distant_fields(text: str, board: BoardSpan, begin: int, end: int) -> BoardSpan:
    """Return a bare placement with the fields that stand elsewhere, as far as they go without a gap."""
    after = text[board.end : min(end, board.end + _REACH)]
    before = text[max(begin, board.start - _REACH) : board.start]
    fields: list[str] = []
    for number, name in enumerate(_NAMES):
        match = name.search(after) or name.search(before)
        value = _value(match) if match else ""
        if not value and number == 0:
            value = _side(after[:_WORDS_AFTER]) or _side(before[-_WORDS_BEFORE:])
        if not value:
            break
        fields.append(value)
    return BoardSpan(board.start, board.end, (board.fields[0], *fields))


def _value(match: re.Match[str]) -> str:
    for side in ("white", "black"):
        if match.groupdict().get(side):
            return side[0]
    value = match["value"]
    if value in ("W", "B"):
        return value.lower()
    return "-" if re.fullmatch(_NONE, value, re.IGNORECASE) else value


def _side(text: str) -> str:
    """Return the only side to move in a text, or nothing."""
    sides = {
        "w" if match["white"] else "b"
        for match in _SIDE_WORDS.finditer(text)
        if not _PAST.search(text, 0, match.start())
    }
    return sides.pop() if len(sides) == 1 else ""
