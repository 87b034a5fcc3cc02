"""One true state compared with one reply: the class of the reply, and every measure of it."""

import math
from typing import Any

from workbench.environments.registry import DEFAULT, AnyEnvironment, environment_named
from workbench.errors import InvalidFenError
from workbench.long_texts import quoted
from workbench.parsed_state import ParsedState
from workbench.prediction import Prediction
from workbench.scoring.affordance_scores import affordance_scores
from workbench.scoring.parameters import MEASURES, ScoringParameters
from workbench.scoring.score_rows import is_state, measured_actions
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
        Values as JSON can hold them, undefined ones None: reply_class, predicted_state, status,
        reason, depths, precision and recall at these depths (for an estimator also
        precision_standard_error and recall_standard_error), exact_match, levenshtein,
        levenshtein_to_empty and the rest of the environment's text metrics, and the parameters.
        A task that asks for actions has predicted_actions, a list, in place of the state, and no
        text metrics; p and r are those of `workbench.tasks.task.Task.measures`.

    Raises:
        WorkbenchError: If the true state cannot be read, or is of another environment.
    """
    chosen = environment_named(environment)
    true = chosen.parsed_given(true_state)
    _ = true.state
    if reason := chosen.refusal(true, None, ()):
        raise InvalidFenError(
            f"expected a true {chosen.state_noun} of {chosen.title}, got {quoted(true_state)}: "
            f"{reason}"
        )
    asked = task_named(task)
    prediction = asked.classify(chosen, reply)
    measured = reply_measures(chosen, asked, true, prediction, parameters)
    text_metrics = [name for name in measured if name not in parameters.measures()]
    result: dict[str, Any] = {
        "reply_class": str(prediction.reply_class),
        **_answer(asked, prediction),
        "status": list(prediction.status),
        "reason": prediction.reason,
        "depths": list(parameters.depths()),
        **{
            f"{measure}{suffix}": [measured[f"{measure}_{m}{suffix}"] for m in parameters.depths()]
            for measure in MEASURES
            for suffix in parameters.suffixes()
        },
        **{name: measured[name] for name in text_metrics},
        "depth": parameters.depth,
        "terminal": parameters.terminal,
        "ill_formed_policy": parameters.ill_formed,
        "method": parameters.method,
    }
    return {key: _defined(value) for key, value in result.items()}


def reply_measures(
    environment: AnyEnvironment,
    task: Task,
    true: ParsedState,
    prediction: Prediction,
    parameters: ScoringParameters,
) -> dict[str, Any]:
    """Return every measure of one reply by name.

    Args:
        environment: Of the episode.
        task: What was asked.
        true: The true state; it can be read.
        prediction: What the reply says; not a failed call.
        parameters: The parameters of scoring.

    Returns:
        The values that `ScoringParameters.measures` names, NaN where undefined; of a state also the
        environment's text metrics.
    """
    if not task.gives_state:
        row = {"task": task.name, **prediction.columns()}
        values = measured_actions(environment, row, true, parameters)
        return dict(zip(parameters.measures(), values, strict=True))
    taken = is_state(str(prediction.reply_class), parameters.ill_formed)
    predicted = environment.parsed(None) if prediction.parsed is None else prediction.parsed
    (values,) = affordance_scores(
        environment.automaton,
        [true.state],
        [predicted.state if taken else None],
        parameters,
        [parameters.seed],
    )
    text_metrics = environment.measures(true, predicted)
    return {**dict(zip(parameters.measures(), values, strict=True)), **text_metrics}


def _answer(task: Task, prediction: Prediction) -> dict[str, Any]:
    if task.gives_state:
        return {"predicted_state": prediction.predicted_state}
    actions = prediction.predicted_actions
    return {"predicted_actions": None if actions is None else list(actions)}


def _defined(value: Any) -> Any:
    if isinstance(value, list):
        return [_defined(each) for each in value]
    return None if isinstance(value, float) and math.isnan(value) else value
