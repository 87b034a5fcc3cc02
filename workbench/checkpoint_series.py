"""A series of checkpoints: each evaluated at the same positions, as one table and one figure along the training."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from functools import cached_property
from glob import glob
from html import escape
from itertools import chain, pairwise
from pathlib import Path
from typing import Any, Final

import pandas as pd
from matplotlib.figure import Figure

from workbench.answers.recorded_replies import BASELINE
from workbench.asking.costs import CostEstimate, Price
from workbench.asking.journal import FILE_NAME, journal_record
from workbench.asking.own_models import PROVIDER
from workbench.asking.questions import PositionChoice
from workbench.asking.resumable_run import AskingResult, checked_price
from workbench.asking.run_folder import RunFolder
from workbench.asking.settings import Operation, Question
from workbench.drawing.score_description import convention_words, scored_rows
from workbench.environments.registry import DEFAULT, AnyEnvironment, environment_named
from workbench.errors import (
    AskingError,
    AskingStoppedError,
    InvalidArgumentError,
    RunMismatchError,
)
from workbench.evaluation import EvaluationFolder, evaluate, evaluation_settings, write_choice
from workbench.language_model.language_model import (
    TRAINING_GAMES,
    is_model,
    load_model,
    model_names,
)
from workbench.reports.chapters import read_run
from workbench.scoring import ScoringParameters
from workbench.studies.language_models import emergence
from workbench.studies.language_models.checkpoint_scores import (
    scores_of_start,
    scores_of_tracker,
    with_shares,
)
from workbench.studies.outputs import save_study
from workbench.studies.panels import ALL_LENGTHS
from workbench.tables.parquet_tables import POSITIONS, read_table, replacing
from workbench.tables.provenance import file_hash

SERIES_FILE: Final = "checkpoints.json"
"""The description of a series, in its folder."""

_SIGNS: Final = "*?["
_STEP: Final = re.compile(r"(?:step|checkpoint|ckpt|iter(?:ation)?|@)[-_=]?(\d+)(?![A-Za-z0-9.])")
_NUMBER: Final = re.compile(r"(?<![A-Za-z0-9.])\d+(?![A-Za-z0-9.])|(?<=[A-Za-z])\d+\Z")
_MOST_NAMED: Final = 12


@dataclass(frozen=True, slots=True, order=True)
class Checkpoint:
    """A model at a step of its training.

    Attributes:
        step: The step, at least 0.
        model: Its name, as of `workbench.asking.settings.Question`.
    """

    step: int
    model: str

    @property
    def name(self) -> str:
        """The last part of the model's name, which its folder has too."""
        last = self.model.rpartition("/")[2].removesuffix(".npz")
        return re.sub(r"[^A-Za-z0-9._@-]+", "-", last)


def is_pattern(model: str) -> bool:
    """Return whether the name of a model is a pattern, or a list with commas, of checkpoints."""
    return "," in model or any(sign in model for sign in _SIGNS)


def checkpoints_of(models: str | Iterable[str]) -> list[Checkpoint]:
    """Return the checkpoints that patterns and names select, by step.

    A pattern of ``workbench/`` selects bundled models or files of weights, one of another provider the
    folders that its path matches. A name without a pattern stands for itself; commas separate.

    Raises:
        InvalidArgumentError: If a pattern matches nothing, a name has no step, or two have the same.
    """
    texts = [models] if isinstance(models, str) else list(models)
    patterns = [part.strip() for text in texts for part in text.split(",") if part.strip()]
    names = list(dict.fromkeys(chain.from_iterable(map(_matches, patterns))))
    if not names:
        raise InvalidArgumentError(
            f"models: expected names or patterns such as 'workbench/small@*' or 'hf/RUN/step*', got {texts!r}"
        )
    series = sorted(Checkpoint(_step_of(name), name) for name in names)
    for one, other in pairwise(series):
        if one.step == other.step:
            raise InvalidArgumentError(
                f"models: expected one checkpoint for each step, got {one.model} and {other.model} at "
                f"step {one.step}; give them as two series"
            )
    return series


