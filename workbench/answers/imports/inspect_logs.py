"""Inspect's logs, ``.eval`` or ``.json``, as predictions, without Inspect.

Inspect's own reader builds every sample with all its events, some 30 ms each; a table of
predictions needs a few fields of each. The log of a run that is still going on, or was killed, can
be read as well: Inspect replaces the file as a whole.
"""

import json
import lzma
import math
import zlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

import pandas as pd

from workbench.answers.imports.file_reading import SourceFiles, encoding_of
from workbench.answers.imports.foreign_rows import (
    AMOUNTS,
    COUNTS,
    ForeignRow,
    RowDefaults,
    imported_rows,
    own_columns,
    rows_of_files,
)
from workbench.answers.imports.import_result import CALL_FAILED, ImportedReplies, storable
from workbench.answers.imports.named_columns import VARIANT_KEYS, inside
from workbench.compression import zipfile, zstd
from workbench.environments.registry import AnyEnvironment
from workbench.errors import InvalidArgumentError, ReplyFileError
from workbench.prediction import Prediction, ReplyClass
from workbench.tasks import Task

SAMPLES: Final = "samples/"
"""How the names of a log's samples begin."""

_REASON_LENGTH: Final = 300
_ATTACHMENT: Final = "attachment://"
_READING_ERRORS: Final = (
    EOFError,
    OSError,
    RuntimeError,
    ValueError,
    lzma.LZMAError,
    zipfile.BadZipFile,
    zlib.error,
    zstd.ZstdError,
)
_SAMPLE_ERRORS: Final = (ValueError, KeyError, TypeError, AttributeError)
_COUNTED: Final = ("stop_reason", *COUNTS, *AMOUNTS)
DEFAULT_FIELDS: Final = {
    "position_id": "id",
    "sample": "epoch",
    "model": "model",
    "reply": "reply",
    "true_state": "target",
    **{name: name for name in _COUNTED},
}
"""The field of a log for each of our columns; ``epoch`` counts from 0 here."""

_ANSWERS: Final = ("predicted_state", "predicted_actions")
_METADATA: Final = "metadata."
_FIELDS: Final = ("id", "epoch", "model", "reply", "target", "question", *_COUNTED)
_USAGE: Final = {
    "input_tokens": ("input_tokens", "input_tokens_cache_read", "input_tokens_cache_write"),
    "output_tokens": ("output_tokens",),
    "reasoning_tokens": ("reasoning_tokens",),
    "dollars": ("total_cost",),
}


@dataclass(frozen=True, slots=True)
class LoggedReply:
    """One sample of a log; without a reply, ``failure`` says why, and begins with `CALL_FAILED`."""

    position_id: str
    sample: int
    model: str
    question: str
    target: str | None
    reply: str | None
    stop_reason: str
    failure: str
    metadata: dict[str, Any]
    usage: dict[str, Any]
    seconds: float | None

    def prediction(self, environment: AnyEnvironment, task: Task) -> Prediction:
        """Return the answer of the reply; a failed call is ``failed``, with its reason."""
        if self.reply is None:
            return Prediction(ReplyClass.FAILED, None, reason=self.failure)
        return prediction_of(self.reply, self.stop_reason, environment, task)


def prediction_of(
    reply: str, stop_reason: str, environment: AnyEnvironment, task: Task
) -> Prediction:
    """Return the answer of a reply; without one, the reason includes the stop reason."""
    prediction = task.classify(environment, reply)
    if prediction.reply_class not in (ReplyClass.ABSENT, ReplyClass.UNPARSEABLE):
        return prediction
    ended = {
        "max_tokens": "; the reply was cut off at its longest length",
        "content_filter": "; the provider's content filter stopped the reply",
    }.get(stop_reason, "")
    return replace(prediction, reason=prediction.reason + ended)


def read_replies(path: Path) -> Iterator[LoggedReply]:
    """Yield the samples of a log in the order of the file."""
    model = str(read_spec(path).get("model", ""))
    for name, text in log_entries(path):
        if name.startswith(SAMPLES):
            try:
                entry = json.loads(text)
                reply = logged_reply(entry, model)
            except _SAMPLE_ERRORS as error:
                raise ReplyFileError(
                    f"{path}, entry {name}: expected a sample of Inspect, got: {error!r}"
                ) from error
            yield reply


def read_spec(path: Path) -> dict[str, Any]:
    """Return the header of a log: task, model, arguments and so on."""
    names = ("header.json", "_journal/start.json")
    for name, text in log_entries(path, names):
        try:
            spec = json.loads(text)["eval"]
        except (ValueError, KeyError, TypeError) as error:
            raise ReplyFileError(
                f"{path}, entry {name}: no header of Inspect: {error!r}"
            ) from error
        if isinstance(spec, dict):
            return spec
    raise ReplyFileError(f"{path}: expected a log of Inspect with one of {names}, found neither")


def log_entries(path: Path, names: tuple[str, ...] = ()) -> Iterator[tuple[str, bytes]]:
    """Yield the entries of a log's zip, decompressed, each with its name.

    Of entries with the same name only the last counts, as in every reader of zips.
    """
    where = str(path)
    try:
        with zipfile.ZipFile(path) as archive:
            members = dict.fromkeys(archive.namelist())
            for name in filter(members.__contains__, names or members):
                where = f"{path}: entry {name!r}"
                yield name, archive.read(name)
    except _READING_ERRORS as error:
        raise ReplyFileError(
            f"{where}: expected a whole .eval log of Inspect, got: {error}; copy the log again"
        ) from error


