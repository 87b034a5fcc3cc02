"""The seeded choice of games for the groups: bounded in memory, independent of the order of games.

Each game draws a number from the seed and its moves. A *band* holds the games that are long enough
for the same groups, those with the lowest numbers, no more than can be needed and a reserve. Every
group takes the lowest numbers left among the bands long enough for it, the longest group first: as
what is long enough for one group is so for every shorter one, this fills all groups whenever that
is possible. Legality is looked at only here, for the games the choice falls on.
"""

import heapq
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from workbench.games.pgn import Game, RefusedGame, ScannedGame
from workbench.seeds import derived_seed

NO_HORIZON: Final = 1 << 128


class ReserveUsedUp(Exception):  # noqa: N818 - a signal between two passes, never shown
    """More of the games kept were refused than the reserve allows: read again with a larger one."""


def number_of(game: Game | ScannedGame, seed: int) -> int:
    """Return the number a game draws, in [0, 2**128): the same for the same moves as written."""
    return derived_seed(seed, game.key_text, bits=128)


@dataclass(slots=True)
class _Kept:
    game: Game | ScannedGame
    copies: int = 1


class Band:
    """The games of one length band with the lowest numbers.

    Attributes:
        capacity: Games kept at most.
        horizon: A bound on the numbers turned away: none lies below it.
    """

    def __init__(self, capacity: int) -> None:
        self.capacity = capacity
        self.horizon = NO_HORIZON
        self._kept: dict[int, _Kept] = {}
        self._highest_first: list[int] = []

    def __len__(self) -> int:
        return len(self._kept)

    def offer(self, number: int, game: Game | ScannedGame) -> None:
        """Keep a game if its number is low enough; count it if its moves are there already."""
        if kept := self._kept.get(number):
            kept.copies += 1
            # Which of two copies is named must not depend on which comes first.
            if game.source < kept.game.source:
                kept.game = game
            return
        turned_away = NO_HORIZON
        if len(self._kept) < self.capacity:
            heapq.heappush(self._highest_first, -number)
        else:
            turned_away = -heapq.heappushpop(self._highest_first, -number)
        if turned_away != number:
            self._kept[number] = _Kept(game)
            self._kept.pop(turned_away, None)
        self.horizon = min(self.horizon, turned_away)

    def games(self) -> Iterator[tuple[int, Game | ScannedGame]]:
        """Yield number and game of all that are kept."""
        for number, kept in self._kept.items():
            yield number, kept.game

    def further_copies(self) -> int:
        """Return how many copies came of games kept, beyond the first of each."""
        return sum(kept.copies - 1 for kept in self._kept.values())


def bands_for(cuts: Sequence[int], games: int, reserve: int) -> dict[int, Band]:
    """Return an empty band for each cut: its games are long enough for it and all shorter ones.

    Args:
        cuts: Half-moves after which to cut, ascending.
        games: Games per cut.
        reserve: Games to keep beyond need, to replace those that may be refused.
    """
    return {cut: Band(games * (rank + 1) + reserve) for rank, cut in enumerate(cuts)}


def fair_counts(eligible: Mapping[int, int], most: int) -> dict[int, int]:
    """Return how many games each group gets where there are too few to fill them all.

    No group gets more than another that could have had one of its games instead, but for one game.

    Args:
        eligible: For each cut the games long enough for it.
        most: Games a group at most.
    """
    cuts = sorted(eligible, reverse=True)
    counts = dict.fromkeys(cuts, 0)
    # Games that are long enough for a cut, and given to it or to a longer one.
    given = dict.fromkeys(cuts, 0)
    growing = cuts
    for _ in range(most):
        if not growing:
            break
        grown = []
        for cut in growing:
            shorter = [each for each in cuts if each <= cut]
            if all(given[each] < eligible[each] for each in shorter):
                counts[cut] += 1
                for each in shorter:
                    given[each] += 1
                grown.append(cut)
        growing = grown
    return counts


def choose(
    bands: dict[int, Band], wanted: Mapping[int, int]
) -> Iterator[tuple[int, Game | RefusedGame, bool]]:
    """Yield the games that the choice falls on, played.

    Args:
        bands: The games read, by the longest cut they can have, ascending.
        wanted: Games for each group.

    Yields:
        The cut, the game or its refusal, and whether its moves were chosen before, in another
        spelling; each cut gets as many games as wanted that are neither refused nor chosen before, or
        as many as there are.

    Raises:
        ReserveUsedUp: If a game turned away while reading might have had a place.
    """
    pool: list[tuple[int, Game | ScannedGame]] = []
    horizon = NO_HORIZON
    chosen: set[str] = set()
    for cut in reversed(bands):
        # Numbers are distinct in a band, and the same one in two bands would be the same moves.
        pool += bands[cut].games()
        pool.sort(key=_highest_first)
        horizon = min(horizon, bands[cut].horizon)
        found = 0
        while found < wanted[cut]:
            if horizon < NO_HORIZON and (not pool or pool[-1][0] > horizon):
                raise ReserveUsedUp
            if not pool:
                break
            game = pool.pop()[1].replay()
            if isinstance(game, RefusedGame):
                yield cut, game, False
                continue
            again = game.game_id in chosen
            chosen.add(game.game_id)
            found += not again
            yield cut, game, again


def _highest_first(entry: tuple[int, Game | ScannedGame]) -> int:
    return -entry[0]
