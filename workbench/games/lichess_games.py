"""Games of the Lichess database: a month streamed, filtered and cut, and stopped once every group is full."""

import hashlib
import io
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

import platformdirs
from tqdm.auto import tqdm

from workbench.errors import (
    ChangedRemoteFileError,
    GameFileError,
    InvalidArgumentError,
    RemoteFileError,
)
from workbench.games.cut import (
    MAX,
    Cut,
    PerGroup,
    SideToMove,
    cut_games,
    cut_plies,
    per_ply,
    unfilled_error,
)
from workbench.games.game_files import GameFiles
from workbench.games.pgn import (
    AnyGame,
    Game,
    Refusal,
    RefusedGame,
    ScannedGame,
    scan_texts,
    split_games,
)
from workbench.games.remote_files import Patience, RemoteFile, RemoteStream
from workbench.games.selection import GameFilters, number_of
from workbench.games.streams import CHUNK, pgn_text


class Filling:
    """Tracks how far games fill the groups, of ``total`` positions; bounded in memory.

    Games long enough for the same groups are counted together, and no more of them than can be
    needed. The groups can be filled if for each of them the games that are long enough for it or
    for a longer one are as many as these groups ask for.
    """

    def __init__(self, cuts: Sequence[int], games: int) -> None:
        self._cuts = cuts
        self._games = games
        self._numbers: list[set[int]] = [set() for _ in cuts]
        self.total = games * len(cuts)

    def add(self, game: Game | ScannedGame) -> bool:
        """Count a game, and return whether it brought the groups nearer to full."""
        rank = sum(game.plies > cut for cut in self._cuts) - 1
        if rank < 0 or len(self._numbers[rank]) >= self._games * (rank + 1):
            return False
        before = len(self._numbers[rank])
        self._numbers[rank].add(number_of(game, 0) >> 64)
        return len(self._numbers[rank]) > before

    @property
    def filled(self) -> int:
        """Positions that could be cut from the games so far."""
        filled = pool = 0
        for games in reversed(self._numbers):
            pool += len(games)
            count = min(pool, self._games)
            filled += count
            pool -= count
        return filled


class GamesUntilFull(Iterable[AnyGame]):
    """Games of a source, read again on each request, as far as the groups need.

    Attributes:
        sha256: Of what was read last time: a line a game with its source and its moves or why it
            was refused. It does not depend on how the source is compressed, or where it came from.
        stopped_early: Whether the source held more last time.
    """

    def __init__(
        self,
        read: Callable[[], Iterator[AnyGame]],
        cuts: Sequence[int],
        games: int | None,
        on_filled: Callable[[int, int], None] = lambda filled, total: None,
    ) -> None:
        self._read = read
        self._cuts = cuts
        self._games = games
        self._on_filled = on_filled
        self.sha256 = ""
        self.stopped_early = False

    def __iter__(self) -> Iterator[AnyGame]:
        filling = None if self._games is None else Filling(self._cuts, self._games)
        digest = hashlib.sha256()
        self.stopped_early = False
        games = self._read()
        for game in games:
            text = game.reason if isinstance(game, RefusedGame) else game.key_text
            digest.update(f"{game.source}\t{text}\n".encode())
            yield game
            if filling and not isinstance(game, RefusedGame) and filling.add(game):
                filled = filling.filled
                self._on_filled(filled, filling.total)
                if filled == filling.total:
                    self.stopped_early = True
                    games.close() if hasattr(games, "close") else None
                    break
        self.sha256 = digest.hexdigest()


DATABASE: Final = "https://database.lichess.org"
_MONTH: Final = re.compile(r"\d{4}-(0[1-9]|1[0-2])")


