"""The identity of a reply: its position, task, model, setting and sample number."""

from collections.abc import Sequence
from typing import Final

import numpy as np
import pandas as pd

from workbench.errors import TableError

REPLY_KEY: Final = ("position_id", "task", "model", "setting", "sample")
"""The columns that identify a reply; each reply is once in a table."""

UNNAMED: Final = {"task": "state", "setting": ""}
"""Values that identify nothing: every reply had them before these columns existed."""


def setting_value(setting: str, name: str) -> str:
    """Return the value that a reply's setting, ``NAME=VALUE``, gives to a name.

    Args:
        setting: Of the column ``setting``; data/README.md describes its form.
        name: Such as ``thinking``.

    Returns:
        The value as text; empty if the setting is of another name, or empty.
    """
    given, _, value = setting.partition("=")
    return value if given == name else ""


def refuse_repeated_replies(
    rows: pd.DataFrame, where: object, key: Sequence[str] = REPLY_KEY
) -> None:
    """Refuse rows in which a reply is repeated, because it would count twice.

    Args:
        rows: Of a predictions or scores table.
        where: Where they are from, for the message.
        key: The columns that name a reply.

    Raises:
        TableError: If a reply is repeated.
    """
    again = np.flatnonzero(rows.duplicated(list(key)))
    if len(again):
        first = rows.iloc[again[0]]
        raise TableError(
            f"{where}: expected each reply once, got {len(again)} rows again, the first in row "
            f"{again[0]}: {', '.join(f'{name} {first[name]!r}' for name in key)}; import the replies "
            "again, each file once, or give other replies another sample"
        )
