"""Lichess games of the Hugging Face dataset ``Lichess/standard-chess-games``: one row a game."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pyarrow as pa
import pyarrow.parquet as pq

from workbench.errors import GameFileError
from workbench.games.movetext import RESULTS
from workbench.tables import record_batches

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


def parquet_texts(path: Path) -> Iterator[tuple[str, str]]:
    """Yield headers and movetext of the games of a Parquet file, as a PGN file would have them.

    Args:
        path: A file with a column ``movetext``, and of the columns named as PGN headers those that
            there are; read in batches.

    Raises:
        GameFileError: If it cannot be read, or has no such column.
    """
    try:
        with pq.ParquetFile(path) as file:
            names = file.schema_arrow.names
            if MOVETEXT not in names or "Site" not in names:
                raise GameFileError(
                    f"{path}: expected the columns 'Site' and 'movetext' of Lichess games, got "
                    f"{names}"
                )
            headers = [name for name in HEADERS if name in names]
            for batch in record_batches(file, BATCH_ROWS, [*headers, MOVETEXT]):
                for row in batch.to_pylist():
                    yield _headers(row, headers), _movetext(row)
    except GameFileError:
        raise
    except (OSError, pa.ArrowInvalid) as error:
        raise GameFileError(
            f"{path}: expected a whole Parquet file of Lichess games, got: {error}; fetch it again"
        ) from error


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
