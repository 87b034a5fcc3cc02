"""A run that is stopped in any way goes on, and a run of another question is refused."""

import json
import os
import random
import signal
import subprocess
import sys
import threading

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

from workbench.asking import resumable_run as asking_run
from workbench.asking.journal import FILE_NAME, Failure, Journal, journal_record
from workbench.asking.predictions_table import run_predictions
from workbench.asking.resumable_run import ask
from workbench.asking.run_folder import open_run, refuse_other_run
from workbench.asking.settings import Operation, Question
from workbench.errors import (
    AskingError,
    RunMismatchError,
)
from workbench.tables.parquet_tables import POSITIONS, read_provenance, write_table

pytestmark = needs_inspect

AFTER_E4 = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1"


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="looks for processes")
@pytest.mark.parametrize("how", ["killed", "interrupted"])
def test_stopped_in_the_middle_and_asked_again(
    positions_path, answers, tmp_path, warm_process, how
):
    out = tmp_path / "run"
    with LocalServer(answers, seconds=0.2) as server:
        asked = (positions_path, out, server)
        command = shell_command(*asked)
        process = subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL)
        wait_until(lambda: sum(server.answered.values()) >= 16)
        if how == "killed":
            for pid in (process.pid, asking_process(process.pid)):
                os.kill(pid, signal.SIGKILL)
            process.communicate()
        else:
            process.send_signal(signal.SIGINT)
            said = process.communicate()[1].decode()
            assert process.returncode == 130
            assert "Error: asking stopped: interrupted; " in said
            number = server.answered.total()
            assert f"; {number} answered, 0 failed, {40 - number} not asked; " in said
            # The calls under way were awaited, and their answers stand in the table.
            assert len(pd.read_parquet(out / "predictions.parquet")) == server.answered.total()
            assert server.asked == server.answered
        code, said = run_here(arguments_to_ask(*asked))
        assert (code, "40 valid" in said) == (0, True)
        table = pd.read_parquet(out / "predictions.parquet")
        assert sorted(table["position_id"]) == sorted(
            pd.read_parquet(positions_path)["position_id"]
        )
        assert (table["predicted_state"] == table["true_state"]).all()
        twice = sum(count > 1 for count in server.asked.values())
        assert twice <= (4 if how == "killed" else 0)
        assert len(list((out / "logs").glob("*.eval"))) == 1
        before = dict(server.asked)
        code, said = run_here(arguments_to_ask(*asked))
        assert (code, "40 valid" in said) == (0, True)
        assert server.asked == before


class TestADamagedJournal:
    """Flipped bits in answers: none is taken as it is, and the warning tells what becomes of each."""

    LINES = 20

    def flip_bits(self, out):
        """Flip a bit in each of 20 lines of answers, and return the numbers of these lines."""
        path, choice = out / FILE_NAME, random.Random(27)
        lines = path.read_bytes().splitlines(keepends=True)
        answers = [place for place, line in enumerate(lines) if b'"output"' in line]
        places = sorted(choice.sample(answers, self.LINES))
        for place in places:
            line = bytearray(lines[place])
            line[choice.randrange(len(line) - 1)] ^= 1 << choice.randrange(7)
            lines[place] = bytes(line)
        path.write_bytes(b"".join(lines))
        return ", ".join(str(place + 1) for place in places)

    @pytest.mark.slow
    @pytest.mark.parametrize(
        ("log", "prompt", "again"),
        [(True, None, 0), (False, None, 20), (True, "self-check", 0), (False, "self-check", None)],
    )
    def test_no_changed_answer_is_taken(self, ask_server, answers, tmp_path, log, prompt, again):
        turns = 2 if prompt else 1
        with LocalServer(answers) as server:
            whole = ask_server(server, prompt=prompt).predictions
            assert server.asked.total() == 40 * turns
            numbers = self.flip_bits(tmp_path / "run")
            if not log:
                for path in (tmp_path / "run" / "logs").glob("*.eval"):
                    path.unlink()
            run = ask_server(server, prompt=prompt)
            columns = ["position_id", "reply", "predicted_state", "reply_class", "earlier_turns"]
            pd.testing.assert_frame_equal(run.predictions[columns], whole[columns])
            more = server.asked.total() - 40 * turns
            (note,) = run.notes
            assert "damaged lines of answers.jsonl: 20, moved to answers.damaged; " in note
            if log:
                assert f"answers taken from Inspect's log: 20 (lines {numbers})" in note
            elif again is not None:
                assert f"asked again: 20 (lines {numbers})" in note
            # A first turn is asked again with all that follow.
            assert 20 <= more <= 40 if again is None else more == again
            # Repaired for good.
            assert ask_server(server, prompt=prompt).notes == []
            assert server.asked.total() == 40 * turns + more


