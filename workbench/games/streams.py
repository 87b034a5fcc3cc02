"""Bytes as PGN text: plain, gzip, bzip2 or zstd; truncation is always an error."""

import bz2
import gzip
import hashlib
import io
import lzma
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, TextIO, TypeAlias

from workbench.compression import zstd
from workbench.errors import GameFileError, WorkbenchError

ByteStream: TypeAlias = "io.BufferedReader[Any]"

ZSTD_MAGIC: Final = b"\x28\xb5\x2f\xfd"
# A skippable frame starts with one of sixteen numbers; pzstd writes one before each frame.
ZSTD_SKIPPABLE_MAGIC: Final = b"\x2a\x4d\x18"
GZIP_MAGIC: Final = b"\x1f\x8b"
CHUNK: Final = 1 << 17
# Of compressed data at a time; what stands behind a frame is copied once a frame.
SLICE: Final = 1 << 13
_HEAD: Final = 64
# By the ending that a name has.
_KINDS: Final = {".gz": "gzip", ".bz2": "bzip2", ".zst": "zstd", ".zip": "zip"}
_UTF_16_MARKS: Final = (b"\xff\xfe", b"\xfe\xff")
_READING_ERRORS: Final = (
    EOFError,
    OSError,
    zlib.error,
    lzma.LZMAError,
    zstd.ZstdError,
    zipfile.BadZipFile,
)


class ReadableStream(io.RawIOBase):
    """A stream of bytes that can be read; subclasses define ``readinto``."""

    def readable(self) -> bool:
        """Return True."""
        return True


class HashedStream(ReadableStream):
    """Bytes as they come, hashed and counted on the way; closing leaves what it reads open."""

    def __init__(self, stream: Any, on_bytes: Callable[[float], object]) -> None:
        self._stream = stream
        self._sum = hashlib.sha256()
        self.on_bytes = on_bytes
        self.count = 0

    def readinto(self, buffer: Any) -> int:
        """Read into a buffer; see `io.RawIOBase`."""
        data = self._stream.read(len(buffer))
        self._sum.update(data)
        self.count += len(data)
        self.on_bytes(len(data))
        buffer[: len(data)] = data
        return len(data)

    def sha256(self) -> str:
        """Return the SHA-256 of what was read."""
        return self._sum.hexdigest()

    def finish(self) -> str:
        """Read what is left, and return the SHA-256 of all."""
        buffer = bytearray(CHUNK)
        while self.readinto(buffer):
            pass
        return self.sha256()


class _Frames(ReadableStream):
    """Bytes of compressed frames one after another; one that does not end is an error.

    The library's own reader of bzip2 takes whatever stands behind a stream for the end of the data,
    and that of zstd refuses zeros, which are padding, between frames.
    """

    def __init__(self, stream: ByteStream, begin: Callable[[], Any]) -> None:
        self._stream = stream
        self._begin = begin
        self._frame: Any = None
        self._pending = b""

    def readinto(self, buffer: Any) -> int:
        data = b""
        while not data:
            if self._frame is None or self._frame.needs_input:
                self._pending = self._pending or self._stream.read(SLICE)
                if not self._pending:
                    if self._frame is not None:
                        raise EOFError("the last frame does not end")
                    return 0
            if self._frame is None:
                self._pending = self._pending.lstrip(b"\0")
                if not self._pending:
                    continue
                self._frame = self._begin()
            data = self._frame.decompress(self._pending, len(buffer))
            self._pending = self._frame.unused_data
            if self._frame.eof:
                self._frame = None
        buffer[: len(data)] = data
        return len(data)


class _Gzip(gzip.GzipFile):
    # Filling the buffer, as it would, loses what was read before a fault.
    readinto = gzip.GzipFile.readinto1


