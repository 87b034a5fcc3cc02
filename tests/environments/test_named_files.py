"""A table carries the text of the files that its environment was made from, and opens none itself."""

import os

import pytest
from click.testing import CliRunner

from workbench.answers.model_replies import simulate
from workbench.cli import main
from workbench.environments.registry import environment_in_table, environment_named
from workbench.episodes import sample_positions
from workbench.errors import InvalidArgumentError
from workbench.installation import RESOURCES
from workbench.tables.parquet_tables import PREDICTIONS, read_table, write_table

PROBLEMS = RESOURCES / "workbench" / "environments" / "planning" / "problems"
ROOM = "#######\n#@$  .#\n#######\n"


def predictions(environment):
    return simulate(sample_positions(environment, [1, 2], 2, 0), rate=0.3, seed=0)


def run(*arguments):
    return CliRunner().invoke(main, [str(each) for each in arguments])


@pytest.mark.parametrize("command", ["score", "check"])
@pytest.mark.parametrize("kind", ["sokoban:{}", "planning:{0},{0}"])
def test_a_file_that_a_table_names_is_not_opened(command, kind, tmp_path):
    secret = tmp_path / "secret.txt"
    secret.write_text("hunter2 is the password\n")
    table = tmp_path / "table.parquet"
    rows = predictions(environment_named("sokoban:one_box"))
    write_table(rows.assign(environment=kind.format(secret)), table, PREDICTIONS)
    out = ["--out", tmp_path / "scores.parquet"] if command == "score" else []
    result = run(command, table, *out)
    assert result.exit_code == 1
    assert "hunter2" not in result.output
    assert "a file that only a table names is not opened" in result.output.replace(
        "files that only a table names are not", "a file that only a table names is not"
    )


@pytest.mark.parametrize("kind", ["sokoban:{}", "planning:{0},{0}"])
def test_a_pipe_is_refused_without_waiting_for_a_writer(kind, tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with pytest.raises(InvalidArgumentError, match="regular file"):
        environment_named(kind.format(pipe))


def test_a_table_of_a_problem_in_files_is_scored_from_any_folder(tmp_path, monkeypatch):
    for part in ("domain", "problem"):
        text = (PROBLEMS / f"gripper_{part}.pddl").read_text()
        (tmp_path / f"{part}.pddl").write_text(f"; a comment\n{text}")
    monkeypatch.chdir(tmp_path)
    made = run(
        "episodes", "--environment", "planning:domain.pddl,problem.pddl", "--groups", "1,2",
        "--per-group", 2, "-o", "positions.parquet",
    )  # fmt: skip
    assert made.exit_code == 0, made.output
    assert run("replies", "simulate", "positions.parquet", "-o", "replies.parquet").exit_code == 0
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    monkeypatch.chdir(elsewhere)
    for part in ("domain", "problem"):
        (tmp_path / f"{part}.pddl").unlink()
    scored = run("score", "../replies.parquet")
    assert scored.exit_code == 0, scored.output
    assert run("check", "../replies.parquet", "scores.parquet").exit_code == 0
    (name,) = read_table(tmp_path / "replies.parquet", PREDICTIONS)["environment"].unique()
    assert "(define (domain" in name
    assert "comment" not in name
    bundled = environment_named("planning:gripper")
    assert environment_in_table(name).automaton.initial == bundled.automaton.initial


def test_a_room_of_a_file_is_called_by_its_map(tmp_path):
    file = tmp_path / "room.txt"
    file.write_text(ROOM)
    environment = environment_named(f"sokoban:{file}")
    assert environment.name == "sokoban:#######/#@$  .#/#######"
    file.unlink()
    again = environment_in_table(environment.name)
    assert again.automaton.initial == environment.automaton.initial


def test_a_table_of_an_earlier_version_is_scored_where_its_file_is_named_again(tmp_path):
    file = tmp_path / "earlier.txt"
    file.write_text(ROOM)
    table = tmp_path / "table.parquet"
    rows = predictions(environment_in_table("sokoban:#######/#@$  .#/#######"))
    write_table(rows.assign(environment=f"sokoban:{file}"), table, PREDICTIONS)
    out = tmp_path / "scores.parquet"
    assert run("score", table, "-o", out).exit_code == 1
    scored = run("score", table, "-o", out, "--environment", f"sokoban:{file}")
    assert scored.exit_code == 0, scored.output
    assert "4 scores written" in scored.output
