"""What a report is about, in chapters: the replies that may be compared, of one or several runs."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import pandas as pd

from workbench.drawing.labels import labels
from workbench.drawing.scores_in_words import answer_words, scored_rows, told_apart, with_names
from workbench.environments.registry import AnyEnvironment, environment_in_table
from workbench.errors import InvalidArgumentError, RunMismatchError
from workbench.explore.run.run_table import depths_of
from workbench.reports.numbers_in_words import counted
from workbench.reports.reported_run import ReportedRun
from workbench.studies.models.whole_games import whole_games

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
        beside: Scores of the recorded models at the same positions and of the baseline, with the
            same columns; none if there are none.
        notes: What a reader must know of them, in sentences.
    """

    environment: AnyEnvironment
    task: str
    set: str
    depth: int
    scores: pd.DataFrame
    predictions: pd.DataFrame
    beside: pd.DataFrame = field(default_factory=pd.DataFrame)
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

    def together(self) -> pd.DataFrame:
        """Return the scores with those beside them."""
        return pd.concat([self.scores, self.beside], ignore_index=True)


def chapters_of(runs: Sequence[ReportedRun], depth: int | None = None) -> list[Chapter]:
    """Put the replies of runs into chapters, within which they may be compared.

    Args:
        runs: At least one.
        depth: m; the largest that all scores of a chapter have if None.

    Returns:
        A chapter for each environment, task and set, the largest first; none without rows.

    Raises:
        InvalidArgumentError: If the scores have no depth in common, or not the one asked for.
        RunMismatchError: If the runs of a chapter were not scored alike, or a ``position_id`` has
            several true states in them.
    """
    names = labels((run.name for run in runs), _LONGEST_NAME)
    if len(names) < len(runs):
        names = {}
    tables = []
    for place, run in enumerate(runs, start=1):
        name = names.get(run.name, f"{run.name} ({place})").replace(r"\$", "$")
        tables.append(with_names(run.scores).assign(run=name, prompt=""))
    rows = pd.concat(tables, ignore_index=True)
    predictions = [with_names(run.predictions) for run in runs if run.predictions is not None]
    texts = pd.concat(predictions, ignore_index=True) if predictions else pd.DataFrame()
    depths = chapter_depths(runs, depth)
    found = []
    for (environment, task, of_set), part in rows.groupby(list(_KEY)):
        chosen = depths[str(environment), str(task), str(of_set)]
        _refuse_scored_otherwise(part)
        _refuse_other_states(part)
        own = texts
        if len(texts):
            key = {"environment": environment, "task": task, "set": of_set}
            own = texts[(texts[list(key)] == pd.Series(key)).all(axis=1)]
        if part["run"].nunique() > 1:
            part = _with_common_games(part, own)
        found.append(
            Chapter(
                environment_in_table(str(environment)), str(task), str(of_set), chosen,
                _named_apart(part), own,
            )
        )  # fmt: skip
    return sorted(found, key=lambda chapter: -len(chapter.scores))


def chapter_depths(
    runs: Sequence[ReportedRun], depth: int | None = None
) -> dict[tuple[str, str, str], int]:
    """Return m of each chapter of runs, by environment, task and set.

    Args:
        runs: At least one.
        depth: As of `chapters_of`.

    Raises:
        InvalidArgumentError: If the scores have no depth in common, or not the one asked for.
    """
    known: dict[tuple[str, str, str], list[set[int]]] = {}
    for run in runs:
        depths = set(depths_of(run.scores))
        keys = run.scores[list(_KEY)].fillna({"set": ""}).drop_duplicates()
        for key in keys.itertuples(index=False, name=None):
            known.setdefault(key, []).append(depths)
    return {key: _depth_of(key[1], of_runs, depth) for key, of_runs in known.items()}


def _depth_of(task: str, depths: Sequence[set[int]], wanted: int | None) -> int:
    common = set.intersection(*depths)
    if not common or wanted not in {None, *common}:
        raise InvalidArgumentError(
            f"depth: expected one that all scores have, of {[sorted(each) for each in depths]}, got "
            f"{wanted!r}; score again with the same --depth"
        )
    # A list of actions says nothing about later ones.
    return 1 if task == "actions" and 1 in common else wanted or max(common)


def _refuse_scored_otherwise(part: pd.DataFrame) -> None:
    for name in _ALIKE:
        values = part.groupby(name)["run"].unique()
        if len(values) > 1:
            said = "; ".join(f"{value!r} in {', '.join(runs)}" for value, runs in values.items())
            raise RunMismatchError(
                f"{name}: expected runs that were scored alike, got {said}; score them again with "
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
    known = texts.sort_values("moves", na_position="last", kind="stable")
    games = whole_games(known.drop_duplicates("position_id")).games
    return part.assign(game=part["position_id"].map(games).fillna(part["game"]))


def _named_apart(part: pd.DataFrame) -> pd.DataFrame:
    """Return rows whose models carry their setting and run where the name alone is not enough."""
    of_runs = part.groupby(["model", "setting"])["run"].transform("nunique") > 1
    apart = told_apart(part)
    names = apart["model"].where(~of_runs, apart["model"] + " (" + apart["run"] + ")")
    shown = labels(names.unique(), _LONGEST_NAME)
    plain = {name: text.replace(r"\$", "$").strip() for name, text in shown.items()}
    return apart.assign(asked=part["model"], model=names.map(plain)).reset_index(drop=True)


def is_scored(chapter: Chapter) -> bool:
    """Return whether any reply of a chapter has scores."""
    return not scored_rows(chapter.scores).empty
