"""Predictions to scores: state precision, recall and text metrics, one row per prediction."""

from collections.abc import Mapping, Sequence
from typing import Any, get_args

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from workbench.affordance import estimate, exact_profile
from workbench.affordance.estimate import Measure, batch_seeds, in_order, mean_and_error
from workbench.automaton import Automaton, CompiledTwin
from workbench.depth_summaries import Values
from workbench.environments.registry import AnyEnvironment, environment_of
from workbench.errors import IllegalMoveError, WorkbenchError
from workbench.metrics import column_values, pair_values
from workbench.prediction import ACTION_SEPARATOR, READABLE, ParsedState, ReplyClass
from workbench.scoring.parameters import READ, IllFormedPolicy, ScoringParameters, scores_schema
from workbench.seeds import derived_seed
from workbench.tables.parquet_tables import REPLY_KEY, UNNAMED, as_arrow, as_frame, as_records
from workbench.tasks import task_named, task_names


def affordance_scores(
    automaton: Automaton[Any, Any],
    true: Sequence[Any],
    predicted: Sequence[Any],
    parameters: ScoringParameters,
    seeds: Sequence[int],
    *,
    workers: int | None = 1,
) -> list[list[float]]:
    """Return precision and recall of pairs of states."""
    values = [[0.0] * len(parameters.measures()) for _ in true]
    rest = [index for index, other in enumerate(predicted) if other is not None]
    twin = automaton.compiled_twin() if parameters.engine == "compiled" else None
    if twin is not None and rest and parameters.method in {"exact", *twin.methods}:
        rows, others = (
            twin.packed([states[index] for index in rest]) for states in (true, predicted)
        )
        fits = twin.supported(rows) & twin.supported(others)
        indices = [index for index, take in zip(rest, fits, strict=True) if take]
        run_seeds = [seeds[index] for index in indices]
        compiled = _compiled(twin, rows[fits], others[fits], parameters, run_seeds, workers)
        for index, row in zip(indices, compiled, strict=True):
            values[index] = row
        rest = [index for index, take in zip(rest, fits, strict=True) if not take]
    for index in rest:
        values[index] = _reference(
            automaton, true[index], predicted[index], parameters, seeds[index]
        )
    return values


def _compiled(
    twin: CompiledTwin[Any],
    true: Any,
    predicted: Any,
    parameters: ScoringParameters,
    seeds: list[int],
    workers: int | None,
) -> list[list[float]]:
    depth, terminal = parameters.depth, parameters.terminal
    if parameters.method == "exact":
        values = twin.profiles(true, predicted, depth, terminal, workers=workers)
        rows: list[list[float]] = np.hstack(values[:2]).tolist()
        return rows
    columns: list[list[float]] = []
    batches = parameters.batches
    for measure in get_args(Measure):
        run_seeds = [
            run for seed in seeds for run in batch_seeds(derived_seed(seed, measure), batches)
        ]
        one, other = (
            np.repeat(rows, batches, axis=0) for rows in in_order(true, predicted, measure)
        )
        runs, _ = twin.estimates(
            one,
            other,
            depth,
            method=parameters.method,
            samples=parameters.samples,
            seeds=run_seeds,
            terminal=terminal,
            workers=1,
        )
        pairs = [
            mean_and_error(values.tolist(), parameters.method, parameters.samples)
            for values in runs.reshape(-1, batches)
        ]
        columns += [[value for value, _ in pairs], [error for _, error in pairs]]
    return [list(values) for values in zip(*columns, strict=True)]


def _reference(
    automaton: Automaton[Any, Any],
    true: Any,
    predicted: Any,
    parameters: ScoringParameters,
    seed: int,
) -> list[float]:
    depth, terminal = parameters.depth, parameters.terminal
    if parameters.method == "exact":
        if true == predicted and terminal == "absorb":
            return [1.0] * (2 * depth)
        profile = exact_profile(
            true, predicted, depth, automaton=automaton, terminal=terminal, engine="reference"
        )
        return [*profile.precision, *profile.recall]
    values = []
    for measure in get_args(Measure):
        result = estimate(
            true,
            predicted,
            depth,
            automaton=automaton,
            measure=measure,
            method=parameters.method,
            samples=parameters.samples,
            batches=parameters.batches,
            seed=derived_seed(seed, measure),
            terminal=terminal,
            engine="reference",
        )
        values += [result.value, result.standard_error]
    return values


def is_state(reply_class: str, ill_formed: IllFormedPolicy) -> bool:
    """Return whether a reply of this class is measured as it is; otherwise it is the sink."""
    return reply_class == "valid" or (reply_class == "ill_formed" and ill_formed == "as_is")


def states_of(
    environment: AnyEnvironment, row: Mapping[str, Any]
) -> tuple[ParsedState, ParsedState]:
    """Return the true and the predicted state of a row; None, as a cell, is no text."""
    return environment.parse_true(row["true_state"]), environment.parse(row["predicted_state"])


def row_measures(
    environment: AnyEnvironment,
    rows: Sequence[Mapping[str, Any]],
    states: Sequence[tuple[ParsedState, ParsedState]],
    parameters: ScoringParameters,
) -> list[list[float]]:
    """Return precision and recall of rows of one environment whose true state can be read.

    The values of each row are in the order of `ScoringParameters.measures`.
    """
    indices = [n for n, row in enumerate(rows) if task_named(row["task"]).gives_state]
    policy = parameters.ill_formed
    scores = affordance_scores(
        environment.automaton,
        [states[n][0].state for n in indices],
        [states[n][1].state if is_state(rows[n]["reply_class"], policy) else None for n in indices],
        parameters,
        [derived_seed(parameters.seed, *_identity(rows[n]), "score") for n in indices],
    )
    of_states = dict(zip(indices, scores, strict=True))
    return [
        of_states[n] if n in of_states else action_measures(environment, row, true, parameters)
        for n, (row, (true, _)) in enumerate(zip(rows, states, strict=True))
    ]


