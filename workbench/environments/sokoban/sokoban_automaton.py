"""Sokoban, a puzzle used in planning research: a player pushes boxes onto goals in a walled room.

The room is fixed; a state is where the player and the boxes are. An action is a step up, down, left
or right. It walks onto a free cell, or pushes one box onto a free cell beyond; an action that would
do nothing, against a wall or a box that cannot move, is not permitted. When every goal holds a box
the puzzle is finished and permits nothing.

Maps are written in the usual characters: ``#`` wall, ``@`` player, ``+`` player on a goal, ``$``
box, ``*`` box on a goal, ``.`` goal, and a space for free floor. What lies outside the map is wall.

A map that shows other walls or goals than the room has, or no player, is a state as well, though no
run arrives there: what it permits follows from what it shows.
"""

from dataclasses import dataclass
from functools import lru_cache
from itertools import zip_longest
from typing import Final

from workbench.automaton import Automaton
from workbench.errors import InvalidBoardError

Cell = tuple[int, int]
"""Row and column, counted from the top left corner of the map, from 0."""

STEPS: Final = {"U": (-1, 0), "D": (1, 0), "L": (0, -1), "R": (0, 1)}
"""The actions, and the row and column that each adds."""

_CHARACTERS: Final = "#@+$*. "
_SHOWN: Final = 200
_ROOMS_KEPT: Final = 256


@dataclass(frozen=True, slots=True)
class SokobanRoom:
    """The walls and goals of a map.

    Attributes:
        floor: The cells that are not wall.
        goals: The cells that are to hold a box.
    """

    floor: frozenset[Cell]
    goals: frozenset[Cell]


@dataclass(frozen=True, slots=True)
class SokobanState:
    """Where the player and the boxes are.

    Attributes:
        player: The player's cell; None on a map that shows no player, where nothing is permitted.
        boxes: The cells of the boxes, which are all alike.
        other_room: The walls and goals of a map that shows others than the automaton's room has;
            None in that room.
    """

    player: Cell | None
    boxes: frozenset[Cell]
    other_room: SokobanRoom | None = None


