"""The games that come with the workbench: real chess, for use where no games are at hand.

How they were made stands in data/GAMES.md. Reading them needs no chess engine.
"""

from functools import lru_cache
from pathlib import Path
from typing import Final

from workbench.errors import GameFileError
from workbench.games.compact import read_games
from workbench.games.pgn import Game

BUNDLED_NAME: Final = "Stockfish self-play"
_PACKAGE: Final = Path(__file__).resolve().parent.parent
# An installed package carries its own copy; a checkout has it beside the package.
_PLACES: Final = (_PACKAGE / "data" / "games.parquet", _PACKAGE.parent / "data" / "games.parquet")


def bundled_games_path() -> Path:
    """Return where the bundled games lie.

    Raises:
        GameFileError: If they are not there.
    """
    for path in _PLACES:
        if path.is_file():
            return path
    raise GameFileError(
        f"expected the bundled games at {' or '.join(map(str, _PLACES))}, found none; install the "
        "package anew, or make them with `workbench games selfplay`"
    )


@lru_cache(maxsize=1)
def bundled_games() -> tuple[Game, ...]:
    """Return the bundled games in the order of their numbers, read once a process.

    Raises:
        GameFileError: If they are not there.
        TableError: If the file was changed.
    """
    return tuple(game.as_game(BUNDLED_NAME) for game in read_games(bundled_games_path()))
