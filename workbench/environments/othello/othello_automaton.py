"""Othello (Reversi): the complete rules, with passing, on bitboards of plain integers.

A disc is placed so that it encloses discs of the other colour in a straight line; these are turned
over. A side that can enclose nothing passes if the other side can; when neither can, the game is
finished. An action is the index of a square, or `PASS`. Squares are named as players name them: a1
is the top left corner, columns run from a to h, rows from 1 down to 8; the index is
``8 * (row - 1) + column``.

Source: the rules of the World Othello Federation; Black moves first, from e4 d5 black, d4 e5 white.
"""

from dataclasses import dataclass
from typing import Final, Self

from workbench.automaton import Automaton
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
    return sum(1 << index for index, found in enumerate(squares) if found == character)


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
    for step, mask in _LINES:
        through = other & mask
        line = 0
        reached = placed << step
        while reached & through:
            line |= reached
            reached <<= step
        if line and reached & own:
            turned |= line
        line = 0
        reached = placed >> step
        while reached & through:
            line |= reached
            reached >>= step
        if line and reached & own:
            turned |= line
    return turned
