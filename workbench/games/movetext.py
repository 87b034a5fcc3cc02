"""The moves of the main line of PGN movetext, as written, without playing them.

The common text (numbers, moves, comments, marks, one result) is recognised as a whole by a few
regular expressions; any other goes token by token. Neither passes over a token it does not know.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

RESULTS: Final = ("1-0", "0-1", "1/2-1/2", "*")
GAME_PLIES: Final = 20_000
"""Half-moves of one game at most; the 75-move rule ends every game before its 17,698th."""

# Longer text takes more memory as a whole than token by token; 20,000 plies fit.
_PLAIN_CHARACTERS: Final = 1 << 19

_SAN = r"(?:[NBKRQ]?[a-h]?[1-8]?[-x]?[a-h][1-8](?:=?[nbrqNBRQ])?|[O0]-[O0](?:-[O0])?)"
_RESULT = r"(?:1-0|0-1|1/2-1/2|\*)"
_NUMBER = re.compile(r"(?<!\d)(\d+)\.(?!\.)")
_COMMENT = re.compile(r"\{[^}]*(?:\}|\Z)")
_NUMBERS_AND_MARKS = re.compile(r"(?<!\d)\d+\.+|\$\d+|[+#!?]+")
_PLAIN = re.compile(rf"({_SAN}(?: {_SAN})*+)(?: ({_RESULT}))?")
_TOKEN = re.compile(
    rf"""
    (?P<comment> \{{[^}}]*(?:\}}|\Z) | ;[^\n]* | ^%[^\n]* )
    |(?P<open> \( ) |(?P<close> \) )
    |(?P<mark> \$\d+ | [!?+\#]+ | e\.p\. )
    |(?P<result> {_RESULT} )(?![^\s(){{}};$])
    |(?P<null> --|Z0|0000|@@@@ )(?![^\s(){{}};$!?+\#])
    |(?P<move> {_SAN} )(?![^\s(){{}};$!?+\#*e])
    |(?P<number> \d+ )(?![\w/-])
    |(?P<dots> [.…]+ )
    |(?P<judgement> [-+=/±∓⩲⩱∞]+ )(?!\w)
    |(?P<unknown> [^\s(){{}};]+|\S )
    """,
    re.VERBOSE | re.MULTILINE,
)
_FIRST_NUMBERS: Final = [str(number) for number in range(1, 1001)]


@dataclass(frozen=True, slots=True)
class Line:
    """The main line of one game, not played.

    Attributes:
        moves: In SAN, one space between, without marks of check or comment; castling with "O".
        plies: Half-moves in it.
        has_result: Whether it ends with a result.
        reason: Why the text cannot be used; empty if it can.
        detail: What was found instead, in words.
    """

    moves: str
    plies: int
    has_result: bool
    reason: str = ""
    detail: str = ""


def lines_of(movetext: str) -> Iterator[Line]:
    """Yield the main line of every game in a movetext: one, unless there are results in between.

    Comments, variations, NAGs and marks are left out. What stands behind a comment or a variation
    that does not end belongs to it, so that such a game has no result.

    Args:
        movetext: The text between the headers of one game and those of the next.
    """
    text = _COMMENT.sub(" ", movetext) if "{" in movetext else movetext
    is_plain = not (";" in movetext or "(" in text or "%" in text)
    if is_plain and len(text) <= _PLAIN_CHARACTERS:
        plain = _PLAIN.fullmatch(" ".join(_NUMBERS_AND_MARKS.sub(" ", text).split()))
        if plain:
            moves = plain[1].replace("0-0", "O-O").replace("O-0", "O-O")
            plies = moves.count(" ") + 1
            numbers = _NUMBER.findall(text)
            numbered = not numbers or numbers == _FIRST_NUMBERS[: (plies + 1) // 2]
            if numbered and plies <= GAME_PLIES:
                yield Line(moves, plies, plain[2] is not None)
                return
    yield from _token_by_token(movetext)


def leaves_comment_open(line: str, is_open: bool) -> bool:
    """Return whether a comment in braces continues after a line of text.

    Args:
        line: One line of movetext.
        is_open: Whether such a comment is open before it.
    """
    if is_open:
        _, brace, line = line.partition("}")
        if not brace:
            return True
    elif line.startswith("%"):
        return False
    if ";" not in line:
        return line.rfind("{") > line.rfind("}")
    comments = (token["comment"] or "" for token in _TOKEN.finditer(line))
    return any(text.startswith("{") and not text.endswith("}") for text in comments)


def _token_by_token(movetext: str) -> Iterator[Line]:
    moves: list[str] = []
    fault = ("", "")
    depth = 0
    number = ""
    for token in _TOKEN.finditer(movetext):
        kind, text = token.lastgroup, token.group()
        if kind == "open":
            depth += 1
        elif kind == "close" and depth:
            depth -= 1
        elif depth or kind in ("comment", "mark", "dots", "judgement"):
            continue
        elif kind == "number":
            number = text
        elif kind == "result":
            yield Line(" ".join(moves), len(moves), True, *fault)
            moves, fault, number = [], ("", ""), ""
        elif len(moves) == GAME_PLIES:
            fault = fault if fault[0] else ("too_long", f"more than {GAME_PLIES:,} half-moves")
        else:
            fault = fault if fault[0] else _fault(str(kind), text, number, len(moves))
            moves.append(text.replace("0-0", "O-O").replace("O-0", "O-O"))
            number = ""
    if moves:
        yield Line(" ".join(moves), len(moves), False, *fault)


def _fault(kind: str, text: str, number: str, plies: int) -> tuple[str, str]:
    expected = plies // 2 + 1
    if kind == "null":
        return "illegal_move", f"null move {text!r} at move {expected}"
    if kind != "move":
        return "unreadable_moves", f"expected a move, got {text[:40]!r} at move {expected}"
    if number and number.lstrip("0") != str(expected):
        said = f"expected move number {expected} before {text!r}, got {number[:40]}"
        return "misnumbered_moves", said
    return "", ""
