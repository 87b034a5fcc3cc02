"""The selected rows of a run, their order, and their export as CSV, Parquet or FENs."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final, get_args

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from workbench.errors import InvalidArgumentError
from workbench.explore.run.run_table import (
    FIELD_PREFIX,
    FILTERS,
    GAP,
    Disagreement,
    RunTable,
    flags_of,
    levels_of,
    row_classes,
    value_name,
    value_names,
)
from workbench.prediction import CLASSES
from workbench.scoring.score_rows import is_state


@dataclass(frozen=True, slots=True)
class RowChoice:
    """The rows to show; empty values do not restrict.

    Attributes:
        sets: Sets to show, by their `value_name`. Likewise ``models`` and ``settings``.
        groups: Groups to show, as numbers or as text.
        classes: Classes of replies to show, or ``unscored``.
        wrong_fields: Show replies with a FEN of which any of these fields is wrong; named as the
            columns ``correct_*``.
        flags: Show replies whose board has any of these status flags.
        text: A part of the position's or the game's id, in any case.
        reply_text: A part of the reply, or of the predicted FEN where the reply is not kept, in any
            case.
        distance_range: Lowest and highest edit distance, or None for an open end.
        precision_range: Lowest and highest p_m, or None for an open end.
        disagreement: ``near_far``: edit distance says near, p says far. ``far_near``: the reverse.
    """

    sets: Sequence[str] = ()
    models: Sequence[str] = ()
    settings: Sequence[str] = ()
    groups: Sequence[int | str] = ()
    classes: Sequence[str] = ()
    wrong_fields: Sequence[str] = ()
    flags: Sequence[str] = ()
    text: str = ""
    reply_text: str = ""
    distance_range: Sequence[float | None] = (None, None)
    precision_range: Sequence[float | None] = (None, None)
    disagreement: Disagreement = ""

    def __post_init__(self) -> None:
        for name in ("distance_range", "precision_range"):
            given = getattr(self, name)
            if len(given) != 2:
                raise InvalidArgumentError(f"expected {name} of two ends, got {given!r}")
            low, high = given
            if low is not None and high is not None and low > high:
                said = name.replace("_", " ").replace("precision", "p_m")
                raise InvalidArgumentError(
                    f"expected a {said} whose low end is at most its high end, got "
                    f"{low:g} to {high:g}"
                )
        if self.disagreement not in get_args(Disagreement):
            raise InvalidArgumentError(
                f"expected a disagreement of {get_args(Disagreement)}, got {self.disagreement!r}"
            )
        unknown = sorted(set(self.classes) - {*CLASSES, "unscored"})
        if unknown:
            raise InvalidArgumentError(
                f"expected classes of {(*CLASSES, 'unscored')}, got {unknown!r}"
            )


def choose_rows(
    table: RunTable, choice: RowChoice, sort_by: str = "", descending: bool = False
) -> NDArray[np.int64]:
    """Return the numbers of the rows to show, in the order to show them.

    Rows that are equal in the column keep the order of the table. Undefined values come last in
    either direction.
    """
    if sort_by and sort_by not in table.rows.columns:
        raise InvalidArgumentError(
            f"expected to sort by a column of {sorted(map(str, table.rows.columns))}, "
            f"got {sort_by!r}"
        )
    places = np.flatnonzero(_chosen(table, choice).to_numpy())
    if not sort_by:
        return places
    values = sortable(table.rows[sort_by])[places]
    order = np.argsort(-values if descending else values, kind="stable")
    return places[order]


def restricted_numbers(choice: RowChoice) -> list[str]:
    """Return the columns of numbers that a choice restricts: rows undefined there are not shown."""
    restrictions = {
        "edit_distance": _is_restricted(choice.distance_range),
        "precision": _is_restricted(choice.precision_range),
        "disagreement": bool(choice.disagreement),
    }
    return [name for name, is_restricted in restrictions.items() if is_restricted]


def sortable(column: "pd.Series[Any]") -> NDArray[np.float64]:
    """Return numbers in the order of a column's values, NaN where a value is missing.

    Texts are in the order of `levels_of`.
    """
    if pd.api.types.is_numeric_dtype(column) or pd.api.types.is_bool_dtype(column):
        return np.asarray(column.astype(float), dtype=np.float64)
    codes = pd.Categorical(column, categories=levels_of(column)).codes.astype(float)
    return np.where(codes < 0, np.nan, codes)


def _chosen(table: RunTable, choice: RowChoice) -> "pd.Series[bool]":
    rows = table.rows
    keep = pd.Series(True, index=rows.index)
    for name, column in FILTERS.items():
        wanted_names = {value_name(column, value) for value in getattr(choice, name)}
        if wanted_names:
            keep &= value_names(rows, column).isin(wanted_names)
    if choice.classes:
        keep &= row_classes(rows).isin(list(choice.classes))
    if choice.wrong_fields:
        columns = [f"{FIELD_PREFIX}{name}" for name in choice.wrong_fields]
        unknown = [name for name in columns if name not in rows.columns]
        if unknown:
            raise InvalidArgumentError(f"expected fields that the scores have, got {unknown!r}")
        keep &= rows["edit_distance"].notna() & rows[columns].eq(False).any(axis=1)
    if choice.flags:
        fitting = [
            status for status in rows["status"].unique() if flags_of(status) & set(choice.flags)
        ]
        keep &= rows["status"].isin(fitting)
    if choice.reply_text:
        keep &= table.replies.holding(choice.reply_text)
    wanted = choice.text.strip().casefold()
    if wanted:
        keep &= _holds(rows["position_id"], wanted) | _holds(rows["game_id"], wanted)
    for name, (low, high) in (
        ("edit_distance", choice.distance_range),
        ("precision", choice.precision_range),
    ):
        if low is not None:
            keep &= rows[name] >= low
        if high is not None:
            keep &= rows[name] <= high
    if choice.disagreement == "near_far":
        keep &= rows["disagreement"] >= GAP
    elif choice.disagreement == "far_near":
        keep &= rows["disagreement"] <= -GAP
    return keep


def _holds(column: "pd.Series[str]", wanted: str) -> "pd.Series[bool]":
    # Many rows share an id: each is looked at once.
    fitting = [name for name in column.dropna().unique() if wanted in str(name).casefold()]
    return column.isin(fitting)


def _is_restricted(ends: Sequence[float | None]) -> bool:
    return any(end is not None for end in ends)


_DERIVED: Final = ["edit_distance", "precision", "recall", "f", "disagreement", "remark"]


def export_rows(table: RunTable, places: NDArray[np.int64], kind: str) -> bytes:
    """Return rows of a run as the content of a file."""
    if kind not in KINDS:
        raise InvalidArgumentError(f"expected a kind of file of {list(KINDS)}, got {kind!r}")
    rows = table.rows.iloc[places].drop(columns=_DERIVED)
    if table.replies.kept:
        rows = rows.assign(reply=pd.Series(table.replies.of(places), rows.index, dtype=object))
    return KINDS[kind](rows)


def write_rows(
    table: RunTable, places: NDArray[np.int64], path: str | Path, kind: str = ""
) -> Path:
    """Write rows of a run to a new file."""
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
