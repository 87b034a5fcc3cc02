"""Sokoban as an environment of the pipeline: random play in one room, states as maps."""

import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import ClassVar, Final

import numpy as np

from workbench.environment import Environment
from workbench.environments.sokoban.sokoban_automaton import (
    STEPS,
    Cell,
    SokobanAutomaton,
    SokobanState,
    beside,
)
from workbench.environments.sokoban.sokoban_rooms import DEFAULT, ROOMS
from workbench.environments.square_picture import CELL, INK, square_picture
from workbench.errors import InvalidArgumentError, InvalidBoardError

_SHOWN: Final = 80
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
    state_noun: ClassVar[str] = "map"
    separator: ClassVar[str] = " "

    state_format = (
        "Write the map of the room row by row, each row on a line of its own, with the same signs. "
        "Walls and goals never change."
    )
    action_format = "Write an action as one letter: U (up), D (down), L (left) or R (right)."

    def __init__(self, name: str, text: str) -> None:
        """Take the name under which the environment was asked for, and the map of the room."""
        super().__init__(name)
        self._automaton: Final = SokobanAutomaton(text)
        self.rules = (
            "A room of Sokoban: a player on a grid of cells pushes boxes. A map shows the room with "
            "these signs: # wall, @ player, + player on a goal, $ box, * box on a goal, . goal, and "
            "a space for free floor. An action is a step up (U), down (D), left (L) or right (R) "
            "onto the next cell, which must not be a wall. If a box stands there "
            "it is pushed one cell further in the same direction, which is permitted only if that "
            "cell is neither a wall nor holds another box; boxes are never pulled. A step that would "
            "move nothing is not permitted. When each of the "
            f"{len(self._automaton.goals)} goals holds a box the room is solved and nothing is "
            "permitted any more."
        )

    @property
    def automaton(self) -> SokobanAutomaton:
        """The automaton of the room."""
        return self._automaton

    def state_text(self, state: SokobanState) -> str:
        """Return the map of a state."""
        return self._automaton.text(state)

    def read_state(self, text: str) -> SokobanState:
        """Return the state that a map shows; ``-`` and ``_`` may be written for floor.

        Raises:
            InvalidBoardError: If the text has other signs, shows several players, has not as many
                rows as the room, or shows neither walls nor a player.
        """
        rows = text.replace("\r", "").translate(_FLOOR_SIGNS).strip("\n")
        height, found = self._own_map.count("\n"), rows.count("\n")
        if found != height or not set("#@+") & set(rows):
            raise InvalidBoardError(
                f"expected a Sokoban map of {height + 1} rows with walls and a player, got "
                f"{found + 1} rows in {rows[:_SHOWN]!r}"
            )
        return self._automaton.state(rows)

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
        return sum(found <= _ALIKE and bool(found & _WALLS_ALIKE) for found in signs) > 1

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
        start, room, own = self._automaton.initial, self._automaton.room(state), self._automaton
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
        return tuple(name for name, found in broken.items() if found)

    @cached_property
    def _walked(self) -> frozenset[Cell]:
        around = beside(self._automaton.room(self._automaton.initial))
        player = self._automaton.initial.player
        return _closure(
            {player} if player else set(), {at: [*to.values()] for at, to in around.items()}
        )

    @cached_property
    def _pushed(self) -> frozenset[Cell]:
        around = beside(self._automaton.room(self._automaton.initial))
        behind = dict(zip("UDLR", "DURL", strict=True))
        pushes = {
            at: [cell for action, cell in to.items() if to.get(behind[action]) in self._walked]
            for at, to in around.items()
        }
        return _closure(set(self._automaton.initial.boxes), pushes)

    @cached_property
    def _own_map(self) -> str:
        return self._automaton.text(self._automaton.initial)

    def elements(self, state: SokobanState) -> Mapping[str, str]:
        """Return what stands on the cells, by names such as ``row 2 column 3``, counted from 1.

        Cells with nothing on them are missing, unless their wall or goal is not as in the room.
        """
        found: dict[Cell, list[str]] = {box: ["box"] for box in state.boxes}
        if state.player is not None:
            found.setdefault(state.player, []).append("player")
        other = state.other_room
        if other is not None:
            for cell in other.floor ^ self._automaton.floor:
                found.setdefault(cell, []).append("no wall" if cell in other.floor else "wall")
            for cell in other.goals ^ self._automaton.goals:
                found.setdefault(cell, []).append("goal" if cell in other.goals else "no goal")
        return {_cell_name(cell): ", ".join(found[cell]) for cell in sorted(found)}

    def mended(self, state: SokobanState, true: SokobanState, name: str) -> SokobanState | None:
        """Return a map with the box, or the player, of one cell as on the true one.

        The player is put where it stands in truth, and so leaves where it does not. Walls and goals
        are not mended.
        """
        cell = next((each for each in _cells(state, true) if _cell_name(each) == name), None)
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
        free = self._automaton.room(state).floor - boxes - {player}
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

    def picture(self, state: SokobanState, marked: frozenset[str] = frozenset()) -> str:
        """Return the room as SVG: dark walls, crossed boxes, dashed circles for goals."""
        squares = self._automaton.text(state).split("\n")
        height, width = len(squares), max(map(len, squares))
        cells = [(row, column) for row in range(height) for column in range(width)]
        done = sum(line.count("*") for line in squares)
        return square_picture(
            "Sokoban",
            f"{done} of {len(state.boxes)} boxes on goals",
            squares,
            [cell for cell in cells if _cell_name(cell) in marked],
            ([str(row + 1) for row in range(height)], [str(column + 1) for column in range(width)]),
            _SYMBOLS,
        )


def _around(cell: Cell) -> list[Cell]:
    """Return the cells up, left, right and down of one; opposite ones are as far from the ends."""
    return [(cell[0] + STEPS[one][0], cell[1] + STEPS[one][1]) for one in "ULRD"]


def _cells(*states: SokobanState) -> Iterator[Cell]:
    """Yield the cells on which something stands."""
    for state in states:
        yield from state.boxes
        if state.player is not None:
            yield state.player


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
        name: As it was asked for.
        argument: The name of a bundled room, or a map, its rows separated by slashes; empty for the
            room with three boxes.

    Raises:
        InvalidArgumentError: If it is neither.
    """
    text = ROOMS.get(argument or DEFAULT) or _map_of(argument)
    if not text:
        raise InvalidArgumentError(
            f"environment sokoban: expected one of the rooms {', '.join(ROOMS)}, or a map, got "
            f"{argument!r:.{_SHOWN}}; a file that only a table names is not opened: name it on the "
            f"command line, by --environment {name!r:.{_SHOWN}}"
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
    """Return an argument of `environment` with the map of a file in the place of its path.

    Args:
        argument: As of `environment`, or the path of a text file with a map.

    Raises:
        InvalidArgumentError: If it names no file, or one that is no text of at most 10,000
            characters.
    """
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
            f"map, got {argument!r:.{_SHOWN}}: {error}"
        ) from error
    if len(text) > _LARGEST_FILE:
        raise InvalidArgumentError(
            f"environment sokoban: expected a map of at most {_LARGEST_FILE} characters, got more in "
            f"{argument!r:.{_SHOWN}}"
        )
    return text.replace("\r", "").strip("\n").replace("\n", "/")
