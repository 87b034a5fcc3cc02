"""Othello (Reversi): rules on bitboards, reachability conditions, boards as text and as pictures."""

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import ClassVar, Final, Self

import numpy as np

from workbench.automaton import Automaton
from workbench.environment import Environment, Place, Points, Symmetry
from workbench.environments.square_picture import (
    CELL,
    INK,
    square_centre,
    square_picture,
    square_place,
)
from workbench.errors import InvalidBoardError

PASS: Final = 64
"""The action of a side that can place no disc while the other side can."""

BLACK: Final = "X"
WHITE: Final = "O"
EMPTY: Final = "-"

_ALL: Final = (1 << 64) - 1
# A line that runs along a row or a diagonal may be prolonged only through the six inner columns,
# else it would leave the board on one side and come back on the other.
_INNER_COLUMNS: Final = 0x7E7E7E7E7E7E7E7E
_LINES: Final = ((1, _INNER_COLUMNS), (7, _INNER_COLUMNS), (8, _ALL), (9, _INNER_COLUMNS))


@dataclass(frozen=True, slots=True)
class OthelloState:
    """A board and the side to move.

    Attributes:
        black: A bit for every black disc, bit ``8 * (row - 1) + column``, a1 being bit 0.
        white: The same for White; no square is in both.
        black_to_move: Whether Black is to move.
    """

    black: int
    white: int
    black_to_move: bool

    @classmethod
    def from_text(cls, text: str) -> Self:
        """Return the state that a text describes.

        Args:
            text: 64 characters for the squares a1, b1, .. h1, a2, .. h8, ``X`` for a black disc,
                ``O`` for a white one, ``-`` for an empty square; then a space and the side to move,
                ``X`` or ``O``. This is how collections of Othello problems are written.

        Raises:
            InvalidBoardError: If the text is anything else.
        """
        parts = text.split(" ")
        if len(parts) != 2 or len(parts[0]) != 64 or parts[1] not in (BLACK, WHITE):
            raise InvalidBoardError(
                "expected an Othello board of 64 characters, a space and the side to move, X or O, "
                f"got {text!r}, whose parts have the lengths {[len(part) for part in parts]}; "
                "write every square, row by row from a1 to h8"
            )
        squares = parts[0]
        for index, character in enumerate(squares):
            if character not in (BLACK, WHITE, EMPTY):
                raise InvalidBoardError(
                    f"expected X, O or - on every square of an Othello board, got {character!r} on "
                    f"{square_name(index)} (character {index + 1}) of {text!r}"
                )
        return cls(_bits(squares, BLACK), _bits(squares, WHITE), parts[1] == BLACK)

    def text(self) -> str:
        """Return the board and the side to move as `from_text` reads them."""
        squares = "".join(
            BLACK if self.black >> index & 1 else WHITE if self.white >> index & 1 else EMPTY
            for index in range(64)
        )
        return f"{squares} {BLACK if self.black_to_move else WHITE}"


class OthelloAutomaton(Automaton[OthelloState, int]):
    """Othello: states are boards with the side to move, actions are squares and `PASS`."""

    @property
    def initial(self) -> OthelloState:
        """The four discs that every game starts from, Black to move."""
        return OthelloState(black=1 << 28 | 1 << 35, white=1 << 27 | 1 << 36, black_to_move=True)

    def permitted(self, state: OthelloState) -> tuple[int, ...]:
        """Return the squares on which a disc may be placed, from a1 to h8.

        It is `PASS` alone where the side to move can place none and the other side can, and nothing
        where neither can.
        """
        own, other = _sides(state)
        places = _places(own, other)
        if not places:
            return (PASS,) if _places(other, own) else ()
        squares = []
        while places:
            lowest = places & -places
            squares.append(lowest.bit_length() - 1)
            places ^= lowest
        return tuple(squares)

    def successor(self, state: OthelloState, action: int) -> OthelloState:
        """Return the board after a disc is placed and what it encloses is turned, or after a pass."""
        if action == PASS:
            return OthelloState(state.black, state.white, not state.black_to_move)
        own, other = _sides(state)
        placed = 1 << action
        turned = _turned(placed, own, other)
        own |= placed | turned
        other ^= turned
        if state.black_to_move:
            return OthelloState(own, other, False)
        return OthelloState(other, own, True)


