"""What the explorer shows of a pair: the same numbers as the rest of the package, and words."""

import json
import math

import chess
import pytest

from workbench.affordance import exact_profile
from workbench.environments.chess import ChessAutomaton, ChessState
from workbench.errors import InvalidArgumentError, InvalidFenError
from workbench.explore.explorer_settings import ExplorerSettings
from workbench.explore.pair.pair_view import pair_view
from workbench.scoring import ScoringParameters
from workbench.scoring.single_pair import compare

TRUE = "r1bqkbnr/pppp1ppp/2n5/4p3/2B1P3/5Q2/PPPP1PPP/RNB1K1NR w KQkq - 2 4"
QUEEN_ASIDE = TRUE.replace("5Q2", "7Q")
KINGLESS = TRUE.replace("RNB1K1NR", "RNB3NR")
PAWN = "7k/8/8/8/8/8/7P/K7 w - - 0 1"
BARE = "7k/8/8/8/8/8/8/K7 w - - 0 1"


def values(entries):
    return [entry["value"] for entry in entries]


@pytest.mark.parametrize("predicted", [QUEEN_ASIDE, KINGLESS, TRUE, TRUE.replace("KQkq", "-")])
@pytest.mark.parametrize("terminal", ["absorb", "drop"])
@pytest.mark.parametrize("policy", ["as_is", "sink"])
def test_the_numbers_are_those_of_compare(predicted, terminal, policy):
    settings = ExplorerSettings(depth=3, terminal=terminal, ill_formed=policy)
    view = pair_view(TRUE, predicted, settings)
    parameters = ScoringParameters(depth=3, terminal=terminal, ill_formed=policy)
    known = compare(TRUE, predicted, parameters)
    assert values(view["profile"]["precision"]) == pytest.approx(known["precision"], abs=1e-12)
    assert values(view["profile"]["recall"]) == pytest.approx(known["recall"], abs=1e-12)
    assert view["text"]["levenshtein"] == known["levenshtein"]
    assert view["text"]["exact_match"] == known["exact_match"]
    assert view["text"]["board_accuracy"] == known["board_accuracy"]
    assert view["predicted"]["class"] == known["reply_class"]
    assert view["predicted"]["flags"] == known["status"]


def test_a_pair_worked_by_hand():
    """The pawn has two of the predicted board's five moves; the king's three are on both."""
    view = pair_view(BARE, PAWN, ExplorerSettings(depth=2))
    assert view["different"] == ["h2"]
    assert [move["words"] for move in view["moves"]["only_predicted"]] == ["h3", "h4"]
    assert view["moves"]["only_true"] == []
    assert {move["san"] for move in view["moves"]["shared"]} == {"Ka2", "Kb1", "Kb2"}
    # After a shared king's move Black's king has the same three moves on both boards.
    assert values(view["profile"]["precision"]) == pytest.approx([3 / 5, 3 / 5])
    assert values(view["profile"]["recall"]) == pytest.approx([1, 1])
    assert view["text"]["board_accuracy"] == 63 / 64
    assert view["text"]["levenshtein"] == 2  # 8 for 7P
    assert view["text"]["correct"]["placement"] is False
    assert view["text"]["correct"]["side_to_move"] is True
    assert view["true"]["turn"] == "w"
    assert view["true"]["castling"] == "-"
    assert view["profile"]["exact"] is True


def test_fields_that_are_not_written_stand_at_their_defaults():
    side = pair_view("7k/8/8/8/8/8/8/K7", "7k/8/8/8/8/8/8/K7")["true"]
    assert (side["turn"], side["castling"], side["en_passant"]) == ("w", "-", "-")
    assert side["fen"] == "7k/8/8/8/8/8/8/K7"


@pytest.mark.parametrize("nothing", [None, "", "  "])
def test_no_predicted_state_has_zeros_and_says_so(nothing):
    view = pair_view(TRUE, nothing)
    assert values(view["profile"]["precision"]) == [0.0] * 4
    assert values(view["profile"]["recall"]) == [0.0] * 4
    assert view["predicted"]["class"] == "absent"
    assert view["text"]["board_accuracy"] is None
    assert view["text"]["levenshtein"] == len(TRUE)
    assert view["text"]["levenshtein_to_empty"] is True
    assert view["profile"]["reason"] == "no state was predicted: p and r are 0"
    assert view["moves"]["shared"] == view["moves"]["only_predicted"] == []
    assert len(view["moves"]["only_true"]) == chess.Board(TRUE).legal_moves.count()


