"""PGN files as text streams: plain, gzip or zstd, and never silently cut short."""

import gzip
import io
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final, TextIO

import zstandard

from workbench.errors import GameFileError

ZSTD_MAGIC: Final = b"\x28\xb5\x2f\xfd"
# A skippable frame starts with one of sixteen numbers; pzstd writes one before each frame.
ZSTD_SKIPPABLE_MAGIC: Final = b"\x2a\x4d\x18"
GZIP_MAGIC: Final = b"\x1f\x8b"
CHUNK: Final = 1 << 17
# Of compressed data at a time: 4 bytes can stand for 128 KiB, and all of it comes out at once.
SLICE: Final = 1 << 10


class _ZstdFrames(io.RawIOBase):
    """Bytes of zstd frames one after another; a frame that does not end is an error.

    The library's own stream reader takes the end of a half-written frame for the end of the data.
    """

    def __init__(self, stream: "io.BufferedReader[Any]") -> None:
        self._stream = stream
        self._frame: Any = None
        self._pending = memoryview(b"")
        self._ready = memoryview(b"")

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        while not self._ready:
            if not self._pending:
                self._pending = memoryview(self._stream.read(CHUNK))
            if not self._pending:
                if self._frame is not None:
                    raise EOFError("the last zstd frame does not end")
                return 0
            if self._frame is None:
                self._frame = zstandard.ZstdDecompressor().decompressobj()
            given = self._pending[:SLICE]
            self._ready = memoryview(self._frame.decompress(given))
            taken = len(given) - len(self._frame.unused_data)
            self._pending = self._pending[taken:]
            if self._frame.eof:
                self._frame = None
        count = min(len(buffer), len(self._ready))
        buffer[:count] = self._ready[:count]
        self._ready = self._ready[count:]
        return count


@contextmanager
def open_pgn(path: Path) -> Iterator[TextIO]:
    """Open a PGN file for reading as text.

    The first bytes, not the name, decide whether it is gzip, zstd or plain text; gzip and zstd may
    have any number of members or frames. Text is read as UTF-8, with or without a byte order mark;
    bytes that are none become U+FFFD, which can touch names and comments but no move.

    Args:
        path: A file; it is read in pieces and never held whole.

    Raises:
        GameFileError: If the file is missing or a folder, is not what its name says, is no text,
            or its compressed data is broken or ends in the middle. What was read before has been
            read.
    """
    try:
        stream = io.BufferedReader(io.FileIO(path), CHUNK)
    except OSError as error:
        raise GameFileError(
            f"{path}: expected a readable PGN file, got: {error}; check the name, and whether the "
            "file may be read"
        ) from error
    with stream, pgn_text(stream, str(path)) as text:
        yield text


@contextmanager
def pgn_text(stream: "io.BufferedReader[Any]", name: str) -> Iterator[TextIO]:
    """Read a binary stream as the text of a PGN file, as `open_pgn` does a file.

    Args:
        stream: Bytes from the file's first on; read once, in pieces.
        name: The file's name or address, of which the ending says what it should be.

    Raises:
        GameFileError: As of `open_pgn`.
    """
    try:
        yield io.TextIOWrapper(_decompressed(name, stream), encoding="utf-8-sig", errors="replace")
    except (EOFError, gzip.BadGzipFile, zlib.error, zstandard.ZstdError) as error:
        raise GameFileError(
            f"{name}: the compressed data is broken or ends in the middle ({error}); "
            "fetch the file again, or allow a truncated file to use what was read"
        ) from error


def _decompressed(name: str, stream: "io.BufferedReader[Any]") -> Any:
    head = stream.peek(4096)
    is_zstd = head.startswith(ZSTD_MAGIC) or (
        head[:1] in {bytes([first]) for first in range(0x50, 0x60)}
        and head[1:4] == ZSTD_SKIPPABLE_MAGIC
    )
    is_gzip = head.startswith(GZIP_MAGIC)
    for suffix, kind, found in ((".zst", "zstd", is_zstd), (".gz", "gzip", is_gzip)):
        if name.lower().endswith(suffix) and not found:
            raise GameFileError(
                f"{name}: expected {kind} data, got a file that starts {head[:8]!r}; fetch it "
                "again, or give it the name of what it is"
            )
    if is_zstd:
        return io.BufferedReader(_ZstdFrames(stream), CHUNK)
    if is_gzip:
        return gzip.GzipFile(fileobj=stream)
    if b"\0" in head or head.startswith(b"BZh"):
        raise GameFileError(
            f"{name}: expected PGN text in UTF-8, plain or as gzip or zstd, got a file that starts "
            f"{head[:8]!r}; unpack it, or save it as UTF-8"
        )
    return stream
