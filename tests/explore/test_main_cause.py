"""Why lines die: causes against boards worked by hand, and silence where nothing dominates."""

import json
import random

import chess
import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st

import workbench as wb
from workbench.affordance import exact_profile
from workbench.cli import main
from workbench.environments.chess import ChessAutomaton
from workbench.environments.chess.state import Fen
from workbench.explore.board_reading import same_lines
from workbench.explore.explorer_settings import ExplorerSettings
from workbench.explore.losses.board_losses import (
    board_causes,
    board_differences,
    circumstances,
)
from workbench.explore.losses.joint_tree import MEASURES
from workbench.explore.losses.main_cause import Circumstance, main_cause
from workbench.games.synthetic_boards import random_board

BARE = "7k/8/8/8/8/8/8/K7 w - - 0 1"
PAWN = "7k/8/8/8/8/8/7P/K7 w - - 0 1"
PRECISION, RECALL = MEASURES


def why(true, predicted, depth=1, **chosen):
    return board_causes(true, predicted, ExplorerSettings(depth, **chosen))


class TestHandWorkedBoards:
    def test_the_pawn_that_is_missing(self):
        """Two of five moves are the pawn's; what the bare board permits is legal in truth."""
        assert why(PAWN, BARE) == {
            "now": {"precision": 1.0, "recall": pytest.approx(0.6)},
            "circumstances": [],
            "differences": [
                {
                    "label": "pawn h2 missing",
                    "words": "the white pawn on h2 is missing",
                    "text": PAWN,
                    "precision": 1.0,
                    "recall": 1.0,
                }
            ],
            "words": "The white pawn on h2 is missing: 40.0% of r_1 is lost through it.",
            "depth": 1,
            "precision": None,
            "recall": {
                "words": "the white pawn on h2 is missing",
                "lost": pytest.approx(0.4),
                "share": pytest.approx(1.0),
            },
        }

    def test_the_greater_of_two_differences(self):
        """Six moves, three of them the king's, two of the pawn on h2, one of the pawn on g3."""
        found = why("7k/8/8/8/8/6P1/7P/K7 w - - 0 1", BARE)
        assert found["recall"]["words"] == "the white pawn on h2 is missing"
        # r_1 is 3/6, and 5/6 with the pawn on h2.
        assert found["recall"]["lost"] == pytest.approx(2 / 6)
        assert found["recall"]["share"] == pytest.approx(2 / 3)
        assert "33.3% of r_1 is lost through it" in found["words"]

    def test_nothing_is_said_of_two_equal_differences(self):
        """Seven moves, two of them of each pawn: mending either wins back two sevenths of four."""
        assert why("7k/8/8/8/8/8/6PP/K7 w - - 0 1", BARE)["words"] == ""

    @pytest.mark.parametrize(
        ("true", "predicted", "words"),
        [
            (PAWN, PAWN.replace(" w ", " b "),
             "p_2 = r_2 = 0: in truth White is to move, on the predicted board Black."),
            # The king has three moves and the pawn two: both boards refuse the other's two.
            (PAWN, "7k/8/8/8/8/8/6P1/K7 w - - 0 1", "The white pawn on h2 is predicted on g2: "),
            (BARE, PAWN, "A white pawn is predicted on h2, where no piece stands: "),
            ("7k/8/8/8/8/8/7N/K7 w - - 0 1", PAWN,
             "A white pawn is predicted on h2 instead of a white knight: "),
            ("4k3/8/8/8/8/8/7p/R3K3 w Q - 0 1", "4k3/8/8/8/8/8/7p/R3K3 w - - 0 1",
             "In truth the castling rights are Q, on the predicted board none: "),
            ("7k/8/8/3pP3/8/8/8/K7 w - d6 0 1", "7k/8/8/3pP3/8/8/8/K7 w - - 0 1",
             "In truth the en-passant square is d6, on the predicted board none: "),
            ("7k/8/8/8/8/8/8/KQ6 w - - 0 1", "7k/8/8/8/8/8/8/QK6 w - - 0 1",
             "The pieces on a1 and b1 are mixed up: "),
        ],
    )  # fmt: skip
    def test_each_kind_of_difference_has_its_words(self, true, predicted, words):
        assert why(true, predicted, 2)["words"].startswith(words)

    def test_a_check_that_is_not_seen(self):
        """With the rook on a8 only Kb1 and Kb2 are legal, without it Ka2, h3 and h4 as well."""
        found = why("r6k/8/8/8/8/8/7P/K7 w - - 0 1", PAWN)
        assert found["precision"] == {
            "words": "in truth White is in check, on the predicted board not, "
            "because the black rook on a8 is missing",
            "lost": pytest.approx(3 / 5),
            "share": pytest.approx(1.0),
        }
        assert found["recall"] is None

    def test_a_check_that_leaves_no_common_move(self):
        """Only d2xc3 is legal; on the board without the bishop everything but that."""
        true = "7k/8/8/8/8/2b5/P2P4/KB6 w - - 0 1"
        found = why(true, true.replace("2b5", "8"), 2)
        assert found["words"] == (
            "p_2 = 0: in truth White is in check, on the predicted board not, because the black "
            "bishop on c3 is missing. r_2 = 0: the black bishop on c3 is missing."
        )
        other_way = why(true.replace("2b5", "8"), true, 2)
        assert "on the predicted board White is in check, in truth not" in other_way["words"]
        assert other_way["recall"]["share"] == 1.0

    @pytest.mark.parametrize("terminal", ["absorb", "drop"])
    def test_a_game_that_is_over_on_one_board(self, terminal):
        stalemate, one_move = "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", "7k/8/6K1/5Q2/8/8/8/8 b - - 0 1"
        assert why(one_move, stalemate, 2, terminal=terminal)["words"] == (
            "p_2 = r_2 = 0: on the predicted board the game is over (stalemate), in truth not, "
            "because the white queen on f5 is predicted on f7."
        )
        mated = "7k/6Q1/6K1/8/8/8/8/8 b - - 0 1"
        assert why(mated, one_move, 2, terminal=terminal)["words"].startswith(
            "p_2 = r_2 = 0: in truth the game is over (checkmate), on the predicted board not"
        )

    def test_nothing_is_said_where_nothing_is_lost_or_nothing_was_predicted(self):
        for predicted in (PAWN, ""):
            assert why(PAWN, predicted, 3)["words"] == ""

    def test_every_difference_of_boards_that_differ_in_much_is_measured(self):
        """32 pieces against two kings: 30 are missing, and the other side is to move."""
        bare = "4k3/8/8/8/8/8/8/4K3 b - - 0 1"
        assert board_differences(Fen(bare), Fen(bare)) == []
        found = why(chess.STARTING_FEN, bare, 4, exact_budget=10_000)
        assert len(found["differences"]) == 32
        assert {"Black is believed to move", "castling KQkq, not none"} <= {
            each["label"] for each in found["differences"]
        }

    def test_an_ill_formed_board_that_counts_as_no_state_may_become_one(self):
        king = "8/8/8/8/8/8/7P/K7 w - - 0 1"
        (found,) = why(PAWN, king, ill_formed="sink")["differences"]
        assert (found["label"], found["text"]) == ("king h8 missing", PAWN)
        assert (found["precision"], found["recall"]) == (1.0, 1.0)
        assert why(PAWN, king, ill_formed="sink")["now"] == {"precision": 0.0, "recall": 0.0}

    def test_rights_that_a_piece_takes_away_are_no_difference_of_their_own(self):
        """With the rook on g1 the letter K has no effect; with the rook in place it has."""
        true = "4k3/8/8/8/8/8/8/4K2R w K - 0 1"
        found = why(true, true.replace("4K2R", "4K1R1"), 2)["differences"]
        assert [each["label"] for each in found] == ["rook h1, not g1"]
        assert (found[0]["text"], found[0]["precision"]) == (true, 1.0)


