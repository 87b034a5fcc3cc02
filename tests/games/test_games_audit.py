"""What is said of a set of played games: its faults, and its counts."""

from dataclasses import replace

import pytest
from game_audit import faults_of

from workbench.games.game_tables import GAMES, PlayedGame, games_frame, read_games
from workbench.games.selfplay import describe_games
from workbench.tables.parquet_tables import write_table

FOOLS_MATE = PlayedGame(0, 1, 0, 0, "0-1", "checkmate", ("f2f3", "e7e5", "g2g4", "d8h4"))
# Sam Loyd's shortest stalemate.
STALEMATE = PlayedGame(
    1,
    2,
    3,
    4,
    "1/2-1/2",
    "stalemate",
    tuple(
        "e2e3 a7a5 d1h5 a8a6 h5a5 h7h5 h2h4 a6h6 a5c7 f7f6 c7d7 e8f7 d7b7 d8d3 b7b8 d3h7 b8c8 "
        "f7g6 c8e6".split()
    ),
)
KNIGHTS = ("g1f3", "g8f6", "f3g1", "f6g8")
REPETITION = PlayedGame(2, 1, 0, 0, "1/2-1/2", "repetition", KNIGHTS * 2)
# White castles as e1h1, which python-chess takes for e1g1.
CASTLED = PlayedGame(
    4, 1, 0, 0, "1-0", "resignation", tuple("e2e4 e7e5 g1f3 b8c6 f1c4 f8c5 e1h1".split())
)
GIVEN_UP = PlayedGame(3, 1, 0, 0, "0-1", "resignation", KNIGHTS)


def test_games_without_fault_have_none():
    assert list(faults_of([FOOLS_MATE, STALEMATE, REPETITION, GIVEN_UP])) == []


@pytest.mark.parametrize(
    ("game", "said"),
    [
        (
            replace(FOOLS_MATE, moves=("f2f3", "e7e5", "g2g5")),
            "ply 3: expected a legal move in UCI, got 'g2g5'",
        ),
        (
            replace(FOOLS_MATE, moves=("e2e4", "e7e5", "e1g1")),
            "ply 3: expected a legal move in UCI, got 'e1g1'",
        ),
        (CASTLED, "castling is not written"),
        (replace(FOOLS_MATE, result="1-0"), "expected 0-1, got '1-0'"),
        (replace(FOOLS_MATE, termination="resignation"), "no resignation"),
        (replace(STALEMATE, termination="checkmate"), "no checkmate"),
        (replace(STALEMATE, result="1-0"), "expected 1/2-1/2"),
        (replace(REPETITION, moves=KNIGHTS), "no repetition"),
        (replace(REPETITION, termination="fifty_moves"), "no fifty_moves"),
        (replace(GIVEN_UP, termination="insufficient_material"), "no insufficient_material"),
        (replace(GIVEN_UP, termination="a phone call"), "'a phone call'"),
        # After four half-moves White is to move: it is White who gave up.
        (replace(GIVEN_UP, result="1-0"), "expected 0-1"),
    ],
)
def test_every_fault_is_said_with_the_game_and_its_board(game, said):
    (fault,) = faults_of([game])
    assert said in fault
    assert f"game {game.number}" in fault


def test_an_equal_game_is_said():
    copies = [replace(FOOLS_MATE, number=number) for number in (0, 5, 9)]
    assert list(faults_of(copies)) == [
        "game 5: equal to game 0",
        "game 9: equal to game 0",
    ]


def test_counts_are_those_of_the_games():
    long = replace(GIVEN_UP, moves=KNIGHTS * 25, attempt=12)
    longer = replace(GIVEN_UP, moves=(*KNIGHTS * 25, "g1f3"), result="1-0")
    said = describe_games([FOOLS_MATE, STALEMATE, long, longer])
    for line in (
        "| games | 4 |",
        "| half-moves | 224 |",
        "| longer than 50 full moves | 1 |",
        "| shortest, median, longest | 4, 100, 101 |",
        "| different first 5 full moves | 3 |",
        "| different games | 4 |",
        "| 1 to 10 | 2 |",
        "| 11 to 20 | 0 |",
        "| 41 to 50 | 1 |",
        "| 51 to 60 | 1 |",
        "| resignation | 2 |",
        "| 0-1 | 2 |",
        "| 10 or more | 1 |",
    ):
        assert line in said.splitlines()


def test_a_table_gives_its_games_back(tmp_path):
    games = [FOOLS_MATE, STALEMATE, REPETITION]
    write_table(games_frame(games), tmp_path / "games.parquet", GAMES)
    assert read_games(tmp_path / "games.parquet") == games
