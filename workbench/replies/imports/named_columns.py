"""CSV and JSON Lines with named columns as predictions."""

import csv
import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from workbench.errors import ReplyFileError
from workbench.replies.imports.rows import OWN_COLUMNS, ForeignRow, check_columns, imported_rows
from workbench.replies.recorded import ImportedLog, Refusal

_LONGEST_FIELD = 2**31 - 1


def import_named_columns(
    paths: Iterable[Path],
    *,
    columns: Mapping[str, str] | None = None,
    positions: pd.DataFrame | None = None,
    model: str | None = None,
) -> ImportedLog:
    """Read files whose columns are named: ``.csv`` with a header, any other as JSON Lines.

    Args:
        paths: UTF-8 files.
        columns: Our column to the file's, where the names differ; of JSON objects a dotted name
            reaches inside.
        positions: Rows of the POSITIONS schema, to be found by ``position_id``.
        model: The name of the model where a file has none.

    Raises:
        InvalidArgumentError: If a column of ours is unknown.
        ReplyFileError: If a file cannot be read, or lacks a column that ``columns`` names.
    """
    names = columns or {}
    check_columns(names)
    return imported_rows(_all_rows(paths, names), positions=positions, model=model)


def _all_rows(paths: Iterable[Path], columns: Mapping[str, str]) -> Iterator[ForeignRow | Refusal]:
    for path in map(Path, paths):
        rows = _csv_rows(path, columns) if path.suffix.lower() == ".csv" else _json_rows(path)
        for number, row in rows:
            if isinstance(row, str):
                yield Refusal(path.name, number, row)
                continue
            values = {name: _inside(row, columns.get(name, name)) for name in OWN_COLUMNS}
            yield ForeignRow(path.name, number, values)


def _csv_rows(path: Path, columns: Mapping[str, str]) -> Iterator[tuple[int, dict[str, Any] | str]]:
    before = csv.field_size_limit(_LONGEST_FIELD)
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            reader = csv.DictReader(file, strict=True)
            header = reader.fieldnames or []
            missing = sorted(set(columns.values()) - set(header))
            if missing:
                raise ReplyFileError(f"{path}: expected columns {missing}, got {list(header)}")
            for row in reader:
                if None in row or None in row.values():
                    yield reader.line_num, f"expected {len(header)} fields, got another number"
                else:
                    yield reader.line_num, row
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        if isinstance(error, ReplyFileError):
            raise
        raise ReplyFileError(f"{path}: expected a CSV file in UTF-8, got: {error}") from error
    finally:
        csv.field_size_limit(before)


def _json_rows(path: Path) -> Iterator[tuple[int, dict[str, Any] | str]]:
    try:
        with path.open("rb") as file:
            for number, line in enumerate(file, start=1):
                if line.strip():
                    yield number, _object(line)
    except OSError as error:
        raise ReplyFileError(f"{path}: expected a file of JSON Lines, got: {error}") from error


def _object(line: bytes) -> dict[str, Any] | str:
    try:
        entry = json.loads(line)
    except (ValueError, RecursionError) as error:
        return f"expected a JSON object, got: {error}"
    if not isinstance(entry, dict):
        return f"expected a JSON object, got {type(entry).__name__}"
    return entry


def _inside(row: Mapping[str, Any], name: str) -> Any:
    if name in row:
        return row[name]
    value: Any = row
    for part in name.split("."):
        if not isinstance(value, dict):
            return None
        value = value.get(part)
    return value
