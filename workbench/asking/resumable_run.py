"""A run that asks a model about a table of positions: estimate, process, progress, table of predictions."""

import contextlib
import importlib.util
import json
import os
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from itertools import product
from pathlib import Path
from typing import IO, Any, Final

import pandas as pd
from filelock import FileLock, Timeout
from tqdm.auto import tqdm

from workbench.asking.conversations import answered, conversations_of
from workbench.asking.costs import (
    FREE,
    CostEstimate,
    Forecast,
    Price,
    estimate_cost,
    forecast,
)
from workbench.asking.journal import FILE_NAME, JournalReader, Record
from workbench.asking.model_check import refuse_unusable_model
from workbench.asking.own_models import PROVIDER
from workbench.asking.predictions_table import question_usage, write_run_predictions
from workbench.asking.questions import in_asking_order
from workbench.asking.run_folder import (
    LOCK_SECONDS,
    RUN_LOCK,
    RunFolder,
    open_run,
    positions_hash,
    refuse_other_run,
)
from workbench.asking.settings import Operation, Question, refuse_credentials_in_environment
from workbench.environments.registry import environment_of
from workbench.episodes import EpisodeSample
from workbench.errors import (
    AskingError,
    AskingStoppedError,
    InvalidArgumentError,
    MissingExtraError,
)
from workbench.installation import install_hint
from workbench.tables.parquet_tables import POSITIONS, read_table

_SECONDS: Final = 0.5


def follow(
    process: "subprocess.Popen[bytes]",
    journal: JournalReader,
    questions: int,
    answered: Callable[[], int],
    *,
    show: bool,
) -> None:
    """Wait for the asking process, and show the progress of its journal."""
    with tqdm(
        total=questions,
        initial=answered(),
        unit="question",
        desc="asking",
        disable=not show,
    ) as bar:
        ended = False
        while not ended:
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(_SECONDS)
                ended = True
            journal.read()
            record = journal.record
            counts = {"tokens": f"{record.tokens:,}"}
            if record.dollars:
                counts["dollars"] = f"{record.dollars:.4f}"
            if record.failures:
                counts["failed"] = str(len(record.failures))
            bar.set_postfix(counts, refresh=False)
            bar.update(answered() - bar.n)


_TAIL: Final = 2000


@dataclass(frozen=True, slots=True)
class AskingResult:
    """The result of a run.

    Attributes:
        predictions: The table; a failed question is a row, one not asked yet has none.
        path: Path of the table.
        questions: Positions that were asked about, times samples.
        answered: Questions with an answer.
        failed: Failed questions by their reason.
        dollars: What the calls so far cost by the price, with what counts for calls of unknown
            cost; None without a price.
        notes: Notes for the user, one line each.
        forecast: What asking about all positions costs, by the answers so far; None without any.
    """

    predictions: pd.DataFrame
    path: Path
    questions: int
    answered: int
    failed: Counter[str]
    dollars: float | None
    notes: list[str]
    forecast: Forecast | None = None

    def describe(self) -> str:
        """Return the progress of the run, in one line."""
        return _progress(self.questions, self.answered, self.failed.total())


def _progress(questions: int, answered: int, failed: int) -> str:
    return f"{answered} answered, {failed} failed, {questions - answered - failed} not asked"


@dataclass(slots=True)
class _Outcome:
    """How the asking process ended: why before the end, if so, and what the user should know.

    ``interrupted`` tells that the caller was to stop, also if the last answer came meanwhile.
    """

    stopped: str = ""
    notes: list[str] = field(default_factory=list)
    interrupted: bool = False


def require_extra() -> None:
    """Raise an error if Inspect is not installed."""
    if importlib.util.find_spec("inspect_ai") is None:
        raise MissingExtraError(
            f"asking models needs the optional extra 'ask' (Inspect AI): {install_hint('ask')}"
        )


def checked_price(question: Question, operation: Operation, price: Price | None) -> Price | None:
    """Return the price of the model; the workbench's own models are free."""
    if price is None and question.model.startswith(f"{PROVIDER}/"):
        price = FREE
    refuse_credentials_in_environment(question, os.environ)
    if operation.budget is not None and price is None:
        raise InvalidArgumentError(
            f"budget: expected a price of {question.model!r} with it, got none; give its "
            "prices in dollars per million tokens of input and output, such as price=(2.5, 10)"
        )
    return price


