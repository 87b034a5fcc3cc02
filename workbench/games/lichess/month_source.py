"""A month of the Lichess database as a source of games, and the interface of all sources."""

import io
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final, Protocol

from tqdm.auto import tqdm

from workbench.errors import (
    ChangedRemoteFileError,
    GameFileError,
    InvalidArgumentError,
    RemoteFileError,
)
from workbench.games.lichess.http_requests import Patience
from workbench.games.lichess.remote_file import RemoteFile
from workbench.games.lichess.remote_stream import RemoteStream
from workbench.games.pgn import (
    Game,
    Refusal,
    RefusedGame,
    ScannedGame,
    scan_texts,
    split_games,
)
from workbench.games.streams import CHUNK, pgn_text

DATABASE: Final = "https://database.lichess.org"
_MONTH: Final = re.compile(r"\d{4}-(0[1-9]|1[0-2])")


class Source(Protocol):
    """Games from the first one, repeatable."""

    name: str
    broken_off: list[str]

    def games(self, refuse: Refusal | None = None) -> Iterator[Game | ScannedGame | RefusedGame]:
        """Yield every game, usable or not; ``refuse`` is a test of the headers."""
        ...

    def provenance(self) -> list[dict[str, Any]]:
        """Return which files were read, the same for the same games."""
        ...

    def describe(self) -> str:
        """Return in words what was read of it."""
        ...

    def show_filled(self, filled: int, wanted: int) -> None:
        """Show how far the groups are filled."""
        ...


class MonthSource:
    """A month of rated standard games of the Lichess database.

    Args:
        month: Such as ``2017-04``.
        cache: The folder that keeps what was read.
        address: Of the database, or of a copy with the same paths.
        patience: How long to wait for the server.
        progress: Whether to show a bar with the rate of the transfer, and each wait.

    Raises:
        InvalidArgumentError: If the month is none.
    """

    def __init__(
        self,
        month: str,
        cache: Path,
        *,
        address: str = DATABASE,
        patience: Patience | None = None,
        progress: bool = False,
    ) -> None:
        if not _MONTH.fullmatch(month):
            raise InvalidArgumentError(f"expected a month such as 2017-04, got {month!r}")
        folder = address.rstrip("/") + "/standard"
        self.name = f"lichess {month}"
        self.broken_off: list[str] = []
        self._progress = progress
        self._bar: Any = None
        self._changes = 0
        self._file = RemoteFile(
            f"{folder}/lichess_db_standard_rated_{month}.pgn.zst",
            cache,
            sums_address=f"{folder}/sha256sums.txt",
            patience=patience,
            on_bytes=self._show_bytes,
            on_wait=self._say,
        )

    def games(self, refuse: Refusal | None = None) -> Iterator[ScannedGame | RefusedGame]:
        """Yield every game, usable or not.

        Args:
            refuse: A test of the headers; the moves of what it refuses are not looked at.

        Raises:
            RemoteFileError: If the server does not give the file, or a wrong one.
            ChangedRemoteFileError: If the file was changed at the server after a part was read;
                what was kept of the older one is thrown away.
            GameFileError: If the compressed data is broken; what was kept is thrown away.
        """
        with (
            self._file as file,
            tqdm(
                desc=self.name, unit="B", unit_scale=True, smoothing=0, disable=not self._progress
            ) as self._bar,
        ):
            try:
                with (
                    io.BufferedReader(RemoteStream(file), CHUNK) as stream,
                    pgn_text(stream, file.state.address) as text,
                ):
                    yield from scan_texts(split_games(text), self.name, refuse)
            except ChangedRemoteFileError:
                self._changes += 1
                file.forget()
                raise
            except RemoteFileError:
                raise
            except GameFileError as error:
                file.forget()
                raise GameFileError(f"{error}; the cached part is discarded") from error

    def provenance(self) -> list[dict[str, Any]]:
        """Return the file's address, version and length, and its hash where all of it was read."""
        state = self._file.state
        return [
            {
                "address": state.address,
                "etag": state.etag,
                "last_modified": state.last_modified,
                "bytes_total": state.bytes_total,
                "sha256": state.sha256 if self._whole else "",
            }
        ]

    def describe(self) -> str:
        """Return in words how much was read, how it went, and whether the checksum is right."""
        file = self._file
        total = "unknown" if file.state.bytes_total is None else f"{file.state.bytes_total:,}"
        said = [
            f"{file.reached:,} bytes of {total} read, {file.fetched:,} of them fetched now; kept in "
            f"{file.path}"
        ]
        if file.resumed:
            said.append(f"{file.resumed} times the transfer was resumed")
        if self._changes:
            said.append("the file changed on the server and was read again from its first byte")
        if not self._whole:
            said.append("checksum not verified: the file was not read completely")
        elif file.state.checked:
            said.append(f"SHA-256 as published: {file.state.sha256}")
        else:
            said.append(f"no published checksum was found; SHA-256 {file.state.sha256}")
        return f"{self.name}: " + "; ".join(said)

    def show_filled(self, filled: int, wanted: int) -> None:
        """Show how far the groups are filled."""
        if self._bar is not None:
            self._bar.set_postfix_str(f"{filled:,} of {wanted:,} positions", refresh=False)

    @property
    def _whole(self) -> bool:
        return bool(self._file.state.sha256) and self._file.reached == self._file.state.bytes_total

    def _show_bytes(self, count: int, kept: bool) -> None:
        if self._bar.disable:
            return
        self._bar.total = self._file.state.bytes_total
        if kept:
            # The rate is that of the transfer.
            self._bar.initial += count
        self._bar.update(count)

    def _say(self, sentence: str) -> None:
        if self._progress:
            tqdm.write(f"{self.name}: {sentence}", file=sys.stderr)
