"""Errors of calls: their reason in one line, whether to repeat, and responses that are no answers."""

import importlib
import importlib.util
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from inspect_ai.model import ModelAPI


ENDING_STATUSES: Final = {
    401: "the provider refused the key",
    402: "the provider asks for payment",
    404: "the provider knows no such model or address",
}
"""HTTP statuses that every further call would get as well."""

PASSING_STATUSES: Final = frozenset({408, 409, 425, 429})
"""The statuses from 400 to 499 that the same request need not get again."""

TIMED_OUT: Final = "timed out"
BROKEN_OFF: Final = "broke off, or its reply could not be read"

_QUOTA: Final = ("insufficient_quota", "quota_exceeded", "billing_hard_limit_reached")
_WRAPPERS: Final = frozenset({"RetryError", "ModelGenerateError"})
_UNSENT: Final = frozenset(
    {"ConnectError", "ConnectTimeout", "ConnectionRefusedError", "gaierror", "PrerequisiteError"}
)
_LENGTH: Final = 300


@dataclass(frozen=True, slots=True)
class Fault:
    """Why a call failed.

    Attributes:
        reason: One line.
        ends_run: Whether to stop asking, because every other call would fail too.
        permanent: Whether the same call would fail again: the server understood it and refused.
        unknown_cost: Why the cost of the call is unknown; empty if it cost nothing.
    """

    reason: str
    ends_run: bool = False
    permanent: bool = False
    unknown_cost: str = ""


def fault_of(error: BaseException) -> Fault:
    """Return the fault that an exception of a provider represents."""
    chain = _causes(error)
    status = next((code for code in map(_status, chain) if code), 0)
    # The wrapper of a retry says nothing, and that of Inspect repeats the whole request.
    own = [link for link in chain if type(link).__name__ not in _WRAPPERS] or chain[-1:]
    reason = _text_of(own[0])
    if len(own) > 1 and str(own[-1]) not in reason:
        reason += f" ({_text_of(own[-1])})"
    if len(reason) > _LENGTH:
        reason = reason[: _LENGTH - 1] + "…"
    if status in ENDING_STATUSES:
        return Fault(f"{ENDING_STATUSES[status]} ({status}): {reason}", ends_run=True)
    messages = " ".join(f"{getattr(link, 'code', '')} {link}" for link in chain)
    if any(word in messages for word in _QUOTA):
        return Fault(f"the provider's quota is used up: {reason}", ends_run=True)
    return Fault(
        reason,
        permanent=400 <= status < 500 and status not in PASSING_STATUSES,
        unknown_cost="" if status >= 400 else _unknown_cost(chain),
    )


def _unknown_cost(chain: list[BaseException]) -> str:
    kinds = {kind.__name__ for link in chain for kind in type(link).__mro__}
    if kinds & _UNSENT:
        return ""
    return TIMED_OUT if any("Timeout" in kind for kind in kinds) else BROKEN_OFF


def _status(error: BaseException) -> int:
    response = getattr(error, "response", None)
    codes = [getattr(error, "status_code", None), getattr(response, "status_code", None)]
    # Google's client has it as its code, Amazon's in a dictionary.
    codes.append(getattr(error, "code", None))
    if isinstance(response, Mapping):
        codes.append((response.get("ResponseMetadata") or {}).get("HTTPStatusCode"))
    return next((code for code in codes if isinstance(code, int) and 400 <= code < 600), 0)


def _text_of(error: BaseException) -> str:
    return f"{type(error).__name__}: {' '.join(str(error).split()) or 'no message'}"


def _causes(error: BaseException) -> list[BaseException]:
    """Return an exception and those it came from, the first cause last."""
    chain = [error]
    while len(chain) < 20:
        attempt = getattr(chain[-1], "last_attempt", None)
        cause = attempt.exception() if attempt is not None else chain[-1].__cause__
        if cause is None or cause in chain:
            break
        chain.append(cause)
    return chain


MOST_BYTES: Final = 2**25
"""The largest response, decompressed: more than a hundred times a reply of 60,000 tokens."""

HTTP_CLIENTS: Final = ("httpx", "httpx2")
"""The packages through which Inspect's providers send requests; both have the same classes."""

_ENCODINGS: Final = ("gzip", "deflate")
_PIECE_BYTES: Final = 2**12
"""Compressed bytes that are decompressed at once; deflate makes at most 1,032 of each."""

_COUNTS: Final = ("prompt_tokens", "completion_tokens", "total_tokens")
_DETAILS: Final = {
    "prompt_tokens_details": ("cached_tokens", "cache_write_tokens"),
    "completion_tokens_details": ("reasoning_tokens",),
}


