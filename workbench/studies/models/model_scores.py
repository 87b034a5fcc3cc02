"""The scores of several models, or prompts, side by side: from predictions tables, or simulated.

Given tables are scored once a folder of tables and found there by the next run. Without any, the
simulated tracker answers under several slip rates: a show of the figures, not of any model.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pandas as pd

from workbench.answers.simulated_tracker import simulate
from workbench.drawing.labels import some_of
from workbench.drawing.scores_in_words import counted_replies, left_out, with_names
from workbench.errors import InvalidArgumentError, TableError
from workbench.scoring import ScoringParameters
from workbench.seeds import derived_seed
from workbench.studies.data import (
    FIVE_GROUPS,
    Source,
    positions_made_of,
    positions_of,
    refuse_nothing_scored,
    shortfall,
)
from workbench.studies.given_scores import read_scores, refuse_other_predictions
from workbench.studies.models.whole_games import WholeGames, whole_games
from workbench.studies.stored_tables import StoredTables
from workbench.tables.parquet_tables import POSITIONS, read_provenance, read_table
from workbench.tables.reply_identity import REPLY_KEY, refuse_repeated_replies


@dataclass(frozen=True, slots=True)
class Simulation:
    """The simulation used where no predictions are given.

    Attributes:
        rates: Slips per ply of each simulated tracker, in [0, 1]; each at least once.
        games: PGN files; the project's own games if empty.
        per_group: Positions in each of the paper's five groups, at least 1.
        samples: Answers of each to each position, at least 1.
        seed: Seed of the games, the cut and the trackers.
    """

    rates: tuple[float, ...] = (0.003, 0.01, 0.03, 0.1)
    games: tuple[str, ...] = ()
    per_group: int = 40
    samples: int = 1
    seed: int = 0

    def __post_init__(self) -> None:
        """Check the arguments.

        Raises:
            InvalidArgumentError: If there is no rate, or no sample.
        """
        if not self.rates or len(set(self.rates)) != len(self.rates) or self.samples < 1:
            raise InvalidArgumentError(
                "expected different rates, at least one, and samples of at least 1, got "
                f"{self.rates!r}, {self.samples!r}"
            )


@dataclass(frozen=True, slots=True)
class Comparison:
    """Scores of what is compared.

    Attributes:
        scores: Rows of the scores tables, and the columns ``game`` (each position's game, as
            `whole_games` finds it) and ``prompt`` (empty where models are compared).
        games: How the positions' games were found.
        source: In words, where the rows are from.
        inputs: The files that were read.
    """

    scores: pd.DataFrame
    games: WholeGames
    source: str
    inputs: tuple[Path, ...] = field(default_factory=tuple)

    def describe(self) -> str:
        """Return the caption of every figure drawn from these scores."""
        scores = self.scores
        replies = len(scores) - left_out(scores)["failed"]
        policy = ", ".join(sorted(scores["ill_formed_policy"].unique()))
        terminal = ", ".join(sorted(scores["terminal"].unique()))
        return (
            f"{self.source}: {replies} replies, {counted_replies(scores)}"
            f"\n{scores['position_id'].nunique()} positions of {scores['game'].nunique()} games; "
            f"ill-formed boards: {policy}; finished games: {terminal}"
        )


def compare_models(
    tables: str | Path,
    predictions: str | Sequence[str],
    simulation: Simulation,
    parameters: ScoringParameters,
    *,
    scores: str = "",
    jobs: int = 1,
) -> Comparison:
    """Score the predictions of all models in some tables, or of simulated trackers.

    Args:
        tables: The folder that keeps scores, and simulated predictions.
        predictions: Paths of predictions tables; the file name distinguishes a model that is in
            several. If empty, trackers are simulated.
        simulation: What to simulate.
        parameters: The parameters of scoring.
        scores: The scores of the one predictions table, if they were made before.
        jobs: Workers.

    Raises:
        TableError: If a reply is repeated, or two tables use one id for different positions.
        InvalidArgumentError: If scores are given without their predictions, or no row has scores.
        RunMismatchError: If they are of other predictions, or were made with other parameters.
    """
    paths = [Path(predictions)] if isinstance(predictions, str) and predictions else []
    if not isinstance(predictions, str):
        paths = [Path(name) for name in predictions]
    folder = Path(tables)
    if scores:
        return _scored_before(Path(scores), paths, parameters)
    if not paths:
        named = {f"simulated-tracker rate={rate:g}": rate for rate in simulation.rates}
        positions, scored, source = _simulated(folder, named, simulation, parameters, jobs)
        files = tuple(Path(name) for name in simulation.games)
        return _compared(positions, scored, source, files)
    positions, scored = _given(folder, paths, parameters, jobs)
    tables_of = pd.concat([table["model"].drop_duplicates() for table in scored]).value_counts()
    for path, table in zip(paths, scored, strict=True):
        several = table["model"].map(tables_of) > 1
        table["model"] = table["model"].mask(several, table["model"] + f" ({path.stem})")
        table["prompt"] = ""
    return _compared(
        positions, scored, some_of([path.name for path in paths], "tables"), tuple(paths)
    )


def compare_prompts(
    tables: str | Path,
    prompts: Mapping[str, str] | Sequence[str],
    simulation: Simulation,
    parameters: ScoringParameters,
    *,
    jobs: int = 1,
) -> Comparison:
    """Score the predictions under several prompts, or of simulated trackers in their place.

    Args:
        tables: The folder that keeps scores, and simulated predictions.
        prompts: Predictions tables by the prompt's name; or their paths alone, where
            ``workbench ask`` made them: its tables hold the prompt's name and version.
        simulation: What to simulate if there are none; each rate replaces a prompt.
        parameters: The parameters of scoring.
        jobs: Workers.

    Raises:
        InvalidArgumentError: If a table does not say its prompt, and no name was given.
        TableError: If a reply is repeated, or two tables use one id for different positions.
    """
    folder = Path(tables)
    if not prompts:
        named = {f"simulated, {rate:g} slips a ply": rate for rate in simulation.rates}
        positions, scored, source = _simulated(folder, named, simulation, parameters, jobs)
        for scores in scored:
            scores["prompt"], scores["model"] = scores["model"], "simulated-tracker"
        files = tuple(Path(name) for name in simulation.games)
        return _compared(positions, scored, source, files)
    if isinstance(prompts, Mapping):
        names, paths = list(prompts), [Path(path) for path in prompts.values()]
    else:
        paths = [Path(path) for path in prompts]
        names = [prompt_of(path) for path in paths]
    positions, scored = _given(folder, paths, parameters, jobs)
    for name, scores in zip(names, scored, strict=True):
        scores["prompt"] = name
    return _compared(
        positions, scored, some_of([path.name for path in paths], "tables"), tuple(paths)
    )


def prompt_of(path: Path) -> str:
    """Return the prompt that a predictions table was asked with, as ``name@version``.

    Raises:
        InvalidArgumentError: If the table does not say it.
    """
    asked = read_provenance(path).get("asked", {})
    prompt = asked.get("prompt", {})
    if not prompt:
        raise InvalidArgumentError(
            f"{path}: expected a table made by `workbench ask`, which holds its prompt, found none; "
            "give the prompts by name, as in {'direct': 'predictions.parquet'}"
        )
    return f"{prompt['name']}@{prompt['version']}"


def _scored_before(
    scores: Path, predictions: Sequence[Path], parameters: ScoringParameters
) -> Comparison:
    if len(predictions) != 1:
        raise InvalidArgumentError(
            f"{scores}: models are compared by game, and the moves that identify the games are not "
            "in the scores: also give the one predictions table that the scores were made from, "
            f"got {[str(path) for path in predictions]}"
        )
    refuse_other_predictions(scores, predictions[0])
    table = with_names(read_scores(scores, parameters)).assign(prompt="")
    positions = read_table(predictions[0], POSITIONS)
    return _compared([positions], [table], predictions[0].name, (*predictions, scores))


def _given(
    folder: Path, paths: Sequence[Path], parameters: ScoringParameters, jobs: int
) -> tuple[list[pd.DataFrame], list[pd.DataFrame]]:
    stored = StoredTables(folder)
    positions = [read_table(path, POSITIONS) for path in paths]
    scored = [with_names(stored.scores(path, parameters, jobs=jobs)) for path in paths]
    return positions, scored


def _simulated(
    folder: Path,
    rates: Mapping[str, float],
    simulation: Simulation,
    parameters: ScoringParameters,
    jobs: int,
) -> tuple[list[pd.DataFrame], list[pd.DataFrame], str]:
    source = Source(games=simulation.games, per_group=simulation.per_group, seed=simulation.seed)
    positions = positions_of(source, FIVE_GROUPS, folder)
    scored = []
    for name, rate in rates.items():

        def answers(name: str = name, rate: float = rate) -> pd.DataFrame:
            samples = []
            for sample in range(simulation.samples):
                seed = derived_seed(simulation.seed, "compared", rate, sample)
                answer = simulate(positions, rate=rate, seed=seed, model_name=name)
                samples.append(answer.assign(sample=sample).astype({"sample": "int32"}))
            return pd.concat(samples, ignore_index=True)

        made_of = {
            "positions": positions_made_of(source, FIVE_GROUPS),
            "model": name,
            "rate": rate,
            "samples": simulation.samples,
            "seed": simulation.seed,
        }
        scores = StoredTables(folder).scores_of_made(answers, made_of, parameters, jobs=jobs)
        scored.append(scores.assign(prompt=""))
    played = sorted(positions["source"].str.replace(r"[\W_]*\d+$", "", regex=True).unique())
    games = some_of([Path(name).name for name in simulation.games] or played, "sources")
    few = shortfall(positions, FIVE_GROUPS, simulation.per_group)
    return [positions], scored, f"simulated trackers on {games}{few}"


def _compared(
    positions: Sequence[pd.DataFrame],
    scored: Sequence[pd.DataFrame],
    source: str,
    inputs: tuple[Path, ...],
) -> Comparison:
    games = whole_games(pd.concat(positions, ignore_index=True))
    scores = pd.concat(scored, ignore_index=True)
    _refuse_different_boards(scores)
    refuse_repeated_replies(scores, source, (*REPLY_KEY, "prompt"))
    refuse_nothing_scored(scores, source)
    scores["game"] = scores["position_id"].map(games.games)
    return Comparison(scores, games, source, inputs)


def _refuse_different_boards(scores: pd.DataFrame) -> None:
    boards = scores[["position_id", "true_fen"]].drop_duplicates()
    twice = boards["position_id"][boards["position_id"].duplicated()]
    if len(twice):
        raise TableError(
            f"position {twice.iloc[0]!r}: expected one true FEN, got "
            f"{boards.loc[boards['position_id'] == twice.iloc[0], 'true_fen'].tolist()!r}; "
            "these tables use one id for different positions: compare them separately"
        )
