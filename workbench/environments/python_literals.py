"""Python's literals as values; a reader that runs nothing.

No text is ever evaluated or executed: a literal is read by `ast.literal_eval` after its length,
characters and nesting have been checked.
"""

import ast
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import accumulate
from typing import Any, Final, Self, TypeAlias

from workbench.errors import InvalidBoardError

_LONGEST: Final = 300
_DEEPEST: Final = 8
_QUOTE: Final = 60

_LITERAL: Final = re.compile(r"[\w \[\]{}(),:.'\"+-]+", re.A)
_BLANK: Final = re.compile(r"[\t\r\n]")
# Python warns of a keyword directly behind a number.
_KEYWORD: Final = re.compile(r"[\d.a-fA-FjJ_](?:and|else|for|if|in|is|not|or)")


@dataclass(frozen=True, slots=True)
class Dictionary:
    """A dictionary: keys and their values, in the order of the keys as literals."""

    entries: tuple[tuple["Value", "Value"], ...]

    @classmethod
    def of(cls, entries: Mapping["Value", "Value"]) -> Self:
        """Return the dictionary with these keys and values."""
        return cls(tuple(sorted(entries.items(), key=lambda entry: literal_text(entry[0]))))


@dataclass(frozen=True, slots=True)
class Opaque:
    """A literal that no statement can use: neither integer nor list nor dictionary."""

    text: str


Value: TypeAlias = int | tuple[Any, ...] | Dictionary | Opaque
"""What a variable holds: an integer, a list as a tuple of values, a dictionary, another literal."""


def _frozen(literal: object) -> Value:
    """Return the value of a literal; ValueError for a number that no literal can be."""
    if isinstance(literal, complex) or (isinstance(literal, float) and not math.isfinite(literal)):
        raise ValueError(f"expected a finite real number, got {literal!r}")
    if isinstance(literal, int) and not isinstance(literal, bool):
        return literal
    if isinstance(literal, list):
        return tuple(map(_frozen, literal))
    if isinstance(literal, dict):
        return Dictionary.of({_frozen(key): _frozen(value) for key, value in literal.items()})
    if isinstance(literal, tuple):
        return Opaque(f"({''.join(f'{literal_text(_frozen(each))}, ' for each in literal)})")
    if isinstance(literal, set) and literal:
        return Opaque(f"{{{', '.join(sorted(literal_text(_frozen(each)) for each in literal))}}}")
    return Opaque("..." if literal is ... else repr(literal))


def literal_text(value: Value) -> str:
    """Return a value as a literal that `read_literal` reads as the same value."""
    if isinstance(value, tuple):
        return f"[{', '.join(map(literal_text, value))}]"
    if isinstance(value, Dictionary):
        return f"{{{', '.join(f'{literal_text(key)}: {literal_text(each)}' for key, each in value.entries)}}}"
    return value.text if isinstance(value, Opaque) else str(value)


def read_literal(text: str) -> Value:
    """Return the value of a literal; nothing else is evaluated.

    Args:
        text: At most 300 characters, all ASCII, with brackets nested at most 8 deep.
    """
    literal = _BLANK.sub(" ", text.strip())
    try:
        if len(literal) > _LONGEST or not _LITERAL.fullmatch(literal) or _KEYWORD.search(literal):
            raise ValueError("too long, or not of the characters of a literal")
        steps = ((mark in "[{(") - (mark in ")}]") for mark in literal)
        if max(accumulate(steps, initial=0)) > _DEEPEST:
            raise ValueError("nested too deeply")
        return _frozen(ast.literal_eval(literal))
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError) as error:
        raise InvalidBoardError(
            f"expected a Python literal of at most {_LONGEST} characters and {_DEEPEST} levels of "
            f"brackets, got {literal!r:.{_QUOTE}}"
        ) from error
