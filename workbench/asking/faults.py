"""Errors of calls: the reason in one line, whether to repeat, and whether the cost is unknown."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

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
    """Return the fault that an exception of a provider represents.

    Args:
        error: As Inspect raises it; the causes it was raised from are looked at too.
    """
    chain = _causes(error)
    status = next((code for code in map(_status, chain) if code), 0)
    # The wrapper of a retry says nothing, and that of Inspect repeats the whole request.
    own = [link for link in chain if type(link).__name__ not in _WRAPPERS] or chain[-1:]
    said = _named(own[0])
    if len(own) > 1 and str(own[-1]) not in said:
        said += f" ({_named(own[-1])})"
    if len(said) > _LENGTH:
        said = said[: _LENGTH - 1] + "…"
    if status in ENDING_STATUSES:
        return Fault(f"{ENDING_STATUSES[status]} ({status}): {said}", ends_run=True)
    said_of = " ".join(f"{getattr(link, 'code', '')} {link}" for link in chain)
    if any(word in said_of for word in _QUOTA):
        return Fault(f"the provider's quota is used up: {said}", ends_run=True)
    return Fault(
        said,
        permanent=400 <= status < 500 and status not in PASSING_STATUSES,
        unknown_cost="" if status >= 400 else _unknown_cost(chain),
    )


def _unknown_cost(chain: list[BaseException]) -> str:
    kinds = {kind.__name__ for link in chain for kind in type(link).__mro__}
    if kinds & _UNSENT:
        return ""
    return TIMED_OUT if any("Timeout" in kind for kind in kinds) else BROKEN_OFF


def _status(error: BaseException) -> int:
    """Return the HTTP status that an exception carries, or 0."""
    response = getattr(error, "response", None)
    found = [getattr(error, "status_code", None), getattr(response, "status_code", None)]
    # Google's client has it as its code, Amazon's in a dictionary.
    found.append(getattr(error, "code", None))
    if isinstance(response, Mapping):
        found.append((response.get("ResponseMetadata") or {}).get("HTTPStatusCode"))
    return next((code for code in found if isinstance(code, int) and 400 <= code < 600), 0)


def _named(error: BaseException) -> str:
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
