"""The columns of a run in the format of the page, and its rows as plain HTML."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np
import pandas as pd
from matplotlib.colors import to_hex
from numpy.typing import NDArray

from workbench.drawing.appearance import Style, model_style, style
from workbench.drawing.reply_words import class_words, field_words, status_words
from workbench.drawing.score_description import environment_of
from workbench.errors import InvalidArgumentError
from workbench.explore.page.still_html import heading, listing, paragraph
from workbench.explore.run.run_table import (
    FIELD_PREFIX,
    FILTERS,
    RunTable,
    flags_of,
    in_order,
    levels_of,
    row_classes,
    value_name,
    value_names,
)
from workbench.long_texts import cut
from workbench.metrics import Metric, find_metric, own_metrics
from workbench.prediction import CLASSES


def mark_looks(column: str, names: Sequence[str]) -> dict[str, Style]:
    """Return the look of each name that marks distinguish."""
    if column == "model":
        return model_style(names)
    return {name: style(index) for index, name in enumerate(names)}


def page_looks(column: str, names: Sequence[str]) -> list[dict[str, str | bool]]:
    """Return the looks of `mark_looks` for the page, in the order of the names."""
    looks = mark_looks(column, names)
    return [
        {
            "colour": to_hex(looks[name].colour),
            "marker": looks[name].marker,
            "filled": looks[name].face == looks[name].colour,
        }
        for name in names
    ]


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

_LABELS: Final = {"position_id": "position", "reply_class": "class"}


def shown_columns(table: RunTable) -> list[str]:
    """Return the columns that are shown unless others are named.

    They are the metrics that are measured at the run's depth, the share of elements that are right,
    the metrics of other packages, and what a row is; those of `WHERE_SEVERAL` where there are several.
    """
    several = [name for name in WHERE_SEVERAL if table.rows[name].nunique(dropna=False) > 1]
    return [
        "position_id", "precision", "recall", "edit_distance", *several, "group", "reply_class",
        "disagreement", "f", *further_metrics(table), "remark",
    ]  # fmt: skip


def further_metrics(table: RunTable) -> list[str]:
    """Return the share of elements that are right, and the metrics of other packages, by column."""
    accuracy = environment_of(table.rows).accuracy_column
    names = [accuracy, *(each.at(table.depth).column for each in own_metrics())]
    return [name for name in names if name in table.rows]


def page_columns(table: RunTable, names: Sequence[str] | None = None) -> dict[str, Any]:
    """Return columns of a run for the page.

    Returns:
        ``count``: the number of rows. ``columns``: for each column shown, and after them for each
        that only the plot needs, its ``name``, ``label``, whether it is ``shown``, and either
        ``kind`` "number" with ``digits`` after the point and ``values`` (little-endian float64,
        NaN where undefined), or ``kind`` "text" with ``levels`` and ``codes`` (little-endian
        int32, -1 where missing); a column in `MARKED` has the ``looks`` of its levels.
    """
    names = shown_columns(table) if names is None else names
    unknown = [name for name in names if name not in table.rows.columns]
    if unknown:
        raise InvalidArgumentError(
            f"expected columns of {sorted(map(str, table.rows.columns))}, got {unknown!r}"
        )
    hidden = [name for name in PLOTTED if name not in names]
    columns = [{**_column(table, name), "shown": True} for name in names]
    columns += [{**_column(table, name), "shown": False} for name in hidden]
    return {"count": len(table.rows), "columns": columns}


def column_label(name: str, run: RunTable) -> str:
    """Return how a column is called on the page."""
    metric = column_metric(name, run)
    return _LABELS.get(name, name.replace("_", " ")) if metric is None else metric.heading


def column_metric(name: str, run: RunTable) -> Metric | None:
    """Return the metric of a column of a run, bound to the run's depth; None if it is of none."""
    metric = find_metric(run.distance if name == "edit_distance" else name)
    return metric.at(run.depth) if metric and metric.depth is None else metric


def cell_text(name: str, value: Any, run: RunTable) -> str:
    """Return a value of a column as text, ``none`` where it is undefined."""
    if pd.isna(value):
        return "none"
    if name == "reply_class":
        return class_words(value)
    metric = column_metric(name, run)
    return metric.text(value) if metric and isinstance(value, float) else str(value)


def marked_by(table: RunTable) -> str:
    """Return the column that marks show unless another is chosen: model if there are several."""
    return "model" if table.rows["model"].nunique(dropna=False) > 1 else "group"


def filter_choices(table: RunTable) -> dict[str, list[list[Any]]]:
    """Return what the filters of a run offer, with the number of rows of each."""
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
    heading = {"name": name, "label": column_label(name, table)}
    metric = column_metric(name, table)
    is_boolean = pd.api.types.is_bool_dtype(values)
    if pd.api.types.is_numeric_dtype(values) and not is_boolean and name != "group":
        numbers = np.asarray(values.astype(float), dtype=np.float64)
        return {
            **heading,
            "kind": "number",
            "digits": (0 if _whole(numbers) else 2) if metric is None else metric.digits,
            "values": numbers.astype("<f8").tobytes(),
        }
    return {**heading, "kind": "text", **_levels(values)}


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


_ROWS: Final = 12
_COLUMNS: Final = ("position_id", "model", "reply_class", "edit_distance", "precision", "recall")


def run_still(run: RunTable, answer: Mapping[str, Any] | None, opened: Mapping[str, Any]) -> str:
    """Return the counts of the rows shown, the first of them, and the open row, as HTML."""
    if answer is None:
        return heading("Run browser") + paragraph("The rows were not computed.")
    order = answer["order"]
    classes = ", ".join(
        f"{shown:,} {class_words(name)}"
        for name, (shown, _every) in answer["classes"].items()
        if shown
    )
    parts = [
        heading(f"{len(order):,} of {len(run.rows):,} rows: {classes or 'none'}"),
        *map(paragraph, answer["notes"]),
        listing(
            [column_label(name, run) for name in _COLUMNS],
            [
                [cut(cell_text(name, row[name], run)) for name in _COLUMNS]
                for row in run.rows.iloc[list(order[:_ROWS])].to_dict("records")
            ],
        ),
    ]
    if len(order) > _ROWS:
        parts.append(paragraph(f"The first {_ROWS} of them in the order shown."))
    if opened:
        parts.append(heading(f"Open: {opened['title']}"))
        parts.append(listing(("", ""), opened["facts"]))
    return "".join(parts)
