"""Games cut into groups by length: positions to ask a model for, seeded, no game used twice.

A "move" is a full move, two plies. A game can be cut after k moves if it has more than 2k plies, and
after White's k-th if it has more than 2k - 1.
Source: arXiv 2508.19851, the set-up of its groups; how games are chosen: `workbench.games.selection`.
"""

import sys
from collections.abc import Iterable, Iterator, Sequence
from copy import deepcopy
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import chess
import pandas as pd
from tqdm.auto import tqdm

from workbench.environments.chess.replay import numbered_san, read_moves
from workbench.errors import InvalidArgumentError
from workbench.games.cut_plies import (
    MAX,
    PerGroup,
    SideToMove,
    cut_plies,
    group_of,
    per_ply,
    possible_per_ply,
)
from workbench.games.cut_summary import CutSummary, unfilled_error
from workbench.games.filters import GameFilters
from workbench.games.game_files import GameFiles
from workbench.games.pgn import Game, RefusedGame, ScannedGame
from workbench.games.selection import (
    Band,
    ReserveUsedUp,
    bands_for,
    choose,
    fair_counts,
    number_of,
)
from workbench.tables.parquet_tables import POSITIONS

Games: TypeAlias = (
    GameFiles | Path | str | Sequence[Path | str] | Iterable[Game | ScannedGame | RefusedGame]
)


@dataclass(frozen=True, slots=True)
class Cut:
    """Positions with the columns of `workbench.tables.parquet_tables.POSITIONS`, and what became of the games.

    Attributes:
        positions: Sorted by group and position_id.
        summary: What became of the games.
        per_group: Positions per group as requested, or as many as every group can supply.
    """

    positions: pd.DataFrame
    summary: CutSummary
    per_group: int


def cut_games(
    games: Games,
    *,
    groups: Sequence[int] = (5, 16, 27, 38, 50),
    per_group: PerGroup = 2000,
    seed: int,
    side_to_move: SideToMove = "white",
    allow_unfilled: bool = False,
    allow_truncated: bool = False,
    filters: GameFilters | None = None,
    progress: bool = False,
    reserve: int | None = None,
) -> Cut:
    """Cut games into groups by length.

    Args:
        games: Files and folders as `GameFiles` takes them, such a `GameFiles`, or games that are at
            hand or were scanned elsewhere.
        groups: Full moves at which to cut, each at least 1, all different.
        per_group: Positions per group, at least 1; an even number if both sides are to move.
            ``max`` is as many as every group can supply: all games are held in memory for it.
        seed: Seed of the choice, at least 0.
        side_to_move: Who is to move: White after ``group`` full moves, Black after the last of them
            was played by White alone, or either in half of each group.
        allow_unfilled: Go on with what there is where a group cannot be filled: all groups get
            equally many games as far as there are enough that are long enough.
        allow_truncated: Go on with what was read of a file that breaks off, if that is a game.
        filters: Which games of files are wanted; all if None.
        progress: Whether to show progress bars on standard error.
        reserve: Games of each length kept in memory beyond need, at least 0, to replace those that
            turn out illegal; a tenth of ``per_group`` and 100 if None. The choice does not depend
            on it: if it does not suffice, the games are read again with a larger one.

    Returns:
        The positions and a summary.

    Raises:
        InvalidArgumentError: If a number is out of range, or the games have to be read again and
            were given as an iterator.
        GameFileError: If a file cannot be read, or breaks off.
        UnfilledGroupError: If there are too few games for a group.
    """
    if seed < 0 or (reserve is not None and reserve < 0):
        raise InvalidArgumentError(
            f"expected a seed >= 0 and a reserve >= 0 or None, got {seed!r} and {reserve!r}"
        )
    if per_group == MAX and allow_unfilled:
        raise InvalidArgumentError(
            "expected allow_unfilled with a number per group, got it with 'max', which fills all"
        )
    plies = cut_plies(groups, side_to_move)
    asked = None if per_group == MAX else per_ply(per_group, side_to_move)
    kept = (asked or 0) // 10 + 100 if reserve is None else reserve
    source = _as_files(games, allow_truncated, progress)
    if filters and not isinstance(source, GameFiles):
        raise InvalidArgumentError("filters need files of games, got games in memory")
    passes = 1
    while True:
        summary = CutSummary(
            eligible_at=dict.fromkeys(plies, 0), taken_at=dict.fromkeys(plies, 0), passes=passes
        )
        bands = bands_for(plies, sys.maxsize if asked is None else asked, kept)
        for game in _read(source, summary, filters, progress):
            _offer(game, plies, bands, seed, summary)
        try:
            rows, summary, number = _chosen(bands, asked, summary, progress)
            break
        except ReserveUsedUp as error:
            if isinstance(source, Iterator):
                raise InvalidArgumentError(
                    f"of the games chosen more than the reserve of {kept} were refused, and an "
                    "iterator cannot be read again: give the games as a list, or a larger reserve"
                    f"\n{summary.describe()}"
                ) from error
            kept = 8 * max(kept, asked or 0)
            passes += 1
    number *= len(plies) // len(groups)
    if min(summary.taken.values()) < number and not allow_unfilled:
        raise unfilled_error(number, summary)
    frame = pd.DataFrame(rows, columns=POSITIONS.names)
    return Cut(frame.sort_values(["group", "position_id"], ignore_index=True), summary, number)


