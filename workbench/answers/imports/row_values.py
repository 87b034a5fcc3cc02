"""Values of a foreign row: what is there, and as which type."""

import math
from collections.abc import Mapping
from decimal import Decimal, InvalidOperation
from typing import Any

import pandas as pd

from workbench.answers.imports.imported import Refused, RefusedRowError


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
    """Return a text, or a whole number as text.

    Raises:
        RefusedRowError: If it is neither.
    """
    value = values.get(name)
    if isinstance(value, int) and not isinstance(value, bool):
        value = str(value)
    if value is None or isinstance(value, str):
        return value
    raise RefusedRowError(Refused.BAD_VALUE, name, f"expected a text, got {shown(value)}")


def integer(values: Mapping[str, Any], name: str, limit: int = 2**31) -> int | None:
    """Return a whole number below a limit; "5.0" is 5.

    Raises:
        RefusedRowError: If it is none, or out of range.
    """
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
        Refused.BAD_VALUE, name, f"expected an integer of at least 0, got {shown(value)}"
    )


def amount(values: Mapping[str, Any], name: str) -> float | None:
    """Return a number of at least 0.

    Raises:
        RefusedRowError: If it is none, or out of range.
    """
    value = values.get(name)
    if value is None:
        return None
    try:
        number = float("nan" if isinstance(value, bool) else value)
    except (TypeError, ValueError, OverflowError):
        number = math.nan
    if not 0 <= number < math.inf:
        raise RefusedRowError(
            Refused.BAD_VALUE, name, f"expected a number of at least 0, got {shown(value)}"
        )
    return number


def shown(value: object) -> str:
    """Return a value for a message."""
    return "none" if value is None else f"{value!r:.80}"
