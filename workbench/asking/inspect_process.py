"""The process that asks: ``python -m workbench.asking.inspect_process RUN_DIR``.

Its first line of standard input is what to do, as JSON; a key comes that way, and not through
arguments or files. Standard input then stays open: when it ends, because the caller wants to stop
or was killed, no further call begins, those in progress end, and the process ends.

The last line of its standard output says how it went, as JSON: ``stopped``, why asking stopped
before the end, or an empty text; and ``notes``, what the user should know. All else that is printed
goes to standard error. This line reaches the caller also where no file can be written.
"""

import contextlib
import json
import logging
import os
import signal
import sys
import threading
from itertools import product
from pathlib import Path
from typing import Any, Final

import pandas as pd
from filelock import FileLock, Timeout
from inspect_ai import eval_set
from inspect_ai.log import EvalLog
from inspect_ai.model import Model

from workbench.answers.imports.inspect_logs import SAMPLES, log_entries, with_attachments
from workbench.asking.call_errors import MOST_BYTES, bound_responses, check_responses
from workbench.asking.conversations import answered, conversations_of
from workbench.asking.costs import Price
from workbench.asking.inspect_task import reconstruction
from workbench.asking.journal import DAMAGED_NAME, FILE_NAME, Journal, Key
from workbench.asking.model_check import in_one_line, make_model
from workbench.asking.questions import in_asking_order, questions_of
from workbench.asking.redaction import Secrets, keep_files_in, redact_model, redact_output
from workbench.asking.run_folder import LOCK_SECONDS, PROCESS_LOCK, RunFolder
from workbench.asking.session import Session, session_in_use
from workbench.asking.settings import MOST_CONNECTIONS, Operation, Question
from workbench.errors import JournalError, ReplyFileError
from workbench.tables.parquet_tables import POSITIONS, read_table

_LOGGER: Final = logging.getLogger(__name__)
_REPEATING: Final = ("azureai", "bedrock", "grok", "together")
"""Inspect's providers whose clients repeat requests and cannot be told not to."""


def main() -> int:
    """Ask, report the result, and return the exit code 0."""
    # A shell starts what it runs in the background with interrupts ignored.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    with os.fdopen(os.dup(sys.stdout.fileno()), "w", encoding="utf-8") as caller:
        os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
        work = _Work(RunFolder(Path(sys.argv[1])), json.loads(sys.stdin.readline()))
        keep_files_in(work.folder.path)
        redact_output(work.secrets)
        stopped = _ask(work)
        result = work.secrets().redacted({"stopped": stopped, "notes": work.notes})
        # Without a caller there is no process to report to.
        with contextlib.suppress(BrokenPipeError):
            caller.write(json.dumps(result) + "\n")
            caller.flush()
    return 0


class _Work:
    """The request of the caller, and notes for the user."""

    def __init__(self, folder: RunFolder, request: dict[str, Any]) -> None:
        self.folder = folder
        self.question = Question.from_description(request["question"])
        self.operation = Operation(**request["operation"])
        self.price = Price(**request["price"]) if request["price"] else None
        self.positions_sha256: str = request["positions_sha256"]
        self.api_key: str | None = request["api_key"]
        self.positions = in_asking_order(
            read_table(folder.positions, POSITIONS), self.operation.limit
        )
        samples = range(self.question.samples_per_position)
        self.questions = set(product(self.positions["position_id"], samples))
        self.connections = self.operation.connections_for(len(self.questions))
        self.conversations = conversations_of(self.positions, self.question.full_prompt)
        self.notes: list[str] = []

    def secrets(self, *others: str | None) -> Secrets:
        """Return the secrets; Inspect may load more from a file .env."""
        return self.question.secrets(os.environ, self.api_key, *others)


def _ask(work: _Work) -> str:
    """Ask alone in the folder, and return why asking stopped before the end, or an empty text."""
    path = work.folder.path
    try:
        with (
            FileLock(path / PROCESS_LOCK).acquire(timeout=LOCK_SECONDS),
            contextlib.closing(
                Journal(path, work.price, work.connections or MOST_CONNECTIONS)
            ) as journal,
        ):
            return _ask_with(journal, work)
    except Timeout:
        return "calls of an earlier run in this folder are still in progress; wait until they end"
    except JournalError as error:
        return str(error)
    except KeyboardInterrupt:
        return "interrupted"