class _Checked(ReadableStream):
    """Bytes of a stream whose faults are those of a file of games."""

    def __init__(self, stream: Any, name: str) -> None:
        self._stream = stream
        self._name = name
        self._fault: GameFileError | None = None

    def readinto(self, buffer: Any) -> int:
        if self._fault:
            raise self._fault
        view = memoryview(buffer)
        count = 0
        # The first bytes say what it is, and one frame may hold fewer of them.
        while count < min(_HEAD, len(view)):
            try:
                added = int(self._stream.readinto(view[count:]))
            except WorkbenchError:
                raise
            except _READING_ERRORS as error:
                self._fault = GameFileError(
                    f"{self._name}: the data cannot be read further, is broken or ends in the "
                    f"middle ({error}); fetch the file again, or allow a truncated file to use "
                    "what was read"
                )
                if not count:
                    raise self._fault from error
                added = 0
            if not added:
                break
            count += added
        return count


def open_bytes(path: Path) -> ByteStream:
    """Open a file of games for reading its bytes."""
    try:
        return io.BufferedReader(io.FileIO(path), CHUNK)
    except OSError as error:
        raise unreadable_error(path, error) from error


def unreadable_error(path: Path, error: OSError) -> GameFileError:
    """Return the error of a file that cannot be opened."""
    return GameFileError(
        f"{path}: expected readable games, got: {error}; check the name, and whether the file may "
        "be read"
    )


def pgn_text(stream: ByteStream, name: str) -> TextIO:
    """Return a binary stream as the text of a PGN file.

    The first bytes, not the name, decide whether it is gzip, bzip2, zstd or plain text; compressed
    data may have any number of members, streams or frames. Text is read as UTF-8, with or without a
    byte order mark, or with its mark as UTF-16; bytes that are none become U+FFFD, which can touch
    names and comments but no move.
    """
    checked = io.BufferedReader(_Checked(_decompressed(name, stream), name), CHUNK)
    head = checked.peek(_HEAD)
    inside = kind_of(head)
    is_utf_16 = head.startswith(_UTF_16_MARKS) and head[2:4] != b"\0\0"
    if inside or (b"\0" in head[:_HEAD] and not is_utf_16):
        got = f"{inside} data" if inside else "a file"
        raise GameFileError(
            f"{name}: expected PGN text in UTF-8, plain or compressed once, got {got} that starts "
            f"{head[:8]!r}; unpack it, or save it as UTF-8"
        )
    encoding = "utf-16" if is_utf_16 else "utf-8-sig"
    return io.TextIOWrapper(checked, encoding=encoding, errors="replace")


def kind_of(head: bytes) -> str:
    """Return what the first bytes of a file are: gzip, bzip2, zstd, zip, parquet, or nothing."""
    if head.startswith(ZSTD_MAGIC) or (
        head[:1] in {bytes([first]) for first in range(0x50, 0x60)}
        and head[1:4] == ZSTD_SKIPPABLE_MAGIC
    ):
        return "zstd"
    magics = {
        GZIP_MAGIC: "gzip",
        b"BZh": "bzip2",
        b"PK\x03\x04": "zip",
        b"PK\x05\x06": "zip",
        b"PAR1": "parquet",
    }
    return next((kind for magic, kind in magics.items() if head.startswith(magic)), "")


def check_name(name: str, head: bytes) -> None:
    """Refuse a compressed file that is not what its name says."""
    named = next((kind for end, kind in _KINDS.items() if name.lower().endswith(end)), "")
    if named and kind_of(head) != named:
        raise GameFileError(
            f"{name}: expected {named} data, got a file that starts {head[:8]!r}; fetch it "
            "again, or rename it"
        )


def _decompressed(name: str, stream: ByteStream) -> Any:
    head = stream.peek(_HEAD)
    check_name(name, head)
    match kind_of(head):
        case "zstd":
            return _Frames(stream, zstd.ZstdDecompressor)
        case "bzip2":
            return _Frames(stream, bz2.BZ2Decompressor)
        case "gzip":
            return _Gzip(fileobj=stream)
    return stream
