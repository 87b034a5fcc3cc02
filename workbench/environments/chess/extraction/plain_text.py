"""Normalisation of a reply: entities, escapes, invisible characters; links, figurines and diagrams as FENs."""

import html
import re
import urllib.parse
from typing import Final, NamedTuple

_DASHES: Final = "‐‑‒–—―−﹣"
_SLASHES: Final = "∕⁄⧸╱"
_INVISIBLE: Final = (
    "\u00ad\u034f\u061c\u180e\u200b\u200c\u200d\u200e\u200f\u202a\u202b\u202c\u202d\u202e"
    "\u2060\u2061\u2062\u2063\u2064\u2066\u2067\u2068\u2069\ufe0e\ufe0f\ufeff"
)
_SIGNS: Final = {
    **{wide: wide - 0xFEE0 for wide in range(0xFF01, 0xFF5F)},
    0x3000: " ",
    0x2028: "\n",
    0x2029: "\n",
    **dict.fromkeys(map(ord, _DASHES), "-"),
    **dict.fromkeys(map(ord, _SLASHES), "/"),
    **dict.fromkeys(map(ord, _INVISIBLE), None),
}
_ENTITY: Final = re.compile(r"&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z]{2,8});")
_TEMPLATE: Final = re.compile(r"(?:\A\s{0,20}(?=analysis)|assistant)(analysis|commentary|final)")
_TILDES: Final = re.compile(r"^([ \t>]{0,12})~{3,}+(?=[ \t]{0,4}\w{0,12}[ \t]{0,4}$)", re.MULTILINE)
_CHECKBOX: Final = re.compile(r"^([ \t>]{0,12}[-*+]) \[([ xX])\](?=\s)", re.MULTILINE)
_PARAMETER: Final = re.compile(r"(?<=[?&]fen=)[^\s&#<>\"'`)\]]+", re.IGNORECASE)
_FIELDS_IN_WORDS: Final = re.compile(
    r"(?P<rank>/[pnbrqkPNBRQK1-8]{1,8}\s{1,12})(?P<side>(?i:[wb]|white|black))\s{1,12}"
    r"(?P<castling>-|[KQkq]{1,4}|(?i:none))\s{1,12}(?P<passant>-|[a-h][1-8]|(?i:none))(?![\w/-])"
)
_STRUCK: Final = re.compile("(?:[^\u0335-\u0338\n][\u0335-\u0338])+")
_LINE_TAG: Final = re.compile(r"<br\s{0,4}/?>", re.IGNORECASE)
_BREAK_TAG: Final = re.compile(r"</?wbr\s{0,4}/?>", re.IGNORECASE)
_BACKSLASHES: Final = re.compile(r"\\{2,}")
_UNICODE_ESCAPE: Final = re.compile(r"\\u00([2-7][0-9a-fA-F]|0[aA])")
_NEWLINE_ESCAPE: Final = re.compile(r"(?:\\r)?\\n(?![a-z])|\\n(?=[a-zA-Z1-8]{1,8}/)")
_ANY_NEWLINE_ESCAPE: Final = re.compile(r"(?:\\r)?\\n")
_LATEX_TEXT: Final = re.compile(r"\\(?:text|math)(?:tt|bf|rm|sf|it|normal)?\s?\{")
_LATEX_SPACE: Final = re.compile(r"\\(?:[,;:! ]|q?quad\b|space\b|t(?![a-z]))")
_ESCAPED_SIGN: Final = re.compile(r"\\([^\w\s])")
_WORD: Final = r"[A-Za-z0-9~.]{1,16}"
_RANK: Final = r"[pnbrqkPNBRQK0-9~.]{1,16}"
_SPACED_RANKS: Final = re.compile(
    rf"{_WORD}(?: / {_WORD}){{4,}}|(?<![A-Za-z0-9]){_RANK}(?:[ \t]{{0,2}}/[ \t]{{0,2}}{_RANK}){{4,}}"
)
_SLASHED_FIELDS: Final = re.compile(
    r" / ([wb]) / (-|[KQkq]{1,4}) / (-|[a-h][1-8])(?: / (\d{1,4}) / (\d{1,4}))?"
)
_LINE_BREAK: Final = re.compile(r"(?<=[A-Za-z0-9~./])[ \t]*\r?\n[\s>|]{0,40}(?=[A-Za-z0-9./])")
_RANK_BEFORE: Final = re.compile(r"(?:(/)|(?<![\w/])|^)([pnbrqkPNBRQK0-9~.]{1,8})(/?)\Z")
_RANK_AFTER: Final = re.compile(r"(/?)([pnbrqkPNBRQK0-9~.]{1,8})(/|(?=[\s\"'`*<)]|\Z))")

