"""The positions of an evaluation: of a table, a month of Lichess, or those that come with the workbench."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import pandas as pd

from workbench.asking.questions import in_asking_order
from workbench.environments.registry import DEFAULT, environment_of_table
from workbench.episodes import DEFAULT_GROUPS, EpisodeSample
from workbench.errors import InvalidArgumentError
from workbench.games.bundled import bundled_games
from workbench.games.cut import cut_games
from workbench.games.lichess.lichess_cut import cut_lichess, default_cache
from workbench.games.lichess.month_source import DATABASE, MonthSource
from workbench.language_model.bundled_models import TRAINING_GAMES
from workbench.tables.parquet_tables import POSITIONS, read_provenance, read_table
from workbench.tables.provenance import file_hash

GAME_GROUPS: Final = (5, 16, 27, 38, 50)
"""Full moves after which games are cut, as in the paper."""

PER_GROUP: Final = 100
"""Positions of each group where no limit is given, and among which a smaller limit chooses."""


@dataclass(frozen=True, slots=True)
class ChosenPositions:
    """Which positions a model is asked about.

    Without a table or month: in chess, bundled games that no bundled language model was trained on,
    the same for every model; elsewhere the ends of random episodes.

    Attributes:
        environment: The name of the environment.
        table: A positions table, or None.
        month: A month of the Lichess database such as ``2017-04``, or None.
        limit: How many, spread evenly over the groups, at least 1; None for the whole table, else
            `PER_GROUP` of each group. A smaller limit chooses among those of a larger one, but not
            of a month, of which no more is read than needed.
        seed: Seed of the choice, at least 0.
        address: Of the Lichess database or a mirror; it makes no difference to what is chosen.
        cache: Folder for what is downloaded; by default the user's.

    Raises:
        InvalidArgumentError: If a value is out of range, there are a table and a month, or a month
            for another environment than chess.
        TableError: If the table cannot be read.
    """

    environment: str = DEFAULT
    table: Path | None = None
    month: str | None = None
    limit: int | None = None
    seed: int = 0
    address: str = DATABASE
    cache: Path | None = None

    def __post_init__(self) -> None:
        """Check the arguments."""
        if self.limit is not None and self.limit < 1:
            raise InvalidArgumentError(f"limit: expected at least 1, got {self.limit!r}")
        if self.seed < 0:
            raise InvalidArgumentError(f"seed: expected at least 0, got {self.seed!r}")
        if self.table is not None and self.month is not None:
            raise InvalidArgumentError(
                f"expected a table of positions or a month, got {self.table} and {self.month!r}"
            )
        if self.month is not None and self.environment != DEFAULT:
            raise InvalidArgumentError(
                f"environment: a month of Lichess has positions of {DEFAULT}, got "
                f"{self.environment!r}; leave the month out"
            )
        if self.table is not None:
            found = environment_of_table(self.table).name
            if found != self.environment:
                raise InvalidArgumentError(
                    f"environment: expected {found}, which the positions of {self.table} are of, got "
                    f"{self.environment!r}"
                )

    def described(self) -> dict[str, Any]:
        """Return what determines the positions, as JSON can hold it."""
        source: dict[str, Any]
        if self.table is not None:
            source = {"table": self.table.name, "table_sha256": file_hash(self.table)}
        elif self.month is not None:
            source = {"month": self.month}
        else:
            source = {"source": "bundled games" if self._of_games else "random episodes"}
        return {
            "environment": self.environment,
            **source,
            "limit": self.limit,
            "seed": self.seed,
        }

    def choose(self, *, progress: bool = False) -> tuple[pd.DataFrame, dict[str, Any]]:
        """Return the positions, and what they were made from, as JSON can hold it.

        Args:
            progress: Whether to show bars of games that are read, on standard error.

        Raises:
            RemoteFileError: If the month cannot be had.
            UnfilledGroupError: If there are too few games.
            TableError: If the table cannot be read.
        """
        frame, made_of = self._offered(progress)
        chosen = in_asking_order(frame, self.limit, self.seed)
        return frame.loc[sorted(chosen.index)].reset_index(drop=True), made_of

    @property
    def _of_games(self) -> bool:
        return self.environment == DEFAULT

    def _offered(self, progress: bool) -> tuple[pd.DataFrame, dict[str, Any]]:
        if self.table is not None:
            return read_table(self.table, POSITIONS), read_provenance(self.table)
        if not self._of_games:
            sample = EpisodeSample(
                self.environment, per_group=self._per_group(len(DEFAULT_GROUPS)), seed=self.seed
            )
            return sample.positions, sample.provenance()
        per_group = self._per_group(len(GAME_GROUPS))
        if self.month is not None:
            if self.limit is not None:
                per_group = -(-self.limit // len(GAME_GROUPS))
            source = MonthSource(
                self.month, self.cache or default_cache(), address=self.address, progress=progress
            )
            found = cut_lichess(
                [source], groups=GAME_GROUPS, per_group=per_group, seed=self.seed,
                progress=progress,
            )  # fmt: skip
            return found.cut.positions, found.provenance
        cut = cut_games(
            bundled_games()[TRAINING_GAMES:], groups=GAME_GROUPS, per_group=per_group,
            seed=self.seed,
        )  # fmt: skip
        return cut.positions, {
            "sources": [f"bundled games from {TRAINING_GAMES} on"],
            "groups": list(GAME_GROUPS),
            "per_group": per_group,
            "seed": self.seed,
        }

    def _per_group(self, groups: int) -> int:
        return max(PER_GROUP, -(-(self.limit or 0) // groups))