def square_name(action: int) -> str:
    """Return how players write an action: ``d3``, or ``pass``."""
    return "pass" if action == PASS else f"{'abcdefgh'[action % 8]}{action // 8 + 1}"


def _bits(squares: str, character: str) -> int:
    return sum(1 << index for index, sign in enumerate(squares) if sign == character)


def _sides(state: OthelloState) -> tuple[int, int]:
    if state.black_to_move:
        return state.black, state.white
    return state.white, state.black


def _places(own: int, other: int) -> int:
    # Every line of the other side's discs that starts beside a disc of ours is grown in steps of
    # 1, 1, 2 and 2 squares, six in all, the longest there can be; the square beyond it is a place.
    places = 0
    for step, mask in _LINES:
        through = other & mask
        double = 2 * step
        line = through & own << step
        line |= through & line << step
        pairs = through & through << step
        line |= pairs & line << double
        line |= pairs & line << double
        places |= line << step
        line = through & own >> step
        line |= through & line >> step
        pairs = through & through >> step
        line |= pairs & line >> double
        line |= pairs & line >> double
        places |= line >> step
    return places & (_ALL ^ (own | other))


def _turned(placed: int, own: int, other: int) -> int:
    turned = 0
    for ray in _RAYS[placed.bit_length() - 1]:
        line = 0
        for bit in ray:
            if not bit & other:
                turned |= line if bit & own else 0
                break
            line |= bit
    return turned


_OTHELLO: Final = OthelloAutomaton()
_START: Final = _OTHELLO.initial
_CENTRE: Final = _START.black | _START.white
_FIRST_PASS: Final = 12
"""Discs on the board when a side has to pass for the first time, at the earliest."""
_DIRECTIONS: Final = [(d, r) for d in (-1, 0, 1) for r in (-1, 0, 1) if (d, r) != (0, 0)]


def _rays(square: int) -> tuple[tuple[int, ...], ...]:
    """Return the squares seen from one, nearest first, in each direction, as bits."""
    row, column = divmod(square, 8)
    lines = (
        tuple(
            1 << 8 * (row + n * down) + column + n * right
            for n in range(1, 8)
            if 0 <= row + n * down < 8 and 0 <= column + n * right < 8
        )
        for down, right in _DIRECTIONS
    )
    return tuple(line for line in lines if line)


_RAYS: Final = tuple(map(_rays, range(64)))


def _walked(discs: int) -> int:
    """Return the discs that a king reaches from the lowest disc."""
    reached = discs & -discs
    while True:
        grown = reached
        for square in range(64):
            if reached >> square & 1:
                for ray in _RAYS[square]:
                    grown |= ray[0] & discs
        if grown == reached:
            return reached
        reached = grown


def _has_last_move(state: OthelloState) -> bool:
    to_move, other = _sides(state)
    if _placed_last(other, to_move):
        return True
    passing = OthelloState(state.black, state.white, not state.black_to_move)
    return _OTHELLO.permitted(passing) == (PASS,) and _placed_last(to_move, other)


def _placed_last(own: int, other: int) -> bool:
    """Return whether one of a side's discs can be the one placed last."""
    return any(
        own >> square & 1
        and not _CENTRE >> square & 1
        and any(len(ray) > 1 and ray[0] & own and ray[1] & own for ray in _RAYS[square])
        and not any(_left_unturned(ray, own, other) for ray in _RAYS[square])
        for square in range(64)
    )


def _left_unturned(ray: tuple[int, ...], own: int, other: int) -> bool:
    for place, bit in enumerate(ray):
        if not bit & other:
            return place > 0 and bool(bit & own)
    return False


_QUOTE: Final = 80
_FEWEST_ROWS: Final = 4
_PLAIN: Final = str.maketrans("xo._", "XO--")

