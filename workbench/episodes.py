"""Positions of any environment: episodes of given lengths, each action drawn uniformly.

Chess positions are usually cut from played games instead (`workbench.games`).
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from itertools import islice
from typing import Any, Final

import pandas as pd

from workbench.environment import Episode
from workbench.environments.registry import AnyEnvironment, environment_named
from workbench.errors import InvalidArgumentError, TableError
from workbench.tables.parquet_tables import POSITIONS
from workbench.tables.provenance import text_hash

DEFAULT_GROUPS: Final = (5, 10, 20)
DEFAULT_PER_GROUP: Final = 100


@dataclass(frozen=True)
class EpisodeSample:
    """Positions at the ends of random episodes, by the arguments of `sample_positions`.

    Attributes:
        environment: The name of the environment.
        groups: Lengths.
        per_group: Episodes of each length.
        seed: At least 0.
    """

    environment: str
    groups: tuple[int, ...] = DEFAULT_GROUPS
    per_group: int = DEFAULT_PER_GROUP
    seed: int = 0

    @cached_property
    def positions(self) -> pd.DataFrame:
        """Rows of the POSITIONS schema."""
        environment = environment_named(self.environment)
        return sample_positions(environment, self.groups, self.per_group, self.seed)

    @property
    def sha256(self) -> str:
        """The hash of the positions, in hexadecimal."""
        return text_hash(self.positions.to_json(orient="records"))

    def provenance(self) -> dict[str, Any]:
        """Return what a table of these positions is made from."""
        return {"stage": "positions", "episodes": asdict(self)}


def check_positions(positions: pd.DataFrame) -> None:
    """Refuse a table that lacks a column of positions, or the name of one, or has a name twice."""
    missing = [name for name in POSITIONS.names if name not in positions.columns]
    if missing:
        raise TableError(f"positions: expected the columns {POSITIONS.names}, missing: {missing}")
    named = positions["position_id"].map(lambda name: isinstance(name, str) and bool(name.strip()))
    if not named.all():
        row = int((~named).to_numpy().argmax())
        raise TableError(f"positions, row {row}: expected a position_id, got none")
    twice = positions["position_id"][positions["position_id"].duplicated()]
    if len(twice):
        raise TableError(f"positions: expected each position_id once, got {twice.iloc[0]!r} again")


def sample_positions(
    environment: AnyEnvironment, groups: Sequence[int], per_group: int, seed: int
) -> pd.DataFrame:
    """Return positions at the ends of random episodes.

    Args:
        environment: The environment.
        groups: Lengths, in the unit of the column ``group``: actions, or full moves of chess.
        per_group: Episodes of each length, at least 1; each another one.
        seed: At least 0; episode k of a length depends on environment, length, seed and k alone.

    Returns:
        Rows of the POSITIONS schema, one group after the other.
    """
    if not groups or min(groups) < 1 or len(set(groups)) < len(groups):
        raise InvalidArgumentError(
            f"expected different lengths of at least 1, got {list(groups)!r}"
        )
    if per_group < 1 or seed < 0:
        raise InvalidArgumentError(
            f"expected per_group of at least 1 and a seed of at least 0, got {per_group!r} and "
            f"{seed!r}"
        )
    rows = []
    for group in groups:
        episodes = environment.episodes(group * environment.actions_per_group, seed)
        for number, episode in enumerate(islice(episodes, per_group)):
            rows.append(_position(environment, group, number, seed, episode))
    return pd.DataFrame(rows, columns=POSITIONS.names)


def _position(
    environment: AnyEnvironment, group: int, number: int, seed: int, episode: Episode
) -> dict[str, object]:
    moves = environment.separator.join(episode.actions)
    episode_id = environment.episode_id(episode.initial, moves)
    # Two episodes of a small environment may be the same; their number tells them apart.
    return {
        "position_id": f"{episode_id}-{group:03d}-{number}",
        "environment": environment.name,
        "game_id": episode_id,
        "source": f"random episode {number} of seed {seed}",
        "group": group,
        "ply": len(episode.actions),
        "game_plies": len(episode.actions),
        "initial_state": episode.initial,
        "movetext": environment.movetext(episode.actions),
        "moves": moves,
        "true_state": episode.true,
    }
