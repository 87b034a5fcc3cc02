"""Replies to a table of positions, put beside them as a table of predictions."""

from collections.abc import Sequence
from typing import Any

import pandas as pd

from workbench.environment import Environment
from workbench.environments.registry import environment_of
from workbench.errors import TableError
from workbench.tables.parquet_tables import POSITIONS, PREDICTIONS


def asked_environment(positions: pd.DataFrame) -> Environment[Any, Any]:
    """Return the environment that all positions of a table are of.

    Raises:
        TableError: If a column is missing, or an id stands twice.
        InvalidArgumentError: If they are of several environments.
    """
    missing = [column for column in POSITIONS.names if column not in positions.columns]
    if missing:
        raise TableError(f"positions: expected the columns {POSITIONS.names}, missing: {missing}")
    twice = positions["position_id"][positions["position_id"].duplicated()]
    if len(twice):
        raise TableError(f"positions: expected each position_id once, got {twice.iloc[0]!r} again")
    return environment_of(positions, "positions")


def predictions_table(
    positions: pd.DataFrame, replies: Sequence[dict[str, Any]], samples: int = 1
) -> pd.DataFrame:
    """Return positions with their replies, as rows of the schema PREDICTIONS.

    Args:
        positions: With the columns of POSITIONS.
        replies: Columns that PREDICTIONS has beside those, by name; of each position in turn, as many
            as ``samples``. What is left out is empty.
        samples: Replies to each position, numbered in the column ``sample``.
    """
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
