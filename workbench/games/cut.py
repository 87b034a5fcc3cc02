"""Games cut into groups by length: positions to ask a model for, seeded, no game used twice.

A "move" is a full move, two plies. A game can be cut after k moves if it has more than 2k plies.
Source: arXiv 2508.19851, the set-up of its groups; how games are chosen: `workbench.games.selection`.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias

import chess
import pandas as pd
from tqdm.auto import tqdm

from workbench.errors import InvalidArgumentError, UnfilledGroupError
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
from workbench.tables import POSITIONS

EXAMPLES = 5

Games: TypeAlias = (
    GameFiles | Path | str | Sequence[Path | str] | Iterable[Game | ScannedGame | RefusedGame]
)


@dataclass(slots=True)
class CutSummary:
    """What became of the games that were read; the counts do not depend on their order.

    Attributes:
        read: Games read.
        refused: Games that cannot be used, by reason. Legality is looked at only for games that the
            choice falls on; an illegal one there is counted, and the next takes its place.
        examples: The first refused games.
        duplicates: Further copies of games that were low enough to be kept for the choice.
        too_short: Games too short for every group.
        eligible: For each group the games long enough for it, copies and illegal ones included.
        taken: For each group the positions cut.
        without_result: Games whose text ends without a result, as where a file is cut short.
        truncated: Files that broke off, with the error; empty unless that was allowed.
        passes: Times the games were read: again only if very many of the chosen were refused.
    """

    read: int = 0
    refused: Counter[str] = field(default_factory=Counter)
    examples: list[RefusedGame] = field(default_factory=list)
    duplicates: int = 0
    too_short: int = 0
    eligible: dict[int, int] = field(default_factory=dict)
    taken: dict[int, int] = field(default_factory=dict)
    without_result: int = 0
    truncated: list[str] = field(default_factory=list)
    passes: int = 1

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
        for group, number in sorted(self.taken.items()):
            lines.append(
                f"group of {group} full moves: {number} taken of {self.eligible[group]} long enough"
            )
        return "\n".join(lines)


@dataclass(frozen=True, slots=True)
class Cut:
    """Positions with the columns of `workbench.tables.POSITIONS`, and what became of the games."""

    positions: pd.DataFrame
    summary: CutSummary


def cut_games(
    games: Games,
    *,
    groups: Sequence[int] = (5, 16, 27, 38, 50),
    per_group: int = 2000,
    seed: int,
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
        per_group: Positions a group, at least 1.
        seed: Of the choice, at least 0.
        allow_unfilled: Go on with what there is where a group cannot be filled: all groups get
            equally many games as far as there are enough that are long enough.
        allow_truncated: Go on with what was read of a file that breaks off, if that is a game.
        filters: Which games of files are wanted; all if None.
        progress: Whether to show progress bars on standard error.
        reserve: Games of each length kept in memory beyond need, at least 0, in place of those that
            turn out illegal; a tenth of ``per_group`` and 100 if None. The choice does not depend
            on it: if it does not suffice, the games are read again with a larger one.

    Returns:
        The positions, sorted by group and position_id, and a summary.

    Raises:
        InvalidArgumentError: If a number is out of range, or the games have to be read again and
            were given as an iterator.
        GameFileError: If a file cannot be read, or breaks off.
        UnfilledGroupError: If there are too few games for a group.
    """
    _check(groups, per_group, seed, reserve)
    cuts = sorted(groups)
    kept = per_group // 10 + 100 if reserve is None else reserve
    source = _as_files(games, allow_truncated, progress)
    if filters and not isinstance(source, GameFiles):
        raise InvalidArgumentError("expected files where filters are given, got games at hand")
    passes = 1
    while True:
        summary = CutSummary(
            eligible=dict.fromkeys(cuts, 0), taken=dict.fromkeys(cuts, 0), passes=passes
        )
        bands = bands_for(cuts, per_group, kept)
        for game in _read(source, summary, filters, progress):
            _offer(game, cuts, bands, seed, summary)
        try:
            wanted = fair_counts(summary.eligible, per_group)
            rows = _take(bands, wanted, summary, progress)
            break
        except ReserveUsedUp as error:
            if isinstance(source, Iterator):
                raise InvalidArgumentError(
                    f"of the games chosen more than the reserve of {kept} were refused, and an "
                    "iterator cannot be read again: give the games as a list, or a larger reserve"
                    f"\n{summary.describe()}"
                ) from error
            kept = 8 * max(kept, per_group)
            passes += 1
    if min(summary.taken.values()) < per_group and not allow_unfilled:
        raise unfilled_error(per_group, summary)
    frame = pd.DataFrame(rows, columns=POSITIONS.names)
    return Cut(frame.sort_values(["group", "position_id"], ignore_index=True), summary)