def _as_files(games: Games, allow_truncated: bool, progress: bool) -> GameFiles | Iterable[Any]:
    if isinstance(games, Path | str):
        games = [games]
    if isinstance(games, Sequence) and games and all(isinstance(i, Path | str) for i in games):
        return GameFiles(games, allow_truncated=allow_truncated, progress=progress)
    return games


def _read(
    games: GameFiles | Iterable[Game | ScannedGame | RefusedGame],
    summary: CutSummary,
    filters: GameFilters | None,
    progress: bool,
) -> Iterator[Game | ScannedGame | RefusedGame]:
    if isinstance(games, GameFiles):
        # They show their own progress.
        offered: Iterable[Any] = games.games(filters.refuse if filters else None)
    else:
        offered = tqdm(games, "reading", unit=" games", disable=not progress)
    for game in offered:
        summary.read += 1
        yield game
    if isinstance(games, GameFiles):
        summary.truncated = games.broken_off


def _offer(
    game: Game | ScannedGame | RefusedGame,
    plies: tuple[int, ...],
    bands: dict[int, Band],
    seed: int,
    summary: CutSummary,
) -> None:
    if not isinstance(game, Game) and not game.has_result:
        summary.without_result += 1
    if isinstance(game, RefusedGame):
        summary.refuse(game)
        return
    fitting = [ply for ply in plies if game.plies > ply]
    if not fitting:
        summary.too_short += 1
        return
    for ply in fitting:
        summary.eligible_at[ply] += 1
    bands[fitting[-1]].offer(number_of(game, seed), game)


def _chosen(
    bands: dict[int, Band], asked: int | None, summary: CutSummary, progress: bool
) -> tuple[list[dict[str, object]], CutSummary, int]:
    """Return the positions, the summary with them, and how many a cut were asked for."""
    number = max(1, possible_per_ply(summary.eligible_at)) if asked is None else asked
    while True:
        found = deepcopy(summary)
        rows = _take(bands, fair_counts(found.eligible_at, number), found, progress)
        possible = found.possible * len(found.taken) // len(found.taken_at)
        if asked is not None or not 0 < possible < number:
            return rows, found, number
        # Some of the games are illegal or copies.
        number = possible


def _take(
    bands: dict[int, Band], wanted: dict[int, int], summary: CutSummary, progress: bool
) -> list[dict[str, object]]:
    summary.duplicates += sum(band.further_copies() for band in bands.values())
    rows: list[dict[str, object]] = []
    with tqdm(
        desc="cutting", total=sum(wanted.values()), unit=" games", disable=not progress
    ) as bar:
        for ply, game, chosen_before in choose(bands, wanted):
            if isinstance(game, RefusedGame):
                summary.refuse(game)
            elif chosen_before:
                summary.duplicates += 1
            else:
                rows.append(_position(game, ply))
                summary.taken_at[ply] += 1
                bar.update()
    return rows


def _position(game: Game, ply: int) -> dict[str, object]:
    board = chess.Board()
    movetext = " ".join(numbered_san(read_moves(game.moves[:ply]), board))
    game_id = game.game_id
    return {
        "position_id": f"{game_id}-{ply:03d}",
        "environment": "chess",
        "game_id": game_id,
        "source": game.source,
        "group": group_of(ply),
        "ply": ply,
        "game_plies": game.plies,
        "initial_state": "",
        "movetext": movetext,
        "moves": " ".join(game.moves[:ply]),
        "true_state": board.fen(),
    }
