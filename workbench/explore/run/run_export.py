"""The rows of a run that are shown, as the bytes of a file: CSV, Parquet or FENs."""

from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from types import MappingProxyType
from typing import Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from workbench.errors import InvalidArgumentError
from workbench.explore.run.run_table import RunTable
from workbench.scoring.score_rows import is_state

_DERIVED: Final = ["edit_distance", "precision", "recall", "f", "disagreement", "remark"]


def export_rows(table: RunTable, places: NDArray[np.int64], kind: str) -> bytes:
    """Return rows of a run as the content of a file.

    Args:
        table: The run.
        places: Numbers of the rows, in the order of the file.
        kind: ``csv`` or ``parquet``: the columns of the scores table, and ``reply`` if replies
            are kept. ``fen``: the predicted FEN of each reply with a board, one on a
            line; ``true_fen``: the true FEN of each position, once.

    Raises:
        InvalidArgumentError: If the kind is another.
    """
    if kind not in KINDS:
        raise InvalidArgumentError(f"expected a kind of file of {list(KINDS)}, got {kind!r}")
    rows = table.rows.iloc[places].drop(columns=_DERIVED)
    if table.replies.kept:
        rows = rows.assign(reply=pd.Series(table.replies.of(places), rows.index, dtype=object))
    return KINDS[kind](rows)


def write_rows(
    table: RunTable, places: NDArray[np.int64], path: str | Path, kind: str = ""
) -> Path:
    """Write rows of a run to a new file.

    Args:
        table: The run.
        places: Numbers of the rows, in the order of the file.
        path: Of the file.
        kind: See `export_rows`; the ending of the path if empty.

    Returns:
        The absolute path.

    Raises:
        InvalidArgumentError: If there is such a file, which is left as it is, or the kind is
            another.
    """
    path = Path(path).absolute()
    content = export_rows(table, places, kind or path.suffix.removeprefix("."))
    try:
        with path.open("xb") as file:
            file.write(content)
    except FileExistsError as error:
        raise InvalidArgumentError(
            f"expected a path without a file, got {str(path)!r}; give another name or remove it"
        ) from error
    return path


def _csv(rows: pd.DataFrame) -> bytes:
    return rows.to_csv(index=False).encode()


def _parquet(rows: pd.DataFrame) -> bytes:
    written = BytesIO()
    rows.to_parquet(written, index=False, compression="zstd")
    return written.getvalue()


def _predicted_fens(rows: pd.DataFrame) -> bytes:
    boards = rows["reply_class"].map(lambda name: is_state(name, "as_is"))
    return _lines(rows.loc[boards, "predicted_state"])


def _true_fens(rows: pd.DataFrame) -> bytes:
    return _lines(rows["true_state"].drop_duplicates())


def _lines(texts: "pd.Series[str]") -> bytes:
    # A text of a hand-made table may have line ends: one FEN stays on one line.
    return "".join(f"{' '.join(str(text).split())}\n" for text in texts).encode()


KINDS: Final = MappingProxyType[str, Callable[[pd.DataFrame], bytes]](
    {"csv": _csv, "parquet": _parquet, "fen": _predicted_fens, "true_fen": _true_fens}
)
"""Kinds of files."""
