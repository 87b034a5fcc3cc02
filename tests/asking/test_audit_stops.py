"""An audit of a model behind a server: killed, called again, out of budget, in all the words of its questions."""

import json
import os
import signal
import subprocess
import sys

import pandas as pd
import pytest
from local_run import COMMAND, asking_process, needs_inspect, run_here, wait_until
from local_server import LocalServer

import workbench as wb
from workbench.asking.questions import questions_of
from workbench.asking.settings import Question
from workbench.consistency.plan import plan_pairs
from workbench.errors import AskingStoppedError

pytestmark = needs_inspect

RELATIONS = ("next_action", "transposition")


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="looks for processes")
def test_killed_and_asked_again(positions, positions_path, tmp_path, warm_process):
    (table,) = plan_pairs(positions, RELATIONS).tables().values()
    answers = dict(zip(table["movetext"], table["true_state"], strict=True))
    out = tmp_path / "audit"
    with LocalServer(answers, seconds=0.2) as server:
        arguments = [
            "audit", str(positions_path), "-o", str(out), "--yes", "--model", "openai-api/local/model",
            "--base-url", server.url, "--connections", "4", "--depth", "1",
            *(part for name in RELATIONS for part in ("--relation", name)),
        ]  # fmt: skip
        process = subprocess.Popen(
            [sys.executable, "-c", COMMAND, *arguments],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        wait_until(lambda: sum(server.answered.values()) >= 16)
        for pid in (process.pid, asking_process(process.pid)):
            os.kill(pid, signal.SIGKILL)
        said = process.communicate()[0].decode()
        assert f"{len(table)} questions in one prompt: 0 answered by other runs, 0 before" in said
        (journal,) = out.glob("*/answers.jsonl")
        before = sum('"output"' in line for line in journal.read_text().splitlines())
        assert 0 < before < len(table)
        asked = server.asked.total()
        code, said = run_here(arguments)
        assert code == 0, said
        assert f"{before} before, {len(table) - before} to ask" in said
        # What was announced is what was asked.
        assert server.asked.total() - asked == len(table) - before
        pairs = pd.read_parquet(out / "pairs.parquet")
        assert (pairs["consistency"] == 1).all()
        assert set(pairs["relation"]) == set(RELATIONS)
        code, said = run_here(arguments)
        assert (code, f"{len(table)} before, 0 to ask" in said) == (0, True)
        assert server.asked.total() - asked == len(table) - before
    assert json.loads((journal.parent / "run.json").read_text())["question"]["model"].startswith(
        "openai-api"
    )


@pytest.mark.slow
def test_a_model_that_reads_words_is_asked_in_every_relation(
    positions, tmp_path, warm_process, monkeypatch
):
    # A list of moves has one answer here: prefix, which asks for another, is left to a test of texts.
    names = ["transposition", "notation", "paraphrase", "colour_flip", "repeat"]
    question = Question("openai-api/local/model")
    prompt, table = question.full_prompt, positions.head(4)
    answers = {}
    tables = plan_pairs(table, names, prompt=prompt).tables()
    for own, asked in tables.items():
        true = dict(zip(asked["position_id"], asked["true_state"], strict=True))
        for name, (text,) in questions_of(asked, own or prompt).items():
            answers[text.rpartition("Moves:")[2].strip()] = true[name]
    assert {own and own.name for own in tables} >= {None, "other-words", "with-start"}
    options = {"out": tmp_path / "audit", "relations": names, "depth": 1, "retries": 0}
    with LocalServer(answers) as server:
        options["base_url"] = server.url
        with pytest.raises(AskingStoppedError, match="asking stopped"):
            wb.audit(
                question.model, table, **options, price=(1000, 1000), budget=0.5, max_tokens=60
            )
        few = server.asked.total()
        options["out"] = tmp_path / "other"
        done = wb.audit(question.model, table, **options)
        assert server.asked.total() - few == done.questions > few
        assert done.announcement.startswith(
            f"{done.questions} questions in {len(tables)} prompts: "
        )
    assert set(done.pairs["relation"]) == set(names)
    assert (done.pairs[["consistency", "truth"]] == 1).all(axis=None)
