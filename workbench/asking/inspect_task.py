"""The Inspect task ``workbench/state_reconstruction``: the moves of a game in, the board as FEN out.

One sample per position, with the position's id. From the shell, on positions of random games:

    inspect eval workbench/state_reconstruction --model workbench/simulated --limit 20
    inspect eval workbench/state_reconstruction -T positions=positions.parquet --model openai/gpt-4o

Source: arXiv 2508.19851, the task of its section on chess.
"""

from collections.abc import Hashable, Mapping
from pathlib import Path
from typing import Any, Final

import pandas as pd
from inspect_ai import Task, task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import ChatMessage, ChatMessageSystem, ChatMessageUser
from inspect_ai.scorer import Score, Scorer, Target, accuracy, scorer, stderr
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.util import registry_info

from workbench.asking.prompt_files import prompt_given
from workbench.asking.prompts import Prompt
from workbench.asking.questions import questions_of
from workbench.asking.session import current_session
from workbench.asking.simulated_model import PROVIDER
from workbench.environments.chess.classification import classify
from workbench.games import cut_games, random_games
from workbench.tables.parquet_tables import POSITIONS, read_table

NAME: Final = "state_reconstruction"
PACKAGE: Final = "workbench"
_RANDOM_GAMES: Final = 100


def reconstruction(
    positions: pd.DataFrame,
    questions: Mapping[str, tuple[str, ...]],
    prompt: Prompt,
    version: str,
    *,
    system: str | None = None,
    seed: int | None = None,
) -> Task:
    """Return the task over a table of positions.

    Args:
        positions: Rows of the POSITIONS schema.
        questions: The user's messages of each position, by ``position_id``.
        prompt: What they were made from.
        version: What tells this task from others in a folder of logs.
        system: The system prompt, if there is one.
        seed: Seed of the first sample of a position; each further one has the next.
    """
    samples = [
        _sample(position, questions[position["position_id"]], prompt, system)
        for position in positions.to_dict("records")
    ]
    seeded = {} if seed is None else {"seed": seed}
    return Task(
        dataset=MemoryDataset(samples, name=NAME),
        solver=conversation(list(prompt.turns[1:]), **seeded),
        scorer=exact_position(),
        name=NAME,
        version=version,
        metadata={"prompt": prompt.described()},
    )


def _sample(
    position: dict[Hashable, Any], messages: tuple[str, ...], prompt: Prompt, system: str | None
) -> Sample:
    first: list[ChatMessage] = [ChatMessageUser(content=messages[0])]
    metadata = {name: position[name] for name in ("group", "ply", "game_id")}
    if messages[1:] != prompt.turns[1:]:
        # They have placeholders, so that each position has its own.
        metadata["later_turns"] = list(messages[1:])
    return Sample(
        id=position["position_id"],
        input=messages[0] if system is None else [ChatMessageSystem(content=system), *first],
        target=position["true_state"],
        metadata=metadata,
    )


def build_task(positions: str = "", prompt: str = "pgn-direct") -> Task:
    """Ask for the board after the moves so far.

    Args:
        positions: A Parquet table made by ``workbench games cut``; without one, positions are cut
            from games of random legal moves.
        prompt: The name of a prompt of `workbench.asking.prompts`, or a file of one's own.
    """
    chosen = prompt_given(prompt)
    if positions:
        frame = read_table(Path(positions), POSITIONS)
    else:
        games = random_games(_RANDOM_GAMES, 60, seed=0)
        frame = cut_games(games, groups=(5, 16, 27), per_group=_RANDOM_GAMES // 4, seed=0,
                          allow_unfilled=True).positions  # fmt: skip
    return reconstruction(
        frame,
        questions_of(frame, chosen),
        chosen,
        f"{chosen.name}@{chosen.version}",
        system=chosen.system,
    )


@solver
def conversation(later_turns: list[str], seed: int | None = None) -> Solver:
    """Ask, and after each reply send the next of the user's messages.

    Args:
        later_turns: The messages after the sample's input, where they are the same for all.
        seed: Seed of the first sample of a position; each further one has the next.
    """

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        session = current_session()
        config: dict[str, Any] = {}
        if seed is not None:
            config["seed"] = seed + state.epoch - 1
        elif state.model.api == PROVIDER:
            # The simulated model knows a question only by its text: this tells repetitions apart.
            config["seed"] = state.epoch
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


@scorer(metrics=[accuracy(), stderr()])
def exact_position() -> Scorer:
    """Say whether the FEN in the reply is the true one, for Inspect's viewer.

    The workbench's own measures are computed from the table of predictions.
    """

    async def score(state: TaskState, target: Target) -> Score:
        fen = classify(state.output.completion).predicted_state
        return Score(value=int(fen == target.text), answer=fen)

    return score


# Inspect puts the package before the name of what is installed in site-packages. Where the
# distribution is installed editable, it does so only if distribution and package share one name.
state_reconstruction = task(name=NAME)(build_task)
if registry_info(state_reconstruction).name != f"{PACKAGE}/{NAME}":
    state_reconstruction = task(name=f"{PACKAGE}/{NAME}")(build_task)
