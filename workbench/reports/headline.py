"""The headline numbers of a run: each model's means, with errors by the variance between games.

Page, exports and models' cards all show these, so that a run has one set of numbers.
"""

from collections.abc import Collection
from typing import Final

import pandas as pd

from workbench.drawing.scores_in_words import counted_by, with_names
from workbench.errors import InvalidArgumentError
from workbench.explore.run.run_table import depths_of
from workbench.metrics import headline_columns, range_of, with_summaries
from workbench.statistics.grouped import grouped_means

KEY: Final = ("task", "set", "model", "setting")
"""The columns that tell one line of results from another."""

COLUMNS: Final = (
    *KEY, "quantity", "mean", "standard_error", "lower", "upper", "n", "games", "effective",
    "undefined", "failed", "unscored",
)  # fmt: skip

_NAMES: Final = {
    "column": "quantity", "value": "mean", "low": "lower", "high": "upper", "count": "n",
}  # fmt: skip


def headline_depth(scores: pd.DataFrame) -> int:
    """Return the largest m for which a scores table has p_m and r_m.

    Raises:
        InvalidArgumentError: If it has none.
    """
    depths = depths_of(scores)
    if not depths:
        raise InvalidArgumentError(
            "expected scores with columns such as 'precision_4' and 'recall_4', got "
            f"{list(scores.columns)}; make them by `workbench score`"
        )
    return depths[-1]


def headline(scores: pd.DataFrame, *, depth: int | None = None) -> pd.DataFrame:
    """Return the means of each model's replies, with standard errors and 95% intervals.

    Positions of one game are not independent: errors and intervals are by the variance between games,
    see `workbench.statistics.intervals`. Failed calls and replies that could not be scored are
    left out of every mean, and counted.

    Args:
        scores: Rows of a scores table. A column ``game``, as `workbench.reports.reported_run` adds
            it, names the games; without it ``game_id`` does.
        depth: m; the largest that the scores have if None.

    Returns:
        One row for each task, set, model, setting and quantity of `quantities_of`; no row for no scores.
        mean, standard_error, lower and upper are NaN where there is nothing to compute them from:
        error and interval for fewer than two games, or games that do not vary, too. n counts the rows
        in the mean, games their games and effective the effective number of these; undefined the
        scored rows without this value; failed and unscored the rows of the model that have no scores.

    Raises:
        InvalidArgumentError: If the scores lack p_m and r_m.
    """
    chosen = headline_depth(scores) if depth is None else depth
    if chosen not in depths_of(scores):
        raise InvalidArgumentError(
            f"depth: expected one of {depths_of(scores)}, which these scores have, got {chosen!r}"
        )
    rows = with_summaries(with_names(scores))
    # An estimator gives p_m alone, so that p_1 may be missing.
    rows = rows.reindex(columns=rows.columns.union(["precision_1"], sort=False))
    tables = [pd.DataFrame(columns=list(COLUMNS))]
    for task, part in rows.groupby("task", sort=True, dropna=False):
        table = grouped_means(
            part,
            quantities_of(str(task), chosen, scores.columns),
            KEY,
            clusters="game" if "game" in part else "game_id",
            within=range_of,
        ).rename(columns=_NAMES)
        table = table.merge(counted_by(part, KEY)[[*KEY, "failed", "unscored"]], on=list(KEY))
        table["undefined"] -= table["failed"] + table["unscored"]
        tables.append(table[list(COLUMNS)])
    return pd.concat(tables[1:] or tables, ignore_index=True)


def quantities_of(task: str, depth: int, present: Collection[str] = ()) -> tuple[str, ...]:
    """Return the columns of a scores table that a task is reported by.

    Args:
        task: Of the column ``task``; one of another package is reported by p_m and r_m.
        depth: m.
        present: Columns of the scores; see `workbench.metrics.headline_columns`.
    """
    if task == "state":
        return headline_columns(depth, present)
    named = {"actions": ("precision_1", "recall_1"), "continuation": (f"precision_{depth}",)}
    return named.get(task, (f"precision_{depth}", f"recall_{depth}"))
