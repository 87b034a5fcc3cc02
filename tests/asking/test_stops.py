"""However a run ends, its exit code and one line say how far it came, and no answer is lost."""

import json
import os
import resource
import signal
import subprocess
import sys

import pandas as pd
import pytest
from local_run import (
    arguments_to_ask,
    asking_process,
    needs_inspect,
    run_here,
    shell_command,
    wait_until,
)
from local_server import LocalServer

from workbench.asking import resumable_run
from workbench.asking.journal import FILE_NAME, SPARE_BYTES, journal_record
from workbench.asking.run_folder import open_run
from workbench.asking.settings import Question
from workbench.errors import AskingStoppedError
from workbench.tables.parquet_tables import POSITIONS, read_table

pytestmark = [
    needs_inspect,
    pytest.mark.skipif(sys.platform != "linux", reason="looks for processes"),
]


def run_to_its_end(command, stop=None, **options):
    process = subprocess.Popen(
        command, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True, **options
    )
    if stop is not None:
        stop(process)
    output, errors = process.communicate()
    return process.returncode, errors_in(output + errors)


def errors_in(said):
    return [line for line in said.splitlines() if line.startswith("Error: ")]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("number", "reason"),
    [
        (
            signal.SIGKILL,
            "the asking process was killed by SIGKILL, perhaps because memory ran out",
        ),
        (signal.SIGINT, "interrupted"),
    ],
)
def test_the_asking_process_is_stopped_by_somebody(
    positions_path, answers, tmp_path, number, reason
):
    out = tmp_path / "run"
    with LocalServer(answers, seconds=0.2) as server:

        def stop(process):
            wait_until(lambda: server.answered.total() >= 8)
            os.kill(asking_process(process.pid), number)

        code, (line,) = run_to_its_end(shell_command(positions_path, out, server), stop)
        assert code == 3
        answered = len(journal_record(out).answered(0))
        assert line.startswith(
            f"Error: asking stopped: {reason}; {answered} answered, 0 failed, "
            f"{40 - answered} not asked; "
        )
        assert len(pd.read_parquet(out / "predictions.parquet")) == answered
        if number == signal.SIGINT:
            # Inspect breaks off, and the calls under way still end in the journal.
            assert answered == server.asked.total()


def test_an_interrupt_while_the_last_answer_comes_still_stops(ask_server, answers, monkeypatch):
    def interrupted_at_the_end(process, *_, **__):
        process.wait()
        raise KeyboardInterrupt

    with LocalServer(answers) as server:
        monkeypatch.setattr(resumable_run, "follow", interrupted_at_the_end)
        with pytest.raises(AskingStoppedError) as stopped:
            ask_server(server)
        assert str(stopped.value).startswith(
            "asking stopped: interrupted; 40 answered, 0 failed, 0 not asked; "
        )
        monkeypatch.undo()
        assert ask_server(server).describe() == "40 answered, 0 failed, 0 not asked"
        assert server.asked.total() == 40


@pytest.mark.slow
def test_a_full_disk_ends_the_run_at_once(positions_path, answers, tmp_path, warm_process):
    # The largest file that may be written has room for some answers after this line.
    out = tmp_path / "run"
    with LocalServer(answers, seconds=0.05) as server:
        question = Question("openai-api/local/model")
        open_run(out, question, read_table(positions_path, POSITIONS), positions_path)
        line = json.dumps({"stopped": " " * 4 * SPARE_BYTES}) + "\n"
        (out / FILE_NAME).write_text(line)
        size = len(line) + 4000
        asked = (positions_path, out, server)
        code, (line,) = run_to_its_end(
            shell_command(*asked),
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size, size)),
        )
        assert code == 3
        answered = len(journal_record(out).answered(0))
        assert "answers.jsonl cannot be written: File too large; raise the limit" in line
        assert f"; {answered} answered, 0 failed, {40 - answered} not asked; " in line
        # Only the calls under way came after the last answer that was written.
        assert 0 < answered < server.asked.total() <= answered + 4
        server.requests.clear()
        code, said = run_here(arguments_to_ask(*asked))
        assert (code, errors_in(said)) == (0, [])
        assert "40 answered, 0 failed, 0 not asked" in said.splitlines()
        # Answers that only Inspect could still write are taken from its log.
        assert len(server.requests) <= 40 - answered


def test_a_run_with_failures_says_so(positions_path, answers, tmp_path, warm_process):
    with LocalServer(answers, {next(iter(answers)): "bad_request"}) as server:
        command = arguments_to_ask(positions_path, tmp_path / "run", server)
        code, said = run_here(command)
        assert code == 4
        (line,) = errors_in(said)
        assert line.startswith("Error: 39 answered, 1 failed, 0 not asked; ")
        assert "1 failed: BadRequestError: Error code: 400" in said
        # It is not asked again, and nothing hides that it failed.
        server.requests.clear()
        code, said = run_here(command)
        (line,) = errors_in(said)
        assert (code, server.requests) == (4, [])
        assert line.startswith("Error: 39 answered, 1 failed, 0 not asked; ")


def test_what_a_server_says_is_printed_without_its_control_characters(
    positions_path, answers, tmp_path, warm_process
):
    with LocalServer(answers, {next(iter(answers)): "escape_codes"}) as server:
        command = arguments_to_ask(positions_path, tmp_path / "run", server)
        code, said = run_here([*command, "--retries", "0"])
        assert code == 4
        # Where the output is no terminal, click leaves out what it knows of.
        assert r"\x1b]0;owned\x07 at the server" in said
        assert set("\x1b\x07\x9b\u202e").isdisjoint(said)
