"""Both boards after shared moves."""

import chess
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workbench.errors import InvalidArgumentError, InvalidFenError
from workbench.explore.explorer_settings import ExplorerSettings
from workbench.explore.pair.pair_view import move_sets, pair_view, replay
from workbench.games.synthetic_boards import random_board

START = chess.STARTING_FEN
WITHOUT_QUEEN = START.replace("RNBQ", "RNB1")


def test_both_boards_step():
    true, predicted = replay(START, WITHOUT_QUEEN, ["e2e4"])
    assert true == "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1"
    assert predicted == "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNB1KBNR b KQkq - 0 1"
    assert replay(START, WITHOUT_QUEEN, ["e2e4", "e7e5", "g1f3"])[0] == (
        "rnbqkbnr/pppp1ppp/8/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R b KQkq - 1 2"
    )
    assert replay(START, WITHOUT_QUEEN, []) == (START, WITHOUT_QUEEN)


def test_castling_and_promotion():
    fen = "r3k2r/4P3/8/8/8/8/8/R3K2R w KQkq - 0 1"
    assert replay(fen, fen, ["e1g1"])[0].startswith("r3k2r/4P3/8/8/8/8/8/R4RK1 b kq")
    bare = "8/4P3/8/8/8/8/k7/7K w - - 0 1"
    assert replay(bare, bare, ["e7e8n"])[1].startswith("4N3/8/8/8/8/8/k7/7K b")


@pytest.mark.parametrize(
    ("uci", "where"),
    [
        ("e1d1", "on the predicted board only"),
        ("e2e5", "on neither board"),
        ("nonsense", "on neither board"),
        ("", "on neither board"),
    ],
)
def test_a_move_that_is_not_shared_is_refused_and_placed(uci, where):
    with pytest.raises(InvalidArgumentError, match=where):
        replay(START, WITHOUT_QUEEN.replace("KQkq", "kq"), [uci])


def test_a_move_of_the_true_board_alone_is_refused():
    with pytest.raises(InvalidArgumentError, match="on the true board only"):
        replay(START, "rnbqkbnr/pppppppp/8/8/8/8/PPPP1PPP/RNBQKBNR w KQkq - 0 1", ["e2e4"])


def test_an_alias_of_castling_is_refused():
    fen = "4k3/8/8/8/8/8/8/4K2R w K - 0 1"
    with pytest.raises(InvalidArgumentError, match="neither"):
        replay(fen, fen, ["e1h1"])


def test_a_line_names_the_move_at_which_it_stops():
    with pytest.raises(InvalidArgumentError, match=r"move 2 of the line: .*'e2e4'"):
        replay(START, WITHOUT_QUEEN, ["e2e4", "e2e4"])


def test_no_predicted_board_and_a_bad_one_are_refused():
    with pytest.raises(InvalidArgumentError, match="on the true board only"):
        replay(START, "", ["e2e4"])
    with pytest.raises(InvalidFenError, match="the predicted FEN"):
        replay(START, "x w", ["e2e4"])


def test_a_promoted_king_stays_promoted():
    fen = "4k3/8/8/8/8/8/8/3QK~3 w - - 0 1"
    assert replay(fen, fen, ["d1d2"])[0].split()[0] == "4k3/8/8/8/8/8/3Q4/4K~3"


@pytest.mark.slow
@given(st.integers(2, 40), st.integers(0, 10_000), st.integers(0, 63))
@settings(max_examples=15, deadline=None)
def test_precision_is_the_mean_over_the_steps_it_can_take(plies, seed, square):
    """p_3 of a pair is the sum of p_2 after each shared move over the moves of the prediction."""
    true_fen = random_board(plies, seed)
    board = chess.Board(true_fen)
    board.remove_piece_at(square)
    predicted_fen = board.fen()
    sets = move_sets(chess.Board(true_fen), chess.Board(predicted_fen))
    sums = {"precision": 0.0, "recall": 0.0}
    for move in sets.shared:
        below = pair_view(*replay(true_fen, predicted_fen, [move.uci()]), ExplorerSettings(depth=2))
        for name in sums:
            sums[name] += below["profile"][name][-1]["value"]
    profile = pair_view(true_fen, predicted_fen, ExplorerSettings(depth=3))["profile"]
    for name, others in (("precision", sets.only_predicted), ("recall", sets.only_true)):
        permitted = len(sets.shared) + len(others)
        if permitted:
            expected = sums[name] / permitted
            assert profile[name][-1]["value"] == pytest.approx(expected, abs=1e-12)
