"""`workbench figures` on tables of one's own: what they do not suffice for is named and left out."""

import pytest
from click.testing import CliRunner

from workbench.cli import main
from workbench.headless import figure_run
from workbench.headless.notebook_runs import NotebookRun

SAID = "13_track_or_recall cannot be drawn: expected two sets"


@pytest.fixture
def made(tmp_path, monkeypatch):
    """Runs in place of those of the notebooks: one that was drawn, one that its data do not fill."""
    path = tmp_path / "executed.ipynb"
    refused = NotebookRun(
        "13_track_or_recall", path, 1.0, "InvalidArgumentError: expected two sets", is_refusal=True
    )
    runs = [NotebookRun("03_kendall_tau", path, 1.0, ""), refused]
    monkeypatch.setattr(figure_run, "make_figures", lambda **_: runs)
    return runs


def figures(*arguments):
    return CliRunner().invoke(main, ["figures", *arguments])


@pytest.mark.parametrize("option", ["--predictions", "--scores", "--games"])
def test_it_is_named_and_the_others_count(made, option):
    done = figures(option, "own.file")
    assert done.exit_code == 0, done.output
    assert done.stderr.splitlines() == [SAID]


@pytest.mark.parametrize(
    "arguments", [[], ["--predictions", "x.parquet", "--only", "03", "--only", "13"]]
)
def test_of_the_bundled_data_or_asked_for_by_name_it_is_an_error(made, arguments):
    done = figures(*arguments)
    assert (done.exit_code, SAID in done.output) == (1, True)


def test_nothing_drawn_is_an_error(made):
    del made[0]
    done = figures("--predictions", "x.parquet")
    assert (done.exit_code, SAID in done.output) == (1, True)


def test_a_failure_stays_an_error(made):
    made[0] = NotebookRun("03_kendall_tau", made[0].executed, 1.0, "ValueError: no")
    done = figures("--predictions", "x.parquet")
    assert (done.exit_code, "03_kendall_tau failed (ValueError: no)" in done.output) == (1, True)
