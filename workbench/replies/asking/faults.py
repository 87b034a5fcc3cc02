"""What went wrong with a call, in one line, and whether any other could go better."""

from dataclasses import dataclass
from typing import Final

ENDING_STATUSES: Final = {
    401: "the provider refused the key",
    402: "the provider asks for payment",
    404: "the provider knows no such model or address",
}
"""HTTP statuses that every further call would get as well."""

_QUOTA: Final = ("insufficient_quota", "quota_exceeded", "billing_hard_limit_reached")
_WRAPPERS: Final = frozenset({"RetryError", "ModelGenerateError"})
_LENGTH: Final = 300


@dataclass(frozen=True, slots=True)
class Fault:
    """Why a call failed.

    Attributes:
        reason: One line.
        ends_run: Whether to stop asking, because every other call would fail too.
    """

    reason: str
    ends_run: bool


def fault_of(error: BaseException) -> Fault:
    """Return what an exception of a provider amounts to.

    Args:
        error: As Inspect raises it; the causes it was raised from are looked at too.
    """
    chain = _causes(error)
    status = next(
        (code for code in (getattr(link, "status_code", None) for link in chain) if code), None
    )
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
    return Fault(said, ends_run=False)


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