class TestMainCause:
    def test_less_than_half_is_not_named(self):
        mended = [("a", (0.69, 0.0)), ("b", (0.5, 0.0))]
        assert main_cause(PRECISION, (0.4, 0.0), mended) is None
        cause = main_cause(PRECISION, (0.4, 0.0), [("a", (0.7, 0.0)), ("b", (0.5, 0.0))])
        assert (cause.words, cause.lost, cause.share) == (
            "a",
            pytest.approx(0.3),
            pytest.approx(0.5),
        )

    def test_a_circumstance_comes_first_if_it_accounts_for_half(self):
        mended = [("a", (1.0, 1.0))]
        check = [Circumstance("check", (0.3, 0.1))]
        assert main_cause(PRECISION, (0.4, 0.4), mended, check).words == "check"
        assert main_cause(RECALL, (0.4, 0.4), mended, check).words == "a"

    def test_mending_that_makes_it_worse_is_no_cause(self):
        assert main_cause(PRECISION, (0.4, 0.4), [("a", (0.2, 0.2))]) is None
        assert main_cause(PRECISION, (1.0, 0.4), [("a", (1.0, 1.0))]) is None


@given(st.integers(2, 40), st.integers(2, 40), st.integers(0, 10_000))
@settings(max_examples=60, deadline=None)
def test_the_differences_of_real_boards_and_their_causes(plies, other, seed):
    """The first board against itself a few plies on: the causes are what mending wins back."""
    true, predicted = (Fen(random_board(count, seed)) for count in (plies, min(other, plies + 3)))
    differences = board_differences(true, predicted)
    if len(differences) == 1:
        assert same_lines(true.state, differences[0].corrected)
    values = exact_profile(true.state, predicted.state, 2, automaton=ChessAutomaton())
    pair = values.precision[-1], values.recall[-1]
    found = board_causes(true.text, predicted.text, ExplorerSettings(2))
    for index, measure in enumerate(MEASURES):
        cause = found[measure.name]
        if cause is None:
            continue
        assert 0.5 - 1e-9 <= cause["share"] <= 1 + 1e-9
        assert cause["lost"] == pytest.approx(cause["share"] * (1 - pair[index]))
        behind = [each for each in differences if each.words == cause["words"]]
        if behind:
            mended = exact_profile(true.state, behind[0].corrected, 2, automaton=ChessAutomaton())
            won = (mended.precision, mended.recall)[index][-1] - pair[index]
            assert cause["lost"] == pytest.approx(won)
        else:
            around = circumstances(true.state, predicted.state, differences)
            assert cause["words"] in {each.words for each in around}


