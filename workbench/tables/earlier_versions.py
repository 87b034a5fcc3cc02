"""Tables of earlier schema versions, read as tables of the current version.

Predictions contain paid answers, so they are upgraded when read. Scores are recomputed instead.
"""

from typing import Final

import pyarrow as pa
import pyarrow.compute as pc

UPGRADABLE: Final = frozenset({"1"})
"""Versions of positions and predictions that `upgraded` reads."""

_ADDED: Final = pa.schema(
    [
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
    """Return the columns that neither stand in an earlier table nor are added by `upgraded`.

    Args:
        names: Wanted.
        present: Columns of the file.
    """
    return [name for name in names if name not in present and name not in _ADDED.names]


def upgraded(table: pa.Table) -> pa.Table:
    """Return rows of version 1 as rows of version 2.

    A failed call was ``absent`` with a reason that began with "call failed: "; it is ``failed``.
    Columns that version 2 added are null.

    Args:
        table: Columns of positions or predictions.
    """
    if "reply_class" in table.column_names and "reason" in table.column_names:
        failed = pc.and_(
            pc.equal(table["reply_class"], "absent"),
            pc.fill_null(pc.starts_with(table["reason"], "call failed: "), False),
        )
        place = table.column_names.index("reply_class")
        classes = pc.if_else(pc.fill_null(failed, False), "failed", table["reply_class"])
        table = table.set_column(place, "reply_class", classes)
    if "reply" in table.column_names or "reply_class" in table.column_names:
        for field in _ADDED:
            if field.name not in table.column_names:
                table = table.append_column(field, pa.nulls(len(table), field.type))
    return table
