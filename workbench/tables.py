"""The tables between the stages: their schemas, and reading and writing them whole.

Positions become predictions, predictions become scores; a row keeps its ``position_id`` from the
first to the last, and no row is dropped on the way. The columns are described in data/README.md.
"""

import json
import os
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from workbench.errors import TableError

SCHEMA_VERSION: Final = 1

POSITIONS: Final = pa.schema(
    [
        ("position_id", pa.string()),
        ("game_id", pa.string()),
        ("source", pa.string()),
        ("group", pa.int32()),
        ("ply", pa.int32()),
        ("game_plies", pa.int32()),
        ("movetext", pa.string()),
        ("moves", pa.string()),
        ("true_fen", pa.string()),
    ]
)

PREDICTIONS: Final = pa.schema(
    [
        *POSITIONS,
        ("model", pa.string()),
        ("sample", pa.int32()),
        ("reply", pa.string()),
        ("predicted_fen", pa.string()),
        ("reply_class", pa.string()),
        ("status", pa.string()),
        ("reason", pa.string()),
    ]
)


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Give a path beside ``path`` to write to, and rename it over ``path`` if all went well.

    A process killed on the way leaves the old file, or none: never half of the new one.

    Args:
        path: The file to be made; its folder is made if it is missing.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.stem}-", suffix=path.suffix)
    os.close(handle)
    beside = Path(name)
    try:
        yield beside
        umask = os.umask(0)
        os.umask(umask)
        beside.chmod(0o666 & ~umask)
        beside.replace(path)
    finally:
        beside.unlink(missing_ok=True)


def write_table(
    frame: pd.DataFrame, path: Path, schema: pa.Schema, provenance: Mapping[str, Any] | None = None
) -> None:
    """Write a table as Parquet, with its schema version and provenance in the file's metadata.

    The bytes depend on the arguments and the version of pyarrow alone.

    Args:
        frame: The rows; columns beyond the schema are refused, so that none is lost unseen.
        path: Where to; the file is written beside and renamed.
        schema: The columns and their types.
        provenance: What the table was made from and how, as JSON can hold it.

    Raises:
        TableError: If the columns are not those of the schema, or a value does not fit its type.
    """
    if set(frame.columns) != set(schema.names):
        raise TableError(
            f"{path}: expected the columns {schema.names}, got {list(frame.columns)}; "
            "see data/README.md for the schemas"
        )
    try:
        table = pa.Table.from_pandas(frame[schema.names], schema=schema, preserve_index=False)
    except (pa.ArrowInvalid, pa.ArrowTypeError) as error:
        raise TableError(f"{path}: a value does not fit its column: {error}") from error
    metadata = {
        "workbench_schema_version": str(SCHEMA_VERSION),
        "workbench_provenance": json.dumps(dict(provenance or {}), sort_keys=True),
    }
    with replacing(path) as beside:
        pq.write_table(table.replace_schema_metadata(metadata), beside, compression="zstd")


def read_table(path: Path, schema: pa.Schema) -> pd.DataFrame:
    """Read a table and hold it to its schema.

    Args:
        path: A Parquet file written by `write_table`.
        schema: The columns that it must have; others may stand beside them.

    Raises:
        TableError: If the file is missing, is no whole Parquet file, lacks a column, or was
            written under another schema version.
    """
    try:
        table = pq.read_table(path)
    except (OSError, pa.ArrowInvalid) as error:
        raise TableError(
            f"{path}: expected a whole Parquet file, got: {error}; make it again"
        ) from error
    version = (table.schema.metadata or {}).get(b"workbench_schema_version")
    if version is not None and version.decode() != str(SCHEMA_VERSION):
        raise TableError(
            f"{path}: expected schema version {SCHEMA_VERSION}, got {version.decode()!r}; "
            "make the table again with this version of the workbench"
        )
    missing = [name for name in schema.names if name not in table.column_names]
    if missing:
        raise TableError(
            f"{path}: expected the columns {schema.names}, and of these {missing} are missing; "
            "see data/README.md for the schemas"
        )
    try:
        return as_frame(table.select(schema.names).cast(schema))
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as error:
        raise TableError(f"{path}: a column does not hold what it should: {error}") from error


def as_frame(table: pa.Table) -> pd.DataFrame:
    """Return an Arrow table as a data frame."""
    frame: pd.DataFrame = table.to_pandas()
    return frame


def read_provenance(path: Path) -> dict[str, Any]:
    """Return the provenance that `write_table` put into a file, or an empty mapping."""
    try:
        metadata = pq.read_schema(path).metadata or {}
    except (OSError, pa.ArrowInvalid) as error:
        raise TableError(f"{path}: expected a Parquet file, got: {error}") from error
    return dict(json.loads(metadata.get(b"workbench_provenance", b"{}")))