def with_attachments(value: Any, attachments: Mapping[str, str]) -> Any:
    """Return a part of a sample with the references to attachments replaced by their texts."""
    if isinstance(value, str) and value.startswith(_ATTACHMENT):
        return attachments.get(value.removeprefix(_ATTACHMENT), value)
    if isinstance(value, list):
        return [with_attachments(inner, attachments) for inner in value]
    if isinstance(value, dict):
        return {name: with_attachments(inner, attachments) for name, inner in value.items()}
    return value


def logged_reply(entry: dict[str, Any], model: str) -> LoggedReply:
    """Return the model's reply in a sample of Inspect, as JSON."""
    attachments = entry.get("attachments") or {}
    output = entry.get("output") or {}
    reply, stop_reason, failure = None, "", ""
    if entry.get("error"):
        failure = _shortened(_last_line(str(entry["error"].get("message", ""))))
    elif not output.get("choices"):
        failure = _shortened(str(output.get("error") or "the response holds no choice"))
    else:
        choice = output["choices"][0]
        stop_reason = str(choice.get("stop_reason", ""))
        reply = reply_text(output, attachments)
        if stop_reason == "model_length":
            failure = _shortened(f"the context is too long for the model: {reply}")
            reply = None
    target = entry.get("target")
    metadata = entry.get("metadata") or {}
    usage = (entry.get("model_usage") or {}).get(model) or output.get("usage") or {}
    if not isinstance(metadata, dict) or not isinstance(usage, dict):
        raise TypeError(
            f"metadata or usage: expected an object, got {metadata!r:.80}, {usage!r:.80}"
        )
    return LoggedReply(
        position_id=str(entry["id"]),
        sample=int(entry["epoch"]) - 1,
        model=model,
        question=_question(entry.get("input", ""), attachments),
        target=target if isinstance(target, str) and target else None,
        reply=reply,
        stop_reason=stop_reason,
        failure=failure and CALL_FAILED + failure,
        metadata=metadata,
        usage=usage,
        seconds=output.get("time"),
    )


def reply_text(
    output: Mapping[str, Any], attachments: Mapping[str, str] = MappingProxyType({})
) -> str:
    """Return the text of the first choice of an output of Inspect, as JSON."""
    return _text(output["choices"][0]["message"]["content"], attachments)


def _text(content: object, attachments: Mapping[str, str]) -> str:
    """Return the text of a message; a part that is no text, such as reasoning, is left out."""
    if isinstance(content, str):
        return storable(with_attachments(content, attachments))
    if not isinstance(content, list):
        return ""
    parts = [part["text"] for part in content if part.get("type") == "text"]
    return "\n".join(_text(part, attachments) for part in parts)


def _question(content: object, attachments: Mapping[str, str]) -> str:
    if isinstance(content, str):
        return _text(content, attachments)
    messages = content if isinstance(content, list) else []
    texts = [message["content"] for message in messages if message.get("role") == "user"]
    return _text(texts[-1], attachments) if texts else ""


def _last_line(message: str) -> str:
    # Inspect puts the whole request before the error.
    lines = [line.strip() for line in message.splitlines() if line.strip()]
    return lines[-1] if lines else "unknown"


def _shortened(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= _REASON_LENGTH else text[: _REASON_LENGTH - 1] + "…"


def import_inspect_logs(
    paths: Iterable[Path],
    *,
    columns: Mapping[str, str] | None = None,
    positions: pd.DataFrame | None = None,
    defaults: RowDefaults | None = None,
    files: SourceFiles | None = None,
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
    reading = files or SourceFiles()
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


def _eval_log(path: Path, files: SourceFiles) -> tuple[dict[str, Any], Iterator[LoggedReply]]:
    files.hashed(path)
    spec = read_spec(path)
    with zipfile.ZipFile(path) as archive:
        share = path.stat().st_size / len(archive.namelist())

    def replies() -> Iterator[LoggedReply]:
        for logged in read_replies(path):
            files.advance(share)
            yield logged

    return spec, replies()


def _json_log(path: Path, files: SourceFiles) -> tuple[dict[str, Any], Iterator[LoggedReply | str]]:
    with files.stream(path) as stream:
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

    def reply_or_fault(entry: Any) -> LoggedReply | str:
        try:
            return logged_reply(entry, model)
        except _SAMPLE_ERRORS as error:
            return f"expected a sample of Inspect, got: {error!r:.200}"

    return spec, map(reply_or_fault, samples)


def _value(logged: LoggedReply, field: str) -> Any:
    if field.startswith(_METADATA):
        return inside(logged.metadata, field.removeprefix(_METADATA))[1]
    if field not in (*COUNTS, *AMOUNTS):
        return getattr(logged, {"id": "position_id", "epoch": "sample"}.get(field, field))
    amounts = {**logged.usage, "seconds": logged.seconds}
    values = [
        amounts[name] for name in _USAGE.get(field, (field,)) if amounts.get(name) is not None
    ]
    usable = all(isinstance(value, (int, float)) and 0 <= value < math.inf for value in values)
    return sum(values) if values and usable else None
