"""Replies of the model in each task: a FEN, a list of moves, a continuation or probabilities; on one or several processes."""

from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from multiprocessing import get_context
from typing import Final, Literal, TypeAlias

from workbench.errors import IllegalMoveError, InvalidArgumentError
from workbench.language_model.language_model import (
    BATCH,
    LEAST_PROBABILITY,
    PLAYER,
    LanguageModel,
    load_model,
)
from workbench.language_model.vocabulary import MOST_PLIES, SLOTS, read_moves
from workbench.seeds import derived_seed
from workbench.tasks.legal_mass import Mass, mass_lines
from workbench.worker_processes import end_with_parent, one_thread_each

TASKS: Final = ("state", "actions", "continuation", "legal_mass")
SMALLEST: Final = 1e-5
"""The least probability of a next move that a reply to the task ``legal_mass`` names."""
NONE: Final = "none"
"""The reply where no move is likely."""


@dataclass(frozen=True, slots=True)
class WrittenReply:
    """A reply; why it ended, as Inspect names it.

    Tokens are the model's own: those of the bundled models are the start, moves, and slots of a board.
    """

    text: str
    input_tokens: int
    output_tokens: int
    stop_reason: Literal["stop", "max_tokens", "model_length"] = "stop"


@dataclass(frozen=True, slots=True)
class ReplySettings:
    """How a model replies.

    Attributes:
        task: ``state``, ``actions``, ``continuation`` or ``legal_mass``.
        depth: Moves of a continuation, at least 1.
        temperature: At least 0; at 0 the likeliest token is taken each time. A list of moves, and
            probabilities, do not depend on it: nothing is drawn for them.
        least_probability: Of the moves in a list, above 0.
    """

    task: str = "state"
    depth: int = 4
    temperature: float = 0.0
    least_probability: float = LEAST_PROBABILITY

    def __post_init__(self) -> None:
        if self.task not in TASKS:
            raise InvalidArgumentError(
                f"task: expected one of {', '.join(TASKS)}, which the language models know, "
                f"got {self.task!r:.80}"
            )
        if self.depth < 1:
            raise InvalidArgumentError(f"depth: expected at least 1, got {self.depth!r}")
        if not 0 <= self.temperature < float("inf"):
            raise InvalidArgumentError(
                f"temperature: expected a number of at least 0, got {self.temperature!r}"
            )
        if not 0 < self.least_probability <= 1:
            raise InvalidArgumentError(
                f"least_probability: expected a number in (0, 1], got {self.least_probability!r}"
            )


def refuse_task(model: LanguageModel, task: str) -> None:
    """Refuse a task that a model was not trained for.

    Raises:
        InvalidArgumentError: If next moves are asked of a model that learned boards alone.
    """
    if task in TASKS and task != "state" and not model.names_moves:
        raise InvalidArgumentError(
            f"task: expected 'state', for which {model.name} was trained, got {task!r}; ask {PLAYER}, "
            "which was trained to name legal moves"
        )


def write_replies(
    model: LanguageModel,
    games: Sequence[Sequence[str]],
    settings: ReplySettings,
    seeds: Sequence[int],
) -> list[WrittenReply]:
    """Return a model's replies to games; where it cannot read the moves, it says so.

    A reply depends on the game's moves, the settings and its seed alone; where two tokens are equally
    likely to six digits, also on the games that are read together with it.

    Raises:
        InvalidArgumentError: If next moves are asked of a model that learned boards alone.
    """
    refuse_task(model, settings.task)
    replies = [refusal(moves) for moves in games]
    read = [index for index, reply in enumerate(replies) if reply is None]
    own_seeds = [derived_seed(seeds[index], "reply", *games[index]) for index in read]
    written = _texts(model, [games[index] for index in read], settings, own_seeds)
    for index, (text, tokens) in zip(read, written, strict=True):
        replies[index] = WrittenReply(text, 1 + len(games[index]), tokens)
    return [each for each in replies if each is not None]


def replies_along(model: LanguageModel, moves: Sequence[str], plies: Sequence[int]) -> list[str]:
    """Return a model's replies after these plies of one game, the likeliest token each time.

    They are those of `write_replies` for each ply alone.
    """
    refusals = {ply: refusal(moves[:ply]) for ply in plies}
    read = [ply for ply in plies if refusals[ply] is None]
    texts = dict(zip(read, model.write_states_along(moves, read), strict=True))
    return [texts[ply] if one is None else one.text for ply, one in refusals.items()]


def refusal_reply(reason: str) -> WrittenReply:
    """Return the reply of a model that cannot reply; it is ``absent`` in every task."""
    return WrittenReply(f"The language model cannot reply: {reason}.", 0, 0)


def refusal(moves: Sequence[str]) -> WrittenReply | None:
    """Return the reply to moves that the models cannot read, None if they can."""
    if len(moves) > MOST_PLIES:
        return refusal_reply(f"it reads at most {MOST_PLIES} plies, and these are {len(moves)}")
    try:
        read_moves(moves)
    except IllegalMoveError:
        return refusal_reply(
            "it reads moves in UCI, and one of these is in another notation, or none"
        )
    return None


def _texts(
    model: LanguageModel,
    games: Sequence[Sequence[str]],
    settings: ReplySettings,
    seeds: Sequence[int],
) -> list[tuple[str, int]]:
    temperature = settings.temperature
    if settings.task == "state":
        texts = model.write_states(games, temperature=temperature, seeds=seeds)
        return [(text, SLOTS) for text in texts]
    if settings.task == "actions":
        lines = [list(model.next_moves(moves, settings.least_probability)) for moves in games]
    elif settings.task == "legal_mass":
        masses = [model.next_moves(moves, SMALLEST) for moves in games]
        return [(mass_lines({move: Mass(mass) for move, mass in each.items()}), 1) for each in masses]  # fmt: skip
    else:
        lines = [
            model.next_line(moves, settings.depth, temperature=temperature, seed=seed)
            for moves, seed in zip(games, seeds, strict=True)
        ]
    return [("\n".join(line) or NONE, max(1, len(line))) for line in lines]


Query: TypeAlias = tuple[tuple[str, ...], int]
"""A game's moves, and a seed."""


def replies_of_processes(
    model: str, settings: ReplySettings, queries: Iterable[Query], jobs: int
) -> Iterator[list[tuple[Query, WrittenReply]]]:
    """Yield replies to games, a batch as it is done, in any order.

    Even one job is a process: on one thread, in batches that do not depend on the order or on
    ``jobs``, sums are rounded alike.
    """
    # Alike in length, so that little is filled up.
    games = sorted(queries, key=lambda one: (len(one[0]), one))
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


def _replies(model: str, settings: ReplySettings, batch: list[Query]) -> list[WrittenReply]:
    games, seeds = zip(*batch, strict=True)
    return write_replies(load_model(model), games, settings, seeds)
