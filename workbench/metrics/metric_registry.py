"""All metrics by name: those of the workbench, and those that other packages register.

A class or object registered under the entry-point group ``workbench.metrics`` is a metric like any
other: scores have its column, and widgets, reports, exports and ``workbench check`` show it.
"""

import sys
from collections.abc import Callable, Collection, Mapping
from functools import lru_cache
from importlib.metadata import entry_points
from inspect import getsource
from typing import Any, Final

import pandas as pd

from workbench.depth_summaries import ERROR, Values, stale_summaries
from workbench.environments.registry import DEFAULT, AnyEnvironment, environment_named
from workbench.errors import InvalidArgumentError, WorkbenchError
from workbench.metrics.metric import AFFORDANCES, MEANS, Metric, Pair, StandardError
from workbench.metrics.texts import Accuracy, EditKernel, text_metrics
from workbench.prediction import ParsedState
from workbench.tables.parquet_tables import PREDICTIONS
from workbench.tables.provenance import is_of_workbench, text_hash

GROUP: Final = "workbench.metrics"


def metrics(
    environment: AnyEnvironment | str | None = None, depth: int | None = None
) -> dict[str, Metric]:
    """Return the metrics of an environment.

    Args:
        environment: Or its name; without one, the metrics of chess and of all other environments.
        depth: m of the metrics that have a depth.

    Returns:
        By column, such as ``precision_1`` to ``precision_4``; without a depth by name, such as
        ``precision``. Those of the workbench come first.

    Raises:
        InvalidArgumentError: If a metric of another package is none, or has the name of another.
    """
    named = environment_named(environment) if isinstance(environment, str) else environment
    return {
        each.column: each for each in _all_metrics(named, depth, True, tuple(own_metrics(named)))
    }


def score_metrics(environment: AnyEnvironment, depth: int, *, exact: bool = True) -> list[Metric]:
    """Return the metrics whose columns a scores table has, in their order.

    An estimator gives values at depth m alone, and their standard errors.
    """
    of_workbench = _all_metrics(environment, depth, exact, tuple(own_metrics(environment)))
    return [each for each in of_workbench if each.scored]


def metric_of(column: str, environment: AnyEnvironment | str | None = None) -> Metric:
    """Return the metric of a column of a scores table, bound to the column's depth.

    Args:
        column: Such as ``precision_4``, ``f_2``, ``precision_mean`` or ``levenshtein``.
        environment: Or its name; without one, metrics of chess and of all other environments.

    Raises:
        InvalidArgumentError: If it is the column of no metric.
    """
    metric = find_metric(column, environment)
    if metric is None:
        names = ", ".join(metrics(environment))
        raise InvalidArgumentError(
            f"expected the column of a metric, got {column!r:.80}; metrics are {names}, those of a "
            "depth with their depth, such as precision_4"
        )
    return metric


def find_metric(column: str, environment: AnyEnvironment | str | None = None) -> Metric | None:
    """Return the metric of a column as `metric_of` does, and None for another column."""
    by_name = metrics(environment)
    if column in by_name:
        return by_name[column]
    stem = column.removesuffix(ERROR)
    name, _, depth = stem.rpartition("_")
    metric = by_name.get(name)
    if metric is None or not metric.by_depth or not depth.isdigit():
        return None
    bound = metric.at(int(depth))
    if stem == column:
        return bound
    return StandardError(bound) if metric.estimated else None


def headline_columns(depth: int, present: Collection[str]) -> tuple[str, ...]:
    """Return the columns whose means reports and exports give for the task ``state``, in order.

    Those of the metrics of other packages are given if they are ``present``: the scores may have been
    made without them.
    """
    columns = [each.at(depth).column for each in metrics().values() if each.headline]
    own = {each.at(depth).column for each in own_metrics()} - set(present)
    return tuple(name for name in columns if name not in own)


def range_of(column: str) -> tuple[float, float]:
    """Return the range of a metric's column, or of a column named after one: ``levenshtein_readable``.

    The range of any other column is that of a share.
    """
    parts = column.split("_")
    for end in range(len(parts), 0, -1):
        if metric := find_metric("_".join(parts[:end])):
            return metric.range
    return (0.0, 1.0)


def own_metrics(environment: AnyEnvironment | None = None) -> list[Metric]:
    """Return the metrics that other packages register, those of one environment if it is given."""
    return [each for each in _own() if environment is None or each.applies(environment)]


