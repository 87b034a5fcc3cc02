"""Scores of one model in several environments: the simulated tracker's, or of the user's own runs."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import pandas as pd
import pyarrow.parquet as pq

from workbench.answers.simulated_replies import simulate
from workbench.drawing.labels import some_of
from workbench.drawing.policy_words import finished_words, ill_formed_words
from workbench.drawing.scores_in_words import with_names
from workbench.environments.registry import (
    environment_in_table,
    environment_named,
    environment_of_table,
)
from workbench.episodes import sample_positions
from workbench.errors import InvalidArgumentError
from workbench.scoring import ScoringParameters, score, score_predictions
from workbench.studies.given_scores import read_scores
from workbench.studies.models.whole_games import whole_games
from workbench.tables.parquet_tables import PREDICTIONS, read_table
from workbench.tables.reply_identity import refuse_repeated_replies

SIX: Final = ("chess", "othello", "sokoban", "planning", "boxes", "programs")
"""The environments of the workbench."""


@dataclass(frozen=True, slots=True)
class EnvironmentRuns:
    """Scores of one model by the name of the environment.

    Attributes:
        scores: Rows of scores tables with the columns ``game`` (of the position, or its episode) and
            ``length`` (of the episode, in actions; -1 if it is unknown).
        source: In words, whose replies these are.
        inputs: The files that were read.
    """

    scores: Mapping[str, pd.DataFrame]
    source: str
    inputs: tuple[Path, ...] = ()

    def describe(self, parameters: ScoringParameters) -> str:
        """Return how finished lines and ill-formed states count, for captions."""
        ill_formed = ill_formed_words(parameters.ill_formed, states="states")
        return f"; {ill_formed}; {finished_words(parameters.terminal, episodes='episodes')}"


def simulated_runs(
    parameters: ScoringParameters,
    *,
    names: Sequence[str] = SIX,
    lengths: Sequence[int] = (2, 4, 8, 16, 32),
    per_length: int = 60,
    rate: float = 0.03,
    seed: int = 0,
    jobs: int = 1,
) -> EnvironmentRuns:
    """Let the simulated tracker write the state at the ends of random episodes, and score it.

    Args:
        parameters: The parameters of scoring.
        names: Of environments, at least one.
        lengths: Of episodes, in actions: multiples of each environment's ``actions_a_group``.
        per_length: Episodes of each length in each environment.
        rate: Probability of a slip at each action, in [0, 1].
        seed: Seed of episodes and slips.
        jobs: Workers.

    Raises:
        InvalidArgumentError: If there is no name, or an environment cannot have such lengths.
    """
    if not names:
        raise InvalidArgumentError(f"expected names of environments, such as {SIX}, got none")
    scores = {}
    for name in names:
        environment = environment_named(name)
        unit = environment.actions_a_group
        if odd := [length for length in lengths if length % unit]:
            raise InvalidArgumentError(
                f"{name}: expected lengths that are multiples of {unit} actions, got {odd!r}"
            )
        positions = sample_positions(
            environment, [length // unit for length in lengths], per_length, seed
        )
        predictions = simulate(positions, rate=rate, seed=seed)
        found = score(predictions, parameters, jobs=jobs)
        scores[name] = _with_lengths(found, found["game_id"])
    return EnvironmentRuns(scores, f"simulated tracker, {rate:g} slips an action")


def given_runs(
    paths: Sequence[str | Path], parameters: ScoringParameters, *, model: str = ""
) -> EnvironmentRuns:
    """Return the scores of the user's own runs of one model, one table an environment.

    Args:
        paths: Predictions tables, which are scored here, or scores tables, all of one task.
        parameters: The parameters of scoring; scores must have been made with them.
        model: The model; may be empty if all tables are of the same one alone.

    Raises:
        InvalidArgumentError: If two tables are of one environment, there are several models, or no
            row is of the one asked for.
        RunMismatchError: If scores were made with other parameters.
        TableError: If a table cannot be read, or repeats a reply.
    """
    scores: dict[str, pd.DataFrame] = {}
    for path in map(Path, paths):
        name = environment_of_table(path).name
        if name in scores:
            raise InvalidArgumentError(
                f"{path}: expected one table an environment, got a second one of {name!r}"
            )
        scores[name] = _scores_of(path, parameters)
    models = {each for table in scores.values() for each in table["model"]}
    if not model and len(models) != 1:
        raise InvalidArgumentError(
            f"expected runs of one model, got {some_of(sorted(models), 'models')}; choose one by "
            "the parameter model"
        )
    chosen = {
        name: table[(table["model"] == model) | (not model)] for name, table in scores.items()
    }
    asked = {each for table in chosen.values() for each in table["task"]}
    for name, table in chosen.items():
        if table.empty or len(asked) > 1:
            raise InvalidArgumentError(
                f"{name}: expected replies of {model or 'the model'} to one task, got tasks "
                f"{sorted(asked)} of {sorted(set(scores[name]['model']))}"
            )
    named = model or str(next(iter(models)))
    return EnvironmentRuns(chosen, named, tuple(map(Path, paths)))


def _scores_of(path: Path, parameters: ScoringParameters) -> pd.DataFrame:
    if "unscored" in pq.read_schema(path).names:
        found = read_scores(path, parameters)
        games = found["game_id"].fillna(found["position_id"])
    else:
        predictions = read_table(path, PREDICTIONS)
        found = score_predictions(predictions, parameters)
        games = found["position_id"].map(whole_games(predictions).games)
    refuse_repeated_replies(found, path)
    return _with_lengths(with_names(found), games)


def _with_lengths(scores: pd.DataFrame, games: pd.Series) -> pd.DataFrame:
    unit = environment_in_table(scores["environment"].iloc[0]).actions_a_group
    groups = scores["group"].astype("Int64").fillna(-1)
    return scores.assign(game=games, length=(groups * unit).where(groups > 0, -1).astype(int))
