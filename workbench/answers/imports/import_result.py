"""The result of an import, its notes on rows, and the checked values of an imported row."""

import math
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from enum import StrEnum
from typing import Any, Final

import pandas as pd

CALL_FAILED: Final = "call failed: "
"""How the reason of a ``failed`` row begins."""


class Refusal(StrEnum):
    """The reason why a row was refused."""

    UNREADABLE = "the line or record cannot be read"
    NO_POSITION = "no position"
    UNKNOWN_POSITION = "a position that is not among the given ones"
    NO_MODEL = "no model"
    NO_REPLY = "no reply"
    NO_TRUE_BOARD = "no true board"
    ILLEGAL_MOVES = "moves that cannot be played from the initial position"
    CONTRADICTION = "a true board that its moves or the given positions contradict"
    CHESS960 = "Chess960"
    OTHER_ENVIRONMENT = "another environment than that of the table"
    BAD_VALUE = "a value out of range"
    REPEATED = "a reply that was read before"


class RemarkReason(StrEnum):
    """A remark on a row that became a prediction."""

    NO_PGN = "no moves, as the PGN file was not found"
    UNUSABLE_PGN = "no moves, as the PGN file cannot be used"
    OTHER_PLY = "another number of plies than the moves have, whose number was used"
    OTHER_CLOCKS = "another move number or half-move clock in the true FEN than after the moves"
    SEVERAL_BOARDS = "a position id with several boards, distinguished by a hash"


@dataclass(frozen=True, slots=True)
class RowNote:
    """A note on one row of a file: its first line, or its number in a file without lines, from 1."""

    file: str
    line: int
    reason: Refusal | RemarkReason
    detail: str

    def __str__(self) -> str:
        return f"{self.file}, line {self.line}: {self.detail}"


@dataclass(frozen=True, slots=True)
class ImportedReplies:
    """The result of an import: every row of the files is in ``predictions`` or in ``refusals``.

    Attributes:
        predictions: One row per reply, with the columns of
            `workbench.tables.parquet_tables.PREDICTIONS`.
        refusals: The rows that became no prediction, and why.
        remarks: What is odd about rows that became one.
        folded: Rows that hold the reply of another row once more, as lm-evaluation-harness writes
            one for each of its filters; they are not among the refusals.
    """

    predictions: pd.DataFrame
    refusals: tuple[RowNote, ...]
    remarks: tuple[RowNote, ...]
    folded: int = 0


@dataclass(frozen=True, slots=True)
class Remark:
    """A remark on a row, before its place is known; ``column`` is ours, or empty."""

    reason: Refusal | RemarkReason
    column: str
    detail: str

    def at(self, file: str, line: int, called: Mapping[str, str]) -> RowNote:
        """Return the note on the row of a place."""
        column = called.get(self.column, self.column)
        sentence = f"{column}: {self.detail}" if column else self.detail
        return RowNote(file, line, self.reason, sentence)


class RefusedRowError(Exception):
    """A row cannot become a prediction."""

    def __init__(self, reason: Refusal, column: str, detail: str) -> None:
        super().__init__(detail)
        self.remark = Remark(reason, column, detail)


@contextmanager
def refused_as(reason: Refusal, column: str, *errors: type[Exception]) -> Iterator[None]:
    """Refuse the row where one of these errors is raised, with the words of the error."""
    try:
        yield
    except errors as error:
        raise RefusedRowError(reason, column, str(error)) from error


def present(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values that are there: not None, no NaN, no blank text."""
    return {
        name: storable(value) if isinstance(value, str) else value
        for name, value in values.items()
        if not (
            value is None
            or value is pd.NA
            or (isinstance(value, str) and not value.strip())
            or (isinstance(value, float) and math.isnan(value))
        )
    }


def storable(text: str) -> str:
    """Return a text as UTF-8 can hold it: a lone surrogate, which JSON may name, is U+FFFD."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def optional_text(values: Mapping[str, Any], name: str) -> str | None:
    """Return a text, or a whole number as text."""
    value = values.get(name)
    if isinstance(value, int) and not isinstance(value, bool):
        value = str(value)
    if value is None or isinstance(value, str):
        return value
    raise RefusedRowError(Refusal.BAD_VALUE, name, f"expected a text, got {in_message(value)}")


def required_text(values: Mapping[str, Any], name: str, reason: Refusal) -> str:
    """Return a text, without which the row is refused."""
    value = values.get(name)
    if isinstance(value, str):
        return value
    raise RefusedRowError(reason, name, f"expected a text, got {in_message(value)}")


def integer(values: Mapping[str, Any], name: str, limit: int = 2**31) -> int | None:
    """Return a whole number below a limit; "5.0" is 5."""
    value = values.get(name)
    if value is None:
        return None
    try:
        number = Decimal("-1" if isinstance(value, bool) else str(value).strip())
        if 0 <= number < limit and number == number.to_integral_value():
            return int(number)
    except InvalidOperation:
        pass
    raise RefusedRowError(
        Refusal.BAD_VALUE, name, f"expected an integer of at least 0, got {in_message(value)}"
    )


def amount(values: Mapping[str, Any], name: str) -> float | None:
    """Return a number of at least 0."""
    value = values.get(name)
    if value is None:
        return None
    try:
        number = float("nan" if isinstance(value, bool) else value)
    except (TypeError, ValueError, OverflowError):
        number = math.nan
    if not 0 <= number < math.inf:
        raise RefusedRowError(
            Refusal.BAD_VALUE, name, f"expected a number of at least 0, got {in_message(value)}"
        )
    return number


def in_message(value: object) -> str:
    """Return a value for a message."""
    return "none" if value is None else f"{value!r:.80}"
