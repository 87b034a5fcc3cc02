"""What the app serves and refuses, without a browser."""

import shlex
import socket
import sys

import nbformat
import pandas as pd
import pytest
from click.testing import CliRunner

from workbench.answers.recorded_replies import recorded_replies_path
from workbench.app.app_server import (
    AppSettings,
    free_port,
    recorded_run,
    table_run,
    write_pages,
)
from workbench.cli import main
from workbench.errors import InvalidArgumentError, TableError
from workbench.installation import install_hint

PNG = bytes.fromhex("89504e470d0a1a0a")


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    return recorded_run(tmp_path_factory.mktemp("run"), tmp_path_factory.mktemp("cache"))


@pytest.mark.slow
def test_the_recorded_run_holds_three_thousand_replies_with_their_scores(run):
    scores, predictions = pd.read_parquet(run.scores), pd.read_parquet(run.predictions)
    assert len(scores) == len(predictions) == 3000
    assert {"precision_4", "recall_4"} <= set(scores.columns)
    assert "3,000 recorded replies" in run.description


def test_a_table_that_is_given_is_described_and_named_in_the_page(run, tmp_path):
    given = table_run(run.scores, run.predictions)
    assert given.description.startswith("3,000 replies from scores.parquet")
    write_pages(tmp_path / "pages", given)
    pages = {path.name for path in (tmp_path / "pages").iterdir()}
    assert pages == {"board_pair.ipynb", "run.ipynb"}
    (cell,) = (
        cell
        for cell in nbformat.read(tmp_path / "pages" / "run.ipynb", as_version=4).cells
        if "parameters" in cell.metadata.get("tags", [])
    )
    assert cell.source == f"scores = {str(run.scores)!r}\npredictions = {str(run.predictions)!r}"


def test_what_is_no_table_of_scores_is_refused_before_anything_is_served(run, tmp_path):
    with pytest.raises(TableError, match="expected a Parquet file of scores"):
        table_run(tmp_path / "none.parquet")
    # The second is of an earlier version.
    for predictions in (run.predictions, recorded_replies_path()):
        with pytest.raises(TableError, match=r"got predictions, .*; run `workbench score .* -o "):
            table_run(predictions)
    said = CliRunner().invoke(main, ["app", "--no-browser", "--port", "0", str(run.predictions)])
    assert said.exit_code == 1
    assert "expected a scores table" in said.output


def test_predictions_without_scores_are_refused(run):
    arguments = ["app", "--no-browser", "--port", "0", "--predictions", str(run.predictions)]
    said = CliRunner().invoke(main, arguments)
    assert said.exit_code == 1
    assert "expected SCORES beside --predictions" in said.output


def test_a_port_in_use_is_refused_by_name():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(InvalidArgumentError, match=rf"{port}: .*; choose others with --host"):
            free_port("127.0.0.1", port)
    assert free_port("127.0.0.1", port) == port
    assert free_port(AppSettings().host, 0) > 0


def test_without_voila_it_says_what_to_install(monkeypatch):
    # What `find_spec` finds of a module that is None is nothing.
    monkeypatch.setitem(sys.modules, "voila", None)
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    said = CliRunner().invoke(main, ["app"])
    assert said.exit_code == 1
    assert "optional extra 'app'" in said.output
    assert install_hint("app") in said.output
    assert "app]" in shlex.split(install_hint("app"))[-1]
