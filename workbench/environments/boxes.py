"""Boxes: objects are put into boxes, moved between them and taken out, described in plain English."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from html import escape
from typing import ClassVar, Final, NamedTuple

import numpy as np

from workbench.automaton import Automaton
from workbench.environment import Environment, Place, Points, Symmetry
from workbench.environments.square_picture import INK, difference_mark
from workbench.errors import InvalidArgumentError, InvalidBoardError

CAPACITY: Final = 2
"""The most objects that a box has room for."""

OBJECTS: Final = tuple(
    "apple bell book brush candle clock coin cup drum flute glove hammer key lamp letter map "
    "mirror pen ring rope shell spoon stone watch".split()
)
"""The names of all objects; an episode has some of them."""

CONTENTS: Final = "contents"
"""What an action names that moves all objects of a box."""
TABLE: Final = 0
"""The place that is no box; box k is place k."""

_MOST_BOXES: Final = 20
_STATES_KEPT: Final = 1 << 12


class Carry(NamedTuple):
    """An action: ``thing``, an object or `CONTENTS`, from place ``source`` to place ``target``."""

    thing: str
    source: int
    target: int


@dataclass(frozen=True, slots=True)
class BoxesState:
    """What is in each place.

    Attributes:
        places: The names of the objects on the table, then of those in each box, in alphabetical
            order; None for a box that a text does not mention.
    """

    places: tuple[tuple[str, ...] | None, ...]


class BoxesAutomaton(Automaton[BoxesState, Carry]):
    """The automaton of a number of boxes and objects."""

    def __init__(self, boxes: int, objects: int) -> None:
        if not (2 <= boxes <= _MOST_BOXES and 1 <= objects <= len(OBJECTS)):
            raise InvalidArgumentError(
                f"boxes: expected from 2 to {_MOST_BOXES} boxes and from 1 to {len(OBJECTS)} "
                f"objects, got {boxes} and {objects}; such as boxes:7 or boxes:7x3"
            )
        self.boxes: Final = boxes
        self.objects: Final = objects
        self._permitted = lru_cache(_STATES_KEPT)(self._actions)

    @property
    def initial(self) -> BoxesState:
        """The first objects of `OBJECTS` in the boxes in turn, as far as there is room."""
        room = self.boxes * CAPACITY
        boxed, rest = OBJECTS[: self.objects][:room], OBJECTS[room : self.objects]
        return BoxesState((rest, *(boxed[box :: self.boxes] for box in range(self.boxes))))

    def permitted(self, state: BoxesState) -> tuple[Carry, ...]:
        """Return the actions that a state permits, by source, object and target."""
        return self._permitted(state)

    def _actions(self, state: BoxesState) -> tuple[Carry, ...]:
        actions = []
        for source, place in enumerate(state.places):
            loads = [(thing, 1) for thing in sorted(set(place or ()))]
            if source != TABLE:
                actions += [Carry(thing, source, TABLE) for thing, _ in loads]
                loads += [(CONTENTS, len(place))] if place and len(place) > 1 else []
            actions += [
                Carry(thing, source, target)
                for thing, size in loads
                for target, there in enumerate(state.places)
                if target not in (source, TABLE) and there is not None
                if len(there) + size <= CAPACITY
            ]
        return tuple(actions)

    def successor(self, state: BoxesState, action: Carry) -> BoxesState:
        """Return the state after the object, or the contents, were carried."""
        thing, source, target = action
        here, there = state.places[source] or (), state.places[target] or ()
        carried, left = (here, ()) if thing == CONTENTS else ((thing,), without_thing(here, thing))
        return with_contents(state, {source: left, target: (*there, *carried)})


def without_thing(place: tuple[str, ...], thing: str) -> tuple[str, ...]:
    """Return the contents of a place without an object that is there."""
    index = place.index(thing)
    return place[:index] + place[index + 1 :]


def with_contents(state: BoxesState, contents: Mapping[int, tuple[str, ...]]) -> BoxesState:
    """Return the state with other contents of some places."""
    changed = {k: tuple(sorted(objects)) for k, objects in contents.items()}
    return BoxesState(tuple(changed.get(k, place) for k, place in enumerate(state.places)))


_QUOTE: Final = 60
_LONGEST_ACTION: Final = 120

_PLACE: Final = re.compile(r"\bbox\s{0,3}#?(\d{1,3})(?!\d)|\btable\b", re.I | re.A)
_STATEMENT: Final = re.compile(
    r"(?ai)\b(?:box {0,3}#?\d{1,3}|table)[*_`\"']{0,4} {0,3}(?:contain|hold|has\b|is\b|[:=|])"
)
_WORD: Final = re.compile(r"[a-z]+")
_STOP: Final = re.compile(r"[.;!\n]")
_BULLET: Final = re.compile(r"\s*[-*+•]")
_EMPTY: Final = re.compile(
    r"(?ai)\b(?:no (?:objects?|items?|things?)|empty|nothing|none)\b|\[\s*\]|\{\s*\}|\(\s*\)"
)
_NO_WORD: Final = re.compile(r"[\s,:=|&()\[\]{}*_`\"'+•-]+")
_TELLS: Final = re.compile(
    r"(?ai)[ \t*_\"'`]*(?:(?:now|still|only) +)?(?:contains\b|holds\b|has\b|is\b|[:=|(-])"
)
_FILLERS: Final = frozenset("a an and contains has holds is now on only still the".split())
_NOTHING: Final = "nothing"
_THINGS: Final = frozenset([*OBJECTS, _NOTHING])

_ACTIONS: Final = tuple(
    re.compile(pattern)
    for pattern in (
        r"move (?:all )?(?:the )?(?P<thing>[a-z]+) (?:from|of) box #?(?P<source>[1-9]\d?)"
        r" (?:to|into) box #?(?P<target>[1-9]\d?)",
        r"(?:put|place) (?:the )?(?P<thing>[a-z]+)(?: from the table)?"
        r" (?:in|into|inside|to) box #?(?P<target>[1-9]\d?)",
        r"(?:remove|take) (?:the )?(?P<thing>[a-z]+) (?:from|out of) box #?(?P<source>[1-9]\d?)",
    )
)


class Boxes(Environment[BoxesState, Carry]):
    """Boxes with contents, described in sentences.

    A name that is no object or box of the environment makes a text unreadable, as a letter that is
    no piece does in chess. Objects that are missing, doubled or too many are named conditions.
    """

    title = "Boxes"
    summary = "objects in numbered boxes, told in English"
    automaton: BoxesAutomaton
    argument = "BOXES or BOXESxOBJECTS, such as 7 or 7x3"
    item_separator: ClassVar[re.Pattern[str]] = re.compile(r"[;,]|\.(?=\s|$)")

    def __init__(self, name: str, boxes: int, objects: int) -> None:
        super().__init__(name)
        self.automaton = BoxesAutomaton(boxes, objects)
        self.rules = (
            f"There are {boxes} boxes, numbered from 1 to {boxes}, a table, and {objects} objects, "
            f"each in a box or on the table. A box has room for {CAPACITY} objects, the table for all. "
            "An object in a box can be moved to another box that has room for it, or removed, "
            "which puts it on the table. An object on the table can be put into a box that has "
            "room for it. The contents of a box that holds at least two objects can be moved "
            "together to another box that has room for all of them. Nothing else is permitted."
        )
        self.state_format = (
            "Write one sentence for each box, in the order of their numbers, then one for the "
            'table, all in one line, such as "Box 1 contains the apple and the key. Box 2 is '
            'empty. [...] The table holds the pen." Name empty boxes too, and an empty table.'
        )
        self.action_format = (
            'Write an action in one of these ways: "Move the apple from Box 1 to Box 3.", "Put the '
            'pen into Box 2.", "Remove the key from Box 1.", "Move the contents of Box 1 to Box 2."'
        )

    def state_text(self, state: BoxesState) -> str:
        """Return a sentence for each box, and one for the table."""
        texts = [
            f"Box {number} {f'contains {_listed(place)}' if place else 'is empty'}."
            for number, place in enumerate(state.places)
            if number != TABLE and place is not None
        ]
        table = state.places[TABLE]
        return " ".join(
            [*texts, f"The table {f'holds {_listed(table)}' if table else 'is empty'}."]
        )

    def read_state(self, text: str) -> BoxesState:
        """Return the state that sentences, lists or lines about the boxes describe, in any order.

        Words before the first box, and sentences behind the contents of a box that name neither
        boxes nor objects, are ignored. A table that is not mentioned is empty.
        """
        boxes, places = self.automaton.boxes, dict[int, tuple[str, ...]]()
        parts = _PLACE.split(text)
        for number, phrase in zip(parts[1::2], parts[2::2], strict=True):
            place = TABLE if number is None else int(number) or -1
            if not TABLE <= place <= boxes:
                raise InvalidBoardError(
                    f"expected boxes from 1 to {boxes}, got Box {max(place, 0)}"
                )
            objects = _objects(place, phrase)
            if places.setdefault(place, objects) != objects:
                raise InvalidBoardError(
                    f"expected one sentence about {_place_name(place)}, got two that differ: the "
                    f"second is {phrase.strip()!r:.{_QUOTE}}"
                )
        if len(places.keys() - {TABLE}) < boxes - 1:
            raise InvalidBoardError(
                f"expected sentences about Box 1 to Box {boxes}, got {len(places.keys() - {TABLE})} "
                f"in {text!r:.{_QUOTE}}; without one of them it is a state, without two none"
            )
        return BoxesState((places.get(TABLE, ()), *map(places.get, range(1, boxes + 1))))

    def action_text(self, action: Carry) -> str:
        """Return an action as an English sentence."""
        thing, source, target = action
        if thing == CONTENTS:
            return f"Move the contents of Box {source} to Box {target}."
        if source == TABLE:
            return f"Put the {thing} into Box {target}."
        if target == TABLE:
            return f"Remove the {thing} from Box {source}."
        return f"Move the {thing} from Box {source} to Box {target}."

    def plain_action(self, text: str) -> str | None:
        """Return the sentence of an action; case, articles and the full stop do not matter."""
        if len(text) > _LONGEST_ACTION or not text.isascii():
            return None
        plain = " ".join(text.lower().rstrip(" .").split())
        match = next(filter(None, (pattern.fullmatch(plain) for pattern in _ACTIONS)), None)
        if match is None:
            return None
        named = match.groupdict()
        thing, source, target = (named.get(part, TABLE) for part in Carry._fields)
        action = Carry(str(thing), int(source), int(target))
        is_thing = thing in OBJECTS or (thing == CONTENTS and TABLE not in action)
        exists = max(action.source, action.target) <= self.automaton.boxes
        return self.action_text(action) if is_thing and exists else None

    def conditions(self, state: BoxesState) -> tuple[str, ...]:
        """Return which conditions of a state are not met.

        ``missing_box``: a box is not mentioned. ``over_capacity``: a box holds more than there is
        room for. ``object_twice``: an object is in two places. ``missing_object`` and
        ``additional_object``: there are fewer, or more, different objects than the environment has.
        """
        boxes = state.places[TABLE + 1 :]
        counts = Counter(thing for place in state.places for thing in place or ())
        broken = {
            "missing_box": None in boxes,
            "over_capacity": any(len(box or ()) > CAPACITY for box in boxes),
            "object_twice": any(count > 1 for count in counts.values()),
            "missing_object": len(counts) < self.automaton.objects,
            "additional_object": len(counts) > self.automaton.objects,
        }
        return tuple(name for name, holds in broken.items() if holds)

    @property
    def state_labels(self) -> tuple[str, ...]:
        """The names of the boxes, and the table."""
        return tuple(map(_place_name, [*range(1, self.automaton.boxes + 1), TABLE]))

    def labelled_text(self, values: Mapping[str, str]) -> str:
        """Return a line for each box and the table with what they hold."""
        return "\n".join(f"{name}: {contents or _NOTHING}" for name, contents in values.items())

    def looks_like_state(self, text: str) -> bool:
        """Return whether a text describes what a box, or the table, contains."""
        return _STATEMENT.search(text) is not None

    def is_state_line(self, line: str) -> bool:
        """Return whether a line describes what a box, or the table, contains."""
        return self.looks_like_state(line)

    def elements(self, state: BoxesState) -> Mapping[str, str]:
        """Return what each box, and the table, holds."""
        return {
            _place_name(number): ", ".join(place) or "nothing"
            for number, place in enumerate(state.places)
            if place is not None
        }

    def start(self, generator: np.random.Generator) -> BoxesState:
        """Return objects drawn from `OBJECTS`, each in a place drawn from those with room."""
        indices = generator.choice(len(OBJECTS), self.automaton.objects, replace=False)
        places: list[list[str]] = [[] for _ in range(self.automaton.boxes + 1)]
        for index in indices:
            free = [k for k, place in enumerate(places) if k == TABLE or len(place) < CAPACITY]
            places[free[int(generator.integers(len(free)))]].append(OBJECTS[index])
        return BoxesState(tuple(tuple(sorted(place)) for place in places))

    def symmetries(
        self, initial: BoxesState, generator: np.random.Generator
    ) -> tuple[Symmetry, ...]:
        """Return a renaming: each object has the name of another, all in one cycle."""
        names = [thing for place in initial.places for thing in place or ()]
        if len(names) < 2:
            return ()
        order = [names[index] for index in generator.permutation(len(names))]
        image = dict(zip(order, [*order[1:], order[0]], strict=True))
        back = {new: old for old, new in image.items()}
        return (
            Symmetry(
                ", ".join(f"{new} for {old}" for old, new in sorted(image.items())),
                False,
                lambda state: _renamed(state, image),
                lambda state: _renamed(state, back),
                lambda text: _WORD.sub(lambda match: image.get(match[0], match[0]), text),
            ),
        )

    def mended(self, state: BoxesState, true: BoxesState, name: str) -> BoxesState:
        """Return a state with what is in one place as in the true one."""
        pairs = enumerate(zip(state.places, true.places, strict=True))
        return BoxesState(tuple(b if _place_name(k) == name else a for k, (a, b) in pairs))

    def places(self, state: BoxesState) -> list[Place]:
        """Return the objects, which can be put elsewhere, then the boxes and the table."""
        things = [
            Place(f"{thing} in {_place_name(number)}", *corner, _WIDE - 2 * _GAP, _ROW - 4, True)
            for number, thing, corner in _things(state)
        ]
        frames = [
            Place(_place_name(number), *corner, _WIDE, _tall(state), False)
            for number, corner in _corners(state)
        ]
        return [*things, *frames]

    def edited(self, state: BoxesState, source: str, target: str) -> BoxesState | None:
        """Return a state with an object in another place, which need not have room for it."""
        thing, _, here = source.partition(" in ")
        there = target.rpartition(" in ")[2]
        if not here or here == there:
            return None
        numbers = {_place_name(number): number for number, _ in _corners(state)}
        return self.automaton.successor(state, Carry(thing, numbers[here], numbers[there]))

    def action_points(self, state: BoxesState, action: Carry) -> Points:
        """Return the way of an object, or of all objects of a box."""
        centres = {
            each.name: (each.left + each.width / 2, each.top + each.height / 2)
            for each in self.places(state)
        }
        here, there = _place_name(action.source), _place_name(action.target)
        thing = here if action.thing == CONTENTS else f"{action.thing} in {here}"
        return [centres[thing], centres[there]]

    def picture(self, state: BoxesState, marked: frozenset[str] = frozenset()) -> str:
        """Return the boxes and the table as frames with the names of what they hold."""
        corners, tall = list(_corners(state)), _tall(state)
        width = max(left for _, (left, _) in corners) + _WIDE + _GAP
        height = max(top for _, (_, top) in corners) + tall + _GAP
        caption = escape(f"Boxes: {self.state_text(state)}")
        parts = [
            f'<svg xmlns="http://www.w3.org/2000/svg" role="img" aria-label="{caption}" '
            f'viewBox="0 0 {width} {height}" font-family="sans-serif" font-size="12" '
            f'text-anchor="middle"><title>{caption}</title>'
            '<rect width="100%" height="100%" fill="#ffffff"/>'
        ]
        for number, (left, top) in corners:
            name = _place_name(number)
            box = f'x="{left}" y="{top}" width="{_WIDE}" height="{tall}" rx="3" fill="none"'
            look = f'stroke="{INK}"' + ("" if number else ' stroke-dasharray="2 3"')
            mark = difference_mark(left, top, _WIDE, tall) if name in marked else ""
            parts.append(
                f'<rect {box} {look}/>{mark}<text x="{left + _WIDE / 2:g}" y="{top + 15}" fill="{INK}" '
                f'font-weight="bold">{name}</text>'
            )
        for _, thing, (left, top) in _things(state):
            parts.append(
                f'<rect x="{left}" y="{top}" width="{_WIDE - 2 * _GAP}" height="{_ROW - 4}" rx="3" '
                f'fill="#dfe3e6"/><text x="{left + _WIDE / 2 - _GAP:g}" y="{top + 14}" '
                f'fill="{INK}">{thing}</text>'
            )
        return "".join([*parts, "</svg>"])

    def slip(self, state: BoxesState, generator: np.random.Generator) -> BoxesState:
        """Return a state after a mistake about one object.

        Of ten slips, on average, six have an object in a wrong place that has room, two have two
        objects exchanged, one has an object in its old and in a new place, one has it forgotten.
        """
        pairs = [(thing, k) for k, place in enumerate(state.places) for thing in place or ()]
        if not pairs:
            return state
        thing, source = pairs[int(generator.integers(len(pairs)))]
        here = state.places[source] or ()
        others = [(other, k) for other, k in pairs if k != source and other != thing]
        free = [
            (k, place)
            for k, place in enumerate(state.places)
            if k != source and place is not None and (k == TABLE or len(place) < CAPACITY)
        ]
        kind = int(generator.integers(10))
        if kind < 2 and others:
            other, k = others[int(generator.integers(len(others)))]
            there = without_thing(state.places[k] or (), other)
            return with_contents(
                state, {source: (*without_thing(here, thing), other), k: (*there, thing)}
            )
        if kind == 2 or not free:
            return with_contents(state, {source: without_thing(here, thing)})
        target, there = free[int(generator.integers(len(free)))]
        if kind == 3:
            return with_contents(state, {target: (*there, thing)})
        return self.automaton.successor(state, Carry(thing, source, target))


def environment(name: str, argument: str) -> Boxes:
    """Return the boxes called ``name``.

    Args:
        name: The requested name.
        argument: Empty, or the number of boxes, from 2 to 20, such as ``7``; or that and the number
            of objects, from 1 to 24, such as ``7x3``; else there is one object more than boxes.

    Raises:
        InvalidArgumentError: If it is anything else.
    """
    match = re.fullmatch(r"(\d{1,3})(?:x(\d{1,3}))?", argument or "4", re.A)
    if match is None:
        raise InvalidArgumentError(
            f"boxes: expected numbers such as boxes:7 or boxes:7x3, got {argument!r:.{_QUOTE}}"
        )
    boxes = int(match[1])
    return Boxes(name, boxes, int(match[2] or boxes + 1))


_WIDE: Final = 92
_ROW: Final = 24
_GAP: Final = 8
_ACROSS: Final = 3


def _renamed(state: BoxesState, names: Mapping[str, str]) -> BoxesState:
    places = (
        place and tuple(sorted(names.get(thing, thing) for thing in place))
        for place in state.places
    )
    return BoxesState(tuple(places))


def _tall(state: BoxesState) -> int:
    """Return the height of the frame of a place, which has room for the fullest."""
    return _ROW * (1 + max(CAPACITY, *(len(place or ()) for place in state.places)))


def _corners(state: BoxesState) -> Iterator[tuple[int, tuple[int, int]]]:
    """Yield the places of a state, the boxes and then the table, with the corners of their frames."""
    numbers = [number for number, place in enumerate(state.places) if place is not None]
    for index, number in enumerate([*numbers[1:], TABLE]):
        row, column = divmod(index, _ACROSS)
        yield number, (_GAP + (_WIDE + _GAP) * column, _GAP + (_tall(state) + _GAP) * row)


def _things(state: BoxesState) -> Iterator[tuple[int, str, tuple[int, int]]]:
    """Yield each object with the number of its place and its corner."""
    for number, (left, top) in _corners(state):
        for index, thing in enumerate(state.places[number] or ()):
            yield number, thing, (left + _GAP, top + _ROW * (index + 1))


def _place_name(place: int) -> str:
    return f"Box {place}" if place else "table"


def _listed(objects: tuple[str, ...]) -> str:
    """Return objects as a part of a sentence: the apple, the key and the pen."""
    *most, last = [f"the {each}" for each in objects]
    return f"{', '.join(most)} and {last}" if most else last


def _objects(place: int, phrase: str) -> tuple[str, ...]:
    """Return the objects that a place is said to hold: behind it, or in a list behind a colon."""
    first, *rest = _STOP.split(phrase)
    listing = not _words(first) and first.rstrip(" *_").endswith(":")
    names: list[str] = []
    for piece in rest if listing else [first, *rest] if _TELLS.match(first) else []:
        words = _words(piece)
        if not words:
            continue
        if (listing or piece is first) and _THINGS.issuperset(words):
            names += words
        elif not names or _BULLET.match(piece) or not _THINGS.isdisjoint(words) or "box" in words:
            names = []
            break
    if not names or (_NOTHING in names and len(names) > 1):
        raise InvalidBoardError(
            f"expected what is in {_place_name(place)}: objects such as {OBJECTS[0]}, or nothing; "
            f"got {phrase.strip()!r:.{_QUOTE}}"
        )
    return tuple(sorted(thing for thing in names if thing != _NOTHING))


def _words(piece: str) -> list[str]:
    words = _NO_WORD.sub(" ", _EMPTY.sub(f" {_NOTHING} ", piece)).split()
    # Lower case makes an ASCII letter of the Kelvin sign, which is none.
    plain = (word.lower() if word.isascii() else word for word in words)
    return [word for word in plain if word not in _FILLERS]
