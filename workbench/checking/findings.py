"""Anomalies found while reading the rows of a table: counts, with the first examples of each."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from workbench.checking.report import EXAMPLES, Oddity


class Findings:
    """Counts anomalies, chunk by chunk.

    Attributes:
        start: The number of the first row of the current chunk.
    """

    def __init__(self) -> None:
        self.start = 0
        self._counts: dict[str, int] = {}
        self._examples: dict[str, list[str]] = {}

    def add(self, what: str, wrong: "pd.Series[bool]", shown: Sequence[Any]) -> None:
        """Count the rows of the chunk for which ``wrong`` holds.

        Args:
            what: In words; the same words are counted together.
            wrong: One value per row.
            shown: What to show of each row.
        """
        places = np.flatnonzero(wrong.to_numpy(dtype=bool))
        for place in places:
            self.add_row(what, int(place), shown[int(place)])

    def add_row(self, what: str, place: int, shown: object) -> None:
        """Count one row of the chunk.

        Args:
            what: In words.
            place: Of the row in the chunk, from 0.
            shown: What to show of it.
        """
        self._counts[what] = self._counts.get(what, 0) + 1
        examples = self._examples.setdefault(what, [])
        if len(examples) < EXAMPLES:
            examples.append(f"row {self.start + place}: {shown}")

    def oddities(self) -> list[Oddity]:
        """Return what was found, in the order in which it was first found."""
        return [
            Oddity(what, count, tuple(self._examples[what])) for what, count in self._counts.items()
        ]
