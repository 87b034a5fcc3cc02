"""The games bundled with the workbench, the default where no games are given.

data/GAMES.md describes how they were made. Reading them needs no chess engine.
"""

from functools import lru_cache
from pathlib import Path
from typing import Final

from workbench.errors import GameFileError
from workbench.games.compact import read_games
from workbench.games.pgn import Game
from workbench.resources import RESOURCES

BUNDLED_NAME: Final = "Stockfish self-play"
_GAMES: Final = RESOURCES / "data" / "games.parquet"


def bundled_games_path() -> Path:
    """Return where the bundled games lie.

    Raises:
        GameFileError: If they are not there.
    """
    if _GAMES.is_file():
        return _GAMES
    raise GameFileError(
        f"expected the bundled games at {_GAMES}, found none; install the package again, or make "
        "them with `workbench games selfplay`"
    )


@lru_cache(maxsize=1)
def bundled_games() -> tuple[Game, ...]:
    """Return the bundled games in the order of their numbers, read once a process.

    Raises:
        GameFileError: If they are not there.
        TableError: If the file was changed.
    """
    return tuple(game.as_game(BUNDLED_NAME) for game in read_games(bundled_games_path()))
