"""A run's columns in the page's format: numbers as bytes, texts as codes into a list of levels."""

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from workbench.answers.classification import CLASSES
from workbench.errors import InvalidArgumentError
from workbench.explore.run.run_table import RunTable, group_name, row_classes

COLUMNS: Final = (
    "position_id",
    "model",
    "group",
    "reply_class",
    "edit_distance",
    "precision",
    "recall",
    "disagreement",
    "board_accuracy",
    "remark",
)
"""The columns that are shown unless others are named."""

PLOTTED: Final = ("position_id", "model", "group", "reply_class", "edit_distance", "precision")
"""Columns that the plot and its labels need, shown in the table or not."""

_LABELS: Final = {
    "position_id": "position",
    "reply_class": "class",
    "edit_distance": "edit distance",
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


def page_columns(table: RunTable, names: Sequence[str] = COLUMNS) -> dict[str, Any]:
    """Return columns of a run for the page.

    Args:
        table: The run.
        names: Columns of ``table.rows`` to show, in this order.

    Returns:
        ``count``: the number of rows. ``columns``: for each column shown, and after them for each
        that only the plot needs, its ``name``, ``label``, whether it is ``shown``, and either
        ``kind`` "number" with ``digits`` after the point and ``values`` (little-endian float64,
        NaN where undefined), or ``kind`` "text" with ``levels`` and ``codes`` (little-endian
        int32, -1 where missing).

    Raises:
        InvalidArgumentError: If the run has no such column.
    """
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


def filter_choices(table: RunTable) -> dict[str, list[list[Any]]]:
    """Return the models, groups and classes that a run holds, each with its number of rows.

    Args:
        table: The run.

    Returns:
        ``models``, ``groups``, ``classes``: lists of [name, rows], groups in their own order,
        classes in theirs.
    """
    models = table.rows["model"].fillna("none").astype(str).value_counts()
    groups = table.rows["group"].value_counts().sort_index()
    classes = row_classes(table.rows).value_counts()
    missing = int(table.rows["group"].isna().sum())
    return {
        "models": [[name, int(models[name])] for name in sorted(models.index)],
        "groups": [[group_name(name), int(count)] for name, count in groups.items()]
        + ([["none", missing]] if missing else []),
        "classes": [
            [name, int(classes[name])] for name in (*CLASSES, "unscored") if name in classes.index
        ],
    }


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
    levels = list(CLASSES) if values.name == "reply_class" else None
    coded = pd.Categorical(values, categories=levels)
    name = group_name if values.name == "group" else str
    return {
        "levels": [name(level) for level in coded.categories],
        "codes": coded.codes.astype("<i4").tobytes(),
    }


def _whole(numbers: NDArray[np.float64]) -> bool:
    defined = numbers[~np.isnan(numbers)]
    return bool((defined == np.floor(defined)).all())