SQUARES: Final = {**dict.fromkeys("pnbrqkPNBRQK.", 1), **{d: int(d) for d in "12345678"}, "~": 0}
"""How many squares a sign of a rank describes; a dot may stand for an empty one."""


def plain_signs(text: str) -> str:
    """Return a text with plain hyphens, slashes and ASCII signs, and without invisible ones."""
    return text.translate(_SIGNS)


def plain_text(reply: str) -> str:
    """Return a reply as a reader sees it, each board on one line.

    Entities, escapes of JSON, Markdown and web addresses are undone, full-width signs become ASCII,
    dashes hyphens; what combining strokes strike out stands between ``~~``; ranks broken over lines
    are joined; fields in words become signs; fences, ticked boxes and the channels of a template
    have one form each. The time taken is linear in the length.
    """
    text = reply
    if "&" in text:
        text = _without_entities(text)
    if not text.isascii():
        text = _STRUCK.sub(lambda match: f"~~{match[0][::2]}~~", text.translate(_SIGNS))
    if "\\" in text:
        text = _without_escapes(text)
    if "<" in text:
        text = _LINE_TAG.sub("\n", _BREAK_TAG.sub("", text))
    if "assistantfinal" in text:
        text = _TEMPLATE.sub(r"<|channel|>\1<|message|>", text)
    if "~~~" in text:
        text = _TILDES.sub(r"\1```", text)
    if "] " in text:
        text = _CHECKBOX.sub(lambda box: f"{box[1]} {'❌' if box[2] == ' ' else '✅'}", text)
    if "fen=" in text:
        text = _PARAMETER.sub(lambda fen: urllib.parse.unquote_plus(fen[0]), text)
    if "\n" in text and "/" in text:
        text = _joined(text)
    if "/ " in text or " /" in text or "/\t" in text or "\t/" in text:
        text = _SLASHED_FIELDS.sub(
            lambda match: "".join(f" {field}" for field in match.groups() if field), text
        )
        text = _SPACED_RANKS.sub(lambda match: re.sub(r"[ \t]", "", match[0]), text)
    return _FIELDS_IN_WORDS.sub(_plain_fields, text) if "/" in text else text


def _plain_fields(fields: re.Match[str]) -> str:
    castling, passant = ("-" if each.lower() == "none" else each for each in fields.group(3, 4))
    return f"{fields['rank']}{fields['side'][0].lower()} {castling} {passant}"


def _without_entities(text: str) -> str:
    # Where a reply has tags of its own, an escaped one is a mention of a tag.
    has_tags = "<" in text

    def sign(entity: re.Match[str]) -> str:
        written = html.unescape(entity[0])
        return {"<": "‹", ">": "›"}.get(written, written) if has_tags else written

    return _ENTITY.sub(sign, text)


def _without_escapes(text: str) -> str:
    newline = _NEWLINE_ESCAPE if "\n" in text.strip() else _ANY_NEWLINE_ESCAPE
    text = _BACKSLASHES.sub("\\\\", text)
    text = _UNICODE_ESCAPE.sub(lambda escape: chr(int(escape[1], 16)), text)
    text = newline.sub("\n", _LATEX_TEXT.sub("{", text))
    return _ESCAPED_SIGN.sub(r"\1", _LATEX_SPACE.sub(" ", text))


def _joined(text: str) -> str:
    """Return a text in which no line break stands inside a placement."""
    parts = []
    begin = 0
    for line_break in _LINE_BREAK.finditer(text):
        if _breaks_a_board(text, line_break.start(), line_break.end()):
            parts.append(text[begin : line_break.start()].rstrip(" \t"))
            begin = line_break.end()
    return "".join(parts) + text[begin:] if parts else text