def ask(
    source: Path | EpisodeSample,
    out: Path,
    question: Question,
    operation: Operation | None = None,
    *,
    price: Price | None = None,
    api_key: str | None = None,
    confirm: Callable[[CostEstimate], bool] | None = None,
    check_model: bool = True,
    progress: bool = False,
) -> AskingResult:
    """Ask a model about every position, in a separate process; a repeated call resumes.

    Args:
        source: Parquet of the POSITIONS schema, or random episodes.
        out: The run's folder, new or of an earlier call with the same question.
        question: What to ask.
        operation: How; by default `Operation()`.
        price: Price of the model; needed for a budget. The workbench's own models are free.
        api_key: The provider's key, if it is not in its environment variable. It is
            written nowhere.
        confirm: Shown the estimate before the first call; if it returns False, nothing is asked.
        check_model: Whether to check, before a new folder is made, that the model can be made.
        progress: Whether to show a progress bar on standard error.

    Raises:
        MissingExtraError: If Inspect is not installed.
        InvalidArgumentError: If there is a budget and no price, a base URL holds credentials, the
            positions are of another environment, or the model cannot be made.
        RunMismatchError: If ``out`` belongs to another question.
        AskingError: If nothing was asked, because the estimate was not accepted or another process
            asks into the folder.
        AskingStoppedError: If asking stopped before every question was tried, or was interrupted;
            the table contains all answers and failures.
        TableError: If the positions cannot be read or asked about.
    """
    require_extra()
    operation = operation or Operation()
    price = checked_price(question, operation, price)
    positions = read_table(source, POSITIONS) if isinstance(source, Path) else source.positions
    run = _Run(out, question, operation, price, positions)
    actual = environment_of(positions, source).name
    if actual != question.asked_environment.name:
        raise InvalidArgumentError(
            f"environment: expected {actual}, which the positions are of, got "
            f"{question.environment!r}; ask about positions of that environment"
        )
    refuse_other_run(out, question, source)
    if check_model and not RunFolder(out).description():
        refuse_unusable_model(question, operation.base_url, api_key)
    expected = run.expected()
    if confirm is not None and expected.calls and not confirm(expected):
        raise AskingError("nothing was asked, because the estimate was not accepted")
    out.mkdir(parents=True, exist_ok=True)
    try:
        with FileLock(out / RUN_LOCK).acquire(timeout=LOCK_SECONDS):
            run.folder = open_run(out, question, positions, source)
            # Another process may have asked in the meantime.
            run.journal = JournalReader(out, price)
            expected = run.expected()
            request = {
                "question": question.request(),
                "operation": asdict(operation),
                "positions_sha256": positions_hash(source),
                "price": None if price is None else asdict(price),
                "api_key": api_key,
            }
            outcome = _Outcome()
            if expected.calls or run.journal.record.damaged or not run.is_tabled():
                # Without a limit an earlier run may have asked about more.
                more = sum(name not in run.questions for name, _ in run.answered())
                outcome = _run_process(run, request, expected.questions + more, progress)
            return run.result(outcome)
    except Timeout as error:
        raise AskingError(
            f"{out}: expected a folder not in use, got one that another process is using; wait "
            "until it ends"
        ) from error


