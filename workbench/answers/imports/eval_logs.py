"""Reading of Inspect's ``.eval`` logs without Inspect: the sample entries of the zip, in order.

Inspect's own reader builds every sample with all its events, some 30 ms each; a table of
predictions needs a few fields of each. The log of a run that is still going on, or was killed, can
be read as well: Inspect replaces the file as a whole.
"""

import json
import lzma
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

from workbench.compression import zipfile, zstd
from workbench.environments.registry import AnyEnvironment
from workbench.errors import ReplyFileError
from workbench.prediction import Prediction, ReplyClass
from workbench.tasks import Task

CALL_FAILED: Final = "call failed: "
"""How the reason of a ``failed`` row begins."""

_SAMPLES: Final = "samples/"
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
    usage: dict[str, Any] = field(default_factory=dict)
    seconds: float | None = None

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
        if name.startswith(_SAMPLES):
            try:
                entry = json.loads(text)
                reply = logged_reply(entry, model)
            except (ValueError, KeyError, TypeError, AttributeError) as error:
                raise ReplyFileError(
                    f"{path}, entry {name}: expected a sample of Inspect, got: {error!r}"
                ) from error
            yield reply


def read_spec(path: Path) -> dict[str, Any]:
    """Return what a log says of its run: task, model, arguments and so on."""
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
    try:
        with zipfile.ZipFile(path) as archive:
            members = dict.fromkeys(archive.namelist())
            for name in names or members:
                if name in members:
                    yield name, _entry(archive, name, path)
    except ReplyFileError:
        raise
    except _READING_ERRORS as error:
        raise ReplyFileError(
            f"{path}: expected a whole .eval log of Inspect, got: {error}"
        ) from error


def _entry(archive: zipfile.ZipFile, name: str, path: Path) -> bytes:
    try:
        return archive.read(name)
    except _READING_ERRORS as error:
        raise ReplyFileError(
            f"{path}: entry {name!r}: expected it whole, got: {error}; copy the log again"
        ) from error


def with_attachments(value: Any, attachments: dict[str, str]) -> Any:
    """Return a part of a sample with the texts that Inspect keeps beside it put in their places."""
    if isinstance(value, str) and value.startswith(_ATTACHMENT):
        return attachments.get(value.removeprefix(_ATTACHMENT), value)
    if isinstance(value, list):
        return [with_attachments(inner, attachments) for inner in value]
    if isinstance(value, dict):
        return {name: with_attachments(inner, attachments) for name, inner in value.items()}
    return value


def logged_reply(entry: dict[str, Any], model: str) -> LoggedReply:
    """Return what a sample of Inspect, as JSON, says of the model's reply."""
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
        reply = _text(choice["message"]["content"], attachments)
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


def _text(content: object, attachments: dict[str, str]) -> str:
    """Return the text of a message; a part that is no text, such as reasoning, is left out."""
    if isinstance(content, str):
        if content.startswith(_ATTACHMENT):
            content = attachments.get(content.removeprefix(_ATTACHMENT), content)
        # UTF-8 holds no lone surrogate, which a model's JSON may.
        return content.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if not isinstance(content, list):
        return ""
    parts = [part["text"] for part in content if part.get("type") == "text"]
    return "\n".join(_text(part, attachments) for part in parts)


def _question(content: object, attachments: dict[str, str]) -> str:
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