def _breaks_a_board(text: str, end: int, start: int) -> bool:
    """Tell whether a placement before ``end`` continues at ``start``."""
    before = _RANK_BEFORE.search(text, max(0, end - 10), end)
    after = _RANK_AFTER.match(text, start, start + 10)
    if not before or not after:
        return False
    if before[3] or after[1]:
        # The line ends or begins with the slash between two ranks.
        return not (before[3] and after[1])
    if not before[1] and (not after[3] or before[2].isdigit()):
        return False
    if text.count("\n", end, start) > 1:
        return False
    return sum(SQUARES.get(sign, 8) for sign in before[2] + after[2]) == 8


_FIGURINES: Final = str.maketrans("♔♕♖♗♘♙♚♛♜♝♞♟", "KQRBNPkqrbnp")
_ADDRESS: Final = re.compile(r"[^\s<>\"'`()\[\]]+")
_IN_ADDRESS: Final = re.compile(
    r"(?<=/)[pnbrqkPNBRQK1-8]{1,8}(?:/[pnbrqkPNBRQK1-8~]{1,16}){7}[^?#]*"
)
_LINE: Final = re.compile(r"[^\n/]+")
_LONGEST_LINE: Final = 80
_RANK_SIGNS: Final = re.compile(r"[pnbrqkPNBRQK.1-8]+")
_MARKS: Final = str.maketrans(
    {**dict.fromkeys(" \t|`*,>=:→\\", None), **dict.fromkeys("-_·□■", ".")}
)
_NUMBERED: Final = re.compile(
    r"\A[^\w\n]{0,8}(?P<word>rank|row)?[^\w\n]{0,4}(?P<number>[1-8])(?!\w)[^\w\n]{0,5}?[:.)|\s]"
    r"|\A[^\n:]{0,60}:",
    re.IGNORECASE,
)
_FRAME: Final = re.compile(r"[\s+=|`*_-]*")
_DIGIT: Final = re.compile("[1-8]")
_DOTS: Final = re.compile(r"\.+")
_DOWNWARD: Final = ("", "87654321")
_UPWARD: Final = "".join(f"rank{number}" for number in range(1, 9))


class _Rank(NamedTuple):
    text: str
    label: str
    start: int
    end: int


def with_fens(text: str) -> str:
    """Return a text in which links to a board, figurines and diagrams are written as FENs.

    A diagram is eight ranks one after the other, on lines of their own or apart by slashes, with or
    without their numbers. Ranks are numbered from 8 down, or from 1 up where they are called ranks.
    The time taken is linear in the length.
    """
    text = text.translate(_FIGURINES)
    if "lichess.org/" in text:
        text = _ADDRESS.sub(_of_link, text)
    parts, end = [], 0
    ranks: list[_Rank] = []
    for line in _LINE.finditer(text):
        rank = _rank(line) if len(line[0]) <= _LONGEST_LINE else None
        if rank:
            ranks.append(rank)
        elif not _FRAME.fullmatch(line[0]):
            ranks = []
        if len(ranks) == len("87654321"):
            label = "".join(each.label for each in ranks)
            if label == _UPWARD or label.replace("rank", "") in _DOWNWARD:
                order = ranks[::-1] if label == _UPWARD else ranks
                placement = "/".join(each.text for each in order)
                parts.append(f"{text[end : ranks[0].start]}\n{placement}\n")
                end = ranks[-1].end
            ranks = []
    return "".join(parts) + text[end:]


def _of_link(address: re.Match[str]) -> str:
    """Return the FEN that a Lichess address ends in, or the address."""
    if "lichess.org/" not in address[0]:
        return address[0]
    placement = _IN_ADDRESS.search(urllib.parse.unquote(address[0]))
    return placement[0].replace("_", " ") if placement else address[0]


def _rank(line: re.Match[str]) -> _Rank | None:
    label = _NUMBERED.match(line[0])
    for body in (line[0], line[0][label.end() :] if label else ""):
        squares = body.translate(_MARKS)
        if _RANK_SIGNS.fullmatch(squares) and sum(SQUARES[sign] for sign in squares) == len(
            "abcdefgh"
        ):
            dots = _DIGIT.sub(lambda digit: "." * int(digit[0]), squares)
            rank = _DOTS.sub(lambda run: str(len(run[0])), dots)
            named = label if label and body is not line[0] else None
            word = "rank" if named and named["word"] else ""
            return _Rank(rank, word + ((named and named["number"]) or ""), *line.span())
    return None
