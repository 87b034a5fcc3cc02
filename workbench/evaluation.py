"""An evaluation: positions, asking, scoring, figures and report, in one call that can be repeated, in one folder."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from html import escape
from pathlib import Path
from shutil import copyfile
from typing import Any, Final

import pandas as pd
from filelock import FileLock, Timeout

from workbench.asking.costs import CostEstimate, Price
from workbench.asking.model_check import refuse_unusable_model
from workbench.asking.questions import PositionChoice
from workbench.asking.resumable_run import AskingResult, ask, checked_price
from workbench.asking.run_folder import EVALUATION_FILE, LOCK_SECONDS, RunFolder, write_json
from workbench.asking.settings import Operation, Question
from workbench.errors import OutputError, RunMismatchError
from workbench.headless.figure_run import SCORING, make_figures
from workbench.headless.notebook_runs import NotebookProgress, NotebookRun, raise_for_failures
from workbench.reports.chapters import ReportedRun, read_run
from workbench.reports.exports import refuse_foreign_files
from workbench.reports.headline import headline
from workbench.reports.report_page import PAGE_FILE, write_report
from workbench.scoring import ScoringParameters, score_table
from workbench.tables.output_files import check_folder
from workbench.tables.parquet_tables import POSITIONS, replacing, write_table
from workbench.tables.provenance import (
    differences_in_words,
    file_hash,
    find_differences,
    package_versions,
)

_FINISHED: Final = "finished"


class EvaluationFolder:
    """The places in the folder of an evaluation, and what is finished there.

    Attributes:
        path: The folder.
        description: The file that describes it.
        run: The places of asking, which are in the same folder.
        scores: The scores of all predictions.
        figures: The folder of the figures.
        report: The folder of the report.
    """

    def __init__(self, path: Path, description: str = EVALUATION_FILE) -> None:
        self.path = path
        self.description = path / description
        self.run = RunFolder(path)
        self.scores = path / "scores.parquet"
        self.figures = path / "figures"
        self.report = path / "report"

    @contextmanager
    def locked(self, settings: Mapping[str, Any]) -> Iterator[None]:
        """Work in the folder alone; it is made if it is missing."""
        self._refuse_other_files()
        self.path.mkdir(parents=True, exist_ok=True)
        try:
            lock = self.path / f"{self._hidden}.lock"
            with FileLock(lock).acquire(timeout=LOCK_SECONDS):
                if described := self._description():
                    self._refuse_other_settings(described["settings"], settings)
                else:
                    new = {"settings": dict(settings), _FINISHED: {}}
                    write_json(self.description, new)
                yield
        except Timeout as error:
            raise OutputError(
                f"{self.path}: expected a folder not in use, got one that another process is "
                "evaluating into; wait until it ends"
            ) from error

    def is_finished(self, stage: str, made_of: Mapping[str, Any]) -> bool:
        """Return whether a stage was finished with what it would be made of now, and its files are there."""
        finished = self._description()[_FINISHED].get(stage)
        if not isinstance(finished, dict) or not isinstance(finished.get("files"), dict):
            return False
        return finished.get("made_of") == json.loads(json.dumps(dict(made_of))) and all(
            (self.path / name).is_file() and file_hash(self.path / name) == digest
            for name, digest in finished["files"].items()
        )

    def finish(self, stage: str, made_of: Mapping[str, Any], files: Iterable[Path]) -> None:
        """Record that a stage is finished."""
        described, folder = self._description(), self.path.resolve()
        hashes = {path.resolve().relative_to(folder).as_posix(): file_hash(path) for path in files}
        finished = {"made_of": dict(made_of), "files": dict(sorted(hashes.items()))}
        stages = {**described[_FINISHED], stage: finished}
        write_json(self.description, {**described, _FINISHED: stages})

    @property
    def _hidden(self) -> str:
        """How the names of the files begin that another process may be making at this moment."""
        return f".{self.description.stem}"

    def _refuse_other_files(self) -> None:
        check_folder(self.path)
        if not self.path.exists() or self._description():
            return
        names = [each.name for each in self.path.iterdir()]
        if any(not name.startswith(self._hidden) for name in names):
            other = (
                "one of `workbench ask`; use another folder, or `workbench score` and `workbench "
                "report` on this one"
                if self.run.description()
                else "one with other files in it; use another folder"
            )
            raise RunMismatchError(
                f"{self.path}: expected a new folder or one of an earlier evaluation, got {other}"
            )

    def _refuse_other_settings(self, earlier: Any, settings: Mapping[str, Any]) -> None:
        differences = find_differences(earlier, settings)
        # Its hash tells which table it is, whatever its name.
        differences.pop("positions table", None)
        if differences:
            raise RunMismatchError(
                f"{self.path} contains another evaluation: {differences_in_words(differences)}; "
                "evaluate into another folder, or with the same options again"
            )

    def _description(self) -> dict[str, Any]:
        path = self.description
        if not path.exists():
            return {}
        try:
            described = json.loads(path.read_text(encoding="utf-8"))
            return {name: dict(described[name]) for name in ("settings", _FINISHED)}
        except (ValueError, TypeError, KeyError) as error:
            raise RunMismatchError(
                f"{path}: expected the description of an evaluation, got: {error!r:.200}; use "
                "another folder"
            ) from error


STATE_FIGURES: Final = ("03_kendall_tau", "04_mean_precision")
"""The notebooks that draw the states in the replies of one run."""

ACTION_FIGURES: Final = ("12_environments",)
"""The notebooks that draw one run of any other task."""


@dataclass(frozen=True, slots=True, repr=False)
class EvaluationResult:
    """The result of an evaluation.

    Attributes:
        asking: The result of asking; failed calls are counted there, and are rows of the tables.
        scores: The table of scores.
        figures: How each notebook ended that was run in this call.
        headline: The means of the scores, as of `workbench.reports.headline.headline`.
        page: The report; None if neither figures nor a report were asked for.
    """

    asking: AskingResult
    scores: Path
    figures: Sequence[NotebookRun]
    headline: pd.DataFrame
    page: Path | None

    def __repr__(self) -> str:
        """Return the headline numbers and where everything is, as text."""
        table = self._numbers().to_string(index=False, float_format="{:.4f}".format)
        return "\n".join([self.asking.describe(), table, *self._paths()])

    def _repr_html_(self) -> str:
        """Return the same as HTML, for a notebook."""
        table = self._numbers().to_html(index=False, border=0, float_format="{:.4f}".format)
        paths = "<br>".join(map(escape, self._paths()))
        return f"<p>{escape(self.asking.describe())}</p>{table}<p>{paths}</p>"

    def _paths(self) -> list[str]:
        return [f"scores: {self.scores}", *([f"report: {self.page}"] if self.page else [])]

    def _numbers(self) -> pd.DataFrame:
        return self.headline[["quantity", "mean", "standard_error", "lower", "upper", "n", "games"]]


def evaluate(
    out: Path,
    positions: PositionChoice,
    question: Question,
    operation: Operation | None = None,
    scoring: ScoringParameters | None = None,
    *,
    chosen: Path | None = None,
    pages: bool = True,
    price: Price | None = None,
    api_key: str | None = None,
    confirm: Callable[[CostEstimate], bool] | None = None,
    jobs: int = 1,
    progress: bool = False,
    report: Callable[[str], object] = lambda line: None,
    notebook_ended: Callable[[NotebookRun], object] | None = None,
    watch: Callable[[Sequence[NotebookProgress]], object] | None = None,
) -> EvaluationResult:
    """Ask a model about positions, score its replies, and draw and report the scores.

    A repeated call with the same arguments goes on where the last one was stopped. Finished stages
    are not repeated; failed calls are, as `workbench.asking.resumable_run.ask` says.

    Args:
        out: The folder, new or of an earlier call with the same arguments.
        positions: What to ask about.
        question: What to ask; of the environment of the positions.
        operation: How to ask, with no limit; by default `Operation()`.
        scoring: How to score, by the exact method; by default `ScoringParameters()`.
        chosen: The table of these positions, if they were chosen before.
        pages: Whether to draw figures and write the report.
        price: Price of the model; needed for a budget.
        api_key: The provider's key, if it is not in its environment variable.
        confirm: Shown the estimate before the first call; if it returns False, nothing is asked.
        jobs: Workers of scoring, of figures and of the report, at least 1.
        progress: Whether to show progress bars on standard error.
        report: Called with a line on each stage.
        notebook_ended: Called with each notebook when it has ended.
        watch: Called several times per second with the notebooks that have not ended.

    Raises:
        InvalidArgumentError: If the model cannot be made; nothing is written then.
        RunMismatchError: If the folder belongs to an evaluation with other settings; the message
            says what differs.
        OutputError: If the report would be written over a file of others; nothing is asked then.
        AskingStoppedError: If asking stopped before every question was tried; nothing is scored then.
        NotebookError: If a notebook failed for another reason than its data.
        WorkbenchError: As of the stages.
    """
    scoring, operation = scoring or ScoringParameters(), operation or Operation()
    settings = evaluation_settings(positions, scoring)
    price = checked_price(question, operation, price)
    folder = EvaluationFolder(out)
    if not folder.run.description():
        # Before the positions are chosen, which may take a download.
        refuse_unusable_model(question, operation.base_url, api_key)
    stages = _Stages(folder, scoring, jobs, progress, report)
    with folder.locked(settings):
        refuse_foreign_files(folder.report)
        stages.choose(positions, chosen)
        answers = ask(
            folder.run.positions, out, question, operation, price=price, api_key=api_key,
            confirm=confirm, check_model=False, progress=progress,
        )  # fmt: skip
        report(f"answers: {answers.describe()}")
        stages.score()
        if not pages:
            numbers = headline(read_run(out).scores)
            return EvaluationResult(answers, folder.scores, [], numbers, None)
        runs = stages.draw(question, notebook_ended, watch)
        run = read_run(out)
        page = stages.write_report(run)
        raise_for_failures([each for each in runs if not each.is_refusal])
        return EvaluationResult(answers, folder.scores, runs, headline(run.scores), page)


def evaluation_settings(positions: PositionChoice, scoring: ScoringParameters) -> dict[str, Any]:
    """Return what besides the question makes an evaluation another one, as JSON can hold it."""
    # Both engines give the same numbers.
    numbers = {name: value for name, value in asdict(scoring).items() if name != "engine"}
    return {"positions": positions.description(), "scoring": numbers}


def write_choice(positions: PositionChoice, path: Path, *, progress: bool = False) -> pd.DataFrame:
    """Choose positions, write them as a table, and return it."""
    frame, made_of = positions.choose(progress=progress)
    choice = positions.description()
    # The same rows have the same hash, whatever the table was called.
    choice.pop("table", None)
    provenance = {**made_of, "stage": "positions", "chosen": choice}
    write_table(frame[POSITIONS.names], path, POSITIONS, provenance)
    return frame


@dataclass(frozen=True, slots=True)
class _Stages:
    """The stages of an evaluation besides asking; each is skipped where it is finished."""

    folder: EvaluationFolder
    scoring: ScoringParameters
    jobs: int
    progress: bool
    report: Callable[[str], object]

    def choose(self, positions: PositionChoice, chosen: Path | None) -> None:
        path = self.folder.run.positions
        if path.exists():
            self.report(f"positions: those in {path}")
            return
        if chosen is not None:
            with replacing(path) as beside:
                copyfile(chosen, beside)
            return
        frame = write_choice(positions, path, progress=self.progress)
        counts = frame["group"].value_counts(sort=False).sort_index()
        groups = ", ".join(f"{count} of group {group}" for group, count in counts.items())
        self.report(f"positions: {len(frame)} ({groups})")

    def score(self) -> None:
        tables = self.folder.run.predictions, self.folder.scores
        options: Any = {"jobs": self.jobs, "progress": self.progress, "report": self.report}
        try:
            rows = score_table(*tables, self.scoring, **options)
        except RunMismatchError:
            # The settings are the same, so that there are other answers or another version.
            self.report(
                "scores: made again, since there are new answers or another version of the code"
            )
            rows = score_table(*tables, self.scoring, **options, restart=True)
        self.report(f"scores: {rows}")

    def draw(
        self,
        question: Question,
        notebook_ended: Callable[[NotebookRun], object] | None,
        watch: Callable[[Sequence[NotebookProgress]], object] | None,
    ) -> list[NotebookRun]:
        """Draw the figures that are not there yet, and return how each notebook ended."""
        folder, made_of = self.folder, self._made_of()
        names = STATE_FIGURES if question.asked_task.gives_state else ACTION_FIGURES
        missing = [name for name in names if not folder.is_finished(name, made_of)]
        self.report(f"figures: {len(names) - len(missing)} of {len(names)} drawn before")

        def ended(run: NotebookRun) -> None:
            # What cannot be drawn of these data is not tried again on the same.
            if not run.error or run.is_refusal:
                # The names of its files begin with its number.
                files = folder.figures.rglob(f"{run.name.partition('_')[0]}_*")
                folder.finish(run.name, made_of, files)
            if notebook_ended is not None:
                notebook_ended(run)
            if run.is_refusal:
                self.report(run.describe_failure())

        if not missing:
            return []
        parameters = {name: getattr(self.scoring, name) for name in sorted(SCORING)}
        if names == ACTION_FIGURES:
            # Its second figure is of no run, and is drawn of one pair of the same environment.
            parameters |= {
                "own_tables": [str(folder.scores.resolve())], "model": question.model,
                "environments": [question.environment], "pairs": 1, "methods": ["stratified"],
            }  # fmt: skip
        return make_figures(
            only=missing, parameters=parameters, jobs=self.jobs, predictions=folder.run.predictions,
            scores=folder.scores, out=folder.figures, report=ended, watch=watch,
        )  # fmt: skip

    def write_report(self, run: ReportedRun) -> Path:
        folder, made_of = self.folder.report, self._made_of()
        if self.folder.is_finished("report", made_of):
            self.report("report: written before")
        else:
            self.folder.finish("report", made_of, write_report([run], folder, jobs=self.jobs))
        return folder / PAGE_FILE

    def _made_of(self) -> dict[str, Any]:
        return {
            "predictions_sha256": file_hash(self.folder.run.predictions),
            "scores_sha256": file_hash(self.folder.scores),
            "versions": package_versions(),
        }