def _ask_with(journal: Journal, work: _Work) -> str:
    lost = _lost_questions(journal, work)
    answers = _take_from_logs(journal, work)
    if journal.damaged:
        work.notes.append(_describe_damage(journal, lost, answers))
    record = journal.record
    budget = record.budget(work.operation.budget, work.question.max_tokens)
    session = Session(journal, budget, work.operation)
    ended = ""
    logs: list[EvalLog] = []
    try:
        _stop_when_told(session)
        with session_in_use(session):
            logs = _evaluate(work, _failed_last(work.positions, journal))
    except KeyboardInterrupt:
        ended = "interrupted"
    except Exception as error:
        ended = in_one_line(error)
        _LOGGER.exception("asking ended")
    finally:
        session.finish()
    if session.lost:
        work.notes.append(f"answers that came and could not be written: {session.lost}")
    if not (session.stopping or ended):
        if work.questions <= answered(record, work.conversations) | record.failures.keys():
            _remove_older_logs(work.folder, logs)
        else:
            ended = _end_of(logs)
    return session.stopping or ended


def _lost_questions(journal: Journal, work: _Work) -> dict[int, Key | None]:
    """Return the damaged lines of calls by number, each with its key, or None if that is unreadable."""
    keys = [
        (*question, turn)
        for question in work.questions
        for turn in range(len(work.conversations[question[0]].messages))
    ]
    missing = [key for key in keys if key not in journal.record.answers]
    return {
        line.number: (line.question(missing) if line.holds_answer else None) or line.question(keys)
        for line in journal.damaged
        if not line.holds_no_call
    }


def _describe_damage(journal: Journal, lost: dict[int, Key | None], answers: set[Key]) -> str:
    """Return which lines of the journal were damaged, and what becomes of their answers."""
    lines: dict[str, list[str]] = {}
    for line in journal.damaged:
        key = lost.get(line.number)
        if line.number in lost and key is None:
            outcome = "what they held cannot be read; questions without an answer are asked again"
        elif key in answers:
            outcome = "answers taken from Inspect's log"
        elif key is None or key in journal.record.answers:
            outcome = "held no answer, or one that is elsewhere in the journal"
        else:
            outcome = "asked again"
        lines.setdefault(outcome, []).append(str(line.number))
    moved = f"{len(journal.damaged)}, moved to {DAMAGED_NAME}"
    outcomes = "; ".join(
        f"{outcome}: {len(numbers)} (line{'s' * (len(numbers) > 1)} {', '.join(numbers)})"
        for outcome, numbers in lines.items()
    )
    return f"damaged lines of {FILE_NAME}: {moved}; {outcomes}"


def _end_of(logs: list[EvalLog]) -> str:
    """Return why Inspect ended in good order before every question was tried."""
    messages = [log.error.message for log in logs if log.status == "error" and log.error]
    return f"Inspect ended early: {' '.join(messages[0].split())}" if messages else "interrupted"


def _failed_last(positions: pd.DataFrame, journal: Journal) -> pd.DataFrame:
    """Return the positions as they are asked about.

    Those of which no question has failed come first, so that nothing can stand in their way: in an
    order that has nothing to do with that of the table, where neighbours fail for one reason. Then
    come the others, the latest failure last.
    """
    latest = {name: place for place, (name, _) in enumerate(journal.record.failures)}
    places = [latest.get(name, -1) for name in positions["position_id"]]
    return positions.iloc[sorted(range(len(positions)), key=places.__getitem__)]


