"""The tables between the stages: schemas, the identity of a reply, and reading and writing of complete files."""

import json
import os
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from workbench.depth_summaries import stale_summaries
from workbench.errors import TableError
from workbench.tables.earlier_versions import (
    advice,
    can_upgrade,
    is_earlier_frame,
    missing_columns,
    needed_columns,
    upgrade,
    with_summaries,
)
from workbench.tables.provenance import package_versions

SCHEMA_VERSION: Final = 4
VERSION_KEY: Final = "workbench_schema_version"
PROVENANCE_KEY: Final = "workbench_provenance"
PACKAGES_KEY: Final = "workbench_packages"
ROW_GROUP_ROWS: Final = 1 << 13


def _fields(kind: pa.DataType, *names: str) -> list[pa.Field]:
    return [pa.field(name, kind) for name in names]


POSITIONS: Final = pa.schema(
    [
        *_fields(pa.string(), "position_id", "environment", "game_id", "source"),
        *_fields(pa.int32(), "group", "ply", "game_plies"),
        *_fields(pa.string(), "initial_state", "movetext", "moves", "true_state"),
    ]
)
"""Columns of a positions table; data/README.md describes them."""

PREDICTIONS: Final = pa.schema(
    [
        *POSITIONS,
        *_fields(pa.string(), "set", "task", "model", "setting"),
        *_fields(pa.int32(), "sample"),
        *_fields(pa.string(), "reply", "predicted_state", "predicted_actions"),
        *_fields(pa.string(), "reply_class", "status", "reason", "earlier_turns", "stop_reason"),
        *_fields(pa.int64(), "input_tokens", "output_tokens", "reasoning_tokens"),
        *_fields(pa.float64(), "dollars", "seconds"),
    ]
)
"""Columns of a predictions table; data/README.md describes them."""


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Give a path beside ``path`` to write to, and rename it over ``path`` if all went well.

    A killed process leaves the old file, or none: never half of the new one. The folder is made if it
    is missing. The ``filename`` of an OSError is ``path``, which the system leaves open where a disk is
    full.
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
    except OSError as error:
        if error.errno is None or error.filename not in (None, name, beside):
            raise
        raise OSError(error.errno, error.strerror, str(path)) from error
    finally:
        beside.unlink(missing_ok=True)


class TableWriter:
    """Writes a table's rows as they come, in row groups of one size; see `table_writer`.

    What comes out depends on the rows and not on how many came at a time.

    Attributes:
        rows: Written so far.
    """

    def __init__(self, path: Path, schema: pa.Schema, writer: pq.ParquetWriter) -> None:
        self._path = path
        self._schema = schema
        self._writer = writer
        self._waiting = schema.empty_table()
        self.rows = 0

    def write(self, rows: pd.DataFrame | pa.Table) -> None:
        """Add rows: a data frame, in which NaN is no value, or an Arrow table.

        Columns other than the schema's, and values that do not fit their type, are a `TableError`.
        """
        names = self._schema.names
        columns = rows.column_names if isinstance(rows, pa.Table) else list(rows.columns)
        if set(columns) != set(names):
            raise TableError(
                f"{self._path}: expected the columns {names}, got {columns}; "
                "see data/README.md for the schemas"
            )
        try:
            table = as_arrow(rows, self._schema)
        except (pa.ArrowInvalid, pa.ArrowTypeError) as error:
            raise TableError(f"{self._path}: a value does not fit its column: {error}") from error
        self.rows += len(table)
        self._waiting = pa.concat_tables([self._waiting, table])
        while len(self._waiting) >= ROW_GROUP_ROWS:
            self._write_group()

    def finish(self) -> None:
        """Write what is left; a table without rows has one empty row group."""
        if len(self._waiting) or not self.rows:
            self._write_group()

    def _write_group(self) -> None:
        group = self._waiting.slice(0, ROW_GROUP_ROWS).combine_chunks()
        self._writer.write_table(group, row_group_size=ROW_GROUP_ROWS)
        self._waiting = _after(self._waiting, ROW_GROUP_ROWS)


@contextmanager
def table_writer(
    path: Path, schema: pa.Schema, provenance: Mapping[str, Any] | None = None
) -> Iterator[TableWriter]:
    """Open a table for writing its rows as they come, never all of them in memory.

    The file carries its schema version, its provenance and the versions of the packages that made
    it, and a checksum of every page. Its bytes depend on the arguments, the rows and those versions
    alone. It is written beside and renamed at the end. See `write_table`.
    """
    metadata = {
        VERSION_KEY: str(SCHEMA_VERSION),
        PROVENANCE_KEY: json.dumps(dict(provenance or {}), sort_keys=True),
        PACKAGES_KEY: json.dumps(package_versions(), sort_keys=True),
    }
    with (
        replacing(path) as beside,
        pq.ParquetWriter(
            beside, schema.with_metadata(metadata), compression="zstd", write_page_checksum=True
        ) as parquet,
    ):
        writer = TableWriter(path, schema, parquet)
        yield writer
        writer.finish()