def _identity(row: Mapping[str, Any]) -> list[Any]:
    return [row[name] for name in REPLY_KEY if name not in UNNAMED or row[name] != UNNAMED[name]]


def action_measures(
    environment: AnyEnvironment,
    row: Mapping[str, Any],
    true: ParsedState,
    parameters: ScoringParameters,
) -> list[float]:
    """Return the measures of a reply that gives actions, which are exact whatever the method."""
    has_actions = is_state(row["reply_class"], parameters.ill_formed)
    text = row["predicted_actions"] or ""
    actions = [each for each in text.split(ACTION_SEPARATOR) if each] if has_actions else None
    precision, recall = task_named(row["task"]).measures(
        environment, true.state, actions, parameters.depth, parameters.terminal
    )
    if parameters.method == "exact":
        return [*precision, *recall]
    return [precision[-1], 0.0 * precision[-1], recall[-1], 0.0 * recall[-1]]


def score_predictions(predictions: pd.DataFrame, parameters: ScoringParameters) -> pd.DataFrame:
    """Score a table of predictions in this thread, as `score_chunk` does, as data frames."""
    return as_frame(score_chunk(as_arrow(predictions, READ), parameters))


def score_chunk(predictions: pa.Table, parameters: ScoringParameters) -> pa.Table:
    """Score a table of predictions of one environment, with the columns `READ`, in this thread.

    A row that cannot be scored stays, with its measures undefined and the reason in ``unscored``:
    a failed call, a true state that is missing, unreadable or of another environment, or an
    inconsistent row.
    """
    environment = environment_of(predictions)
    names = parameters.measures()
    blank = {
        **dict.fromkeys(names),
        "terminal": parameters.terminal,
        "ill_formed_policy": parameters.ill_formed,
        "method": parameters.method,
    }
    rows: list[dict[str, Any]] = []
    readable: list[dict[str, Any]] = []
    states: list[tuple[ParsedState, ParsedState]] = []
    for row in as_records(predictions, READ):
        moves = row.pop("moves")
        true, predicted = states_of(environment, row)
        row |= blank
        row["unscored"] = unscored_reason(environment, row, true, predicted, moves)
        rows.append(row)
        if row["unscored"]:
            continue
        if task_named(row["task"]).gives_state:
            try:
                row |= environment.diagnosis(moves, predicted, row["reply_class"])
            except IllegalMoveError as error:
                row["unscored"] = f"moves: {error}"
                continue
            row |= pair_values(environment, true, predicted)
        readable.append(row)
        states.append((true, predicted))
    values = row_measures(environment, readable, states, parameters)
    for row, numbers in zip(readable, values, strict=True):
        row |= dict(zip(names, numbers, strict=True))
    table = pa.Table.from_pylist(rows, schema=scores_schema(parameters, environment))
    return _without_nan(with_column_metrics(table, parameters, environment))


def with_column_metrics(
    table: pa.Table, parameters: ScoringParameters, environment: AnyEnvironment
) -> pa.Table:
    """Return scores with the metrics that follow from other columns."""
    columns: dict[str, Values] = {
        field.name: table[field.name].cast(pa.float64()).to_numpy()
        for field in table.schema
        if not pa.types.is_string(field.type)
    }
    for metric in parameters.metrics(environment):
        if metric.needs == "columns":
            columns[metric.column] = column_values(metric, columns)
            index = table.schema.get_field_index(metric.column)
            column = pa.array(columns[metric.column], metric.type, from_pandas=True)
            table = table.set_column(index, table.schema.field(index), column)
    return table


def _without_nan(table: pa.Table) -> pa.Table:
    """Return a table with null for NaN: undefined."""
    for index, field in enumerate(table.schema):
        if pa.types.is_floating(field.type):
            column = table.column(index)
            defined = pc.if_else(pc.is_nan(column), pa.scalar(None, field.type), column)
            table = table.set_column(index, field, defined)
    return table


def unscored_reason(
    environment: AnyEnvironment,
    row: Mapping[str, Any],
    true: ParsedState,
    predicted: ParsedState,
    moves: str | None,
) -> str:
    """Return why a row cannot be scored, or nothing if it can."""
    reply_class = row["reply_class"]
    if reply_class == ReplyClass.FAILED:
        return row["reason"] or "the call failed"
    if reply_class not in tuple(ReplyClass):
        return f"reply_class: expected one of {', '.join(ReplyClass)}, got {reply_class!r}"
    if row["task"] not in task_names():
        return f"task: expected one of {', '.join(task_names())}, got {row['task']!r:.80}"
    if fault := _fault_of(environment, true):
        return f"true_state: {fault}"
    if reason := environment.variant_fault(true, moves, (row["position_id"], row["source"])):
        return reason
    if reply_class not in READABLE:
        return ""
    if not task_named(row["task"]).gives_state:
        missing = row["predicted_actions"] is None
        return f"predicted_actions of a reply that is {reply_class}: none" if missing else ""
    if fault := _fault_of(environment, predicted):
        return f"predicted_state of a reply that is {reply_class}: {fault}"
    return ""


def _fault_of(environment: AnyEnvironment, state: ParsedState) -> str:
    if not state.text:
        return f"expected a {environment.state_noun}, got none"
    try:
        _ = state.state
    except WorkbenchError as error:
        return str(error)
    return ""
