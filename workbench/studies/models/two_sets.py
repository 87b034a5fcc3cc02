"""Scores of replies to the two recorded sets of positions: World Cup games and random legal games."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import pandas as pd

from workbench.answers.recorded_replies import (
    BASELINE,
    RANDOM_GAMES,
    WORLD_CUP,
    recorded_replies,
    recorded_replies_path,
)
from workbench.answers.simulated_replies import simulate
from workbench.drawing.scores_in_words import counted_replies, counting_words, left_out, with_names
from workbench.errors import InvalidArgumentError
from workbench.scoring import ScoringParameters
from workbench.studies.models.whole_games import whole_games
from workbench.studies.recorded_scores import DefaultReplies, check_replies, recorded_scores
from workbench.studies.stored_tables import StoredTables
from workbench.tables.parquet_tables import PREDICTIONS, read_table
from workbench.tables.provenance import file_hash
from workbench.tables.reply_identity import refuse_repeated_replies

SETS: Final = (WORLD_CUP, RANDOM_GAMES)
SET_NAMES: Final = {WORLD_CUP: "World Cup games", RANDOM_GAMES: "random legal games"}
SIMULATED: Final = "simulated trackers"
BAND: Final = 20
"""Half-moves in a band of lengths."""
ALL_LENGTHS: Final = "all"


@dataclass(frozen=True, slots=True)
class TwoSets:
    """Scores of what answered both sets.

    Attributes:
        scores: Rows of the scores tables, with the columns ``game`` (each position's whole game),
            and ``length`` (upper edge of its band of `BAND` half-moves).
        source: In words, where the rows are from.
        whose: In words, for a title: what is compared.
        inputs: The files that were read.
    """

    scores: pd.DataFrame
    source: str
    whose: str
    inputs: tuple[Path, ...] = field(default_factory=tuple)

    def positions_in_words(self) -> str:
        """Return the number of positions, and of games, of each set."""
        of_sets = [(name, self.scores[self.scores["set"] == name]) for name in SETS]
        sets = " and ".join(
            f"{part['position_id'].nunique()} positions of {part['game'].nunique()} {SET_NAMES[name]}"
            for name, part in of_sets
        )
        return f"{self.source}: {sets}"

    def describe(self) -> str:
        """Return the caption of every figure drawn from these scores."""
        scores = self.scores
        replies = len(scores) - left_out(scores)["failed"]
        return (
            f"{self.positions_in_words()}; {replies} replies, {counted_replies(scores)}"
            f"\n{counting_words(scores)}"
        )


def scores_of_both(
    tables: str | Path,
    parameters: ScoringParameters,
    *,
    predictions: str = "",
    replies: DefaultReplies = "recorded",
    rates: Sequence[float] = (0.01, 0.03, 0.1),
    seed: int = 0,
    jobs: int = 1,
) -> TwoSets:
    """Return the scores of all models that answered both sets.

    Args:
        tables: The folder that keeps scores.
        parameters: The parameters of scoring.
        predictions: A predictions table with rows of both sets; takes precedence over ``replies``.
        replies: The recorded replies, or those of simulated trackers to the same positions.
        rates: Slips per ply of each simulated tracker, in [0, 1].
        seed: Seed of the simulated trackers.
        jobs: Workers.

    Raises:
        InvalidArgumentError: If no model answered both, or ``replies`` is neither.
        TableError: If a reply is repeated.
    """
    folder = Path(tables)
    check_replies(replies)
    if predictions:
        path = Path(predictions)
        scores = StoredTables(folder).scores(path, parameters, jobs=jobs)
        refuse_repeated_replies(scores, path)
        games = whole_games(read_table(path, PREDICTIONS)).games
        return _both(scores.assign(game=scores["position_id"].map(games)), path.name, path)
    path = recorded_replies_path()
    if replies == "recorded":
        scores = recorded_scores(folder, parameters, sets=SETS, jobs=jobs)
        return _both(scores, "recorded replies (PGN2FEN)", path)
    questions = recorded_replies(SETS, [BASELINE])

    def answers() -> pd.DataFrame:
        made = [simulate(questions, rate=rate, seed=seed) for rate in rates]
        return pd.concat([table.assign(set=questions["set"]) for table in made], ignore_index=True)

    made_of = {
        "positions": file_hash(path), "sets": list(SETS), "rates": list(rates), "seed": seed,
    }  # fmt: skip
    scores = StoredTables(folder).scores_of_made(answers, made_of, parameters, jobs=jobs)
    games = whole_games(questions).games
    return _both(scores.assign(game=scores["position_id"].map(games)), SIMULATED, path)


def _both(scores: pd.DataFrame, source: str, path: Path) -> TwoSets:
    scores = with_names(scores)
    set_up = scores["model"] + (", " + scores["setting"]).where(scores["setting"] != "", "")
    scores = scores.assign(model=set_up)
    answered = [set(scores.loc[scores["set"] == name, "model"]) for name in SETS]
    shared = answered[0] & answered[1]
    if not shared:
        raise InvalidArgumentError(
            f"{path}: expected a model with replies to both sets {SETS}, got "
            f"{sorted(answered[0])} and {sorted(answered[1])}; the column `set` names the set"
        )
    kept = scores[scores["set"].isin(SETS) & scores["model"].isin(shared)]
    edges = ((kept["ply"] - 1).clip(lower=0) // BAND + 1) * BAND
    models = len(shared - {BASELINE})
    whose = f"{models} {'model' if models == 1 else 'models'}"
    whose += " and the baseline" if BASELINE in shared else ""
    return TwoSets(
        kept.assign(length=edges).reset_index(drop=True),
        source,
        SIMULATED if source == SIMULATED else whose,
        (path,),
    )
