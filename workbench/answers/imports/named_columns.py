"""Tables with named columns as predictions: delimited text with a header, and JSON Lines."""

import csv
import json
from collections.abc import Generator, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final, TextIO

import pandas as pd

from workbench.answers.imports.file_reading import SourceFiles, undecodable
from workbench.answers.imports.foreign_rows import (
    OWN_COLUMNS,
    ForeignRow,
    RowDefaults,
    imported_rows,
    own_columns,
    rows_of_files,
)
from workbench.answers.imports.import_result import ImportedReplies
from workbench.errors import ReplyFileError
from workbench.tables.earlier_versions import RENAMED
from workbench.tables.provenance import json_hash

DELIMITERS: Final = (",", "\t", ";", "|")
DELIMITED: Final = frozenset({".csv", ".tsv", ".tab", ".txt"})
VARIANT_KEYS: Final = ("variant", "Variant", "game_variant", "rules")
"""What files call the variant that was played; only Chess960 in it is looked for."""

_LONGEST_FIELD: Final = 2**31 - 1
_EXAMPLES: Final = 12


def import_named_columns(
    paths: Iterable[Path],
    *,
    columns: Mapping[str, str] | None = None,
    positions: pd.DataFrame | None = None,
    defaults: RowDefaults | None = None,
    encoding: str | None = None,
    files: SourceFiles | None = None,
) -> ImportedReplies:
    """Read files whose columns are named.

    ``.csv``, ``.tsv``, ``.tab`` and ``.txt`` have a header, and commas, tabs, semicolons or bars
    between the columns; any other file holds JSON Lines.

    Args:
        paths: Text files; in UTF-8, in UTF-16 with a byte order mark, or in ``encoding``.
        columns: Our column to the file's, where the names differ; of JSON objects a dotted name
            reaches inside.
        positions: Rows of the POSITIONS schema, to be found by ``position_id``.
        defaults: Values of a row that names none of its own.
        encoding: Encoding of all files.
        files: What opens them and follows the reading.

    Raises:
        InvalidArgumentError: If a column of ours, or the encoding, is unknown.
        ReplyFileError: If a file cannot be read, or lacks a column that ``columns`` names.
    """
    names, files = own_columns(columns), files or SourceFiles()

    def entries(path: Path) -> Iterator[tuple[int, dict[str, Any] | str]]:
        if path.suffix.lower() in DELIMITED:
            return delimited_rows(path, names, encoding, files)
        return json_rows(path, encoding, files)

    def row_of(path: Path, number: int, entry: dict[str, Any]) -> Iterator[ForeignRow]:
        values, called = {}, {}
        for name in OWN_COLUMNS:
            for theirs in _names_of(name, names):
                is_there, value = inside(entry, theirs)
                if is_there:
                    values[name], called[name] = value, theirs
                    break
        yield ForeignRow(
            str(path),
            number,
            path.name,
            values,
            names=tuple(entry.get(key) for key in VARIANT_KEYS),
            content=json_hash(entry),
            called=called,
        )

    rows = rows_of_files(paths, entries, row_of)
    return imported_rows(rows, positions=positions, defaults=defaults)


def _names_of(name: str, columns: Mapping[str, str]) -> list[str]:
    """Return what a file may call our column, the likeliest first."""
    if name in columns:
        return [columns[name]]
    return [name, *(earlier for earlier, present in RENAMED.items() if present == name)]


def delimited_rows(
    path: Path, columns: Mapping[str, str], encoding: str | None, files: SourceFiles
) -> Iterator[tuple[int, dict[str, Any] | str]]:
    """Yield the records of delimited text, each with its first line, or what is wrong with it."""
    before = csv.field_size_limit(_LONGEST_FIELD)
    try:
        with files.text(path, encoding, newline="") as text:
            header, mark, before_it = _header(path, text, columns)
            reader = csv.reader(text, delimiter=mark, strict=True)
            while True:
                start = before_it + reader.line_num + 1
                try:
                    record = next(reader, None)
                except csv.Error as error:
                    yield start, f"expected fields, quoted where they hold quotes, got: {error}"
                    continue
                if record is None:
                    return
                if record and len(record) != len(header):
                    yield start, f"expected {len(header)} fields, got {len(record)}"
                elif record:
                    fault = next(filter(None, map(undecodable, record)), "")
                    yield start, fault or dict(zip(header, record, strict=True))
    finally:
        csv.field_size_limit(before)


def _header(path: Path, text: TextIO, columns: Mapping[str, str]) -> tuple[list[str], str, int]:
    """Return the names of the columns, the delimiter, and the lines read."""
    lines = 1
    while (line := text.readline()).isspace():
        lines += 1
    if fault := undecodable(line):
        raise ReplyFileError(f"{path}, line {lines}: {fault}")
    expected = {theirs for name in OWN_COLUMNS for theirs in _names_of(name, columns)}
    headers = {mark: _split(line, mark) for mark in DELIMITERS}
    mark = max(DELIMITERS, key=lambda mark: len(expected & set(headers[mark])))
    header = headers[mark]
    more = [] if len(header) <= _EXAMPLES else ["..."]
    names = ", ".join([*header[:_EXAMPLES], *more]) or "nothing"
    if missing := sorted(set(columns.values()) - set(header)):
        raise ReplyFileError(f"{path}: expected a header with the columns {missing}, got: {names}")
    if twice := sorted({name for name in header if header.count(name) > 1} & expected):
        raise ReplyFileError(f"{path}: expected each column once, got {twice} again; rename one")
    if not expected & set(header):
        raise ReplyFileError(
            f"{path}: expected a header with columns such as position_id, model, reply and "
            f"true_state, got: {names:.200}; map the columns, as in reply=answer"
        )
    return header, mark, lines


def _split(line: str, mark: str) -> list[str]:
    try:
        return [name.strip() for name in next(csv.reader([line], delimiter=mark), [])]
    except csv.Error:
        return []


def json_rows(
    path: Path, encoding: str | None, files: SourceFiles
) -> Generator[tuple[int, dict[str, Any] | str]]:
    """Yield the objects of JSON Lines, each with its line, or what is wrong with it."""
    with files.text(path, encoding, newline="\n") as text:
        for number, line in enumerate(text, start=1):
            if line.strip():
                yield number, undecodable(line) or _object(line)


def _object(line: str) -> dict[str, Any] | str:
    try:
        entry = json.loads(line)
    except (ValueError, RecursionError) as error:
        return f"expected a JSON object, got: {error!s:.200}"
    if not isinstance(entry, dict):
        return f"expected a JSON object, got {type(entry).__name__}"
    return entry


def inside(row: Mapping[str, Any], name: str) -> tuple[bool, Any]:
    """Return whether a row has a name, dotted where it reaches into objects, and its value."""
    if name in row:
        return True, row[name]
    value: Any = row
    for part in name.split("."):
        if not isinstance(value, dict) or part not in value:
            return False, None
        value = value[part]
    return True, value
