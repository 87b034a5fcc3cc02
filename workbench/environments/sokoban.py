"""Sokoban: rules in any room, bundled rooms, reachability conditions, maps as text and as pictures."""

import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from itertools import zip_longest
from pathlib import Path
from typing import ClassVar, Final

import numpy as np

from workbench.automaton import Automaton
from workbench.environment import Environment, Place, Points
from workbench.environments.square_picture import (
    CELL,
    INK,
    square_centre,
    square_picture,
    square_place,
)
from workbench.errors import InvalidArgumentError, InvalidBoardError

DEFAULT_ROOM: Final = "three_boxes"

ROOMS: Final = {
    "one_box": """
######
#    #
# $  #
# @ .#
######
""",
    "three_boxes": """
#######
#  .  #
# $ $ #
#. @ .#
#  $  #
#     #
#######
""",
    "corridors": """
#########
#. ##  .#
#  ##   #
# $   $ #
#   @   #
# ## ####
#   $  .#
#########
""",
    "store": """
##########
#   ##   #
# $  $   #
#  #  ## #
## # @  .#
#  $   ..#
#   ######
##########
""",
}
"""Maps by name, in the characters of `workbench.environments.sokoban`."""


Cell = tuple[int, int]
"""Row and column, counted from the top left corner of the map, from 0."""

STEPS: Final = {"U": (-1, 0), "D": (1, 0), "L": (0, -1), "R": (0, 1)}
"""The actions, and the row and column that each adds."""

