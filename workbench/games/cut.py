"""Games cut into groups by length: positions to ask a model for, seeded, no game used twice.

A "move" is a full move, two plies. A game can be cut after k moves if it has more than 2k plies.
Each game draws a number from the seed and its moves; every group takes the lowest numbers that are
left, the longest group first, which fills all groups whenever that is possible. The choice does not
depend on the order of the games or the files. Source: arXiv 2508.19851, the set-up of its groups.
"""

import hashlib
import heapq
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import chess
import pandas as pd
from tqdm.auto import tqdm

from workbench.errors import GameFileError, InvalidArgumentError, UnfilledGroupError
from workbench.games.pgn import Game, RefusedGame, ScannedGame, scan_games
from workbench.tables import POSITIONS

EXAMPLES = 5


@dataclass(slots=True)
class CutSummary:
    """What became of every game that was read.

    Attributes:
        read: Games read.
        refused: Games that cannot be used, by reason. Legality is looked at only for games that the
            choice falls on; an illegal one there is counted, and the next takes its place.
        examples: The first refused games.
        duplicates: Games whose moves another one had, among those looked at.
        too_short: Games too short for every group.
        eligible: For each group the games long enough for it.
        taken: For each group the positions cut.
        without_result: Games whose text ends without a result, as where a file is cut short.
        truncated: Files that broke off, with the error; empty unless that was allowed.
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


class _Band:
    """The games of one length band with the lowest numbers, no more than can be needed."""

    def __init__(self, capacity: int) -> None:
        self.capacity = capacity
        self.kept: dict[str, tuple[int, Game]] = {}
        self._heap: list[tuple[int, str]] = []

    def wants(self, number: int) -> bool:
        return len(self.kept) < self.capacity or number <= -self._heap[0][0]

    def add(self, number: int, game: Game) -> bool:
        """Keep a game; return False if its moves are there already, in another spelling or not."""
        name = game.game_id
        fresh = name not in self.kept
        if fresh or number < self.kept[name][0]:
            self.kept[name] = (number, game)
            heapq.heappush(self._heap, (-number, name))
        if len(self.kept) > self.capacity:
            del self.kept[heapq.heappop(self._heap)[1]]
        # A game kept anew under a lower number leaves its old entry behind in the heap.
        while self._heap and self.kept.get(self._heap[0][1], (None,))[0] != -self._heap[0][0]:
            heapq.heappop(self._heap)
        return fresh


def cut_games(
    games: Iterable[Path | str | Game] | Path | str,
    *,
    groups: Sequence[int] = (5, 16, 27, 38, 50),
    per_group: int = 2000,
    seed: int,
    allow_unfilled: bool = False,
    allow_truncated: bool = False,
    progress: bool = False,
) -> Cut:
    """Cut games into groups by length.

    Args:
        games: PGN files, plain, gzip or zstd, or games that are at hand.
        groups: Full moves at which to cut, each at least 1, all different.
        per_group: Positions a group, at least 1.
        seed: Of the choice, at least 0.
        allow_unfilled: Go on with what there is where a group cannot be filled.
        allow_truncated: Go on with what was read of a file that breaks off.
        progress: Whether to show a progress bar on standard error.

    Returns:
        The positions, sorted by group and position_id, and a summary.

    Raises:
        InvalidArgumentError: If a number is out of range.
        GameFileError: If a file cannot be read, or breaks off.
        UnfilledGroupError: If there are too few games for a group.
    """
    if not groups or len(set(groups)) != len(groups) or min(groups) < 1:
        raise InvalidArgumentError(
            f"expected groups of different numbers of full moves, each at least 1, got {groups!r}"
        )
    if per_group < 1 or seed < 0:
        raise InvalidArgumentError(
            f"expected per_group >= 1 and seed >= 0, got {per_group!r} and {seed!r}"
        )
    cuts = sorted(groups)
    bands = {cut: _Band(per_group * (rank + 1)) for rank, cut in enumerate(cuts)}
    summary = CutSummary(eligible=dict.fromkeys(cuts, 0), taken=dict.fromkeys(cuts, 0))
    for game in tqdm(
        _read(games, summary, allow_truncated), desc="reading", unit="game", disable=not progress
    ):
        summary.read += 1
        if isinstance(game, RefusedGame):
            summary.refuse(game)
            continue
        if isinstance(game, ScannedGame) and not game.has_result:
            summary.without_result += 1
        _offer(game, cuts, bands, seed, summary)
    rows = _take(cuts, bands, per_group, summary)
    missing = {cut: number for cut, number in summary.taken.items() if number < per_group}
    if missing and not allow_unfilled:
        said = ", ".join(f"{cut} full moves: {number}" for cut, number in missing.items())
        raise UnfilledGroupError(
            f"expected {per_group} games for each group, got for {said}; {summary.read} games were "
            "read, and no game is used twice: give more games, ask for fewer a group, or allow "
            f"unfilled groups\n{summary.describe()}"
        )
    frame = pd.DataFrame(rows, columns=POSITIONS.names)
    return Cut(frame.sort_values(["group", "position_id"], ignore_index=True), summary)


def _read(
    games: Iterable[Path | str | Game] | Path | str, summary: CutSummary, allow_truncated: bool
) -> Iterator[Game | ScannedGame | RefusedGame]:
    if isinstance(games, Path | str):
        games = [games]
    for item in games:
        if isinstance(item, Game):
            yield item
            continue
        before = summary.read
        try:
            yield from scan_games(Path(item))
        except GameFileError as error:
            said = f"{error} ({summary.read - before} games were read of it)"
            if not allow_truncated or summary.read == before:
                raise GameFileError(said) from error
            summary.truncated.append(said)


def _offer(
    game: Game | ScannedGame,
    cuts: list[int],
    bands: dict[int, _Band],
    seed: int,
    summary: CutSummary,
) -> None:
    fitting = [cut for cut in cuts if game.plies > 2 * cut]
    if not fitting:
        summary.too_short += 1
        return
    for cut in fitting:
        summary.eligible[cut] += 1
    digest = hashlib.sha256(f"{seed}\x1f{game.key_text}".encode()).digest()
    number = int.from_bytes(digest[:8], "big")
    band = bands[fitting[-1]]
    if not band.wants(number):
        return
    replayed = game.replay()
    if isinstance(replayed, RefusedGame):
        summary.refuse(replayed)
    elif not band.add(number, replayed):
        summary.duplicates += 1


def _take(
    cuts: list[int], bands: dict[int, _Band], per_group: int, summary: CutSummary
) -> list[dict[str, object]]:
    rows: list[dict[str, object]] = []
    pool: list[tuple[int, str, Game]] = []
    for cut in reversed(cuts):
        pool += [(number, name, game) for name, (number, game) in bands[cut].kept.items()]
        pool.sort(key=lambda entry: entry[:2])
        chosen, pool = pool[:per_group], pool[per_group:]
        summary.taken[cut] = len(chosen)
        rows += [_position(name, game, cut) for _, name, game in chosen]
    return rows


def _position(game_id: str, game: Game, cut: int) -> dict[str, object]:
    ply = 2 * cut
    moves = [chess.Move.from_uci(move) for move in game.moves[:ply]]
    movetext = chess.Board().variation_san(moves)
    board = chess.Board()
    for move in moves:
        board.push(move)
    return {
        "position_id": f"{game_id}-{ply:03d}",
        "game_id": game_id,
        "source": game.source,
        "group": cut,
        "ply": ply,
        "game_plies": game.plies,
        "movetext": movetext,
        "moves": " ".join(game.moves[:ply]),
        "true_fen": board.fen(),
    }
