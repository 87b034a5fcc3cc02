"""The questions of a run: the positions of an evaluation, their order, and the messages for each."""

from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
import pandas as pd

from workbench.asking.prompts import Prompt
from workbench.environments.registry import (
    DEFAULT,
    environment_of,
    environment_of_table,
)
from workbench.episodes import DEFAULT_GROUPS, EpisodeSample, check_positions
from workbench.errors import InvalidArgumentError, TableError
from workbench.games.cut import cut_games
from workbench.games.game_tables import bundled_games
from workbench.games.lichess_games import DATABASE, MonthSource, cut_lichess, default_cache
from workbench.language_model.language_model import TRAINING_GAMES, is_model, load_model
from workbench.tables.parquet_tables import POSITIONS, read_provenance, read_table
from workbench.tables.provenance import file_hash, text_hash


def questions_of(positions: pd.DataFrame, prompt: Prompt) -> dict[str, tuple[str, ...]]:
    """Return the user's messages for each position, by ``position_id``, in the table's order."""
    check_positions(positions)
    if positions.empty:
        raise TableError("positions: expected at least one row, got none; cut more games")
    environment = environment_of(positions, "positions")
    start = environment.state_text(environment.automaton.initial)
    columns = ("position_id", "initial_state", "movetext", "moves")
    questions = {}
    for name, initial, movetext, moves in zip(*(positions[name] for name in columns), strict=True):
        actions = []
        if isinstance(moves, str) and not prompt.of_chess_alone:
            actions = environment.split_moves(moves)
            if not isinstance(movetext, str):
                movetext = environment.movetext(actions)
        first = initial if isinstance(initial, str) and initial else start
        questions[name] = prompt.questions(movetext, moves, name, first, len(actions))
    return questions


def in_asking_order(
    positions: pd.DataFrame, limit: int | None = None, seed: int | None = None
) -> pd.DataFrame:
    """Return positions so that the first N, for every N, are a sample of all groups alike.

    Within a group the order is that of the hashes of the ids: it looks random, has nothing to do
    with the table's order, and is the same every time.
    """
    names, groups = positions["position_id"].tolist(), positions["group"].tolist()
    keys = names if seed is None else [f"{seed} {name}" for name in names]
    rows = sorted(range(len(names)), key=lambda row: text_hash(keys[row]))
    counts: Counter[int] = Counter()
    rounds = {}
    for row in rows:
        rounds[row] = counts[groups[row]]
        counts[groups[row]] += 1
    return positions.iloc[sorted(rows, key=rounds.__getitem__)[:limit]]


GAME_GROUPS: Final = (5, 16, 27, 38, 50)
"""Full moves after which games are cut, as in the paper."""

PER_GROUP: Final = 100
"""Positions of each group where no limit is given. More are added by so many at a time, each time of
games and episodes that were not used before, so that those chosen for a smaller limit stay."""


@dataclass(frozen=True, slots=True)
class PositionChoice:
    """Which positions a model is asked about.

    Without a table or month: in chess, bundled games that tiny, small and medium were not trained on,
    the same for every model but player, which gets games that it was not trained on; elsewhere the
    ends of random episodes.

    Attributes:
        environment: The name of the environment.
        table: A positions table, or None.
        month: A month of the Lichess database such as ``2017-04``, or None.
        limit: How many, spread evenly over the groups, at least 1; None for the whole table, else
            `PER_GROUP` of each group. A smaller limit chooses among those of every larger one, but
            not of a month, of which no more is read than needed.
        seed: Seed of the choice, at least 0.
        address: Of the Lichess database or a mirror; it makes no difference to what is chosen.
        cache: Folder for what is downloaded; by default the user's.
        model: Who is to be asked.
    """

    environment: str = DEFAULT
    table: Path | None = None
    month: str | None = None
    limit: int | None = None
    seed: int = 0
    address: str = DATABASE
    cache: Path | None = None
    model: str = ""

    def __post_init__(self) -> None:
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
            actual = environment_of_table(self.table).name
            if actual != self.environment:
                raise InvalidArgumentError(
                    f"environment: expected {actual}, which the positions of {self.table} are of, got "
                    f"{self.environment!r}"
                )

    def description(self) -> dict[str, Any]:
        """Return what determines the positions, as JSON can hold it.

        Of a table, its hash does; ``table`` is only its name.
        """
        source: dict[str, Any]
        if self.table is not None:
            source = {"table": self.table.name, "table_sha256": file_hash(self.table)}
        elif self.month is not None:
            source = {"month": self.month}
        else:
            games = self.environment == DEFAULT
            source = {"source": "bundled games" if games else "random episodes"}
        return {"environment": self.environment, **source, "limit": self.limit, "seed": self.seed}

    def choose(self, *, progress: bool = False) -> tuple[pd.DataFrame, dict[str, Any]]:
        """Return the positions, and what they were made from, as JSON can hold it."""
        offered, made_of = self._offered(progress)
        frame = pd.concat(offered, ignore_index=True)
        numbers = np.repeat(range(len(offered)), [len(part) for part in offered])
        order = [
            row
            for _, part in frame.groupby(numbers)
            for row in in_asking_order(part, seed=self.seed).index
        ]
        return frame.loc[sorted(order[: self.limit])].reset_index(drop=True), made_of

    def _offered(self, progress: bool) -> tuple[list[pd.DataFrame], dict[str, Any]]:
        """Return the positions to choose among, all of a part before any of the next."""
        if self.table is not None:
            return [read_table(self.table, POSITIONS)], read_provenance(self.table)
        if self.environment != DEFAULT:
            return self._of_episodes()
        if self.month is not None:
            return self._of_month(self.month, progress)
        return self._of_bundled_games()

    def _of_episodes(self) -> tuple[list[pd.DataFrame], dict[str, Any]]:
        parts = self._parts(len(DEFAULT_GROUPS))
        sample = EpisodeSample(self.environment, per_group=PER_GROUP * parts, seed=self.seed)
        number = sample.positions.groupby("group").cumcount() // PER_GROUP
        return [part for _, part in sample.positions.groupby(number)], sample.provenance()

    def _of_month(self, month: str, progress: bool) -> tuple[list[pd.DataFrame], dict[str, Any]]:
        per_group = PER_GROUP if self.limit is None else -(-self.limit // len(GAME_GROUPS))
        source = MonthSource(
            month, self.cache or default_cache(), address=self.address, progress=progress
        )
        month_cut = cut_lichess(
            [source], groups=GAME_GROUPS, per_group=per_group, seed=self.seed, progress=progress
        )
        return [month_cut.cut.positions], month_cut.provenance

    def _of_bundled_games(self) -> tuple[list[pd.DataFrame], dict[str, Any]]:
        name = self.model.removeprefix("workbench/")
        first = load_model(name).training_games if is_model(name) else TRAINING_GAMES
        games = bundled_games()[first:]
        parts: list[pd.DataFrame] = []
        used: set[str] = set()
        for _ in range(self._parts(len(GAME_GROUPS))):
            left = [game for game in games if game.game_id not in used]
            cut = cut_games(left, groups=GAME_GROUPS, per_group=PER_GROUP, seed=self.seed)
            parts.append(cut.positions)
            used |= set(cut.positions["game_id"])
        return parts, {
            "sources": [f"bundled games from {first} on"],
            "groups": list(GAME_GROUPS),
            "per_group": PER_GROUP * len(parts),
            "seed": self.seed,
        }

    def _parts(self, groups: int) -> int:
        """Return how many times `PER_GROUP` positions of each group are needed."""
        return max(1, -(-(self.limit or 0) // (groups * PER_GROUP)))
