"""Zip archives of PGN files, read member by member and never unpacked to disk."""

import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import Any, Final

from workbench.errors import GameFileError

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
    """Open a zip archive.

    Raises:
        GameFileError: If it cannot be read as one.
    """
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
    """Open a file of an archive for reading its bytes.

    Args:
        archive: Open.
        member: One of its files.
        name: What it is called in a message.

    Raises:
        GameFileError: If it is encrypted, or compressed in a way that Python does not know.
    """
    if member.flag_bits & _ENCRYPTED:
        raise GameFileError(f"{name}: expected a file without a password; unpack the archive")
    try:
        return archive.open(member)
    except (NotImplementedError, zipfile.BadZipFile, EOFError) as error:
        raise GameFileError(
            f"{name}: expected a file that can be unpacked, got: {error}; unpack the archive"
        ) from error