_COLUMNS: Final = re.compile(
    r"[\s|]*a[\s|]*b[\s|]*c[\s|]*d[\s|]*e[\s|]*f[\s|]*g[\s|]*h[\s|]*", re.I
)
_BORDER: Final = re.compile(r"\s*\+[-+=]*\+\s*")
_ROW: Final = re.compile(r"[\s|]*([1-8]?)[\s:|)]*((?:[XOxo._-][\s|]*){8})([1-8]?)\s*")
_ONE_LINE: Final = re.compile(r"\s*((?:[XOxo._-][\s/|]*){64})(\S.*)?")
_SIDE_TEXT: Final = re.compile(
    r"(?:(?:the )?(?:(?:side|player|colou?r) )?(?:to (?:move|play)|next|turn)(?: is)?\s*[:=]?\s*)?"
    r"(black|white|x|o)(?:\s*\((black|white|x|o)\))?"
    r"(?:(?:'s)? (?:is )?(?:next )?(?:to (?:move|play)(?: next)?|moves|plays|turn))?\.?",
    re.IGNORECASE,
)
_BLACK: Final = ("black", "x")

_ALIKE: Final = frozenset("xo.-_0*bw#+хоχο×·•●○◯⚫⚪⬛⬜■□–—−―")
"""Signs with which boards are drawn, and those that look like them."""


def _squares(lines: list[str]) -> str:
    rows = [match for line in lines if (match := _ROW.fullmatch(line))]
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


def _side_of(line: str) -> str:
    named = _SIDE_TEXT.fullmatch(_bare(line))
    sides = {each.lower() in _BLACK for each in named.groups() if each} if named else set()
    if len(sides) != 1:
        raise InvalidBoardError(
            f"expected the side to move, such as 'X to move', got {_cut(line)} beside an Othello board"
        )
    return "X" if sides.pop() else "O"


def _bare(line: str) -> str:
    return line.replace("*", "").strip(" \t\r`_")


def _cut(text: str) -> str:
    return repr(text if len(text) <= _QUOTE else text[:_QUOTE] + "...")


_PLAIN_ACTIONS: Final = frozenset(map(square_name, (*range(64), PASS)))
_NAMES: Final = {BLACK: "black", WHITE: "white"}
_SQUARES: Final = {square_name(square): square for square in range(64)}
_SIDE: Final = "side to move"
_SQUARE: Final = f'<rect width="{CELL}" height="{CELL}" fill="#a9c4b4" stroke="{INK}"/>'
_DISC: Final = f'<circle cx="{CELL // 2}" cy="{CELL // 2}" r="15" stroke="{INK}" stroke-width="2"'
_SYMBOLS: Final = {
    EMPTY: _SQUARE,
    BLACK: f'{_SQUARE}{_DISC} fill="{INK}"/>',
    WHITE: f'{_SQUARE}{_DISC} fill="#ffffff"/>',
}