_CHARACTERS: Final = "#@+$*. "
_MAP_QUOTE: Final = 200
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

    Attributes:
        floor: The cells that are not wall.
        goals: The cells that are to hold a box.

    Raises:
        InvalidBoardError: If the map is anything else.
    """

    def __init__(self, text: str) -> None:
        rows = _rows(text)
        self._room = _room(rows)
        self.floor, self.goals = self._room.floor, self._room.goals
        self._rows = rows
        self._size = len(rows), max(map(len, rows))
        self._initial = SokobanState(_player(rows, text), _cells_with(rows, "$*"))
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

    def room(self, state: SokobanState) -> SokobanRoom:
        """Return the walls and goals of a state: those of the room, unless its map shows others."""
        return state.other_room or self._room

    def permitted(self, state: SokobanState) -> tuple[str, ...]:
        """Return the steps that move the player, in the order up, down, left, right."""
        boxes, around = state.boxes, self._neighbours(state)
        if state.player is None or self.room(state).goals <= boxes:
            return ()
        return tuple(
            action
            for action, cell in around[state.player].items()
            if cell not in boxes
            or ((beyond := around[cell].get(action)) is not None and beyond not in boxes)
        )

    def successor(self, state: SokobanState, action: str) -> SokobanState:
        """Return the state after the player has walked or pushed."""
        around = self._neighbours(state)
        assert state.player is not None, "without a player no action is permitted"
        cell = around[state.player][action]
        if cell not in state.boxes:
            return SokobanState(cell, state.boxes, state.other_room)
        return SokobanState(cell, state.boxes - {cell} | {around[cell][action]}, state.other_room)

    def _neighbours(self, state: SokobanState) -> dict[Cell, dict[str, Cell]]:
        return _beside_in_other(state.other_room) if state.other_room else self._beside

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
        where = _player(rows, text), _cells_with(rows, "$*")
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
    return SokobanRoom(_cells_with(rows, "@+$*. "), _cells_with(rows, ".+*"))


def _cells_with(rows: list[str], characters: str) -> frozenset[Cell]:
    return frozenset(
        (row, column)
        for row, line in enumerate(rows)
        for column, sign in enumerate(line)
        if sign in characters
    )


def _player(rows: list[str], text: str) -> Cell | None:
    players = sorted(_cells_with(rows, "@+"))
    if len(players) > 1:
        raise InvalidBoardError(
            f"expected one player, @ or +, in a Sokoban map, got {len(players)} at {players[:9]} in "
            f"{_cut(text)}"
        )
    return players[0] if players else None


def _cut(text: str) -> str:
    return repr(text if len(text) <= _MAP_QUOTE else text[:_MAP_QUOTE] + "...")


_QUOTE: Final = 80
_LARGEST_FILE: Final = 10_000
_FLOOR_SIGNS: Final = str.maketrans("-_", "  ")
_MAP_SIGNS: Final = frozenset("#@+$*. -_")
_ALIKE: Final = _MAP_SIGNS | frozenset("█▓▒░■□●○◯⬛⬜•·▢◼◻%&xo0|")
_WALLS_ALIKE: Final = frozenset("#█▓■⬛◼%")
_WORDS: Final = {"U": "up", "D": "down", "L": "left", "R": "right"}
_NAMED: Final = {name: action for action, word in _WORDS.items() for name in (action.lower(), word)}

_FLOOR: Final = f'<rect width="{CELL}" height="{CELL}" fill="#f6f3ea" stroke="#d5d0c2"/>'
_GOAL: Final = (
    f'{_FLOOR}<circle cx="20" cy="20" r="16" fill="none" stroke="{INK}" stroke-dasharray="2 3"/>'
)
_BOX: Final = (
    f'<rect x="8" y="8" width="24" height="24" fill="#d9a441" stroke="{INK}" stroke-width="2"/>'
    f'<path d="M8 8 L32 32 M32 8 L8 32" stroke="{INK}"/>'
)
_PLAYER: Final = (
    f'<circle cx="20" cy="13" r="6" fill="{INK}"/><path d="M10 34 Q20 12 30 34 Z" fill="{INK}"/>'
)
_SYMBOLS: Final = {
    "#": f'<rect width="{CELL}" height="{CELL}" fill="#5b6066" stroke="#3c4045"/>',
    " ": _FLOOR,
    ".": _GOAL,
    "$": _FLOOR + _BOX,
    "*": _GOAL + _BOX,
    "@": _FLOOR + _PLAYER,
    "+": _GOAL + _PLAYER,
}


class SokobanEnvironment(Environment[SokobanState, str]):
    """Sokoban in one room, from its map: states are maps, actions are steps.

    A map with other walls or goals than the room's can be read and permits what it shows; it is
    ill-formed, as the room never changes. A map with more or fewer rows cannot be read, as it does not
    tell which rows it means.
    """

    title: ClassVar[str] = "Sokoban"
    summary: ClassVar[str] = "maps of one room, steps U, D, L and R"
    argument: ClassVar[str] = f"ROOM, one of {', '.join(ROOMS)}, or a file with a map"
    automaton: SokobanAutomaton
    state_noun: ClassVar[str] = "map"
    separator: ClassVar[str] = " "

    state_format = (
        "Write the map of the room row by row, each row on a line of its own, with the same signs. "
        "Walls and goals never change."
    )
    action_format = "Write an action as one letter: U (up), D (down), L (left) or R (right)."

    def __init__(self, name: str, text: str) -> None:
        super().__init__(name)
        self.automaton = SokobanAutomaton(text)
        self.rules = (
            "A room of Sokoban: a player on a grid of cells pushes boxes. A map shows the room with "
            "these signs: # wall, @ player, + player on a goal, $ box, * box on a goal, . goal, and "
            "a space for free floor. An action is a step up (U), down (D), left (L) or right (R) "
            "onto the next cell, which must not be a wall. If a box stands there "
            "it is pushed one cell further in the same direction, which is permitted only if that "
            "cell is neither a wall nor holds another box; boxes are never pulled. A step that would "
            "move nothing is not permitted. When each of the "
            f"{len(self.automaton.goals)} goals holds a box the room is solved and nothing is "
            "permitted any more."
        )

    def state_text(self, state: SokobanState) -> str:
        """Return the map of a state."""
        return self.automaton.text(state)

    def read_state(self, text: str) -> SokobanState:
        """Return the state that a map shows; ``-`` and ``_`` may be written for floor."""
        rows = text.replace("\r", "").translate(_FLOOR_SIGNS).strip("\n")
        height, newlines = self._own_map.count("\n"), rows.count("\n")
        if newlines != height or not set("#@+") & set(rows):
            raise InvalidBoardError(
                f"expected a Sokoban map of {height + 1} rows with walls and a player, got "
                f"{newlines + 1} rows in {rows[:_QUOTE]!r}"
            )
        return self.automaton.state(rows)

    def is_state_line(self, line: str) -> bool:
        """Return whether a line is a row of a map."""
        return bool(set("#@$") & set(line)) and set(line.rstrip("\r")) <= _MAP_SIGNS

    @property
    def state_labels(self) -> tuple[str, ...]:
        """The numbers of the rows."""
        return tuple(map(str, range(1, self._own_map.count("\n") + 2)))

    def labelled_text(self, values: Mapping[str, str]) -> str:
        """Return the rows from the first to the last."""
        return "\n".join(values[label] for label in self.state_labels if label in values)

    def looks_like_state(self, text: str) -> bool:
        """Return whether a text shows rows with walls, in signs like those of maps."""
        lines = unicodedata.normalize("NFKC", text).lower().split("\n")
        signs = [set(line) - {"\r"} for line in lines if len(line.strip()) > 2]
        return sum(row <= _ALIKE and bool(row & _WALLS_ALIKE) for row in signs) > 1

    def action_text(self, action: str) -> str:
        """Return a step as its letter."""
        return action

    def plain_action(self, text: str) -> str | None:
        """Return the letter of a step that is named by its letter or word; else None."""
        return _NAMED.get(text.strip().rstrip(".").lower())

    def conditions(self, state: SokobanState) -> tuple[str, ...]:
        """Return the names of the conditions that a state does not meet.

        - ``walls_changed``, ``goals_changed``: no action changes the room.
        - ``player_missing``: there always is a player.
        - ``boxes_lost``, ``boxes_added``: a push moves a box and leaves their number as it is.
        - ``player_out_of_reach``: steps lead from a cell to one beside it, so that the player stands
          where a way over the floor leads to, the boxes being left out.
        - ``box_out_of_reach``: a box is pushed along a line, from the cell behind it, so that it
          stands where pushes of a single box can bring one of the boxes, all others being left out.

        Where the walls are others, only the first five are checked.
        """
        start, room, own = self.automaton.initial, self.automaton.room(state), self.automaton
        same_walls = room.floor == own.floor
        broken = {
            "walls_changed": not same_walls,
            "goals_changed": room.goals & own.floor != own.goals & room.floor,
            "player_missing": state.player is None,
            "boxes_lost": len(state.boxes) < len(start.boxes),
            "boxes_added": len(state.boxes) > len(start.boxes),
            "player_out_of_reach": same_walls and state.player not in {None, *self._walked},
            "box_out_of_reach": same_walls and not state.boxes <= self._pushed,
        }
        return tuple(name for name, holds in broken.items() if holds)

    @cached_property
    def _walked(self) -> frozenset[Cell]:
        around = beside(self.automaton.room(self.automaton.initial))
        player = self.automaton.initial.player
        return _closure(
            {player} if player else set(), {at: [*to.values()] for at, to in around.items()}
        )

    @cached_property
    def _pushed(self) -> frozenset[Cell]:
        around = beside(self.automaton.room(self.automaton.initial))
        behind = dict(zip("UDLR", "DURL", strict=True))
        pushes = {
            at: [cell for action, cell in to.items() if to.get(behind[action]) in self._walked]
            for at, to in around.items()
        }
        return _closure(set(self.automaton.initial.boxes), pushes)

    @cached_property
    def _own_map(self) -> str:
        return self.automaton.text(self.automaton.initial)

    def elements(self, state: SokobanState) -> Mapping[str, str]:
        """Return what stands on the cells, by names such as ``row 2 column 3``, counted from 1.

        Cells with nothing on them are missing, unless their wall or goal is not as in the room.
        """
        contents: dict[Cell, list[str]] = {box: ["box"] for box in state.boxes}
        if state.player is not None:
            contents.setdefault(state.player, []).append("player")
        other = state.other_room
        if other is not None:
            for cell in other.floor ^ self.automaton.floor:
                contents.setdefault(cell, []).append("no wall" if cell in other.floor else "wall")
            for cell in other.goals ^ self.automaton.goals:
                contents.setdefault(cell, []).append("goal" if cell in other.goals else "no goal")
        return {_cell_name(cell): ", ".join(contents[cell]) for cell in sorted(contents)}

    def mended(self, state: SokobanState, true: SokobanState, name: str) -> SokobanState | None:
        """Return a map with the box, or the player, of one cell as on the true one.

        The player is put where it stands in truth, and so leaves where it does not. Walls and goals
        are not mended.
        """
        occupied = {*state.boxes, *true.boxes, state.player, true.player} - {None}
        cell = next((each for each in occupied if each and _cell_name(each) == name), None)
        if cell is None:
            return None
        boxes = state.boxes - {cell} | true.boxes & {cell}
        player = cell if cell == true.player else state.player
        return replace(state, player=player, boxes=boxes)

    def slip(self, state: SokobanState, generator: np.random.Generator) -> SokobanState:
        """Make one of three mistakes, each that is possible equally likely.

        A box is left behind: a push is not carried out, box and player stand one cell back. The
        player is off by one: on a free cell beside. A box is off by one: on a free cell beside.
        """
        if state.player is None:
            return state
        player, boxes = state.player, state.boxes
        free = self.automaton.room(state).floor - boxes - {player}
        pushed = [
            (cell, back)
            for cell, back in zip(_around(player), reversed(_around(player)), strict=True)
            if cell in boxes and back in free
        ]
        kinds = [
            [replace(state, player=back, boxes=boxes - {cell} | {player}) for cell, back in pushed],
            [replace(state, player=cell) for cell in _around(player) if cell in free],
            [
                replace(state, boxes=boxes - {box} | {cell})
                for box in sorted(boxes)
                for cell in _around(box)
                if cell in free
            ],
        ]
        possible = [kind for kind in kinds if kind]
        if not possible:
            return state
        kind = possible[int(generator.integers(len(possible)))]
        return kind[int(generator.integers(len(kind)))]

    def places(self, state: SokobanState) -> list[Place]:
        """Return the cells that are not wall; boxes and the player are movable."""
        occupied = state.boxes | {state.player}
        floor = sorted(self.automaton.room(state).floor)
        return [square_place(_cell_name(cell), *cell, movable=cell in occupied) for cell in floor]

    def edited(self, state: SokobanState, source: str, target: str) -> SokobanState | None:
        """Return a map with a box, or the player, on another free cell.

        With the same cell twice, a free cell gets a box, and a box goes.
        """
        cells = {_cell_name(cell): cell for cell in self.automaton.room(state).floor}
        here, there = cells[source], cells[target]
        if here == there:
            return None if here == state.player else replace(state, boxes=state.boxes ^ {here})
        if there in state.boxes | {state.player}:
            return None
        if here in state.boxes:
            return replace(state, boxes=state.boxes - {here} | {there})
        return replace(state, player=there) if here == state.player else None

    def action_points(self, state: SokobanState, action: str) -> Points:
        """Return the player's way, or that to where the box is pushed."""
        if state.player is None:
            return []
        row, column = state.player
        down, right = STEPS[action]
        far = 2 if (row + down, column + right) in state.boxes else 1
        return [square_centre(row, column), square_centre(row + far * down, column + far * right)]

    def picture(self, state: SokobanState, marked: frozenset[str] = frozenset()) -> str:
        """Return the room as SVG: dark walls, crossed boxes, dashed circles for goals."""
        squares = self.automaton.text(state).split("\n")
        height, width = len(squares), max(map(len, squares))
        cells = [(row, column) for row in range(height) for column in range(width)]
        goals = sum(line.count("*") for line in squares)
        return square_picture(
            "Sokoban",
            f"{goals} of {len(state.boxes)} boxes on goals",
            squares,
            [cell for cell in cells if _cell_name(cell) in marked],
            ([str(row + 1) for row in range(height)], [str(column + 1) for column in range(width)]),
            _SYMBOLS,
        )


