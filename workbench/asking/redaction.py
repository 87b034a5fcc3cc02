"""Redaction of secrets before Inspect sees and writes them.

A server may repeat a key in a reply, a header or its message of refusal, in clear or encoded.
Inspect would write that into its logs, its trace files and on the terminal. So what comes out of a
provider is redacted where it enters, once, and no file has to be searched or written again.
"""

import logging
import os
import sys
import traceback
from collections.abc import Callable
from io import TextIOWrapper
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from workbench.asking.keys import Secrets
from workbench.errors import CallFailedError

if TYPE_CHECKING:
    from inspect_ai.model import Model, ModelOutput

PRIVATE_FOLDER: Final = ".inspect"
"""In a run's folder: what Inspect otherwise keeps in the user's data folder, trace files first."""


def keep_files_in(folder: Path) -> None:
    """Make Inspect write its own files only into a folder.

    Args:
        folder: Folder of the run; what Inspect writes goes into `PRIVATE_FOLDER` in it.
    """
    private = (folder / PRIVATE_FOLDER).resolve()
    private.mkdir(exist_ok=True)
    os.environ["XDG_DATA_HOME"] = str(private)
    os.environ["INSPECT_TRACE_FILE"] = str(private / "trace.log")
    # With local variables a traceback would show the provider's client, key included.
    os.environ["INSPECT_TRACEBACK_LOCALS"] = "0"


def redact_output(secrets: Callable[[], Secrets]) -> None:
    """Redact everything that this process prints or logs.

    Args:
        secrets: Returns the current secrets.
    """
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        stream.flush()
        setattr(sys, name, _RedactingStream(stream.buffer, secrets))
    make = logging.getLogRecordFactory()

    def make_redacted(*args: Any, **kwargs: Any) -> logging.LogRecord:
        record = make(*args, **kwargs)
        try:
            said = record.getMessage()
        except (KeyError, TypeError, ValueError):
            # Its arguments do not fit; logging says so where it would be written.
            return record
        if record.exc_info:
            said += "\n" + "".join(traceback.format_exception(*record.exc_info))
        redacted = secrets().redacted(said)
        if redacted != said:
            record.msg, record.args, record.exc_info = redacted, (), None
        return record

    logging.setLogRecordFactory(make_redacted)


def redact_model(model: "Model", secrets: Callable[[], Secrets]) -> None:
    """Redact what a model's provider returns and raises, before Inspect sees it.

    Args:
        model: As Inspect makes it.
        secrets: Returns the current secrets.
    """
    ask = model.api.generate

    async def generate(*args: Any, **kwargs: Any) -> Any:
        try:
            result = await ask(*args, **kwargs)
        except Exception as error:
            redacted = _redacted_error(error, secrets())
            if redacted is error:
                raise
            raise redacted from None
        finally:
            _redact_request_ids(secrets())
        output, call = result if isinstance(result, tuple) else (result, None)
        if isinstance(output, Exception):
            output = _redacted_error(output, secrets())
        else:
            output = _redacted_reply(output, secrets())
        if call is None:
            return output
        changed = {
            name: secrets().redacted(getattr(call, name)) for name in ("request", "response")
        }
        return output, call.model_copy(update=changed)

    model.api.generate = generate  # type: ignore[method-assign]


class _RedactingStream(TextIOWrapper):
    def __init__(self, buffer: Any, secrets: Callable[[], Secrets]) -> None:
        super().__init__(buffer, encoding="utf-8", errors="backslashreplace", line_buffering=True)
        self._secrets = secrets

    def write(self, text: str) -> int:
        super().write(self._secrets().redacted(text))
        return len(text)


def _redact_request_ids(secrets: Secrets) -> None:
    # Inspect takes these from the response's headers, past what the provider returns.
    from inspect_ai.log import transcript

    for event in transcript().pending_events:
        for request in getattr(event, "request_ids", None) or []:
            request.id = secrets.redacted(request.id)


def _redacted_reply(output: "ModelOutput", secrets: Secrets) -> "ModelOutput":
    entry = output.model_dump(warnings=False)
    redacted = secrets.redacted(entry)
    return output if redacted == entry else type(output).model_validate(redacted)


def _redacted_error(error: Exception, secrets: Secrets) -> Exception:
    """Return an error without secrets, also in its causes.

    It keeps its class and its attributes, by which providers decide what to ask again. One that
    still tells a secret then, because its text is made elsewhere, is replaced.
    """
    waiting: list[BaseException | None] = [error]
    seen: set[int] = set()
    while waiting:
        link = waiting.pop()
        if link is None or id(link) in seen:
            continue
        seen.add(id(link))
        link.args = secrets.redacted(link.args)
        vars(link).update(secrets.redacted(vars(link)))
        waiting += [link.__cause__, link.__context__, *getattr(link, "exceptions", ())]
    said = "".join(traceback.format_exception(error))
    if secrets.redacted(said) == said:
        return error
    replaced = CallFailedError(f"{type(error).__name__}: {secrets.redacted(str(error))}")
    vars(replaced).update(vars(error))
    return replaced
