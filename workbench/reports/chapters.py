"""The runs of a report, divided into chapters of comparable replies, with reference scores."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

import numpy as np
import pandas as pd

from workbench.answers.game_clusters import whole_games
from workbench.answers.recorded_replies import BASELINE, recorded_replies, recorded_replies_path
from workbench.asking.journal import asking_began
from workbench.asking.run_folder import RUN_FILE, RunFolder
from workbench.drawing.labels import labels
from workbench.drawing.score_description import (
    answer_words,
    distinct_models,
    scored_rows,
    with_names,
)
from workbench.environments.registry import (
    DEFAULT,
    AnyEnvironment,
    environment_in_table,
    environment_of,
)
from workbench.errors import InvalidArgumentError, RunMismatchError, TableError
from workbench.explore.run.failure_causes import depths_of
from workbench.reports.page_parts import counted
from workbench.scoring import ScoringParameters
from workbench.scoring.parameters import COPIED
from workbench.scoring.score_tables import read_scores, refuse_other_predictions, score
from workbench.seeds import derived_seed
from workbench.studies.study_scores import with_games
from workbench.tables.parquet_tables import (
    POSITIONS,
    PREDICTIONS,
    read_packages,
    read_provenance,
    read_table,
    refuse_repeated_replies,
)
from workbench.tables.provenance import file_hash
from workbench.tasks import task_named

SCORES_FILE: Final = "scores.parquet"
PREDICTIONS_FILE: Final = "predictions.parquet"
"""The tables in the folder of a run."""

_NEEDED: Final = (*COPIED, "terminal", "ill_formed_policy", "method", "unscored")


@dataclass(frozen=True, slots=True)
class ReportedRun:
    """The tables of a run.

    Attributes:
        name: What the page calls it: the name of its folder or file.
        scores: Rows of a scores table with the column ``game``, the game that is resampled whole.
        predictions: The rows of PREDICTIONS that were scored, or None if they are not available.
        scoring: The provenance of the scores: parameters, code, and hash of the predictions.
        question: As the run's folder or the predictions describe it (model, prompt with
            its text and hash, temperature, ...); empty if they do not.
        provenance: That of the predictions, but ``asked`` and ``versions``.
        versions: Packages and their versions at the time of asking, if known.
        packages: Packages and their versions at the time of scoring, if known.
        date: When asking began, as ISO 8601; empty if unknown.
        inputs: The files that were read.
    """

    name: str
    scores: pd.DataFrame
    predictions: pd.DataFrame | None = None
    scoring: Mapping[str, Any] = field(default_factory=dict)
    question: Mapping[str, Any] = field(default_factory=dict)
    provenance: Mapping[str, Any] = field(default_factory=dict)
    versions: Mapping[str, str] = field(default_factory=dict)
    packages: Mapping[str, str] = field(default_factory=dict)
    date: str = ""
    inputs: tuple[Path, ...] = ()

    @property
    def environment(self) -> AnyEnvironment:
        """The environment of its rows."""
        return environment_of(self.scores, self.name)


def read_run(path: Path, predictions: Path | None = None) -> ReportedRun:
    """Read a run from its folder, or from its scores.

    The predictions are those given, else the table with the hash that the scores name: beside the
    scores, or the recorded replies. Without them there are no texts of replies, no cost, and games
    are those that the scores name.
    """
    scores_path = _scores_in(path) if path.is_dir() else path
    scores = read_scores(scores_path)
    if missing := [name for name in _NEEDED if name not in scores]:
        raise TableError(
            f"{scores_path}: expected a scores table, and of its columns {missing} are missing; make "
            "one by `workbench score`"
        )
    refuse_repeated_replies(scores, scores_path)
    scored = read_provenance(scores_path)
    if predictions is None and path.is_dir() and (path / PREDICTIONS_FILE).exists():
        predictions = path / PREDICTIONS_FILE
    if predictions is None:
        predictions = _predictions_beside(scores_path, scored)
    else:
        refuse_other_predictions(scores_path, predictions)
    table = None if predictions is None else read_table(predictions, PREDICTIONS)
    provenance = {} if predictions is None else read_provenance(predictions)
    folder = RunFolder(scores_path.parent)
    description = folder.description()
    return ReportedRun(
        name=_name_of(path.resolve()),
        scores=scores if "game" in scores else with_games(scores, table),
        predictions=table,
        scoring=scored,
        question=provenance.get("asked") or description.get("question", {}),
        provenance={
            name: value for name, value in provenance.items() if name not in ("asked", "versions")
        },
        versions=provenance.get("versions") or description.get("versions", {}),
        packages=read_packages(scores_path),
        date=asking_began(folder.path) if description else "",
        inputs=tuple(each for each in (scores_path, predictions) if each is not None),
    )


def _name_of(path: Path) -> str:
    if path.is_file():
        return path.parent.name if path.name == SCORES_FILE else path.stem
    return path.name


def _scores_in(folder: Path) -> Path:
    """Return the scores in a folder, or say which command makes them."""
    scores, predictions = folder / SCORES_FILE, folder / PREDICTIONS_FILE
    if scores.exists():
        return scores
    expected = f"{folder}: expected the folder of a run with {SCORES_FILE}"
    if predictions.exists():
        raise TableError(
            f"{expected}, found predictions that are not scored; run `workbench score {predictions} "
            f"-o {scores}`"
        )
    if (folder / RUN_FILE).exists():
        raise TableError(
            f"{expected}, found one without predictions: asking has not ended; run the same "
            "`workbench ask` again"
        )
    raise TableError(
        f"{expected} and {PREDICTIONS_FILE}, found neither; make one by `workbench ask -o RUN_DIR`, "
        "then `workbench score`"
    )


def _predictions_beside(scores: Path, scored: Mapping[str, Any]) -> Path | None:
    """Return the table that was scored: a file beside the scores, or the recorded replies."""
    digest = scored.get("predictions_sha256")
    if not digest:
        return None
    beside = sorted(scores.parent.glob("*.parquet"))
    others = (each for each in [*beside, recorded_replies_path()] if each != scores)
    return next((each for each in others if file_hash(each) == digest), None)


_KEY = ("environment", "task", "set")
_ALIKE = ("terminal", "ill_formed_policy", "method")
_LONGEST_NAME = 80


@dataclass(frozen=True, slots=True)
class Chapter:
    """The replies of one environment, task and set of positions.

    Attributes:
        environment: The environment.
        task: The name of the task.
        set: The set of positions; empty if the source has one alone.
        depth: m of p_m and r_m.
        scores: Rows of scores tables with the columns ``game`` (found over all runs), ``run`` (the
            name of the run) and ``prompt`` (empty). ``model`` tells apart what is compared: it carries the setting, and
            the run, where these differ; ``asked`` is the model's name as it was.
        predictions: The rows behind them whose run has them, with moves and texts.
        references: Scores of the recorded models at the same positions and of the baseline, with the
            same columns; none if there are none.
        notes: What a reader must know of them, in sentences.
    """

    environment: AnyEnvironment
    task: str
    set: str
    depth: int
    scores: pd.DataFrame
    predictions: pd.DataFrame
    references: pd.DataFrame = field(default_factory=pd.DataFrame)
    notes: tuple[str, ...] = ()

    @property
    def title(self) -> str:
        """The heading: environment, task unless it is the state, and set."""
        parts = [self.environment.title, "" if self.task == "state" else f"task {self.task}"]
        words = ", ".join(each for each in [*parts, self.set.replace("_", " ")] if each)
        return words[:1].upper() + words[1:]

    @property
    def symbol(self) -> str:
        """What the headline measure is called: p_m."""
        return f"p_{self.depth}"

    @property
    def answer(self) -> str:
        """What a reply gives, in words: a FEN, a list of moves, ..."""
        return answer_words(self.scores)

    @property
    def models(self) -> list[str]:
        """What is compared, in order."""
        return sorted(self.scores["model"].unique())

    @property
    def measures_text(self) -> bool:
        """Whether replies are states, which have exact match and edit distance."""
        return self.task == "state"

    def all_scores(self) -> pd.DataFrame:
        """Return the scores with those beside them."""
        return pd.concat([self.scores, self.references], ignore_index=True)


def chapters_of(runs: Sequence[ReportedRun], depth: int | None = None) -> list[Chapter]:
    """Put the replies of runs into chapters, within which they may be compared."""
    names = labels((run.name for run in runs), _LONGEST_NAME)
    if len(names) < len(runs):
        names = {}
    tables = []
    for index, run in enumerate(runs, start=1):
        name = names.get(run.name, f"{run.name} ({index})").replace(r"\$", "$")
        tables.append(with_names(run.scores).assign(run=name, prompt=""))
    predictions = [with_names(run.predictions) for run in runs if run.predictions is not None]
    texts = pd.concat(predictions, ignore_index=True) if predictions else pd.DataFrame()
    depths = chapter_depths(runs, depth)
    chapters = []
    for key, part in pd.concat(tables, ignore_index=True).groupby(list(_KEY)):
        environment, task, of_set = map(str, key)
        _refuse_scored_otherwise(part)
        _refuse_other_states(part)
        own = texts
        if len(texts):
            own = texts[(texts[list(_KEY)] == pd.Series(key, _KEY)).all(axis=1)]
        if part["run"].nunique() > 1:
            part = _with_common_games(part, own)
        m = depths[environment, task, of_set]
        of_rows = environment_in_table(environment)
        chapters.append(Chapter(of_rows, task, of_set, m, _named_apart(part), own))
    return sorted(chapters, key=lambda chapter: -len(chapter.scores))


def chapter_depths(
    runs: Sequence[ReportedRun], depth: int | None = None
) -> dict[tuple[str, str, str], int]:
    """Return m of each chapter of runs, by environment, task and set."""
    depths_of_keys: dict[tuple[str, str, str], list[set[int]]] = {}
    for run in runs:
        depths = set(depths_of(run.scores))
        keys = run.scores[list(_KEY)].fillna({"set": ""}).drop_duplicates()
        for key in keys.itertuples(index=False, name=None):
            depths_of_keys.setdefault(key, []).append(depths)
    return {key: _depth_of(key[1], of_runs, depth) for key, of_runs in depths_of_keys.items()}


def _depth_of(task: str, depths: Sequence[set[int]], depth: int | None) -> int:
    common = set.intersection(*depths)
    if not common or depth not in {None, *common}:
        raise InvalidArgumentError(
            f"depth: expected one that all scores have, of {[sorted(each) for each in depths]}, got "
            f"{depth!r}; score again with the same --depth"
        )
    # A list or a choice of actions says nothing about later ones.
    return 1 if task in ("actions", "legal_mass") and 1 in common else depth or max(common)


def _refuse_scored_otherwise(part: pd.DataFrame) -> None:
    for name in _ALIKE:
        values = part.groupby(name)["run"].unique()
        if len(values) > 1:
            values_of_runs = "; ".join(
                f"{value!r} in {', '.join(runs)}" for value, runs in values.items()
            )
            raise RunMismatchError(
                f"{name}: expected runs that were scored alike, got {values_of_runs}; score them again with "
                "the same options, or report them separately"
            )


def _refuse_other_states(part: pd.DataFrame) -> None:
    states = part.dropna(subset="true_state").drop_duplicates(["position_id", "true_state"])
    repeated = states[states["position_id"].duplicated(keep=False)]
    if len(repeated):
        name = repeated["position_id"].iloc[0]
        first, other, *_ = repeated[repeated["position_id"] == name].to_dict("records")
        raise RunMismatchError(
            f"position {name!r:.80}: expected one true state, got {first['true_state']!r:.120} in "
            f"{first['run']} and {other['true_state']!r:.120} in {other['run']}, and "
            f"{counted(repeated['position_id'].nunique(), 'such position')} in all; one id is used for "
            "different positions: report the runs separately, or give the positions other ids"
        )


def _with_common_games(part: pd.DataFrame, texts: pd.DataFrame) -> pd.DataFrame:
    """Return rows whose games are found by the moves of all runs, whichever has the longest line."""
    if texts.empty:
        return part
    # Of a position that only some runs have moves for, these count.
    ordered = texts.sort_values("moves", na_position="last", kind="stable")
    games = whole_games(ordered.drop_duplicates("position_id"))
    return part.assign(game=part["position_id"].map(games).fillna(part["game"]))


def _named_apart(part: pd.DataFrame) -> pd.DataFrame:
    """Return rows whose models carry their setting and run where the name alone is not enough."""
    of_runs = part.groupby(["model", "setting"])["run"].transform("nunique") > 1
    apart = distinct_models(part)
    names = apart["model"].where(~of_runs, apart["model"] + " (" + apart["run"] + ")")
    short = labels(names.unique(), _LONGEST_NAME)
    plain = {name: text.replace(r"\$", "$").strip() for name, text in short.items()}
    return apart.assign(asked=part["model"], model=names.map(plain)).reset_index(drop=True)


def has_scores(chapter: Chapter) -> bool:
    """Return whether any reply of a chapter has scores."""
    return not scored_rows(chapter.scores).empty


_SEED: Final = 0


def with_references(chapter: Chapter, *, jobs: int = 1) -> Chapter:
    """Return a chapter with reference scores: those of the baseline and of recorded models.

    The baseline answers every question as if no action had been taken: in chess by the initial
    position. Recorded models are compared at positions whose id and true state are those of
    `workbench.answers.recorded_replies`. What is among the chapter's own models is not repeated.
    """
    positions = scored_rows(chapter.scores).drop_duplicates("position_id")
    if positions.empty:
        return chapter
    replies, notes = [], chapter.notes
    own = set(chapter.scores["asked"])
    if chapter.task == "state":
        recorded = recorded_replies(sets=())
        true_states = positions.set_index("position_id")["true_state"]
        same = recorded["position_id"].map(true_states) == recorded["true_state"]
        replies.append(recorded[same & ~recorded["model"].isin(own)])
    if BASELINE not in own.union(*(each["model"] for each in replies)):
        baseline, note = _baseline(chapter, positions)
        replies.append(baseline)
        notes += (note,) if note else ()
    rows = pd.concat([each for each in replies if len(each)] or [pd.DataFrame()], ignore_index=True)
    if rows.empty:
        return replace(chapter, notes=notes)
    first = chapter.scores.iloc[0]
    # By the exact method, whatever theirs is.
    parameters = ScoringParameters(chapter.depth, first["terminal"], first["ill_formed_policy"])
    scores = score(rows, parameters, jobs=jobs)
    games = scores["position_id"].map(positions.set_index("position_id")["game"])
    references = scores.assign(game=games, run="", prompt="", asked=scores["model"])
    return replace(chapter, references=references, notes=notes)


def baseline_name(chapter: Chapter) -> str:
    """Return what the page calls the model that answers as if no action had been taken."""
    if chapter.environment.name == DEFAULT:
        return BASELINE
    return f"starting {chapter.environment.state_noun}"


def baselines_of(chapter: Chapter) -> set[str]:
    """Return the names in a chapter, and beside it, of what answers as if no action had been taken."""
    rows = chapter.all_scores()
    return set(rows.loc[rows["asked"].isin([BASELINE, baseline_name(chapter)]), "model"])


def _baseline(chapter: Chapter, positions: pd.DataFrame) -> tuple[pd.DataFrame, str]:
    """Return the baseline's replies, and why there are none where there are none."""
    environment, texts = chapter.environment, chapter.predictions
    starts: dict[Any, Any] = {}
    if not environment.has_fixed_start:
        if texts.empty:
            return pd.DataFrame(), (
                "The baseline is not shown: the states that the episodes began with are in the "
                "predictions, which are not available."
            )
        starts = texts.set_index("position_id")["initial_state"].to_dict()
    task = task_named(chapter.task)
    rows: list[dict[Any, Any]] = []
    for row in positions.reindex(columns=POSITIONS.names).to_dict("records"):
        believed = environment.episode_texts(starts.get(row["position_id"]) or "", "").state
        generator = np.random.default_rng(derived_seed(_SEED, "baseline", row["position_id"]))
        reply = task.simulated_reply(environment, believed, chapter.depth, generator)
        rows.append({**row, "reply": reply, **task.classify(environment, reply).columns()})
    replies = pd.DataFrame(rows).reindex(columns=PREDICTIONS.names).assign(
        task=chapter.task, set=chapter.set, model=baseline_name(chapter), setting="", sample=0,
        movetext=None, moves=None, initial_state="",
    )  # fmt: skip
    return replies, ""
