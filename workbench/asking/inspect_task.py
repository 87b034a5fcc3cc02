"""The Inspect task ``workbench/state_reconstruction`` and its scorers."""

import math
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import asdict
from functools import wraps
from inspect import unwrap
from pathlib import Path
from typing import Any, Final, Literal, TypeVar, cast

import anyio
import pandas as pd
from inspect_ai import Task, task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import ChatMessage, ChatMessageSystem, ChatMessageUser
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
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.util import registry_info
from inspect_ai.viewer import ScoreColorScale, TaskSamplesColumn, TaskSamplesView, ViewerConfig

from workbench.answers.imports.inspect_logs import reply_text
from workbench.asking.call_errors import Fault
from workbench.asking.conversations import Conversation, Episode, episode_of
from workbench.asking.own_models import PROVIDER, SIMULATED, question_options
from workbench.asking.prompts import Prompt, prompt_or_file
from workbench.asking.questions import questions_of
from workbench.asking.session import current_session, fault_of_output
from workbench.asking.settings import Question
from workbench.environments.registry import (
    DEFAULT,
    AnyEnvironment,
    environment_in_table,
    environment_named,
    environment_of,
)
from workbench.episodes import EpisodeSample
from workbench.errors import InvalidArgumentError
from workbench.games import cut_games, random_games
from workbench.metrics import pair_values
from workbench.prediction import Prediction, ReplyClass
from workbench.scoring.parameters import ScoringParameters
from workbench.scoring.single_pair import reply_measures
from workbench.tables.parquet_tables import POSITIONS, read_table
from workbench.tasks import Task as WorkbenchTask
from workbench.tasks import task_named

PACKAGE: Final = "workbench"

Item = TypeVar("Item")


def registered(register: Callable[[str], Item], name: str) -> Item:
    """Register something under the package's name, however the package is installed.

    Inspect puts the package before the name of what is installed in site-packages. Where the
    distribution is installed editable, it does so only if distribution and package share one name.
    """
    item = register(name)
    full = f"{PACKAGE}/{name}"
    return item if registry_info(item).name == full else register(full)


_TRUE_STATE: Final = "true_state"
"""The name in a sample's metadata of the state that its last reply is about, where the replies decide on it."""

CLUSTER: Final = "game_id"
"""The name in a sample's metadata of its game or episode: positions of one are not independent."""


def build_precision_and_recall(
    environment: str = DEFAULT, task: str = "state", depth: int | None = None
) -> Scorer:
    """Give p_m, r_m and exact match, with means and standard errors clustered by game.

    m is 4 for a state, 1 for a list of actions, and for a continuation the number of actions asked
    for. A reply without a state is the sink. A failed call has no score and is in no mean. Source:
    arXiv 2508.19851; of the standard errors, arXiv 2411.00640.
    """
    world, definition, parameters = _scored(environment, task, depth)
    m = parameters.depth

    def measured(true: str, prediction: Prediction) -> dict[str, float]:
        values = reply_measures(world, definition, world.parse_true(true), prediction, parameters)
        return {
            f"p_{m}": values[f"precision_{m}"],
            f"r_{m}": values[f"recall_{m}"],
            "exact_match": float(_is_exact(values)),
        }

    return _scorer(world, definition, measured)


def build_exact_position(
    environment: str = DEFAULT, task: str = "state", depth: int | None = None
) -> Scorer:
    """Say whether a reply is exactly right: a state as text, actions by all measures of the task.

    ``workbench ask`` uses it, so that no walk of a tree stands between its calls: its table is scored
    afterwards. A failed call has no score.
    """
    world, definition, parameters = _scored(environment, task, depth)

    def measured(text: str, prediction: Prediction) -> int:
        true = world.parse_true(text)
        if definition.gives_state:
            values = pair_values(world, true, world.parse(prediction.predicted_state))
        else:
            values = reply_measures(world, definition, true, prediction, parameters)
        return int(_is_exact(values))

    return _scorer(world, definition, measured)


def _scored(
    environment: str, task: str, depth: int | None
) -> tuple[AnyEnvironment, WorkbenchTask, ScoringParameters]:
    definition, parameters = task_named(task), ScoringParameters()
    if not definition.gives_state:
        m = definition.depth_or_default(depth) if definition.takes_depth else 1
        parameters = ScoringParameters(depth=m)
    return environment_in_table(environment), definition, parameters