def write_table(
    rows: pd.DataFrame | pa.Table,
    path: Path,
    schema: pa.Schema,
    provenance: Mapping[str, Any] | None = None,
) -> None:
    """Write a table as Parquet, as `table_writer` does.

    Args:
        rows: As `TableWriter.write` takes them; columns beyond the schema are refused, so that none
            is lost unseen.
        path: The output path; the file is written beside and renamed.
        schema: The columns and their types.
        provenance: What the table was made from and how, as JSON can hold it.

    Raises:
        TableError: If the columns are not those of the schema, or a value does not fit its type.
    """
    with table_writer(path, schema, provenance) as writer:
        writer.write(rows)


def read_table(path: str | Path, schema: pa.Schema) -> pd.DataFrame:
    """Read a table and check its schema.

    Args:
        path: A Parquet file written by `write_table`.
        schema: The required columns; others are allowed.

    Raises:
        TableError: If the file is missing, is no whole Parquet file, lacks a column, or was
            written under a schema version that `workbench.tables.earlier_versions` does not upgrade.
    """
    return as_frame(read_arrow(path, schema))


def read_arrow(path: str | Path, schema: pa.Schema) -> pa.Table:
    """Read a table as `read_table` does, without a data frame."""
    return pa.Table.from_batches(_batches(path, schema, ROW_GROUP_ROWS), schema)


def read_chunks(path: str | Path, schema: pa.Schema, rows: int) -> Iterator[pd.DataFrame]:
    """Read a table in chunks, as `arrow_chunks` does, as data frames."""
    return map(as_frame, arrow_chunks(path, schema, rows))


def arrow_chunks(path: str | Path, schema: pa.Schema, rows: int) -> Iterator[pa.Table]:
    """Read a table as `read_table` does, in chunks, holding little more than one of them in memory."""
    waiting = schema.empty_table()
    for batch in _batches(path, schema, rows):
        waiting = pa.concat_tables([waiting, pa.Table.from_batches([batch], schema)])
        while len(waiting) >= rows:
            yield waiting.slice(0, rows)
            waiting = _after(waiting, rows)
    if len(waiting):
        yield waiting


def _after(table: pa.Table, rows: int) -> pa.Table:
    # An empty slice would hold on to the memory of what stood before it.
    return table.slice(rows) if len(table) > rows else table.schema.empty_table()


def record_batches(
    file: pq.ParquetFile, rows: int, columns: list[str] | None = None
) -> Iterator[pa.RecordBatch]:
    """Yield a file's rows in batches of at most so many, holding one row group at a time."""
    # Asked for all row groups at once, pyarrow holds on to each of them until the last.
    for group in range(file.metadata.num_row_groups):
        yield from file.iter_batches(rows, row_groups=[group], columns=columns)


def distinct_values(path: Path, column: str) -> list[Any]:
    """Return the values of one column, each once, in order; none if there is no such column."""
    with _opened(path) as file:
        if column not in file.schema_arrow.names:
            return []
        values: dict[Any, None] = {}
        for batch in record_batches(file, ROW_GROUP_ROWS, [column]):
            values |= dict.fromkeys(batch.column(0).unique().to_pylist())
        return list(values)


def row_count(path: Path) -> int:
    """Return how many rows a table says it has, without reading them."""
    with _opened(path) as file:
        return int(file.metadata.num_rows)


@contextmanager
def _opened(path: str | Path) -> Iterator[pq.ParquetFile]:
    try:
        # Without a buffer a column of a whole row group is read at once.
        with pq.ParquetFile(
            Path(path).absolute(), buffer_size=1 << 20, page_checksum_verification=True
        ) as file:
            yield file
    except (OSError, pa.ArrowException) as error:
        raise TableError(
            f"{path}: expected a whole Parquet file, got: {error}; make it again"
        ) from error


