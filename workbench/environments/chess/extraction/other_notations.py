"""Boards that a reply without a FEN shows in another way: a link, figurines, a diagram, ranks."""

import re
import urllib.parse
from typing import Final, NamedTuple

from workbench.environments.chess.extraction.plain_text import SQUARES

_FIGURINES: Final = str.maketrans("♔♕♖♗♘♙♚♛♜♝♞♟", "KQRBNPkqrbnp")
_ADDRESS: Final = re.compile(r"[^\s<>\"'`()\[\]]+")
_IN_ADDRESS: Final = re.compile(
    r"(?<=/)[pnbrqkPNBRQK1-8]{1,8}(?:/[pnbrqkPNBRQK1-8~]{1,16}){7}[^?#]*"
)
_LINE: Final = re.compile(r"[^\n/]+")
_LONGEST_LINE: Final = 80
_RANK: Final = re.compile(r"[pnbrqkPNBRQK.1-8]+")
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

    Args:
        text: A reply in plain signs in which no board was found.
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
    found = _IN_ADDRESS.search(urllib.parse.unquote(address[0]))
    return found[0].replace("_", " ") if found else address[0]


def _rank(line: re.Match[str]) -> _Rank | None:
    """Return the rank that a line shows, or None."""
    label = _NUMBERED.match(line[0])
    for body in (line[0], line[0][label.end() :] if label else ""):
        squares = body.translate(_MARKS)
        if _RANK.fullmatch(squares) and sum(SQUARES[sign] for sign in squares) == len("abcdefgh"):
            dots = _DIGIT.sub(lambda digit: "." * int(digit[0]), squares)
            rank = _DOTS.sub(lambda found: str(len(found[0])), dots)
            named = label if label and body is not line[0] else None
            word = "rank" if named and named["word"] else ""
            return _Rank(rank, word + ((named and named["number"]) or ""), *line.span())
    return None
