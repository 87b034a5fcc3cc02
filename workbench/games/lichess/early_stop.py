"""The early stop of a stream of games, once every group can be filled."""

import hashlib
from collections.abc import Callable, Iterable, Iterator, Sequence

from workbench.games.pgn import Game, RefusedGame, ScannedGame
from workbench.games.selection import number_of


class Filling:
    """Tracks how far games fill the groups; bounded in memory.

    Games long enough for the same groups are counted together, and no more of them than can be
    needed. The groups can be filled if for each of them the games that are long enough for it or
    for a longer one are as many as these groups ask for.

    Args:
        cuts: Half-moves after which to cut, ascending.
        games: Games per cut.
    """

    def __init__(self, cuts: Sequence[int], games: int) -> None:
        self._cuts = cuts
        self._games = games
        self._seen: list[set[int]] = [set() for _ in cuts]

    def add(self, game: Game | ScannedGame) -> bool:
        """Count a game, and return whether it brought the groups nearer to full."""
        rank = sum(game.plies > cut for cut in self._cuts) - 1
        if rank < 0 or len(self._seen[rank]) >= self._games * (rank + 1):
            return False
        before = len(self._seen[rank])
        self._seen[rank].add(number_of(game, 0) >> 64)
        return len(self._seen[rank]) > before

    @property
    def filled(self) -> int:
        """Positions that could be cut from the games so far."""
        filled = pool = 0
        for seen in reversed(self._seen):
            pool += len(seen)
            taken = min(pool, self._games)
            filled += taken
            pool -= taken
        return filled

    @property
    def wanted(self) -> int:
        """Positions that are asked for."""
        return self._games * len(self._cuts)


class GamesUntilFull(Iterable[Game | ScannedGame | RefusedGame]):
    """Games of a source, read again on each request, as far as the groups need.

    Args:
        read: Returns the source's games from its first.
        cuts: Half-moves after which to cut, ascending.
        games: Games a cut; None reads them all.
        on_filled: Called with the positions that could be cut, and those asked for.

    Attributes:
        sha256: Of what was read last time: a line a game with its source and its moves or why it
            was refused. It does not depend on how the source is compressed, or where it came from.
        stopped_early: Whether the source held more last time.
    """

    def __init__(
        self,
        read: Callable[[], Iterator[Game | ScannedGame | RefusedGame]],
        cuts: Sequence[int],
        games: int | None,
        on_filled: Callable[[int, int], None] = lambda filled, wanted: None,
    ) -> None:
        self._read = read
        self._cuts = cuts
        self._wanted = games
        self._on_filled = on_filled
        self.sha256 = ""
        self.stopped_early = False

    def __iter__(self) -> Iterator[Game | ScannedGame | RefusedGame]:
        filling = None if self._wanted is None else Filling(self._cuts, self._wanted)
        digest = hashlib.sha256()
        self.stopped_early = False
        games = self._read()
        for game in games:
            said = game.reason if isinstance(game, RefusedGame) else game.key_text
            digest.update(f"{game.source}\t{said}\n".encode())
            yield game
            if filling and not isinstance(game, RefusedGame) and filling.add(game):
                filled = filling.filled
                self._on_filled(filled, filling.wanted)
                if filled == filling.wanted:
                    self.stopped_early = True
                    games.close() if hasattr(games, "close") else None
                    break
        self.sha256 = digest.hexdigest()
