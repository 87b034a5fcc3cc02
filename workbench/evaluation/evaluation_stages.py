"""An evaluation: positions, asking, scoring, figures and report, in one call that can be repeated.

The stages are those of the commands `ask`, `score`, `figures` and `report`. Stopped at any moment,
the same call goes on: the journal keeps every answer, scoring keeps finished chunks, and a figure or
report that was made of the same tables is not made again while its files are there.
"""

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from html import escape
from pathlib import Path
from typing import Any, Final

import pandas as pd

from workbench.asking.costs.cost_estimate import CostEstimate
from workbench.asking.costs.prices import Price
from workbench.asking.model_check import refuse_unusable_model
from workbench.asking.resumable_run import AskedRun, ask, checked_price
from workbench.asking.settings import Operation, Question
from workbench.errors import RunMismatchError
from workbench.evaluation.chosen_positions import ChosenPositions
from workbench.evaluation.evaluation_folder import EvaluationFolder
from workbench.headless.all_figures import make_figures
from workbench.headless.notebook_runs import NotebookProgress, NotebookRun, raise_for_failures
from workbench.reports.exports import refuse_others_files
from workbench.reports.headline import headline
from workbench.reports.report_page import PAGE_FILE, write_report
from workbench.reports.reported_run import ReportedRun, read_run
from workbench.scoring import ScoringParameters, score_table
from workbench.tables.parquet_tables import POSITIONS, write_table
from workbench.tables.provenance import file_hash, package_versions

STATE_FIGURES: Final = ("03_kendall_tau", "04_mean_precision")
"""The notebooks that draw the states in the replies of one run."""

ACTION_FIGURES: Final = ("12_environments",)
"""The notebooks that draw one run of any other task."""


@dataclass(frozen=True, slots=True, repr=False)
class Evaluated:
    """The result of an evaluation.

    Attributes:
        asked: What asking came to; failed calls are counted there, and are rows of the tables.
        scores: The table of scores.
        figures: How each notebook ended that was run in this call.
        headline: The means of the scores, as of `workbench.reports.headline.headline`.
        page: The report.
    """

    asked: AskedRun
    scores: Path
    figures: Sequence[NotebookRun]
    headline: pd.DataFrame
    page: Path

    def __repr__(self) -> str:
        """Return the headline numbers and where everything is, as text."""
        table = self._numbers().to_string(index=False, float_format="{:.4f}".format)
        return f"{self.asked.describe()}\n{table}\nscores: {self.scores}\nreport: {self.page}"

    def _repr_html_(self) -> str:
        """Return the same as HTML, for a notebook."""
        table = self._numbers().to_html(index=False, border=0, float_format="{:.4f}".format)
        paths = f"scores: {escape(str(self.scores))}<br>report: {escape(str(self.page))}"
        return f"<p>{escape(self.asked.describe())}</p>{table}<p>{paths}</p>"

    def _numbers(self) -> pd.DataFrame:
        return self.headline[["quantity", "mean", "standard_error", "lower", "upper", "n", "games"]]


