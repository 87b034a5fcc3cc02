"""The values of a run's columns by name: as filters and cells show them, and in their own order."""

import re
from collections.abc import Iterable
from functools import partial
from types import MappingProxyType
from typing import Any, Final

import pandas as pd

from workbench.prediction import CLASSES

FILTERS: Final = MappingProxyType(
    {"sets": "set", "models": "model", "settings": "setting", "groups": "group"}
)
"""The column that each list of names of a RowChoice restricts; classes are apart."""


FIELD_PREFIX: Final = "correct_"
"""Before the name of a field in the columns of a scores table that say whether it is right."""


def value_name(column: str, value: Any) -> str:
    """Return a value of a column in `FILTERS` as filters and cells show it.

    A group is 5, not 5.0; the empty setting is ``default``; what is missing or empty is ``none``.
    """
    if pd.isna(value) or value == "":
        return "default" if column == "setting" and value == "" else "none"
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


def flags_of(status: Any) -> frozenset[str]:
    """Return the flags in a cell of the column ``status``."""
    return frozenset(status.split()) if isinstance(status, str) else frozenset()


def value_names(rows: pd.DataFrame, column: str) -> "pd.Series[str]":
    """Return the `value_name` of each row's value in a column."""
    return rows[column].map(partial(value_name, column)).astype(str)


def in_order(names: Iterable[str]) -> list[str]:
    """Return names in alphabetical order, numbers in them by size: 256 before 1024."""
    return sorted(
        names,
        key=lambda name: [
            int(part) if place % 2 else part
            for place, part in enumerate(re.split(r"([0-9]{1,9})", name))
        ],
    )


def levels_of(column: "pd.Series[Any]") -> list[Any] | None:
    """Return a column's texts in their own order; None if that is the alphabet's."""
    if column.name == "setting":
        return in_order(column.dropna().unique())
    return list(CLASSES) if column.name == "reply_class" else None
