"""Import of Inspect's logs, ``.eval`` or ``.json``, as predictions, without Inspect."""

import json
import math
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final

import pandas as pd

from workbench.answers.imports.eval_logs import LoggedReply, logged_reply, read_replies, read_spec
from workbench.answers.imports.file_reading import FilesRead, encoding_of
from workbench.answers.imports.foreign_rows import (
    AMOUNTS,
    COUNTS,
    ForeignRow,
    RowDefaults,
    imported_rows,
    own_columns,
    rows_of_files,
)
from workbench.answers.imports.import_result import ImportedReplies
from workbench.answers.imports.named_columns import VARIANT_KEYS, inside
from workbench.compression import zipfile
from workbench.errors import InvalidArgumentError, ReplyFileError

_COUNTED: Final = ("stop_reason", *COUNTS, *AMOUNTS)
DEFAULT_FIELDS: Final = {
    "position_id": "id",
    "sample": "epoch",
    "model": "model",
    "reply": "reply",
    "true_state": "target",
    **{name: name for name in _COUNTED},
}
"""Where a log has what our columns hold; ``epoch`` counts from 0 here."""

_ANSWERS: Final = ("predicted_state", "predicted_actions")
_METADATA: Final = "metadata."
_FIELDS: Final = ("id", "epoch", "model", "reply", "target", "question", *_COUNTED)


def import_inspect_logs(
    paths: Iterable[Path],
    *,
    columns: Mapping[str, str] | None = None,
    positions: pd.DataFrame | None = None,
    defaults: RowDefaults | None = None,
    files: FilesRead | None = None,
) -> ImportedReplies:
    """Read logs of Inspect, in which each sample asked for one board.

    A failed call is a row of class ``failed``, with its reason.

    Arguments and errors are as of `import_named_columns`. ``columns`` names fields beside
    `DEFAULT_FIELDS`: ``id``, ``epoch``, ``model``, ``reply``, ``target``, ``question`` (the last
    message of the user), or ``metadata.NAME``, dotted where it reaches into objects.
    """
    fields = {**DEFAULT_FIELDS, **own_columns(columns)}
    for field in fields.values():
        if field not in _FIELDS and not field.startswith(_METADATA):
            raise InvalidArgumentError(
                f"columns: expected a field of {_FIELDS} or {_METADATA}NAME, got {field!r}"
            )
    reading = files or FilesRead()
    variants: tuple[object, ...] = ()

    def entries(path: Path) -> Iterator[tuple[int, LoggedReply | str]]:
        nonlocal variants
        is_json = path.suffix.lower() == ".json"
        spec, replies = (_json_log if is_json else _eval_log)(path, reading)
        # What may name the variant that was played: the task, and its set of games.
        dataset = spec.get("dataset")
        variants = spec.get("task"), dataset.get("name") if isinstance(dataset, dict) else None
        return enumerate(replies, start=1)

    def row_of(path: Path, number: int, logged: LoggedReply) -> Iterator[ForeignRow]:
        values = {column: _value(logged, field) for column, field in fields.items()}
        # An answer that the mapping points to is the answer itself, unless the call failed.
        answers = [values[name] for name in _ANSWERS if values.get(name) is not None]
        yield ForeignRow(
            str(path),
            number,
            path.name,
            values,
            None if answers and logged.reply is not None else logged.prediction,
            names=(*variants, *(logged.metadata.get(key) for key in VARIANT_KEYS)),
            called=fields,
        )

    rows = rows_of_files(paths, entries, row_of)
    return imported_rows(rows, positions=positions, defaults=defaults)


def _eval_log(path: Path, files: FilesRead) -> tuple[dict[str, Any], Iterator[LoggedReply]]:
    files.hashed(path)
    spec = read_spec(path)
    with zipfile.ZipFile(path) as archive:
        share = path.stat().st_size / len(archive.namelist())

    def replies() -> Iterator[LoggedReply]:
        for logged in read_replies(path):
            files.advance(share)
            yield logged

    return spec, replies()


def _json_log(path: Path, files: FilesRead) -> tuple[dict[str, Any], Iterator[LoggedReply | str]]:
    with files.opened(path) as stream:
        encoding = encoding_of(stream, str(path), None)
        try:
            log = json.loads(stream.read().decode(encoding))
            spec, samples = log["eval"], log.get("samples")
            model = str(spec.get("model", ""))
        except (ValueError, RecursionError, KeyError, TypeError, AttributeError) as error:
            raise ReplyFileError(
                f"{path}: expected a log of Inspect in JSON, got: {error!r:.200}; other JSON is "
                "read as JSON Lines, one object per line, in a file named .jsonl"
            ) from error
    if not isinstance(samples, list):
        raise ReplyFileError(
            f"{path}: expected a log of Inspect with samples, found none; it was written without them"
        )
    return spec, (_sample(entry, model) for entry in samples)


def _sample(entry: Any, model: str) -> LoggedReply | str:
    try:
        return logged_reply(entry, model)
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        return f"expected a sample of Inspect, got: {error!r:.200}"


def _value(logged: LoggedReply, field: str) -> Any:
    if field.startswith(_METADATA):
        return inside(logged.metadata, field.removeprefix(_METADATA))[1]
    return {
        "id": logged.position_id,
        "epoch": logged.sample,
        "model": logged.model,
        "reply": logged.reply,
        "target": logged.target,
        "question": logged.question,
        "stop_reason": logged.stop_reason,
        "input_tokens": _sum(
            logged.usage, "input_tokens", "input_tokens_cache_read", "input_tokens_cache_write"
        ),
        "output_tokens": _sum(logged.usage, "output_tokens"),
        "reasoning_tokens": _sum(logged.usage, "reasoning_tokens"),
        "dollars": _sum(logged.usage, "total_cost"),
        "seconds": _sum({"seconds": logged.seconds}, "seconds"),
    }[field]


def _sum(usage: Mapping[str, Any], *names: str) -> int | float | None:
    """Return the sum of what is logged; None where that is nothing, or no amount."""
    values = [usage[name] for name in names if usage.get(name) is not None]
    usable = all(isinstance(value, (int, float)) and 0 <= value < math.inf for value in values)
    return sum(values) if values and usable else None
