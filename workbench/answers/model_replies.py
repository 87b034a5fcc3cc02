"""Replies generated on this machine: those of a bundled language model and of a simulated tracker, as tables of predictions."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np
import pandas as pd
from tqdm.auto import tqdm

from workbench.environment import check_tracker
from workbench.environments.registry import DEFAULT, environment_of
from workbench.episodes import check_positions
from workbench.errors import InvalidArgumentError
from workbench.language_model.language_model import load_model
from workbench.language_model.written_replies import (
    Query,
    ReplySettings,
    WrittenReply,
    refusal,
    refusal_reply,
    refuse_task,
    replies_of_processes,
    write_replies,
)
from workbench.prediction import Prediction, ReplyClass
from workbench.seeds import derived_seed
from workbench.tables.parquet_tables import POSITIONS, PREDICTIONS
from workbench.tasks import task_named


def predictions_table(
    positions: pd.DataFrame, replies: Sequence[dict[str, Any]], samples: int = 1
) -> pd.DataFrame:
    """Return positions with their replies, as rows of the schema PREDICTIONS."""
    columns = PREDICTIONS.names[len(POSITIONS.names) :]
    answers = pd.DataFrame(
        [
            {"set": "", "setting": "", "sample": number % samples} | reply
            for number, reply in enumerate(replies)
        ],
        columns=columns,
    ).astype({"sample": "int32"})
    questions = positions[POSITIONS.names].reset_index(drop=True)
    repeated = questions.loc[questions.index.repeat(samples)].reset_index(drop=True)
    predictions: pd.DataFrame = pd.concat([repeated, answers], axis=1)
    return predictions


def simulate(
    positions: pd.DataFrame,
    *,
    rate: float,
    seed: int,
    model_name: str | None = None,
    task: str = "state",
    depth: int = 4,
) -> pd.DataFrame:
    """Let a simulated tracker reply to positions; in chess it writes a FEN of six fields.

    A position's reply depends on its actions, its id, the task, ``rate`` and ``seed`` alone: not on
    the other rows or their order. A position without actions in the table becomes an ``absent``
    reply.

    Args:
        positions: Rows with the columns of `workbench.tables.parquet_tables.POSITIONS`, each
            ``position_id`` once, all of one environment.
        rate: Probability of a slip at each action, in [0, 1]; at 0 the reply is right.
        seed: At least 0.
        model_name: The name in the table, which must begin with "simulated"; by default
            ``simulated-tracker rate=...``.
        task: The name of a task.
        depth: m, for tasks that ask for so many actions.

    Returns:
        Rows with the columns of `workbench.tables.parquet_tables.PREDICTIONS`, in the order of
        ``positions``.
    """
    check_tracker(rate, seed)
    name = model_name if model_name is not None else f"simulated-tracker rate={rate:g}"
    if not name.startswith("simulated"):
        raise InvalidArgumentError(
            f"model_name: expected a name that begins with 'simulated', got {name!r}"
        )
    check_positions(positions)
    environment, definition = environment_of(positions, "positions"), task_named(task)
    replies: list[dict[str, Any]] = []
    for position_id, initial, moves in zip(
        positions["position_id"], positions["initial_state"], positions["moves"], strict=True
    ):
        reply = None
        prediction = Prediction(ReplyClass.ABSENT, None, reason="no moves to replay")
        if isinstance(moves, str):
            own_seed = derived_seed(seed, position_id)
            believed = environment.track(
                initial if isinstance(initial, str) else "",
                environment.split_moves(moves),
                rate=rate,
                seed=own_seed,
                where=position_id,
            )
            generator = np.random.default_rng(derived_seed(own_seed, task))
            reply = definition.simulated_reply(environment, believed, depth, generator)
            prediction = definition.classify(environment, reply)
        replies.append({"task": task, "model": name, "reply": reply} | prediction.columns())
    return predictions_table(positions, replies)


MODEL_PREFIX: Final = "workbench/"
"""Before the name of a bundled model in tables and behind Inspect."""


def model_in_tables(model: str) -> str:
    """Return the name of a bundled model, or of a file of weights, as it is in tables."""
    return f"{MODEL_PREFIX}{Path(model).name}"


def model_replies(
    positions: pd.DataFrame,
    model: str,
    settings: ReplySettings | None = None,
    *,
    seed: int = 0,
    samples: int = 1,
    jobs: int | None = 1,
    progress: bool = False,
) -> pd.DataFrame:
    """Let a bundled language model reply to positions; nothing in its replies is repaired.

    A reply depends on the moves, the settings and the seed. Neither the order of the table nor ``jobs``
    changes it; where two tokens are equally likely to six digits, other rows of the table may.

    Args:
        positions: Rows with the columns of `workbench.tables.parquet_tables.POSITIONS`, each
            ``position_id`` once, all of chess. A position without moves gets an ``absent`` reply.
        model: One of `workbench.language_model.language_model.model_names`, or a file of weights.
        settings: How to reply; by default with the likeliest board.
        seed: At least 0; sample k is drawn with ``seed`` + k.
        samples: Replies to each position, at least 1; 1 where nothing is drawn.
        jobs: Processes, at least 1, with one thread each; None for this process alone, in which a
            script without a main guard can run.
        progress: Whether to show a progress bar on standard error.

    Returns:
        Rows with the columns of `workbench.tables.parquet_tables.PREDICTIONS`: the positions in their
        order, and the samples of each. The model's name is ``workbench/`` and ``model``, of a file
        its last part.
    """
    settings = settings or ReplySettings()
    refuse_task(load_model(model), settings.task)
    for name, value, least in (("seed", seed, 0), ("samples", samples, 1), ("jobs", jobs, 1)):
        if value is not None and value < least:
            raise InvalidArgumentError(f"{name}: expected at least {least}, got {value!r}")
    if samples > 1 and not (settings.temperature and settings.task != "actions"):
        raise InvalidArgumentError(
            f"samples: expected 1 where nothing is drawn, got {samples!r}; all would be the same: "
            "give a temperature, and a task other than actions"
        )
    check_positions(positions)
    environment, task = environment_of(positions, "positions"), task_named(settings.task)
    if environment.name != DEFAULT:
        raise InvalidArgumentError(
            f"positions: expected games of {DEFAULT}, which the language models read, "
            f"got {environment.name!r:.80}"
        )
    games = [
        tuple(environment.split_moves(moves)) if isinstance(moves, str) else None
        for moves in positions["moves"]
    ]
    refusals = [_UNKNOWN if game is None else refusal(game) for game in games]
    requests = {
        (game, seed + sample)
        for game, fixed_reply in zip(games, refusals, strict=True)
        if game is not None and fixed_reply is None
        for sample in range(samples)
    }
    written: dict[Query, WrittenReply] = {}
    with tqdm(total=len(requests), unit="reply", desc=model, disable=not progress) as bar:
        for batch in _batches(model, settings, requests, jobs):
            written.update(batch)
            bar.update(len(batch))
    rows = []
    for game, fixed_reply in zip(games, refusals, strict=True):
        for sample in range(samples):
            reply = fixed_reply or written[game or (), seed + sample]
            rows.append(
                {
                    "task": settings.task,
                    "model": model_in_tables(model),
                    "reply": reply.text,
                    "input_tokens": reply.input_tokens,
                    "output_tokens": reply.output_tokens,
                }
                | task.classify(environment, reply.text).columns()
            )
    return predictions_table(positions, rows, samples)


def _batches(
    model: str, settings: ReplySettings, requests: set[Query], jobs: int | None
) -> Iterator[list[tuple[Query, WrittenReply]]]:
    if jobs is not None:
        yield from replies_of_processes(model, settings, requests, jobs)
    elif requests:
        queries = sorted(requests)
        games, seeds = zip(*queries, strict=True)
        replies = write_replies(load_model(model), games, settings, seeds)
        yield list(zip(queries, replies, strict=True))


_UNKNOWN: Final = refusal_reply("the table does not have the moves")