def _batches(path: str | Path, schema: pa.Schema, rows: int) -> Iterator[pa.RecordBatch]:
    with _opened(path) as file:
        in_file = file.schema_arrow
        version = (in_file.metadata or {}).get(VERSION_KEY.encode(), b"").decode()
        is_earlier = version not in ("", str(SCHEMA_VERSION))
        if is_earlier and not can_upgrade(version, in_file.names):
            raise TableError(
                f"{path}: expected schema version {SCHEMA_VERSION}, got {version!r}; "
                f"{advice(version, SCHEMA_VERSION)}"
            )
        computed = stale_summaries(schema.names, in_file.names)
        names = [name for name in schema.names if name not in computed]
        missing = [name for name in names if name not in in_file.names]
        if is_earlier:
            names = needed_columns(schema.names, in_file.names)
            missing = missing_columns(schema.names, in_file.names)
        if missing:
            raise TableError(
                f"{path}: expected the columns {schema.names}, and of these {missing} are missing; "
                "see data/README.md for the schemas"
            )
        for batch in record_batches(file, rows, names):
            table = pa.Table.from_batches([batch])
            try:
                table = upgrade(table, schema.names) if is_earlier else table
                table = with_summaries(table, computed)
                yield from table.select(schema.names).cast(schema).to_batches()
            except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as error:
                raise TableError(f"{path}: a column has invalid values: {error}") from error


def as_frame(table: pa.Table) -> pd.DataFrame:
    """Return an Arrow table as a data frame."""
    frame: pd.DataFrame = table.to_pandas()
    return frame


def present_frame(rows: pd.DataFrame, schema: pa.Schema) -> pd.DataFrame:
    """Return a data frame of an earlier schema version as one of the present version.

    A file names its version; a frame, as of ``pandas.read_parquet``, shows it by its columns. One
    of the present version is returned itself. Columns of later versions are added if ``schema`` has them.
    """
    if not is_earlier_frame(rows.columns):
        return rows
    return as_frame(upgrade(pa.Table.from_pandas(rows, preserve_index=False), schema.names))


def as_arrow(rows: pd.DataFrame | pa.Table, schema: pa.Schema) -> pa.Table:
    """Return the columns of a schema as an Arrow table, with null where there is no value.

    A frame holds NaN for it, and the numbers of such a column as floats; it may be of an earlier
    version. A column that it lacks is a `TableError`.
    """
    if isinstance(rows, pa.Table):
        return rows.select(schema.names).cast(schema)
    rows = present_frame(rows, schema)
    if missing := [name for name in schema.names if name not in rows.columns]:
        raise TableError(
            f"expected a data frame with the columns {schema.names}, and of these {missing} are "
            "missing; see data/README.md for the schemas"
        )
    table = pa.Table.from_pandas(rows[schema.names], schema=schema, preserve_index=False)
    return table.replace_schema_metadata(None)


def as_records(rows: pd.DataFrame | pa.Table, schema: pa.Schema) -> list[dict[str, Any]]:
    """Return rows with Python's own values, None where there is none; see `as_arrow`."""
    records: list[dict[str, Any]] = as_arrow(rows, schema).to_pylist()
    return records


def read_provenance(path: Path) -> dict[str, Any]:
    """Return the provenance that `write_table` put into a file, or an empty mapping."""
    return _described(path, PROVENANCE_KEY)


def read_packages(path: Path) -> dict[str, str]:
    """Return the packages that made a file, with their versions, or an empty mapping."""
    return _described(path, PACKAGES_KEY)


def _described(path: Path, key: str) -> dict[str, Any]:
    with _opened(path) as file:
        metadata = file.schema_arrow.metadata or {}
    return dict(json.loads(metadata.get(key.encode(), b"{}")))


REPLY_KEY: Final = ("position_id", "task", "model", "setting", "sample")
"""The columns that identify a reply; each reply is once in a table."""

UNNAMED: Final = {"task": "state", "setting": ""}
"""Values that identify nothing: every reply had them before these columns existed."""


def setting_value(setting: str, name: str) -> str:
    """Return the value that a reply's setting, ``NAME=VALUE``, gives to a name; empty if it gives none."""
    own, _, value = setting.partition("=")
    return value if own == name else ""


def refuse_repeated_replies(
    rows: pd.DataFrame, where: object, key: Sequence[str] = REPLY_KEY
) -> None:
    """Refuse rows in which a reply is repeated, because it would count twice.

    The message says ``where`` the rows are from; ``key`` are the columns that name a reply.
    """
    again = np.flatnonzero(rows.duplicated(list(key)))
    if len(again):
        first = rows.iloc[again[0]]
        raise TableError(
            f"{where}: expected each reply once, got {len(again)} rows again, the first in row "
            f"{again[0]}: {', '.join(f'{name} {first[name]!r}' for name in key)}; import the replies "
            "again, each file once, or give other replies another sample"
        )
