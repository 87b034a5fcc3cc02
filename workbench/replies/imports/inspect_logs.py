"""Inspect's ``.eval`` logs of others as predictions; Inspect itself is not needed."""

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final

import pandas as pd

from workbench.errors import InvalidArgumentError
from workbench.replies.eval_logs import LoggedReply, read_replies
from workbench.replies.imports.rows import ForeignRow, check_columns, imported_rows
from workbench.replies.recorded import ImportedLog

DEFAULT_FIELDS: Final = {
    "position_id": "id",
    "sample": "epoch",
    "model": "model",
    "reply": "reply",
    "true_fen": "target",
}
"""Where a log has what our columns hold; ``epoch`` counts from 0 here."""

_METADATA: Final = "metadata."
_FIELDS: Final = ("id", "epoch", "model", "reply", "target", "question")


def import_inspect_logs(
    paths: Iterable[Path],
    *,
    columns: Mapping[str, str] | None = None,
    positions: pd.DataFrame | None = None,
    model: str | None = None,
) -> ImportedLog:
    """Read logs of Inspect, in which each sample asked for one board.

    A failed call is a row of class ``failed``, with its reason.

    Args:
        paths: ``.eval`` files.
        columns: Our column to the log's field, beside `DEFAULT_FIELDS`: ``id``, ``epoch``,
            ``model``, ``reply``, ``target``, ``question`` (the last message of the user), or
            ``metadata.NAME``.
        positions: Rows of the POSITIONS schema, to be found by ``position_id``.
        model: The name of the model where a log has none.

    Raises:
        InvalidArgumentError: If a column or field is unknown.
        ReplyFileError: If a log is missing or damaged.
    """
    fields = {**DEFAULT_FIELDS, **(columns or {})}
    check_columns(fields)
    for field in fields.values():
        if field not in _FIELDS and not field.startswith(_METADATA):
            raise InvalidArgumentError(
                f"columns: expected a field of {_FIELDS} or {_METADATA}NAME, got {field!r}"
            )
    return imported_rows(_rows(paths, fields), positions=positions, model=model)


def _rows(paths: Iterable[Path], fields: Mapping[str, str]) -> Iterator[ForeignRow]:
    for path in map(Path, paths):
        for number, logged in enumerate(read_replies(path), start=1):
            values = {column: _value(logged, field) for column, field in fields.items()}
            # A FEN that the mapping points to is the answer itself, unless the call failed.
            given = values.get("predicted_fen") is not None and logged.reply is not None
            yield ForeignRow(path.name, number, values, None if given else logged.prediction())


def _value(logged: LoggedReply, field: str) -> Any:
    if field.startswith(_METADATA):
        return logged.metadata.get(field.removeprefix(_METADATA))
    return {
        "id": logged.position_id,
        "epoch": logged.sample,
        "model": logged.model,
        "reply": logged.reply,
        "target": logged.target,
        "question": logged.question,
    }[field]