def test_every_wrong_square_belongs_to_one_difference():
    """The knight went to e5 and took a pawn there, which is back; the rook is gone, a queen new."""
    true = Fen("4k3/8/8/4N3/8/8/8/R3K3 w - - 0 1")
    predicted = Fen("4k3/8/8/4p3/8/5N2/8/4K2Q w - - 0 1")
    words = {each.words: each.label for each in board_differences(true, predicted)}
    assert words == {
        "the white rook on a1 is missing": "rook a1 missing",
        "a white queen is predicted on h1, where no piece stands": "extra queen h1",
        "the white knight on e5 is predicted on f3": "knight e5, not f3",
    }


def test_a_budget_that_is_spent_gives_a_smaller_depth():
    true = "r1bqk2r/pppp1ppp/2n2n2/2b1p3/2B1P3/3P1N2/PPP2PPP/RNBQK2R w KQkq - 1 5"
    predicted = true.replace("3P1N2", "5N2").replace("PPP2PPP", "1PP2PPP")
    deep, shallow = why(true, predicted, 3), why(true, predicted, 3, exact_budget=40)
    assert deep["depth"] == 3
    assert shallow["depth"] == 1
    # Of White's 38 moves the bare boards refuse a3, a4 and d4: the pawn on a2 has two of them.
    assert shallow["words"] == "The white pawn on a2 is missing: 5.3% of r_1 is lost through it."
    assert shallow["recall"]["lost"] == pytest.approx(2 / 38)
    assert shallow["recall"]["share"] == pytest.approx(2 / 3)
    assert deep["recall"]["words"] == shallow["recall"]["words"]


def drift(rng, board):
    """Return a board with something wrong that a tracker gets wrong."""
    kind = rng.choice(("gone", "elsewhere", "elsewhere", "side", "castling"))
    men = list(chess.SquareSet(board.occupied & ~board.kings))
    free = list(chess.SquareSet(~board.occupied & chess.BB_ALL & ~chess.BB_BACKRANKS))
    if kind == "side":
        board.turn = not board.turn
    elif kind == "castling":
        board.castling_rights = 0
    else:
        piece = board.remove_piece_at(rng.choice(men))
        if kind == "elsewhere":
            board.set_piece_at(rng.choice(free), piece)


def test_each_correction_alone_has_the_numbers_of_compare():
    """Ten pairs with two to six differences: the command line on each corrected FEN, and the gains."""
    rng, pairs = random.Random(30), []
    while len(pairs) < 10:
        true = random_board(rng.randint(10, 50), rng.randint(0, 999))
        board = chess.Board(true)
        for _ in range(rng.randint(2, 6)):
            drift(rng, board)
        if 2 <= len(board_differences(Fen(true), Fen(board.fen()))) <= 6:
            pairs.append((true, board.fen()))
    for true, predicted in pairs:
        comparison = wb.compare(true, predicted, depth=2)
        causes = comparison.causes()
        assert 2 <= len(causes) <= 6
        for row in causes.itertuples():
            printed = CliRunner().invoke(
                main, ["compare", true, row.corrected, "--depth", "2", "--json"]
            )
            values = json.loads(printed.stdout)
            assert row.precision == pytest.approx(values["precision"][-1], abs=1e-12)
            assert row.recall == pytest.approx(values["recall"][-1], abs=1e-12)
            gain = values["precision"][-1] - comparison.precision[-1]
            assert row.precision_gain == pytest.approx(gain, abs=1e-12)
            # Corrected, it is no difference any more.
            left = {each.label for each in board_differences(Fen(true), Fen(row.corrected))}
            assert row.cause not in left
        assert list(causes.precision) == sorted(causes.precision, reverse=True)
