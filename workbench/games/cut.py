"""Games cut into groups by length: positions to ask a model for, seeded, no game used twice."""

import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from itertools import accumulate
from pathlib import Path
from typing import Any, Final, Literal, TypeAlias, get_args

import chess
import pandas as pd
from tqdm.auto import tqdm

from workbench.environments.chess.replay import numbered_san, read_moves
from workbench.errors import InvalidArgumentError, UnfilledGroupError
from workbench.games.game_files import GameFiles
from workbench.games.pgn import AnyGame, Game, RefusedGame
from workbench.games.selection import (
    Band,
    GameFilters,
    ReserveUsedUp,
    bands_for,
    choose,
    fair_counts,
    number_of,
)
from workbench.tables.parquet_tables import POSITIONS

SideToMove: TypeAlias = Literal["white", "black", "both"]
"""Who is to move in the positions: ``both`` gives each group half of either."""

PerGroup: TypeAlias = int | Literal["max"]
"""Positions per group; ``max`` is as many as every group can supply."""

MAX: Final = "max"


def cut_plies(groups: Sequence[int], side_to_move: SideToMove) -> tuple[int, ...]:
    """Return the half-moves after which games are cut, ascending."""
    if not groups or len(set(groups)) != len(groups) or min(groups) < 1:
        raise InvalidArgumentError(
            f"expected groups of different numbers of full moves, each at least 1, got {groups!r}"
        )
    if side_to_move not in get_args(SideToMove):
        raise InvalidArgumentError(
            f"expected a side to move of {get_args(SideToMove)}, got {side_to_move!r}"
        )
    before = {"white": (0,), "black": (1,), "both": (0, 1)}[side_to_move]
    return tuple(sorted(2 * group - less for group in groups for less in before))


def group_of(ply: int) -> int:
    """Return the number of the last full move of a position, be it finished or not."""
    return (ply + 1) // 2


def per_ply(per_group: int, side_to_move: SideToMove) -> int:
    """Return how many positions each cut gives to its group."""
    cuts = 2 if side_to_move == "both" else 1
    if per_group < 1 or per_group % cuts:
        kind = "an even number of" if cuts == 2 else "at least 1"
        raise InvalidArgumentError(
            f"expected {kind} positions per group with side to move {side_to_move!r}, "
            f"got {per_group!r}"
        )
    return per_group // cuts


