"""Tables of complete games: moves as codes of two bytes, Parquet files of games, and the bundled games."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path, PurePath
from typing import Any, Final

import chess
import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from workbench.errors import GameFileError, TableError
from workbench.games.pgn import RESULTS, AnyGame, Game, Refusal, RefusedGame, scan_texts
from workbench.installation import RESOURCES
from workbench.tables.parquet_tables import read_table, record_batches

_CODE: Final = np.dtype("<u2")
_PROMOTIONS: Final = (0, chess.KNIGHT, chess.BISHOP, chess.ROOK, chess.QUEEN)


def encode_moves(moves: Iterable[str]) -> bytes:
    """Return the moves as codes of two bytes, the lower byte first."""
    codes = _codes()
    return np.array([codes[move] for move in moves], dtype=_CODE).tobytes()


def decode_moves(codes: bytes) -> tuple[str, ...]:
    """Return the moves in UCI of what `encode_moves` made."""
    if len(codes) % _CODE.itemsize:
        raise TableError(
            f"expected moves of two bytes each, got {len(codes)} bytes; the file was changed: "
            "get it again"
        )
    moves = _moves()
    try:
        return tuple([moves[code] for code in np.frombuffer(codes, dtype=_CODE).tolist()])
    except KeyError as error:
        raise TableError(
            f"expected codes of moves, got {error.args[0]!r}; the file was changed: get it again"
        ) from error


@cache
def _moves() -> dict[int, str]:
    return {
        start + 64 * end + 4096 * promotion: chess.Move(start, end, promotion or None).uci()
        for start in chess.SQUARES
        for end in chess.SQUARES
        for promotion in _PROMOTIONS
        if start != end
    }


@cache
def _codes() -> dict[str, int]:
    return {move: code for code, move in _moves().items()}


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
    """A finished game of self-play; levels are indices in `workbench.games.selfplay.LEVELS`."""

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
        {name: getattr(game, name) for name in GAMES.names} | {"moves": encode_moves(game.moves)}
        for game in games
    ]
    return pd.DataFrame(rows, columns=GAMES.names)


def read_games(path: Path) -> list[PlayedGame]:
    """Read a table of games; the moves are decoded and not played."""
    games = []
    for row in read_table(path, GAMES).itertuples(index=False):
        values = dict(zip(GAMES.names, row, strict=True))
        try:
            games.append(PlayedGame(**values | {"moves": decode_moves(values["moves"])}))
        except TableError as error:
            raise TableError(f"{path}: game {values['number']}: {error}") from error
    return games


MOVETEXT: Final = "movetext"
HEADERS: Final = (
    "Event Site Result WhiteTitle BlackTitle WhiteElo BlackElo TimeControl Termination Variant FEN "
    "SetUp"
).split()
BATCH_ROWS: Final = 1000


def has_games(path: Path) -> bool:
    """Return whether a Parquet file has the columns of games."""
    with _opened(path) as file:
        names = set(file.schema_arrow.names)
        return names.issuperset(GAMES.names) or names.issuperset({"Site", MOVETEXT})


def parquet_games(
    path: Path,
    name: str,
    refuse: Refusal | None = None,
    on_share: Callable[[float], None] = lambda share: None,
) -> Iterator[AnyGame]:
    """Yield the games of a Parquet file."""
    with _opened(path) as file:
        names = file.schema_arrow.names
        if set(names).issuperset(GAMES.names):
            yield from _self_played(path, PurePath(name).stem, refuse)
            on_share(1)
        elif MOVETEXT in names and "Site" in names:
            yield from scan_texts(_texts(file, on_share), name, refuse)
        else:
            raise GameFileError(
                f"{path}: expected the columns 'Site' and 'movetext' of Lichess games, or those of "
                f"`workbench games selfplay`, got {names}"
            )


@contextmanager
def _opened(path: Path) -> Iterator[pq.ParquetFile]:
    try:
        with pq.ParquetFile(path.absolute()) as file:
            yield file
    except GameFileError:
        raise
    except (OSError, pa.ArrowInvalid) as error:
        raise GameFileError(
            f"{path}: expected a whole Parquet file of games, got: {error}; fetch it again"
        ) from error


def _self_played(path: Path, name: str, refuse: Refusal | None) -> Iterator[Game | RefusedGame]:
    for index, played in enumerate(read_games(path), start=1):
        game = played.as_game(name)
        headers = f'[Result "{played.result}"]\n[Termination "{played.termination}"]\n'
        reason, detail = refuse(headers) if refuse else ("", "")
        yield RefusedGame(index, game.source, reason, detail) if reason else game


def _texts(file: pq.ParquetFile, on_share: Callable[[float], None]) -> Iterator[tuple[str, str]]:
    headers = [name for name in HEADERS if name in file.schema_arrow.names]
    for batch in record_batches(file, BATCH_ROWS, [*headers, MOVETEXT]):
        for row in batch.to_pylist():
            yield _headers(row, headers), _movetext(row)
        on_share(batch.num_rows / file.metadata.num_rows)


def _headers(row: dict[str, Any], names: list[str]) -> str:
    lines = []
    for name in names:
        if row[name] is not None:
            value = str(row[name]).replace("\\", "\\\\").replace('"', '\\"').replace("\n", " ")
            lines.append(f'[{name} "{value}"]\n')
    return "".join(lines)


def _movetext(row: dict[str, Any]) -> str:
    text = (row[MOVETEXT] or "").strip()
    result = row.get("Result")
    if text.endswith(RESULTS) or result not in RESULTS:
        return text
    return f"{text} {result}"


BUNDLED_NAME: Final = "Stockfish self-play"
_GAMES: Final = RESOURCES / "data" / "games.parquet"


def bundled_games_path() -> Path:
    """Return where the bundled games lie."""
    if _GAMES.is_file():
        return _GAMES
    raise GameFileError(
        f"expected the bundled games at {_GAMES}, found none; install the package again, or make "
        "them with `workbench games selfplay`"
    )


@lru_cache(maxsize=1)
def bundled_games() -> tuple[Game, ...]:
    """Return the bundled games in the order of their numbers, read once a process."""
    return tuple(game.as_game(BUNDLED_NAME) for game in read_games(bundled_games_path()))
