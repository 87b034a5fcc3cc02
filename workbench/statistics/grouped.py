"""Means, differences and tau of each group of a table's rows, with intervals over clusters.

Every function returns a tidy table: one row for each group and column. The intervals are those of
`workbench.statistics.intervals`. Undefined values (NaN) enter no statistic and are counted.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import astuple
from typing import Any, Final

import numpy as np
import pandas as pd

from workbench.errors import InvalidArgumentError
from workbench.statistics.intervals import (
    Interval,
    clustered_mean_interval,
    clustered_tau_interval,
    difference_interval,
    share_of_ties,
)

Range = tuple[float, float]
Ranges = Range | Callable[[str], Range | None] | None
"""The range of the values of all columns, or a function from a column's name to its range."""

STATISTICS: Final = ("value", "low", "high", "count", "games", "effective", "standard_error")
"""The columns of an interval: those of `Interval`, whose clusters are called games."""

_CLUSTER: Final = "_cluster"


def groups(
    rows: pd.DataFrame, by: str | Sequence[str], *, total: str | None = None
) -> Iterator[tuple[dict[str, Any], pd.DataFrame]]:
    """Yield the rows of each group, in order, with the values of the columns that define it.

    Args:
        rows: Any table.
        by: Columns that define the groups; none for one group of all rows. Rows without a value are a
            group of their own.
        total: The last column's value in one more group, of all its values together, which follows
            them. The column's values become text, and rows without a value are in the total alone.
    """
    names = _names(by)
    _check_columns(rows, names)
    if total is not None:
        *outer, last = names
        for key, part in groups(rows, outer):
            for value, inner in part.groupby(last, observed=True):
                yield {**key, last: str(value)}, inner
            yield {**key, last: total}, part
    elif not names:
        yield {}, rows
    else:
        for values, part in rows.groupby(names, dropna=False, observed=True):
            yield dict(zip(names, values, strict=True)), part


def grouped_sums(
    rows: pd.DataFrame,
    columns: str | Sequence[str],
    by: str | Sequence[str] = (),
    *,
    total: str | None = None,
) -> pd.DataFrame:
    """Return the sum of each column in each group, a row for each group; ``by`` and total as of `groups`."""
    names = _names(columns)
    sums = [{**key, **part[names].sum()} for key, part in groups(rows, by, total=total)]
    return _table(sums, by, names)


def grouped_means(
    rows: pd.DataFrame,
    columns: str | Sequence[str],
    by: str | Sequence[str] = (),
    *,
    clusters: str | None = "game",
    within: Ranges = None,
    level: float = 0.95,
    total: str | None = None,
) -> pd.DataFrame:
    """Return the mean of each column in each group, with its interval.

    Args:
        rows: With the columns below.
        columns: Columns of numbers or truth values. Undefined ones (NaN) are left out, and counted.
        by: Columns that define the groups, as of `groups`; none for all rows together.
        clusters: The column that names each row's cluster; None if each row is one.
        within: The range of the values, so that intervals stay inside: one range for all columns, or
            a function from a column's name to its range, such as ``range_of``; None for no bound.
        level: Coverage of the intervals, in (0, 1).
        total: As of `groups`.

    Returns:
        One row for each group and column: ``by``, column, value (the mean), low, high, count (defined values),
        games (their clusters), effective (the effective number of clusters), standard_error and
        undefined (rows of the group without a value). A mean of no values is NaN.

    Example:
        >>> rows = pd.DataFrame({"model": ["a"] * 4, "game": [1, 1, 2, 2], "p": [1, 1, 0, 1]})
        >>> grouped_means(rows, "p", "model")[["model", "column", "value", "count", "games"]]
          model column  value  count  games
        0     a      p   0.75      4      2
    """
    names = _names(columns)
    whole = _with_numbers(rows, names, clusters)
    table = []
    for key, part in groups(whole, by, total=total):
        for name in names:
            defined = part[part[name].notna()]
            interval = clustered_mean_interval(
                defined[name], defined[_CLUSTER], within=_range(within, name), level=level
            )
            row = {**key, "column": name, **_statistics(interval)}
            table.append({**row, "undefined": len(part) - len(defined)})
    return _table(table, by, ("column", *STATISTICS, "undefined"))


def grouped_tau(
    rows: pd.DataFrame,
    column: str,
    other: str,
    by: str | Sequence[str] = (),
    *,
    total: str | None = None,
) -> pd.DataFrame:
    """Return Kendall's tau-b of two columns in each group, with its interval.

    Args:
        rows: As of `grouped_means`, as are the others.
        column: A column of numbers.
        other: Another one. Rows in which either is undefined are left out, and counted.
        by: Columns that define the groups.
        total: As of `groups`.

    Returns:
        As of `grouped_means`, one row for each group: ``by``, value (tau-b), its statistics,
        undefined, ties and ties_other (the shares of pairs of rows tied in each column).
    """
    whole = _with_numbers(rows, [column, other], "game")
    table = []
    for key, part in groups(whole, by, total=total):
        defined = part.dropna(subset=[column, other])
        values, others = (defined[name].to_numpy() for name in (column, other))
        interval = clustered_tau_interval(values, others, defined[_CLUSTER])
        ties = {"ties": share_of_ties(values), "ties_other": share_of_ties(others)}
        row = {**key, **_statistics(interval), "undefined": len(part) - len(defined)}
        table.append(row | ties)
    return _table(table, by, (*STATISTICS, "undefined", "ties", "ties_other"))


