"""The positions, scores and games that the studies draw, prepared from a source of replies."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final, NamedTuple

import pandas as pd

from workbench.answers.imports.true_states import UNKNOWN_GROUP
from workbench.answers.model_replies import (
    model_in_tables,
    model_replies,
    predictions_table,
    simulate,
)
from workbench.answers.recorded_replies import BASELINE, WORLD_CUP, recorded_replies_path
from workbench.drawing.labels import some_of, span
from workbench.drawing.score_description import (
    describe_scores,
    distinct_models,
    environment_of,
    episode_words,
    reply_count_words,
    scored_rows,
)
from workbench.environments.registry import environment_in_table
from workbench.errors import InvalidArgumentError
from workbench.games.cut import cut_games, too_short_error
from workbench.games.game_tables import BUNDLED_NAME, bundled_games, bundled_games_path
from workbench.language_model.language_model import is_model, load_model, model_names, weights_path
from workbench.scoring import ScoringParameters
from workbench.studies.study_scores import StoredTables, check_replies, own_scores, recorded_scores
from workbench.tables.parquet_tables import POSITIONS, write_table
from workbench.tables.provenance import file_hash

FIVE_GROUPS: Final = (5, 16, 27, 38, 50)
TEN_GROUPS: Final = tuple(range(5, 51, 5))


DEFAULT_MODEL: Final = "gpt-4.1-2025-04-14"
LEAST_REPLIES: Final = 1000
"""Recorded replies that a model needs to be compared with the others."""


@dataclass(frozen=True, slots=True)
class Source:
    """The source of games and replies, and their numbers.

    Attributes:
        predictions: A predictions table; takes precedence over recorded and simulated replies.
        games: PGN files for a bundled model or the simulated tracker, plain, gzip or zstd; if there
            are none, the bundled games, for a bundled model those that it was not trained on.
        model: The one model that is drawn alone. If empty, `DEFAULT_MODEL` of the recorded
            replies, or all of the predictions together.
        per_group: Positions in each of the five groups that are cut from games; the ten groups
            have half as many each, so that both take as many games.
        rate: Slips per ply of the simulated tracker, in [0, 1].
        seed: Seed of the games, the cut and the simulated tracker.
        scores: A scores table; takes precedence over all of these but the model.
        replies: ``recorded``; or games answered by a bundled language model, such as ``small``; or
            ``simulated``, by the simulated tracker.
    """

    predictions: str = ""
    games: tuple[str, ...] = ()
    model: str = ""
    per_group: int = 40
    rate: float = 0.03
    seed: int = 0
    scores: str = ""
    replies: str = "recorded"

    def __post_init__(self) -> None:
        """Check the arguments."""
        if not self.by_model:
            check_replies(self.replies, model_names())

    @property
    def by_model(self) -> bool:
        """Whether a bundled language model replies."""
        return is_model(self.replies)


@dataclass(frozen=True, slots=True)
class StudyData:
    """Scores of one model by name, with what they are in words and the files read.

    Attributes:
        variants: Scores by the name of their grouping, or of their environment.
        games: Where the games are from.
        subject: Whose replies they are.
        models: The scores of all models that are compared, in the groups of the first variant.
        comparison: What a reader must know of these.
        inputs: The files that were read.
    """

    variants: Mapping[str, pd.DataFrame]
    games: str = ""
    subject: str = ""
    models: pd.DataFrame | None = None
    comparison: str = ""
    inputs: tuple[Path, ...] = field(default_factory=tuple)

    def describe(self, *, every_model: bool = False) -> str:
        """Return the caption of every figure drawn from these scores."""
        name, scores = next(iter(self.variants.items()))
        count, games = scores["position_id"].nunique(), scores["game"].nunique()
        return (
            f"{self.games}, {name}; {count} positions of {games} {episode_words(self.environment)}; "
            f"{describe_scores(scores, every_model=every_model)}"
            + (f"\n{self.comparison}" if self.comparison else "")
        )

    @property
    def environment(self) -> str:
        """The name of the environment."""
        return environment_of(next(iter(self.variants.values()))).name

    def positions(self) -> pd.DataFrame:
        """Return the positions that were asked about, each once, as rows of the POSITIONS schema.

        What a scores table does not hold of them, such as the moves, is None.
        """
        scores = next(iter(self.variants.values()))
        return scores.drop_duplicates("position_id", ignore_index=True).reindex(
            columns=POSITIONS.names, fill_value=None
        )


def positions_of(source: Source, groups: Sequence[int], tables: Path) -> pd.DataFrame:
    """Cut the source's games, or the bundled ones, into groups; done once a folder of tables.

    Where there are too few games they are shared out among the groups, see `shortfall`.
    """
    made_of = positions_made_of(source, groups)

    def make(path: Path) -> None:
        games: Any = game_files(source) if source.games else bundled_games()[made_of["first"] :]
        count = made_of["per_group"]
        cut = cut_games(
            games, groups=groups, per_group=count, seed=source.seed, allow_unfilled=True
        )
        if cut.positions.empty:
            raise too_short_error(games_named(source), min(groups), cut.summary)
        write_table(cut.positions, path, POSITIONS, {"stage": "positions", "made_of": made_of})

    return StoredTables(tables).table("positions", POSITIONS, made_of, make)


def shortfall(positions: pd.DataFrame, groups: Sequence[int], per_group: int) -> str:
    """Return in words, for a caption, what groups lack of the positions asked for."""
    counts = positions.drop_duplicates("position_id")["group"].value_counts()
    counts = counts.reindex(list(groups), fill_value=0)
    if counts.min() >= per_group:
        return ""
    empty = ", ".join(map(str, counts.index[counts == 0]))
    none = f", none after {empty} full moves" if empty else ""
    return (
        f" ({span(counts[counts > 0])} positions a group, where {per_group} were asked for{none})"
    )


def positions_made_of(source: Source, groups: Sequence[int]) -> dict[str, Any]:
    """Return what determines the positions of `positions_of`, as JSON can hold it."""
    share = 1 if len(groups) <= len(FIVE_GROUPS) else 2
    return {
        # The name is in the column ``source``.
        "games": [(path.name, file_hash(path)) for path in game_files(source)],
        "first": load_model(source.replies).training_games
        if source.by_model and not source.games
        else 0,
        "groups": list(groups),
        "per_group": max(1, source.per_group // share),
        "seed": source.seed,
    }


def prepare(
    tables: str | Path, source: Source, parameters: ScoringParameters, *, jobs: int = 1
) -> StudyData:
    """Return the scores of the source under two groupings, made now or found in the folder.

    Games are cut into the paper's five groups and, separately, into its ten. Recorded replies are
    in bands of ten full moves, given predictions and scores keep the groups they came with; their
    second grouping is by bands of five full moves.

    Args:
        tables: The folder that keeps positions and scores.
        source: Where games and replies come from.
        parameters: The parameters of scoring.
        jobs: Workers.

    Raises:
        InvalidArgumentError: If there is no row of the model asked for, or none that has scores.
        RunMismatchError: If the scores given were made with other parameters, or from other
            predictions.
        TableError: If a reply is repeated.
    """
    if source.scores or source.predictions:
        return _own(tables, source, parameters, jobs)
    if source.replies == "recorded":
        return _recorded(tables, source.model or DEFAULT_MODEL, parameters, jobs)
    variants = {
        name: replies_to_games(Path(tables), source, groups, parameters, jobs=jobs)
        for name, groups in (("five groups", FIVE_GROUPS), ("ten groups", TEN_GROUPS))
    }
    games = games_named(source)
    games += shortfall(variants["five groups"], FIVE_GROUPS, source.per_group)
    subject, inputs = "Simulated tracker", game_files(source)
    if source.by_model:
        subject = model_in_tables(source.replies)
        inputs = (*inputs, weights_path(source.replies))
    return StudyData(variants, games, subject, inputs=inputs)


def _recorded(
    tables: str | Path, model: str, parameters: ScoringParameters, jobs: int
) -> StudyData:
    path = recorded_replies_path()
    scores = recorded_scores(tables, parameters, sets=(WORLD_CUP,), jobs=jobs)
    counts = scores["model"].value_counts()
    few = [f"{name} ({count})" for name, count in counts.items() if count < LEAST_REPLIES]
    return StudyData(
        _in_bands(_of_model(scores, model, path), "bands of 10 full moves"),
        "World Cup games of PGN2FEN (2025)",
        f"{model} on World Cup games",
        scores[scores["model"].map(counts) >= LEAST_REPLIES],
        f"{BASELINE}: the baseline, which always answers the initial position; not compared, "
        f"because of fewer than {LEAST_REPLIES} replies: {', '.join(few)}",
        (path,),
    )


def _own(tables: str | Path, source: Source, parameters: ScoringParameters, jobs: int) -> StudyData:
    path = Path(source.scores or source.predictions)
    predictions = Path(source.predictions) if source.predictions else None
    games = _games_of((path,))
    scores = own_scores(
        path, parameters, scored=bool(source.scores), predictions=predictions, tables=Path(tables),
        jobs=jobs,
    )  # fmt: skip
    if predictions is None:
        games += ", which are told apart by their game_id"
    of_model = _of_model(scores, source.model, path)
    subject = some_of(sorted(of_model["model"].unique()), "models")
    models = distinct_models(scores)
    compared = models if models["model"].nunique() > 1 else None
    variants = _in_bands(of_model, "groups of the predictions")
    inputs = tuple(dict.fromkeys(filter(None, (path, predictions))))
    return StudyData(variants, games, subject, compared, inputs=inputs)


def _in_bands(scores: pd.DataFrame, first: str) -> dict[str, pd.DataFrame]:
    environment = environment_of(scores)
    unit = environment.actions_per_group
    edges = ((scores["ply"] - 1) // (5 * unit) + 1).clip(lower=1) * 5
    bands = scores.assign(group=edges.fillna(UNKNOWN_GROUP).astype("int32"))
    counted = f"{'full ' if unit > 1 else ''}{environment.action_noun}s"
    return {first: scores, f"bands of 5 {counted}": bands}


def written_states(
    positions: pd.DataFrame, states: Sequence[str], models: Sequence[str]
) -> pd.DataFrame:
    """Return predictions of states that are written out, one a position, with their models' names."""
    classify = environment_of(positions).classify_state
    replies: list[dict[str, Any]] = [
        {"task": "state", "model": model, "reply": state, **classify(state).columns()}
        for state, model in zip(states, models, strict=True)
    ]
    return predictions_table(positions, replies)


