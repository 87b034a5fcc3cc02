"""Tables of earlier schema versions, read as tables of the current version.

Predictions contain paid answers, so they are upgraded when read. Scores are recomputed instead.
"""

from typing import Final

import pyarrow as pa
import pyarrow.compute as pc

UPGRADABLE: Final = frozenset({"1", "2"})
"""Versions of positions and predictions that `upgraded` reads."""

_EMPTY: Final = ("set", "setting")
"""Columns that version 3 added."""

_ADDED: Final = pa.schema(
    [
        *((name, pa.string()) for name in _EMPTY),
        ("earlier_turns", pa.string()),
        ("stop_reason", pa.string()),
        ("input_tokens", pa.int64()),
        ("output_tokens", pa.int64()),
        ("reasoning_tokens", pa.int64()),
        ("dollars", pa.float64()),
        ("seconds", pa.float64()),
    ]
)


def can_upgrade(version: str, columns: list[str]) -> bool:
    """Return whether a table of an earlier version can be read as one of the present version.

    Args:
        version: As the file names it.
        columns: Of the file; a table with the column ``unscored`` holds scores.
    """
    return version in UPGRADABLE and "unscored" not in columns


def needed_columns(names: list[str], present: list[str]) -> list[str]:
    """Return the columns to read from an earlier table, so that `upgraded` can give those wanted.

    Args:
        names: Wanted.
        present: Columns of the file.
    """
    needed = [name for name in names if name in present]
    if "reply_class" in needed and "reason" not in needed and "reason" in present:
        needed.append("reason")
    return needed


def missing_columns(names: list[str], present: list[str]) -> list[str]:
    """Return the columns that are neither in an earlier table nor added by `upgraded`.

    Args:
        names: Wanted.
        present: Columns of the file.
    """
    return [name for name in names if name not in present and name not in _ADDED.names]


def upgraded(table: pa.Table, names: list[str]) -> pa.Table:
    """Return rows of an earlier version as rows of the present one.

    In version 1 a failed call was ``absent`` with a reason that began with "call failed: "; it is
    ``failed``. Columns that version 2 added are null; those that version 3 added are empty.

    Args:
        table: Columns of positions or predictions.
        names: Wanted; those of them that later versions added are added.
    """
    if "reply_class" in table.column_names and "reason" in table.column_names:
        failed = pc.and_(
            pc.equal(table["reply_class"], "absent"),
            pc.fill_null(pc.starts_with(table["reason"], "call failed: "), False),
        )
        place = table.column_names.index("reply_class")
        classes = pc.if_else(pc.fill_null(failed, False), "failed", table["reply_class"])
        table = table.set_column(place, "reply_class", classes)
    for field in _ADDED:
        if field.name in names and field.name not in table.column_names:
            value = "" if field.name in _EMPTY else None
            added = pa.repeat(pa.scalar(value, field.type), len(table))
            table = table.append_column(field, added)
    return table
