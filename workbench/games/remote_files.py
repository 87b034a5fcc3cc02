"""A file on a server, read as a stream from its first byte and cached; one retry policy for every request."""

import hashlib
import io
import json
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, replace
from http import HTTPStatus
from pathlib import Path
from typing import Any, Final, TypeVar

import requests
import tenacity
import urllib3
from filelock import FileLock, Timeout
from urllib3.util import Retry

from workbench import __version__
from workbench.errors import ChangedRemoteFileError, InvalidArgumentError, RemoteFileError
from workbench.games.streams import GZIP_MAGIC, ZSTD_MAGIC, ReadableStream
from workbench.tables.parquet_tables import replacing
from workbench.tables.provenance import text_hash

Result = TypeVar("Result")

BUSY: Final = (HTTPStatus.TOO_MANY_REQUESTS, 500, 502, 503, 504)
"""The statuses of a server that may answer later."""


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
    """A server asks to retry later."""

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
    """Ask once for a file, and return the answer with its body still to be read."""
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
    """Return a call that retries after temporary errors: broken transfers and busy servers."""
    doubling = tenacity.wait_exponential(multiplier=patience.first_wait, max=60)

    def wait(state: tenacity.RetryCallState) -> float:
        error = state.outcome.exception() if state.outcome else None
        seconds = error.seconds if isinstance(error, BusyServerError) else None
        return doubling(state) if seconds is None else seconds

    def report(state: tenacity.RetryCallState) -> None:
        error = state.outcome.exception() if state.outcome else None
        seconds = state.next_action.sleep if state.next_action else 0.0
        on_wait(f"{error}; waiting {seconds:.0f} s")

    tries = tenacity.Retrying(
        retry=tenacity.retry_if_exception_type(TRANSIENT),
        wait=wait,
        stop=tenacity.stop_after_attempt(patience.attempts),
        before_sleep=report,
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


@dataclass(frozen=True, slots=True)
class RemoteState:
    """The identity of the cached file; ``sha256`` is known once all of it was read."""

    address: str
    etag: str = ""
    last_modified: str = ""
    bytes_total: int | None = None
    sha256: str = ""
    checked: bool = False

    @property
    def validator(self) -> str:
        """What ``If-Range`` may name: a strong ETag, else the date of the last change."""
        weak = self.etag.startswith("W/")
        return self.etag if self.etag and not weak else self.last_modified

    def differs(self, other: "RemoteState") -> str:
        """Return in words how an answer shows that the file changed, or nothing."""
        for name in ("etag", "last_modified", "bytes_total"):
            one, two = getattr(self, name), getattr(other, name)
            if one and two and one != two:
                return f"{name} {one!r} became {two!r}"
        return ""


class RemoteFile:
    """A file on a server and its cached part; one process at a time."""

    def __init__(
        self,
        address: str,
        folder: Path,
        *,
        sums_address: str | None,
        patience: Patience | None = None,
        on_bytes: Callable[[int, bool], None] = lambda count, cached: None,
        on_wait: Callable[[str], None] = lambda sentence: None,
    ) -> None:
        self.patience = patience or Patience()
        self.sums_address = sums_address
        self.on_bytes = on_bytes
        self.on_wait = on_wait
        self.reached = 0
        self.fetched = 0
        self.resumed = 0
        name = f"{text_hash(address)[:12]}-{address.rsplit('/', 1)[-1]}"
        self.path = folder / name
        self._state_path = folder / f"{name}.json"
        folder.mkdir(parents=True, exist_ok=True)
        self._lock = FileLock(folder / f"{name}.lock")
        self.state = RemoteState(address)

    def __enter__(self) -> "RemoteFile":
        try:
            self._lock.acquire(timeout=0)
        except Timeout as error:
            raise RemoteFileError(
                f"{self.state.address}: another process is reading it into {self.path}; wait for "
                "it, or use another cache folder"
            ) from error
        if self._state_path.exists() and self.path.exists():
            self.state = RemoteState(**json.loads(self._state_path.read_text()))
        else:
            self.forget()
        return self

    def __exit__(self, *_: object) -> None:
        self._lock.release()

    def forget(self) -> None:
        """Discard the cached part."""
        self.path.unlink(missing_ok=True)
        self._state_path.unlink(missing_ok=True)
        self.state = RemoteState(self.state.address)

    def learn(self, state: RemoteState) -> None:
        """Save the identity of the file."""
        self.state = state
        with replacing(self._state_path) as beside:
            beside.write_text(json.dumps(asdict(state), indent=2, sort_keys=True) + "\n")

    def published_sum(self) -> str | None:
        """Return the SHA-256 of the publisher's list, or None if there is no such list or line."""
        if self.sums_address is None:
            return None
        address = self.sums_address

        def fetch() -> list[str]:
            missing = (HTTPStatus.NOT_FOUND, HTTPStatus.GONE)
            with get(address, {}, self.patience, accepted=missing) as response:
                return response.text.splitlines() if response.ok else []

        words = [line.split() for line in retrying(self.patience, self.on_wait, address, fetch)()]
        name = self.state.address.rsplit("/", 1)[-1]
        sums = [line[0].lower() for line in words if len(line) == 2 and line[1].lstrip("*") == name]
        return sums[0] if sums else None


PIECE: Final = 1 << 16


class RemoteStream(ReadableStream):
    """The bytes of a `RemoteFile` from the first: the cached part, then what the server sends.

    Before the stream ends, the checksum of the file is compared with the published one.
    """

    def __init__(self, file: RemoteFile) -> None:
        self._file = file
        self._disk = file.path.open("a+b")
        self._cached = self._disk.seek(0, io.SEEK_END)
        self._disk.seek(0)
        self._position = 0
        self._sum = hashlib.sha256()
        self._ready = memoryview(b"")
        self._ended = False
        self._pieces: Iterator[bytes] | None = None
        self._response: requests.Response | None = None
        self._fetch = retrying(file.patience, file.on_wait, file.state.address, self._fetch_once)

    def close(self) -> None:
        """End the transfer."""
        if not self.closed:
            self._hang_up()
            self._disk.close()
        super().close()

    def readinto(self, buffer: Any) -> int:
        """Read into a buffer what there is, and nothing at the end; see `io.RawIOBase`."""
        if not self._ready and not self._ended:
            self._ready = memoryview(self._next_piece())
            self._ended = not self._ready
        count = min(len(buffer), len(self._ready))
        buffer[:count] = self._ready[:count]
        self._ready = self._ready[count:]
        return count

    def _next_piece(self) -> bytes:
        cached = self._position < self._cached
        piece: bytes = self._disk.read(PIECE) if cached else self._fetch()
        if not piece:
            self._check_sum()
            return b""
        if not cached:
            self._file.fetched += len(piece)
            self._disk.write(piece)
            self._disk.flush()
        self._position += len(piece)
        self._file.reached = self._position
        self._sum.update(piece)
        self._file.on_bytes(len(piece), cached)
        return piece

    def _fetch_once(self) -> bytes:
        """Return the next bytes that the server sends, none at the end."""
        if self._position == self._file.state.bytes_total:
            return b""
        try:
            if self._pieces is None:
                self._pieces = self._connect()
            piece = next(self._pieces, b"")
        except TRANSIENT:
            self._hang_up()
            raise
        total = self._file.state.bytes_total
        if not piece:
            self._hang_up()
            if total is not None and self._position < total:
                raise requests.ConnectionError(
                    f"the transfer ended at byte {self._position:,} of {total:,}"
                )
            self._file.learn(replace(self._file.state, bytes_total=self._position))
        return piece

    def _hang_up(self) -> None:
        if self._response is not None:
            self._response.close()
        self._response = self._pieces = None

    def _connect(self) -> Iterator[bytes]:
        file, at = self._file, self._position
        headers = {"Range": f"bytes={at}-"} if at else {}
        if at and file.state.validator:
            headers["If-Range"] = file.state.validator
        no_such_range = HTTPStatus.REQUESTED_RANGE_NOT_SATISFIABLE
        response = self._response = get(
            file.state.address, headers, file.patience, accepted=(no_such_range,)
        )
        if response.status_code == no_such_range:
            raise self._changed(f"{at:,} bytes are kept, and it has no more")
        start, total = _span(response)
        state = RemoteState(
            file.state.address,
            response.headers.get("ETag", ""),
            response.headers.get("Last-Modified", ""),
            total,
        )
        difference = file.state.differs(state) if at else ""
        if difference:
            raise self._changed(difference)
        if start not in (0, at):
            raise RemoteFileError(
                f"{file.state.address}: expected the bytes from {at:,} on, got those from "
                f"{start:,} on; the server, or a proxy before it, is at fault"
            )
        # As they come: where a server declares the compression, requests would undo it.
        pieces: Iterator[bytes] = response.raw.stream(PIECE, decode_content=False)
        if at and start == 0:
            pieces = self._pass_over(pieces, at)
        else:
            file.resumed += at > 0
        if not at:
            file.learn(state)
            pieces = self._looked_at(pieces)
        elif total is not None and file.state.bytes_total is None:
            file.learn(replace(file.state, bytes_total=total))
        return pieces

    def _pass_over(self, pieces: Iterator[bytes], count: int) -> Iterator[bytes]:
        """Leave out the first bytes, which a server sends that knows no ranges, if they are ours."""
        self._file.on_wait(f"the server does not support ranges: {count:,} bytes are passed over")
        with self._file.path.open("rb") as ours:
            for piece in pieces:
                expected = ours.read(min(len(piece), count))
                if piece[: len(expected)] != expected:
                    raise self._changed("its first bytes differ")
                count -= len(expected)
                if len(piece) > len(expected):
                    yield piece[len(expected) :]
        if count:
            raise requests.ConnectionError(f"the transfer ended {count:,} bytes before new ones")

    def _looked_at(self, pieces: Iterator[bytes]) -> Iterator[bytes]:
        first = next(pieces, b"")
        name = self._file.state.address
        expected = {".zst": ZSTD_MAGIC[1:], ".gz": GZIP_MAGIC[1:]}.get(
            "." + name.rsplit(".", 1)[-1]
        )
        # The first byte may be that of a skippable frame.
        if expected and expected not in first[:4] and b"\x2a\x4d\x18" not in first[:4]:
            self._file.forget()
            raise RemoteFileError(
                f"{name}: expected compressed games, got data that starts {first[:40]!r}; is "
                "there a proxy or a login page in between?"
            )
        if first:
            yield first
        yield from pieces

    def _changed(self, difference: str) -> ChangedRemoteFileError:
        return ChangedRemoteFileError(
            f"{self._file.state.address}: changed on the server after its beginning was cached: "
            f"{difference}; throw away {self._file.path}, or use another cache folder"
        )

    def _check_sum(self) -> None:
        file, digest = self._file, self._sum.hexdigest()
        state = file.state
        published = state.sha256 if state.sha256 else file.published_sum()
        if published is not None and published != digest:
            file.forget()
            raise RemoteFileError(
                f"{state.address}: expected the SHA-256 {published}, got {digest} of "
                f"{self._position:,} bytes; the cached part is discarded: read it again"
            )
        if not state.sha256:
            file.learn(replace(state, sha256=digest, checked=published is not None))


def _span(response: requests.Response) -> tuple[int, int | None]:
    """Return the first byte that an answer holds, and the whole file's length if it says so."""
    length = response.headers.get("Content-Length")
    if response.status_code != HTTPStatus.PARTIAL_CONTENT:
        return 0, int(length) if length is not None else None
    # bytes 100-199/200, or bytes 100-199/*
    content_range = response.headers.get("Content-Range", "")
    span, _, total = content_range.removeprefix("bytes ").partition("/")
    first, dash, _ = span.partition("-")
    if not (first.isdigit() and dash):
        raise RemoteFileError(
            f"{response.url}: expected a header Content-Range such as 'bytes 100-199/200', got "
            f"{content_range!r}; the server, or a proxy before it, is at fault"
        )
    return int(first), int(total) if total.isdigit() else None