def replies_to_games(
    folder: Path, source: Source, groups: Sequence[int], parameters: ScoringParameters, *, jobs: int
) -> pd.DataFrame:
    """Return the scores of a bundled model's or the simulated tracker's replies, with their games."""
    made_of: dict[str, Any] = {"positions": positions_made_of(source, groups)}
    if source.by_model:
        made_of["weights"] = file_hash(weights_path(source.replies))
    else:
        made_of |= {"rate": source.rate, "seed": source.seed}

    def answers() -> pd.DataFrame:
        positions = positions_of(source, groups, folder)
        if source.by_model:
            return model_replies(positions, source.replies, jobs=jobs)
        return simulate(positions, rate=source.rate, seed=source.seed)

    scores = StoredTables(folder).scores_of_answers(answers, made_of, parameters, jobs=jobs)
    return scores.assign(game=scores["game_id"])


def _of_model(scores: pd.DataFrame, model: str, path: Path) -> pd.DataFrame:
    rows = scores[scores["model"] == model] if model else scores
    if rows.empty:
        raise InvalidArgumentError(
            f"{path}: expected rows of model {model!r}, got models "
            f"{sorted(scores['model'].unique())}"
        )
    refuse_nothing_scored(rows, path)
    return rows


def refuse_nothing_scored(scores: pd.DataFrame, where: object) -> None:
    """Refuse scores of which no study has anything to draw."""
    if scored_rows(scores).empty:
        raise InvalidArgumentError(
            f"{where}: expected replies with scores, got none of {len(scores)} rows: "
            f"{reply_count_words(scores)}"
        )


