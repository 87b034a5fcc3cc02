"""Games from files, folders, zip archives and pipes, read in order, with hashes of the bytes."""

import io
import os
import shutil
import stat
import sys
import tempfile
import zipfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path, PurePosixPath
from typing import Any, Final

from tqdm.auto import tqdm

from workbench.errors import GameFileError
from workbench.games.game_tables import has_games, parquet_games
from workbench.games.pgn import AnyGame, Refusal, RefusedGame, ScannedGame, scan_stream
from workbench.games.streams import (
    CHUNK,
    HashedStream,
    check_name,
    kind_of,
    open_bytes,
    unreadable_error,
)
from workbench.tables.provenance import file_hash

_PGN_ENDINGS: Final = (".pgn", ".pgn.gz", ".pgn.bz2", ".pgn.zst")
_ENCRYPTED: Final = 1


def is_pgn_name(name: str) -> bool:
    """Return whether a name has the ending of a PGN file, plain or compressed."""
    return name.lower().endswith(_PGN_ENDINGS)


def is_hidden(path: PurePosixPath) -> bool:
    """Return whether a file in a folder or an archive is hidden."""
    return any(part.startswith(".") or part == "__MACOSX" for part in path.parts)


@contextmanager
def open_zip(path: Path) -> Iterator[zipfile.ZipFile]:
    """Open a zip archive."""
    try:
        archive = zipfile.ZipFile(path)
    except (OSError, zipfile.BadZipFile) as error:
        raise GameFileError(
            f"{path}: expected a whole zip archive, got: {error}; fetch it again"
        ) from error
    with archive:
        yield archive


def pgn_members(archive: zipfile.ZipFile) -> list[zipfile.ZipInfo]:
    """Return the PGN files of an archive, sorted by name; a single file may have any name."""
    files = [
        member
        for member in archive.infolist()
        if not member.is_dir() and not is_hidden(PurePosixPath(member.filename))
    ]
    named = [member for member in files if is_pgn_name(member.filename)]
    if not named and len(files) == 1:
        return files
    return sorted(named, key=lambda member: member.filename)


def open_member(archive: zipfile.ZipFile, member: zipfile.ZipInfo, name: str) -> Any:
    """Open a file of an archive for reading its bytes."""
    if member.flag_bits & _ENCRYPTED:
        raise GameFileError(f"{name}: expected a file without a password; unpack the archive")
    try:
        return archive.open(member)
    except (NotImplementedError, zipfile.BadZipFile, EOFError) as error:
        raise GameFileError(
            f"{name}: expected a file that can be unpacked, got: {error}; unpack the archive"
        ) from error


STANDARD_INPUT: Final = "-"
_EXAMPLES: Final = 5


@dataclass(slots=True)
class _Input:
    """A file or pipe, and what was read of it: its hash is known once it was read to its end."""

    path: Path | None
    name: str
    bytes_total: int | None
    games: int = 0
    bytes: int | None = None
    sha256: str = ""

    @property
    def can_be_read_again(self) -> bool:
        return self.bytes_total is not None