def _matches(pattern: str) -> list[str]:
    provider, _, path = pattern.partition("/")
    if not any(sign in path for sign in _SIGNS):
        return [pattern]
    bundled = model_names() if provider == PROVIDER else ()
    names = [name for name in bundled if fnmatchcase(name, path)]
    names += [name for name in glob(path) if provider != PROVIDER or is_model(name)]
    if names:
        return [f"{provider}/{name}" for name in names]
    here = next(
        each for each in Path(path).parents if not any(sign in str(each) for sign in _SIGNS)
    )
    there = sorted(each.name for each in here.iterdir()) if here.is_dir() else []
    listed = ", ".join(there[:_MOST_NAMED]) + (", ..." if len(there) > _MOST_NAMED else "")
    where = f"{here} has {listed or 'nothing'}" if here.is_dir() else f"there is no folder {here}"
    if bundled:
        where = f"bundled are {', '.join(bundled)}"
    raise InvalidArgumentError(
        f"models: expected a pattern that checkpoints match, such as 'workbench/small@*', or "
        f"'hf/RUN/step*' for the folders RUN/step100, RUN/step200 and so on; got {pattern!r}, and {where}"
    )


def _step_of(model: str) -> int:
    provider, _, path = model.partition("/")
    if provider == PROVIDER and is_model(path):
        # The finished model has its step in its file alone.
        return int(load_model(path).description["step"])
    last = path.rpartition("/")[2]
    numbers = _STEP.findall(last) or _NUMBER.findall(last)
    if len(numbers) != 1:
        raise InvalidArgumentError(
            f"{model}: expected a name with the step of its training as one number, such as step100 or "
            f"checkpoint-500, got {last!r}; rename the folder, or link to it by such a name"
        )
    return int(numbers[0])


@dataclass(frozen=True, repr=False)
class SeriesResult:
    """The result of a series of checkpoints.

    Attributes:
        out: The folder of the series; each checkpoint has one of its own in it.
        answers: The result of asking each checkpoint, by model.
        table: Means of every measure by checkpoint and length, with 95% intervals, as of
            `workbench.studies.language_models.emergence.compute`; ``failed`` counts the failed calls of a model.
        rises: Where each measure has covered half of its way, by length, of the series and of a simulated
            tracker (``of``); NaN where the last checkpoint is no better than the baseline; without rows for
            fewer than two steps above 0, or another task than state.
        depth: m.
        figures: The pictures.
    """

    out: Path
    answers: Mapping[str, AskingResult]
    table: pd.DataFrame
    rises: pd.DataFrame
    depth: int
    figures: Sequence[Path]

    @property
    def headline(self) -> pd.DataFrame:
        """A row for each step over all lengths, in words: means, for p_m and r_m with intervals, n and failed calls."""
        rows = self.table[self.table["length"] == ALL_LENGTHS]
        cells = {}
        for name, part in rows.groupby("measure", sort=False):
            cells[_HEADS[str(name)].format(depth=self.depth)] = [
                f"{mean:.3f}"
                + (f" [{low:.3f}, {high:.3f}]" if name in _MAIN and low <= high else "")
                for mean, low, high in part[["mean", "low", "high"]].itertuples(index=False)
            ]
        first = rows.drop_duplicates("model")
        steps = first["step"].map("{:,}".format).mask(first["model"] == BASELINE, "")
        names = [Checkpoint(0, model).name for model in first["model"]]
        numbers = pd.DataFrame({"step": steps.tolist(), "checkpoint": names, **cells})
        return numbers.assign(n=first["count"].tolist(), failed=first["failed"].tolist())

    def __repr__(self) -> str:
        """Return the headline and where everything is, as text."""
        return "\n".join([self.headline.to_string(index=False), *self._lines()])

    def _repr_html_(self) -> str:
        """Return the same as HTML, for a notebook."""
        lines = "<br>".join(map(escape, self._lines()))
        return f"{self.headline.to_html(index=False, border=0)}<p>{lines}</p>"

    def _lines(self) -> list[str]:
        order = self._order("series", "half of the way is covered at step", "{:,.0f}")
        control = "the same by a simulated tracker that slips less and less, at a slip rate of"
        return [
            *order,
            *(self._order("simulated", control, "{:.3f}") if order else []),
            f"table: {self.out / TABLE_FILE}",
            *(f"figure: {path}" for path in self.figures),
        ]

    def _order(self, of: str, begin: str, form: str) -> list[str]:
        """Return in which order the measures have covered half of their way, as one line or none."""
        rows = self.rises[(self.rises["of"] == of) & (self.rises["length"] == ALL_LENGTHS)]
        steps = rows.dropna(subset="step").sort_values("step", kind="stable")
        values = steps["step"] if of == "series" else 1 / steps["step"]
        marks = [
            f"{_HEADS[name].format(depth=self.depth)} {form.format(value)}"
            for name, value in zip(steps["measure"], values, strict=True)
        ]
        return [f"{begin}: {', '.join(marks)}"] if marks else []