class TestRefusals:
    @pytest.fixture
    def opened(self, positions, positions_path, tmp_path):
        def opening(path=positions_path, **changes):
            question = Question(**{"model": "workbench/simulated", **changes})
            return open_run(tmp_path / "run", question, positions, path)

        return opening

    def test_another_question_is_refused_and_what_differs_is_said(
        self, opened, positions, tmp_path
    ):
        opened(temperature=0.5)
        before = (tmp_path / "run" / "run.json").read_bytes()
        for changes, said in (
            ({"temperature": 0.7}, "temperature: found 0.5, requested 0.7"),
            (
                {"temperature": 0.5, "prompt": "few-shot"},
                "prompt name: found 'pgn-direct', requested",
            ),
            ({"temperature": 0.5, "model": "openai/gpt-4o"}, "model: found 'workbench/simulated'"),
            ({"temperature": 0.5, "model_args": {"rate": 0.5}}, "model_args rate: found None"),
            ({"temperature": 0.5, "max_tokens": 100}, "max_tokens: found None, requested 100"),
        ):
            with pytest.raises(RunMismatchError, match=said):
                opened(**changes)
        other = tmp_path / "other.parquet"
        write_table(positions.head(5), other, POSITIONS)
        with pytest.raises(RunMismatchError, match="positions: found '"):
            opened(other, temperature=0.5)
        assert (tmp_path / "run" / "run.json").read_bytes() == before
        opened(temperature=0.5)

    def test_a_changed_prompt_under_the_same_name_is_refused(self, opened, tmp_path):
        opened()
        path = tmp_path / "run" / "run.json"
        description = json.loads(path.read_text())
        description["question"]["prompt"]["sha256"] = "0" * 64
        path.write_text(json.dumps(description))
        with pytest.raises(RunMismatchError, match="prompt sha256"):
            opened()

    def test_a_folder_of_other_files_is_left_alone(self, opened, tmp_path):
        (tmp_path / "run").mkdir()
        (tmp_path / "run" / "thesis.tex").write_text("x")
        with pytest.raises(RunMismatchError, match="other files"):
            opened()
        assert [path.name for path in (tmp_path / "run").iterdir()] == ["thesis.tex"]

    def test_a_description_that_cannot_be_read(self, opened, tmp_path):
        opened()
        (tmp_path / "run" / "run.json").write_text('{"question"')
        with pytest.raises(RunMismatchError, match="expected the description of a run"):
            opened()

    def test_nothing_is_asked_without_consent(self, positions_path, tmp_path):
        shown = []

        def confirm(estimate):
            shown.append(estimate)
            return False

        with pytest.raises(AskingError, match="nothing was asked"):
            ask(positions_path, tmp_path / "run", Question("workbench/simulated"), confirm=confirm)
        assert shown[0].calls == 40
        assert not (tmp_path / "run").exists()


def test_more_samples_extend_a_run_and_fewer_are_refused(positions_path, tmp_path, warm_process):
    def asked(samples):
        question = Question("workbench/simulated", samples_per_position=samples,
                            model_args={"rate": 0.3})  # fmt: skip
        return ask(positions_path, tmp_path / "run", question)

    one = asked(1).predictions
    three = asked(3).predictions
    assert list(three["sample"]) == [0, 1, 2] * 40
    kept = three[three["sample"] == 0].reset_index(drop=True)
    pd.testing.assert_frame_equal(kept, one)
    assert three.groupby("position_id")["reply"].nunique().max() > 1
    assert len(journal_record(tmp_path / "run").answered(0)) == 120
    with pytest.raises(RunMismatchError, match="samples_per_position: found 3, requested 2"):
        asked(2)


def test_the_table_comes_from_the_journal(positions_path, positions, tmp_path):
    question = Question("workbench/simulated")
    folder = open_run(tmp_path / "run", question, positions, positions_path)
    journal = Journal(folder.path)
    output = {"choices": [{"message": {"content": AFTER_E4}, "stop_reason": "stop"}]}
    last = positions["position_id"].iloc[-1]
    journal.answered((last, 0, 0), output, None)
    first = positions["position_id"].iloc[0]
    journal.failed((first, 0, 0), Failure("reset", permanent=False))
    columns = ["position_id", "predicted_state", "reply_class", "reason"]
    assert run_predictions(folder)[columns].fillna("").to_numpy().tolist() == [
        [first, "", "failed", "call failed: reset"],
        [last, AFTER_E4, "valid", ""],
    ]


def test_the_table_says_what_was_asked(positions_path, tmp_path, warm_process):
    question = Question("workbench/simulated", prompt="self-check", temperature=1.0)
    run = ask(positions_path, tmp_path / "run", question)
    provenance = read_provenance(run.path)
    assert provenance["asked"] == question.description()
    assert provenance["asked"]["prompt"]["turns"] == list(question.full_prompt.turns)
    assert set(run.predictions["model"]) == {"workbench/simulated"}
    lines = [json.loads(line) for line in (tmp_path / "run" / "answers.jsonl").open()]
    assert sorted(line["turn"] for line in lines if "output" in line) == [0] * 40 + [1] * 40


def test_a_description_that_is_being_written_is_no_other_file(positions_path, tmp_path):
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / ".run-abc.json").touch()
    question = Question("openai-api/local/model")
    refuse_other_run(tmp_path / "run", question, positions_path)
    (tmp_path / "run" / "notes.txt").touch()
    with pytest.raises(RunMismatchError, match="other files"):
        refuse_other_run(tmp_path / "run", question, positions_path)


def test_two_processes_never_ask_into_one_folder(
    positions_path, answers, tmp_path, monkeypatch, warm_process
):
    monkeypatch.setattr(asking_run, "LOCK_SECONDS", 120)
    out = tmp_path / "run"
    question = Question("openai-api/local/model")
    with LocalServer(answers, seconds=0.2) as server:
        operation = Operation(base_url=server.url, connections=4)
        runs = []

        def asking():
            runs.append(ask(positions_path, out, question, operation))

        threads = [threading.Thread(target=asking) for _ in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert [len(run.predictions) for run in runs] == [40, 40]
        assert set(server.asked.values()) == {1}
