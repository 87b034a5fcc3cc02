"""The Inspect task ``workbench/state_reconstruction``: the actions of an episode in, its state out.

One sample per position, with the position's id. By default chess boards are asked for, as FEN. From the
shell, on positions of random games, of a table, and of random episodes of another environment:

    inspect eval workbench/state_reconstruction --model workbench/simulated --limit 20
    inspect eval workbench/state_reconstruction -T positions=positions.parquet --model openai/gpt-4o
    inspect eval workbench/state_reconstruction -T environment=boxes -T task=actions --model openai/gpt-4o

Source: arXiv 2508.19851, the task of its section on chess.
"""

from collections.abc import Callable, Hashable, Mapping
from pathlib import Path
from typing import Any, Final

import pandas as pd
from inspect_ai import Task, task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import ChatMessage, ChatMessageSystem, ChatMessageUser
from inspect_ai.scorer import Scorer
from inspect_ai.solver import Generate, Solver, TaskState, solver

from workbench.asking.inspect_scorers import CLUSTER, exact_position, precision_and_recall
from workbench.asking.own_models import PROVIDER
from workbench.asking.own_models.asked_episode import what_is_asked
from workbench.asking.own_models.simulated_model import SIMULATED
from workbench.asking.prompts import Prompt, prompt_given
from workbench.asking.questions import questions_of
from workbench.asking.registered_names import registered
from workbench.asking.session import current_session
from workbench.asking.settings import Question
from workbench.environments.registry import DEFAULT, environment_named, environment_of
from workbench.episodes import EpisodeSample
from workbench.errors import InvalidArgumentError
from workbench.games import cut_games, random_games
from workbench.tables.parquet_tables import POSITIONS, read_table

NAME: Final = "state_reconstruction"
_RANDOM_GAMES: Final = 100


def reconstruction(
    positions: pd.DataFrame,
    questions: Mapping[str, tuple[str, ...]],
    question: Question,
    version: str,
    scored_by: Callable[..., Scorer] = exact_position,
) -> Task:
    """Return the task over a table of positions.

    Args:
        positions: Rows of the POSITIONS schema.
        questions: The user's messages of each position, by ``position_id``.
        question: What they were made from.
        version: What tells this task from others in a folder of logs.
        scored_by: Of `workbench.asking.inspect_scorers`.
    """
    prompt, asked = question.prompted, what_is_asked(question)
    samples = [
        _sample(position, questions[position["position_id"]], prompt, question.system)
        for position in positions.to_dict("records")
    ]
    return Task(
        dataset=MemoryDataset(samples, name=NAME),
        solver=conversation(list(prompt.turns[1:]), question.seed, **asked),
        scorer=scored_by(**asked),
        name=NAME,
        version=version,
        metadata={"prompt": prompt.described(), **asked},
    )


def _sample(
    position: dict[Hashable, Any], messages: tuple[str, ...], prompt: Prompt, system: str | None
) -> Sample:
    first: list[ChatMessage] = [ChatMessageUser(content=messages[0])]
    metadata = {name: position[name] for name in ("group", "ply")}
    # A position that says no game is a game of its own.
    game = position[CLUSTER]
    metadata[CLUSTER] = position["position_id"] if pd.isna(game) or not game else game
    if messages[1:] != prompt.turns[1:]:
        # They have placeholders, so that each position has its own.
        metadata["later_turns"] = list(messages[1:])
    return Sample(
        id=position["position_id"],
        input=messages[0] if system is None else [ChatMessageSystem(content=system), *first],
        target=position["true_state"],
        metadata=metadata,
    )


def build_task(
    positions: str = "",
    prompt: str = "",
    environment: str = "",
    task: str = "state",
    depth: int | None = None,
) -> Task:
    """Ask about the episodes so far.

    Args:
        positions: A Parquet table of positions; without one, they are cut from games of random legal
            moves in chess, and are the ends of random episodes in another environment.
        prompt: The name of a prompt of `workbench.asking.prompts`, or a file of one's own; by default
            as of `workbench.asking.prompts.prompt_choice.prompt_named`.
        environment: The name of the environment; by default that of the positions, else chess.
        task: The name of the task.
        depth: m, for tasks that ask for so many actions.
    """
    if positions:
        frame = read_table(Path(positions), POSITIONS)
    elif environment in ("", DEFAULT):
        games = random_games(_RANDOM_GAMES, 60, seed=0)
        frame = cut_games(games, groups=(5, 16, 27), per_group=_RANDOM_GAMES // 4, seed=0,
                          allow_unfilled=True).positions  # fmt: skip
    else:
        frame = EpisodeSample(environment).positions
    found = environment_of(frame, positions).name
    if environment and environment_named(environment).name != found:
        raise InvalidArgumentError(
            f"environment: expected {found}, which the positions are of, got {environment!r}"
        )
    chosen = prompt_given(prompt or None, found, task, depth)
    question = Question(
        f"{PROVIDER}/{SIMULATED}", chosen, environment=found, task=task, depth=depth
    )
    version = f"{chosen.name}@{chosen.version}"
    questions = questions_of(frame, chosen)
    return reconstruction(frame, questions, question, version, precision_and_recall)


@solver
def conversation(
    later_turns: list[str],
    seed: int | None = None,
    environment: str = DEFAULT,
    task: str = "state",
    depth: int | None = None,
) -> Solver:
    """Ask, and after each reply send the next of the user's messages.

    Args:
        later_turns: The messages after the sample's input, where they are the same for all.
        seed: Seed of the first sample of a position; each further one has the next.
        environment: The name of the environment, which only the workbench's own models are told.
        task: The name of the task, as is this.
        depth: m, as is this.
    """
    asked = {"environment": environment, "task": task, "depth": depth}

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        session = current_session()
        config: dict[str, Any] = {}
        if seed is not None:
            config["seed"] = seed + state.epoch - 1
        if state.model.api == PROVIDER:
            # The workbench's own models know a question by its text and these: the seed tells
            # repetitions apart.
            config = {"seed": state.epoch, **config, "extra_body": asked}
        said = state.metadata.get("later_turns", later_turns)
        for turn in range(len(said) + 1):
            if turn:
                state.messages.append(ChatMessageUser(content=said[turn - 1]))
            if session is None:
                state = await generate(state, **config)
            else:
                state = await session.ask(state, generate, turn, **config)
        return state

    return solve


state_reconstruction = registered(lambda name: task(name=name)(build_task), NAME)
