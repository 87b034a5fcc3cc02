"""The columns of a run in the format of the page, and its rows as plain HTML."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, Final, get_args

import numpy as np
import pandas as pd
from matplotlib.colors import to_hex

from workbench.drawing.quantities import PRECISION
from workbench.drawing.reply_words import class_words, field_words, status_words
from workbench.drawing.score_description import environment_of, state_words
from workbench.errors import InvalidArgumentError
from workbench.explore.page.still_chart import Panel, axis_around, still_chart
from workbench.explore.page.still_html import aside, heading, listing, paragraph, picture
from workbench.explore.run.run_table import (
    FIELD_PREFIX,
    FILTERS,
    RunTable,
    flags_of,
    in_order,
    levels_of,
    row_classes,
    short_models,
    short_positions,
    value_name,
    value_names,
)
from workbench.long_texts import cut
from workbench.metrics import Metric, find_metric, own_metrics
from workbench.prediction import CLASSES
from workbench.scoring.parameters import Distance
from workbench.studies.recorded_models import column_looks

WHERE_SEVERAL: Final = ("model", "set", "setting")
PLOTTED: Final = ("position_id", *WHERE_SEVERAL, "group", "reply_class")
"""Columns that the plot and its labels need besides its axes, shown in the table or not."""
MEASURES: Final = ("edit_distance", "precision", "recall", "f")
"""Metrics at the depth and the distance of the run."""
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
        "position_id", "precision", "recall", "edit_distance", *several[:1], "reply_class",
        *several[1:], "group", "disagreement", "f", *further_metrics(table), "remark",
    ]  # fmt: skip


def further_metrics(table: RunTable) -> list[str]:
    """Return the share of elements that are right, and the metrics of other packages, by column."""
    accuracy = environment_of(table.rows).accuracy_column
    names = [accuracy, *(each.at(table.depth).column for each in own_metrics())]
    return [name for name in names if name in table.rows]


def axis_columns(table: RunTable) -> list[str]:
    """Return the columns of all metrics of a run: each can be an axis and have a range."""
    same = {table.distance, *(f"{name}_{table.depth}" for name in MEASURES)}
    others = [name for name in table.rows if name not in same and find_metric(str(name))]
    return list(dict.fromkeys([*MEASURES, *map(str, others)]))


def page_columns(
    table: RunTable,
    names: Sequence[str] | None = None,
    axes: Sequence[str] = ("edit_distance", "precision"),
) -> dict[str, Any]:
    """Return columns of a run for the page.

    Returns:
        ``count``: the number of rows. ``columns``: for each column shown, and after them for each
        that only the plot needs, its ``name``, ``label``, whether it is ``shown``, and either
        ``kind`` "number" with ``digits`` after the point, the ``range`` of its metric (open ends are
        None) and ``values`` (little-endian float64, NaN where undefined), or ``kind`` "text" with
        ``levels`` and ``codes`` (little-endian integers of ``width`` bytes, -1 where missing), and ``short`` names of models and
        positions; a column in `MARKED` has
        the ``looks`` of its levels.
    """
    names = shown_columns(table) if names is None else names
    unknown = [name for name in names if name not in table.rows.columns]
    if unknown:
        raise InvalidArgumentError(
            f"expected columns of {sorted(map(str, table.rows.columns))}, got {unknown!r}"
        )
    hidden = [name for name in dict.fromkeys([*PLOTTED, *axes]) if name not in names]
    columns = [
        {**_column(table, name, number=name in axes), "shown": name in names}
        for name in (*names, *hidden)
    ]
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


def default_mark(table: RunTable) -> str:
    """Return the column that marks show unless another is chosen: model if there are several."""
    return "model" if table.rows["model"].nunique(dropna=False) > 1 else "group"


def filter_choices(table: RunTable) -> dict[str, Any]:
    """Return what the filters of a run offer, with the number of rows of each.

    Besides, the ``distances`` that the run has, and what a state (``noun``) and its text (``written``) are called.
    """
    rows = table.rows
    counts: dict[str, dict[str, int]] = {
        name: Counter(value_names(rows, column)) for name, column in FILTERS.items()
    }
    ordered = {name: in_order(counts[name]) for name in FILTERS}
    counts["classes"] = Counter(row_classes(rows))
    ordered["classes"] = [name for name in (*CLASSES, "unscored") if name in counts["classes"]]
    own = rows[rows["edit_distance"].notna()]
    wrong = {
        name.removeprefix(FIELD_PREFIX): int(own[name].eq(False).sum())
        for name in map(str, own.columns)
        if name.startswith(FIELD_PREFIX)
    }
    counts["wrong_fields"] = {name: count for name, count in wrong.items() if count}
    flags = Counter(flag for status in rows["status"] for flag in sorted(flags_of(status)))
    counts["flags"] = dict(flags.most_common())
    words = {"classes": class_words, "wrong_fields": field_words, "flags": status_words}
    environment = environment_of(rows)
    offered = {
        filtered: [
            [name, int(number[name]), words.get(filtered, str)(name)]
            for name in ordered.get(filtered, number)
        ]
        for filtered, number in counts.items()
    }
    return {
        **offered,
        "distances": [name for name in get_args(Distance) if name in rows],
        "noun": environment.state_noun,
        "written": state_words(environment.name),
    }


def _column(table: RunTable, name: str, *, number: bool) -> dict[str, Any]:
    """Return a column for the page; truth values are texts unless a number is asked for."""
    # Models are told apart from one setting to the next, in cells and by marks.
    values = table.rows["model_setting" if name == "model" else name]
    metric = column_metric(name, table)
    common = {"name": name, "label": column_label(name, table)}
    is_boolean = pd.api.types.is_bool_dtype(values)
    numeric = pd.api.types.is_numeric_dtype(values) and not is_boolean and name != "group"
    if number or numeric:
        numbers = np.asarray(values.astype(float), dtype=np.float64)
        defined = numbers[~np.isnan(numbers)]
        whole = bool((defined == np.floor(defined)).all())
        ends = metric_range(name, table)
        return {
            **common,
            "kind": "number",
            "digits": (0 if whole else 2) if metric is None else metric.digits,
            "range": [float(end) if np.isfinite(end) else None for end in ends],
            "values": numbers.astype("<f8").tobytes(),
        }
    coded = pd.Categorical(values, categories=levels_of(values))
    levels = [
        value_name(name, level) if name in FILTERS.values() else str(level)
        for level in coded.categories
    ]
    # A model has its own look in its default setting.
    bare = [level.removesuffix(", default") for level in levels] if name == "model" else levels
    looks = column_looks(name, bare) if name in MARKED else {}
    short = {"model": short_models, "position_id": short_positions}.get(name)
    codes = coded.codes.astype(f"<i{coded.codes.itemsize}")
    return {
        **common,
        "kind": "text",
        "levels": list(map(class_words, levels)) if name == "reply_class" else levels,
        **({"short": list(short(levels).values())} if short else {}),
        "looks": [
            {
                "colour": to_hex(look.colour),
                "marker": look.marker,
                "filled": look.face == look.colour,
            }
            for look in (looks[level] for level in (bare if looks else ()))
        ],
        "width": codes.itemsize,
        "codes": codes.tobytes(),
    }


_CHART_COLOUR: Final = PRECISION.colour
_ROWS: Final = 12
_COLUMNS: Final = ("position_id", "model", "reply_class", "edit_distance", "precision", "recall")


def run_chart(run: RunTable, order: Sequence[int], axes: tuple[str, str]) -> str:
    """Return the scatter plot of rows by two metrics as SVG."""
    rows = run.rows.iloc[list(order)]
    columns = [rows[name].to_numpy(float, na_value=np.nan) for name in axes]
    horizontal, vertical = (
        axis_around(column_label(name, run), run.rows[name].astype(float), metric_range(name, run))
        for name in axes
    )
    points = list(zip(*(column.tolist() for column in columns), strict=True))
    name = f"{vertical.name} by {horizontal.name} of {len(rows):,} rows"
    panel = Panel(vertical, points, _CHART_COLOUR)
    return still_chart(name, [panel], horizontal, width=560, height=260)


def metric_range(name: str, run: RunTable) -> tuple[float, float]:
    """Return the smallest and the largest value that a column may have; infinite where it has no end."""
    metric = column_metric(name, run)
    return (-np.inf, np.inf) if metric is None else metric.range


def _text(value: float | None, form: str) -> str:
    return "none" if value is None else format(value, form)


def run_still(
    run: RunTable,
    answer: Mapping[str, Any] | None,
    models: Mapping[str, Any] | None,
    opened: Mapping[str, Any],
    axes: tuple[str, str],
) -> str:
    """Return the counts of the rows shown, the models, the scatter plot, the first rows, and the open one as HTML."""
    if answer is None or models is None:
        return heading("Run browser") + paragraph("The rows were not computed.")
    order = answer["order"]
    classes = [
        f"{visible:,} {class_words(name)}"
        for name, (visible, _) in answer["classes"].items()
        if visible
    ]
    first = run.rows.iloc[list(order[:_ROWS])].to_dict("records")
    parts = [
        heading(f"{len(order):,} of {len(run.rows):,} rows: {', '.join(classes) or 'none'}"),
        *map(paragraph, answer["notes"]),
        listing(
            ["model", f"mean p_{run.depth}", "95%", "readable", "replies"],
            [
                [
                    cut(row["name"]),
                    _text(row["mean"], ".3f"),
                    f"{_text(row['low'], '.3f')} to {_text(row['high'], '.3f')}",
                    _text(row["readable"], ".0%"),
                    f"{row['replies']:,}",
                ]
                for row in sorted(models["rows"], key=lambda row: -(row["mean"] or 0.0))
            ],
        ),
        aside(picture(run_chart(run, order, axes), "Scatter plot of the rows", 560)),
        listing(
            [column_label(name, run) for name in _COLUMNS],
            [[cut(cell_text(name, row[name], run)) for name in _COLUMNS] for row in first],
        ),
    ]
    if len(order) > _ROWS:
        parts.append(paragraph(f"The first {_ROWS} of them in the order shown."))
    if opened:
        parts += [heading(f"Open: {opened['title']}"), listing(("", ""), opened["facts"])]
    return "".join(parts)