TABLE_FILE: Final = "series.parquet"
_MAIN: Final = ("precision", "recall")
_HEADS: Final = {
    "precision": "p_{depth}", "recall": "r_{depth}", "exact_match_position": "exact", "exact_match": "exact",
    "squares": "squares", "levenshtein": "edit distance", "ill_formed": "cannot arise", "unreadable": "unreadable",
}  # fmt: skip


def evaluate_series(
    out: Path,
    checkpoints: Sequence[Checkpoint],
    positions: PositionChoice,
    question: Question,
    operation: Operation | None = None,
    scoring: ScoringParameters | None = None,
    *,
    price: Price | None = None,
    api_key: str | None = None,
    confirm: Callable[[CostEstimate], bool] | None = None,
    jobs: int = 1,
    progress: bool = False,
    report: Callable[[str], object] = lambda line: None,
) -> SeriesResult:
    """Ask and score each checkpoint at the same positions, and draw every measure along the training.

    Each checkpoint has an ordinary evaluation folder, without figures and a report: `evaluate` makes them
    there without asking again. A repeated call goes on where the last one was stopped; further checkpoints
    may join. A checkpoint that cannot be loaded is left out, and named at the end.

    Args:
        out: The folder, new or of an earlier call with the same arguments.
        checkpoints: As of `checkpoints_of`.
        positions: What to ask about, chosen once for all.
        question: What to ask; its model is replaced by each checkpoint.
        operation: As of `workbench.evaluation.evaluate`, as are the others; its budget is that of the
            whole series.
        scoring: How to score.
        price: Price of each checkpoint.
        api_key: The provider's key.
        confirm: Shown the estimate for the first checkpoint that has questions left, once for all.
        jobs: Workers.
        progress: Whether to show progress bars.
        report: Called with a line on each stage.

    Raises:
        InvalidArgumentError: If no checkpoint can be loaded.
        RunMismatchError: If the folder belongs to other positions, scoring or another question.
        AskingStoppedError: If asking stopped, or a checkpoint could not be loaded; what the others have
            is kept, and in the second case tabled and drawn.
    """
    scoring, operation = scoring or ScoringParameters(), operation or Operation()
    if "model_path" in question.model_args:
        raise InvalidArgumentError(
            "model_args model_path: expected none with several models, which would all load "
            f"{question.model_args['model_path']!r}; name the folders: hf/RUN/step*"
        )
    series = _AskedSeries(out, list(checkpoints), question, operation, price, confirm, report)
    choice = replace(positions, model=_most_trained(checkpoints))
    settings = {**evaluation_settings(choice, scoring), "question": _described(question)}
    with EvaluationFolder(out, SERIES_FILE).locked(settings):
        path = out / "positions.parquet"
        if not path.exists():
            write_choice(choice, path, progress=progress)
        table = read_table(path, POSITIONS)
        report(f"{len(checkpoints)} checkpoints, {len(table)} positions each")
        series.refuse_other_positions(table)
        answers = series.evaluate(
            choice, scoring, chosen=path, pages=False, api_key=api_key, jobs=jobs, progress=progress
        )
        result = _Curves(series, table, scoring, jobs).result(answers)
    if series.failures:
        raise AskingStoppedError(f"{series.describe_failures()}\n{result!r}")
    return result


def _most_trained(checkpoints: Iterable[Checkpoint]) -> str:
    """Return the model whose unseen games are unseen by all others too."""
    own = [each.model for each in checkpoints if each.model.startswith(f"{PROVIDER}/")]

    def games(model: str) -> int:
        name = model.removeprefix(f"{PROVIDER}/")
        return load_model(name).training_games if is_model(name) else TRAINING_GAMES

    return max(own, key=games, default="")