def own_code(environment: AnyEnvironment) -> dict[str, str]:
    """Return the hash of the source of each module that defines a metric of another package."""
    modules = {type(each).__module__ for each in own_metrics(environment)}
    return {
        name: text_hash(getsource(sys.modules[name]))
        for name in sorted(modules)
        if not is_of_workbench(name)
    }


def pair_values(
    environment: AnyEnvironment, true: ParsedState, predicted: ParsedState
) -> dict[str, Any]:
    """Return the metrics of two states that need no walk, by column.

    The true state is readable. A value is NaN where a metric is undefined, None for a metric of states
    where the predicted one cannot be read.
    """
    pair = Pair(environment, true, predicted)
    values: dict[str, Any] = {}
    column = ""
    try:
        for column, needs_state, value in _pair_metrics(environment, _own()):
            values[column] = None if needs_state and predicted.fault else value(pair)
    except WorkbenchError:
        raise
    except Exception as error:
        raise InvalidArgumentError(
            f"metric {column!r}: failed on the true state {true.text!r:.120} and the predicted state "
            f"{predicted.text!r:.120}: {error!r:.200}"
        ) from error
    return values


def column_values(metric: Metric, columns: Mapping[str, Values]) -> Values:
    """Return the values of a metric of columns; an error names the metric."""
    try:
        return metric.values(columns)
    except Exception as error:
        raise InvalidArgumentError(
            f"metric {metric.name!r}: failed on the columns {list(columns)}: {error!r:.200}"
        ) from error


def with_summaries(scores: pd.DataFrame) -> pd.DataFrame:
    """Return scores with F_m and the means over m, which tables made before lack; what is there stays."""
    present = [str(name) for name in scores]
    depths = [name.removeprefix("precision") for name in present if name.startswith("precision_")]
    names = [*(f"f{depth}" for depth in depths), *(each.name for each in MEANS)]
    columns = {
        name: scores[name].to_numpy(float)
        for name in present
        if name.startswith(("precision_", "recall_")) and not name.endswith("_mean")
    }
    missing = [name for name in stale_summaries([*present, *names], present) if name not in present]
    return scores.assign(**{name: metric_of(name).values(columns) for name in missing})


@lru_cache(maxsize=64)
def _pair_metrics(
    environment: AnyEnvironment, own: tuple[Metric, ...]
) -> list[tuple[str, bool, Callable[[Pair], Any]]]:
    """Return column, whether a state is needed, and the function of each metric of a pair."""
    applied = tuple(each for each in own if each.applies(environment))
    return [
        (each.column, each.needs == "states", each.value)
        for each in _all_metrics(environment, 1, True, applied)
        if each.needs in ("texts", "states") and each.scored
    ]


@lru_cache(maxsize=64)
def _all_metrics(
    environment: AnyEnvironment | None, depth: int | None, exact: bool, own: tuple[Metric, ...]
) -> tuple[Metric, ...]:
    """Return the metrics of an environment in the order of the columns, bound to depths."""
    texts = [*text_metrics(environment or environment_named(DEFAULT)), EditKernel()]
    if environment is None:
        texts.append(Accuracy())
    known_metrics: list[Metric] = []
    for each in [*AFFORDANCES, *MEANS, *texts, *own]:
        if not exact and each.needs == "columns" and not each.estimated:
            continue
        depths = [depth] if depth is None or not (exact and each.by_depth) else range(1, depth + 1)
        bound = [each.at(m) for m in depths]
        errors = [StandardError(one) for one in bound if not exact and each.estimated]
        known_metrics += [*bound, *errors]
    return tuple(known_metrics)


@lru_cache(maxsize=1)
def _own() -> tuple[Metric, ...]:
    columns = {*PREDICTIONS.names, *(each.name for each in _all_metrics(None, None, True, ()))}
    own: list[Metric] = []
    for entry in sorted(entry_points(group=GROUP), key=lambda each: each.name):
        loaded = entry.load()
        metric = loaded() if isinstance(loaded, type) else loaded
        if not isinstance(metric, Metric):
            raise InvalidArgumentError(
                f"{GROUP}: expected the entry point {entry.name!r} to name a Metric, got {loaded!r:.80}"
            )
        lacking = [name for name in ("name", "title", "sentence") if not getattr(metric, name, "")]
        if lacking:
            raise InvalidArgumentError(
                f"{GROUP}: expected the metric {entry.name!r} with {', '.join(lacking)}, got none"
            )
        if metric.name in columns:
            raise InvalidArgumentError(
                f"{GROUP}: expected a name of its own for the metric {entry.name!r}, got "
                f"{metric.name!r}, which another metric has"
            )
        columns.add(metric.name)
        own.append(metric)
    return tuple(own)
