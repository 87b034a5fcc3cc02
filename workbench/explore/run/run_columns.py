"""A run's columns in the page's format: numbers as bytes, texts as codes into a list of levels."""

from collections import Counter
from collections.abc import Sequence
from typing import Any, Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from workbench.drawing.quantities import EDIT_DISTANCE
from workbench.drawing.reply_words import class_words, field_words, status_words
from workbench.errors import InvalidArgumentError
from workbench.explore.run.run_table import RunTable, row_classes
from workbench.explore.run.value_names import (
    FIELD_PREFIX,
    FILTERS,
    flags_of,
    in_order,
    levels_of,
    value_name,
    value_names,
)
from workbench.explore.scatter.mark_looks import page_looks
from workbench.prediction import CLASSES

COLUMNS: Final = (
    "position_id",
    "precision",
    "recall",
    "edit_distance",
    "set",
    "model",
    "setting",
    "group",
    "reply_class",
    "disagreement",
    "board_accuracy",
    "remark",
)
"""The columns that are shown unless others are named: `WHERE_SEVERAL` where there are several."""

WHERE_SEVERAL: Final = ("set", "model", "setting")

PLOTTED: Final = (
    "position_id",
    "set",
    "model",
    "setting",
    "group",
    "reply_class",
    "edit_distance",
    "precision",
)
"""Columns that the plot and its labels need, shown in the table or not."""

MARKED: Final = (*FILTERS.values(), "reply_class")
"""Columns whose values marks can distinguish."""

_LABELS: Final = {
    "position_id": "position",
    "reply_class": "class",
    "edit_distance": EDIT_DISTANCE.name,
    "board_accuracy": "board accuracy",
    "exact_match": "exact match",
}
_DIGITS: Final = {
    "edit_distance": 0,
    "precision": 4,
    "recall": 4,
    "disagreement": 2,
    "board_accuracy": 3,
}


def page_columns(table: RunTable, names: Sequence[str] | None = None) -> dict[str, Any]:
    """Return columns of a run for the page.

    Args:
        table: The run.
        names: Columns of ``table.rows`` to show, in this order; `COLUMNS` if None, without a set,
            model or setting that all rows share.

    Returns:
        ``count``: the number of rows. ``columns``: for each column shown, and after them for each
        that only the plot needs, its ``name``, ``label``, whether it is ``shown``, and either
        ``kind`` "number" with ``digits`` after the point and ``values`` (little-endian float64,
        NaN where undefined), or ``kind`` "text" with ``levels`` and ``codes`` (little-endian
        int32, -1 where missing); a column in `MARKED` has the ``looks`` of its levels.

    Raises:
        InvalidArgumentError: If the run has no such column.
    """
    if names is None:
        alike = [name for name in WHERE_SEVERAL if table.rows[name].nunique(dropna=False) < 2]
        names = [name for name in COLUMNS if name not in alike]
    unknown = [name for name in names if name not in table.rows.columns]
    if unknown:
        raise InvalidArgumentError(
            f"expected columns of {sorted(map(str, table.rows.columns))}, got {unknown!r}"
        )
    hidden = [name for name in PLOTTED if name not in names]
    columns = [{**_column(table, name), "shown": True} for name in names]
    columns += [{**_column(table, name), "shown": False} for name in hidden]
    return {"count": len(table.rows), "columns": columns}


def column_label(name: str, depth: int) -> str:
    """Return how a column is called on the page, where m is the depth."""
    own = {"precision": f"p_{depth}", "recall": f"r_{depth}"}
    return own.get(name) or _LABELS.get(name) or name.replace("_", " ")


def marked_by(table: RunTable) -> str:
    """Return the column that marks show unless another is chosen: model if there are several."""
    return "model" if table.rows["model"].nunique(dropna=False) > 1 else "group"


def filter_choices(table: RunTable) -> dict[str, list[list[Any]]]:
    """Return what the filters of a run offer, with the number of rows of each.

    Args:
        table: The run.

    Returns:
        ``sets``, ``models``, ``settings``, ``groups``, ``classes`` (in their own order),
        ``wrong_fields`` and ``flags`` (the most frequent first): lists of [value, rows, words].
    """
    named = {name: value_names(table.rows, column) for name, column in FILTERS.items()}
    named["classes"] = row_classes(table.rows)
    counts = {name: dict(Counter(column)) for name, column in named.items()}
    counts["wrong_fields"] = _wrong_fields(table)
    counts["flags"] = _flags(table)
    ordered = {name: in_order(counts[name]) for name in FILTERS}
    ordered["classes"] = [name for name in (*CLASSES, "unscored") if name in counts["classes"]]
    words = {"classes": class_words, "wrong_fields": field_words, "flags": status_words}
    return {
        filtered: [
            [name, int(rows[name]), words.get(filtered, str)(name)]
            for name in ordered.get(filtered, rows)
        ]
        for filtered, rows in counts.items()
    }


def _wrong_fields(table: RunTable) -> dict[str, int]:
    own = table.rows[table.rows["edit_distance"].notna()]
    fields = [name for name in own.columns if str(name).startswith(FIELD_PREFIX)]
    wrong = {name.removeprefix(FIELD_PREFIX): int(own[name].eq(False).sum()) for name in fields}
    return {name: count for name, count in wrong.items() if count}


def _flags(table: RunTable) -> dict[str, int]:
    found: Counter[str] = Counter()
    for status, count in table.rows["status"].value_counts().items():
        found.update(dict.fromkeys(flags_of(status), int(count)))
    return dict(found.most_common())


def _column(table: RunTable, name: str) -> dict[str, Any]:
    values = table.rows[name]
    said = {"name": name, "label": column_label(name, table.depth)}
    is_boolean = pd.api.types.is_bool_dtype(values)
    if pd.api.types.is_numeric_dtype(values) and not is_boolean and name != "group":
        numbers = np.asarray(values.astype(float), dtype=np.float64)
        return {
            **said,
            "kind": "number",
            "digits": _DIGITS.get(name, 0 if _whole(numbers) else 4),
            "values": numbers.astype("<f8").tobytes(),
        }
    return {**said, "kind": "text", **_levels(values)}


def _levels(values: "pd.Series[Any]") -> dict[str, Any]:
    coded = pd.Categorical(values, categories=levels_of(values))
    column = str(values.name)
    levels = [
        value_name(column, level) if column in FILTERS.values() else str(level)
        for level in coded.categories
    ]
    looks = page_looks(column, levels) if column in MARKED else []
    shown = [class_words(level) for level in levels] if column == "reply_class" else levels
    return {
        "levels": shown,
        "looks": looks,
        "codes": coded.codes.astype("<i4").tobytes(),
    }


def _whole(numbers: NDArray[np.float64]) -> bool:
    defined = numbers[~np.isnan(numbers)]
    return bool((defined == np.floor(defined)).all())