def _described(question: Question) -> dict[str, Any]:
    """Return what is asked, without the model; more samples are more of the same."""
    prompt = question.full_prompt
    described = {
        **question.description(),
        "prompt": f"{prompt.name}@{prompt.version} {prompt.sha256}",
    }
    for name in ("model", "samples_per_position"):
        described.pop(name)
    return described


@dataclass
class _AskedSeries:
    """The checkpoints of a series, how they are asked, and those that cannot be loaded."""

    out: Path
    checkpoints: list[Checkpoint]
    question: Question
    operation: Operation
    price: Price | None
    confirm: Callable[[CostEstimate], bool] | None
    report: Callable[[str], object]
    failures: dict[str, Exception] = field(default_factory=dict)
    accepted: bool | None = None

    def folder(self, checkpoint: Checkpoint) -> Path:
        return self.out / checkpoint.name

    def refuse_other_positions(self, table: pd.DataFrame) -> None:
        """Refuse a folder that was put here and is about other positions."""
        for checkpoint in self.checkpoints:
            path = RunFolder(self.folder(checkpoint)).positions
            if path.exists():
                names = read_table(path, POSITIONS)["position_id"]
                if set(names) != set(table["position_id"]):
                    raise RunMismatchError(
                        f"{path}: expected the {len(table)} positions of the series, got {len(names)} of "
                        "which others are; move its folder away, or evaluate into another folder"
                    )

    def evaluate(
        self, choice: PositionChoice, scoring: ScoringParameters, **options: Any
    ) -> dict[str, AskingResult]:
        answers = {}
        for number, checkpoint in enumerate(self.checkpoints, 1):
            self.report(f"checkpoint {number} of {len(self.checkpoints)}: {checkpoint.model}")
            question = replace(self.question, model=checkpoint.model)
            try:
                operation = replace(self.operation, budget=self._budget_left(checkpoint))
                answers[checkpoint.model] = evaluate(
                    self.folder(checkpoint), choice, question, operation, scoring, price=self.price,
                    confirm=self._confirm if self.confirm else None, report=self.report, **options,
                ).asking  # fmt: skip
            except AskingStoppedError as error:
                raise AskingStoppedError(
                    f"{checkpoint.model}, checkpoint {number} of {len(self.checkpoints)}: {error}"
                    f"{self._budget_words()}; the same command asks no finished checkpoint again",
                    error.notes,
                ) from error
            except RunMismatchError:
                raise
            except (InvalidArgumentError, AskingError) as error:
                if self.accepted is False:
                    raise
                self.failures[checkpoint.model] = error
                self.report(f"left out: {error}")
        if not answers:
            raise next(iter(self.failures.values()))
        return answers

    def describe_failures(self) -> str:
        count, failed = len(self.checkpoints), len(self.failures)
        reasons = "; ".join(f"{model}: {error}" for model, error in self.failures.items())
        return (
            f"{count - failed} of {count} checkpoints are evaluated, and {failed} could not be loaded: "
            f"{reasons}; mend it, or leave it out of --models, and repeat the command, which asks no finished "
            "checkpoint again"
        )

    def _confirm(self, estimate: CostEstimate) -> bool:
        """Ask once: the checkpoints differ in their weights alone."""
        if self.accepted is None and self.confirm is not None:
            self.report(f"for one checkpoint of {len(self.checkpoints)}:")
            self.accepted = self.confirm(estimate)
        return bool(self.accepted)

    def _budget_left(self, checkpoint: Checkpoint) -> float | None:
        """Return what the folder of a checkpoint may cost: what the other folders leave."""
        if self.operation.budget is None:
            return None
        price = checked_price(self.question, self.operation, self.price)
        own = self.folder(checkpoint)
        journals = [path.parent for path in self.out.glob(f"*/{FILE_NAME}")]
        spent = sum(journal_record(each, price).dollars for each in journals if each != own)
        if spent >= self.operation.budget:
            raise AskingStoppedError(f"{spent:.4f} dollars are spent on other checkpoints")
        return self.operation.budget - spent

    def _budget_words(self) -> str:
        budget = self.operation.budget
        return "" if budget is None else f"; the budget of {budget:g} dollars is that of the series"


