"""The cached part of a file on a server, and its version."""

import json
from collections.abc import Callable
from dataclasses import asdict, dataclass
from http import HTTPStatus
from pathlib import Path

from filelock import FileLock, Timeout

from workbench.errors import RemoteFileError
from workbench.games.lichess.http_requests import Patience, get, retrying
from workbench.tables.parquet_tables import replacing
from workbench.tables.provenance import text_hash


@dataclass(frozen=True, slots=True)
class RemoteState:
    """The identity of the file whose beginning is cached.

    Attributes:
        address: Where it was read from.
        etag: The server's name for this version of it, or empty.
        last_modified: When the server says it was changed, or empty.
        bytes_total: Its length, or None while that is unknown.
        sha256: Of the whole file once all of it was read, else empty.
        checked: Whether the publisher's list has the same sum.
    """

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
    """A file on a server and its cached part; one process at a time.

    Args:
        address: Of the file.
        folder: Where what was read is kept.
        sums_address: Of the publisher's list of SHA-256 sums, or None.
        patience: How long to wait, and how often to try again.
        on_bytes: Called with the bytes that were just read and whether they were kept before.
        on_wait: Called with a sentence before each wait.

    Attributes:
        state: Which file it is.
        reached: Bytes read of it last time, from its first.
        fetched: Bytes that came over the network and are kept.
        resumed: Transfers that were resumed.
    """

    def __init__(
        self,
        address: str,
        folder: Path,
        *,
        sums_address: str | None,
        patience: Patience | None = None,
        on_bytes: Callable[[int, bool], None] = lambda count, kept: None,
        on_wait: Callable[[str], None] = lambda sentence: None,
    ) -> None:
        self.patience = patience or Patience()
        self.sums_address = sums_address
        self.on_bytes = on_bytes
        self.on_wait = on_wait
        self.reached = 0
        self.fetched = 0
        self.resumed = 0
        digest = text_hash(address)[:12]
        name = address.rsplit("/", 1)[-1]
        self.path = folder / f"{digest}-{name}"
        self._state_path = folder / f"{digest}-{name}.json"
        folder.mkdir(parents=True, exist_ok=True)
        self._lock = FileLock(folder / f"{digest}-{name}.lock")
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
        """Return the SHA-256 of the publisher's list, or None if there is no such list or line.

        Raises:
            RemoteFileError: If the list cannot be had though it is there.
        """
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
