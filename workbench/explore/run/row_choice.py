"""The selected rows of a run, their order, and their export as CSV, Parquet or FENs."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from io import BytesIO
from pathlib import Path
from typing import Any, Final, get_args

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from workbench.errors import InvalidArgumentError
from workbench.explore.run.failure_causes import FailureCauses
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

Range = Sequence[float | None]
"""Lowest and highest value, or None for an open end."""


@dataclass(frozen=True, slots=True)
class RowChoice:
    """The rows to show; empty values do not restrict.

    Attributes:
        sets: Sets to show, by their `value_name`. Likewise ``settings``.
        models: Models to show, likewise, each with all of its settings or with one: ``o3, thinking=0``.
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
        metric_ranges: The same for other metrics, by their columns: ``{"recall": (0.5, None)}``.
        lasso: Numbers of the rows to show.
        causes: Main causes of failures to show, by the categories of
            `workbench.explore.run.failure_causes`.
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
    distance_range: Range = (None, None)
    precision_range: Range = (None, None)
    metric_ranges: Mapping[str, Range] = field(default_factory=dict)
    lasso: Sequence[int] = ()
    causes: Sequence[str] = ()
    disagreement: Disagreement = ""

    def __post_init__(self) -> None:
        names = {"edit_distance": "distance_range", "precision": "precision_range"}
        for column, ends in self.ranges.items():
            name = names.get(column, f"{column}_range")
            if len(ends) != 2:
                raise InvalidArgumentError(f"expected {name} of two ends, got {ends!r}")
            low, high = ends
            if low is not None and high is not None and low > high:
                words = name.replace("_", " ").replace("precision", "p_m")
                raise InvalidArgumentError(
                    f"expected a {words} whose low end is at most its high end, got "
                    f"{low:g} to {high:g}"
                )
        if self.disagreement not in get_args(Disagreement):
            raise InvalidArgumentError(
                f"expected a disagreement of {get_args(Disagreement)}, got {self.disagreement!r}"
            )
        class_names = (*CLASSES, "unscored")
        if unknown := sorted(set(self.classes) - {*class_names}):
            raise InvalidArgumentError(f"expected classes of {class_names}, got {unknown!r}")

    @property
    def ranges(self) -> dict[str, Range]:
        """The range of each metric by its column."""
        named = {"edit_distance": self.distance_range, "precision": self.precision_range}
        return named | dict(self.metric_ranges)


def choose_rows(
    table: RunTable, choice: RowChoice, sort_by: str = "", descending: bool = False
) -> NDArray[np.int64]:
    """Return the numbers of the rows to show, in the order to show them.

    Rows that are equal in the column keep the order of the table. Undefined values come last in
    either direction.
    """
    if sort_by:
        _check_columns(table, [sort_by], "to sort by a column of", repr(sort_by))
    numbers = np.flatnonzero(_chosen(table, choice).to_numpy())
    if not sort_by:
        return numbers
    values = sortable(table.rows[sort_by])[numbers]
    return numbers[np.argsort(-values if descending else values, kind="stable")]


def _check_columns(table: RunTable, names: Sequence[str], words: str, got: str) -> None:
    if not set(names) <= set(table.rows.columns):
        columns = sorted(map(str, table.rows.columns))
        raise InvalidArgumentError(f"expected {words} {columns}, got {got}")


def restricted_numbers(choice: RowChoice) -> list[str]:
    """Return the columns of numbers that a choice restricts: rows undefined there are not shown."""
    columns = [name for name, ends in choice.ranges.items() if any(end is not None for end in ends)]
    return [*columns, "disagreement"] if choice.disagreement else columns


def sortable(column: "pd.Series[Any]") -> NDArray[np.float64]:
    """Return numbers in the order of a column's values, NaN where a value is missing.

    Texts are in the order of `levels_of`.
    """
    if pd.api.types.is_numeric_dtype(column) or pd.api.types.is_bool_dtype(column):
        return np.asarray(column.astype(float), dtype=np.float64)
    codes = pd.Categorical(column, categories=levels_of(column)).codes.astype(float)
    return np.where(codes < 0, np.nan, codes)


def _chosen(table: RunTable, choice: RowChoice) -> "pd.Series[bool]":
    keep = _beside_facets(table, choice)
    for mask in _facet_masks(table, choice).values():
        keep &= mask
    if choice.causes:
        # Last: only rows that all else lets through are looked at.
        causes = table.causes or FailureCauses(table.rows, table.depth)
        causes.advance(np.flatnonzero(keep.to_numpy()))
        keep &= causes.frame()["cause"].isin(list(choice.causes))
    return keep


def _facet_masks(table: RunTable, choice: RowChoice) -> dict[str, "pd.Series[bool]"]:
    """Return which rows each filter with listed values lets through, of those that restrict."""
    rows = table.rows
    masks = {}
    for name, column in FILTERS.items():
        if names := {value_name(column, value) for value in getattr(choice, name)}:
            chosen = value_names(rows, column).isin(names)
            masks[name] = chosen | rows["model_setting"].isin(names) if name == "models" else chosen
    if choice.classes:
        masks["classes"] = row_classes(rows).isin(list(choice.classes))
    if choice.wrong_fields:
        columns = [f"{FIELD_PREFIX}{name}" for name in choice.wrong_fields]
        unknown = [name for name in columns if name not in rows.columns]
        if unknown:
            raise InvalidArgumentError(f"expected fields that the scores have, got {unknown!r}")
        wrong = rows[columns].eq(False).any(axis=1)
        masks["wrong_fields"] = rows["edit_distance"].notna() & wrong
    if choice.flags:
        flags = set(choice.flags)
        masks["flags"] = rows["status"].map(lambda status: bool(flags_of(status) & flags))
    return masks


