"""Othello boards as a model writes them: eight rows of squares and the side to move.

Read are also lower-case letters, dots or underscores for empty squares, squares without spaces
between them, bars between or around them, labels of rows and columns, the side to move in other
words, and the whole board in one line. Whatever else stands in a text makes it unreadable: a sign
that merely looks like one of these is not taken for it.
"""

import re
import unicodedata
from typing import Final

from workbench.environments.othello.othello_automaton import OthelloState
from workbench.errors import InvalidBoardError

_SHOWN: Final = 80
_FEWEST_ROWS: Final = 4
_PLAIN: Final = str.maketrans("xo._", "XO--")

_COLUMNS: Final = re.compile(
    r"[\s|]*a[\s|]*b[\s|]*c[\s|]*d[\s|]*e[\s|]*f[\s|]*g[\s|]*h[\s|]*", re.I
)
_BORDER: Final = re.compile(r"\s*\+[-+=]*\+\s*")
_ROW: Final = re.compile(r"[\s|]*([1-8]?)[\s:|)]*((?:[XOxo._-][\s|]*){8})([1-8]?)\s*")
_ONE_LINE: Final = re.compile(r"\s*((?:[XOxo._-][\s/|]*){64})(\S.*)?")
_SIDE: Final = re.compile(
    r"(?:(?:the )?(?:(?:side|player|colou?r) )?(?:to (?:move|play)|next|turn)(?: is)?\s*[:=]?\s*)?"
    r"(black|white|x|o)(?:\s*\((black|white|x|o)\))?"
    r"(?:(?:'s)? (?:is )?(?:next )?(?:to (?:move|play)(?: next)?|moves|plays|turn))?\.?",
    re.IGNORECASE,
)
_BLACK: Final = ("black", "x")

_ALIKE: Final = frozenset("xo.-_0*bw#+хоχο×·•●○◯⚫⚪⬛⬜■□–—−―")
"""Signs with which boards are drawn, and those that look like them."""


def board_text(state: OthelloState) -> str:
    """Return a board as eight rows, the squares separated by spaces, and the side to move."""
    squares, side = state.text().split()
    rows = [" ".join(squares[start : start + 8]) for start in range(0, 64, 8)]
    return "\n".join([*rows, f"{side} to move"])


def read_board(text: str) -> OthelloState:
    """Return the board and the side to move that a text describes; see the module.

    Raises:
        InvalidBoardError: If the text is anything else.
    """
    lines = [
        line
        for line in text.split("\n")
        if line.strip() and not _COLUMNS.fullmatch(line) and not _BORDER.fullmatch(line)
    ]
    whole = _ONE_LINE.fullmatch(" ".join(lines)) if len(lines) <= 2 else None
    if whole:
        squares = "".join(re.findall(r"[XOxo._-]", whole[1]))
        sides = [whole[2]] if whole[2] else []
    else:
        squares, sides = _squares(lines), [line for line in lines if not _ROW.fullmatch(line)]
    if not sides:
        raise InvalidBoardError(
            f"expected the side to move beside an Othello board, X or O, got no such line in {_cut(text)}"
        )
    if len(sides) > 1:
        raise InvalidBoardError(
            "expected eight rows of an Othello board and a line with the side to move, got "
            f"{len(sides)} other lines, among them {_cut(sides[0])} and {_cut(sides[1])}"
        )
    return OthelloState.from_text(f"{squares.translate(_PLAIN)} {_side(sides[0])}")


def _squares(lines: list[str]) -> str:
    rows = [found for line in lines if (found := _ROW.fullmatch(line))]
    if len(rows) != 8:
        raise InvalidBoardError(
            "expected eight rows of an Othello board, each of eight squares X, O or -, got "
            f"{len(rows)} such rows in {_cut(chr(10).join(lines))}"
        )
    labels = "".join(row[1] or row[3] for row in rows)
    if labels not in ("", "12345678", "87654321") or any(
        row[1] and row[3] and row[1] != row[3] for row in rows
    ):
        raise InvalidBoardError(
            f"expected the rows of an Othello board labelled from 1 to 8, or none, got {labels!r}"
        )
    squares = ["".join(re.findall(r"[XOxo._-]", row[2])) for row in rows]
    return "".join(reversed(squares) if labels.startswith("8") else squares)


def _side(line: str) -> str:
    named = _SIDE.fullmatch(_bare(line))
    sides = {each.lower() in _BLACK for each in named.groups() if each} if named else set()
    if len(sides) != 1:
        raise InvalidBoardError(
            f"expected the side to move, such as 'X to move', got {_cut(line)} beside an Othello board"
        )
    return "X" if sides.pop() else "O"


def _bare(line: str) -> str:
    return line.replace("*", "").strip(" \t\r`_")


def is_board_line(line: str) -> bool:
    """Return whether a line may be part of a board: a row, a border, labels or the side to move."""
    if len(line) > _SHOWN:
        return False
    forms = (_ROW, _COLUMNS, _BORDER)
    return any(each.fullmatch(line) for each in forms) or bool(_SIDE.fullmatch(_bare(line)))


def looks_like_board(text: str) -> bool:
    """Return whether a text shows at least half a board, in signs like those of boards."""
    alike = 0
    for line in unicodedata.normalize("NFKC", text).lower().split("\n"):
        signs = [sign for sign in line if not sign.isspace() and sign not in "|/12345678"]
        if set(signs) <= _ALIKE:
            alike += len(signs) if len(signs) > 32 else 8 * (5 <= len(signs) <= 12)
    return alike >= 8 * _FEWEST_ROWS


def _cut(text: str) -> str:
    return repr(text if len(text) <= _SHOWN else text[:_SHOWN] + "...")
