"""The process that asks: ``python -m workbench.replies.asking.process RUN_DIR``.

Its first line of standard input is what to do, as JSON; a key comes that way, and not through
arguments or files. Standard input then stays open: when it ends, because the caller wants to stop
or was killed, no further call begins, those under way end, and the process ends.
"""

import json
import os
import re
import signal
import sys
import threading
from pathlib import Path
from typing import Any, Final

from filelock import FileLock, Timeout
from inspect_ai import eval_set
from inspect_ai.log import EvalLog
from inspect_ai.model import GenerateConfigArgs, get_model

from workbench.replies.asking.folder import RunFolder
from workbench.replies.asking.journal import Journal
from workbench.replies.asking.prices import Price
from workbench.replies.asking.questions import questions_of
from workbench.replies.asking.redaction import keep_files_in, redact_model, redact_output
from workbench.replies.asking.session import Session, session_in_use
from workbench.replies.asking.settings import Operation, Question, refuse_credentials
from workbench.replies.asking.task import reconstruction
from workbench.tables import POSITIONS, read_table

LOCK_SECONDS: Final = 15
_MARKUP: Final = re.compile(r"\[/?[a-z]+\]")
"""Inspect's messages are written for the terminal library rich."""

ENDED_EARLY: Final = 3
"""The exit code if asking stopped for a reason that stands in the journal."""


def main() -> int:
    """Ask, and return the exit code: 0 if there is nothing left that could be asked."""
    # A shell starts what it runs in the background with interrupts ignored.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    folder = RunFolder(Path(sys.argv[1]))
    request: dict[str, Any] = json.loads(sys.stdin.readline())
    keep_files_in(folder.path)
    question = Question(**request["question"])
    key: str | None = request["api_key"]
    redact_output(lambda: question.secrets(os.environ, key))
    try:
        with FileLock(folder.path / ".lock").acquire(timeout=LOCK_SECONDS):
            return _ask_locked(folder, question, request)
    except Timeout:
        print(f"{folder.path}: another process is asking into this folder", file=sys.stderr)
        return ENDED_EARLY


def _ask_locked(folder: RunFolder, question: Question, request: dict[str, Any]) -> int:
    journal = Journal(folder.path)
    price = Price(**request["price"]) if request["price"] else None
    session = Session(
        journal,
        price=price,
        budget=request["operation"]["budget"],
        expected_dollars=request["expected_dollars"],
        failures_in_a_row=request["operation"]["failures_in_a_row"],
    )
    threading.Thread(target=_stop_at_end_of_input, args=(session,), daemon=True).start()
    try:
        with session_in_use(session):
            logs = _evaluate(folder, question, request)
    except KeyboardInterrupt:
        if not session.stopping:
            journal.stopped("interrupted")
        return ENDED_EARLY
    except Exception as error:
        said = " ".join(_MARKUP.sub("", str(error)).split()) or repr(error)
        journal.stopped(question.secrets(os.environ, request["api_key"]).redacted(said))
        raise
    if session.stopping:
        return ENDED_EARLY
    _remove_older_logs(folder, logs)
    return 0


def _evaluate(folder: RunFolder, question: Question, request: dict[str, Any]) -> list[EvalLog]:
    operation = Operation(**request["operation"])
    positions = read_table(folder.positions, POSITIONS)
    prompt = question.prompted
    questions = questions_of(positions, prompt)
    identity = f"{prompt.name}@{prompt.version} {prompt.sha256} {request['positions_sha256']}"
    model = get_model(
        question.model,
        base_url=operation.base_url,
        api_key=request["api_key"],
        **question.model_args,
    )
    # Inspect may have loaded an address or a key from a file .env.
    refuse_credentials(model.api.base_url, "the model's base URL")
    redact_model(model, lambda: question.secrets(os.environ, request["api_key"], model.api.api_key))
    model.model_args = question.shown_model_args
    connections = operation.connections_for(len(questions) * question.samples_per_position)
    config: GenerateConfigArgs = {
        "temperature": question.temperature,
        "max_tokens": question.max_tokens,
        "max_retries": operation.retries,
        "max_connections": connections,
    }
    if operation.batch:
        config["batch"] = True
    else:
        config["attempt_timeout"] = operation.attempt_timeout
    _, logs = eval_set(
        reconstruction(positions, questions, prompt, identity),
        log_dir=str(folder.logs.resolve()),
        model=model,
        epochs=question.samples_per_position,
        # With fail_on_error=False a run with failed questions counts as a success and is never
        # taken up again. So it goes on to its end and fails there: the next run asks those anew.
        fail_on_error=True,
        continue_on_fail=True,
        retry_attempts=0,
        retry_on_error=operation.sample_retries,
        score_on_error=True,
        max_samples=connections,
        log_buffer=operation.log_buffer,
        # The journal is what survives a kill; Inspect's own buffer would cost 3 ms a question more,
        # and lies outside the run's folder.
        log_realtime=False,
        log_model_api=False,
        log_refusals=False,
        ctl_server=False,
        score_display=False,
        display="none",
        **config,
    )
    return logs


def _remove_older_logs(folder: RunFolder, logs: list[EvalLog]) -> None:
    """Remove the logs that killed processes left: the newest begins with a copy of them."""
    newest = {Path(log.location.removeprefix("file://")).name for log in logs}
    for path in folder.logs.glob("*.eval"):
        if path.name not in newest:
            path.unlink()


def _stop_at_end_of_input(session: Session) -> None:
    sys.stdin.read()
    session.stop("interrupted")


if __name__ == "__main__":
    sys.exit(main())
