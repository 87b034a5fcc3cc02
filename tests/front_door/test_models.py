"""Models asked from a frame, positions and replies as frames; what was paid for is found again."""

import pandas as pd
import pytest

import workbench
from workbench.errors import InvalidArgumentError
from workbench.front_door.models import RUNS
from workbench.tables.parquet_tables import POSITIONS, PREDICTIONS


@pytest.mark.slow
def test_a_frame_of_moves_is_asked_scored_and_found_again(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    frame = pd.DataFrame({"pgn": ["1. e4 e5 2. Nf3", "1. d4 d5 2. c4 e6"], "note": ["x", "y"]})
    replies = workbench.ask(frame, "workbench/tiny", budget=5)
    folder = replies.attrs["run"]
    assert folder.startswith(str(RUNS / "workbench-tiny-"))
    assert folder in capsys.readouterr().err
    assert replies.columns.tolist() == PREDICTIONS.names
    assert len(workbench.score(replies, depth=1)) == 2
    # The answers are in the folder: the same call asks nothing.
    journal = tmp_path / folder / "answers.jsonl"
    before = journal.read_bytes()
    again = workbench.ask(frame, "workbench/tiny", budget=5)
    assert journal.read_bytes() == before
    pd.testing.assert_frame_equal(again, replies)
    assert [path.name for path in (tmp_path / RUNS).iterdir()] == [folder.rpartition("/")[2]]
    # A file of the user beside the folder is left alone.
    beside = tmp_path / f"{folder}.positions.parquet"
    beside.write_text("mine")
    workbench.ask(frame, "workbench/tiny", budget=5)
    assert beside.read_text() == "mine"
    # Another question has a folder of its own.
    other = workbench.ask(frame.head(1), "workbench/tiny")
    assert other.attrs["run"] != folder


@pytest.mark.slow
def test_a_list_and_a_pattern_are_a_series(tmp_path):
    names = ["workbench/small@283", "workbench/small@142"]
    series = workbench.evaluate(names, tmp_path / "series", limit=5, jobs=1)
    assert series.headline["checkpoint"].tolist()[1:] == ["small@142", "small@283"]
    assert set(series.answers) == set(names)
    assert "p_4" in series._repr_html_()
    pattern = workbench.evaluate("workbench/small@142*", tmp_path / "series", limit=5, jobs=1)
    assert len(pattern.headline) == 2
    with pytest.raises(InvalidArgumentError, match="bundled are"):
        workbench.evaluate("workbench/none@*", tmp_path / "other", limit=5)


@pytest.mark.parametrize(
    ("arguments", "options", "words"),
    [
        (
            ([{"fen": "8/8/4k3/8/8/3K4/8/7R w - - 0 60"}], "workbench/tiny"),
            {},
            "expected the moves",
        ),
        (([{"moves": "e4"}], "tiny"), {}, "expected provider/name"),
        (([{"moves": "e4"}], "openai/gpt-4o"), {"budget": 5}, r"price=\(2.5, 10\)"),
        (([{"moves": "e4"}], "workbench/tiny"), {"temprature": 1}, "temprature"),
        (([{"x": 1}], "workbench/tiny"), {}, "true state"),
    ],
)
def test_wrong_calls_ask_nothing(arguments, options, words, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InvalidArgumentError, match=words):
        workbench.ask(*arguments, **options)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
def test_positions_are_spread_over_the_lengths():
    table = workbench.positions(10)
    assert table.columns.tolist() == POSITIONS.names
    assert table["group"].value_counts().to_dict() == dict.fromkeys((5, 16, 27, 38, 50), 2)
    pd.testing.assert_frame_equal(workbench.positions(10), table)
    assert workbench.positions(4, "othello")["environment"].unique().tolist() == ["othello"]


def test_recorded_replies_are_chosen_by_name():
    table = workbench.recorded_replies(models="o3-2025-04-16")
    assert table["model"].unique().tolist() == ["o3-2025-04-16"]
    assert len(table) == 1000
    with pytest.raises(InvalidArgumentError, match="o3-2025-04-16"):
        workbench.recorded_replies(models="o3")