def grouped_differences(
    rows: pd.DataFrame,
    columns: str | Sequence[str],
    by: str | Sequence[str] = (),
    *,
    between: str,
    reference: Any,
    unit: str | None = None,
    within: Ranges = None,
    total: str | None = None,
) -> pd.DataFrame:
    """Return how far each column's mean differs from that of a reference, in each group.

    Args:
        rows: As of `grouped_means`, as are the others.
        columns: Columns of numbers or truth values.
        by: Columns that define the groups.
        between: The column whose values are compared.
        reference: Its value that is subtracted from each of the others.
        unit: The column, such as ``position_id``, by whose values rows are paired: the difference is
            that of the means of each unit that both have. None for the difference of the means of all
            rows, which must have no cluster in common; see `difference_interval`.
        within: The range of the *differences*.
        total: As of `groups`.

    Returns:
        As of `grouped_means`: one row for each group, value of ``between`` other than the reference,
        and column. A paired count is that of the units, undefined that of the units that only the
        compared rows have; an unpaired count is that of the rows of both.
    """
    names = _names(columns)
    whole = _with_numbers(rows, names, "game")
    _check_columns(whole, [between, *([] if unit is None else [unit])])
    table = []
    for key, part in groups(whole, by, total=total):
        of_reference = part[part[between] == reference]
        for value, compared in part[part[between] != reference].groupby(between, observed=True):
            for name in names:
                one, other = (each.dropna(subset=[name]) for each in (compared, of_reference))
                bounds = _range(within, name)
                if unit is None:
                    means = [
                        clustered_mean_interval(each[name], each[_CLUSTER]) for each in (one, other)
                    ]
                    interval = difference_interval(*means, within=bounds)
                    left = len(compared) + len(of_reference) - interval.count
                else:
                    difference, games = _paired(one, other, name, unit)
                    interval = clustered_mean_interval(difference, games, within=bounds)
                    left = compared[unit].nunique() - interval.count
                row = {**key, between: value, "column": name, **_statistics(interval)}
                table.append({**row, "undefined": left})
    return _table(table, [*_names(by), between], ("column", *STATISTICS, "undefined"))


def spread(
    table: pd.DataFrame, by: str | Sequence[str], *, counted: str | None = None
) -> pd.DataFrame:
    """Return a tidy table of groups and columns as one row for each group.

    Returns:
        The groups in their order, with count, games and effective if asked for, and for each column
        its value under its name, NAME_low and NAME_high.
    """
    names = _names(by)
    parts = [
        part.set_index(names)[["value", "low", "high"]].set_axis(
            [str(column), f"{column}_low", f"{column}_high"], axis=1
        )
        for column, part in table.groupby("column", sort=False)
    ]
    if counted is not None:
        of_column = table[table["column"] == counted].set_index(names)
        parts.insert(0, of_column[["count", "games", "effective"]])
    return pd.concat(parts, axis=1).reset_index() if parts else table[names]


def _names(columns: str | Sequence[str]) -> list[str]:
    return [columns] if isinstance(columns, str) else list(columns)


def _with_numbers(rows: pd.DataFrame, columns: Sequence[str], clusters: str | None) -> pd.DataFrame:
    """Return the rows with these columns as floats, and the column of their clusters."""
    _check_columns(rows, [*columns, *([] if clusters is None else [clusters])])
    numbers = {}
    for name in columns:
        try:
            numbers[name] = rows[name].to_numpy(float, na_value=np.nan)
        except (TypeError, ValueError) as error:
            raise InvalidArgumentError(f"column {name!r}: expected numbers, {error}") from None
    games = range(len(rows)) if clusters is None else rows[clusters]
    if clusters is not None and rows[clusters].isna().any():
        raise InvalidArgumentError(
            f"column {clusters!r}: expected a value in each row, got none in "
            f"{int(rows[clusters].isna().sum())} of {len(rows)}; name another column of clusters"
        )
    return rows.assign(**numbers, **{_CLUSTER: games})


def _check_columns(rows: pd.DataFrame, names: Sequence[str]) -> None:
    if missing := [name for name in names if name not in rows]:
        raise InvalidArgumentError(f"expected columns {missing}, got {list(rows.columns)}")


def _range(within: Ranges, name: str) -> Range | None:
    ends = within(name) if callable(within) else within
    # What has no least value is on no logit scale.
    return None if ends is None or ends[0] == -math.inf else ends


def _paired(
    one: pd.DataFrame, other: pd.DataFrame, name: str, unit: str
) -> tuple["pd.Series[float]", "pd.Series[Any]"]:
    """Return the differences of the units that both have, and the units' clusters."""
    values = [each.groupby(unit, sort=False)[name].mean() for each in (one, other)]
    pairs = pd.concat(values, axis=1, join="inner", keys=["one", "other"])
    games = one.drop_duplicates(unit).set_index(unit)[_CLUSTER]
    return pairs["one"] - pairs["other"], games.loc[pairs.index]


def _statistics(interval: Interval) -> dict[str, float]:
    return dict(zip(STATISTICS, astuple(interval), strict=True))


def _table(
    rows: list[dict[str, Any]], by: str | Sequence[str], columns: Sequence[str]
) -> pd.DataFrame:
    return pd.DataFrame(rows, columns=[*_names(by), *columns])