class OthelloEnvironment(Environment[OthelloState, int]):
    """Othello from its first position: states are boards, actions are squares and ``pass``."""

    title: ClassVar[str] = "Othello"
    summary: ClassVar[str] = "boards as eight rows, squares such as d3"
    state_noun: ClassVar[str] = "board"
    action_noun: ClassVar[str] = "move"
    episode_noun: ClassVar[str] = "game"
    separator: ClassVar[str] = " "
    sides: ClassVar[int] = 2
    automaton = _OTHELLO

    rules = (
        "A game of Othello (Reversi) on a board of eight by eight squares. Columns are named a to h "
        "from left to right, rows 1 to 8 from top to bottom, so that a1 is the top left square. "
        "In the rows of a board, X is a black disc, O a white disc and - an empty square. "
        "Black (X) moves first, then the sides alternate. A side moves by placing a disc of its "
        "colour on an empty square, from which, in at least one straight line (along a row, a column "
        "or a diagonal), one or more discs of the other colour follow without a gap and then a disc "
        "of its own; all discs so enclosed, in every such line, are turned to its colour. A side "
        "that can place no disc passes, if the other side can place one; else it may not pass. When "
        "neither side can place a disc, the game is over."
    )
    state_format = (
        "Write the board as eight lines, row 1 first, each with the eight squares from column a to "
        "column h separated by spaces. Then write a line with the side to move: 'X to move' or 'O "
        "to move'."
    )
    action_format = (
        "Write a move as the column and the row of the square on which the disc is placed, such as "
        "d3, or as 'pass'."
    )

    def state_text(self, state: OthelloState) -> str:
        """Return the board as eight rows, and the side to move."""
        squares, side = state.text().split()
        rows = [" ".join(squares[start : start + 8]) for start in range(0, 64, 8)]
        return "\n".join([*rows, f"{side} to move"])

    def read_state(self, text: str) -> OthelloState:
        """Return the board and the side to move that a text describes."""
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
        return OthelloState.from_text(f"{squares.translate(_PLAIN)} {_side_of(sides[0])}")

    def is_state_line(self, line: str) -> bool:
        """Return whether a line is a row, the side to move, a border, or names the columns."""
        if len(line) > _QUOTE:
            return False
        forms = (_ROW, _COLUMNS, _BORDER)
        return any(each.fullmatch(line) for each in forms) or bool(
            _SIDE_TEXT.fullmatch(_bare(line))
        )

    @property
    def state_labels(self) -> tuple[str, ...]:
        """The numbers of the rows, and the side to move."""
        return (*"12345678", _SIDE)

    def labelled_text(self, values: Mapping[str, str]) -> str:
        """Return the rows from the first to the last, and the side to move."""
        return "\n".join(
            f"{values[label]}{' to move' if label == _SIDE else ''}"
            for label in self.state_labels
            if label in values
        )

    def looks_like_state(self, text: str) -> bool:
        """Return whether a text shows at least half a board."""
        alike = 0
        for line in unicodedata.normalize("NFKC", text).lower().split("\n"):
            signs = [sign for sign in line if not sign.isspace() and sign not in "|/12345678"]
            if set(signs) <= _ALIKE:
                alike += len(signs) if len(signs) > 32 else 8 * (5 <= len(signs) <= 12)
        return alike >= 8 * _FEWEST_ROWS

    def action_text(self, action: int) -> str:
        """Return the name of a square, such as ``d3``, or ``pass``."""
        return square_name(action)

    def plain_action(self, text: str) -> str | None:
        """Return the name of a square in lower case, or ``pass``; else None."""
        plain = text.strip().rstrip(".").lower()
        return plain if plain in _PLAIN_ACTIONS else None

    def conditions(self, state: OthelloState) -> tuple[str, ...]:
        """Return the names of the conditions that a board does not meet."""
        discs = state.black | state.white
        count = discs.bit_count()
        broken = {
            "centre_square_empty": discs & _CENTRE != _CENTRE,
            "discs_apart": _walked(discs) != discs,
            "other_start": count == 4 and discs == _CENTRE and state != _START,
            "wrong_side": 4 < count < _FIRST_PASS and state.black_to_move != (count % 2 == 0),
            "no_last_move": count > 4 and not _has_last_move(state),
        }
        return tuple(name for name, holds in broken.items() if holds)

    def elements(self, state: OthelloState) -> Mapping[str, str]:
        """Return the colours of the discs by square, and the side to move."""
        squares, side = state.text().split()
        discs = {
            square_name(square): _NAMES[disc]
            for square, disc in enumerate(squares)
            if disc != EMPTY
        }
        return {**discs, _SIDE: _NAMES[side]}

    def mended(self, state: OthelloState, true: OthelloState, name: str) -> OthelloState:
        """Return a board with one square, or the side to move, as on the true one."""
        if name == _SIDE:
            return replace(state, black_to_move=true.black_to_move)
        bit = 1 << _SQUARES[name]
        return replace(
            state,
            black=state.black & ~bit | true.black & bit,
            white=state.white & ~bit | true.white & bit,
        )

    def symmetries(
        self, initial: OthelloState, generator: np.random.Generator
    ) -> tuple[Symmetry, ...]:
        """Return the half turn and the reflections in both diagonals, which keep the first board.

        By the other symmetries of the square Black would begin with the discs of White.
        """
        return _SYMMETRIES

    def slip(self, state: OthelloState, generator: np.random.Generator) -> OthelloState:
        """Leave a disc unturned, or write one on an empty square beside its own, equally often.

        The unturned disc is one that the last move may have turned: it stands between two others of
        the side that is not to move. Where there is none, any disc changes its colour.
        """
        discs = [square for square in range(64) if (state.black | state.white) >> square & 1]
        moves = [(disc, to) for disc in discs for to in _beside(disc) if to not in discs]
        if moves and generator.integers(2):
            disc, to = moves[int(generator.integers(len(moves)))]
            change = 1 << disc | 1 << to
            if state.black >> disc & 1:
                return OthelloState(state.black ^ change, state.white, state.black_to_move)
            return OthelloState(state.black, state.white ^ change, state.black_to_move)
        if not discs:
            return state
        moved = state.white if state.black_to_move else state.black
        turned = [square for square in discs if _enclosed(square, moved)] or discs
        change = 1 << turned[int(generator.integers(len(turned)))]
        return OthelloState(state.black ^ change, state.white ^ change, state.black_to_move)

    def places(self, state: OthelloState) -> list[Place]:
        """Return the squares, of which discs are movable, and the side to move."""
        discs = state.black | state.white
        squares = [
            square_place(name, *divmod(square, 8), movable=bool(discs >> square & 1))
            for name, square in _SQUARES.items()
        ]
        return [*squares, Place(_SIDE, 0, 8 * CELL, 8 * CELL, 18, False)]

    def edited(self, state: OthelloState, source: str, target: str) -> OthelloState | None:
        """Return a board with a disc on another empty square, or with the next of what is there.

        An empty square gets a black disc, a black disc becomes white, and a white one goes.
        """
        if source == target == _SIDE:
            return replace(state, black_to_move=not state.black_to_move)
        if _SIDE in (source, target):
            return None
        here, there = 1 << _SQUARES[source], 1 << _SQUARES[target]
        if source == target:
            empty = here & ~(state.black | state.white)
            black, white = state.black & ~here | empty, state.white & ~here | state.black & here
            return replace(state, black=black, white=white)
        discs = state.black | state.white
        if there & discs or not here & discs:
            return None
        change = here | there
        if state.black & here:
            return replace(state, black=state.black ^ change)
        return replace(state, white=state.white ^ change)

    def action_points(self, state: OthelloState, action: int) -> Points:
        """Return the middle of the square of a move; a pass has none."""
        return [square_centre(*divmod(action, 8))] if square_name(action) in _SQUARES else []

    def picture(self, state: OthelloState, marked: frozenset[str] = frozenset()) -> str:
        """Return the board as SVG, black and white discs on grey-green squares."""
        squares, side = state.text().split()
        to_move = _NAMES[side].capitalize()
        return square_picture(
            "Othello",
            f"{to_move} to move" + (" (marked)" if _SIDE in marked else ""),
            [squares[start : start + 8] for start in range(0, 64, 8)],
            [divmod(square, 8) for square in range(64) if square_name(square) in marked],
            ("12345678", "abcdefgh"),
            _SYMBOLS,
        )


