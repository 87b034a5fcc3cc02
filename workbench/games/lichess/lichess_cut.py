"""Positions from Lichess games in one call: streamed, filtered, cut, stopped once groups are full.

The choice is made among the games up to the first at which all groups can be filled. They depend
only on the source, the filters and the groups: not on the seed, the transfer, or the cache.
"""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import platformdirs

from workbench.errors import ChangedRemoteFileError, InvalidArgumentError
from workbench.games.cut import Cut, cut_games
from workbench.games.cut_plies import MAX, PerGroup, SideToMove, cut_plies, per_ply
from workbench.games.cut_summary import unfilled_error
from workbench.games.filters import GameFilters
from workbench.games.lichess.early_stop import GamesUntilFull
from workbench.games.lichess.month_source import Source
from workbench.games.pgn import Game, RefusedGame, ScannedGame


@dataclass(frozen=True, slots=True)
class LichessCut:
    """Positions of Lichess games, and where they came from.

    Attributes:
        cut: The positions, and what became of the games.
        stopped_early: Whether there were more games than the groups needed.
        provenance: What determines the positions, as JSON can hold it.
        notes: A line on each source that was read.
    """

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
    sources: Sequence[Source],
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

    Args:
        sources: Months or files, at least one.
        groups: Full moves at which to cut, each at least 1, all different.
        per_group: Positions per group, as of `cut_games`; for ``max`` the sources are read to the
            end.
        seed: Seed of the choice among the games read, at least 0.
        side_to_move: Who is to move, as of `cut_games`.
        filters: Which games are wanted; all but those of bots if None.
        allow_unfilled: Go on with what there is where a group cannot be filled.
        progress: Whether to show bars of the games read and cut on standard error.

    Raises:
        InvalidArgumentError: If there is no source, or a number is out of range.
        RemoteFileError: If a server does not give a file, or a wrong one.
        GameFileError: If a file cannot be read, or breaks off.
        UnfilledGroupError: If all sources together have too few games for a group.
    """
    if not sources:
        raise InvalidArgumentError("expected at least one month or file, got none")
    wanted = filters or GameFilters()
    for again in (True, False):
        try:
            return _cut(
                sources, groups, per_group, seed, side_to_move, wanted, allow_unfilled, progress
            )
        except ChangedRemoteFileError:
            # What was kept of the older version is gone; a second change in a row is reported.
            if not again:
                raise
    raise AssertionError("the second round returns or raises")


def _cut(
    sources: Sequence[Source],
    groups: Sequence[int],
    per_group: PerGroup,
    seed: int,
    side_to_move: SideToMove,
    filters: GameFilters,
    allow_unfilled: bool,
    progress: bool,
) -> LichessCut:
    reached: list[Source] = []

    def read() -> Iterator[Game | ScannedGame | RefusedGame]:
        reached.clear()
        for source in sources:
            reached.append(source)
            yield from source.games(filters.refuse)

    def show_filled(filled: int, asked: int) -> None:
        reached[-1].show_filled(filled, asked)

    plies = cut_plies(groups, side_to_move)
    asked = None if per_group == MAX else per_ply(per_group, side_to_move)
    margin = 0
    while True:
        wanted = None if asked is None else asked + margin
        games = GamesUntilFull(read, plies, wanted, show_filled)
        cut = cut_games(
            games,
            groups=groups,
            per_group=per_group,
            seed=seed,
            side_to_move=side_to_move,
            allow_unfilled=asked is not None,
            progress=progress,
        )
        short = cut.per_group - min(cut.summary.taken.values())
        if not short or not games.stopped_early:
            break
        # Games that the choice fell on turned out illegal, and others are needed in their place.
        margin += max(short, margin)
    cut.summary.truncated = [said for source in reached for said in source.broken_off]
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
            "groups": list(groups),
            "per_group": cut.per_group,
            "side_to_move": side_to_move,
            "seed": seed,
        },
        tuple(source.describe() for source in reached),
    )