def test_an_ill_formed_board_is_as_it_is_or_the_sink():
    as_is = pair_view(TRUE, KINGLESS)
    sink = pair_view(TRUE, KINGLESS, ExplorerSettings(ill_formed="sink"))
    assert as_is["predicted"]["flags"] == ["NO_WHITE_KING", "BAD_CASTLING_RIGHTS"]
    assert "White has no king" in as_is["predicted"]["words"]
    assert as_is["profile"]["precision"][0]["value"] == 1.0
    assert values(sink["profile"]["precision"]) == [0.0] * 4
    assert "counts as no state" in sink["profile"]["reason"]
    assert sink["different"] == ["e1"]
    # The policy is about predictions: a true board is what it is.
    turned = pair_view(KINGLESS, TRUE, ExplorerSettings(ill_formed="sink"))
    assert turned["profile"]["recall"][0]["value"] == 1.0


def test_a_fen_that_cannot_be_read_is_refused_in_words_with_its_side():
    bad = "8/8/8/9p/8/8/8/8 w - - 0 1"
    with pytest.raises(InvalidFenError, match="the predicted FEN cannot be read: rank 5 has '9'"):
        pair_view(TRUE, bad)
    with pytest.raises(InvalidFenError, match="the true FEN cannot be read: rank 5"):
        pair_view(bad, TRUE)
    with pytest.raises(InvalidFenError, match="the true FEN cannot be read: there is no text"):
        pair_view("", TRUE)


def test_beyond_the_budget_values_are_estimated_and_their_intervals_hold_the_exact_ones():
    tight = ExplorerSettings(depth=4, exact_budget=60, relative_error=0.005)
    profile = pair_view(TRUE, QUEEN_ASIDE, tight)["profile"]
    known = exact_profile(
        ChessState.from_fen(TRUE), ChessState.from_fen(QUEEN_ASIDE), 4, automaton=ChessAutomaton()
    )
    methods = [entry["method"] for entry in profile["precision"]]
    # Depth 2 has 24 joint nodes above its last ply, depth 3 hundreds.
    assert methods == ["exact", "exact", "stratified", "stratified"]
    assert profile["exact"] is False
    assert profile["reason"].startswith("exact up to depth 2: depth 3 has about")
    assert "estimated" in profile["reason"]
    for entries, right in (
        (profile["precision"], known.precision),
        (profile["recall"], known.recall),
    ):
        for entry, value in zip(entries, right, strict=True):
            assert entry["low"] - 1e-12 <= entry["value"] <= entry["high"] + 1e-12
            # The interval of 95% once more on either side: these seeds are fixed.
            slack = entry["high"] - entry["low"]
            assert entry["low"] - slack - 1e-12 <= value <= entry["high"] + slack + 1e-12
        assert entries[-1]["high"] > entries[-1]["low"]


def test_the_same_seed_gives_the_same_estimates():
    settings = ExplorerSettings(depth=4, exact_budget=60, seed=5)
    first, second = (pair_view(TRUE, QUEEN_ASIDE, settings)["profile"] for _ in range(2))
    assert first == second


def test_boards_that_permit_the_same_are_exact_at_any_depth():
    profile = pair_view(TRUE, TRUE.replace(" - 2 4", " e3 9 9"), ExplorerSettings(depth=30))[
        "profile"
    ]
    assert profile["exact"] is True
    assert values(profile["precision"]) == [1.0] * 30


def test_a_promoted_king_goes_to_the_reference():
    true, predicted = "4k3/8/8/8/8/8/4r3/3QK3 w - - 0 1", "4k3/8/8/8/8/8/4r3/3RK~3 w - - 0 1"
    view = pair_view(true, predicted, ExplorerSettings(depth=3))
    states = ChessState.from_fen(true), ChessState.from_fen(predicted)
    known = exact_profile(*states, 3, automaton=ChessAutomaton(), engine="reference")
    assert values(view["profile"]["precision"]) == pytest.approx(known.precision)
    assert values(view["profile"]["recall"]) == pytest.approx(known.recall)
    tight = pair_view(true, predicted, ExplorerSettings(depth=3, exact_budget=500))["profile"]
    assert [entry["method"] for entry in tight["recall"]] == ["exact", "stratified", "stratified"]
    assert "promoted king" in tight["reason"]


def test_the_answer_is_json_without_nan():
    for predicted in (QUEEN_ASIDE, KINGLESS, None, "8/8/8/8/8/8/8/8 w - - 0 1"):
        json.dumps(pair_view(TRUE, predicted), allow_nan=False)


@pytest.mark.parametrize(
    "given",
    [
        {"depth": 0},
        {"terminal": "other"},
        {"ill_formed": "other"},
        {"exact_budget": 0},
        {"sampling_budget": 0},
        {"relative_error": 0.0},
        {"relative_error": math.nan},
        {"seed": -1},
    ],
)
def test_settings_out_of_range_are_refused(given):
    with pytest.raises(InvalidArgumentError, match=r"expected .* got"):
        ExplorerSettings(**given)
