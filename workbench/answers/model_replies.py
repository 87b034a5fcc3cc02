"""Replies of a bundled language model to a table of positions of chess."""

from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from multiprocessing import get_context
from typing import Final

import pandas as pd
from tqdm.auto import tqdm

from workbench.answers.answered_positions import asked_environment, predictions_table
from workbench.environments.registry import DEFAULT
from workbench.errors import InvalidArgumentError
from workbench.language_model.bundled_models import load_model, weights_path
from workbench.language_model.language_model import BATCH
from workbench.language_model.written_replies import (
    ReplySettings,
    WrittenReply,
    refused,
    write_replies,
)
from workbench.tasks import task_named
from workbench.worker_processes import end_with_parent, one_thread_each

MODEL_PREFIX: Final = "workbench/"
"""Before the name of a bundled model in tables and behind Inspect."""

_Call = tuple[list[list[str]], list[int]]


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
    games: list[list[str] | None] = [
        environment.split_moves(moves) if isinstance(moves, str) else None
        for moves in positions["moves"]
    ]
    written = dict(_written(model, settings, _calls(games, seed, samples), jobs, progress))
    rows = []
    for game in games:
        for sample in range(samples):
            reply = _UNKNOWN if game is None else written[tuple(game), seed + sample]
            is_state = task.gives_state and reply.output_tokens
            given = environment.classify_state(reply.text) if is_state else None
            prediction = given or task.classify(environment, reply.text)
            rows.append(
                {
                    "task": task.name,
                    "model": f"{MODEL_PREFIX}{model}",
                    "reply": reply.text,
                    "input_tokens": reply.input_tokens,
                    "output_tokens": reply.output_tokens,
                }
                | prediction.columns()
            )
    return predictions_table(positions, rows, samples)


_UNKNOWN: Final = refused("the table does not have the moves")


def _calls(games: Sequence[list[str] | None], seed: int, samples: int) -> list[_Call]:
    """Return games and seeds in batches that do not depend on the order of the table."""
    read = sorted({tuple(game) for game in games if game is not None})
    # Alike in length, so that little is filled up.
    read.sort(key=len)
    asked = [(list(game), seed + sample) for game in read for sample in range(samples)]
    batches = [asked[first : first + BATCH] for first in range(0, len(asked), BATCH)]
    return [([game for game, _ in batch], [own for _, own in batch]) for batch in batches]


def _written(
    model: str, settings: ReplySettings, calls: Sequence[_Call], jobs: int, progress: bool
) -> Iterator[tuple[tuple[tuple[str, ...], int], WrittenReply]]:
    """Yield games, seeds and replies, from processes even if there is one: sums are rounded alike."""
    total = sum(len(games) for games, _ in calls)
    with (
        tqdm(total=total, unit="reply", desc=model, disable=not progress) as bar,
        one_thread_each(),
        ProcessPoolExecutor(jobs, get_context("spawn"), initializer=end_with_parent) as pool,
    ):
        # The longest first, so that no process has much left when the others are done.
        futures = {pool.submit(_replies, model, settings, *call): call for call in calls[::-1]}
        try:
            for future in as_completed(futures):
                games, seeds = futures[future]
                replies = future.result()
                bar.update(len(games))
                for game, own, reply in zip(games, seeds, replies, strict=True):
                    yield (tuple(game), own), reply
        finally:
            pool.shutdown(wait=False, cancel_futures=True)


def _replies(
    model: str, settings: ReplySettings, games: list[list[str]], seeds: list[int]
) -> list[WrittenReply]:
    return write_replies(load_model(model), games, settings, seeds)
