import random

import chess
import numpy as np
import pytest
from kernel_boards import change_fen, played, scattered

from workbench.affordance import exact_profile
from workbench.environments.chess import ChessAutomaton, ChessState
from workbench.environments.chess.kernel import kernel_functions as kernel
from workbench.errors import InvalidArgumentError, UnsupportedBoardError

CHESS = ChessAutomaton()
TERMINALS = ("absorb", "drop")

# White mates or stalemates in one or two moves on some lines.
FINISHING = [
    "6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1",
    "k7/2Q5/8/1K6/8/8/8/8 w - - 0 1",
    "7k/5K2/6P1/8/8/8/8/8 w - - 0 1",
    "rnbqkbnr/pppp1ppp/8/4p3/6P1/5P2/PPPPP2P/RNBQKBNR b KQkq - 0 1",
]


def pairs_near(count, seed, plies):
    rng = random.Random(seed)
    for _ in range(count):
        board = played(rng, plies)
        yield board.fen(), change_fen(rng, board, rng.choice((1, 2)))


def pairs_far(count, seed):
    rng = random.Random(seed)
    for index in range(count):
        yield played(rng, 40).fen(), scattered(rng) if index % 3 == 0 else played(rng, 50).fen()


def profile(true, predicted, depth, terminal="absorb", engine="compiled"):
    return exact_profile(true, predicted, depth, automaton=CHESS, terminal=terminal, engine=engine)


def agree(fen, other, depth, terminal):
    true, predicted = ChessState.from_fen(fen), ChessState.from_fen(other)
    expected = profile(true, predicted, depth, terminal, "reference")
    found = profile(true, predicted, depth, terminal)
    assert found.node_count <= expected.node_count
    assert found.precision == pytest.approx(expected.precision, abs=1e-12, rel=0)
    assert found.recall == pytest.approx(expected.recall, abs=1e-12, rel=0)
    return found, expected


@pytest.mark.slow
@pytest.mark.parametrize("terminal", TERMINALS)
def test_near_pairs_agree_with_the_reference(terminal):
    pairs = [
        *((*pair, 3) for pair in pairs_near(12, 40, 12)),
        *((*pair, 3) for pair in pairs_near(10, 41, 150)),
        *((*pair, 3) for pair in pairs_near(20, 42, 60)),
    ]
    for fen, other, depth in pairs:
        agree(fen, other, depth, terminal)


@pytest.mark.parametrize("terminal", TERMINALS)
def test_far_pairs_agree_with_the_reference(terminal):
    for fen, other in pairs_far(20, 43):
        agree(fen, other, 3, terminal)


@pytest.mark.parametrize("terminal", TERMINALS)
@pytest.mark.parametrize("fen", FINISHING)
def test_pairs_near_the_end_of_a_game_agree_with_the_reference(fen, terminal):
    rng = random.Random(fen)
    board = chess.Board(fen)
    depth = 4 if chess.popcount(board.occupied) < 5 else 2
    agree(fen, fen, depth, terminal)
    for _ in range(3):
        agree(fen, change_fen(rng, board, 1), depth, terminal)


def test_finished_boards():
    mated = ChessState.from_fen("7k/6Q1/6K1/8/8/8/8/8 b - - 0 1")
    free = ChessState.from_fen("7k/8/6K1/8/8/8/8/8 b - - 0 1")
    assert profile(mated, mated, 3).precision == (1, 1, 1)
    assert profile(mated, mated, 3, "drop").precision == (0, 0, 0)
    assert profile(mated, free, 3).precision == (0, 0, 0)
    assert profile(free, mated, 3).recall == (0, 0, 0)


@pytest.mark.parametrize("terminal", TERMINALS)
@pytest.mark.parametrize(
    ("fen", "other", "depth"),
    [
        ("8/5k2/8/3p4/4P3/8/2K5/8 w - - 0 1", "8/5k2/8/3p4/3P4/8/2K5/8 w - - 0 1", 5),
        ("8/5k2/8/8/4P3/2n5/2K5/8 w - - 0 1", "8/5k2/8/8/4P3/2b5/2K5/8 w - - 0 1", 4),
        ("4k2r/8/8/8/8/8/8/4K3 b k - 0 1", "4k2r/8/8/8/8/8/8/4K3 b - - 0 1", 4),
        ("8/8/8/1k1pP3/8/8/8/4K3 w - d6 0 1", "8/8/8/1k1pP3/8/8/8/4K3 w - - 0 1", 6),
    ],
)
def test_merged_pairs_change_nothing_at_great_depth(fen, other, depth, terminal):
    found, expected = agree(fen, other, depth, terminal)
    assert found.node_count < expected.node_count
    shallow = profile(*map(ChessState.from_fen, (fen, other)), 3, terminal)
    assert found.precision[:3] == pytest.approx(shallow.precision, abs=1e-12, rel=0)


