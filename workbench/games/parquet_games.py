"""Parquet files of whole games: of Lichess as on Hugging Face, or of self-play."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path, PurePath
from typing import Any, Final

import pyarrow as pa
import pyarrow.parquet as pq

from workbench.errors import GameFileError
from workbench.games.compact import GAMES, read_games
from workbench.games.movetext import RESULTS
from workbench.games.pgn import Game, Refusal, RefusedGame, ScannedGame, scan_texts
from workbench.tables.parquet_tables import record_batches

MOVETEXT: Final = "movetext"
HEADERS: Final = (
    "Event",
    "Site",
    "Result",
    "WhiteTitle",
    "BlackTitle",
    "WhiteElo",
    "BlackElo",
    "TimeControl",
    "Termination",
    "Variant",
    "FEN",
    "SetUp",
)
BATCH_ROWS: Final = 1000


def has_games(path: Path) -> bool:
    """Return whether a Parquet file has the columns of games.

    Raises:
        GameFileError: If it is no whole Parquet file.
    """
    with _opened(path) as file:
        names = set(file.schema_arrow.names)
        return names.issuperset(GAMES.names) or names.issuperset({"Site", MOVETEXT})


def parquet_games(
    path: Path,
    name: str,
    refuse: Refusal | None = None,
    on_share: Callable[[float], None] = lambda share: None,
) -> Iterator[Game | ScannedGame | RefusedGame]:
    """Yield the games of a Parquet file.

    Args:
        path: A file with the columns ``Site`` and ``movetext``, and of the columns named as PGN
            headers those that there are, read in batches; or one written by ``workbench games
            selfplay``, whose only headers are Result and Termination.
        name: What a game without a Site is named by, with its number.
        refuse: A test of the headers; the moves of what it refuses are not looked at.
        on_share: Called with each further share of the file that was read.

    Raises:
        GameFileError: If it cannot be read, or is neither.
    """
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
