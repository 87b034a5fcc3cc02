"""A file on a server, read as a stream from its first byte and cached.

Cached bytes are not fetched again: an interrupted transfer resumes by HTTP range, now or in a later
run. Range requests: RFC 9110, section 14; ``If-Range``: section 13.1.5; ``Retry-After``: section
10.2.3.
"""

import hashlib
import io
from collections.abc import Iterator
from dataclasses import replace
from http import HTTPStatus
from typing import Any, Final

import requests

from workbench.errors import ChangedRemoteFileError, RemoteFileError
from workbench.games.lichess.http_requests import TRANSIENT, get, retrying
from workbench.games.lichess.remote_file import RemoteFile, RemoteState
from workbench.games.streams import GZIP_MAGIC, ZSTD_MAGIC

PIECE: Final = 1 << 16


class RemoteStream(io.RawIOBase):
    """The bytes of a `RemoteFile` from its first: what is kept, then what the server sends.

    At the file's end its checksum is compared with the published one; only then does it end.

    Args:
        file: The file, entered.

    Raises:
        RemoteFileError: By reading: if the server cannot be reached, refuses, asks for a longer
            wait than the patience allows, or sent what its published checksum contradicts.
        ChangedRemoteFileError: By reading: if the server's file is another than the one of which
            the beginning is kept.
    """

    def __init__(self, file: RemoteFile) -> None:
        self._file = file
        self._disk = file.path.open("a+b")
        self._kept = self._disk.seek(0, io.SEEK_END)
        self._disk.seek(0)
        self._position = 0
        self._sum = hashlib.sha256()
        self._ready = memoryview(b"")
        self._ended = False
        self._pieces: Iterator[bytes] | None = None
        self._response: requests.Response | None = None
        self._fetch = retrying(file.patience, file.on_wait, file.state.address, self._fetch_once)

    def readable(self) -> bool:
        """Return that it can be read."""
        return True

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
        kept = self._position < self._kept
        piece: bytes = self._disk.read(PIECE) if kept else self._fetch()
        if not piece:
            self._check_sum()
            return b""
        if not kept:
            self._file.fetched += len(piece)
            self._disk.write(piece)
            self._disk.flush()
        self._position += len(piece)
        self._file.reached = self._position
        self._sum.update(piece)
        self._file.on_bytes(len(piece), kept)
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
        found = RemoteState(
            file.state.address,
            response.headers.get("ETag", ""),
            response.headers.get("Last-Modified", ""),
            total,
        )
        difference = file.state.differs(found) if at else ""
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
            file.learn(found)
            pieces = self._looked_at(pieces)
        elif total is not None and file.state.bytes_total is None:
            file.learn(replace(file.state, bytes_total=total))
        return pieces

    def _pass_over(self, pieces: Iterator[bytes], count: int) -> Iterator[bytes]:
        """Leave out the first bytes, which a server sends that knows no ranges, if they are ours."""
        self._file.on_wait(f"the server does not support ranges: {count:,} bytes are passed over")
        with self._file.path.open("rb") as ours:
            for piece in pieces:
                known = ours.read(min(len(piece), count))
                if piece[: len(known)] != known:
                    raise self._changed("its first bytes differ")
                count -= len(known)
                if len(piece) > len(known):
                    yield piece[len(known) :]
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
        file, found = self._file, self._sum.hexdigest()
        state = file.state
        published = state.sha256 if state.sha256 else file.published_sum()
        if published is not None and published != found:
            file.forget()
            raise RemoteFileError(
                f"{state.address}: expected the SHA-256 {published}, got {found} of "
                f"{self._position:,} bytes; the cached part is discarded: read it again"
            )
        if not state.sha256:
            file.learn(replace(state, sha256=found, checked=published is not None))


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
