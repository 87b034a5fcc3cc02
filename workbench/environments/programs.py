"""Programs: four variables, and Python statements that change them.

``x`` and ``y`` are integers, ``items`` is a list of integers and ``d`` a dictionary from integers
to integers, all within bounds. An action is one of `STATEMENTS`. It is permitted where Python runs it
without an exception and every variable stays within its bounds.

No text is ever evaluated or executed: a table has a function for each statement, and of texts only
literals are read, by `workbench.environments.python_literals`.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain
from typing import Any, Final

import numpy as np

from workbench.automaton import Automaton
from workbench.environment import Environment
from workbench.environments.python_literals import (
    Dictionary,
    Opaque,
    Value,
    literal_text,
    read_literal,
)
from workbench.errors import InvalidBoardError

VARIABLES: Final = ("x", "y", "items", "d")
LARGEST: Final = 9
"""The largest absolute value of a number."""
LONGEST: Final = 4
"""The most elements of the list, and of the dictionary."""

_EFFECTS: Final[Mapping[str, tuple[str, Callable[[dict[str, Any]], object]]]] = {
    "x += 1": ("x", lambda v: v.update(x=v["x"] + 1)),
    "y -= 1": ("y", lambda v: v.update(y=v["y"] - 1)),
    "x = x + y": ("x", lambda v: v.update(x=v["x"] + v["y"])),
    "x = x // y": ("x", lambda v: v.update(x=v["x"] // v["y"])),
    "y = x % y": ("y", lambda v: v.update(y=v["x"] % v["y"])),
    "y = len(items)": ("y", lambda v: v.update(y=len(v["items"]))),
    "x = items[y]": ("x", lambda v: v.update(x=v["items"][v["y"]])),
    "y = items[-1]": ("y", lambda v: v.update(y=v["items"][-1])),
    "items[x] = y": ("items", lambda v: v["items"].__setitem__(v["x"], v["y"])),
    "x = items.index(y)": ("x items", lambda v: v.update(x=v["items"].index(v["y"]))),
    "items.append(x)": ("items", lambda v: v["items"].append(v["x"])),
    "items.remove(y)": ("items", lambda v: v["items"].remove(v["y"])),
    "items.pop()": ("items", lambda v: v["items"].pop()),
    "y = items.pop(x)": ("y items", lambda v: v.update(y=v["items"].pop(v["x"]))),
    "d[x] = y": ("d", lambda v: v["d"].__setitem__(v["x"], v["y"])),
    "y = d[x]": ("y", lambda v: v.update(y=v["d"][v["x"]])),
    "x = d[y]": ("x", lambda v: v.update(x=v["d"][v["y"]])),
    "x = d.pop(y)": ("x d", lambda v: v.update(x=v["d"].pop(v["y"]))),
    "del d[x]": ("d", lambda v: v["d"].__delitem__(v["x"])),
}
"""For each statement the variables that it uses as a target or by a method, and what it does."""

STATEMENTS: Final = tuple(_EFFECTS)
"""All actions, as this module writes them."""

_LONGEST_ACTION: Final = 60
_QUOTE: Final = 60
_STATES_KEPT: Final = 1 << 11
_OTHER_TYPE: Final = Opaque("of another type")
# Markdown, and signs of no width that begin or end lines of some texts.
_MARKS: Final = " \t\r*`>\ufeff\u200b\u200e\u200f\u202a\u202b\u202c\u202d\u202e"

_NEXT_NAME: Final = re.compile(rf"[,;]\s*(?=(?:{'|'.join(VARIABLES)})\s*=(?!=))")
_NAMED: Final = re.compile(
    rf"^[ \t*`>-]{{0,8}}(?:{'|'.join(VARIABLES)})[*`]{{0,3}}[ \t]{{0,3}}[=:](?!=)", re.MULTILINE
)
_BULLET: Final = re.compile(r"^\s*(?:[-*+•]|\d{1,3}[.)])\s+")


@dataclass(frozen=True, slots=True)
class ProgramState:
    """What the variables hold.

    Attributes:
        values: In the order of `VARIABLES`; None for a variable that a text does not name.
    """

    values: tuple[Value | None, ...]


class ProgramsAutomaton(Automaton[ProgramState, str]):
    """The automaton of `STATEMENTS` on four variables."""

    def __init__(self) -> None:
        self._outcomes = lru_cache(_STATES_KEPT)(_outcomes)

    @property
    def initial(self) -> ProgramState:
        """``x = 1``, ``y = 2``, ``items = [3, 1]`` and ``d = {2: 5}``."""
        return ProgramState((1, 2, (3, 1), Dictionary.of({2: 5})))

    def permitted(self, state: ProgramState) -> tuple[str, ...]:
        """Return the statements that run and keep to the bounds, in the order of `STATEMENTS`."""
        return tuple(self._outcomes(state))

    def successor(self, state: ProgramState, action: str) -> ProgramState:
        """Return the state after a permitted statement."""
        return self._outcomes(state)[action]


def _outcomes(state: ProgramState) -> dict[str, ProgramState]:
    before = dict(zip(VARIABLES, state.values, strict=True))
    shared = {name: _mutable(value) for name, value in before.items() if value is not None}
    outcomes = {}
    for text, (names, effect) in _EFFECTS.items():
        values = {
            **shared,
            **{name: _mutable(before[name]) for name in names.split() if name in shared},
        }
        try:
            effect(values)
        except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError):
            # What Python does not run is not permitted.
            continue
        changed = {name: _immutable(values[name]) for name in names.split()}
        if not any(any(_broken(name, value)) for name, value in changed.items()):
            outcomes[text] = ProgramState(tuple((before | changed).values()))
    return outcomes


def _mutable(value: Value | None) -> object:
    if isinstance(value, tuple):
        return list(map(_mutable, value))
    return {k: _mutable(v) for k, v in value.entries} if isinstance(value, Dictionary) else value


def _immutable(value: Any) -> Value:
    if isinstance(value, dict):
        return Dictionary.of({key: _immutable(each) for key, each in value.items()})
    return tuple(map(_immutable, value)) if isinstance(value, list) else value


def _broken(name: str, value: Value | None) -> Iterator[str]:
    """Yield the conditions that the value of a variable does not meet."""
    numbers: tuple[Value, ...] = () if value is None else (value,)
    if value is None:
        yield "missing_variable"
    elif name == "items":
        numbers = value if isinstance(value, tuple) else (_OTHER_TYPE,)
        if len(numbers) > LONGEST:
            yield "list_too_long"
    elif name == "d":
        entries = value.entries if isinstance(value, Dictionary) else ((_OTHER_TYPE, _OTHER_TYPE),)
        numbers = tuple(chain.from_iterable(entries))
        if len(entries) > LONGEST:
            yield "dictionary_too_long"
    if not all(isinstance(number, int) for number in numbers):
        yield "wrong_type"
    if any(isinstance(number, int) and abs(number) > LARGEST for number in numbers):
        yield "number_out_of_bounds"


def _assignments(text: str) -> Iterator[tuple[str, str]]:
    """Yield names and what is assigned to them; lines without an assignment are ignored."""
    lines: list[str] = []
    nested = 0
    for line in text.split("\n"):
        if nested > 0:
            lines[-1] += " " + line.strip()
        else:
            nested = 0
            lines.append(line)
        if _NAMED.match(lines[-1]):
            nested += sum(line.count(mark) for mark in "[{(") - sum(map(line.count, ")}]"))
    for line in lines:
        for part in _NEXT_NAME.split(_BULLET.sub("", line, count=1)):
            sign = "=" if "=" in part else ":"
            name, sign_found, value = part.partition(sign)
            name = name.strip(_MARKS + "'\"")
            if sign_found and (sign == "=" or name in VARIABLES):
                yield name, value.partition("#")[0].strip(_MARKS + ",;.")


class Programs(Environment[ProgramState, str]):
    """Programs of four variables, described by one assignment a line.

    A line that assigns to another name, or assigns what is no literal, makes a text unreadable.
    Literals of a type or size that no statement leads to are named conditions.
    """

    title = "Programs"
    summary = "Python literals of four variables, Python statements"
    automaton = ProgramsAutomaton()
    rules = (
        f"A Python program has four variables. x and y are integers from -{LARGEST} to {LARGEST}; "
        f"items is a list of at most {LONGEST} such integers; d is a dictionary of at "
        f"most {LONGEST} entries, whose keys and values are such integers. An action is one of these "
        f"statements: {'; '.join(STATEMENTS)}. A statement is permitted if Python runs it without "
        "an exception and each variable is within these bounds after it."
    )
    state_format = (
        "Write one assignment of a Python literal for each variable, each on its own line, such as "
        '"x = 3", "y = -1", "items = [2, 0]" and "d = {1: 4}".'
    )
    action_format = 'Write an action as a Python statement, such as "items.append(x)".'

    def state_text(self, state: ProgramState) -> str:
        """Return one assignment a line, in the order of `VARIABLES`."""
        pairs = zip(VARIABLES, state.values, strict=True)
        return "\n".join(
            f"{name} = {literal_text(value)}" for name, value in pairs if value is not None
        )

    def read_state(self, text: str) -> ProgramState:
        """Return the state that assignments of literals describe, in any order.

        Lines without an assignment are ignored.
        """
        values: dict[str, Value] = {}
        for name, literal in _assignments(text):
            if name not in VARIABLES:
                raise InvalidBoardError(
                    f"expected assignments to {', '.join(VARIABLES)}, got one to {name!r:.{_QUOTE}}"
                )
            value = read_literal(literal)
            if values.setdefault(name, value) != value:
                raise InvalidBoardError(
                    f"expected one assignment to {name}, got two that differ: the second is "
                    f"{literal!r:.{_QUOTE}}"
                )
        if len(values) < len(VARIABLES) - 1:
            raise InvalidBoardError(
                f"expected assignments to {', '.join(VARIABLES)}, got {len(values)} in "
                f"{text!r:.{_QUOTE}}; without one of them it is a state, without two none"
            )
        return ProgramState(tuple(values.get(name) for name in VARIABLES))

    def action_text(self, action: str) -> str:
        """Return the statement."""
        return action

    def plain_action(self, text: str) -> str | None:
        """Return the statement that a text is; spaces and a lost last bracket do not matter."""
        return _BY_SQUEEZED.get(_squeezed(text)) if len(text) <= _LONGEST_ACTION else None

    def conditions(self, state: ProgramState) -> tuple[str, ...]:
        """Return which conditions of a state are not met.

        ``missing_variable``: a variable is not assigned. ``wrong_type``: a value, an element or a
        key is of another type. ``list_too_long``, ``dictionary_too_long`` and
        ``number_out_of_bounds``: they are beyond `LONGEST` and `LARGEST`.
        """
        pairs = zip(VARIABLES, state.values, strict=True)
        return tuple(dict.fromkeys(each for pair in pairs for each in _broken(*pair)))

    def looks_like_state(self, text: str) -> bool:
        """Return whether a line assigns to one of the variables."""
        return _NAMED.search(text) is not None

    def is_state_line(self, line: str) -> bool:
        """Return whether a line assigns to one of the variables."""
        return self.looks_like_state(line)

    def elements(self, state: ProgramState) -> Mapping[str, str]:
        """Return the numbers, and each element of the list and of the dictionary."""
        texts: dict[str, str] = {}
        for name, value in zip(VARIABLES, state.values, strict=True):
            if isinstance(value, tuple):
                texts |= {
                    f"{name}[{index}]": literal_text(each) for index, each in enumerate(value)
                }
            elif isinstance(value, Dictionary):
                texts |= {
                    f"{name}[{literal_text(key)}]": literal_text(each)
                    for key, each in value.entries
                }
            elif value is not None:
                texts[name] = literal_text(value)
        return texts

    def start(self, generator: np.random.Generator) -> ProgramState:
        """Return numbers from 0 to 5, 1 to 4 of them in the list and 1 or 2 in the dictionary."""
        x, y, *listed = generator.integers(6, size=2 + LONGEST).tolist()
        length, entries = generator.integers(1, (LONGEST + 1, 3)).tolist()
        keyed = generator.integers(6, size=(entries, 2)).tolist()
        return ProgramState((x, y, tuple(listed[:length]), Dictionary.of(dict(keyed))))

    def mended(self, state: ProgramState, true: ProgramState, name: str) -> ProgramState:
        """Return a state with the variable that an element is of as in the true one."""
        place = VARIABLES.index(name.partition("[")[0])
        values = list(state.values)
        values[place] = true.values[place]
        return ProgramState(tuple(values))

    def slip(self, state: ProgramState, generator: np.random.Generator) -> ProgramState:
        """Return a state after a mistake about one variable.

        A number is off by one; two neighbours in the list are exchanged, its last element is
        forgotten or was not taken out, or an element is off by one; a key is forgotten or has the
        value of another variable.
        """
        choices = [
            (place, value)
            for place, old in enumerate(state.values)
            if old is not None
            for value in _mistaken(old, state.values)
            if value != old
        ]
        if not choices:
            return state
        places = sorted({place for place, _ in choices})
        place = places[int(generator.integers(len(places)))]
        ways = [value for where, value in choices if where == place]
        value = ways[int(generator.integers(len(ways)))]
        return ProgramState((*state.values[:place], value, *state.values[place + 1 :]))


def _mistaken(old: Value, values: tuple[Value | None, ...]) -> Iterator[Value]:
    """Yield what a tracker may take a variable for that holds ``old``."""
    if isinstance(old, int):
        yield from (old - 1, old + 1)
    elif isinstance(old, tuple) and old:
        yield from (old[:-1], (*old, old[-1]))
        for index, element in enumerate(old):
            yield (*old[:index], *old[index + 1 : index + 2], element, *old[index + 2 :])
            for near in (element - 1, element + 1) if isinstance(element, int) else ():
                yield (*old[:index], near, *old[index + 1 :])
    elif isinstance(old, Dictionary):
        for key, _ in old.entries:
            yield Dictionary.of({each: value for each, value in old.entries if each != key})
            for stale in (value for value in values if isinstance(value, int)):
                yield Dictionary.of(dict(old.entries) | {key: stale})


def _squeezed(text: str) -> str:
    return re.sub(r"\s", "", text, flags=re.A).rstrip(";])")


_BY_SQUEEZED: Final = {_squeezed(text): text for text in STATEMENTS}


environment = Programs
