"""Detection and redaction of secrets in texts.

A secret is found in clear and in the forms that servers and loggers produce: JSON, URL, HTML and
Python escapes, base64 (also inside a longer text, as in ``Basic`` authorization), hexadecimal,
upper or lower case, and broken over lines.
"""

import base64
import bisect
import html
import re
import string
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Any, Final, TypeVar

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
        """Take in secrets.

        Args:
            values: Those with fewer than 8 characters are left out: they would be found everywhere.
        """
        self._forms: list[tuple[str, int]] = []
        for value in {value.strip() for value in values}:
            if len(value) >= _SHORTEST:
                for form in _forms(value):
                    part = min(_LONG, max(12, len(form) // 2)) if len(value) >= _LONG else len(form)
                    self._forms.append((form, part))

    def __bool__(self) -> bool:
        return bool(self._forms)

    def redacted(self, value: _T) -> _T:
        """Return a value with `REMOVED` in the place of every secret.

        Args:
            value: A text, or lists, tuples and mappings of texts, of any depth; the keys of
                mappings count too. Anything else is returned as it is.
        """
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
        # Where each part begins in the plain text, where it came from, and whether it was an escape.
        self._starts: list[int] = []
        self._origins: list[tuple[int, int, bool]] = []
        self._length = 0
        end = 0
        for found in _ESCAPE.finditer(text):
            self._add(parts, text[end : found.start()], end, found.start(), escape=False)
            end = found.end()
            self._add(parts, _read(found), found.start(), end, escape=True)
        self._add(parts, text[end:], end, len(text), escape=False)
        self._plain = "".join(parts).translate(_PLAIN_SIGNS)

    def _add(self, parts: list[str], part: str, first: int, last: int, *, escape: bool) -> None:
        if part:
            parts.append(part)
            self._starts.append(self._length)
            self._origins.append((first, last, escape))
            self._length += len(part)

    def spans(self, form: str, part: int) -> Iterator[tuple[int, int]]:
        """Yield where in the text a form stands, or the beginning or end of one that was cut off.

        Args:
            form: What is looked for, in the signs of a plain text.
            part: Signs of the form's beginning or end that count as the form. If these are all of
                it, the form must not be broken by white space.
        """
        whole = len(form)
        for start in self._places(form[:part]):
            length = _shared(form, self._plain[start : start + whole])
            span = self._origin(start)[0], self._origin(start + length - 1)[1]
            if part < whole or not _SPACE.search(self._text, *span):
                yield span
        for place in self._places(form[-part:]) if part < whole else ():
            end = place + part
            length = _shared(form[::-1], self._plain[max(0, end - whole) : end][::-1])
            yield self._origin(end - length)[0], self._origin(end - 1)[1]

    def _places(self, form: str) -> Iterator[int]:
        place = self._plain.find(form)
        while place >= 0:
            yield place
            place = self._plain.find(form, place + 1)

    def _origin(self, place: int) -> tuple[int, int]:
        part = bisect.bisect_right(self._starts, place) - 1
        first, last, escape = self._origins[part]
        if escape:
            return first, last
        first += place - self._starts[part]
        return first, first + 1


def _shared(one: str, other: str) -> int:
    """Return how many signs two texts begin with alike."""
    pairs = zip(one, other, strict=False)
    return next((place for place, (a, b) in enumerate(pairs) if a != b), min(len(one), len(other)))


def _read(escape: re.Match[str]) -> str:
    kind = escape.lastgroup
    said = escape.group(kind) if kind else ""
    if kind == "named":
        said = html.unescape(said)
    elif kind not in ("space", "sign"):
        said = chr(int(said, 10 if kind == "decimal" else 16))
    return "" if kind == "space" or said.isspace() else said


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
    """Return the secrets of an environment.

    Args:
        environment: Variables; those called ``..._KEY``, ``..._TOKEN``, ``..._SECRET``,
            ``..._PASSWORD`` and the like count, and passwords in the URLs of others.
        others: Secrets given otherwise.
        open_texts: What is written on purpose, such as the model's name; a value that stands in one
            of them is no secret.
    """
    values = {value for name, value in environment.items() if _VARIABLE.search(name)}
    values |= {word for value in environment.values() for word in _URL_PASSWORD.findall(value)}
    values |= {value for value in others if value}
    shown = list(open_texts)
    return _secrets(
        frozenset(value for value in values if not any(value in text for text in shown))
    )


@lru_cache(maxsize=8)
def _secrets(values: frozenset[str]) -> Secrets:
    return Secrets(values)


def without_secrets(arguments: Mapping[str, Any]) -> tuple[dict[str, Any], list[str]]:
    """Return arguments as they may be written, and the secrets among them.

    Secret is what is called a key, token, password or the like, at any depth, and every HTTP header
    but the few that say what is asked for, such as ``anthropic-beta``.

    Args:
        arguments: Of Inspect's model class.
    """
    secrets: list[str] = []
    return {name: _shown(name, value, secrets) for name, value in arguments.items()}, secrets


def _shown(name: str, value: Any, secrets: list[str]) -> Any:
    words = {word.lower() for word in _WORD.findall(name)}
    if words & _ARGUMENT_WORDS:
        return _removed(value, secrets)
    if isinstance(value, Mapping):
        headers = bool(words & {"header", "headers"})
        return {
            inner: _removed(item, secrets)
            if headers and inner.lower() not in _OPEN_HEADERS
            else _shown(inner, item, secrets)
            for inner, item in value.items()
        }
    if isinstance(value, list | tuple):
        return [_shown("", item, secrets) for item in value]
    return value


def _removed(value: Any, secrets: list[str]) -> Any:
    if isinstance(value, str):
        # Of "Bearer abc" a server may repeat the second word alone.
        secrets += [value, *value.split()]
        return REMOVED
    if isinstance(value, Mapping):
        return {name: _removed(item, secrets) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [_removed(item, secrets) for item in value]
    return value
