"""The moves, successors and values of the JavaScript twin, against python-chess and the kernel."""

import pytest
from twin_process import ask

# isort: split
import twin_fuzz

from workbench.affordance import exact_profile
from workbench.environments.chess import ChessAutomaton, ChessState

# Counted by many programs and published on the Chess Programming Wiki, "Perft Results".
PERFT = [
    ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", 4, 197_281),
    ("r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1", 3, 97_862),
    ("8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1", 4, 43_238),
    ("r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1", 3, 9_467),
    ("rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8", 3, 62_379),
]


def test_published_line_counts():
    questions = [{"kind": "lines", "fen": fen, "depth": depth} for fen, depth, _ in PERFT]
    assert ask(questions) == [lines for _, _, lines in PERFT]


@pytest.mark.slow
def test_a_share_of_the_boards_that_cannot_arise():
    """The whole of it is `make fuzz`."""
    done, mismatches = twin_fuzz.run(250, seed=7)
    assert mismatches == []
    assert done["boards"] == 250
    assert done["moves and successors"] > 3_000
    assert done["pairs"] == 50


@pytest.mark.slow
def test_pairs_of_recorded_replies_have_the_values_of_the_kernel():
    assert twin_fuzz.recorded_problems(twin_fuzz.recorded_pairs(25, seed=0)) == []


def test_a_right_to_castle_ends_with_a_king_that_a_king_takes():
    """Another white king is left, which python-chess does not let castle: 0.9981 if it might."""
    with_rights = "4k1kr/8/3k4/6B1/BNb3Qb/3P4/3k1N2/RK2K2R b KQkq - 0 1"
    pair = with_rights, with_rights.replace("KQkq", "-")
    (found,) = ask([{"kind": "profile", "fens": pair, "depth": 2, "terminal": "absorb"}])
    states = map(ChessState.from_fen, pair)
    expected = exact_profile(*states, 2, automaton=ChessAutomaton(), engine="reference")
    assert found["precision"] == [1, 1]
    assert found["recall"] == pytest.approx(expected.recall, abs=1e-12)


def test_a_mismatch_is_found():
    """The twin of another board has other moves: the comparison can fail."""
    fen = PERFT[0][0]
    (answer,) = ask([{"kind": "moves", "fen": fen.replace("w KQkq", "b KQkq")}])
    assert answer != twin_fuzz.expected_moves(fen)
    with pytest.raises(AssertionError):
        ask([{"kind": "no such question"}])