class GameFiles:
    """Games of files one after another, from the first as often as they are asked for.

    A file is PGN, plain or as gzip, bzip2 or zstd, a zip archive of such files, or Parquet: of
    Lichess games as on Hugging Face, or as ``workbench games selfplay`` writes it. Its first bytes
    decide which. Of a folder all files whose names end so are read, sorted by name, those of its
    folders too; hidden ones and pipes are not. ``-`` is standard input.

    Args:
        paths: Files, folders and pipes, in the order of reading.
        allow_truncated: Go on with what was read of a file that breaks off, if that is a game.
        progress: Whether to show a bar with the share of the bytes read on standard error.
    """

    def __init__(
        self, paths: Sequence[Path | str], *, allow_truncated: bool = False, progress: bool = False
    ) -> None:
        self.broken_off: list[str] = []
        self._allow_truncated = allow_truncated
        self._progress = progress
        self._left_out: list[str] = []
        self._inputs: list[_Input] = []
        self._reached: list[_Input] = []
        self._bar: Any = None
        self._games = 0
        self._filled = ""
        sources = [Path(path) for path in paths]
        if sources.count(Path(STANDARD_INPUT)) > 1:
            raise GameFileError("expected standard input at most once, got '-' several times")
        for path, name in zip(sources, _names(sources), strict=True):
            self._inputs += self._expanded(path, name)
        self.name = ", ".join(item.name for item in self._inputs[:_EXAMPLES])

    @property
    def paths(self) -> tuple[Path, ...]:
        """The files that are read, those of folders among them; standard input is none."""
        return tuple(item.path for item in self._inputs if item.path is not None)

    def games(self, refuse: Refusal | None = None) -> Iterator[AnyGame]:
        """Yield every game, usable or not."""
        again, self._reached = self._reached, []
        self.broken_off, self._games, self._filled = [], 0, ""
        sizes = [item.bytes_total for item in self._inputs]
        total = None if None in sizes else sum(size or 0 for size in sizes)
        with tqdm(
            desc="reading", total=total, unit="B", unit_scale=True, disable=not self._progress
        ) as self._bar:
            for item in self._inputs:
                if item in again and not item.can_be_read_again:
                    raise GameFileError(
                        f"{item.name}: expected a file, got a pipe, and the games have to be read "
                        "twice, as some of those chosen are illegal: save them to a file first"
                    )
                item.games, item.bytes, item.sha256 = 0, None, ""
                self._reached.append(item)
                yield from self._games_of(item, refuse)

    def provenance(self) -> list[dict[str, Any]]:
        """Return for each file reached its name, its length and the SHA-256 of its bytes.

        Of a pipe that was not read to its end the length is null and the hash empty.
        """
        for item in self._reached:
            if item.path is not None and item.can_be_read_again and not item.sha256:
                # The caller stopped before its end.
                item.sha256, item.bytes = file_hash(item.path), item.path.stat().st_size
        return [
            {"file": item.name, "bytes": item.bytes, "sha256": item.sha256}
            for item in self._reached
        ]

    def describe(self) -> str:
        """Return in words how many games were read, and which files of folders were not."""
        lines = [f"{item.name}: {item.games:,} games read" for item in self._reached]
        if len(lines) > _EXAMPLES:
            games = sum(item.games for item in self._reached)
            lines = [f"{len(lines):,} files: {games:,} games read"]
        if self._left_out:
            more = ", ..." if len(self._left_out) > _EXAMPLES else ""
            named = ", ".join(self._left_out[:_EXAMPLES]) + more
            lines.append(f"{len(self._left_out):,} files without games left out: {named}")
        return "\n".join(lines)

    def show_filled(self, filled: int, total: int) -> None:
        """Show how far the groups are filled."""
        self._filled = f", {filled:,} of {total:,} positions"

    def _expanded(self, path: Path, name: str) -> Iterator[_Input]:
        if path == Path(STANDARD_INPUT):
            yield _Input(None, name, None)
            return
        try:
            status = path.stat()
            files = sorted(_files_in(path)) if stat.S_ISDIR(status.st_mode) else []
        except OSError as error:
            raise unreadable_error(path, error) from error
        if not stat.S_ISDIR(status.st_mode):
            yield _Input(path, name, status.st_size if stat.S_ISREG(status.st_mode) else None)
            return
        game_files = [file for file in files if _holds_games(path / file)]
        self._left_out += [f"{name}/{file}" for file in files if file not in set(game_files)]
        if not game_files:
            raise GameFileError(
                f"{path}: expected a folder with games (.pgn, .pgn.zst, .pgn.gz, .pgn.bz2, .zip or "
                f".parquet), got {len(files)} other files; name a file itself to have it read"
            )
        for file in game_files:
            yield _Input(path / file, f"{name}/{file}", (path / file).stat().st_size)

    def _games_of(self, item: _Input, refuse: Refusal | None) -> Iterator[AnyGame]:
        with _opened(item) as raw:
            hashed = HashedStream(raw, self._show_bytes)
            try:
                for game in self._scanned(item, hashed, refuse):
                    item.games += 1
                    self._games += 1
                    yield game
            except GameFileError as error:
                if not self._allow_truncated or not item.games:
                    raise
                self.broken_off.append(str(error))
            item.sha256, item.bytes = hashed.finish(), hashed.count

    def _scanned(
        self, item: _Input, hashed: HashedStream, refuse: Refusal | None
    ) -> Iterator[AnyGame]:
        where = str(item.path or item.name)
        stream = io.BufferedReader(hashed, CHUNK)
        head = stream.peek(8)
        check_name(where, head)
        kind = kind_of(head)
        if kind not in ("zip", "parquet"):
            yield from scan_stream(stream, item.name, where, refuse)
            return
        # The share of these is counted by what is read inside them.
        self._show_bytes(-hashed.count)
        hashed.on_bytes = lambda count: None
        with _seekable(item, stream) as path:
            if kind == "zip":
                yield from self._archived(path, item.name, refuse)
            else:
                on_share = partial(self._show_bytes, share=item.bytes_total or 0)
                yield from parquet_games(path, item.name, refuse, on_share)

    def _archived(
        self, path: Path, name: str, refuse: Refusal | None
    ) -> Iterator[ScannedGame | RefusedGame]:
        with open_zip(path) as archive:
            members = pgn_members(archive)
            if not members:
                raise GameFileError(
                    f"{path}: expected PGN files in the archive, got {archive.namelist()[:_EXAMPLES]}"
                )
            for member in members:
                inside = f"{name}/{member.filename}"
                share = member.compress_size / max(member.file_size, 1)
                with open_member(archive, member, inside) as unpacked:
                    hashed = HashedStream(unpacked, partial(self._show_bytes, share=share))
                    stream = io.BufferedReader(hashed, CHUNK)
                    yield from scan_stream(stream, inside, inside, refuse)

    def _show_bytes(self, count: float, share: float = 1) -> None:
        self._bar.set_postfix_str(f"{self._games:,} games{self._filled}", refresh=False)
        self._bar.update(count * share)


