"""Runs read from folders and files, and what is said of those that cannot be reported."""

import pandas as pd
import pytest

from workbench.errors import RunMismatchError, TableError
from workbench.reports.chapters import read_run
from workbench.scoring import ScoringParameters
from workbench.scoring.score_tables import score_file
from workbench.tables.parquet_tables import POSITIONS, PREDICTIONS, write_table


@pytest.fixture
def folder(tmp_path, predictions):
    """A folder of a run that is scored; 1. e4 begins the game 1. e4 e5."""
    moves = ["e2e4", "e2e4 e7e5", *predictions["moves"][2:]]
    table = predictions.assign(moves=moves, game_id=None)
    made = {"asked": {"model": "by hand"}, "versions": {"python": "3.11"}}
    path = tmp_path / "my run.v2"
    write_table(table, path / "predictions.parquet", PREDICTIONS, made)
    score_file(path / "predictions.parquet", path / "scores.parquet", ScoringParameters(depth=1))
    return path


def test_a_folder_is_read_with_its_question_and_its_games(folder):
    run = read_run(folder)
    assert run.name == "my run.v2"
    assert run.question == {"model": "by hand"}
    assert run.versions == {"python": "3.11"}
    assert len(run.predictions) == len(run.scores) == 6
    assert run.environment.name == "chess"
    games = run.scores.set_index("position_id")["game"]
    assert games["game000-002"] == games["game001-002"]


def test_scores_alone_find_their_predictions_by_hash(folder):
    beside = (folder / "predictions.parquet").rename(folder / "asked before.parquet")
    run = read_run(folder / "scores.parquet")
    assert run.name == "my run.v2"
    assert run.inputs == (folder / "scores.parquet", beside)
    beside.unlink()
    run = read_run(folder / "scores.parquet")
    assert run.predictions is None
    assert list(run.scores["game"]) == list(run.scores["position_id"])


def test_scores_of_other_predictions_are_refused(folder, predictions):
    write_table(predictions, folder / "predictions.parquet", PREDICTIONS)
    with pytest.raises(RunMismatchError, match="expected scores made from"):
        read_run(folder)


def test_a_run_that_is_not_scored_says_which_command_scores_it(folder, tmp_path):
    (folder / "scores.parquet").unlink()
    with pytest.raises(TableError, match=r"not scored; run `workbench score .*predictions.parquet"):
        read_run(folder)
    with pytest.raises(TableError, match=r"not scored; run `workbench score"):
        read_run(folder / "predictions.parquet")
    (folder / "predictions.parquet").unlink()
    (folder / "run.json").write_text("{}")
    with pytest.raises(TableError, match="workbench ask` again"):
        read_run(folder)
    (tmp_path / "empty").mkdir()
    with pytest.raises(TableError, match="make one by `workbench ask"):
        read_run(tmp_path / "empty")
    with pytest.raises(TableError, match="expected a Parquet file of scores"):
        read_run(tmp_path / "no such file")


def test_another_table_is_no_run(tmp_path, predictions):
    path = tmp_path / "positions.parquet"
    write_table(pd.DataFrame(predictions[POSITIONS.names]), path, POSITIONS)
    with pytest.raises(TableError, match="expected a scores table, and of its columns"):
        read_run(path)
