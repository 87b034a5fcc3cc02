"""Replies of a simulated tracker: it takes an episode's actions and makes random errors.

It replaces a model where none can be asked, and is labelled as simulated everywhere. How it slips is
a matter of the environment.
"""

from typing import Any

import numpy as np
import pandas as pd

from workbench.answers.answered_positions import asked_environment, predictions_table
from workbench.environment import check_tracker
from workbench.errors import InvalidArgumentError
from workbench.prediction import Prediction, ReplyClass
from workbench.seeds import derived_seed
from workbench.tasks import task_named


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

    Raises:
        InvalidArgumentError: If an argument is out of range, or the name hides the simulation.
        TableError: If a column is missing, or an id stands twice.
        IllegalMoveError: If the moves are no moves of chess.
    """
    check_tracker(rate, seed)
    name = model_name if model_name is not None else f"simulated-tracker rate={rate:g}"
    if not name.startswith("simulated"):
        raise InvalidArgumentError(
            f"model_name: expected a name that begins with 'simulated', got {name!r}"
        )
    environment, asked = asked_environment(positions), task_named(task)
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
            reply = asked.simulated_reply(environment, believed, depth, generator)
            prediction = asked.classify(environment, reply)
        replies.append({"task": task, "model": name, "reply": reply} | prediction.columns())
    return predictions_table(positions, replies)
