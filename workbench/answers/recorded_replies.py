"""The recorded replies bundled with the workbench: boards written by real models.

They are those of the PGN2FEN benchmark (Aidan Cooper, 2025), moves and FENs alone; data/REPLIES.md
describes them.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Final

import pandas as pd

from workbench.errors import InvalidArgumentError, ReplyFileError
from workbench.installation import RESOURCES
from workbench.tables.parquet_tables import PREDICTIONS, read_table

WORLD_CUP: Final = "world_cup"
RANDOM_GAMES: Final = "random_games"
BASELINE: Final = "starting_board"
"""The model that answers the initial position to every question."""

_REPLIES: Final = RESOURCES / "data" / "replies.parquet"


def recorded_replies_path() -> Path:
    """Return the path of the recorded replies, a table of predictions."""
    if _REPLIES.is_file():
        return _REPLIES
    raise ReplyFileError(
        f"expected the recorded replies at {_REPLIES}, found none; install the package again"
    )


def recorded_replies(
    sets: Sequence[str] = (WORLD_CUP,), models: Sequence[str] = (), settings: Sequence[str] = ("",)
) -> pd.DataFrame:
    """Return recorded replies as rows of the PREDICTIONS schema.

    Args:
        sets: Of `WORLD_CUP` and `RANDOM_GAMES`; both if empty.
        models: Names of models; all if empty.
        settings: Settings, such as ``thinking=1024``, or the empty text for the default; all if
            there are none.
    """
    replies = read_table(recorded_replies_path(), PREDICTIONS)
    for name, names in (("set", sets), ("model", models), ("setting", settings)):
        unknown = sorted(set(names) - set(replies[name]))
        if unknown:
            raise InvalidArgumentError(
                f"{name}: expected names of {sorted(set(replies[name]))}, got {unknown}"
            )
        if names:
            replies = replies[replies[name].isin(names)]
    return replies.reset_index(drop=True)