_OF_WAY: Final = ["step", "low", "high", "later", "later_low", "later_high"]


def _with_way(rises: pd.DataFrame) -> pd.DataFrame:
    """Return rises without steps where the last checkpoint is no better than the baseline: nothing rose."""
    gain = (rises["end"] - rises["start"]) * rises["measure"].map(
        lambda name: -1 if name == "levenshtein" else 1
    )
    return rises.assign(**{name: rises[name].where(gain > 0) for name in _OF_WAY})


_MOST_RATES: Final = 20
_RESAMPLES: Final = 1000


@dataclass(frozen=True)
class _Curves:
    """The scores of the checkpoints of a series, as a table and as figures along the training."""

    series: _AskedSeries
    positions: pd.DataFrame
    scoring: ScoringParameters
    jobs: int

    @cached_property
    def environment(self) -> AnyEnvironment:
        return environment_named(self.series.question.environment)

    @property
    def depth(self) -> int:
        """M of the measures; a list of actions has p_1 and r_1 alone."""
        return 1 if self.series.question.task == "actions" else self.scoring.depth

    @property
    def gives_state(self) -> bool:
        return self.series.question.asked_task.gives_state

    def result(self, answers: Mapping[str, AskingResult]) -> SeriesResult:
        """Compute and draw, and write what is in the folder of the series."""
        out = self.series.out
        present = [each for each in self.series.checkpoints if each.model in answers]
        steps = {each.model: each.step for each in present}
        every = pd.concat([read_run(self.series.folder(each)).scores for each in present])
        rows = scored_rows(every)
        if self.gives_state:
            start = scores_of_start(self.positions, self.scoring, jobs=self.jobs)
            rows = pd.concat([start, rows], ignore_index=True)
        rows = with_shares(rows)
        titles = {name: title for name, title in self._titles().items() if self._has(rows, name)}
        failed = every["model"][every["reply_class"] == "failed"].value_counts()
        table = emergence.compute(rows, steps, depth=self.depth, measured=titles)
        table = table.assign(failed=table["model"].map(failed).fillna(0).astype(int))
        rises = self._rises(rows, steps)
        with replacing(out / TABLE_FILE) as beside:
            table.to_parquet(beside)
        figures = [self._save("series", self._draw(table, titles, rows), table)]
        if rises.loc[rises["of"] == "series", "step"].notna().any():
            figures.append(self._save("rise_order", self._draw_rises(rises, rows), rises))
        return SeriesResult(out, answers, table, rises, self.depth, figures)

    def _has(self, rows: pd.DataFrame, name: str) -> bool:
        column = f"{name}_{self.depth}" if name in _MAIN else name
        return column in rows and bool(rows[column].notna().any())

    def _titles(self) -> dict[str, tuple[str, str]]:
        chess, noun = self.environment.name == DEFAULT, self.environment.state_noun
        titles = dict(emergence.MEASURED)
        if not (chess and self.gives_state):
            del titles["exact_match_position"]
            titles |= {
                "exact_match": (f"exact {noun}s", f"share of {noun}s"),
                "squares": ("elements right", "share of elements"),
                "ill_formed": (f"{noun}s that cannot arise", f"share of {noun}s"),
                "unreadable": ("replies that cannot be read", "share of replies"),
            }
        if not self.gives_state:
            titles = {name: titles[name] for name in (*_MAIN, "unreadable")}
        return titles

    @property
    def _looks(self) -> dict[str, Any]:
        """The measures of the order in which they rise."""
        looks = dict(emergence.MEASURES)
        if self.environment.name != DEFAULT:
            _, look = looks.pop("exact_match_position")
            looks["exact_match"] = f"exact {self.environment.state_noun}s", look
            looks["squares"] = "elements right", looks["squares"][1]
        return looks

    def _rises(self, rows: pd.DataFrame, steps: Mapping[str, int]) -> pd.DataFrame:
        """Return the rises of the series and of the control; without rows where there are none."""
        later = {model: step for model, step in steps.items() if step}
        if not self.gives_state or len(later) < 2:
            return pd.DataFrame(columns=["of", "length", "measure", "step"])
        looks = [name for name in self._looks if self._has(rows, name)]
        names = [f"{name}_{self.depth}" if name in _MAIN else name for name in looks]
        key = ["model", "group", "game", "position_id"]
        means = (
            rows[rows["model"].isin([BASELINE, *later])].groupby(key)[names].mean().reset_index()
        )
        # A position whose call failed for one checkpoint is left out for all.
        common = means.groupby("position_id")["model"].transform("size") == len(later) + 1
        means = means[common]
        start = means[means["model"] == BASELINE]
        last = means[means["model"] == max(later, key=lambda model: later[model])]
        trackers = self._trackers(start, last[f"precision_{self.depth}"].mean())
        options: dict[str, Any] = {"depth": self.depth, "measures": looks, "resamples": _RESAMPLES}
        parts = []
        # Once by length, and once over all lengths.
        for change, length in (({}, {}), ({"group": 0}, {"length": ALL_LENGTHS})):
            first, both = start.assign(**change), means.assign(**change)
            series = emergence.compute_rises(both, later, **options)
            simulated = emergence.compute_rises_of_trackers(
                trackers.assign(**change), first, **options
            )
            parts += [
                _with_way(series).assign(of="series", **length),
                simulated.assign(of="simulated", **length),
            ]
        return pd.concat(parts, ignore_index=True)

    def _trackers(self, start: pd.DataFrame, target: float) -> pd.DataFrame:
        """Return the scores of trackers whose slip rate falls until their p_m is that of the last checkpoint."""
        made_of = {"positions": file_hash(self.series.out / "positions.parquet")}
        parts: list[pd.DataFrame] = []
        rate = 0.8
        while len(parts) < 2 or (
            parts[-1][f"precision_{self.depth}"].mean() < target and len(parts) < _MOST_RATES
        ):
            scores = scores_of_tracker(
                self.series.out / ".tables",
                self.positions,
                made_of,
                rate,
                self.scoring,
                jobs=self.jobs,
            )
            parts.append(scores[scores["position_id"].isin(start["position_id"])])
            rate = float(f"{0.7 * rate:.2g}")
        return with_shares(pd.concat(parts, ignore_index=True))

    def _draw(self, table: pd.DataFrame, titles: emergence.Titles, rows: pd.DataFrame) -> Figure:
        return emergence.draw(
            table, None, self._subject, convention_words(rows), measured=titles, lengths=self._lengths,
            episodes=f"{self.environment.episode_noun}s", title="measures along the training",
        )  # fmt: skip

    def _draw_rises(self, rises: pd.DataFrame, rows: pd.DataFrame) -> Figure:
        by_length = rises[rises["length"] != ALL_LENGTHS]
        parts = [by_length[by_length["of"] == of] for of in ("series", "simulated")]
        present = {
            name: look for name, look in self._looks.items() if name in set(rises["measure"])
        }
        return emergence.draw_rises(
            parts[0], self._subject, convention_words(rows), parts[1], looks=present,
            of_lengths=self._lengths, episodes=f"{self.environment.episode_noun}s",
            start="the state before the first action as every answer",
        )  # fmt: skip

    @property
    def _subject(self) -> str:
        first, last = self.series.checkpoints[0].model, self.series.checkpoints[-1].model
        return first if first == last else f"{first} to {last.rpartition('/')[2]}"

    @property
    def _lengths(self) -> str:
        return (
            f"{self.environment.action_noun}s"
            if self.environment.actions_per_group == 1
            else "full moves"
        )

    def _save(self, name: str, figure: Figure, table: pd.DataFrame) -> Path:
        parameters = {
            **evaluation_settings(PositionChoice(self.environment.name), self.scoring)["scoring"],
            "question": _described(self.series.question), "resamples": _RESAMPLES,
            "steps": {each.model: each.step for each in self.series.checkpoints},
        }  # fmt: skip
        inputs = [self.series.out / "positions.parquet"]
        return save_study(
            name, figure, table, self.series.out, parameters=parameters, seed=0, inputs=inputs,
            data="replies of the checkpoints",
        )["png"]  # fmt: skip
