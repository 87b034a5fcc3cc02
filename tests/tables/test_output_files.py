"""No command writes over one of its inputs, or over what is no table of the kind that it makes."""

import os
import shutil

import pandas as pd
import pytest
from click.testing import CliRunner

from workbench.asking.run_folder import refuse_other_run
from workbench.asking.settings import Question
from workbench.cli import main
from workbench.errors import OutputError
from workbench.headless.figure_run import make_figures
from workbench.headless.notebook_runs import NOTEBOOKS
from workbench.scoring import ScoringParameters, score_table
from workbench.studies.outputs import save_study
from workbench.tables.output_files import check_output
from workbench.tables.parquet_tables import POSITIONS, PREDICTIONS, write_table

ONE = ScoringParameters(depth=1)
PGN = '[Event "?"]\n\n1. e4 e5 2. Nf3 Nc6 *\n\n'
COMMANDS = {
    "games.pgn": ["games", "cut", "--groups", "1", "--per-group", "1"],
    "month.pgn": ["games", "lichess", "--groups", "1", "--games", "1", "--allow-unfilled"],
    "answers.csv": ["replies", "import", "--model", "by hand"],
    "positions.parquet": ["replies", "simulate"],
    "predictions.parquet": ["score", "--jobs", "1", "--depth", "1"],
}


@pytest.fixture
def inputs(predictions, tmp_path):
    folder = tmp_path / "inputs"
    folder.mkdir()
    for name in ("games.pgn", "month.pgn"):
        (folder / name).write_text(PGN)
    predictions[["position_id", "true_state", "reply"]].to_csv(folder / "answers.csv", index=False)
    write_table(predictions, folder / "predictions.parquet", PREDICTIONS)
    # What it needs of positions stands in predictions too: the kind alone would not refuse it.
    shutil.copy(folder / "predictions.parquet", folder / "positions.parquet")
    return folder


def aliases(path):
    other = path.parent / f"other-{path.name}"
    yield path
    yield path.parent / ".." / path.parent.name / path.name
    other.symlink_to(path)
    yield other
    other.unlink()
    other.hardlink_to(path)
    yield other
    other.unlink()
    path.parent.parent.joinpath("folder").symlink_to(path.parent)
    yield path.parent.parent / "folder" / path.name


@pytest.mark.parametrize("name", COMMANDS)
def test_no_command_writes_over_its_input(inputs, name):
    path = inputs / name
    before = path.read_bytes()
    for out in aliases(path):
        listed = sorted(inputs.iterdir())
        for restart in ((), ("--restart",)) if name == "predictions.parquet" else ((),):
            command = [*COMMANDS[name], str(path), "--out", str(out), *restart]
            done = CliRunner().invoke(main, command)
            assert done.exit_code == 1, done.output
            assert f"got the input {path}" in done.output
            assert "restart" not in done.output
            assert path.read_bytes() == before
            assert [*sorted(inputs.iterdir())] == listed


@pytest.mark.parametrize("name", COMMANDS)
def test_no_command_writes_over_another_kind_of_file(inputs, name, tmp_path):
    notes = tmp_path / "notes.txt"
    notes.write_text("Not to be lost.")
    for out, said in ((notes, "no whole Parquet file"), (inputs, "a folder")):
        done = CliRunner().invoke(main, [*COMMANDS[name], str(inputs / name), "--out", str(out)])
        assert done.exit_code == 1, done.output
        assert said in done.output
    assert notes.read_text() == "Not to be lost."


@pytest.mark.parametrize("restart", [False, True])
def test_scores_are_not_written_over_predictions(inputs, tmp_path, restart):
    paid = tmp_path / "paid.parquet"
    shutil.copy(inputs / "predictions.parquet", paid)
    before = paid.read_bytes()
    with pytest.raises(OutputError, match=r"a scores table.*got a predictions table") as refused:
        score_table(inputs / "predictions.parquet", paid, ONE, restart=restart)
    assert "restart" not in str(refused.value)
    assert paid.read_bytes() == before


def test_a_table_of_the_same_kind_and_an_empty_file_are_written_over(inputs, tmp_path):
    out = tmp_path / "out.parquet"
    out.touch()
    for rate in ("0", "0.5"):
        command = ["replies", "simulate", str(inputs / "positions.parquet"), "-o", str(out)]
        done = CliRunner().invoke(main, [*command, "--rate", rate])
        assert done.exit_code == 0, done.output
    assert pd.read_parquet(out)["model"].str.contains("0.5").all()


def test_answers_of_a_model_are_written_over_by_no_other_command(inputs, predictions, tmp_path):
    paid = tmp_path / "predictions.parquet"
    write_table(predictions, paid, PREDICTIONS, {"asked": {"model": "openai/gpt-4o"}})
    before = paid.read_bytes()
    for name in ("answers.csv", "positions.parquet"):
        result = CliRunner().invoke(
            main, [*COMMANDS[name], str(inputs / name), "-o", str(paid)], catch_exceptions=False
        )
        assert result.exit_code == 1
        assert "answers of 'openai/gpt-4o'" in result.output
    assert paid.read_bytes() == before
    check_output(paid, [], "predictions", own_answers=True)


def test_a_table_of_another_kind_and_a_pipe_are_refused(predictions, tmp_path):
    positions, other, pipe = (tmp_path / name for name in ("p.parquet", "o.parquet", "pipe"))
    write_table(predictions[POSITIONS.names], positions, POSITIONS)
    predictions[["reply"]].to_parquet(other)
    os.mkfifo(pipe)
    check_output(positions, [], "positions")
    check_output(other, [])
    with pytest.raises(OutputError, match=r"one that is no table.* got a positions table"):
        check_output(positions, [])
    for out, said in (
        (positions, "a positions table"),
        (other, "a Parquet file of another kind"),
        (pipe, "no regular file"),
    ):
        with pytest.raises(OutputError, match=said):
            check_output(out, [], "scores")


def test_figures_are_not_written_over_the_notebooks(tmp_path, monkeypatch):
    checkout = tmp_path / "checkout"
    shutil.copytree(NOTEBOOKS, checkout / "notebooks")
    monkeypatch.setattr("workbench.headless.notebook_runs.NOTEBOOKS", checkout / "notebooks")
    monkeypatch.setattr(
        "workbench.headless.notebook_runs.figure_notebooks.__defaults__",
        ((), checkout / "notebooks"),
    )
    source = checkout / "notebooks" / "02_precision_by_samples.ipynb"
    before = source.read_bytes()
    with pytest.raises(OutputError, match=r"02_precision_by_samples\.ipynb"):
        make_figures(only=["precision_by_samples"], parameters={"depth": 0}, out=checkout)
    assert source.read_bytes() == before


def test_a_study_is_not_written_over_what_it_shows(tmp_path):
    from matplotlib.figure import Figure

    table = tmp_path / "study.csv"
    table.write_text("a,b\n")
    with pytest.raises(OutputError, match=r"study\.csv"):
        save_study(
            "study", Figure(), pd.DataFrame(), tmp_path,
            parameters={}, seed=0, inputs=[table], data="by hand",
        )  # fmt: skip
    assert [path.name for path in tmp_path.iterdir()] == ["study.csv"]


def test_asking_does_not_write_over_its_positions(inputs, tmp_path):
    run = tmp_path / "run"
    run.mkdir()
    positions = run / "predictions.parquet"
    shutil.copy(inputs / "positions.parquet", positions)
    with pytest.raises(OutputError, match="got the input"):
        refuse_other_run(run, Question(model="workbench/simulated"), positions)
