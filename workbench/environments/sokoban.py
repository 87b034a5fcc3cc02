"""Sokoban, a puzzle used in planning research: a player pushes boxes onto goals in a walled room.

The room is fixed; a state is where the player and the boxes are. An action is a step up, down, left
or right. It walks onto a free cell, or pushes one box onto a free cell beyond; an action that would
do nothing, against a wall or a box that cannot move, is not permitted. When every goal holds a box
the puzzle is finished and permits nothing.

Maps are written in the usual characters: ``#`` wall, ``@`` player, ``+`` player on a goal, ``$``
box, ``*`` box on a goal, ``.`` goal, and a space for free floor. What lies outside the map is wall.
"""

from dataclasses import dataclass
from typing import Final

from workbench.automaton import Automaton
from workbench.errors import InvalidBoardError

Cell = tuple[int, int]
"""Row and column, counted from the top left corner of the map, from 0."""

STEPS: Final = {"U": (-1, 0), "D": (1, 0), "L": (0, -1), "R": (0, 1)}
"""The actions, and the row and column that each adds."""

_CHARACTERS: Final = "#@+$*. "


@dataclass(frozen=True, slots=True)
class SokobanState:
    """Where the player and the boxes are.

    Attributes:
        player: The player's cell.
        boxes: The cells of the boxes, which are all alike.
    """

    player: Cell
    boxes: frozenset[Cell]


class SokobanAutomaton(Automaton[SokobanState, str]):
    """Sokoban in one room: actions are ``U``, ``D``, ``L`` and ``R``.

    Args:
        text: A map with one player, and a box for every goal, of which there is at least one.

    Raises:
        InvalidBoardError: If the map is anything else.
    """

    def __init__(self, text: str) -> None:
        rows = _rows(text)
        self._goals = _cells(rows, ".+*")
        self._floor = _cells(rows, "@+$*. ")
        self._size = len(rows), max(map(len, rows))
        self._initial = SokobanState(_player(rows, text), _cells(rows, "$*"))
        if not self._goals or len(self._goals) != len(self._initial.boxes):
            raise InvalidBoardError(
                "expected a Sokoban map with at least one goal and a box for each, got "
                f"{len(self._goals)} goals and {len(self._initial.boxes)} boxes in {text!r}"
            )
        self._beside = {
            cell: {
                action: (cell[0] + down, cell[1] + right)
                for action, (down, right) in STEPS.items()
                if (cell[0] + down, cell[1] + right) in self._floor
            }
            for cell in self._floor
        }

    @property
    def initial(self) -> SokobanState:
        """Where the map that was given has its player and boxes."""
        return self._initial

    @property
    def floor(self) -> frozenset[Cell]:
        """The cells that are not wall."""
        return self._floor

    @property
    def goals(self) -> frozenset[Cell]:
        """The cells that are to hold a box."""
        return self._goals

    def permitted(self, state: SokobanState) -> tuple[str, ...]:
        """Return the steps that move the player, in the order up, down, left, right."""
        if self._goals <= state.boxes:
            return ()
        boxes = state.boxes
        return tuple(
            action
            for action, cell in self._beside[state.player].items()
            if cell not in boxes
            or ((beyond := self._beside[cell].get(action)) is not None and beyond not in boxes)
        )

    def successor(self, state: SokobanState, action: str) -> SokobanState:
        """Return the state after the player has walked or pushed."""
        cell = self._beside[state.player][action]
        if cell not in state.boxes:
            return SokobanState(cell, state.boxes)
        return SokobanState(cell, state.boxes - {cell} | {self._beside[cell][action]})

    def state(self, text: str) -> SokobanState:
        """Return the state that a map of this room describes.

        Args:
            text: A map with the walls and goals of this room, one player, and any number of boxes.

        Raises:
            InvalidBoardError: If it is no map, or of another room.
        """
        rows = _rows(text)
        for what, here, there in (
            ("goals", self._goals, _cells(rows, ".+*")),
            ("floor", self._floor, _cells(rows, "@+$*. ")),
        ):
            if here != there:
                raise InvalidBoardError(
                    f"expected the {what} of this Sokoban room, got a map that differs at (row, "
                    f"column) {sorted(here ^ there)}: {text!r}; only player and boxes may differ"
                )
        return SokobanState(_player(rows, text), _cells(rows, "$*"))

    def text(self, state: SokobanState) -> str:
        """Return the map of a state, as `state` reads it, without a newline at the end."""
        height, width = self._size
        return "\n".join(
            "".join(self._character((row, column), state) for column in range(width))
            for row in range(height)
        )

    def _character(self, cell: Cell, state: SokobanState) -> str:
        if cell not in self._floor:
            return "#"
        on_goal = cell in self._goals
        if cell == state.player:
            return "+" if on_goal else "@"
        if cell in state.boxes:
            return "*" if on_goal else "$"
        return "." if on_goal else " "


def _rows(text: str) -> list[str]:
    rows = text.strip("\n").split("\n")
    for number, row in enumerate(rows):
        for column, character in enumerate(row):
            if character not in _CHARACTERS:
                raise InvalidBoardError(
                    f"expected only the characters {_CHARACTERS!r} in a Sokoban map, got "
                    f"{character!r} at row {number}, column {column} of {text!r}"
                )
    return rows


def _cells(rows: list[str], characters: str) -> frozenset[Cell]:
    return frozenset(
        (row, column)
        for row, line in enumerate(rows)
        for column, found in enumerate(line)
        if found in characters
    )


def _player(rows: list[str], text: str) -> Cell:
    players = sorted(_cells(rows, "@+"))
    if len(players) != 1:
        raise InvalidBoardError(
            f"expected one player, @ or +, in a Sokoban map, got {len(players)} at {players} in "
            f"{text!r}"
        )
    return players[0]