def _as_files(games: Games, allow_truncated: bool, progress: bool) -> GameFiles | Iterable[Any]:
    if isinstance(games, Path | str):
        games = [games]
    if isinstance(games, Sequence) and games and all(isinstance(i, Path | str) for i in games):
        return GameFiles(games, allow_truncated=allow_truncated, progress=progress)
    return games


def _check(groups: Sequence[int], per_group: int, seed: int, reserve: int | None) -> None:
    if not groups or len(set(groups)) != len(groups) or min(groups) < 1:
        raise InvalidArgumentError(
            f"expected groups of different numbers of full moves, each at least 1, got {groups!r}"
        )
    if per_group < 1 or seed < 0:
        raise InvalidArgumentError(
            f"expected per_group >= 1 and seed >= 0, got {per_group!r} and {seed!r}"
        )
    if reserve is not None and reserve < 0:
        raise InvalidArgumentError(f"expected reserve >= 0 or None, got {reserve!r}")


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
    cuts: list[int],
    bands: dict[int, Band],
    seed: int,
    summary: CutSummary,
) -> None:
    if not isinstance(game, Game) and not game.has_result:
        summary.without_result += 1
    if isinstance(game, RefusedGame):
        summary.refuse(game)
        return
    fitting = [cut for cut in cuts if game.plies > 2 * cut]
    if not fitting:
        summary.too_short += 1
        return
    for cut in fitting:
        summary.eligible[cut] += 1
    bands[fitting[-1]].offer(number_of(game, seed), game)


def _take(
    bands: dict[int, Band], wanted: dict[int, int], summary: CutSummary, progress: bool
) -> list[dict[str, object]]:
    summary.duplicates += sum(band.further_copies() for band in bands.values())
    rows: list[dict[str, object]] = []
    with tqdm(
        desc="cutting", total=sum(wanted.values()), unit=" games", disable=not progress
    ) as bar:
        for cut, game, chosen_before in choose(bands, wanted):
            if isinstance(game, RefusedGame):
                summary.refuse(game)
            elif chosen_before:
                summary.duplicates += 1
            else:
                rows.append(_position(game, cut))
                summary.taken[cut] += 1
                bar.update()
    return rows


def _position(game: Game, cut: int) -> dict[str, object]:
    ply = 2 * cut
    moves = [chess.Move.from_uci(move) for move in game.moves[:ply]]
    board = chess.Board()
    movetext = []
    for number, move in enumerate(moves):
        san = board.san_and_push(move)
        movetext.append(san if number % 2 else f"{number // 2 + 1}. {san}")
    game_id = game.game_id
    return {
        "position_id": f"{game_id}-{ply:03d}",
        "game_id": game_id,
        "source": game.source,
        "group": cut,
        "ply": ply,
        "game_plies": game.plies,
        "movetext": " ".join(movetext),
        "moves": " ".join(game.moves[:ply]),
        "true_fen": board.fen(),
    }


def unfilled_error(per_group: int, summary: CutSummary) -> UnfilledGroupError:
    """Return the error that names the groups that were not filled, with what was read."""
    said = ", ".join(
        f"{cut} full moves: {taken}" for cut, taken in summary.taken.items() if taken < per_group
    )
    return UnfilledGroupError(
        f"expected {per_group} games for each group, got for {said}; {summary.read} games were "
        "read, and no game is used twice: give more games, ask for fewer a group, or allow "
        f"unfilled groups\n{summary.describe()}"
    )


def nothing_long_enough(games: str, moves: int, summary: CutSummary) -> UnfilledGroupError:
    """Return the error that no game can be cut, with what was read.

    Args:
        games: What they are called.
        moves: Full moves of the shortest group.
        summary: Of the cut.
    """
    return UnfilledGroupError(
        f"expected games of more than {moves} full moves in {games}, found none; "
        f"{summary.describe()}"
    )
