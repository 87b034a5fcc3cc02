"""Filters of games: rating, time control, termination, and bots."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from workbench.errors import InvalidArgumentError
from workbench.games.pgn import tags_of

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
        bots: Whether games of bots are wanted.
    """

    rating: tuple[int, int] | None = None
    time_controls: tuple[str, ...] = ()
    terminations: tuple[str, ...] = ()
    bots: bool = False

    @classmethod
    def from_texts(cls, texts: Sequence[str], *, bots: bool = False) -> "GameFilters":
        """Read filters as a user writes them.

        Args:
            texts: ``rating=1600..2200``, ``time-control=blitz,rapid,300+3`` or
                ``termination=Normal``; each name once.
            bots: Whether games of bots are wanted.

        Raises:
            InvalidArgumentError: If a text is no such filter.
        """
        values = [text.partition("=") for text in texts]
        found = {name: value for name, _, value in values}
        if len(found) < len(texts) or not all(
            name in KEYS and value.strip() for name, _, value in values
        ):
            raise InvalidArgumentError(
                f"expected filters NAME=VALUE, each name of {KEYS} at most once, got {list(texts)}"
            )
        return cls(
            _rating(found["rating"]) if "rating" in found else None,
            _time_controls(found["time-control"]) if "time-control" in found else (),
            tuple(_parts(found.get("termination", ""))),
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
    """Return what Lichess calls a time control, or an empty text where it has none.

    Args:
        clock: As in the header TimeControl: ``300+3``, or ``-`` for correspondence.
    """
    if clock == "-":
        return CORRESPONDENCE
    found = _CLOCK.fullmatch(clock)
    if not found:
        return ""
    seconds = int(found[1]) + 40 * int(found[2])
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