def _beside_facets(table: RunTable, choice: RowChoice) -> "pd.Series[bool]":
    """Return which rows a choice lets through by its texts, ranges, lasso and disagreement."""
    rows = table.rows
    keep = pd.Series(True, index=rows.index)
    if choice.lasso:
        keep &= rows.index.isin(list(choice.lasso))
    if choice.reply_text:
        keep &= table.replies.contain(choice.reply_text)
    if part := choice.text.strip().casefold():
        keep &= _contains(rows["position_id"], part) | _contains(rows["game_id"], part)
    _check_columns(
        table, [*choice.metric_ranges], "ranges of columns of", f"{[*choice.metric_ranges]}"
    )
    for name, (low, high) in choice.ranges.items():
        if low is not None:
            keep &= sortable(rows[name]) >= low
        if high is not None:
            keep &= sortable(rows[name]) <= high
    if choice.disagreement == "near_far":
        keep &= rows["disagreement"] >= GAP
    elif choice.disagreement == "far_near":
        keep &= rows["disagreement"] <= -GAP
    return keep


class Facets:
    """The values that the filters of a run list, and how many rows each has under all other filters.

    Args:
        table: The run.
    """

    def __init__(self, table: RunTable) -> None:
        rows = table.rows
        self._table = table
        columns = {name: value_names(rows, column) for name, column in FILTERS.items()}
        self._codes = {
            name: pd.factorize(values)
            for name, values in {**columns, "classes": row_classes(rows)}.items()
        }
        with_text = rows["edit_distance"].notna()
        self._masks = {
            "wrong_fields": {
                name.removeprefix(FIELD_PREFIX): (with_text & rows[name].eq(False)).to_numpy()
                for name in map(str, rows.columns)
                if name.startswith(FIELD_PREFIX)
            },
            "flags": _flag_masks(rows["status"]),
        }

    def counts(self, choice: RowChoice) -> dict[str, dict[str, int]]:
        """Return the rows of each value of each filter, among those that the other filters let through.

        Where main causes are chosen and are not computed for all of these rows, a filter has no counts.
        """
        table = self._table
        beside = _beside_facets(table, choice).to_numpy()
        masks = {name: mask.to_numpy() for name, mask in _facet_masks(table, choice).items()}
        counts: dict[str, dict[str, int]] = {}
        for name in (*self._codes, *self._masks):
            keep = beside.copy()
            for other, mask in masks.items():
                if other != name:
                    keep &= mask
            if choice.causes:
                causes = table.causes
                if causes is None or (causes.codes[keep] < 0).any():
                    counts[name] = {}
                    continue
                keep &= causes.frame()["cause"].isin(list(choice.causes)).to_numpy()
            counts[name] = self._count(name, keep)
        return counts

    def _count(self, name: str, keep: NDArray[np.bool_]) -> dict[str, int]:
        if name in self._masks:
            return {value: int((mask & keep).sum()) for value, mask in self._masks[name].items()}
        codes, values = self._codes[name]
        numbers = np.bincount(codes[keep], minlength=len(values)).tolist()
        return dict(zip(map(str, values), numbers, strict=True))


def _flag_masks(status: "pd.Series[Any]") -> dict[str, NDArray[np.bool_]]:
    codes, texts = pd.factorize(status, use_na_sentinel=False)
    flags = [flags_of(text) for text in texts]
    return {
        flag: np.array([flag in each for each in flags])[codes]
        for flag in sorted(frozenset().union(*flags))
    }


def _contains(column: "pd.Series[str]", part: str) -> "pd.Series[bool]":
    # Many rows share an id: each is looked at once.
    return column.isin([name for name in column.dropna().unique() if part in str(name).casefold()])


_DERIVED: Final = [
    "edit_distance", "precision", "recall", "f", "disagreement", "model_setting", "cluster", "remark",
    "difference",
]  # fmt: skip
KINDS: Final = ("csv", "parquet", "fen", "true_fen")
"""Kinds of files."""


def export_rows(table: RunTable, numbers: NDArray[np.int64], kind: str) -> bytes:
    """Return rows of a run as the content of a file."""
    if kind not in KINDS:
        raise InvalidArgumentError(f"expected a kind of file of {list(KINDS)}, got {kind!r}")
    rows = table.rows.iloc[numbers].drop(columns=_DERIVED, errors="ignore")
    if kind == "fen":
        boards = rows["reply_class"].map(lambda name: is_state(name, "as_is"))
        return _lines(rows.loc[boards, "predicted_state"])
    if kind == "true_fen":
        return _lines(rows["true_state"].drop_duplicates())
    if table.replies.kept:
        rows = rows.assign(reply=pd.Series(table.replies.of(numbers), rows.index, dtype=object))
    if kind == "csv":
        return rows.to_csv(index=False).encode()
    content = BytesIO()
    rows.to_parquet(content, index=False, compression="zstd")
    return content.getvalue()


def write_rows(
    table: RunTable, numbers: NDArray[np.int64], path: str | Path, kind: str = ""
) -> Path:
    """Write rows of a run to a new file."""
    path = Path(path).absolute()
    content = export_rows(table, numbers, kind or path.suffix.removeprefix("."))
    try:
        with path.open("xb") as file:
            file.write(content)
    except FileExistsError as error:
        raise InvalidArgumentError(
            f"expected a path without a file, got {str(path)!r}; give another name or remove it"
        ) from error
    return path


def _lines(texts: "pd.Series[str]") -> bytes:
    # A text of a hand-made table may have line ends: one FEN stays on one line.
    return "".join(f"{' '.join(str(text).split())}\n" for text in texts).encode()
