"""The bundled games: what their data card says of them, and that reading them needs no engine."""

import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest
from game_audit import faults_of

from workbench.errors import GameFileError
from workbench.games import game_tables
from workbench.games.cut import cut_games
from workbench.games.game_tables import (
    BUNDLED_NAME,
    GAMES,
    bundled_games,
    bundled_games_path,
    games_frame,
    read_games,
)
from workbench.games.selfplay import describe_games
from workbench.tables.parquet_tables import read_provenance, write_table
from workbench.tables.provenance import file_hash

CARD = Path(__file__).resolve().parents[2] / "data" / "GAMES.md"


@pytest.fixture(scope="module")
def games():
    return read_games(bundled_games_path())


def test_there_are_enough_and_they_are_long_enough_and_small_enough(games):
    assert [game.number for game in games] == list(range(12_000))
    assert sum(len(game.moves) > 100 for game in games) >= 10_000
    assert bundled_games_path().stat().st_size <= 6_000_000


def test_no_two_are_equal(games):
    assert len({game.moves for game in games}) == len(games)


def test_a_share_of_them_is_played_without_fault(games):
    """Every 101st; the whole file was played when it was made, and the card holds its hash."""
    assert list(faults_of(games[::101])) == []


def test_the_card_tells_of_this_file(games):
    card = CARD.read_text(encoding="utf-8")
    assert file_hash(bundled_games_path()) in card
    assert describe_games(games) in card
    made = read_provenance(bundled_games_path())
    assert made["engine"] in card
    rows = [*made["settings"].items(), *made["play"]["engine_options"].items()]
    rows += [(name, value) for name, value in made["play"].items() if "_" in name]
    for name, value in rows:
        if not isinstance(value, dict):
            assert f"| `{name}` | {value:g} |" in card
    for number, level in enumerate(made["play"]["levels"]):
        row = f"| {number} | {level['nodes']} | {level['lines']} | {level['temperature']:g} |"
        assert row in card


def test_they_are_named_by_what_they_are(games):
    first = bundled_games()[0]
    assert BUNDLED_NAME == "Stockfish self-play"
    assert first.source == "Stockfish self-play #0"
    assert first.moves == games[0].moves


@pytest.mark.slow
def test_reading_them_loads_no_engine():
    code = (
        "import sys; from workbench.games.game_tables import bundled_games; "
        "print(len(bundled_games()), 'chess.engine' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["12000", "False"]


def test_a_missing_file_is_an_error_that_says_where_it_was_looked_for(tmp_path, monkeypatch):
    monkeypatch.setattr(game_tables, "_GAMES", tmp_path / "games.parquet")
    with pytest.raises(GameFileError, match=r"games\.parquet"):
        bundled_games_path()


def test_a_file_of_games_is_cut_like_any_other(games, tmp_path):
    few = games[:40]
    path = tmp_path / "few.parquet"
    write_table(games_frame(few), path, GAMES, {})
    cut = cut_games(path, groups=(5, 20), per_group=10, seed=1)
    at_hand = cut_games([game.as_game("few") for game in few], groups=(5, 20), per_group=10, seed=1)
    pd.testing.assert_frame_equal(cut.positions, at_hand.positions)
    assert cut.summary.read == 40
