"""The selection of games: filters of rating, time control, termination and bots, and a seeded choice for each group."""

import heapq
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from workbench.errors import InvalidArgumentError
from workbench.games.pgn import Game, RefusedGame, ScannedGame, tags_of
from workbench.seeds import derived_seed

# Lichess names a time control by its estimated seconds: the base, and 40 times the increment.
SPEEDS: Final = {
    "ultrabullet": range(30),
    "bullet": range(30, 180),
    "blitz": range(180, 480),
    "rapid": range(480, 1500),
    "classical": range(1500, 10**9),
}
CORRESPONDENCE: Final = "correspondence"
KEYS: Final = ("rating", "time-control", "termination")
_CLOCK: Final = re.compile(r"([0-9]{1,9})\+([0-9]{1,9})")
_RATING: Final = re.compile(r"[0-9]{1,9}")
_BOT: Final = re.compile(r'^\[(?:White|Black)Title\s+"BOT"\s*\]', re.MULTILINE)


@dataclass(frozen=True, slots=True)
class GameFilters:
    """The games to keep; by default all but those of bots.

    Attributes:
        rating: The lowest and the highest rating that both players may have, or None.
        time_controls: Names of speeds (``blitz``), or clocks as Lichess writes them (``300+3``);
            any if empty.
        terminations: How the game may have ended, as the header Termination says; any if empty.
        bots: Whether to keep games of bots.
    """

    rating: tuple[int, int] | None = None
    time_controls: tuple[str, ...] = ()
    terminations: tuple[str, ...] = ()
    bots: bool = False

    @classmethod
    def from_texts(cls, texts: Sequence[str], *, bots: bool = False) -> "GameFilters":
        """Read filters as a user writes them."""
        values = [text.partition("=") for text in texts]
        filters = {name: value for name, _, value in values}
        if len(filters) < len(texts) or not all(
            name in KEYS and value.strip() for name, _, value in values
        ):
            raise InvalidArgumentError(
                f"expected filters NAME=VALUE, each name of {KEYS} at most once, got {list(texts)}"
            )
        return cls(
            _rating(filters["rating"]) if "rating" in filters else None,
            _time_controls(filters["time-control"]) if "time-control" in filters else (),
            tuple(_parts(filters.get("termination", ""))),
            bots,
        )

    def refuse(self, headers: str) -> tuple[str, str]:
        """Return why the filters reject a game with these headers: reason and detail, or empty."""
        if not self.bots and _BOT.search(headers):
            return "bot", "a player's title is BOT"
        if self.rating is None and not self.time_controls and not self.terminations:
            return "", ""
        tags = tags_of(headers)
        if self.rating is not None:
            for name in ("WhiteElo", "BlackElo"):
                value = tags.get(name, "")
                if (
                    not _RATING.fullmatch(value)
                    or not self.rating[0] <= int(value) <= self.rating[1]
                ):
                    return "rating", f"{name} {value[:40]!r}"
        clock = tags.get("TimeControl", "")
        if self.time_controls and not {clock, speed_of(clock)} & set(self.time_controls):
            return "time_control", f"TimeControl {clock[:40]!r}"
        ending = tags.get("Termination", "")
        if self.terminations and ending.lower() not in map(str.lower, self.terminations):
            return "termination", f"Termination {ending[:40]!r}"
        return "", ""


def speed_of(clock: str) -> str:
    """Return what Lichess calls a time control, or an empty text where it has none."""
    if clock == "-":
        return CORRESPONDENCE
    match = _CLOCK.fullmatch(clock)
    if not match:
        return ""
    seconds = int(match[1]) + 40 * int(match[2])
    return next((name for name, span in SPEEDS.items() if seconds in span), "")


def _parts(text: str) -> list[str]:
    return [part.strip() for part in text.split(",") if part.strip()]


def _rating(text: str) -> tuple[int, int]:
    low, dots, high = text.partition("..")
    try:
        if not dots:
            raise ValueError
        bounds = int(low or 0), int(high or 9999)
    except ValueError as error:
        raise InvalidArgumentError(
            f"expected a rating such as 1600..2200, 1600.. or ..2200, got {text!r}"
        ) from error
    if bounds[0] > bounds[1]:
        raise InvalidArgumentError(f"expected a rating from low to high, got {text!r}")
    return bounds


