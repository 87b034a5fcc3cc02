"""PGN files as text streams: plain, gzip or zstd, and never silently cut short."""

import gzip
import io
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, Final, TextIO

import zstandard

from workbench.errors import GameFileError

ZSTD_MAGIC: Final = b"\x28\xb5\x2f\xfd"
# A skippable frame starts with one of sixteen numbers; pzstd writes one before each frame.
ZSTD_SKIPPABLE_MAGIC: Final = b"\x2a\x4d\x18"
GZIP_MAGIC: Final = b"\x1f\x8b"
CHUNK: Final = 1 << 17


class _ZstdFrames(io.RawIOBase):
    """Bytes of zstd frames one after another; a frame that does not end is an error.

    The library's own stream reader takes the end of a half-written frame for the end of the data.
    """

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self._frame: Any = None
        self._pending = b""
        self._ready = memoryview(b"")

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        while not self._ready:
            if not self._pending:
                self._pending = self._stream.read(CHUNK)
            if not self._pending:
                if self._frame is not None:
                    raise EOFError("the last zstd frame does not end")
                return 0
            if self._frame is None:
                self._frame = zstandard.ZstdDecompressor().decompressobj()
            self._ready = memoryview(self._frame.decompress(self._pending))
            self._pending = self._frame.unused_data if self._frame.eof else b""
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
        stream: BinaryIO = path.open("rb")
    except OSError as error:
        raise GameFileError(
            f"{path}: expected a readable PGN file, got: {error}; check the name, and whether the "
            "file may be read"
        ) from error
    with stream:
        try:
            raw = _decompressed(path, stream)
            yield io.TextIOWrapper(raw, encoding="utf-8-sig", errors="replace")
        except (EOFError, gzip.BadGzipFile, zlib.error, zstandard.ZstdError) as error:
            raise GameFileError(
                f"{path}: the compressed data is broken or ends in the middle ({error}); "
                "fetch the file again, or allow a truncated file to use what was read"
            ) from error


def _decompressed(path: Path, stream: BinaryIO) -> Any:
    head = stream.read(4096)
    stream.seek(0)
    is_zstd = head.startswith(ZSTD_MAGIC) or (
        head[:1] in {bytes([first]) for first in range(0x50, 0x60)}
        and head[1:4] == ZSTD_SKIPPABLE_MAGIC
    )
    is_gzip = head.startswith(GZIP_MAGIC)
    for suffix, name, found in ((".zst", "zstd", is_zstd), (".gz", "gzip", is_gzip)):
        if path.suffix.lower() == suffix and not found:
            raise GameFileError(
                f"{path}: expected {name} data, got a file that starts {head[:8]!r}; fetch it "
                "again, or give it the name of what it is"
            )
    if is_zstd:
        return io.BufferedReader(_ZstdFrames(stream), CHUNK)
    if is_gzip:
        return gzip.GzipFile(fileobj=stream)
    if b"\0" in head or head.startswith(b"BZh"):
        raise GameFileError(
            f"{path}: expected PGN text in UTF-8, plain or as gzip or zstd, got a file that starts "
            f"{head[:8]!r}; unpack it, or save it as UTF-8"
        )
    return stream