@pytest.mark.parametrize("terminal", TERMINALS)
def test_a_ply_without_room_for_all_its_pairs_is_walked_in_parts(terminal):
    # A ply holds 64 pairs at m = 3 and 4,096 two moves from the end at m = 4.
    queens = [
        "2Q3q1/1{}5k/1q1Q2q1/8/q5Q1/7q/5Q2/2Q1K3 w - - 0 1",
        "4q3/2k4{}/5q2/3Q4/1q6/q6Q/2q1QQ1K/5Q2 w - - 0 1",
    ]
    rows = [kernel.pack_fens([fen.format(pawn) for fen in queens]) for pawn in "Pp"]
    results = [kernel.joint_profiles(*rows, depth, terminal) for depth in (1, 2, 3, 4)]
    assert (results[0].node_count > 64).all()
    assert (results[1].node_count - results[0].node_count > 4096).all()
    for result in results[:-1]:
        depth = result.precision.shape[1]
        for values, deepest in zip(result[:2], results[-1][:2], strict=True):
            np.testing.assert_allclose(deepest[:, :depth], values, rtol=0, atol=1e-12)


def test_a_pair_has_the_same_values_wherever_it_stands():
    pairs = list(pairs_near(8, 48, 40))
    rows = [kernel.pack_fens([pair[side] for pair in pairs]) for side in (0, 1)]
    forward = kernel.joint_profiles(*rows, 4, workers=1)
    backward = kernel.joint_profiles(*(side[::-1].copy() for side in rows), 4, workers=1)
    np.testing.assert_array_equal(forward.precision, backward.precision[::-1])
    np.testing.assert_array_equal(forward.recall, backward.recall[::-1])


def test_boards_that_become_the_same_need_no_walk():
    # Black must take the rook, or the knight in its place: one board is left.
    rook = ChessState.from_fen("k7/8/8/8/8/6pp/6pR/7K b - - 0 1")
    knight = ChessState.from_fen("k7/8/8/8/8/6pp/6pN/7K b - - 0 1")
    short, plain = (profile(rook, knight, 4, engine=engine) for engine in ("compiled", "reference"))
    assert short.node_count < plain.node_count
    assert short.precision == pytest.approx(plain.precision, abs=1e-12)
    assert profile(rook, rook, 4).node_count == 0
    assert profile(rook, rook, 4).precision == (1, 1, 1, 1)


def test_a_right_that_has_no_effect_makes_no_other_board():
    with_letters = ChessState.from_fen("4k3/8/8/8/8/8/8/4K3 w KQkq e6 0 1")
    without = ChessState.from_fen("4k3/8/8/8/8/8/8/4K3 w - - 0 1")
    assert profile(with_letters, without, 8).node_count == 0


def test_a_king_that_takes_a_king_takes_its_rights_too():
    """Black's right outlives the king on e8 in python-chess's field; without that king it has no effect."""
    rights = "4k1kr/8/3k4/6B1/BNb3Qb/3P4/3k1N2/RK2K2R b KQkq - 0 1"
    agree(rights, rights.replace("KQkq", "-"), 2, "absorb")
    kings = "r3k2r/3K4/8/8/8/8/8/4K3 w kq - 0 1"
    agree(
        kings.replace("r3k2r", "r3kk1r"),
        kings.replace("r3k2r", "r3kk1r").replace("kq", "-"),
        3,
        "drop",
    )


def test_many_pairs_come_in_order_whatever_the_workers():
    pairs = [*pairs_near(25, 44, 30), *pairs_far(15, 45)]
    true = kernel.pack_fens([pair[0] for pair in pairs])
    predicted = kernel.pack_fens([pair[1] for pair in pairs])
    steps = []
    results = [
        kernel.joint_profiles(true, predicted, 3, workers=workers, progress=steps.append)
        for workers in (1, 2, 5)
    ]
    for result in results[1:]:
        assert np.array_equal(result.precision, results[0].precision)
        assert np.array_equal(result.recall, results[0].recall)
        assert np.array_equal(result.node_count, results[0].node_count)
    assert sum(steps) == 3 * len(pairs)
    for index in (0, 24, 39):
        one = profile(*map(ChessState.from_fen, pairs[index]), 3)
        assert one.precision == tuple(results[0].precision[index])


def test_no_pairs_give_no_profiles():
    none = kernel.pack_fens([])
    assert kernel.joint_profiles(none, none, 4).precision.shape == (0, 4)


def test_arguments_out_of_range_are_refused():
    start = kernel.pack_fens([chess.STARTING_FEN])
    king = kernel.pack_fens(["K~7/8/8/8/8/8/8/8 w - -"])
    for depth in (0, -1, True, 1.0):
        with pytest.raises(InvalidArgumentError, match="depth"):
            kernel.joint_profiles(start, start, depth)
    with pytest.raises(InvalidArgumentError, match="terminal"):
        kernel.joint_profiles(start, start, 1, "keep")
    with pytest.raises(InvalidArgumentError, match="at least 1 worker"):
        kernel.joint_profiles(start, start, 1, workers=0)
    with pytest.raises(InvalidArgumentError, match="equally many"):
        kernel.joint_profiles(start, start[:0], 1)
    with pytest.raises(InvalidArgumentError, match="shape"):
        kernel.joint_profiles(start[0], start[0], 1)
    with pytest.raises(UnsupportedBoardError, match="predicted, the first in row 0"):
        kernel.joint_profiles(start, king, 1)
