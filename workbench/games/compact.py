"""Tables of complete games: one row per game, moves as codes of two bytes."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import pandas as pd
import pyarrow as pa

from workbench.errors import TableError
from workbench.games.move_codes import decode_moves, encode_moves
from workbench.games.pgn import Game
from workbench.tables.parquet_tables import read_table

GAMES: Final = pa.schema(
    [
        ("number", pa.int32()),
        ("attempt", pa.int16()),
        ("white_level", pa.int8()),
        ("black_level", pa.int8()),
        ("result", pa.string()),
        ("termination", pa.string()),
        ("moves", pa.binary()),
    ]
)


@dataclass(frozen=True, slots=True)
class PlayedGame:
    """A finished game of self-play.

    Attributes:
        number: Its number in its set, from 0.
        attempt: The number of the attempt kept, from 1.
        white_level: How strong White was, as an index in `workbench.games.selfplay.LEVELS`.
        black_level: The same of Black.
        result: ``1-0``, ``0-1`` or ``1/2-1/2``.
        termination: ``checkmate``, ``stalemate``, ``insufficient_material``, ``repetition``
            (threefold), ``fifty_moves``, ``resignation`` or ``agreed_draw``.
        moves: In UCI.
    """

    number: int
    attempt: int
    white_level: int
    black_level: int
    result: str
    termination: str
    moves: tuple[str, ...]

    def as_game(self, set_name: str) -> Game:
        """Return the game as a cut reads it, named by its set and its number there."""
        return Game(self.moves, f"{set_name} #{self.number}")


def games_frame(games: Iterable[PlayedGame]) -> pd.DataFrame:
    """Return games as rows of the schema `GAMES`."""
    rows = [
        (
            game.number,
            game.attempt,
            game.white_level,
            game.black_level,
            game.result,
            game.termination,
            encode_moves(game.moves),
        )
        for game in games
    ]
    return pd.DataFrame(rows, columns=GAMES.names)


def read_games(path: Path) -> list[PlayedGame]:
    """Read a table of games; the moves are decoded and not played.

    Args:
        path: A Parquet file with the columns of `GAMES`.

    Raises:
        TableError: If it cannot be read, or holds what is no move.
    """
    frame = read_table(path, GAMES)
    games = []
    for row in frame.itertuples(index=False):
        number, attempt, white, black, result, termination, codes = row
        try:
            moves = decode_moves(codes)
        except TableError as error:
            raise TableError(f"{path}: game {number}: {error}") from error
        games.append(PlayedGame(number, attempt, white, black, result, termination, moves))
    return games
