"""The scorers of the Inspect task: p_m, r_m and exact match, or exact match alone.

Logs of any run can be scored by them as well:

    inspect score LOG --scorer workbench/precision_and_recall -S environment=boxes

The numbers are those of `workbench.scoring`, which knows nothing of Inspect.
"""

import math
from collections.abc import Mapping
from functools import wraps
from typing import Any, Final, cast

import anyio
from inspect_ai.scorer import (
    Metric,
    MetricProtocol,
    SampleScore,
    Score,
    Scorer,
    Target,
    Value,
    accuracy,
    mean,
    scorer,
    stderr,
)
from inspect_ai.solver import TaskState

from workbench.asking.registered_names import registered
from workbench.asking.session import fault_of_output
from workbench.environments.registry import DEFAULT, environment_in_table
from workbench.metrics import pair_values
from workbench.prediction import Prediction
from workbench.scoring.parameters import ScoringParameters
from workbench.scoring.single_pair import reply_measures
from workbench.tasks import task_named

CLUSTER: Final = "game_id"
"""The name in a sample's metadata of its game or episode: positions of one are not independent."""


def build_precision_and_recall(
    environment: str = DEFAULT, task: str = "state", depth: int | None = None
) -> Scorer:
    """Give p_m, r_m and exact match, with means and standard errors clustered by game.

    m is 4 for a state, 1 for a list of actions, and for a continuation the number of actions asked
    for. A reply without a state is the sink. A failed call has no score and is in no mean. Source:
    arXiv 2508.19851; of the standard errors, arXiv 2411.00640.

    Args:
        environment: The name of the environment.
        task: The name of the task.
        depth: m, for tasks that ask for so many actions.
    """
    world, asked, parameters = (
        environment_in_table(environment),
        task_named(task),
        _exact(task, depth),
    )
    m = parameters.depth

    def measured(true: str, found: Prediction) -> dict[str, float]:
        values = reply_measures(world, asked, world.parsed_true(true), found, parameters)
        return {
            f"p_{m}": values[f"precision_{m}"],
            f"r_{m}": values[f"recall_{m}"],
            "exact_match": float(_is_exact(values)),
        }

    async def score(state: TaskState, target: Target) -> Score:
        if fault := _fault(state):
            return Score.unscored(reason="failed", explanation=fault)
        found = asked.classify(world, state.output.completion)
        # The first walk loads the compiled rules, which takes seconds.
        return _score(await anyio.to_thread.run_sync(measured, target.text, found), found)

    return score


def build_exact_position(
    environment: str = DEFAULT, task: str = "state", depth: int | None = None
) -> Scorer:
    """Say whether a reply is exactly right: a state as text, actions by all measures of the task.

    ``workbench ask`` uses it, so that no walk of a tree stands between its calls: its table is scored
    afterwards. A failed call has no score.

    Args:
        environment: The name of the environment.
        task: The name of the task.
        depth: m, for tasks that ask for so many actions.
    """
    world, asked, parameters = (
        environment_in_table(environment),
        task_named(task),
        _exact(task, depth),
    )

    async def score(state: TaskState, target: Target) -> Score:
        if fault := _fault(state):
            return Score.unscored(reason="failed", explanation=fault)
        found, true = asked.classify(world, state.output.completion), world.parsed_true(target.text)
        if asked.gives_state:
            values = pair_values(world, true, world.parsed(found.predicted_state))
        else:
            values = reply_measures(world, asked, true, found, parameters)
        return _score(int(_is_exact(values)), found)

    return score


def _exact(task: str, depth: int | None) -> ScoringParameters:
    asked = task_named(task)
    if asked.gives_state:
        return ScoringParameters()
    return ScoringParameters(depth=asked.depth_asked(depth) if asked.takes_depth else 1)


def _is_exact(measures: Mapping[str, Any]) -> bool:
    """Tell whether a state is the true one as text, or all defined measures of actions are 1."""
    if "exact_match" in measures:
        return bool(measures["exact_match"])
    return all(value == 1 for value in measures.values() if not math.isnan(value))


def _fault(state: TaskState) -> str:
    """Return why there is no reply to score, or an empty text."""
    fault = fault_of_output(state.output)
    if fault is None and state.messages[-1].role != "assistant":
        return "the last question has no reply"
    return fault.reason if fault else ""


def _score(value: int | dict[str, float], found: Prediction) -> Score:
    actions = found.predicted_actions
    answer = found.predicted_state if actions is None else "\n".join(actions)
    explanation = " ".join((found.reply_class, *found.status, found.reason)).strip()
    return Score(value=value, answer=answer, explanation=explanation)


def stderr_by_game() -> Metric:
    """Give Inspect's standard error of a mean, clustered by game; NaN for fewer than two games.

    Inspect's own is 0 for a single cluster, which would claim certainty.
    """
    clustered = cast(MetricProtocol, stderr(cluster=CLUSTER))

    # Wrapped, it keeps the name by which Inspect's viewer and tables know a standard error.
    @wraps(clustered)
    def error(scores: list[SampleScore]) -> Value:
        value = clustered(scores)
        games = {score.sample_metadata[CLUSTER] for score in scores if score.sample_metadata}
        return value if len(games) > 1 else math.nan

    return error


precision_and_recall = registered(
    lambda name: scorer({"*": [mean(), stderr_by_game()]}, name)(build_precision_and_recall),
    "precision_and_recall",
)
exact_position = scorer([accuracy(), stderr_by_game()], "exact_position")(build_exact_position)
