"""Replies of a bundled language model to a table of positions of chess."""

from typing import Final

import pandas as pd
from tqdm.auto import tqdm

from workbench.answers.answered_positions import asked_environment, predictions_table
from workbench.environments.registry import DEFAULT
from workbench.errors import InvalidArgumentError
from workbench.language_model.bundled_models import weights_path
from workbench.language_model.reply_processes import Asked, replies_of_processes
from workbench.language_model.written_replies import (
    ReplySettings,
    WrittenReply,
    refusal,
    refused,
)
from workbench.tasks import task_named

MODEL_PREFIX: Final = "workbench/"
"""Before the name of a bundled model in tables and behind Inspect."""


def model_replies(
    positions: pd.DataFrame,
    model: str,
    settings: ReplySettings | None = None,
    *,
    seed: int = 0,
    samples: int = 1,
    jobs: int = 1,
    progress: bool = False,
) -> pd.DataFrame:
    """Let a bundled language model reply to positions; nothing in its replies is repaired.

    A reply depends on the moves, the settings and the seed. Neither the order of the table nor ``jobs``
    changes it; where two tokens are equally likely to six digits, other rows of the table may.

    Args:
        positions: Rows with the columns of `workbench.tables.parquet_tables.POSITIONS`, each
            ``position_id`` once, all of chess. A position without moves gets an ``absent`` reply.
        model: One of `workbench.language_model.bundled_models.model_names`.
        settings: How to reply; by default with the likeliest board.
        seed: At least 0; sample k is drawn with ``seed`` + k.
        samples: Replies to each position, at least 1; 1 where nothing is drawn.
        jobs: Processes, at least 1, with one thread each.
        progress: Whether to show a progress bar on standard error.

    Returns:
        Rows with the columns of `workbench.tables.parquet_tables.PREDICTIONS`: the positions in their
        order, and the samples of each. The model's name is ``workbench/`` and ``model``.

    Raises:
        InvalidArgumentError: If an argument is out of range, or the positions are not of chess.
        TableError: If a column is missing, or an id stands twice.
    """
    settings = settings or ReplySettings()
    weights_path(model)
    for name, value, least in (("seed", seed, 0), ("samples", samples, 1), ("jobs", jobs, 1)):
        if value < least:
            raise InvalidArgumentError(f"{name}: expected at least {least}, got {value!r}")
    if samples > 1 and not (settings.temperature and settings.task != "actions"):
        raise InvalidArgumentError(
            f"samples: expected 1 where nothing is drawn, got {samples!r}; all would be the same: "
            "give a temperature, and a task other than actions"
        )
    environment, task = asked_environment(positions), task_named(settings.task)
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
    asked = {
        (game, seed + sample)
        for game, refused_so in zip(games, refusals, strict=True)
        if game is not None and refused_so is None
        for sample in range(samples)
    }
    written: dict[Asked, WrittenReply] = {}
    with tqdm(total=len(asked), unit="reply", desc=model, disable=not progress) as bar:
        for batch in replies_of_processes(model, settings, asked, jobs):
            written.update(batch)
            bar.update(len(batch))
    rows = []
    for game, refused_so in zip(games, refusals, strict=True):
        for sample in range(samples):
            reply = refused_so or written[game or (), seed + sample]
            rows.append(
                {
                    "task": settings.task,
                    "model": f"{MODEL_PREFIX}{model}",
                    "reply": reply.text,
                    "input_tokens": reply.input_tokens,
                    "output_tokens": reply.output_tokens,
                }
                | task.classify(environment, reply.text).columns()
            )
    return predictions_table(positions, rows, samples)


_UNKNOWN: Final = refused("the table does not have the moves")
