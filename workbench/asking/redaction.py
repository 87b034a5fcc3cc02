"""Detection of secrets in texts, and their redaction before Inspect writes them."""

import base64
import html
import logging
import os
import re
import string
import sys
import traceback
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache
from io import TextIOWrapper
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar

from workbench.errors import CallFailedError

if TYPE_CHECKING:
    from inspect_ai.model import Model


REMOVED: Final = "[key removed]"

_VARIABLE: Final = re.compile(
    r"(?:^|_)(?:API_?)?(?:KEYS?|TOKENS?|SECRETS?|PASS(?:WORD|WD|PHRASE)?|PAT|CREDENTIALS?)"
    r"(?:_ID)?_?[0-9]*$",
    re.IGNORECASE,
)
_ARGUMENT_WORDS: Final = frozenset(
    {"apikey", "auth", "authorization", "bearer", "cookie", "credential", "credentials", "key",
     "keys", "passphrase", "passwd", "password", "secret", "secrets", "session", "signature",
     "token"}
)  # fmt: skip
_OPEN_HEADERS: Final = frozenset(
    {"accept", "anthropic-beta", "anthropic-version", "content-type", "http-referer", "openai-beta",
     "user-agent", "x-title"}
)  # fmt: skip
"""Headers that say what is asked for, and not who asks."""

_WORD: Final = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_URL_PASSWORD: Final = re.compile(r"://[^/\s:@]*:([^/\s@]+)@")
_SHORTEST: Final = 8
_LONG: Final = 16
"""Secrets of this length are looked for across white space and in parts; shorter ones may be words."""

_ESCAPE: Final = re.compile(
    r"\\*%(?:25)*(?P<percent>[0-9A-Fa-f]{2})"
    r"|\\+u(?P<unicode>[0-9A-Fa-f]{4})"
    r"|\\+x(?P<hex>[0-9A-Fa-f]{2})"
    r"|\\*&\#(?P<decimal>[0-9]{2,3});"
    r"|\\*&\#[xX](?P<entity>[0-9A-Fa-f]{2});"
    r"|\\*(?P<named>&(?:quot|apos|amp|lt|gt);)"
    r"|(?P<space>(?:\s|\\+[nrt]|[\u200b-\u200d\u2060\ufeff])+)"
    r"|\\+(?P<sign>[^\\]|\Z)"
)
_SPACE: Final = re.compile(r"\s|\\[nrt]")
_PLAIN_SIGNS: Final = str.maketrans(
    # Base64 for URLs writes - and _ for + and /.
    string.ascii_uppercase + "-_",
    string.ascii_lowercase + "+/",
)

_T = TypeVar("_T")