def _is_exact(measures: Mapping[str, Any]) -> bool:
    """Tell whether a state is the true one as text, or all defined measures of actions are 1."""
    if "exact_match" in measures:
        return bool(measures["exact_match"])
    return all(value == 1 for value in measures.values() if not math.isnan(value))


def _scorer(
    world: AnyEnvironment,
    definition: WorkbenchTask,
    measured: Callable[[str, Prediction], int | dict[str, float]],
) -> Scorer:
    async def score(state: TaskState, target: Target) -> Score:
        fault = _fault(state)
        if fault:
            return Score.unscored(reason="failed", explanation=fault.reason)
        prediction = definition.classify(world, state.output.completion)
        true = state.metadata.get(_TRUE_STATE, target.text)
        # The first walk loads the compiled rules, which takes seconds.
        value = await anyio.to_thread.run_sync(measured, true, prediction)
        actions = prediction.predicted_actions
        answer = prediction.predicted_state if actions is None else "\n".join(actions)
        reason = " ".join((prediction.reply_class, *prediction.status, prediction.reason)).strip()
        return Score(value=value, answer=answer, explanation=reason)

    return score


def _fault(state: TaskState) -> Fault | None:
    fault = fault_of_output(state.output)
    if fault is None and state.messages[-1].role != "assistant":
        return Fault("the last question has no reply")
    return fault


def build_reply(
    environment: str = DEFAULT, task: str = "state", depth: int | None = None
) -> Scorer:
    """Give the class of a reply and the length of its episode, as columns beside the measures.

    The length is the group of the position: full moves in chess. Neither is a score, so there is no mean.
    """
    world, definition, _ = _scored(environment, task, depth)

    async def describe(state: TaskState, target: Target) -> Score:
        name = ReplyClass.FAILED
        if _fault(state) is None:
            name = definition.classify(world, state.output.completion).reply_class
        return Score(value={"class": name.value, "length": state.metadata["group"]})

    return describe


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
reply = registered(lambda name: scorer([], name)(build_reply), "reply")
exact_position = scorer([accuracy(), stderr_by_game()], "exact_position")(build_exact_position)


NAME: Final = "state_reconstruction"
_RANDOM_GAMES: Final = 100


def reconstruction(
    positions: pd.DataFrame,
    questions: Mapping[str, tuple[str, ...]],
    question: Question,
    version: str,
    scorers: Sequence[Callable[..., Scorer]] = (exact_position,),
) -> Task:
    """Return the task over a table of positions."""
    prompt, options = question.full_prompt, question_options(question)
    samples = [
        _sample(position, questions[position["position_id"]], prompt, question.system)
        for position in positions.to_dict("records")
    ]
    return Task(
        dataset=MemoryDataset(samples, name=NAME),
        solver=conversation(list(prompt.turns[1:]), question.seed, prompt.dialogue, **options),
        scorer=[each(**options) for each in scorers],
        viewer=ViewerConfig(task_samples_view=samples_view(**options)),
        name=NAME,
        version=version,
        metadata={"prompt": prompt.description(), **options},
    )


_CLASS_ROLES: Final[dict[str, Literal["good", "bad", "warn", "muted"]]] = {
    ReplyClass.VALID: "good",
    ReplyClass.ILL_FORMED: "warn",
    ReplyClass.UNPARSEABLE: "bad",
    ReplyClass.ABSENT: "bad",
    ReplyClass.FAILED: "muted",
}


def samples_view(
    environment: str = DEFAULT, task: str = "state", depth: int | None = None
) -> TaskSamplesView:
    """Return the columns of Inspect's viewer: length, class, measures and answer of each sample.

    Those that a log does not have are left out by the viewer.
    """
    m = _scored(environment, task, depth)[2].depth
    measures = (f"p_{m}", f"r_{m}", "exact_match")
    shares = ScoreColorScale(palette="good-high", min=0, max=1)
    return TaskSamplesView(
        name="Replies",
        columns=[
            TaskSamplesColumn(id="sampleStatus"),
            TaskSamplesColumn(id="sampleId"),
            *(TaskSamplesColumn.score("reply", name) for name in ("length", "class")),
            *(TaskSamplesColumn.score("precision_and_recall", name) for name in measures),
            TaskSamplesColumn.score("exact_position"),
            TaskSamplesColumn(id="answer"),
            TaskSamplesColumn(id="target"),
            TaskSamplesColumn(id="error"),
        ],
        multiline=False,
        score_color_scales={**dict.fromkeys(measures[:2], shares), "class": _CLASS_ROLES},
    )


