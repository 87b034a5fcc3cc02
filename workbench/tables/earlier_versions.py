"""Tables of earlier schema versions, read as tables of the current version.

Predictions contain paid answers, so they are upgraded when read. Scores are recomputed instead, but
for F_m and the means over m, which follow from other columns.
"""

from collections.abc import Iterable
from typing import Final

import pyarrow as pa
import pyarrow.compute as pc

from workbench.depth_summaries import summary, summary_sources

UPGRADABLE: Final = frozenset({"1", "2", "3"})
"""Versions of positions and predictions that `upgrade` reads."""

_CONSTANT: Final = {
    "set": "", "setting": "", "environment": "chess", "task": "state", "initial_state": "",
}  # fmt: skip
"""Columns that versions 3 and 4 added, and what every earlier row had."""

RENAMED: Final = {"true_fen": "true_state", "predicted_fen": "predicted_state"}
"""Columns that version 4 renamed."""

_OF_THIS_VERSION: Final = frozenset(
    {"environment", "task", "initial_state", "predicted_actions", *RENAMED.values()}
)

_ADDED: Final = pa.schema(
    [
        *((name, pa.string()) for name in _CONSTANT),
        ("predicted_actions", pa.string()),
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
    """Return whether a table of an earlier version can be read as one of the present version."""
    return version in UPGRADABLE and "unscored" not in columns


def advice(version: str, current: int) -> str:
    """Return what to do about a table of a schema version that is not read.

    Args:
        version: Of the table.
        current: That of this workbench.
    """
    if version.isdigit() and int(version) > current:
        return "a later workbench wrote it: install that one"
    return (
        "make the table again with this version of the workbench: "
        "`workbench score PREDICTIONS -o SCORES` takes predictions of any earlier version"
    )


def is_earlier_frame(columns: Iterable[str]) -> bool:
    """Return whether a data frame, which carries no version, is a table of an earlier version."""
    present = set(columns)
    return not present & _OF_THIS_VERSION and bool(present & RENAMED.keys())


def needed_columns(names: list[str], present: list[str]) -> list[str]:
    """Return the columns to read from an earlier table, so that `upgrade` can give those wanted."""
    earlier = {new: old for old, new in RENAMED.items()}
    needed = [
        name if name in present else earlier[name]
        for name in names
        if name in present or earlier.get(name) in present
    ]
    if "reply_class" in needed and "reason" not in needed and "reason" in present:
        needed.append("reason")
    return needed


def missing_columns(names: list[str], present: list[str]) -> list[str]:
    """Return the columns that are neither in an earlier table nor added by `upgrade`."""
    there = {*present, *(RENAMED.get(name, name) for name in present), *_ADDED.names}
    return [name for name in names if name not in there]


def upgrade(table: pa.Table, names: list[str]) -> pa.Table:
    """Return rows of an earlier version as rows of the present one.

    In version 1 a failed call was ``absent`` with a reason that began with "call failed: "; it is
    ``failed``. Columns that version 2 added are null; those that versions 3 and 4 added have the
    one value that they had before: no set, no setting, chess, the task ``state``. Of the added columns
    only those in ``names`` are added.
    """
    table = table.rename_columns([RENAMED.get(name, name) for name in table.column_names])
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
            value = pa.scalar(_CONSTANT.get(field.name), field.type)
            added = pa.repeat(value, len(table))
            table = table.append_column(field, added)
    return table


def with_summaries(table: pa.Table, names: Iterable[str]) -> pa.Table:
    """Return scores with those summaries of p and r that `stale_summaries` found lacking."""
    present = table.column_names
    for name in names:
        values = [
            table[source].cast(pa.float64()).to_numpy() for source in summary_sources(name, present)
        ]
        column = pa.array(summary(name, values), pa.float64(), from_pandas=True)
        table = table.append_column(name, column)
    return table
