"""One true state compared with one reply: the class of the reply, and every measure of it."""

import math
from typing import Any

import pyarrow as pa

from workbench.environments.registry import DEFAULT, AnyEnvironment, environment_named
from workbench.errors import InvalidFenError, WorkbenchError
from workbench.long_texts import quoted
from workbench.metrics import pair_values
from workbench.prediction import ParsedState, Prediction
from workbench.scoring.parameters import ScoringParameters, scores_schema
from workbench.scoring.score_rows import (
    action_measures,
    affordance_scores,
    is_state,
    with_column_metrics,
)
from workbench.tasks import Task, task_named


def compare(
    true_state: str,
    reply: str,
    parameters: ScoringParameters,
    environment: str = DEFAULT,
    task: str = "state",
) -> dict[str, Any]:
    """Compare a reply, the answer alone or a model's whole text, with the true state.

    Args:
        true_state: A text that the environment reads; for chess a FEN, alone or in a text such as a
            link.
        reply: Any text.
        parameters: How to score; the exact method gives all depths up to m, an estimator m alone.
        environment: The name of the environment.
        task: The name of the task: what the reply gives.

    Returns:
        Values as JSON can hold them, undefined ones None: the answer and its class, the measures by
        name (lists over ``depths`` where they have a depth), and the parameters.

    Raises:
        WorkbenchError: If the true state cannot be read, or is of another environment.
    """
    named_environment = environment_named(environment)
    true = parsed_argument(named_environment, true_state, "true")
    of_task = task_named(task)
    prediction = of_task.classify(named_environment, reply)
    measured = reply_measures(named_environment, of_task, true, prediction, parameters)
    result: dict[str, Any] = {
        "reply_class": str(prediction.reply_class),
        **_answer(of_task, prediction),
        "status": list(prediction.status),
        "reason": prediction.reason,
        "depths": list(parameters.depths()),
    }
    for metric in parameters.metrics(named_environment):
        if metric.column not in measured:
            continue
        if metric.by_depth:
            result.setdefault(metric.name, []).append(measured[metric.column])
        else:
            result[metric.name] = measured[metric.column]
    result |= {
        "depth": parameters.depth,
        "terminal": parameters.terminal,
        "ill_formed_policy": parameters.ill_formed,
        "method": parameters.method,
    }
    return {key: _defined(value) for key, value in result.items()}


def parsed_argument(environment: AnyEnvironment, text: str, name: str) -> ParsedState:
    """Return a state that a person gives as text; it can be read."""
    try:
        parsed = environment.parse_input(text)
        _ = parsed.state
    except WorkbenchError as error:
        raise type(error)(f"{name}: {error}") from error
    if reason := environment.variant_fault(parsed, None, ()):
        raise InvalidFenError(
            f"{name}: expected a {environment.state_noun} of {environment.title}, got "
            f"{quoted(text)}: {reason}"
        )
    return parsed


def reply_measures(
    environment: AnyEnvironment,
    task: Task,
    true: ParsedState,
    prediction: Prediction,
    parameters: ScoringParameters,
) -> dict[str, Any]:
    """Return every measure of one reply by name."""
    names = parameters.measures()
    of_texts: dict[str, Any] = {}
    if task.gives_state:
        has_state = is_state(str(prediction.reply_class), parameters.ill_formed)
        predicted = environment.parse(None) if prediction.parsed is None else prediction.parsed
        (values,) = affordance_scores(
            environment.automaton,
            [true.state],
            [predicted.state if has_state else None],
            parameters,
            [parameters.seed],
        )
        of_texts = pair_values(environment, true, predicted)
    else:
        columns = {"task": task.name, **prediction.columns()}
        values = action_measures(environment, columns, true, parameters)
    row = {**dict(zip(names, values, strict=True)), **of_texts}
    schema = scores_schema(parameters, environment)
    table = with_column_metrics(pa.Table.from_pylist([row], schema=schema), parameters, environment)
    derived = {
        each.column: table[each.column][0].as_py()
        for each in parameters.metrics(environment)
        if each.needs == "columns"
    }
    return row | {name: math.nan if value is None else value for name, value in derived.items()}


def _answer(task: Task, prediction: Prediction) -> dict[str, Any]:
    if task.gives_state:
        return {"predicted_state": prediction.predicted_state}
    actions = prediction.predicted_actions
    return {"predicted_actions": None if actions is None else list(actions)}


def _defined(value: Any) -> Any:
    if isinstance(value, list):
        return [_defined(each) for each in value]
    return None if isinstance(value, float) and math.isnan(value) else value
