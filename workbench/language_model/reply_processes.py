"""Replies of a bundled model from several processes, the same for any number of them."""

from collections.abc import Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from multiprocessing import get_context
from typing import TypeAlias

from workbench.language_model.bundled_models import load_model
from workbench.language_model.language_model import BATCH
from workbench.language_model.written_replies import ReplySettings, WrittenReply, write_replies
from workbench.worker_processes import end_with_parent, one_thread_each

Asked: TypeAlias = tuple[tuple[str, ...], int]
"""A game's moves, and a seed."""


def replies_of_processes(
    model: str, settings: ReplySettings, asked: Iterable[Asked], jobs: int
) -> Iterator[list[tuple[Asked, WrittenReply]]]:
    """Yield replies to games, a batch as it is done, in any order.

    Even one job is a process: on one thread, in batches that do not depend on the order or on
    ``jobs``, sums are rounded alike.

    Args:
        model: One of `workbench.language_model.bundled_models.model_names`.
        settings: How to reply.
        asked: The games; each pair once.
        jobs: Processes, at least 1.
    """
    # Alike in length, so that little is filled up.
    games = sorted(asked, key=lambda one: (len(one[0]), one))
    batches = [games[first : first + BATCH] for first in range(0, len(games), BATCH)]
    if not batches:
        return
    with (
        one_thread_each(),
        ProcessPoolExecutor(jobs, get_context("spawn"), initializer=end_with_parent) as pool,
    ):
        # The longest first, so that no process has much left when the others are done.
        futures = {pool.submit(_replies, model, settings, batch): batch for batch in batches[::-1]}
        try:
            for future in as_completed(futures):
                yield list(zip(futures[future], future.result(), strict=True))
        finally:
            pool.shutdown(wait=False, cancel_futures=True)


def _replies(model: str, settings: ReplySettings, batch: list[Asked]) -> list[WrittenReply]:
    games, seeds = zip(*batch, strict=True)
    return write_replies(load_model(model), games, settings, seeds)
