"""Scoring of files: any number of workers, killed and taken up again, the same bytes."""

import os
import signal
import subprocess
import sys
import time

import pandas as pd
import pytest

from workbench.automaton import ENGINE_VARIABLE
from workbench.errors import InvalidArgumentError, RunMismatchError, TableError
from workbench.scoring import ScoringParameters
from workbench.scoring.score_tables import score, score_file
from workbench.tables.parquet_tables import PREDICTIONS, write_table

TWO = ScoringParameters(depth=2)


@pytest.fixture
def predictions_path(predictions, tmp_path):
    rows = pd.concat([predictions] * 4, ignore_index=True)
    rows["sample"] = rows.index
    path = tmp_path / "predictions.parquet"
    write_table(rows, path, PREDICTIONS)
    return path


def test_workers_and_chunks_change_nothing(predictions_path, tmp_path):
    outs = [tmp_path / f"scores-{index}.parquet" for index in range(3)]
    score_file(predictions_path, outs[0], TWO)
    score_file(predictions_path, outs[1], TWO, jobs=2, chunk_rows=5)
    score_file(predictions_path, outs[2], TWO, chunk_rows=1)
    assert outs[0].read_bytes() == outs[1].read_bytes() == outs[2].read_bytes()


def test_in_memory_over_processes_equals_the_file(predictions_path, tmp_path):
    rows = pd.read_parquet(predictions_path)
    from_file = score_file(predictions_path, tmp_path / "scores.parquet", TWO)
    pd.testing.assert_frame_equal(score(rows, TWO, jobs=2), from_file)


@pytest.mark.slow
def test_killed_at_any_moment_it_goes_on_to_the_same_bytes(predictions_path, tmp_path):
    whole = tmp_path / "whole.parquet"
    # The reference is slow enough to be killed in the middle.
    parameters = ScoringParameters(depth=3, engine="reference")
    score_file(predictions_path, whole, parameters, chunk_rows=2)
    out = tmp_path / "killed.parquet"
    parts = tmp_path / "killed.parquet.parts"
    command = [
        sys.executable, "-m", "workbench", "score", str(predictions_path), "--out", str(out),
        "--depth", "3", "--jobs", "1", "--chunk-rows", "2",
    ]  # fmt: skip
    environment = {**os.environ, ENGINE_VARIABLE: "reference"}
    process = subprocess.Popen(command, stderr=subprocess.DEVNULL, env=environment)
    while process.poll() is None and len(list(parts.glob("rows-*"))) < 2:
        time.sleep(0.005)
    assert process.poll() is None, "scored before it could be killed"
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    assert not out.exists()
    kept = {path: path.stat().st_mtime_ns for path in parts.glob("rows-*")}
    assert len(kept) >= 2
    completed = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
    assert "24 scores written" in completed.stdout
    assert out.read_bytes() == whole.read_bytes()
    assert not parts.exists()


def test_what_was_scored_is_not_scored_again(predictions_path, tmp_path):
    out = tmp_path / "scores.parquet"
    score_file(predictions_path, out, TWO)
    before = out.stat().st_mtime_ns
    again = score_file(predictions_path, out, TWO)
    assert out.stat().st_mtime_ns == before
    assert len(again) == 24


def test_other_parameters_are_refused_and_named(predictions_path, tmp_path):
    out = tmp_path / "scores.parquet"
    score_file(predictions_path, out, TWO)
    with pytest.raises(
        RunMismatchError, match="terminal: found 'absorb', requested 'drop'"
    ) as refused:
        score_file(predictions_path, out, ScoringParameters(depth=2, terminal="drop"))
    assert "depth" not in str(refused.value)
    changed = score_file(
        predictions_path, out, ScoringParameters(depth=2, terminal="drop"), restart=True
    )
    assert set(changed["terminal"]) == {"drop"}


def test_a_missing_or_broken_file_is_named(predictions_path, tmp_path):
    out = tmp_path / "scores.parquet"
    with pytest.raises(TableError, match=r"nowhere\.parquet"):
        score_file(tmp_path / "nowhere.parquet", out, TWO)
    half = tmp_path / "half.parquet"
    half.write_bytes(predictions_path.read_bytes()[:500])
    with pytest.raises(TableError, match=r"half\.parquet"):
        score_file(half, out, TWO)
    assert not out.exists()


@pytest.mark.parametrize("bad", [{"jobs": 0}, {"chunk_rows": 0}])
def test_numbers_out_of_range_are_named(predictions_path, tmp_path, bad):
    with pytest.raises(InvalidArgumentError, match="at least 1"):
        score_file(predictions_path, tmp_path / "scores.parquet", TWO, **bad)
