"""Reading of foreign files: bytes with progress and hash, text in any encoding."""

import codecs
import io
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final, TextIO

from tqdm.auto import tqdm

from workbench.errors import InvalidArgumentError, ReplyFileError
from workbench.games.streams import HashedStream
from workbench.tables.provenance import file_hash

_CHUNK: Final = 1 << 18
_MARKS: Final = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_NOT_DECODED: Final = re.compile("[\udc80-\udcff]")
_OTHER_FILES: Final = (
    (b"PAR1", "a Parquet file; a table of predictions needs no import"),
    (b"PK\x03\x04", "a zip file, such as an .eval log or a spreadsheet; save a spreadsheet as CSV"),
    (b"\x1f\x8b", "gzip data; unpack it"),
    (b"\x28\xb5\x2f\xfd", "zstd data; unpack it"),
    (b"BZh", "bzip2 data; unpack it"),
)


class SourceFiles:
    """Opens files, tracks the progress of reading, and computes the SHA-256 of the bytes read.

    A pipe can be read only once, so its hash cannot be taken beforehand.
    """

    def __init__(self, paths: Iterable[Path] = (), *, progress: bool = False) -> None:
        """Begin with nothing read; ``paths`` are all files to come, for the bar's total."""
        sizes = [path.stat().st_size for path in paths if path.is_file()]
        self._bar = tqdm(
            total=sum(sizes) or None,
            unit="B",
            unit_scale=True,
            desc="reading",
            disable=not progress,
        )
        self.hashes: list[dict[str, str]] = []

    def __enter__(self) -> "SourceFiles":
        return self

    def __exit__(self, *_: object) -> None:
        self._bar.close()

    @contextmanager
    def stream(self, path: Path) -> Iterator["io.BufferedReader[Any]"]:
        """Open a file for reading its bytes from the first to the last."""
        try:
            with path.open("rb", buffering=0) as raw:
                hashed = HashedStream(raw, self._bar.update)
                with io.BufferedReader(hashed, _CHUNK) as stream:
                    yield stream
                self.hashes.append({"name": path.name, "sha256": hashed.sha256()})
        except OSError as error:
            if isinstance(error, ReplyFileError):
                raise
            raise ReplyFileError(
                f"{path}: expected a file of replies, got: {error}; check the name"
            ) from error

    @contextmanager
    def text(self, path: Path, encoding: str | None, newline: str) -> Iterator[TextIO]:
        """Open a file as text; bytes that are none are found by `undecodable`."""
        try:
            with self.stream(path) as stream:
                codec = encoding_of(stream, str(path), encoding)
                yield io.TextIOWrapper(stream, codec, "surrogateescape", newline)
        except UnicodeError as error:
            raise ReplyFileError(
                f"{path}: expected text in one encoding, got: {error}; save it as UTF-8"
            ) from error

    def hashed(self, path: Path) -> None:
        """Take the hash of a file that is not read from the first byte to the last."""
        if not path.is_file():
            raise ReplyFileError(f"{path}: expected a file, found none or a pipe; check the name")
        self.hashes.append({"name": path.name, "sha256": file_hash(path)})

    def advance(self, count: float) -> None:
        """Advance the bar by this many bytes of a file given to `hashed`."""
        self._bar.update(count)


def encoding_of(stream: "io.BufferedReader[Any]", name: str, requested: str | None) -> str:
    """Return the encoding of a stream at its beginning: the given one, its mark's, or UTF-8."""
    if requested is not None:
        try:
            return codecs.lookup(requested).name
        except LookupError as error:
            raise InvalidArgumentError(
                f"encoding: expected a name such as utf-8 or latin-1, got {requested!r}"
            ) from error
    head = stream.peek(_CHUNK)
    for mark, encoding in _MARKS:
        if head.startswith(mark):
            return encoding
    for magic, what in _OTHER_FILES:
        if head.startswith(magic):
            raise ReplyFileError(f"{name}: expected text, got {what}")
    if head[:4].count(0) > 1:
        raise ReplyFileError(
            f"{name}: expected text in UTF-8, or in UTF-16 with a byte order mark, got a file that "
            f"starts {head[:8]!r}; name its encoding, such as utf-16-le"
        )
    return "utf-8"


def undecodable(text: str) -> str:
    """Return what is wrong with a text that could not be decoded in full, or nothing."""
    match = None if text.isascii() else _NOT_DECODED.search(text)
    if match is None:
        return ""
    around = text[max(0, match.start() - 20) : match.start()].encode("utf-8", "replace").decode()
    return (
        f"expected text, got the byte 0x{ord(match[0]) - 0xDC00:02x} after {around!r}; save the file "
        "as UTF-8, or name its encoding, such as latin-1"
    )