class NoAnswerError(RuntimeError):
    """A response with status 200 holds an error, or no choice."""

    def __init__(self, message: str, code: object = None) -> None:
        super().__init__(message)
        named = isinstance(code, int) and not isinstance(code, bool)
        self.status_code = code if named else None
        self.code = "" if named or code is None else str(code)


class LargeResponseError(RuntimeError):
    """A response is larger than `MOST_BYTES`, or compressed in a way that was not asked for."""


def check_responses(api: "ModelAPI") -> None:
    """Let Inspect's provider of OpenAI-compatible servers check what comes.

    It raises `NoAnswerError` for a response without an answer, which Inspect takes for one, and
    fails as it looks for the reply in it. And it leaves out token counts that are no numbers, for
    which Inspect would reject the answer. Other providers have no place to look at their responses.
    """
    original = getattr(api, "on_response", None)
    if original is None:
        return

    def checked(response: dict[str, Any]) -> None:
        original(response)
        error = response.get("error")
        if error and not response.get("choices"):
            fields = error if isinstance(error, Mapping) else {"message": error}
            code = fields.get("code") or fields.get("type")
            suffix = f" ({code})" if code else ""
            raise NoAnswerError(f"the response is an error: {fields.get('message')}{suffix}", code)
        if not response.get("choices"):
            raise NoAnswerError("the response holds no choice")

    # A hook for subclasses; setattr, because not every provider has it.
    setattr(api, "on_response", checked)  # noqa: B010

    choices: Any = getattr(api, "chat_choices_from_completion", None)
    if choices is None:
        return

    def choices_of(completion: Any, tools: Any) -> Any:
        if not _is_readable(completion.model_dump(warnings=False).get("usage")):
            completion.usage = None
        return choices(completion, tools)

    setattr(api, "chat_choices_from_completion", choices_of)  # noqa: B010


def _is_readable(usage: object) -> bool:
    if not isinstance(usage, Mapping):
        return False
    counts = [usage.get(name) for name in _COUNTS]
    for group, names in _DETAILS.items():
        details = usage.get(group) or {}
        if not isinstance(details, Mapping):
            return False
        counts += [details.get(name) or 0 for name in names]
    return all(isinstance(count, int) and not isinstance(count, bool) for count in counts)


def bound_responses(most: int = MOST_BYTES) -> None:
    """Let every HTTP response that this process receives end with an error where it is too large.

    The clients of providers read and decompress a whole response before anything can look at it. None
    of them has a limit, so this is one for the transport below them all. Only gzip and deflate are
    asked for, and other compression is refused: a few bytes of it can stand for gigabytes.
    """
    for name in HTTP_CLIENTS:
        if importlib.util.find_spec(name) is not None:
            _bound(importlib.import_module(name), most)


def _bound(client: Any, most: int) -> None:
    original = client.AsyncHTTPTransport.handle_async_request

    class Body(client.AsyncByteStream):  # type: ignore[misc]
        def __init__(self, parts: AsyncIterator[bytes], source: Any) -> None:
            self.parts = parts
            self.source = source

        def __aiter__(self) -> AsyncIterator[bytes]:
            return self.parts

        async def aclose(self) -> None:
            await self.source.aclose()

    async def pieces(body: Any) -> AsyncIterator[bytes]:
        async for part in body:
            for start in range(0, len(part), _PIECE_BYTES):
                yield part[start : start + _PIECE_BYTES]

    async def bounded(response: Any) -> AsyncIterator[bytes]:
        size = 0
        async for part in response.aiter_bytes():
            size += len(part)
            if size > most:
                raise LargeResponseError(f"the response is larger than {most:,} bytes")
            yield part

    async def handle_async_request(self: Any, request: Any) -> Any:
        request.headers["accept-encoding"] = ", ".join(_ENCODINGS)
        response = await original(self, request)
        compression = response.headers.get("content-encoding", "identity").strip().lower()
        if compression not in (*_ENCODINGS, "identity"):
            await response.aclose()
            raise LargeResponseError(
                f"expected a response compressed by {' or '.join(_ENCODINGS)}, got {compression!r:.80}"
            )
        plain = client.Response(
            200, headers=response.headers, stream=Body(pieces(response.stream), response.stream)
        )
        headers = [
            (name, value)
            for name, value in response.headers.raw
            if name.lower() not in (b"content-encoding", b"content-length")
        ]
        return client.Response(
            response.status_code,
            headers=headers,
            stream=Body(bounded(plain), plain),
            extensions=response.extensions,
        )

    client.AsyncHTTPTransport.handle_async_request = handle_async_request
