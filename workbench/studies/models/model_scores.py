"""The scores of several models, settings or prompts, side by side.

From predictions tables that the user gives, else from the recorded replies. Each table is scored
once a folder of tables and found there by the next run. The simulated tracker, under several slip
rates, shows what a figure looks like and says nothing of any model.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, NamedTuple

import pandas as pd
import pyarrow as pa

from workbench.answers.game_clusters import prefix_counts
from workbench.answers.model_replies import simulate
from workbench.answers.recorded_replies import WORLD_CUP, recorded_replies, recorded_replies_path
from workbench.drawing.labels import some_of
from workbench.drawing.score_description import (
    convention_words,
    distinct_models,
    environment_of,
    episode_words,
    left_out,
    reply_count_words,
    with_names,
)
from workbench.errors import InvalidArgumentError, TableError
from workbench.scoring import ScoringParameters
from workbench.scoring.score_tables import read_scores
from workbench.seeds import derived_seed
from workbench.studies.data import (
    FIVE_GROUPS,
    LEAST_REPLIES,
    Source,
    positions_made_of,
    positions_of,
    refuse_nothing_scored,
    shortfall,
)
from workbench.studies.recorded_models import model_count_words
from workbench.studies.study_scores import (
    DefaultReplies,
    StoredTables,
    check_replies,
    recorded_scores,
    with_games,
)
from workbench.tables.parquet_tables import (
    POSITIONS,
    PREDICTIONS,
    REPLY_KEY,
    read_provenance,
    read_table,
    refuse_repeated_replies,
    setting_value,
)

SIMULATED: Final = "simulated trackers"
_RECORDED: Final = "recorded replies of PGN2FEN"
_GAMES: Final = pa.schema([*POSITIONS, PREDICTIONS.field("set")])


@dataclass(frozen=True, slots=True)
class Simulation:
    """The simulation used where it is asked for.

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
        """Check the arguments."""
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
        source: In words, where the rows are from.
        inputs: The files that were read.
        subject: What is compared, for the titles of figures; empty if the captions alone say it.
        prefixes: How many positions are placed in a game by their moves, see `prefix_counts`.
    """

    scores: pd.DataFrame
    source: str
    inputs: tuple[Path, ...] = ()
    subject: str = ""
    prefixes: Mapping[str, int] = field(default_factory=dict)

    @property
    def environment(self) -> str:
        """The name of the environment."""
        return environment_of(self.scores).name

    def reply_words(self) -> str:
        """Return the number of replies, of each class and in all."""
        replies = len(self.scores) - left_out(self.scores)["failed"]
        return f"{replies} replies, {reply_count_words(self.scores)}"

    def describe(self) -> str:
        """Return the caption of every figure drawn from these scores."""
        scores = self.scores
        positions, games = scores["position_id"].nunique(), scores["game"].nunique()
        return (
            f"{self.source}: {self.reply_words()}\n{positions} positions of {games} "
            f"{episode_words(self.environment)}; {convention_words(scores)}"
        )


class _Tables(NamedTuple):
    """Scores tables to compare, the positions that determine their games, and the words of a `Comparison`."""

    scores: list[pd.DataFrame]
    positions: list[pd.DataFrame] | None
    source: str
    inputs: tuple[Path, ...]
    subject: str = ""


def compare_models(
    tables: str | Path,
    predictions: str | Sequence[str],
    simulation: Simulation,
    parameters: ScoringParameters,
    *,
    replies: DefaultReplies = "recorded",
    least_replies: int = LEAST_REPLIES,
    scores: str = "",
    jobs: int = 1,
) -> Comparison:
    """Score the predictions of all models in some tables, or the recorded ones, or simulated ones.

    Where the rows are of several sets or settings, the models' names carry them
    (`distinct_models`).

    Args:
        tables: The folder that keeps scores, and simulated predictions.
        predictions: Paths of predictions tables; the file name distinguishes a model that is in
            several.
        simulation: What to simulate.
        parameters: The parameters of scoring.
        replies: If there are no predictions, ``recorded`` (of World Cup games) or ``simulated``.
        least_replies: Models with fewer recorded replies are left out, and named.
        scores: The scores of the one predictions table, if they were made before. Without that table
            each ``game_id`` is a game.
        jobs: Workers.

    Raises:
        TableError: If a reply is repeated, or two tables use one id for different positions.
        InvalidArgumentError: If scores are given with several predictions tables, no row has scores,
            or ``replies`` is neither.
        RunMismatchError: If they are of other predictions, or were made with other parameters.
    """
    paths, folder = _paths(predictions), Path(tables)
    if scores:
        return _compared(_scored_before(Path(scores), paths, parameters))
    check_replies(replies)
    if not paths and replies == "recorded":
        return _compared(_recorded(folder, parameters, least_replies, jobs))
    if not paths:
        name = "simulated-tracker rate={:g}"
        return _compared(_simulated(folder, name, simulation, parameters, jobs))
    own = _own_tables(folder, paths, parameters, jobs)
    models = [table["model"].drop_duplicates() for table in own.scores]
    tables_of = pd.concat(models).value_counts()
    for path, table in zip(paths, own.scores, strict=True):
        several = table["model"].map(tables_of) > 1
        table["model"] = table["model"].mask(several, table["model"] + f" ({path.stem})")
    return _compared(own)


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
        name = "simulated, {:g} slips a ply"
        simulated = _simulated(folder, name, simulation, parameters, jobs)
        for scores in simulated.scores:
            scores["prompt"], scores["model"] = scores["model"], "simulated-tracker"
        return _compared(simulated)
    if isinstance(prompts, Mapping):
        names, paths = list(prompts), _paths(prompts.values())
    else:
        paths = _paths(prompts)
        names = [prompt_of(path) for path in paths]
    own = _own_tables(folder, paths, parameters, jobs)
    for name, scores in zip(names, own.scores, strict=True):
        scores["prompt"] = name
    return _compared(own)


def compare_settings(
    tables: str | Path,
    predictions: str | Sequence[str],
    parameters: ScoringParameters,
    *,
    name: str = "thinking",
    jobs: int = 1,
) -> Comparison:
    """Score the replies of models that were asked at several values of a setting.

    Args:
        tables: The folder that keeps scores.
        predictions: Paths of predictions tables; the recorded replies on World Cup games if empty.
        parameters: The parameters of scoring.
        name: Of the setting; replies without it are left out.
        jobs: Workers.

    Raises:
        InvalidArgumentError: If no reply has such a setting.
        TableError: If a reply is repeated, or two tables use one id for different positions.
    """
    folder, paths = Path(tables), _paths(predictions)
    if paths:
        every = _own_tables(folder, paths, parameters, jobs)
    else:
        scores = recorded_scores(folder, parameters, settings=(), jobs=jobs)
        source, files = f"{_RECORDED}, set {WORLD_CUP}", (recorded_replies_path(),)
        every = _Tables([scores], [recorded_replies()], source, files)
    of_setting = [
        rows[[setting_value(one, name) != "" for one in rows["setting"]]] for rows in every.scores
    ]
    if all(rows.empty for rows in of_setting):
        raise InvalidArgumentError(
            f"{every.source}: expected replies with a setting {name}=VALUE, got none"
        )
    return _compared(every._replace(scores=of_setting), named=False)


def prompt_of(path: Path) -> str:
    """Return the prompt that a predictions table was asked with, as ``name@version``."""
    question = read_provenance(path).get("asked", {})
    prompt = question.get("prompt", {})
    if not prompt:
        raise InvalidArgumentError(
            f"{path}: expected a table made by `workbench ask`, which holds its prompt, found none; "
            "give the prompts by name, as in {'direct': 'predictions.parquet'}"
        )
    return f"{prompt['name']}@{prompt['version']}"


def _paths(predictions: str | Iterable[str]) -> list[Path]:
    listed = filter(None, [predictions]) if isinstance(predictions, str) else predictions
    return [Path(path) for path in listed]


def _scored_before(
    scores: Path, predictions: Sequence[Path], parameters: ScoringParameters
) -> _Tables:
    if len(predictions) > 1:
        raise InvalidArgumentError(
            f"{scores}: expected the one predictions table that these scores were made from, or none, "
            f"got {[str(path) for path in predictions]}; give that one"
        )
    table = with_names(read_scores(scores, parameters, next(iter(predictions), None)))
    if not predictions:
        source = f"{scores.name}, whose games are told apart by their game_id"
        return _Tables([table], None, source, (scores,))
    positions = read_table(predictions[0], _GAMES)
    return _Tables([table], [positions], predictions[0].name, (*predictions, scores))


def _recorded(
    folder: Path, parameters: ScoringParameters, least_replies: int, jobs: int
) -> _Tables:
    counts = recorded_replies()["model"].value_counts()
    enough = sorted(counts.index[counts >= least_replies])
    if not enough:
        raise InvalidArgumentError(
            f"expected a model with {least_replies} recorded replies, got {dict(counts)}"
        )
    scores = recorded_scores(folder, parameters, models=enough, jobs=jobs)
    fewer = [f"{name} ({counts[name]})" for name in sorted(set(counts.index) - set(enough))]
    without = f" (fewer than {least_replies} replies, left out: {', '.join(fewer)})"
    source = f"{_RECORDED}, set {WORLD_CUP}{without if fewer else ''}"
    subject = f"{model_count_words(enough)} on World Cup games"
    positions = recorded_replies(models=enough)
    return _Tables([scores], [positions], source, (recorded_replies_path(),), subject)


def _own_tables(
    folder: Path, paths: Sequence[Path], parameters: ScoringParameters, jobs: int
) -> _Tables:
    stored = StoredTables(folder)
    positions = [read_table(path, _GAMES) for path in paths]
    scored = [with_names(stored.scores(path, parameters, jobs=jobs)) for path in paths]
    source = some_of([path.name for path in paths], "tables")
    return _Tables(scored, positions, source, tuple(paths))


def _simulated(
    folder: Path, model: str, simulation: Simulation, parameters: ScoringParameters, jobs: int
) -> _Tables:
    source = Source(games=simulation.games, per_group=simulation.per_group, seed=simulation.seed)
    positions = positions_of(source, FIVE_GROUPS, folder)
    scored = []
    for rate in simulation.rates:

        def answers(name: str = model.format(rate), rate: float = rate) -> pd.DataFrame:
            samples = []
            for sample in range(simulation.samples):
                seed = derived_seed(simulation.seed, "compared", rate, sample)
                answer = simulate(positions, rate=rate, seed=seed, model_name=name)
                samples.append(answer.assign(sample=sample).astype({"sample": "int32"}))
            return pd.concat(samples, ignore_index=True)

        made_of = {
            "positions": positions_made_of(source, FIVE_GROUPS),
            "model": model.format(rate),
            "rate": rate,
            "samples": simulation.samples,
            "seed": simulation.seed,
        }
        scores = StoredTables(folder).scores_of_answers(answers, made_of, parameters, jobs=jobs)
        scored.append(scores)
    played = sorted(positions["source"].str.replace(r"[\W_]*\d+$", "", regex=True).unique())
    games = some_of([Path(name).name for name in simulation.games] or played, "sources")
    few = shortfall(positions, FIVE_GROUPS, simulation.per_group)
    source_words = f"simulated trackers on {games}{few}"
    files = tuple(map(Path, simulation.games))
    return _Tables(scored, [positions], source_words, files, SIMULATED)


def _compared(tables: _Tables, *, named: bool = True) -> Comparison:
    positions, source = tables.positions, tables.source
    played = None if positions is None else pd.concat(positions, ignore_index=True)
    scores = with_games(pd.concat(tables.scores, ignore_index=True), played)
    scores = distinct_models(scores) if named else scores
    if "prompt" not in scores:
        scores["prompt"] = ""
    _refuse_different_boards(scores)
    refuse_repeated_replies(scores, source, (*REPLY_KEY, "prompt"))
    refuse_nothing_scored(scores, source)
    prefixes = prefix_counts(scores.assign(moves=None) if played is None else played)
    return Comparison(scores, source, tables.inputs, tables.subject, prefixes)


def _refuse_different_boards(scores: pd.DataFrame) -> None:
    boards = scores[["position_id", "true_state"]].drop_duplicates()
    twice = boards["position_id"][boards["position_id"].duplicated()]
    if len(twice):
        raise TableError(
            f"position {twice.iloc[0]!r}: expected one true state, got "
            f"{boards.loc[boards['position_id'] == twice.iloc[0], 'true_state'].tolist()!r}; "
            "these tables use one id for different positions: compare them separately"
        )
