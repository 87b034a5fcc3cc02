"""A bounded sample of a run for pages without Python: its rows, their boards and texts, and the models of all rows."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from workbench.answers.imports.true_states import UNKNOWN_GROUP
from workbench.drawing.reply_words import class_words
from workbench.explore.page.assets import piece_drawings, script, stylesheet
from workbench.explore.page.widget_base import as_plain
from workbench.explore.pair.pair_html import json_in_page
from workbench.explore.run.model_rows import NAME, model_rows
from workbench.explore.run.run_columns import filter_choices, further_metrics, page_columns
from workbench.explore.run.run_table import (
    FIELD_PREFIX,
    FILTERS,
    GAP,
    ReplyTexts,
    RunTable,
    flags_of,
    in_order,
    row_classes,
    value_names,
)
from workbench.explore.run.same_position import reply_name
from workbench.long_texts import LONGEST_FEN, cut
from workbench.prediction import CLASSES, READABLE

MOST_ROWS: Final = 2_000
"""Rows of a sample; a smaller run is there whole."""
LONGEST_REPLY: Final = 300
"""Characters of a reply in a sample."""
_SEED: Final = 0


def sample_numbers(
    run: RunTable, most: int = MOST_ROWS, opened: int | None = None
) -> NDArray[np.int64]:
    """Return the numbers of sampled rows, ascending: each model and setting has its share, at least one row.

    Args:
        run: The run.
        most: Rows, if the run has more.
        opened: A row that is among them; None for no such row.
    """
    names = run.rows[NAME]
    shuffled = names.sample(frac=1, random_state=_SEED)
    place = shuffled.groupby(shuffled).cumcount()
    share = place / shuffled.groupby(shuffled).transform("size")
    if opened is not None:
        share[opened] = -1
    first = share.sort_values(kind="stable").index[:most]
    return np.sort(first.to_numpy(dtype=np.int64))


def run_sample(
    run: RunTable, columns: Sequence[str] | None, axes: Sequence[str], opened: int | None = None
) -> dict[str, Any]:
    """Return what a page without Python knows of a run, as JSON holds it.

    Args:
        run: The run.
        columns: Columns of the table, as of `page_columns`.
        axes: Columns of metrics on the axes of the scatter plot and with a range.
        opened: A row that is in the sample.

    Returns:
        ``numbers``: of the sampled rows in the run. ``all``: rows of the run. ``data`` and
        ``choices``: as the traits of the table, of the sample, with numbers in place of bytes. ``facets``: what filters,
        means and open rows need besides. ``models``: `model_rows` of all rows.
    """
    numbers = sample_numbers(run, opened=opened)
    rows = run.rows.iloc[numbers].reset_index(drop=True)
    texts = run.replies.of(numbers.tolist())
    part = RunTable(rows, run.depth, run.distance, ReplyTexts(texts, rows["predicted_state"]))
    data = page_columns(part, columns, tuple(axes))
    offered = filter_choices(part)
    flags = rows["status"].map(flags_of)
    everything = np.arange(len(run.rows))
    facts = ["group", "reply_class", "edit_distance", "precision", "recall", "f"]
    return {
        "numbers": numbers.tolist(),
        "all": len(run.rows),
        "data": {**data, "columns": [_plain_column(each) for each in data["columns"]]},
        "choices": {
            "depths": [run.depth],
            "axes": [
                [each["name"], each["label"]] for each in data["columns"] if each["name"] in axes
            ],
            **offered,
        },
        "facets": {
            **{name: _coded(value_names(rows, column)) for name, column in FILTERS.items()},
            "class": _coded(row_classes(rows), (*CLASSES, "unscored")),
            "classes_in_words": [class_words(name) for name in (*CLASSES, "unscored")],
            "readable": [str(name) for name in READABLE],
            "wrong_fields": _masks(
                {
                    name: rows[f"{FIELD_PREFIX}{name}"].eq(False)
                    for name, *_ in offered["wrong_fields"]
                },
                len(rows),
            ),
            "flags": _masks(
                {
                    name: flags.map(lambda own, name=name: name in own)
                    for name, *_ in offered["flags"]
                },
                len(rows),
            ),
            "game": _coded(
                rows["game_id"].astype(object).where(rows["game_id"].notna(), "").astype(str)
            ),
            "cluster": _coded(rows["cluster"].astype(str)),
            "name": _coded(
                pd.Series([reply_name(rows.iloc[place]) for place in range(len(rows))], dtype=str)
            ),
            "true": _coded(_state_texts(rows["true_state"], offered["written"])),
            "predicted": _coded(_state_texts(rows["predicted_state"], offered["written"])),
            "remark": _coded(rows["remark"]),
            "texts": [
                None if text is None else [len(text), text[:LONGEST_REPLY]] for text in texts
            ],
            "facts": [*facts, *further_metrics(part)],
            "gap": GAP,
            "unknown_group": str(UNKNOWN_GROUP),
        },
        "models": as_plain(model_rows(run, everything, everything)),
    }


def _plain_column(column: dict[str, Any]) -> dict[str, Any]:
    if column["kind"] == "number":
        return {**column, "values": as_plain(np.frombuffer(column["values"], "<f8"))}
    return {**column, "codes": np.frombuffer(column["codes"], f"<i{column['width']}").tolist()}


def _state_texts(column: "pd.Series[Any]", written: str) -> "pd.Series[str]":
    longest = LONGEST_FEN if written == "FEN" else LONGEST_REPLY
    texts = [cut(text, longest) if isinstance(text, str) else "" for text in column]
    return pd.Series(texts, dtype=str)


def _coded(column: "pd.Series[Any]", levels: Sequence[str] | None = None) -> dict[str, Any]:
    coded = pd.Categorical(
        column, categories=pd.Index(levels or in_order(column.dropna().unique()))
    )
    return {"levels": list(map(str, coded.categories)), "codes": coded.codes.tolist()}


def _masks(levels: Mapping[str, "pd.Series[bool]"], count: int) -> dict[str, Any]:
    """Return for each row a number whose bits say which levels it has."""
    masks = np.zeros(count, dtype=np.int64)
    for place, has in enumerate(levels.values()):
        masks |= has.to_numpy(dtype=bool).astype(np.int64) << place
    return {"levels": list(levels), "masks": masks.tolist()}


def live_runs() -> str:
    """Return a script that has the last answers of RunBrowser on its page become live, however many there are."""
    content = {
        "pieces": piece_drawings(),
        "style": stylesheet("board/board.css", "run/run_browser.css"),
    }
    view = script("static_page/live_runs.js", "openLiveRuns")
    # A page of others may have the same names.
    return f"{{\n{view}openLiveRuns({json_in_page(content)});\n}}\n"
