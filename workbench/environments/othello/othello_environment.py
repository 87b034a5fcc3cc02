"""Othello as an environment of the pipeline: games of random play, boards as eight rows."""

from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property
from typing import ClassVar, Final

import numpy as np

from workbench.environment import Environment, refuse_argument
from workbench.environments.othello.othello_automaton import (
    BLACK,
    EMPTY,
    PASS,
    WHITE,
    OthelloAutomaton,
    OthelloState,
    square_name,
)
from workbench.environments.othello.othello_reachability import conditions_not_met
from workbench.environments.othello.othello_texts import (
    board_text,
    is_board_line,
    looks_like_board,
    read_board,
)
from workbench.environments.square_picture import CELL, INK, square_picture

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

    @cached_property
    def automaton(self) -> OthelloAutomaton:
        """The automaton of Othello."""
        return OthelloAutomaton()

    def state_text(self, state: OthelloState) -> str:
        """Return the board as eight rows, and the side to move."""
        return board_text(state)

    def read_state(self, text: str) -> OthelloState:
        """Return the board of `workbench.environments.othello.othello_texts.read_board`."""
        return read_board(text)

    def is_state_line(self, line: str) -> bool:
        """Return whether a line is a row, the side to move, a border, or names the columns."""
        return is_board_line(line)

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
        return looks_like_board(text)

    def action_text(self, action: int) -> str:
        """Return the name of a square, such as ``d3``, or ``pass``."""
        return square_name(action)

    def plain_action(self, text: str) -> str | None:
        """Return the name of a square in lower case, or ``pass``; else None."""
        plain = text.strip().rstrip(".").lower()
        return plain if plain in _PLAIN_ACTIONS else None

    def conditions(self, state: OthelloState) -> tuple[str, ...]:
        """Return the names of the conditions that a board does not meet.

        They are those of `workbench.environments.othello.othello_reachability`.
        """
        return conditions_not_met(state)

    def elements(self, state: OthelloState) -> Mapping[str, str]:
        """Return the colours of the discs by square, and the side to move."""
        squares, side = state.text().split()
        discs = {
            square_name(square): _NAMES[found]
            for square, found in enumerate(squares)
            if found != EMPTY
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


def _beside(square: int) -> list[int]:
    row, column = divmod(square, 8)
    return [
        8 * (row + down) + column + right
        for down in (-1, 0, 1)
        for right in (-1, 0, 1)
        if (down, right) != (0, 0) and 0 <= row + down < 8 and 0 <= column + right < 8
    ]


def _enclosed(square: int, own: int) -> bool:
    """Return whether a disc of ``own`` stands between two others of it, side by side."""
    beside = set(_beside(square))
    return bool(own >> square & 1) and any(
        2 * square - one in beside and own >> one & 1 and own >> (2 * square - one) & 1
        for one in beside
    )


def environment(name: str, argument: str) -> OthelloEnvironment:
    """Return Othello.

    Args:
        name: As it was asked for.
        argument: Must be empty.

    Raises:
        InvalidArgumentError: If there is an argument.
    """
    refuse_argument(name, argument)
    return OthelloEnvironment(name)
