"""The true boards of the studies' positions, for studies that need no replies."""

from dataclasses import dataclass, replace
from pathlib import Path

import pandas as pd

from workbench.studies.data import (
    FIVE_GROUPS,
    Source,
    StudyData,
    game_files,
    games_named,
    positions_of,
    shortfall,
)


@dataclass(frozen=True, slots=True)
class TrueBoards:
    """Positions for a study of boards that needs no replies.

    Attributes:
        positions: Rows of the POSITIONS schema.
        games: In words, where the games are from.
        inputs: The files that were read.
    """

    positions: pd.DataFrame
    games: str
    inputs: tuple[Path, ...]


def true_boards(tables: str | Path, source: Source, data: StudyData) -> TrueBoards:
    """Return the positions of given predictions or scores of chess, else of the source's games.

    Args:
        tables: The folder that keeps the positions.
        source: The games; all bundled ones if it names none.
        data: The result of `prepare` for the source.
    """
    if (source.scores or source.predictions) and data.environment == "chess":
        return TrueBoards(data.positions(), data.games, data.inputs)
    every = replace(source, replies="recorded")
    positions = positions_of(every, FIVE_GROUPS, Path(tables))
    games = games_named(every) + shortfall(positions, FIVE_GROUPS, source.per_group)
    return TrueBoards(positions, games, game_files(every))