def _symmetry(name: str, image: tuple[int, ...]) -> Symmetry:
    """Return a symmetry that is its own inverse, from the image of each square."""

    def bits(squares: int) -> int:
        return sum(1 << image[square] for square in range(64) if squares >> square & 1)

    def state(one: OthelloState) -> OthelloState:
        return replace(one, black=bits(one.black), white=bits(one.white))

    def action(text: str) -> str:
        return square_name(image[_SQUARES[text]]) if text in _SQUARES else text

    return Symmetry(name, False, state, state, action)


_SYMMETRIES: Final = (
    _symmetry("a half turn", tuple(63 - square for square in range(64))),
    _symmetry("reflected in a1-h8", tuple(8 * (n % 8) + n // 8 for n in range(64))),
    _symmetry("reflected in a8-h1", tuple(63 - 8 * (n % 8) - n // 8 for n in range(64))),
)


def _beside(square: int) -> list[int]:
    return [ray[0].bit_length() - 1 for ray in _RAYS[square]]


def _enclosed(square: int, own: int) -> bool:
    """Return whether a disc of ``own`` stands between two others of it, side by side."""
    beside = set(_beside(square))
    return bool(own >> square & 1) and any(
        2 * square - one in beside and own >> one & 1 and own >> (2 * square - one) & 1
        for one in beside
    )


environment = OthelloEnvironment
