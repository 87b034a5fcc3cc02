"""Positions that are prefixes of one game: rows that share a game are not independent.

Some sets of positions name no game: those of the PGN2FEN benchmark were cut from few games, but
their PGNs end at the position, so that ``game_id`` is there a hash of the moves so far.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Mapping
from functools import lru_cache
from operator import itemgetter

import pandas as pd

from workbench.answers.recorded_replies import RANDOM_GAMES, WORLD_CUP, recorded_replies
from workbench.errors import TableError
from workbench.games.pgn import game_id_of

Line = tuple[str, ...]


def whole_games(positions: pd.DataFrame) -> dict[str, str]:
    """Return the name of each position's game by ``position_id``.

    A ``game_id`` counts unless it is missing, or only identifies the moves so far (their SHA-256,
    as the imports write it). Such positions belong to the longest game, among them, that begins
    with their moves; of several such games to the first in the order of the moves. A position with
    neither game nor moves is a game of its own.
    """
    if "set" in positions and positions["set"].nunique() > 1:
        of_sets = [whole_games(part) for _, part in positions.groupby("set", dropna=False)]
        return {name: game for games in of_sets for name, game in games.items()}
    games, lines = _named_games(positions)
    longest = longest_lines(lines.values())
    return games | {name: game_id_of(longest[line]) for name, line in lines.items()}


@lru_cache(maxsize=1)
def recorded_games() -> Mapping[str, str]:
    """Return the games of all recorded replies: a part of them does not determine the games."""
    return whole_games(recorded_replies(sets=(), settings=()))


def are_recorded(rows: pd.DataFrame) -> bool:
    """Return whether all rows of a table are of recorded replies, so that `recorded_games` has their games."""
    sets = set(rows["set"].unique()) if "set" in rows else set()
    return (
        bool(sets)
        and sets <= {WORLD_CUP, RANDOM_GAMES}
        and set(rows["position_id"]) <= recorded_games().keys()
    )


def games_of_scores(scores: pd.DataFrame) -> "pd.Series[str]":
    """Return the game of each row of a scores table.

    It is the column ``game`` where there is one; of recorded replies that of `recorded_games`; else
    the ``game_id``, and a row without one is a game of its own.
    """
    if "game" in scores:
        return scores["game"]
    if are_recorded(scores):
        return scores["position_id"].map(recorded_games())
    return scores["game_id"].fillna(scores["position_id"])


def prefix_counts(positions: pd.DataFrame) -> dict[str, int]:
    """Count the positions assigned to a game by their moves alone, and those that begin several games."""
    sets = positions["set"].fillna("") if "set" in positions else pd.Series("", positions.index)
    placed = shared = 0
    for _, part in positions.groupby(sets):
        lines = list(_named_games(part)[1].values())
        begun = shared_lines(lines)
        placed += len(lines)
        shared += sum(line in begun for line in lines)
    return {"placed by their moves": placed, "shared": shared}


def _named_games(positions: pd.DataFrame) -> tuple[dict[str, str], dict[str, Line]]:
    """Return the games of the positions that name one, and the moves of the others."""
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
    return games, lines


def longest_lines(lines: Iterable[Line]) -> dict[Line, Line]:
    """Return for each line of moves the longest of the lines that begin with it.

    Where several continue it differently, the first in the order of the moves counts.
    """
    ordered = sorted(set(lines))
    longest: dict[Line, Line] = {}
    following: Line = ()
    # Continuations of a line follow it in the order, without a gap.
    for line in reversed(ordered):
        goes_on = following[: len(line)] == line and following != line
        longest[line] = longest[following] if goes_on else line
        following = line
    return longest


def shared_lines(lines: Iterable[Line]) -> set[Line]:
    """Return the lines of moves that several longer ones continue differently."""
    longest = longest_lines(lines)
    ends = sorted(line for line, end in longest.items() if line == end)
    return {
        line
        for line in longest
        if bisect_right(ends, line, key=itemgetter(slice(len(line)))) - bisect_left(ends, line) > 1
    }
