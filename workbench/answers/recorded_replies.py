"""The recorded replies bundled with the workbench: boards written by real models.

They are those of the PGN2FEN benchmark (Aidan Cooper, 2025), moves and FENs alone; and whole replies of
SmolLM2 in every environment and task, in a file of its own. data/REPLIES.md describes both.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Final

import pandas as pd

from workbench.environments.registry import DEFAULT
from workbench.errors import InvalidArgumentError, ReplyFileError
from workbench.installation import RESOURCES
from workbench.tables.parquet_tables import PREDICTIONS, read_table

WORLD_CUP: Final = "world_cup"
RANDOM_GAMES: Final = "random_games"
SMOLLM2: Final = "smollm2"
"""The set of SmolLM2's replies."""

BASELINE: Final = "starting_board"
"""The model that answers the initial position to every question."""

_REPLIES: Final = RESOURCES / "data" / "replies.parquet"
_SMOLLM2: Final = RESOURCES / "data" / SMOLLM2


def recorded_replies_path(smollm2: str = "") -> Path:
    """Return the path of the recorded replies, a table of predictions.

    Args:
        smollm2: The environment of SmolLM2's replies; those of PGN2FEN if empty.
    """
    path = _SMOLLM2 / f"{smollm2}.parquet" if smollm2 else _REPLIES
    if path.is_file():
        return path
    environments = sorted(each.stem for each in _SMOLLM2.glob("*.parquet"))
    if environments and smollm2 not in ("", *environments):
        raise InvalidArgumentError(
            f"environment: expected one of {environments}, got {smollm2!r:.80}"
        )
    raise ReplyFileError(
        f"expected the recorded replies at {path}, found none; install the package again"
    )


def recorded_replies(
    sets: Sequence[str] = (WORLD_CUP,),
    models: Sequence[str] = (),
    settings: Sequence[str] = ("",),
    environment: str = DEFAULT,
    task: str = "state",
) -> pd.DataFrame:
    """Return recorded replies as rows of the PREDICTIONS schema.

    Args:
        sets: Of `WORLD_CUP` and `RANDOM_GAMES`, both if empty; or `SMOLLM2` alone.
        models: Names of models; all if empty.
        settings: Settings, such as ``thinking=1024`` or ``prompt=few-shot``, or the empty text for the
            default; all if there are none.
        environment: Of the replies; `SMOLLM2` alone has others than chess.
        task: Of the replies; `SMOLLM2` alone has others than ``state``.
    """
    if SMOLLM2 in sets and set(sets) != {SMOLLM2}:
        raise InvalidArgumentError(
            f"set: expected {SMOLLM2!r} alone, whose positions are others, got {list(sets)}"
        )
    replies = read_table(recorded_replies_path(environment if SMOLLM2 in sets else ""), PREDICTIONS)
    kinds = [("environment", [environment]), ("task", [task])]
    for name, names in (("set", sets), ("model", models), *kinds, ("setting", settings)):
        unknown = sorted(set(names) - set(replies[name]))
        if unknown:
            raise InvalidArgumentError(
                f"{name}: expected names of {sorted(set(replies[name]))}, got {unknown}"
            )
        if names:
            replies = replies[replies[name].isin(names)]
    return replies.reset_index(drop=True)