def _time_controls(text: str) -> tuple[str, ...]:
    parts = _parts(text)
    unknown = [
        part
        for part in parts
        if part not in (*SPEEDS, CORRESPONDENCE, "-") and not _CLOCK.fullmatch(part)
    ]
    if unknown or not parts:
        raise InvalidArgumentError(
            f"expected time controls of {[*SPEEDS, CORRESPONDENCE]} or clocks such as 300+3, "
            f"got {text!r}"
        )
    return tuple(parts)


NO_HORIZON: Final = 1 << 128


class ReserveUsedUp(Exception):  # noqa: N818 - a signal between two passes, never shown
    """More of the games kept were refused than the reserve allows: read again with a larger one."""


def number_of(game: Game | ScannedGame, seed: int) -> int:
    """Return the number a game draws, in [0, 2**128): the same for the same moves as written."""
    return derived_seed(seed, game.key_text, bits=128)


class Band:
    """The games of one length band with the lowest numbers; all below ``horizon`` are kept."""

    def __init__(self, capacity: int) -> None:
        self.capacity = capacity
        self.horizon = NO_HORIZON
        self._games: dict[int, Game | ScannedGame] = {}
        self._copies: Counter[int] = Counter()
        self._highest_first: list[int] = []

    def __len__(self) -> int:
        return len(self._games)

    def offer(self, number: int, game: Game | ScannedGame) -> None:
        """Keep a game if its number is low enough; count it if its moves are there already."""
        if number in self._games:
            self._copies[number] += 1
            # Which of two copies is named must not depend on which comes first.
            if game.source < self._games[number].source:
                self._games[number] = game
            return
        turned_away = NO_HORIZON
        if len(self._games) < self.capacity:
            heapq.heappush(self._highest_first, -number)
        else:
            turned_away = -heapq.heappushpop(self._highest_first, -number)
        if turned_away != number:
            self._games[number] = game
            self._games.pop(turned_away, None)
            self._copies.pop(turned_away, None)
        self.horizon = min(self.horizon, turned_away)

    def games(self) -> Iterator[tuple[int, Game | ScannedGame]]:
        """Yield number and game of all that are kept."""
        yield from self._games.items()

    def further_copies(self) -> int:
        """Return how many copies came of games kept, beyond the first of each."""
        return self._copies.total()


def bands_for(cuts: Sequence[int], games: int, reserve: int) -> dict[int, Band]:
    """Return an empty band for each cut: its games are long enough for it and all shorter ones."""
    return {cut: Band(games * (rank + 1) + reserve) for rank, cut in enumerate(cuts)}


def fair_counts(eligible: Mapping[int, int], most: int) -> dict[int, int]:
    """Return how many games each group gets where there are too few to fill them all.

    No group gets more than another that could have had one of its games instead, but for one game.
    """
    cuts = sorted(eligible, reverse=True)
    counts = dict.fromkeys(cuts, 0)
    # Games that are long enough for a cut, and given to it or to a longer one.
    totals = dict.fromkeys(cuts, 0)
    growing = cuts
    for _ in range(most):
        if not growing:
            break
        grown = []
        for cut in growing:
            shorter = [each for each in cuts if each <= cut]
            if all(totals[each] < eligible[each] for each in shorter):
                counts[cut] += 1
                for each in shorter:
                    totals[each] += 1
                grown.append(cut)
        growing = grown
    return counts


def choose(
    bands: dict[int, Band], counts: Mapping[int, int]
) -> Iterator[tuple[int, Game | RefusedGame, bool]]:
    """Yield the games that the choice falls on, played.

    Yields:
        The cut, the game or its refusal, and whether its moves were chosen before, in another
        spelling; each cut gets as many games as wanted that are neither refused nor chosen before, or
        as many as there are.
    """
    pool: list[tuple[int, Game | ScannedGame]] = []
    horizon = NO_HORIZON
    ids: set[str] = set()
    for cut in reversed(bands):
        # Numbers are distinct in a band, and the same one in two bands would be the same moves.
        pool += bands[cut].games()
        pool.sort(key=lambda entry: -entry[0])
        horizon = min(horizon, bands[cut].horizon)
        count = 0
        while count < counts[cut]:
            if horizon < NO_HORIZON and (not pool or pool[-1][0] > horizon):
                raise ReserveUsedUp
            if not pool:
                break
            game = pool.pop()[1].replay()
            if isinstance(game, RefusedGame):
                yield cut, game, False
                continue
            again = game.game_id in ids
            ids.add(game.game_id)
            count += not again
            yield cut, game, again
