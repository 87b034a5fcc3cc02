"""Tables that studies keep: found by all that determines them, made once, forgotten when stale."""

import os
import time
from concurrent.futures import ThreadPoolExecutor

import pandas as pd
import pytest
from filelock import FileLock

from workbench.scoring import ScoringParameters
from workbench.studies import data, study_scores
from workbench.studies.data import Source, positions_of, prepare
from workbench.studies.models.model_scores import Simulation, compare_models
from workbench.studies.study_scores import StoredTables
from workbench.tables.parquet_tables import POSITIONS, PREDICTIONS, write_table

DEPTH_1 = ScoringParameters(depth=1)
SMALL = Source(per_group=1, replies="simulated")


def refuse(*_, **__):
    raise AssertionError("made again")


def kept(folder, stage):
    return sorted(path.name for path in folder.glob(f"{stage}-*.parquet"))


@pytest.fixture
def positions():
    row = {"group": 5, "ply": 10, "game_plies": 80}
    return pd.DataFrame([row | dict.fromkeys(set(POSITIONS.names) - set(row), "x")])


@pytest.fixture
def write(positions):
    return lambda path: write_table(positions, path, POSITIONS)


@pytest.mark.slow
def test_other_code_draws_other_replies_and_what_the_old_made_is_removed(tmp_path, monkeypatch):
    before = prepare(tmp_path, SMALL, DEPTH_1).variants["five groups"]
    monkeypatch.setattr(data, "simulate", lambda rows, **_: _right_answers(rows))
    unchanged = prepare(tmp_path, SMALL, DEPTH_1).variants["five groups"]
    pd.testing.assert_frame_equal(unchanged, before)
    old = kept(tmp_path, "scores")
    monkeypatch.setattr(study_scores, "_CODE_KEY", "0" * 8)
    after = prepare(tmp_path, SMALL, DEPTH_1).variants["five groups"]
    assert after["exact_match"].all()
    assert not before["exact_match"].all()
    assert len(old) == len(kept(tmp_path, "scores")) == 2
    assert set(old).isdisjoint(kept(tmp_path, "scores"))


def _right_answers(positions):
    from workbench.answers.model_replies import simulate

    return simulate(positions, rate=0.0, seed=0)


def test_scores_are_looked_for_before_replies_are_simulated(tmp_path, monkeypatch):
    first = prepare(tmp_path, SMALL, DEPTH_1)
    monkeypatch.setattr(data, "simulate", refuse)
    monkeypatch.setattr(data, "cut_games", refuse)
    again = prepare(tmp_path, SMALL, DEPTH_1)
    for name, scores in first.variants.items():
        pd.testing.assert_frame_equal(again.variants[name], scores)
    # What was simulated is kept only as long as it takes to score it.
    assert kept(tmp_path, "predictions") == []
    with pytest.raises(AssertionError, match="made again"):
        prepare(tmp_path, SMALL, ScoringParameters(depth=2))


def test_predictions_are_scored_once_for_all_studies(predictions, tmp_path, monkeypatch):
    path = tmp_path / "predictions.parquet"
    write_table(predictions, path, PREDICTIONS)
    one = prepare(tmp_path / "tables", Source(predictions=str(path)), DEPTH_1)
    monkeypatch.setattr(study_scores, "score_file", refuse)
    of_model = Source(predictions=str(path), model="by hand")
    again = prepare(tmp_path / "tables", of_model, DEPTH_1)
    compared = compare_models(tmp_path / "tables", str(path), Simulation(), DEPTH_1)
    for scores in (*again.variants.values(), compared.scores):
        assert list(scores["precision_1"]) == pytest.approx(
            list(one.variants["groups of the predictions"]["precision_1"]), nan_ok=True
        )
    assert len(kept(tmp_path / "tables", "scores")) == 1


def test_two_at_once_make_a_table_once(write, tmp_path):
    made = []

    def make(path):
        made.append(path)
        time.sleep(0.3)
        write(path)

    with ThreadPoolExecutor(2) as both:
        found = [
            both.submit(StoredTables(tmp_path).table, "positions", POSITIONS, {"n": 1}, make)
            for _ in range(2)
        ]
    assert len(made) == 1
    pd.testing.assert_frame_equal(*(each.result() for each in found))


def test_a_damaged_table_is_made_again(write, tmp_path):
    tables = StoredTables(tmp_path)
    tables.table("positions", POSITIONS, {"n": 1}, write)
    (path,) = tmp_path.glob("positions-*.parquet")
    whole = path.read_bytes()
    path.write_bytes(whole[:100])
    assert len(tables.table("positions", POSITIONS, {"n": 1}, write)) == 1
    assert path.read_bytes() == whole


def test_what_nothing_used_for_a_month_is_removed_and_nothing_else(write, tmp_path):
    tables = StoredTables(tmp_path)
    for number in range(3):
        tables.table("positions", POSITIONS, {"n": number}, write)
    unused, held, used = sorted(tmp_path.glob("positions-*.parquet"))
    leftover = tmp_path / f".{unused.stem}-abcd_fgh.parquet"
    parts = tmp_path / f"{unused.name}.parts"
    own = tmp_path / "positions-of-mine.parquet"
    older = tmp_path / "scores-0123456789ab.parquet"
    for path in (leftover, own, older):
        path.write_bytes(b"")
    parts.mkdir()
    long_ago = time.time() - 40 * 24 * 3600
    for path in (unused, held, leftover, parts, own):
        os.utime(path, (long_ago, long_ago))
    with FileLock(tmp_path / f"lock-{held.stem.split('-', 1)[1]}"):
        tables.table("positions", POSITIONS, {"n": 3}, write)
    assert not any(path.exists() for path in (unused, leftover, parts, older))
    assert all(path.exists() for path in (held, used, own))
    assert len(list(tmp_path.glob("lock-*"))) == 3


def test_positions_name_the_file_they_are_cut_from(tmp_path):
    import chess

    from workbench.games.synthetic_boards import random_games

    (game,) = random_games(1, 12, seed=1)
    moves = [chess.Move.from_uci(move) for move in game.moves]
    for name in ("one.pgn", "other.pgn"):
        (tmp_path / name).write_text(f'[Event "?"]\n\n{chess.Board().variation_san(moves)} *\n')
        source = Source(games=(str(tmp_path / name),), per_group=1)
        positions = positions_of(source, (5,), tmp_path / "tables")
        assert list(positions["source"]) == [f"{name}#1"]
