"""Overwriting rules: never an input or paid answers, and only a table of the kind being written."""

import errno
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Final

import pyarrow as pa
import pyarrow.parquet as pq

from workbench.errors import OutputError
from workbench.tables.earlier_versions import RENAMED
from workbench.tables.parquet_tables import PROVENANCE_KEY

KINDS: Final = {
    "scores": ("position_id", "levenshtein", "unscored"),
    "predictions": ("position_id", "model", "reply_class", "reply"),
    "positions": ("position_id", "movetext", "true_state"),
    "games": ("number", "white_level", "moves"),
}
"""Columns by which a kind of table is known: the first kind that has its columns counts."""


def room_advice(error: OSError) -> str:
    """Return what to do about a file that cannot be written for want of room; empty for other causes."""
    if error.errno == errno.EFBIG:
        return "; raise the limit on the size of a file (ulimit -f)"
    return "; free some space" if error.errno in (errno.ENOSPC, errno.EDQUOT) else ""


def kind_of(names: Iterable[str]) -> str:
    """Return which kind of table has these columns, or ``unknown``."""
    columns = {RENAMED.get(name, name) for name in names}
    return next((kind for kind, needed in KINDS.items() if columns.issuperset(needed)), "unknown")


def check_output(
    out: Path, inputs: Iterable[Path], kind: str | None = None, *, own_answers: bool = False
) -> None:
    """Refuse to overwrite an input, a model's answers, or anything but a table of the same kind.

    Every command checks its output with this before it writes anything. An empty file may be
    overwritten.
    """
    for path in inputs:
        if out.exists() and path.exists() and out.samefile(path):
            raise OutputError(
                f"{out}: expected another file than the inputs, got the input {path}; "
                "write elsewhere"
            )
    if not out.exists():
        return
    if not out.is_file():
        raise OutputError(
            f"{out}: expected the name of a file to write, got "
            f"{'a folder' if out.is_dir() else 'no regular file'}; write elsewhere"
        )
    if out.stat().st_size == 0:
        return
    metadata: dict[bytes, bytes] = {}
    try:
        schema = pq.read_schema(out.absolute())
        own, metadata = kind_of(schema.names), schema.metadata or {}
    except (OSError, pa.ArrowException):
        own = "no whole Parquet file"
    if own in KINDS if kind is None else own != kind:
        expected = "one that is no table" if kind is None else f"a {kind} table"
        raise OutputError(
            f"{out}: expected no file, or {expected} to overwrite, got "
            f"{_kind_in_words(own)}; write elsewhere, or move it away"
        )
    provenance = json.loads(metadata.get(PROVENANCE_KEY.encode(), b"{}"))
    if "asked" in provenance and not own_answers:
        raise OutputError(
            f"{out}: expected no file, or one that can be regenerated, got a table of answers of "
            f"{provenance['asked'].get('model', 'a model')!r}, which `workbench ask` may have paid "
            "for; write elsewhere, or move it away"
        )


def check_folder(out: Path) -> None:
    """Refuse a folder to write into whose name is that of a file."""
    if out.exists() and not out.is_dir():
        raise OutputError(
            f"{out}: expected a folder, new or of an earlier call, got a file; give another name"
        )


def _kind_in_words(kind: str) -> str:
    if kind == "unknown":
        return "a Parquet file of another kind"
    return f"a {kind} table" if kind in KINDS else kind
