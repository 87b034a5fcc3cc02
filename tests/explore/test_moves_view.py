"""Moves of two boards: the three lists, and their names."""

import chess
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workbench.explore.pair.pair_view import different_squares, move_answer, move_sets, moves_view
from workbench.games.synthetic_boards import random_board


@pytest.mark.parametrize(
    ("fen", "uci", "san", "promotion"),
    [
        ("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1", "e1g1", "O-O", None),
        ("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1", "e1c1", "O-O-O", None),
        ("3r3k/4P3/8/8/8/8/8/K7 w - - 0 1", "e7d8q", "exd8=Q+", "q"),
        ("7k/4P3/8/8/8/8/8/K7 w - - 0 1", "e7e8n", "e8=N", "n"),
        ("7k/8/8/3pP3/8/8/8/K7 w - d6 0 1", "e5d6", "exd6", None),
        ("7k/8/8/8/8/8/8/KQ1Q4 w - - 0 1", "b1c1", "Qbc1", None),
        ("7k/5Q2/7K/8/8/8/8/8 w - - 0 1", "f7g7", "Qg7#", None),
    ],
)
def test_moves_are_named_as_chess_players_do(fen, uci, san, promotion):
    answer = move_answer(chess.Board(fen), chess.Move.from_uci(uci))
    assert answer == {
        "uci": uci,
        "from": uci[:2],
        "to": uci[2:4],
        "promotion": promotion,
        "san": san,
        "words": san,
    }


def test_a_shared_move_of_another_piece_names_both():
    queen = chess.Board("7k/8/8/8/8/8/8/K2Q4 w - - 0 1")
    bishop = chess.Board("7k/8/8/8/8/8/8/K2B4 w - - 0 1")
    view = moves_view(queen, bishop)
    (shared,) = (move for move in view["shared"] if move["uci"] == "d1a4")
    assert shared["words"] == "Qa4 (predicted board: Ba4)"
    assert {move["words"] for move in view["shared"] if move["from"] == "a1"} == {
        "Ka2", "Kb1", "Kb2",
    }  # fmt: skip
    assert view["only_predicted"] == []
    assert {move["san"] for move in view["only_true"]} >= {"Qd8+", "Qe1", "Qd2"}
    assert different_squares(queen, bishop) == ["d1"]


def test_aliases_of_castling_are_no_moves():
    castling = chess.Board("4k3/8/8/8/8/8/8/4K2R w K - 0 1")
    ucis = {move["uci"] for move in moves_view(castling, castling)["shared"]}
    assert "e1g1" in ucis
    assert "e1h1" not in ucis


@given(st.integers(0, 30), st.integers(0, 30), st.integers(0, 1000))
@settings(max_examples=30, deadline=None)
def test_the_three_lists_are_the_moves_of_both_boards_each_once(plies, other_plies, seed):
    true, predicted = (
        chess.Board(random_board(count, seed + index))
        for index, count in enumerate((plies, other_plies))
    )
    sets = move_sets(true, predicted)
    assert {*sets.only_true, *sets.shared} == set(true.legal_moves)
    assert {*sets.only_predicted, *sets.shared} == set(predicted.legal_moves)
    assert len(sets.only_true) + len(sets.shared) == true.legal_moves.count()
    assert not set(sets.only_true) & set(predicted.legal_moves)
    turned = move_sets(predicted, true)
    assert set(turned.only_true) == set(sets.only_predicted)
    view = moves_view(true, predicted)
    for move in view["only_true"]:
        assert true.parse_san(move["san"]).uci() == move["uci"]
    for move in view["only_predicted"]:
        assert predicted.parse_san(move["san"]).uci() == move["uci"]
