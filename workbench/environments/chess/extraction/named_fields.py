"""The fields of a board that are separate from its placement: under names, or in words."""

import re
from typing import Final

from workbench.environments.chess.extraction.boards import WrittenBoard

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


def completed(text: str, board: WrittenBoard, begin: int, end: int) -> WrittenBoard:
    """Return a bare placement with the fields that stand elsewhere, as far as they go without a gap.

    Args:
        text: What holds the board.
        board: With a placement alone.
        begin: Where the text begins that can be about this board.
        end: Where it ends.
    """
    after = text[board.end : min(end, board.end + _REACH)]
    before = text[max(begin, board.start - _REACH) : board.start]
    fields: list[str] = []
    for number, name in enumerate(_NAMES):
        found = name.search(after) or name.search(before)
        value = _value(found) if found else ""
        if not value and number == 0:
            value = _side(after[:_WORDS_AFTER]) or _side(before[-_WORDS_BEFORE:])
        if not value:
            break
        fields.append(value)
    return WrittenBoard(board.start, board.end, (board.fields[0], *fields))


def _value(found: re.Match[str]) -> str:
    for side in ("white", "black"):
        if found.groupdict().get(side):
            return side[0]
    value = found["value"]
    if value in ("W", "B"):
        return value.lower()
    return "-" if re.fullmatch(_NONE, value, re.IGNORECASE) else value


def _side(text: str) -> str:
    """Return the only side that a text says is to move, or nothing."""
    sides = {
        "w" if found["white"] else "b"
        for found in _SIDE_WORDS.finditer(text)
        if not _PAST.search(text, 0, found.start())
    }
    return sides.pop() if len(sides) == 1 else ""