class _Run:
    """The questions of a run, and their record in its journal."""

    def __init__(
        self,
        out: Path,
        question: Question,
        operation: Operation,
        price: Price | None,
        positions: pd.DataFrame,
    ) -> None:
        self.question, self.operation, self.price = question, operation, price
        self.conversations = conversations_of(positions, question.full_prompt)
        names = in_asking_order(positions, operation.limit)["position_id"]
        self.questions = {name: self.conversations[name].messages for name in names}
        self.groups = dict(zip(positions["position_id"], positions["group"], strict=True))
        self.folder = RunFolder(out)
        self.journal = JournalReader(out, price)

    def record(self) -> Record:
        """Return what the journal holds now, when no process writes to it."""
        self.journal.read()
        self.journal.record.close()
        return self.journal.record

    def answered(self) -> set[tuple[str, int]]:
        return answered(self.journal.record, self.conversations)

    def is_tabled(self) -> bool:
        """Tell whether the table was written after the last answer."""
        table, journal = self.folder.predictions, self.folder.path / FILE_NAME
        return table.exists() and table.stat().st_mtime_ns >= journal.stat().st_mtime_ns

    def expected(self) -> CostEstimate:
        record, question, operation = self.record(), self.question, self.operation
        permanent_failures = {key for key, failure in record.failures.items() if failure.permanent}
        return estimate_cost(
            question.full_prompt,
            self.questions,
            self.answered(),
            question.samples_per_position,
            record.price,
            permanent_failures=() if operation.retry_failed else permanent_failures,
            budget=record.budget(operation.budget, question.max_tokens),
            system=question.system or "",
            forecast=self.forecast(record),
        )

    def forecast(self, record: Record) -> Forecast | None:
        """Return what asking about all positions costs, by the answers so far."""
        usage = {
            key: question_usage(record, key, range(len(self.conversations[key[0]].messages)))
            for key in self.answered()
        }
        return forecast(self.groups, self.question.samples_per_position, usage)

    def result(self, outcome: _Outcome) -> AskingResult:
        record, folder = self.record(), self.folder
        questions = set(product(self.questions, range(self.question.samples_per_position)))
        answered = questions & self.answered()
        failed = {
            key: record.failures[key] for key in questions - answered if key in record.failures
        }
        is_complete = len(answered) + len(failed) == len(questions)
        stopped = outcome.stopped
        if not stopped and not is_complete:
            stopped = f"the asking process ended before its end (see {folder.process_log})"
        notes = list(outcome.notes)
        if unknown := record.unknown:
            kinds = ", ".join(f"{number} ({reason})" for reason, number in unknown.most_common())
            notes.append(
                f"the cost of {unknown.total()} calls is unknown; they count at their maximum cost, "
                f"{record.reserved:.4f} dollars in total: {kinds}"
            )
        counts = _progress(len(questions), len(answered), len(failed))
        try:
            predictions = write_run_predictions(folder, self.price)
        except OSError as error:
            reason = f"{stopped}; " if stopped else ""
            raise AskingStoppedError(
                f"asking stopped: {reason}the table cannot be written: {error}; {counts}; every "
                f"answer is kept in {folder.path / FILE_NAME}: free some space and repeat the "
                "command, which asks nothing twice",
                notes,
            ) from error
        if stopped and is_complete and not outcome.interrupted:
            notes.append(f"asking stopped after the last question: {stopped}")
        elif stopped:
            raise AskingStoppedError(
                f"asking stopped: {stopped}; {counts}; {folder.predictions} contains the answers "
                "so far, and the same command resumes",
                notes,
            )
        return AskingResult(
            predictions=predictions,
            path=folder.predictions,
            questions=len(questions),
            answered=len(answered),
            failed=Counter(failure.reason for failure in failed.values()),
            dollars=None if self.price is None else record.dollars,
            notes=notes,
            forecast=self.forecast(record),
        )


def _run_process(run: _Run, request: dict[str, Any], questions: int, progress: bool) -> _Outcome:
    path, process_log = run.folder.path, run.folder.process_log
    command = [sys.executable, "-m", "workbench.asking.inspect_process", str(path)]
    with process_log.open("ab") as log:
        begin = log.tell()
        # A session of its own keeps the terminal's Ctrl-C from it: it stops when its input ends.
        process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=log,
            start_new_session=True,
        )
        with process:
            pipe, output = process.stdin, process.stdout
            assert pipe is not None
            assert output is not None
            interrupted = False
            try:
                # A process that has ended already says in its log why.
                with contextlib.suppress(BrokenPipeError):
                    pipe.write(json.dumps(request).encode() + b"\n")
                    pipe.flush()
                follow(process, run.journal, questions, lambda: len(run.answered()), show=progress)
            except KeyboardInterrupt:
                interrupted = True
                _end_in_order(process, pipe)
            line = output.read()
            code = process.wait()
    if line:
        outcome = _Outcome(**json.loads(line), interrupted=interrupted)
        outcome.stopped = outcome.stopped or ("interrupted" if interrupted else "")
        return outcome
    if interrupted:
        return _Outcome("interrupted", interrupted=True)
    if code < 0:
        name = signal.Signals(-code).name
        memory = ", perhaps because memory ran out" if -code == signal.SIGKILL else ""
        return _Outcome(f"the asking process was killed by {name}{memory}")
    return _Outcome(f"the asking process failed: {_end_of(process_log, begin)}")


def _end_in_order(process: "subprocess.Popen[bytes]", pipe: IO[bytes]) -> None:
    try:
        pipe.close()
        # Standard error may have lost its reader, which is no reason to drop the calls.
        with contextlib.suppress(OSError):
            print("waiting for calls in progress; interrupt again to drop them", file=sys.stderr)
        process.wait()
    except KeyboardInterrupt:
        process.kill()


def _end_of(log: Path, begin: int) -> str:
    text = log.read_bytes()[begin:][-_TAIL:].decode("utf-8", "replace")
    lines = [line for line in text.splitlines() if line.strip()]
    return f"{lines[-1] if lines else 'no output'} (see {log})"
