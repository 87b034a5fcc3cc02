"""The automaton of boxes with objects in them; see `workbench.environments.boxes`."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, NamedTuple

from workbench.automaton import Automaton
from workbench.errors import InvalidArgumentError

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
    """The automaton of a number of boxes and objects.

    Args:
        boxes: From 2 to 20.
        objects: From 1 to 24, the number of `OBJECTS`.

    Raises:
        InvalidArgumentError: If a number is out of its range.
    """

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
        found = []
        for source, place in enumerate(state.places):
            loads = [(thing, 1) for thing in sorted(set(place or ()))]
            if source != TABLE:
                found += [Carry(thing, source, TABLE) for thing, _ in loads]
                loads += [(CONTENTS, len(place))] if place and len(place) > 1 else []
            found += [
                Carry(thing, source, target)
                for thing, size in loads
                for target, there in enumerate(state.places)
                if target not in (source, TABLE) and there is not None
                if len(there) + size <= CAPACITY
            ]
        return tuple(found)

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
