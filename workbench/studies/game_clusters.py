"""Positions that are prefixes of one game: rows that share a game are not independent.

Some sets of positions name no game: those of the PGN2FEN benchmark were cut from few games, but
their PGNs end at the position, so that ``game_id`` is there a hash of the moves so far.
"""

from bisect import bisect_right
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from operator import itemgetter

import pandas as pd

from workbench.errors import TableError
from workbench.games.pgn import game_id_of

Line = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class WholeGames:
    """Each position's game.

    Attributes:
        games: A game's name by ``position_id``.
        placed: Positions whose game was found by their moves, because they named none.
        shared: Of these, positions that are prefixes of several games, such as an opening's first
            moves; each was given to the first of them in the order of the moves.
    """

    games: Mapping[str, str]
    placed: int
    shared: int


def whole_games(positions: pd.DataFrame) -> WholeGames:
    """Find the game of each position.

    A ``game_id`` is believed unless it is missing, or only names the moves so far (their SHA-256, as
    the imports write it). Such positions belong to the longest game, among them, that begins with
    their moves. A position with neither game nor moves is a game of its own.
    """
    if "set" in positions and positions["set"].nunique() > 1:
        found = [whole_games(part) for _, part in positions.groupby("set", dropna=False)]
        merged = {name: game for part in found for name, game in part.games.items()}
        placed = sum(part.placed for part in found)
        return WholeGames(merged, placed, sum(part.shared for part in found))
    rows = positions[["position_id", "game_id", "moves"]].drop_duplicates()
    twice = rows["position_id"][rows["position_id"].duplicated()]
    if len(twice):
        raise TableError(
            f"position {twice.iloc[0]!r}: expected the same game_id and moves in all rows, got "
            "others; these tables use one id for different positions: compare them separately"
        )
    games: dict[str, str] = {}
    lines: dict[str, Line] = {}
    for name, game, moves in rows.itertuples(index=False):
        if isinstance(moves, str) and (
            not isinstance(game, str) or game == game_id_of(moves.split())
        ):
            lines[name] = tuple(moves.split())
        else:
            games[name] = game if isinstance(game, str) else name
    longest, shared = longest_lines(lines.values())
    games |= {name: game_id_of(longest[line]) for name, line in lines.items()}
    return WholeGames(games, len(lines), sum(line in shared for line in lines.values()))


def longest_lines(lines: Iterable[Line]) -> tuple[dict[Line, Line], set[Line]]:
    """Return for each line of moves the longest of the lines that begins with it.

    Returns:
        The longest line for each line, itself if none goes on from it; and the lines from which
        several go on and part. Of these the first in the order of the moves is taken.
    """
    ordered = sorted(set(lines))
    longest: dict[Line, Line] = {}
    shared: set[Line] = set()
    ends: list[int] = []
    # All that goes on from a line follows it in the order, without a gap.
    for place in range(len(ordered) - 1, -1, -1):
        line = ordered[place]
        after = ordered[place + 1 : place + 2]
        if not after or after[0][: len(line)] != line:
            longest[line] = line
            ends.append(place)
            continue
        longest[line] = longest[after[0]]
        beyond = bisect_right(ordered, line, lo=place, key=itemgetter(slice(len(line))))
        # `ends` holds, from the last to the first, the places of lines from which none goes on.
        if len(ends) > 1 and ends[-2] < beyond:
            shared.add(line)
    return longest, shared