def _sample(
    position: dict[Hashable, Any], messages: tuple[str, ...], prompt: Prompt, system: str | None
) -> Sample:
    first: list[ChatMessage] = [ChatMessageUser(content=messages[0])]
    metadata = {name: position[name] for name in ("group", "ply")}
    # A position that says no game is a game of its own.
    game = position[CLUSTER]
    metadata[CLUSTER] = position["position_id"] if pd.isna(game) or not game else game
    episode = episode_of(position, messages, prompt)
    if episode is not None:
        metadata["episode"] = asdict(episode)
        messages = episode.conversation().messages
        first = [ChatMessageUser(content=messages[0])]
    elif messages[1:] != prompt.turns[1:]:
        # They have placeholders, so that each position has its own.
        metadata["later_turns"] = list(messages[1:])
    return Sample(
        id=position["position_id"],
        input=messages[0] if system is None else [ChatMessageSystem(content=system), *first],
        target=position["true_state"],
        metadata=metadata,
    )


def in_package(item: Item) -> Item:
    """Register a task under the package's name too, if Inspect has not; see `registered`."""
    return registered(
        lambda name: item if name == NAME else task(name=name)(unwrap(cast(Any, item))), NAME
    )


# Inspect's register of evaluations looks for the decorator.
@in_package
@task(name=NAME)
def state_reconstruction(
    positions: str = "",
    prompt: str = "",
    environment: str = "",
    task: str = "state",
    depth: int | None = None,
) -> Task:
    """Ask about the episodes so far."""
    if positions:
        frame = read_table(Path(positions), POSITIONS)
    elif environment in ("", DEFAULT):
        games = random_games(_RANDOM_GAMES, 60, seed=0)
        frame = cut_games(games, groups=(5, 16, 27), per_group=_RANDOM_GAMES // 4, seed=0,
                          allow_unfilled=True).positions  # fmt: skip
    else:
        frame = EpisodeSample(environment).positions
    actual = environment_of(frame, positions).name
    if environment and environment_named(environment).name != actual:
        raise InvalidArgumentError(
            f"environment: expected {actual}, which the positions are of, got {environment!r}"
        )
    full_prompt = prompt_or_file(prompt or None, actual, task, depth)
    question = Question(
        f"{PROVIDER}/{SIMULATED}", full_prompt, environment=actual, task=task, depth=depth
    )
    version = f"{full_prompt.name}@{full_prompt.version}"
    questions = questions_of(frame, full_prompt)
    return reconstruction(frame, questions, question, version, (precision_and_recall, reply))


@solver
def conversation(
    later_turns: list[str],
    seed: int | None = None,
    dialogue: str = "",
    environment: str = DEFAULT,
    task: str = "state",
    depth: int | None = None,
) -> Solver:
    """Ask, and after each reply send the next of the user's messages, until there is none."""
    options = {"environment": environment, "task": task, "depth": depth}
    if dialogue:
        options["dialogue"] = dialogue

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        session = current_session()
        config: dict[str, Any] = {}
        if seed is not None:
            config["seed"] = seed + state.epoch - 1
        if state.model.api == PROVIDER:
            # The workbench's own models know a question by its text and these: the seed tells
            # repetitions apart.
            config = {"seed": state.epoch, **config, "extra_body": options}
        # The first message is there already.
        whole = Conversation(["", *state.metadata.get("later_turns", later_turns)])
        if "episode" in state.metadata:
            whole = Episode(**state.metadata["episode"]).conversation()
        replies: list[str] = []
        while (message := whole.next_message(replies)) is not None:
            turn = len(replies)
            if turn:
                state.messages.append(ChatMessageUser(content=message))
            if session is None:
                state = await generate(state, **config)
            else:
                state = await session.ask(state, generate, turn, **config)
            replies.append(reply_text(state.output.model_dump(mode="json", exclude_none=True)))
            if (correction := whole.correction(turn)) is not None:
                # A copy, with the same name: the output remains what the model replied.
                state.messages[-1] = state.messages[-1].model_copy(update={"content": correction})
        if (turns := whole.turns(replies)) is not None:
            state.metadata[_TRUE_STATE] = turns[len(replies) - 1].state
        return state

    return solve
