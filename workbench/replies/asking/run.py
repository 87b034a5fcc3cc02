"""Asking a model about a table of positions, from the estimate to the table of predictions."""

import importlib.util
import json
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import IO, Final

import pandas as pd

from workbench.errors import AskingError, InvalidArgumentError, MissingExtraError
from workbench.installation import install_hint
from workbench.provenance import file_hash
from workbench.replies.asking.estimate import Estimate, estimate
from workbench.replies.asking.folder import RunFolder, open_run, refuse_other_run
from workbench.replies.asking.journal import FILE_NAME, JournalReader
from workbench.replies.asking.prices import Price
from workbench.replies.asking.progress import follow
from workbench.replies.asking.questions import questions_of
from workbench.replies.asking.settings import (
    Operation,
    Question,
    refuse_credentials_in_environment,
)
from workbench.replies.asking.table import write_run_predictions
from workbench.replies.eval_logs import CALL_FAILED
from workbench.tables import POSITIONS, read_table

_TAIL: Final = 2000


@dataclass(frozen=True, slots=True)
class AskedRun:
    """What a run came to.

    Attributes:
        predictions: The table; a failed call is a row, a question not asked yet has none.
        path: Where the table lies.
        questions: Positions times samples.
        failed: Failed calls by their reason.
        dollars: What the calls so far cost by the price; None without one.
    """

    predictions: pd.DataFrame
    path: Path
    questions: int
    failed: Counter[str]
    dollars: float | None

    @property
    def not_asked(self) -> int:
        """How many questions have neither an answer nor a failure."""
        return self.questions - len(self.predictions)


def require_extra() -> None:
    """Refuse to go on without Inspect.

    Raises:
        MissingExtraError: If it is not installed; the message says what to install.
    """
    if importlib.util.find_spec("inspect_ai") is None:
        raise MissingExtraError(
            f"asking models needs the optional extra 'ask' (Inspect AI): {install_hint('ask')}"
        )


def ask(
    positions_path: Path,
    out: Path,
    question: Question,
    operation: Operation | None = None,
    *,
    price: Price | None = None,
    api_key: str | None = None,
    confirm: Callable[[Estimate], bool] | None = None,
    progress: bool = False,
) -> AskedRun:
    """Ask a model about every position, in a process of its own; called again, it goes on.

    Args:
        positions_path: Parquet of the POSITIONS schema.
        out: The run's folder, new or of an earlier call with the same question.
        question: What to ask.
        operation: How; by default `Operation()`.
        price: Of the model; needed for a budget.
        api_key: The provider's key, if it does not stand in its environment variable. It is
            written nowhere.
        confirm: Shown the estimate before the first call; if it returns False, nothing is asked.
        progress: Whether to show a progress bar on standard error.

    Raises:
        MissingExtraError: If Inspect is not installed.
        InvalidArgumentError: If there is a budget and no price, or a base URL holds credentials.
        RunMismatchError: If ``out`` belongs to another question.
        AskingError: If asking stopped before the end; what was answered stands in the table.
        TableError: If the positions cannot be read or asked about.
    """
    require_extra()
    operation = operation or Operation()
    refuse_credentials_in_environment(question, os.environ)
    if operation.budget is not None and price is None:
        raise InvalidArgumentError(
            f"budget: expected a price of {question.model!r} with it, got none; give its dollars a "
            "million tokens of input and of output"
        )
    positions = read_table(positions_path, POSITIONS)
    prompt = question.prompted
    questions = questions_of(positions, prompt)
    refuse_other_run(out, question, positions_path)
    journal = JournalReader(out, last_turn=len(prompt.turns) - 1)
    journal.read()
    samples = question.samples_per_position
    expected = estimate(prompt, questions, journal.answered, samples, price)
    if confirm is not None and expected.calls and not confirm(expected):
        raise AskingError("nothing was asked, because the estimate was not accepted")
    folder = open_run(out, question, positions, positions_path)
    request = {
        "question": {**asdict(question), "prompt": f"{prompt.name}@{prompt.version}"},
        "operation": asdict(operation),
        "positions_sha256": file_hash(positions_path),
        "price": None if price is None else asdict(price),
        "expected_dollars": (expected.dollars or 0.0) / max(expected.calls, 1),
        "api_key": api_key,
    }
    journal.forget_stop()
    code = 0
    if expected.calls or not _is_tabled(folder):
        code = _run_process(folder, json.dumps(request), journal, expected.questions, progress)
        journal.read()
    predictions = write_run_predictions(folder)
    failures = predictions["reason"][predictions["reason"].str.startswith(CALL_FAILED)]
    asked = AskedRun(
        predictions=predictions,
        path=folder.predictions,
        questions=expected.questions,
        failed=Counter(failures.str.removeprefix(CALL_FAILED)),
        dollars=None if price is None else journal.dollars,
    )
    if code != 0:
        reason = journal.stopped or _end_of(folder.process_log)
        raise AskingError(
            f"asking stopped: {reason}; {len(journal.answered)} of {expected.questions} questions "
            f"are answered, {folder.predictions} holds them; ask again to go on"
        )
    return asked


def _is_tabled(folder: RunFolder) -> bool:
    """Tell whether the table was written after the last answer."""
    journal = folder.path / FILE_NAME
    return (
        folder.predictions.exists()
        and folder.predictions.stat().st_mtime_ns >= journal.stat().st_mtime_ns
    )


def _run_process(
    folder: RunFolder, request: str, journal: JournalReader, questions: int, progress: bool
) -> int:
    """Run the asking process to its end and return its exit code."""
    command = [sys.executable, "-m", "workbench.replies.asking.process", str(folder.path)]
    with folder.process_log.open("ab") as log:
        # A session of its own keeps the terminal's Ctrl-C from it: it stops when its input ends.
        process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=log,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        with process:
            pipe: IO[bytes] | None = process.stdin
            assert pipe is not None
            pipe.write(request.encode() + b"\n")
            pipe.flush()
            try:
                follow(process, journal, questions, show=progress)
            except KeyboardInterrupt:
                pipe.close()
                print("waiting for the calls under way; again to drop them", file=sys.stderr)
                try:
                    process.wait()
                except KeyboardInterrupt:
                    process.kill()
            return process.wait()


def _end_of(log: Path) -> str:
    text = log.read_text(encoding="utf-8", errors="replace")[-_TAIL:]
    lines = [line for line in text.splitlines() if line.strip()]
    return f"{lines[-1] if lines else 'the process was killed'} (see {log})"