def _around(cell: Cell) -> list[Cell]:
    """Return the cells up, left, right and down of one; opposite ones are as far from the ends."""
    return [(cell[0] + STEPS[one][0], cell[1] + STEPS[one][1]) for one in "ULRD"]


def _cell_name(cell: Cell) -> str:
    return f"row {cell[0] + 1} column {cell[1] + 1}"


def _closure(start: set[Cell], onward: Mapping[Cell, list[Cell]]) -> frozenset[Cell]:
    reached, waiting = set(start), list(start)
    while waiting:
        new = set(onward[waiting.pop()]) - reached
        reached |= new
        waiting += new
    return frozenset(reached)


def environment(name: str, argument: str) -> SokobanEnvironment:
    """Return Sokoban in a room.

    Args:
        name: The requested name.
        argument: The name of a bundled room, or a map, its rows separated by slashes; empty for the
            room with three boxes.

    Raises:
        InvalidArgumentError: If it is neither.
    """
    text = ROOMS.get(argument or DEFAULT_ROOM) or _map_of(argument)
    if not text:
        raise InvalidArgumentError(
            f"environment sokoban: expected one of the rooms {', '.join(ROOMS)}, or a map, got "
            f"{argument!r:.{_QUOTE}}; a file that only a table names is not opened: name it on the "
            f"command line, by --environment {name!r:.{_QUOTE}}"
        )
    try:
        return SokobanEnvironment(name, text)
    except InvalidBoardError as error:
        raise InvalidArgumentError(f"environment {name!r}: {error}") from error


def _map_of(argument: str) -> str:
    """Return the map that an argument is, with a row a line; nothing if it is none."""
    is_map = "#" in argument and set(argument) <= {*_MAP_SIGNS, "/"}
    return argument.replace("/", "\n") if is_map else ""


def argument_with_texts(argument: str) -> str:
    """Return an argument of `environment` with the map of a file in the place of its path."""
    if argument in ROOMS or _map_of(argument):
        return argument
    try:
        # Opening a pipe or a device may wait without end.
        if Path(argument).exists() and not Path(argument).is_file():
            raise OSError("it is no regular file")
        with Path(argument).open(encoding="utf-8") as file:
            text = file.read(_LARGEST_FILE + 1)
    except (OSError, ValueError) as error:
        raise InvalidArgumentError(
            f"environment sokoban: expected one of the rooms {', '.join(ROOMS)}, or a file with a "
            f"map, got {argument!r:.{_QUOTE}}: {error}"
        ) from error
    if len(text) > _LARGEST_FILE:
        raise InvalidArgumentError(
            f"environment sokoban: expected a map of at most {_LARGEST_FILE} characters, got more in "
            f"{argument!r:.{_QUOTE}}"
        )
    return text.replace("\r", "").strip("\n").replace("\n", "/")
