"""Python's statements and literals: an interpreter of few forms, and a reader that runs nothing.

No text is ever evaluated or executed. A statement is a syntax tree, of which `changes` knows the
forms that it names and refuses all others; a literal is read by `ast.literal_eval` after its
length, characters and nesting have been checked.

Source: the Python Language Reference, for what the statements do and when they raise.
"""

import ast
import math
import operator
import re
from collections.abc import Callable, Mapping
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
class Keyed:
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


Value: TypeAlias = int | tuple[Any, ...] | Keyed | Opaque
"""What a variable holds: an integer, a list as a tuple of values, a dictionary, another literal."""


_OPERATORS: Final[Mapping[type[ast.operator], Callable[[int, int], int]]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
}


class StatementRaisesError(Exception):
    """Python would raise an exception here."""


def changes(statement: ast.stmt, values: Mapping[str, Value]) -> dict[str, Value]:
    """Return what the variables that a statement changes hold after it.

    Args:
        statement: An assignment, also to an element and of what a method returns; an augmented
            assignment; ``del`` of an element; or a call of ``append``, ``index``, ``pop`` or
            ``remove``. Expressions are literals, names, elements, ``+ - * // %`` and ``len``.
        values: What the variables hold; one without a value is not there.

    Raises:
        StatementRaisesError: If Python would raise an exception; also if a number is calculated
            from anything but integers.
        NotImplementedError: If the statement has another form.
    """
    match statement:
        case ast.Expr(ast.Call(ast.Attribute(ast.Name(name), method), arguments)):
            return {name: _called(values, name, method, arguments)[1]}
        case ast.Assign([target], ast.Call(ast.Attribute(ast.Name(name), method), arguments)):
            result, left = _called(values, name, method, arguments)
            return {name: left} | _assigned(target, result, values)
        case ast.Assign([target], expression):
            return _assigned(target, _evaluated(expression, values), values)
        case ast.AugAssign(target, sign, expression):
            old, by = _evaluated(target, values), _evaluated(expression, values)
            return _assigned(target, _calculated(sign, old, by), values)
        case ast.Delete([ast.Subscript(ast.Name(name), key)]):
            return {name: _popped(_variable(values, name), _evaluated(key, values))[1]}
    raise NotImplementedError(ast.dump(statement))


def _evaluated(expression: ast.expr, values: Mapping[str, Value]) -> Value:
    match expression:
        case ast.Name(name):
            return _variable(values, name)
        case ast.BinOp(left, sign, right):
            return _calculated(sign, _evaluated(left, values), _evaluated(right, values))
        case ast.Subscript(container, key):
            return _popped(_evaluated(container, values), _evaluated(key, values))[0]
        case ast.Call(ast.Name("len"), [argument]):
            return _length(_evaluated(argument, values))
        case ast.Constant() | ast.UnaryOp():
            return _frozen(ast.literal_eval(expression))
    raise NotImplementedError(ast.dump(expression))


def _length(container: Value) -> int:
    if isinstance(container, tuple):
        return len(container)
    if isinstance(container, Keyed):
        return len(container.entries)
    raise StatementRaisesError


def _variable(values: Mapping[str, Value], name: str) -> Value:
    if name not in values:
        raise StatementRaisesError
    return values[name]


def _calculated(sign: ast.operator, left: Value, right: Value) -> int:
    if not isinstance(left, int) or not isinstance(right, int):
        raise StatementRaisesError
    calculate = _OPERATORS[type(sign)]
    try:
        return calculate(left, right)
    except ZeroDivisionError as error:
        raise StatementRaisesError from error


def _assigned(target: ast.expr, value: Value, values: Mapping[str, Value]) -> dict[str, Value]:
    match target:
        case ast.Name(name):
            return {name: value}
        case ast.Subscript(ast.Name(name), key_expression):
            container, key = _variable(values, name), _evaluated(key_expression, values)
            if isinstance(container, Keyed):
                return {name: Keyed.of(dict(container.entries) | {key: value})}
            if isinstance(container, tuple):
                index = _index(container, key)
                return {name: (*container[:index], value, *container[index + 1 :])}
            raise StatementRaisesError
    raise NotImplementedError(ast.dump(target))


def _called(
    values: Mapping[str, Value], name: str, method: str, arguments: list[ast.expr]
) -> tuple[Value, Value]:
    """Return what a method of a variable returns, and what the variable holds after it."""
    container = _variable(values, name)
    operands = [_evaluated(argument, values) for argument in arguments]
    if method == "pop":
        return _popped(container, operands[0] if operands else -1)
    if method not in ("append", "index", "remove"):
        raise NotImplementedError(method)
    if not isinstance(container, tuple):
        raise StatementRaisesError
    if method == "append":
        return Opaque("None"), (*container, operands[0])
    if operands[0] not in container:
        raise StatementRaisesError
    index = container.index(operands[0])
    if method == "index":
        return index, container
    return Opaque("None"), container[:index] + container[index + 1 :]


def _popped(container: Value, key: Value) -> tuple[Value, Value]:
    """Return the element at an index or key, and the container without it."""
    if isinstance(container, Keyed):
        entries = dict(container.entries)
        if key not in entries:
            raise StatementRaisesError
        return entries.pop(key), Keyed.of(entries)
    if isinstance(container, tuple):
        index = _index(container, key)
        element = container[index]
        return element, container[:index] + container[index + 1 :]
    raise StatementRaisesError


def _index(container: tuple[Value, ...], key: Value) -> int:
    if not isinstance(key, int) or not -len(container) <= key < len(container):
        raise StatementRaisesError
    return key % len(container)


def _frozen(literal: object) -> Value:
    """Return the value of a literal that was read; ValueError for one that is not written so."""
    if isinstance(literal, complex) or (isinstance(literal, float) and not math.isfinite(literal)):
        raise ValueError(f"expected a finite real number, got {literal!r}")
    if isinstance(literal, int) and not isinstance(literal, bool):
        return literal
    if isinstance(literal, list):
        return tuple(map(_frozen, literal))
    if isinstance(literal, dict):
        return Keyed.of({_frozen(key): _frozen(value) for key, value in literal.items()})
    if isinstance(literal, tuple):
        return Opaque(f"({''.join(f'{literal_text(_frozen(each))}, ' for each in literal)})")
    if isinstance(literal, set) and literal:
        return Opaque(f"{{{', '.join(sorted(literal_text(_frozen(each)) for each in literal))}}}")
    return Opaque("..." if literal is ... else repr(literal))


def literal_text(value: Value) -> str:
    """Return a value as a literal that `read_literal` reads as the same value."""
    if isinstance(value, tuple):
        return f"[{', '.join(map(literal_text, value))}]"
    if isinstance(value, Keyed):
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
        if _nesting(literal) > _DEEPEST:
            raise ValueError("nested too deeply")
        return _frozen(ast.literal_eval(literal))
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError) as error:
        raise InvalidBoardError(
            f"expected a Python literal of at most {_LONGEST} characters and {_DEEPEST} levels of "
            f"brackets, got {literal!r:.{_QUOTE}}"
        ) from error


def _nesting(text: str) -> int:
    steps = ((mark in "[{(") - (mark in ")}]") for mark in text)
    return max(accumulate(steps, initial=0))