def evaluate(
    out: Path,
    positions: ChosenPositions,
    question: Question,
    operation: Operation | None = None,
    scoring: ScoringParameters | None = None,
    *,
    price: Price | None = None,
    api_key: str | None = None,
    confirm: Callable[[CostEstimate], bool] | None = None,
    jobs: int = 1,
    progress: bool = False,
    report: Callable[[str], object] = lambda said: None,
    drawn: Callable[[NotebookRun], object] | None = None,
    watch: Callable[[Sequence[NotebookProgress]], object] | None = None,
) -> Evaluated:
    """Ask a model about positions, score its replies, and draw and report the scores.

    A repeated call with the same arguments goes on where the last one was stopped. Finished stages
    are not repeated; failed calls are, as `workbench.asking.resumable_run.ask` says.

    Args:
        out: The folder, new or of an earlier call with the same arguments.
        positions: What to ask about.
        question: What to ask; of the environment of the positions.
        operation: How to ask, with no limit; by default `Operation()`.
        scoring: How to score, by the exact method; by default `ScoringParameters()`.
        price: Price of the model; needed for a budget.
        api_key: The provider's key, if it is not in its environment variable.
        confirm: Shown the estimate before the first call; if it returns False, nothing is asked.
        jobs: Workers of scoring, of figures and of the report, at least 1.
        progress: Whether to show progress bars on standard error.
        report: Called with a line on each stage.
        drawn: Called with each notebook when it has ended.
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
    scored_by = scoring or ScoringParameters()
    settings = {"positions": positions.described(), "scoring": _described(scored_by)}
    operation, folder = operation or Operation(), EvaluationFolder(out)
    price = checked_price(question, operation, price)
    if not folder.run.description():
        # Before the positions are chosen, which may take a download.
        refuse_unusable_model(question, operation.base_url, api_key)
    with folder.opened(settings):
        refuse_others_files(folder.report)
        _choose(folder, positions, progress, report)
        asked = ask(
            folder.run.positions, out, question, operation, price=price, api_key=api_key,
            confirm=confirm, check_model=False, progress=progress,
        )  # fmt: skip
        report(f"answers: {asked.describe()}")
        _score(folder, scored_by, jobs, progress, report)
        runs = _draw(folder, question, scored_by, jobs, report, drawn, watch)
        run = read_run(out)
        page = _report(folder, run, jobs, report)
        raise_for_failures([each for each in runs if not each.refused])
        return Evaluated(asked, folder.scores, runs, headline(run.scores), page)


def _described(scoring: ScoringParameters) -> dict[str, Any]:
    # Both engines give the same numbers.
    return {name: value for name, value in asdict(scoring).items() if name != "engine"}


def _choose(
    folder: EvaluationFolder,
    positions: ChosenPositions,
    progress: bool,
    report: Callable[[str], object],
) -> None:
    path = folder.run.positions
    if path.exists():
        report(f"positions: those in {path}")
        return
    frame, made_of = positions.choose(progress=progress)
    chosen = positions.described()
    # The same rows have the same hash, whatever the table was called.
    chosen.pop("table", None)
    provenance = {**made_of, "stage": "positions", "chosen": chosen}
    write_table(frame[POSITIONS.names], path, POSITIONS, provenance)
    counts = frame["group"].value_counts(sort=False)
    groups = ", ".join(f"{count} of group {group}" for group, count in counts.sort_index().items())
    report(f"positions: {len(frame)} ({groups})")


def _score(
    folder: EvaluationFolder,
    scoring: ScoringParameters,
    jobs: int,
    progress: bool,
    report: Callable[[str], object],
) -> None:
    def score(restart: bool) -> int:
        return score_table(
            folder.run.predictions, folder.scores, scoring, jobs=jobs, progress=progress,
            report=report, restart=restart,
        )  # fmt: skip

    try:
        rows = score(restart=False)
    except RunMismatchError:
        # The settings are the same, so that there are other answers or another version.
        report("scores: made again, since there are new answers or another version of the code")
        rows = score(restart=True)
    report(f"scores: {rows}")


def _draw(
    folder: EvaluationFolder,
    question: Question,
    scoring: ScoringParameters,
    jobs: int,
    report: Callable[[str], object],
    drawn: Callable[[NotebookRun], object] | None,
    watch: Callable[[Sequence[NotebookProgress]], object] | None,
) -> list[NotebookRun]:
    """Draw the figures that are not there yet, and return how each notebook ended."""
    made_of = _made_of(folder)
    names = STATE_FIGURES if question.asked_task.gives_state else ACTION_FIGURES
    missing = [name for name in names if not folder.is_finished(name, made_of)]
    report(f"figures: {len(names) - len(missing)} of {len(names)} drawn before")

    def ended(run: NotebookRun) -> None:
        # What cannot be drawn of these data is not tried again on the same.
        if not run.error or run.refused:
            # The names of its files begin with its number.
            drawn_files = folder.figures.rglob(f"{run.name.partition('_')[0]}_*")
            folder.finish(run.name, made_of, drawn_files)
        if drawn is not None:
            drawn(run)
        if run.refused:
            report(run.describe_failure())

    if not missing:
        return []
    given: dict[str, Any] = {
        "depth": scoring.depth, "terminal": scoring.terminal, "ill_formed": scoring.ill_formed,
    }  # fmt: skip
    if names == ACTION_FIGURES:
        # Its second figure is of no run, and is drawn of one pair of the same environment.
        given |= {
            "own_tables": [str(folder.scores.resolve())], "model": question.model,
            "environments": [question.environment], "pairs": 1, "methods": ["stratified"],
        }  # fmt: skip
    return make_figures(
        only=missing,
        given=given,
        jobs=jobs,
        predictions=folder.run.predictions,
        scores=folder.scores,
        out=folder.figures,
        report=ended,
        watch=watch,
    )


def _made_of(folder: EvaluationFolder) -> dict[str, Any]:
    """Return what figures and report are made of."""
    return {
        "predictions_sha256": file_hash(folder.run.predictions),
        "scores_sha256": file_hash(folder.scores),
        "versions": package_versions(),
    }


def _report(
    folder: EvaluationFolder, run: ReportedRun, jobs: int, report: Callable[[str], object]
) -> Path:
    made_of, page = _made_of(folder), folder.report / PAGE_FILE
    if folder.is_finished("report", made_of):
        report("report: written before")
        return page
    folder.finish("report", made_of, write_report([run], folder.report, jobs=jobs))
    return page
