"""The commands on any environment and task, with the process that asks."""

import os
import shutil
import signal
import subprocess
import sys
from importlib.metadata import entry_points
from pathlib import Path

import pandas as pd
import pytest
from click.testing import CliRunner
from local_run import asking_process, needs_inspect, wait_until

import workbench
from workbench.cli import main
from workbench.environments.registry import environment_named, environment_names
from workbench.episodes import sample_positions
from workbench.tables.parquet_tables import POSITIONS, read_provenance, read_table
from workbench.tasks import task_names

PACKAGE = Path(workbench.__file__).resolve().parent


def run(*arguments, code=0, **options):
    done = CliRunner().invoke(main, [str(argument) for argument in arguments], **options)
    assert done.exit_code == code, done.output
    return done.output


def lines_of(journal):
    return journal.read_bytes().count(b'"output"') if journal.exists() else 0


@pytest.mark.slow
@needs_inspect
def test_killed_and_resumed_it_is_as_if_it_had_not_been(tmp_path, warm_process):
    def command(name):
        return ["ask", "--environment", "boxes", "--task", "continuation", "--depth", "2",
                "--model", "workbench/simulated", "--limit", "45", "-M", "rate=0.2",
                "-M", "seconds=0.2", "--connections", "3", "--yes", "-o", tmp_path / name]  # fmt: skip

    run(*command("whole"))
    process = subprocess.Popen(
        [sys.executable, "-m", "workbench", *command("killed")],
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    journal = tmp_path / "killed" / "answers.jsonl"
    wait_until(lambda: lines_of(journal) >= 6)
    for victim in (process.pid, asking_process(process.pid)):
        os.kill(victim, signal.SIGKILL)
    process.wait()
    before = lines_of(journal)
    assert 6 <= before < 45
    run(*command("killed"))
    assert lines_of(journal) == 45
    one, other = (pd.read_parquet(tmp_path / name / "predictions.parquet") for name in ("whole", "killed"))  # fmt: skip
    timed = ["seconds"]
    pd.testing.assert_frame_equal(one.drop(columns=timed), other.drop(columns=timed))
    assert set(one["group"].value_counts()) == {15}
    assert one["predicted_actions"].str.count("\n").max() == 1
    episodes = read_provenance(tmp_path / "killed" / "positions.parquet")["episodes"]
    assert episodes == {
        "environment": "boxes", "groups": [5, 10, 20], "per_group": 100, "seed": 0,
    }  # fmt: skip
    said = run("score", tmp_path / "killed" / "predictions.parquet", "-o", tmp_path / "s.parquet",
               "--depth", 2, "--jobs", 1)  # fmt: skip
    assert "45 scores written" in said


@needs_inspect
def test_a_table_says_its_environment_and_another_is_refused(tmp_path, warm_process):
    path, out = tmp_path / "positions.parquet", tmp_path / "run"
    run("episodes", "--environment", "sokoban:one_box", "--groups", "2,4", "--per-group", 3,
        "--seed", 5, "-o", path)  # fmt: skip
    ask = ("ask", path, "--model", "workbench/simulated", "-o", out)
    said = run(*ask, "--environment", "sokoban", code=1)
    assert "environment: expected sokoban:one_box, which the positions are of" in said
    assert "expected POSITIONS or --environment" in run("ask", *ask[2:], code=2)
    assert "takes none" in run(*ask, "--task", "actions", "--depth", 2, code=1)
    assert not out.exists()
    assert "6 answered" in run(*ask, "--task", "actions", "-M", "rate=0")
    assert "task: found 'actions', requested 'continuation'" in run(
        *ask, "--task", "continuation", "-M", "rate=0", code=1
    )
    run("score", out / "predictions.parquet", "-o", tmp_path / "s.parquet", "--jobs", 1)
    scores = pd.read_parquet(tmp_path / "s.parquet")
    assert (scores[["precision_1", "recall_1"]] == 1).all(axis=None)


def test_episodes_are_those_of_the_environment(tmp_path):
    path = tmp_path / "positions.parquet"
    run("episodes", "--environment", "othello", "--groups", "1,8", "--per-group", 2, "-o", path)
    found = read_table(path, POSITIONS)
    wanted = sample_positions(environment_named("othello"), (1, 8), 2, 0)
    pd.testing.assert_frame_equal(found, wanted, check_dtype=False)
    assert read_provenance(path)["episodes"]["groups"] == [1, 8]
    said = run("episodes", "--groups", "1,x", "-o", path, code=2)
    assert "expected whole numbers" in said
    assert "expected one of boxes" in run("episodes", "--environment", "go", "-o", path, code=1)


def test_environments_are_listed_with_their_arguments():
    said = run("environments").splitlines()
    assert [line.split()[0] for line in said] == environment_names()
    (planning,) = [line for line in said if line.startswith("planning")]
    assert "planning:ARGUMENT, blocksworld, gripper, logistics, or DOMAIN.pddl,PROBLEM.pddl" in planning  # fmt: skip


@pytest.mark.parametrize("task", task_names())
@pytest.mark.parametrize("name", environment_names())
def test_the_prompt_of_every_combination_is_shown(name, task):
    arguments = ("prompts", "direct", "--environment", name, "--task", task)
    shown = run(*arguments)
    assert shown.startswith("--- turn 1\n")
    assert "{moves}" in shown
    assert shown != run("prompts", "direct", "--environment", "chess", "--task", "state") or (
        (name, task) == ("chess", "state")
    )
    listed = run("prompts", "--environment", name, "--task", task)
    assert "direct@1" in listed
    assert ("pgn-direct@1" in listed) == ((name, task) == ("chess", "state"))


def test_a_pair_of_any_environment_is_compared():
    true = "Box 1 contains the key. Box 2 is empty. The table is empty."
    said = run("compare", true, f"So: {true.replace('the key', 'the pen')}", "--environment",
               "boxes:2x1", "--depth", 1)  # fmt: skip
    assert "reply_class              valid" in said
    # Remove or move: each names the object, which the other state does not have.
    assert "precision                0\n" in said


def test_replies_to_every_task_are_simulated(tmp_path):
    positions, out = tmp_path / "positions.parquet", tmp_path / "p.parquet"
    run("episodes", "--environment", "programs", "--groups", "3", "--per-group", 4, "-o", positions)
    run("replies", "simulate", positions, "--task", "continuation", "--depth", 2, "--rate", 0,
        "-o", out)  # fmt: skip
    assert (pd.read_parquet(out)["predicted_actions"].str.count("\n") == 1).all()
    assert read_provenance(out)["simulated"] == {"rate": 0.0, "seed": 0, "depth": 2}
    again = run("replies", "extract", out, "-o", tmp_path / "again.parquet")
    assert "0 rows with another answer" in again


@pytest.mark.slow
@needs_inspect
def test_inspect_runs_another_task_on_another_environment(tmp_path):
    if not any(point.name == "workbench" for point in entry_points(group="inspect_ai")):
        pytest.skip("the entry point is not installed: install the project again")
    command = [sys.executable, "-m", "inspect_ai", "eval", "workbench/state_reconstruction",
               "--model", "workbench/simulated", "--limit", "12", "--display", "none",
               "-T", "environment=planning", "-T", "task=actions", "-M", "rate=0",
               "--log-dir", str(tmp_path)]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    from inspect_ai.log import read_eval_log

    log = read_eval_log(str(next(tmp_path.glob("*.eval"))))
    found = {score.name: score.metrics["mean"].value for score in log.results.scores}
    assert found == {"p_1": 1.0, "r_1": 1.0, "exact_match": 1.0}
    assert {sample.output.completion[:1] for sample in log.samples} == {"("}


ONE_ACTION = '''
"""The task ``one_action``: name one permitted action."""

import math

from workbench.tasks.task import Task


class OneActionTask(Task):
    name = "one_action"
    reply_tokens = 10

    def request(self, environment, depth):
        return f"Name one {environment.action_noun} that is permitted now."

    def classify(self, environment, reply):
        return environment.classify_actions(reply)

    def simulated_reply(self, environment, believed, depth, generator):
        permitted = environment.automaton.permitted(environment.read_state(believed))
        chosen = permitted[int(generator.integers(len(permitted)))]
        return environment.action_text(chosen)

    def measures(self, environment, true, actions, depth, terminal):
        named = [environment.action_named(true, text) for text in actions or ()]
        rest = [math.nan] * (depth - 1)
        return [float(len(named) == 1 and None not in named), *rest], [math.nan, *rest]


TASK = OneActionTask()
'''


@pytest.mark.slow
@needs_inspect
def test_a_new_task_is_one_new_file(tmp_path):
    """A copy of the package with one file more asks about it, scores and checks it."""
    copy = tmp_path / "workbench"
    shutil.copytree(PACKAGE, copy, ignore=shutil.ignore_patterns("__pycache__", "explore"))
    (copy / "tasks" / "one_action.py").write_text(ONE_ACTION)
    variables = {**os.environ, "PYTHONPATH": str(tmp_path)}

    def command(*arguments):
        whole = [sys.executable, "-m", "workbench", *map(str, arguments)]
        done = subprocess.run(whole, cwd=tmp_path, env=variables, capture_output=True, text=True, check=False)  # fmt: skip
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    assert "Name one action" in command(
        "prompts", "direct", "--environment", "boxes", "--task", "one_action"
    )
    command("ask", "--environment", "boxes", "--task", "one_action", "--model",
            "workbench/simulated", "--limit", 12, "-M", "rate=0.3", "-o", "run")  # fmt: skip
    command("score", "run/predictions.parquet", "-o", "scores.parquet", "--depth", 2, "--jobs", 1)
    scores = pd.read_parquet(tmp_path / "scores.parquet")
    assert set(scores["task"]) == {"one_action"}
    assert set(scores["precision_1"]) == {0.0, 1.0}
    assert "nothing odd" in command("check", "scores.parquet")
    assert set(scores["environment"]) == {"boxes"}