class MonthSource:
    """A month of rated standard games of the Lichess database."""

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
        """Yield every game, usable or not."""
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
        described = asdict(self._file.state)
        del described["checked"]
        return [described if self._whole else {**described, "sha256": ""}]

    def describe(self) -> str:
        """Return in words how much was read, how it went, and whether the checksum is right."""
        file = self._file
        total = "unknown" if file.state.bytes_total is None else f"{file.state.bytes_total:,}"
        parts = [
            f"{file.reached:,} bytes of {total} read, {file.fetched:,} of them fetched now; kept in "
            f"{file.path}"
        ]
        if file.resumed:
            parts.append(f"{file.resumed} times the transfer was resumed")
        if self._changes:
            parts.append("the file changed on the server and was read again from its first byte")
        if not self._whole:
            parts.append("checksum not verified: the file was not read completely")
        elif file.state.checked:
            parts.append(f"SHA-256 as published: {file.state.sha256}")
        else:
            parts.append(f"no published checksum was found; SHA-256 {file.state.sha256}")
        return f"{self.name}: " + "; ".join(parts)

    def show_filled(self, filled: int, total: int) -> None:
        """Show how far the groups are filled."""
        if self._bar is not None:
            self._bar.set_postfix_str(f"{filled:,} of {total:,} positions", refresh=False)

    @property
    def _whole(self) -> bool:
        return bool(self._file.state.sha256) and self._file.reached == self._file.state.bytes_total

    def _show_bytes(self, count: int, cached: bool) -> None:
        if self._bar.disable:
            return
        self._bar.total = self._file.state.bytes_total
        if cached:
            # The rate is that of the transfer.
            self._bar.initial += count
        self._bar.update(count)

    def _say(self, sentence: str) -> None:
        if self._progress:
            tqdm.write(f"{self.name}: {sentence}", file=sys.stderr)


@dataclass(frozen=True, slots=True)
class LichessCut:
    """Positions of Lichess games, and where they came from."""

    cut: Cut
    stopped_early: bool
    provenance: dict[str, Any]
    notes: tuple[str, ...]

    def describe(self) -> str:
        """Return the summary in lines of text."""
        end = "stopped early: all groups were full" if self.stopped_early else "read to the end"
        return "\n".join([*self.notes, end, self.cut.summary.describe()])


def default_cache() -> Path:
    """Return the folder of the user's cache that keeps what was streamed."""
    return platformdirs.user_cache_path("world-state-workbench") / "lichess"


def cut_lichess(
    sources: Sequence[MonthSource | GameFiles],
    *,
    groups: Sequence[int] = (5, 16, 27, 38, 50),
    per_group: PerGroup = 2000,
    seed: int,
    side_to_move: SideToMove = "white",
    filters: GameFilters | None = None,
    allow_unfilled: bool = False,
    progress: bool = False,
) -> LichessCut:
    """Read sources one after another until the groups can be filled, and cut the games.

    Arguments are as of `cut_games`, but that by default the games of bots are left out. For
    ``max`` the sources are read to the end.
    """
    if not sources:
        raise InvalidArgumentError("expected at least one month or file, got none")
    cutting = {
        "groups": groups,
        "per_group": per_group,
        "seed": seed,
        "side_to_move": side_to_move,
        "progress": progress,
    }
    arguments = (sources, filters or GameFilters(), cutting, allow_unfilled)
    try:
        return _cut(*arguments)
    except ChangedRemoteFileError:
        # The cached part of the older version is gone; a second change in a row is an error.
        return _cut(*arguments)


def _cut(
    sources: Sequence[MonthSource | GameFiles],
    filters: GameFilters,
    cutting: dict[str, Any],
    allow_unfilled: bool,
) -> LichessCut:
    reached: list[MonthSource | GameFiles] = []

    def read() -> Iterator[AnyGame]:
        reached.clear()
        for source in sources:
            reached.append(source)
            yield from source.games(filters.refuse)

    def show_filled(filled: int, total: int) -> None:
        reached[-1].show_filled(filled, total)

    side_to_move, per_group = cutting["side_to_move"], cutting["per_group"]
    plies = cut_plies(cutting["groups"], side_to_move)
    per_cut = None if per_group == MAX else per_ply(per_group, side_to_move)
    margin = 0
    while True:
        needed = None if per_cut is None else per_cut + margin
        games = GamesUntilFull(read, plies, needed, show_filled)
        cut = cut_games(games, **cutting, allow_unfilled=per_cut is not None)
        short = cut.per_group - min(cut.summary.taken.values())
        if not short or not games.stopped_early:
            break
        # Games that the choice fell on turned out illegal, and others are needed in their place.
        margin += max(short, margin)
    cut.summary.truncated = [error for source in reached for error in source.broken_off]
    if short and not allow_unfilled:
        raise unfilled_error(cut.per_group, cut.summary)
    return LichessCut(
        cut,
        games.stopped_early,
        {
            "sources": [entry for source in reached for entry in source.provenance()],
            "filters": asdict(filters),
            "games_read": cut.summary.read,
            "games_read_sha256": games.sha256,
            "groups": list(cutting["groups"]),
            "per_group": cut.per_group,
            "side_to_move": side_to_move,
            "seed": cutting["seed"],
        },
        tuple(source.describe() for source in reached),
    )