def _names(paths: Sequence[Path]) -> list[str]:
    """Return the last part of each path, or as many parts as tell different paths apart."""
    named = {path: _name(path) for path in paths}
    for parts in range(2, max((len(path.parts) for path in paths), default=0) + 1):
        names = list(named.values())
        for path, name in named.items():
            if names.count(name) > 1:
                named[path] = str(Path(*path.parts[-parts:]))
    return [named[path] for path in paths]


def _name(path: Path) -> str:
    if path == Path(STANDARD_INPUT):
        return "standard input"
    # A descriptor's number is no name.
    if str(path).startswith(("/dev/", "/proc/")):
        return str(path)
    return path.name if path.name not in ("", "..") else path.resolve().name


def _files_in(folder: Path) -> Iterator[str]:
    def refuse(error: OSError) -> None:
        raise error

    for place, _, names in os.walk(folder, onerror=refuse):
        for name in names:
            path = Path(place, name)
            inside = path.relative_to(folder)
            if path.is_file() and not is_hidden(PurePosixPath(inside)):
                yield inside.as_posix()


def _holds_games(path: Path) -> bool:
    match path.suffix.lower():
        case ".zip":
            with open_zip(path) as archive:
                return bool(pgn_members(archive))
        case ".parquet":
            return has_games(path)
    return is_pgn_name(path.name)


@contextmanager
def _opened(item: _Input) -> Iterator[Any]:
    if item.path is None:
        if sys.stdin is None:
            raise GameFileError("-: expected games on standard input, which is closed")
        yield sys.stdin.buffer
        return
    with open_bytes(item.path) as stream:
        yield stream


@contextmanager
def _seekable(item: _Input, stream: Any) -> Iterator[Path]:
    """Give a path to an input's bytes; those of a pipe are kept in a file meanwhile."""
    if item.path is not None and item.can_be_read_again:
        yield item.path
        return
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, item.name.replace("/", "-"))
        with path.open("wb") as copy:
            shutil.copyfileobj(stream, copy)
        yield path