def _evaluate(work: _Work, positions: pd.DataFrame) -> list[EvalLog]:
    question, operation, prompt = work.question, work.operation, work.question.full_prompt
    questions = questions_of(positions, prompt)
    identity = f"{prompt.name}@{prompt.version} {prompt.sha256} {work.positions_sha256}"
    model = make_model(question, operation.base_url, work.api_key)
    redact_model(model, lambda: work.secrets(model.api.api_key))
    model.model_args = question.open_model_args
    _leave_repeating_to_us(model, work.notes)
    check_responses(model.api)
    # The results of a batch come as one file.
    bound_responses(MOST_BYTES * (max(len(work.questions), 1) if operation.batch else 1))
    config: dict[str, Any] = {
        **question.generation(),
        "max_connections": work.connections,
        "max_retries": operation.retries if operation.batch else 0,
        **({"batch": True} if operation.batch else {"attempt_timeout": operation.attempt_timeout}),
    }
    _, logs = eval_set(
        reconstruction(positions, questions, question, identity),
        log_dir=str(work.folder.logs.resolve()),
        # Logs of a version that described the same question otherwise are left alone: the journal
        # has the answers.
        log_dir_allow_dirty=True,
        model=model,
        epochs=question.samples_per_position,
        # With fail_on_error=False a run with failed questions counts as a success and is never
        # taken up again. So it goes on to its end and fails there: the next run asks those anew.
        fail_on_error=True,
        continue_on_fail=True,
        retry_attempts=0,
        retry_on_error=0,
        score_on_error=True,
        max_samples=work.connections,
        log_buffer=operation.log_buffer,
        # The journal is what survives a kill; Inspect's own buffer would cost 3 ms more per
        # question, and lies outside the run's folder.
        log_realtime=False,
        log_model_api=False,
        log_refusals=False,
        ctl_server=False,
        score_display=False,
        display="none",
        **config,
    )
    return logs


def _leave_repeating_to_us(model: Model, notes: list[str]) -> None:
    client: Any = getattr(model.api, "client", None)
    if hasattr(client, "max_retries"):
        client.max_retries = 0
    provider = str(model).partition("/")[0]
    if provider in _REPEATING:
        notes.append(
            f"the client of {provider} may repeat requests on its own: there can be more requests "
            "than retries allows, and their cost is not reserved"
        )


def _take_from_logs(journal: Journal, work: _Work) -> set[Key]:
    """Write into the journal what only Inspect's logs hold, and return the keys of these answers.

    Such questions are not asked again. A log that cannot be read, because the disk was full, is kept
    under another name.
    """
    before = set(journal.record.answers)
    for path in sorted(work.folder.logs.glob("*.eval")):
        try:
            for name, text in log_entries(path):
                if name.startswith(SAMPLES):
                    _take_sample(journal, json.loads(text))
        except (ReplyFileError, ValueError) as error:
            copy = path.rename(path.with_suffix(".damaged"))
            work.notes.append(f"{error}; it is kept as {copy.name}, the answers are in {FILE_NAME}")
    return set(journal.record.answers) - before


def _take_sample(journal: Journal, sample: dict[str, Any]) -> None:
    question = (str(sample["id"]), int(sample["epoch"]) - 1)
    if sample.get("error"):
        return
    for turn, output in _outputs(sample).items():
        key = (*question, turn)
        if output.get("choices") and key not in journal.record.answers:
            whole = with_attachments(output, sample.get("attachments") or {})
            journal.answered(key, whole, None)


def _outputs(sample: dict[str, Any]) -> dict[int, dict[str, Any]]:
    """Return the outputs of a sample by turn; those of earlier turns are in its events."""
    outputs = {}
    replies = [message for message in sample["messages"] if message["role"] == "assistant"]
    last_turn = max(len(replies) - 1, 0)
    if last_turn:
        turns = {message.get("id"): turn for turn, message in enumerate(replies)}
        for event in sample.get("events") or []:
            output = event.get("output") or {} if event["event"] == "model" else {}
            for choice in output.get("choices") or []:
                if (turn := turns.get(choice["message"].get("id"))) is not None:
                    outputs[turn] = output
    return {**dict(sorted(outputs.items())), last_turn: sample.get("output") or {}}


def _remove_older_logs(folder: RunFolder, logs: list[EvalLog]) -> None:
    """Remove the logs that killed processes left: the newest begins with a copy of them."""
    newest = {Path(log.location.removeprefix("file://")).name for log in logs}
    for path in folder.logs.glob("*.eval"):
        if path.name not in newest:
            path.unlink()


def _stop_when_told(session: Session) -> None:
    """Stop in good order when the caller asks for it or ends, and on termination signals."""

    def stop_at_end_of_input() -> None:
        while os.read(sys.stdin.fileno(), 1024):
            pass
        session.stop("interrupted")

    def stop_at_signal(*_: object) -> None:
        # Not here: the signal may have come while the session holds its lock.
        threading.Thread(target=session.stop, args=("the asking process was terminated",)).start()

    threading.Thread(target=stop_at_end_of_input, daemon=True).start()
    signal.signal(signal.SIGTERM, stop_at_signal)


if __name__ == "__main__":
    sys.exit(main())
