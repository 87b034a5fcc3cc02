"""HTTP requests with waits and retries as the server asks: one policy for every request."""

from collections.abc import Callable
from dataclasses import dataclass
from http import HTTPStatus
from typing import Final, TypeVar

import requests
import tenacity
import urllib3
from urllib3.util import Retry

from workbench import __version__
from workbench.errors import InvalidArgumentError, RemoteFileError

Result = TypeVar("Result")

BUSY: Final = (
    HTTPStatus.TOO_MANY_REQUESTS,
    HTTPStatus.INTERNAL_SERVER_ERROR,
    HTTPStatus.BAD_GATEWAY,
    HTTPStatus.SERVICE_UNAVAILABLE,
    HTTPStatus.GATEWAY_TIMEOUT,
)


@dataclass(frozen=True, slots=True)
class Patience:
    """Waits and retries for a server.

    Attributes:
        attempts: Tries in a row without one new byte before giving up, at least 1.
        first_wait: Seconds before the second try; doubled each time, to a minute at most. Where a
            server says how long to wait, that counts.
        longest_wait: Seconds that a server may ask to wait; if it asks for more, that is an error.
        connect_timeout: Seconds for a connection.
        read_timeout: Seconds without a byte after which a transfer counts as broken.
    """

    attempts: int = 6
    first_wait: float = 1.0
    longest_wait: float = 600.0
    connect_timeout: float = 10.0
    read_timeout: float = 60.0

    def __post_init__(self) -> None:
        if self.attempts < 1 or min(self.first_wait, self.longest_wait) < 0:
            raise InvalidArgumentError(f"expected attempts >= 1 and waits >= 0, got {self!r}")


class BusyServerError(requests.RequestException):
    """A server asks to retry later.

    Attributes:
        seconds: After how long, or None if it does not say.
    """

    def __init__(self, sentence: str, seconds: float | None) -> None:
        super().__init__(sentence)
        self.seconds = seconds


TRANSIENT: Final = (
    BusyServerError,
    requests.ConnectionError,
    requests.Timeout,
    urllib3.exceptions.HTTPError,
)


def get(
    address: str, headers: dict[str, str], patience: Patience, *, accepted: tuple[int, ...] = ()
) -> requests.Response:
    """Ask once for a file, and return the answer with its body still to be read.

    Args:
        address: Of the file.
        headers: Beyond the usual ones.
        patience: Its timeouts and longest wait.
        accepted: Statuses of failure that the caller looks at itself.

    Raises:
        RemoteFileError: If the server refuses, or asks for too long a wait.
        BusyServerError: If the server asks to come back later.
        requests.RequestException: If there is no answer.
    """
    sent = {
        "Accept-Encoding": "identity",
        "User-Agent": f"world-state-workbench/{__version__}",
        **headers,
    }
    timeouts = (patience.connect_timeout, patience.read_timeout)
    try:
        response = requests.get(address, headers=sent, stream=True, timeout=timeouts)
    except requests.RequestException as error:
        # A certificate that is wrong stays so.
        if isinstance(error, TRANSIENT) and not isinstance(error, requests.exceptions.SSLError):
            raise
        raise RemoteFileError(f"{address}: expected an address to read, got: {error}") from error
    if response.ok or response.status_code in accepted:
        return response
    with response:
        status = f"{response.status_code} {response.reason}"
        if response.status_code not in BUSY:
            raise RemoteFileError(
                f"{address}: expected the file, the server answered {status!r}; check the address "
                "and the month"
            )
        seconds = _seconds(response.headers.get("Retry-After"))
        if seconds is not None and seconds > patience.longest_wait:
            raise RemoteFileError(
                f"{address}: the server answered {status!r} and asks to wait {seconds:,.0f} s, "
                f"more than {patience.longest_wait:,.0f} s; try again then: data read is kept"
            )
        raise BusyServerError(f"the server answered {status!r}", seconds)


def _seconds(retry_after: str | None) -> float | None:
    if retry_after is None:
        return None
    try:
        return max(0.0, Retry().parse_retry_after(retry_after))
    except urllib3.exceptions.InvalidHeader:
        # It asks to wait, and not in a way that can be read: our own wait is taken.
        return None


def retrying(
    patience: Patience, on_wait: Callable[[str], None], address: str, call: Callable[[], Result]
) -> Callable[[], Result]:
    """Return a call that retries after temporary errors: broken transfers and busy servers.

    Args:
        patience: How often, and after how long.
        on_wait: Called with a sentence before each wait.
        address: Named where it gives up.
        call: What to try.

    Raises:
        RemoteFileError: By calling, after the last try.
    """
    doubling = tenacity.wait_exponential(multiplier=patience.first_wait, max=60)

    def wait(state: tenacity.RetryCallState) -> float:
        error = state.outcome.exception() if state.outcome else None
        asked = error.seconds if isinstance(error, BusyServerError) else None
        return doubling(state) if asked is None else asked

    def say(state: tenacity.RetryCallState) -> None:
        error = state.outcome.exception() if state.outcome else None
        seconds = state.next_action.sleep if state.next_action else 0.0
        on_wait(f"{error}; waiting {seconds:.0f} s")

    tries = tenacity.Retrying(
        retry=tenacity.retry_if_exception_type(TRANSIENT),
        wait=wait,
        stop=tenacity.stop_after_attempt(patience.attempts),
        before_sleep=say,
        reraise=True,
    )

    def patiently() -> Result:
        try:
            return tries(call)
        except TRANSIENT as error:
            raise RemoteFileError(
                f"{address}: gave up after {patience.attempts} consecutive tries without a new "
                f"byte, the last: {error}; the data read so far is kept: the same command resumes"
            ) from error

    return patiently