class Secrets:
    """The secrets, and the redaction of texts."""

    def __init__(self, values: Iterable[str]) -> None:
        self._forms: list[tuple[str, int]] = []
        for value in {value.strip() for value in values}:
            if len(value) >= _SHORTEST:
                for form in _forms(value):
                    part = min(_LONG, max(12, len(form) // 2)) if len(value) >= _LONG else len(form)
                    self._forms.append((form, part))

    def __bool__(self) -> bool:
        return bool(self._forms)

    def redacted(self, value: _T) -> _T:
        """Return a value with `REMOVED` in the place of every secret."""
        changed: Any = value
        if not self._forms:
            return value
        if isinstance(value, str):
            changed = self._without(value)
        elif isinstance(value, bytes):
            changed = self._without(value.decode("latin-1")).encode("latin-1")
        elif isinstance(value, Mapping):
            changed = {self.redacted(name): self.redacted(item) for name, item in value.items()}
        elif isinstance(value, list):
            changed = [self.redacted(item) for item in value]
        elif isinstance(value, tuple):
            changed = tuple(self.redacted(item) for item in value)
        return changed if changed != value else value

    def _without(self, text: str) -> str:
        # Nearly every text is done with here; where a secret stands takes ten times as long to say.
        signs = _ESCAPE.sub(_read, "".join(text.split())).translate(_PLAIN_SIGNS)
        if not any(form[:part] in signs or form[-part:] in signs for form, part in self._forms):
            return text
        plain = _Plain(text)
        spans = sorted(span for form, part in self._forms for span in plain.spans(form, part))
        parts: list[str] = []
        end = 0
        for first, last in spans:
            if first >= end:
                parts += [text[end:first], REMOVED]
            end = max(end, last)
        return "".join([*parts, text[end:]])


class _Plain:
    """A text with its escapes read, without white space, in lower case; and where it came from."""

    def __init__(self, text: str) -> None:
        self._text = text
        parts: list[str] = []
        # Where in the text each sign of the plain text came from.
        self._origins: list[tuple[int, int]] = []
        start = 0
        while start < len(text):
            escape = _ESCAPE.match(text, start)
            end = escape.end() if escape else start + 1
            parts.append(_read(escape) if escape else text[start])
            self._origins += [(start, end)] * len(parts[-1])
            start = end
        self._plain = "".join(parts).translate(_PLAIN_SIGNS)

    def spans(self, form: str, part: int) -> Iterator[tuple[int, int]]:
        """Yield where in the text a form stands, or the beginning or end of one that was cut off."""
        whole = len(form)
        for start in self._places(form[:part]):
            length = _shared(form, self._plain[start : start + whole])
            span = self._origins[start][0], self._origins[start + length - 1][1]
            if part < whole or not _SPACE.search(self._text, *span):
                yield span
        for place in self._places(form[-part:]) if part < whole else ():
            end = place + part
            length = _shared(form[::-1], self._plain[max(0, end - whole) : end][::-1])
            yield self._origins[end - length][0], self._origins[end - 1][1]

    def _places(self, form: str) -> Iterator[int]:
        # A lookahead finds also those that overlap.
        return (match.start() for match in re.finditer(f"(?={re.escape(form)})", self._plain))


def _shared(one: str, other: str) -> int:
    """Return how many signs two texts begin with alike."""
    pairs = zip(one, other, strict=False)
    return next((place for place, (a, b) in enumerate(pairs) if a != b), min(len(one), len(other)))


def _read(escape: re.Match[str]) -> str:
    kind = escape.lastgroup
    text = escape.group(kind) if kind else ""
    if kind == "named":
        text = html.unescape(text)
    elif kind not in ("space", "sign"):
        text = chr(int(text, 10 if kind == "decimal" else 16))
    return "" if kind == "space" or text.isspace() else text


def _forms(secret: str) -> set[str]:
    """Return what a secret looks like in a plain text: as it is, in base64, in hexadecimal."""
    data = secret.encode()
    written = {secret, secret.replace(" ", "+"), data.hex()}
    # Inside a longer text the bytes before the secret shift it by none, 8 or 16 of 24 bits; the signs
    # that it shares with its neighbours are left out.
    for before in range(3):
        shared = -(-before * 8 // 6)
        whole = (before + len(data)) * 8 // 6
        written.add(base64.b64encode(bytes(before) + data).decode()[shared:whole])
    return {_ESCAPE.sub(_read, text).translate(_PLAIN_SIGNS) for text in written}


def secrets_in(
    environment: Mapping[str, str], *others: str | None, open_texts: Iterable[str] = ()
) -> Secrets:
    """Return the secrets of an environment."""
    values = {value for name, value in environment.items() if _VARIABLE.search(name)}
    values |= {word for value in environment.values() for word in _URL_PASSWORD.findall(value)}
    values |= {value for value in others if value}
    texts = list(open_texts)
    return _secrets(
        frozenset(value for value in values if not any(value in text for text in texts))
    )


@lru_cache(maxsize=8)
def _secrets(values: frozenset[str]) -> Secrets:
    return Secrets(values)


def without_secrets(arguments: Mapping[str, Any]) -> tuple[dict[str, Any], list[str]]:
    """Return arguments as they may be written, and the secrets among them.

    Secret is what is called a key, token, password or the like, at any depth, and every HTTP header
    but the few that say what is asked for, such as ``anthropic-beta``.
    """
    secrets: list[str] = []
    return {name: _open(name, value, secrets) for name, value in arguments.items()}, secrets


def _open(name: str, value: Any, secrets: list[str], *, is_secret: bool = False) -> Any:
    words = {word.lower() for word in _WORD.findall(name)}
    is_secret = is_secret or bool(words & _ARGUMENT_WORDS)
    if is_secret and isinstance(value, str):
        # Of "Bearer abc" a server may repeat the second word alone.
        secrets += [value, *value.split()]
        return REMOVED
    if isinstance(value, Mapping):
        headers = bool(words & {"header", "headers"})

        def is_private(inner: str) -> bool:
            return is_secret or (headers and inner.lower() not in _OPEN_HEADERS)

        return {
            inner: _open(inner, item, secrets, is_secret=is_private(inner))
            for inner, item in value.items()
        }
    if isinstance(value, list | tuple):
        return [_open("", item, secrets, is_secret=is_secret) for item in value]
    return value


PRIVATE_FOLDER: Final = ".inspect"
"""In a run's folder: what Inspect otherwise keeps in the user's data folder, trace files first."""


def keep_files_in(folder: Path) -> None:
    """Make Inspect write its own files only into a folder."""
    private = (folder / PRIVATE_FOLDER).resolve()
    private.mkdir(exist_ok=True)
    os.environ["XDG_DATA_HOME"] = str(private)
    os.environ["INSPECT_TRACE_FILE"] = str(private / "trace.log")
    # With local variables a traceback would show the provider's client, key included.
    os.environ["INSPECT_TRACEBACK_LOCALS"] = "0"


def redact_output(secrets: Callable[[], Secrets]) -> None:
    """Redact everything that this process prints or logs."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        stream.flush()
        setattr(sys, name, _RedactingStream(stream.buffer, secrets))
    make = logging.getLogRecordFactory()

    def make_redacted(*args: Any, **kwargs: Any) -> logging.LogRecord:
        record = make(*args, **kwargs)
        try:
            text = record.getMessage()
        except (KeyError, TypeError, ValueError):
            # Its arguments do not fit; logging says so where it would be written.
            return record
        if record.exc_info:
            text += "\n" + "".join(traceback.format_exception(*record.exc_info))
        redacted = secrets().redacted(text)
        if redacted != text:
            record.msg, record.args, record.exc_info = redacted, (), None
        return record

    logging.setLogRecordFactory(make_redacted)


def redact_model(model: "Model", secrets: Callable[[], Secrets]) -> None:
    """Redact what a model's provider returns and raises, before Inspect sees it."""
    from inspect_ai.log import transcript

    ask = model.api.generate

    async def generate(*args: Any, **kwargs: Any) -> Any:
        try:
            result = await ask(*args, **kwargs)
        except Exception as error:
            safe = _redacted_error(error, secrets())
            if safe is error:
                raise
            raise safe from None
        finally:
            # Inspect takes these from the response's headers, past what the provider returns.
            for event in transcript().pending_events:
                for request in getattr(event, "request_ids", None) or []:
                    request.id = secrets().redacted(request.id)
        output, call = result if isinstance(result, tuple) else (result, None)
        if isinstance(output, Exception):
            output = _redacted_error(output, secrets())
        else:
            entry = output.model_dump(warnings=False)
            redacted = secrets().redacted(entry)
            output = output if redacted == entry else type(output).model_validate(redacted)
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


def _redacted_error(error: Exception, secrets: Secrets) -> Exception:
    """Return an error without secrets, also in its causes.

    It keeps its class and its attributes, by which providers decide what to ask again. One that
    still tells a secret then, because its text is made elsewhere, is replaced.
    """
    waiting: list[BaseException | None] = [error]
    ids: set[int] = set()
    while waiting:
        link = waiting.pop()
        if link is None or id(link) in ids:
            continue
        ids.add(id(link))
        link.args = secrets.redacted(link.args)
        vars(link).update(secrets.redacted(vars(link)))
        waiting += [link.__cause__, link.__context__, *getattr(link, "exceptions", ())]
    text = "".join(traceback.format_exception(error))
    if secrets.redacted(text) == text:
        return error
    replaced = CallFailedError(f"{type(error).__name__}: {secrets.redacted(str(error))}")
    vars(replaced).update(vars(error))
    return replaced