def game_files(source: Source) -> tuple[Path, ...]:
    """Return the files of a source's games, or that of the bundled ones."""
    return tuple(Path(name) for name in source.games) or (bundled_games_path(),)


def games_named(source: Source) -> str:
    """Return what a source's games are called on a figure."""
    if source.games:
        return _games_of(game_files(source))
    unseen = " that it was not trained on" if source.by_model else ""
    return f"games of {BUNDLED_NAME}{unseen}"


def _games_of(files: Sequence[Path]) -> str:
    return f"games of {some_of([path.name for path in files], 'files')}"


class TrueBoards(NamedTuple):
    """Positions for a study of boards, where the games are from in words, and the files read."""

    positions: pd.DataFrame
    games: str
    inputs: tuple[Path, ...]


def true_boards(tables: str | Path, source: Source, data: StudyData) -> TrueBoards:
    """Return the positions of the user's own predictions or scores, else of the source's games.

    The source's games are PGN files: replies in an environment that has none are of other states.
    """
    own = source.scores or source.predictions
    if own and environment_in_table(data.environment).movetext_format:
        return TrueBoards(data.positions(), data.games, data.inputs)
    every = replace(source, replies="recorded")
    positions = positions_of(every, FIVE_GROUPS, Path(tables))
    games = games_named(every) + shortfall(positions, FIVE_GROUPS, source.per_group)
    return TrueBoards(positions, games, game_files(every))