class SokobanAutomaton(Automaton[SokobanState, str]):
    """Sokoban in one room: actions are ``U``, ``D``, ``L`` and ``R``.

    Args:
        text: A map with one player, and a box for every goal, of which there is at least one.

    Raises:
        InvalidBoardError: If the map is anything else.
    """

    def __init__(self, text: str) -> None:
        rows = _rows(text)
        self._room = _room(rows)
        self._rows = rows
        self._size = len(rows), max(map(len, rows))
        self._initial = SokobanState(_player(rows, text), _cells(rows, "$*"))
        if self._initial.player is None:
            raise InvalidBoardError(
                f"expected one player, @ or +, in a Sokoban map, got none in {_cut(text)}"
            )
        if not self.goals or len(self.goals) != len(self._initial.boxes):
            raise InvalidBoardError(
                "expected a Sokoban map with at least one goal and a box for each, got "
                f"{len(self.goals)} goals and {len(self._initial.boxes)} boxes in {_cut(text)}"
            )
        self._beside = beside(self._room)

    @property
    def initial(self) -> SokobanState:
        """Where the map that was given has its player and boxes."""
        return self._initial

    @property
    def floor(self) -> frozenset[Cell]:
        """The cells that are not wall."""
        return self._room.floor

    @property
    def goals(self) -> frozenset[Cell]:
        """The cells that are to hold a box."""
        return self._room.goals

    def room(self, state: SokobanState) -> SokobanRoom:
        """Return the walls and goals of a state: those of the room, unless its map shows others."""
        return state.other_room or self._room

    def permitted(self, state: SokobanState) -> tuple[str, ...]:
        """Return the steps that move the player, in the order up, down, left, right."""
        boxes, other = state.boxes, state.other_room
        goals, around = (
            (self._room.goals, self._beside)
            if other is None
            else (other.goals, _beside_in_other(other))
        )
        if state.player is None or goals <= boxes:
            return ()
        return tuple(
            action
            for action, cell in around[state.player].items()
            if cell not in boxes
            or ((beyond := around[cell].get(action)) is not None and beyond not in boxes)
        )

    def successor(self, state: SokobanState, action: str) -> SokobanState:
        """Return the state after the player has walked or pushed."""
        other = state.other_room
        around = self._beside if other is None else _beside_in_other(other)
        assert state.player is not None, "without a player no action is permitted"
        cell = around[state.player][action]
        if cell not in state.boxes:
            return SokobanState(cell, state.boxes, other)
        return SokobanState(cell, state.boxes - {cell} | {around[cell][action]}, other)

    def state(self, text: str) -> SokobanState:
        """Return the state that a map describes.

        Args:
            text: A map with at most one player and any number of boxes. It may be indented as a
                whole; spaces at the ends of its rows do not matter.

        Raises:
            InvalidBoardError: If it is no map, or shows several players.
        """
        rows = _rows(text)
        surplus = max(0, _indent(rows) - _indent(self._rows))
        rows = [
            _ended(row[surplus:].rstrip(" "), own)
            for row, own in zip_longest(rows, self._rows[: len(rows)], fillvalue="")
        ]
        room = _room(rows)
        where = _player(rows, text), _cells(rows, "$*")
        return SokobanState(*where) if room == self._room else SokobanState(*where, room)

    def text(self, state: SokobanState) -> str:
        """Return the map of a state, as `state` reads it, without a newline at the end."""
        room = self.room(state)
        height, width = self._size
        if state.other_room:
            height = max(height, *(row + 1 for row, _ in room.floor), 1)
            # A wall ends each row: spaces at the end of one would not count.
            width = max(width, *(column + 2 for _, column in room.floor), 1)
        return "\n".join(
            "".join(_character((row, column), state, room) for column in range(width))
            for row in range(height)
        )


def beside(room: SokobanRoom) -> dict[Cell, dict[str, Cell]]:
    """Return, for each cell of a room's floor, the cells of the floor that the actions lead to."""
    return {
        cell: {
            action: (cell[0] + down, cell[1] + right)
            for action, (down, right) in STEPS.items()
            if (cell[0] + down, cell[1] + right) in room.floor
        }
        for cell in room.floor
    }


_beside_in_other = lru_cache(_ROOMS_KEPT)(beside)


def _character(cell: Cell, state: SokobanState, room: SokobanRoom) -> str:
    if cell not in room.floor:
        return "#"
    on_goal = cell in room.goals
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
                    f"{character!r} at row {number}, column {column} of {_cut(text)}"
                )
    return rows


def _indent(rows: list[str]) -> int:
    return min((len(row) - len(row.lstrip(" ")) for row in rows if row.strip(" ")), default=0)


def _ended(row: str, own: str) -> str:
    """Return a row that lacks spaces at its end with those that the room has there."""
    rest = own[len(row) :]
    return row if rest.strip(" ") else row + rest


def _room(rows: list[str]) -> SokobanRoom:
    return SokobanRoom(_cells(rows, "@+$*. "), _cells(rows, ".+*"))


def _cells(rows: list[str], characters: str) -> frozenset[Cell]:
    return frozenset(
        (row, column)
        for row, line in enumerate(rows)
        for column, found in enumerate(line)
        if found in characters
    )


def _player(rows: list[str], text: str) -> Cell | None:
    players = sorted(_cells(rows, "@+"))
    if len(players) > 1:
        raise InvalidBoardError(
            f"expected one player, @ or +, in a Sokoban map, got {len(players)} at {players[:9]} in "
            f"{_cut(text)}"
        )
    return players[0] if players else None


def _cut(text: str) -> str:
    return repr(text if len(text) <= _SHOWN else text[:_SHOWN] + "...")