def possible_per_ply(long_enough: Mapping[int, int]) -> int:
    """Return how many games every cut can have."""
    longest_first = sorted(long_enough, reverse=True)
    return min(
        (long_enough[ply] // rank for rank, ply in enumerate(longest_first, start=1)), default=0
    )


EXAMPLES: Final = 5


@dataclass(slots=True)
class CutSummary:
    """The use of the games read; the counts do not depend on their order.

    Attributes:
        read: Games read.
        refused: Games that cannot be used, by reason. Legality is looked at only for games that the
            choice falls on; an illegal one there is counted, and the next takes its place.
        examples: The first refused games.
        duplicates: Further copies of games that were low enough to be kept for the choice.
        too_short: Games too short for every group.
        eligible_at: By the half-moves of a cut, the games long enough for it, copies and illegal
            ones included.
        taken_at: By the half-moves of a cut, the positions cut.
        without_result: Games whose text ends without a result, as where a file is cut short.
        truncated: Files that broke off, with the error; empty unless that was allowed.
        passes: Times the games were read: again only if very many of the chosen were refused.
    """

    read: int = 0
    refused: Counter[str] = field(default_factory=Counter)
    examples: list[RefusedGame] = field(default_factory=list)
    duplicates: int = 0
    too_short: int = 0
    eligible_at: dict[int, int] = field(default_factory=dict)
    taken_at: dict[int, int] = field(default_factory=dict)
    without_result: int = 0
    truncated: list[str] = field(default_factory=list)
    passes: int = 1

    @property
    def eligible(self) -> dict[int, int]:
        """For each group the games long enough for one of its cuts."""
        longest_first = sorted(self.eligible_at, reverse=True)
        by_group = {group_of(ply): self.eligible_at[ply] for ply in longest_first}
        return dict(sorted(by_group.items()))

    @property
    def taken(self) -> dict[int, int]:
        """For each group the positions cut."""
        taken: dict[int, int] = {}
        for ply, count in sorted(self.taken_at.items()):
            taken[group_of(ply)] = taken.get(group_of(ply), 0) + count
        return taken

    @property
    def possible(self) -> int:
        """Positions that every group could have; exact if a group got fewer than requested."""
        longest_first = sorted(self.taken_at, reverse=True)
        # Where there are too few, all that are long enough were taken for a cut or a longer one.
        sums = accumulate(self.taken_at[ply] for ply in longest_first)
        cuts = len(self.taken_at) // max(len(self.taken), 1)
        return cuts * possible_per_ply(dict(zip(longest_first, sums, strict=True)))

    def refuse(self, game: RefusedGame) -> None:
        """Count a game that cannot be used."""
        self.refused[game.reason] += 1
        if len(self.examples) < EXAMPLES:
            self.examples.append(game)

    def describe(self) -> str:
        """Return the summary in lines of text."""
        lines = [
            f"{self.read} games read, {self.too_short} too short for every group, "
            f"{self.duplicates} duplicates, {self.without_result} without a result"
        ]
        for reason, number in sorted(self.refused.items()):
            lines.append(f"{number} refused: {reason}")
        lines += [f"  {game.source}: {game.reason}, {game.detail}" for game in self.examples]
        lines += [f"broke off: {error}" for error in self.truncated]
        for group, number in self.taken.items():
            black = self.taken_at.get(2 * group - 1)
            to_move = "" if black is None else f", {black} with Black to move"
            lines.append(
                f"group of {group} full moves: {number} taken of {self.eligible[group]} long enough"
                f"{to_move}"
            )
        return "\n".join(lines)


def unfilled_error(per_group: int, summary: CutSummary) -> UnfilledGroupError:
    """Return the error that names the groups that were not filled, with what was read."""
    counts = ", ".join(
        f"{group} full moves: {count}"
        for group, count in summary.taken.items()
        if count < per_group
    )
    advice = (
        f"ask for {summary.possible} a group, the most that all groups can have (--per-group "
        f"{summary.possible}, or --per-group max)"
        if summary.possible
        else "leave out the groups that no game is long enough for"
    )
    return UnfilledGroupError(
        f"expected {per_group} games for each group, got for {counts}; {summary.read} games were "
        f"read, and no game is used twice: {advice}, give more games, or allow unfilled groups\n"
        f"{summary.describe()}"
    )


def too_short_error(games: str, moves: int, summary: CutSummary) -> UnfilledGroupError:
    """Return the error that no game can be cut, with what was read."""
    return UnfilledGroupError(
        f"expected games of more than {moves} full moves in {games}, found none; "
        f"{summary.describe()}"
    )


Games: TypeAlias = GameFiles | Path | str | Sequence[Path | str] | Iterable[AnyGame]


@dataclass(frozen=True, slots=True)
class Cut:
    """Positions sorted by group and position_id, the use of the games, and positions per group."""

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
        games: Files and folders as of `GameFiles`, a `GameFiles`, or an iterable of games.
        groups: Full moves at which to cut, each at least 1, all different.
        per_group: Positions per group, at least 1; an even number if both sides are to move.
            ``max`` is as many as every group can supply: all games are held in memory for it.
        seed: Seed of the choice, at least 0.
        side_to_move: Who is to move: White after ``group`` full moves, Black after the last of them
            was played by White alone, or either in half of each group.
        allow_unfilled: Accept groups that cannot be filled: all groups get equally many games, as
            far as enough games are long enough.
        allow_truncated: Use the readable part of a file that breaks off, if that is a game.
        filters: The games of files to use; all if None.
        progress: Whether to show progress bars on standard error.
        reserve: Games of each length kept in memory beyond need, at least 0, to replace those that
            turn out illegal; a tenth of ``per_group`` and 100 if None. The choice does not depend
            on it: if it does not suffice, the games are read again with a larger one.

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
    per_cut = None if per_group == MAX else per_ply(per_group, side_to_move)
    reserve_size = (per_cut or 0) // 10 + 100 if reserve is None else reserve
    source: GameFiles | Iterable[Any] = [games] if isinstance(games, Path | str) else games
    if isinstance(source, Sequence) and source and all(isinstance(i, Path | str) for i in source):
        source = GameFiles(source, allow_truncated=allow_truncated, progress=progress)
    if filters and not isinstance(source, GameFiles):
        raise InvalidArgumentError("filters need files of games, got games in memory")
    passes = 1
    while True:
        summary = CutSummary(
            eligible_at=dict.fromkeys(plies, 0), taken_at=dict.fromkeys(plies, 0), passes=passes
        )
        bands = bands_for(plies, sys.maxsize if per_cut is None else per_cut, reserve_size)
        for game in _read(source, summary, filters, progress):
            _offer(game, plies, bands, seed, summary)
        try:
            rows, summary, number = _selection(bands, per_cut, summary, progress)
            break
        except ReserveUsedUp as error:
            if isinstance(source, Iterator):
                raise InvalidArgumentError(
                    f"of the games chosen more than the reserve of {reserve_size} were refused, and an "
                    "iterator cannot be read again: give the games as a list, or a larger reserve"
                    f"\n{summary.describe()}"
                ) from error
            reserve_size = 8 * max(reserve_size, per_cut or 0)
            passes += 1
    number *= len(plies) // len(groups)
    if min(summary.taken.values()) < number and not allow_unfilled:
        raise unfilled_error(number, summary)
    frame = pd.DataFrame(rows, columns=POSITIONS.names)
    return Cut(frame.sort_values(["group", "position_id"], ignore_index=True), summary, number)


def _read(
    games: GameFiles | Iterable[AnyGame],
    summary: CutSummary,
    filters: GameFilters | None,
    progress: bool,
) -> Iterator[AnyGame]:
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
    game: AnyGame, plies: tuple[int, ...], bands: dict[int, Band], seed: int, summary: CutSummary
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


def _selection(
    bands: dict[int, Band], per_cut: int | None, summary: CutSummary, progress: bool
) -> tuple[list[dict[str, object]], CutSummary, int]:
    """Return the positions, the summary with them, and how many a cut were asked for."""
    number = max(1, possible_per_ply(summary.eligible_at)) if per_cut is None else per_cut
    while True:
        attempt = deepcopy(summary)
        rows = _take(bands, fair_counts(attempt.eligible_at, number), attempt, progress)
        possible = attempt.possible * len(attempt.taken) // len(attempt.taken_at)
        if per_cut is not None or not 0 < possible < number:
            return rows, attempt, number
        # Some of the games are illegal or copies.
        number = possible


def _take(
    bands: dict[int, Band], counts: dict[int, int], summary: CutSummary, progress: bool
) -> list[dict[str, object]]:
    summary.duplicates += sum(band.further_copies() for band in bands.values())
    rows: list[dict[str, object]] = []
    with tqdm(
        desc="cutting", total=sum(counts.values()), unit=" games", disable=not progress
    ) as bar:
        for ply, game, chosen_before in choose(bands, counts):
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
