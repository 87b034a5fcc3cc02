"""Causes of a whole run: equal to those of each pair by itself, of every class, and by model."""

import numpy as np
import pandas as pd
import pytest

import workbench as wb
from workbench.environments.chess.classification import classify_fen
from workbench.errors import InvalidArgumentError
from workbench.explore.explorer_settings import ExplorerSettings
from workbench.explore.losses.board_losses import board_causes, board_differences, circumstances
from workbench.explore.losses.main_cause import DOMINANT
from workbench.explore.run import run_browser
from workbench.explore.run.failure_causes import (
    NOTHING_LOST,
    ONE_ERROR,
    UNDEFINED,
    FailureCauses,
    board_pair_causes,
    failure_causes,
    several_errors,
)
from workbench.explore.run.run_browser import RunBrowser

START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
BARE = "7k/8/8/8/8/8/8/K7 w - - 0 1"
PAWN = "7k/8/8/8/8/8/7P/K7 w - - 0 1"
ROOK = "4k3/8/8/8/8/8/7p/R3K3 w Q - 0 1"
TWO_PAWNS = "7k/8/8/8/8/8/6PP/K7 w - - 0 1"


def recorded_pairs(count, seed=0):
    rows = wb.recorded_replies()
    rows = rows[rows["reply_class"].isin(["valid", "ill_formed"])]
    rows = rows[rows["true_state"] != rows["predicted_state"]].sample(count, random_state=seed)
    return list(zip(rows["true_state"], rows["predicted_state"], strict=True))


def by_itself(true, predicted, depth, **conventions):
    """The category of one pair by `board_causes`, whose words name the difference."""
    settings = ExplorerSettings(depth, exact_budget=10**12, **conventions)
    answer = board_causes(true, predicted, settings)
    assert answer["depth"] == depth
    measure = "precision" if 1 - answer["now"]["precision"] > 1e-12 else "recall"
    if 1 - answer["now"][measure] <= 1e-12:
        return NOTHING_LOST, "", None
    policy = conventions.get("ill_formed", "as_is")
    fens = [classify_fen(text).parsed for text in (true, predicted)]
    differences = board_differences(*fens, policy)
    cause = answer[measure]
    if cause is None:
        return several_errors(len(differences)), measure, None
    kinds = {each.words: each.kind for each in differences}
    predicted_class = classify_fen(predicted).reply_class
    if policy == "as_is" or predicted_class == "valid":
        around = circumstances(fens[0].state, fens[1].state, differences)
        kinds |= {each.words: each.kind for each in around}
    return kinds[cause["words"]], measure, cause["share"]


def same_as_by_itself(pairs, depth, **conventions):
    names = {"terminal": conventions.get("terminal", "absorb")}
    names["policy"] = conventions.get("ill_formed", "as_is")
    causes = board_pair_causes(pairs, depth, **names)
    for pair, cause in zip(pairs, causes, strict=True):
        category, measure, share = by_itself(*pair, depth, **conventions)
        assert (cause.cause, cause.measure) == (category, measure), pair
        if share is None:
            assert np.isnan(cause.gain), pair
        else:
            assert cause.gain == pytest.approx(share, abs=1e-9), pair
            assert cause.gain >= DOMINANT - 1e-9
    return {cause.cause for cause in causes}


class TestBatches:
    @pytest.mark.parametrize("depth", [1, 2])
    def test_they_name_what_each_pair_by_itself_is_said_to_lose(self, depth):
        assert len(same_as_by_itself(recorded_pairs(60, depth), depth)) > 5

    @pytest.mark.slow
    def test_three_hundred_recorded_replies_at_the_depth_of_the_run(self):
        assert len(same_as_by_itself(recorded_pairs(300), 4)) > 8

    @pytest.mark.parametrize("terminal", ["absorb", "drop"])
    def test_ill_formed_boards_may_count_as_no_state(self, terminal):
        pairs = [(PAWN, "8/8/8/8/8/8/7P/K7 w - - 0 1"), (PAWN, BARE), (ROOK, PAWN)]
        pairs += recorded_pairs(25, 3)
        found = same_as_by_itself(pairs, 1, ill_formed="sink", terminal=terminal)
        assert "a piece missing" in found

    @pytest.mark.parametrize(
        ("true", "predicted", "cause"),
        [
            (PAWN, BARE, "a piece missing"),
            (BARE, PAWN, "an extra piece"),
            (PAWN, PAWN.replace("7P", "6P1"), "a piece on a wrong square"),
            (PAWN.replace("7P", "7N"), PAWN, "a wrong piece"),
            ("7k/8/8/8/8/8/8/KQ6 w - - 0 1", "7k/8/8/8/8/8/8/QK6 w - - 0 1", "pieces mixed up"),
            (PAWN, PAWN.replace(" w ", " b "), "side to move"),
            (ROOK, ROOK.replace(" Q ", " - "), "castling rights"),
            ("7k/8/8/3pP3/8/8/8/K7 w - d6 0 1", "7k/8/8/3pP3/8/8/8/K7 w - - 0 1", "en passant"),
            ("r6k/8/8/8/8/8/7P/K7 w - - 0 1", PAWN, "check"),
            ("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", "7k/8/6K1/5Q2/8/8/8/8 b - - 0 1", "game over"),
            (TWO_PAWNS, BARE, "several errors: 2-3 differences"),
            (START, START.replace("RNBQKBNR", "R6R"), "several errors: 4-6 differences"),
            (START, START.replace("PPPPPPPP", "8"), "several errors: 7 or more"),
            (PAWN, PAWN.replace(" 0 1", " 9 9"), NOTHING_LOST),
        ],
    )  # fmt: skip
    def test_each_category(self, true, predicted, cause):
        (found,) = board_pair_causes([(true, predicted)], 1)
        assert found.cause == cause

    def test_a_castling_letter_means_the_rook_that_the_correction_brings_back(self):
        """Without the rook on a1 the letter Q means the one on b1; with it, that on a1."""
        true = "4k3/8/8/8/8/8/8/R3K3 w Q - 0 1"
        same_as_by_itself(
            [(true, true.replace("R3K3", "1R2K3")), (true, true.replace("R3", "4"))], 2
        )

    def test_a_promoted_king_goes_to_the_reference(self):
        """Depth 1 is within its budget, depth 4 is not: undefined, not a guess."""
        king = START.replace("K", "K~", 1).replace("KQkq", "-")
        pair = king, king.replace("PPPPPPPP", "PPPP1PPP")
        assert [board_pair_causes([pair], depth)[0].cause for depth in (1, 4)] == [
            "a piece missing",
            UNDEFINED,
        ]


def scores_of(*replies, depth=2, **names):
    rows = [{"fen": true, "reply": reply, "model": "mine"} for true, reply in replies]
    return wb.score(rows, depth=depth, **names)


class TestRuns:
    def test_every_class_of_replies_has_its_causes(self):
        scores = scores_of(
            (START, START),
            (START, "I cannot say."),
            (START, START.replace("PPPPPPPP", "PPPPPPP")),
            (START, START.replace(" w ", " b ")),
            (START, START.partition(" ")[0]),
        )
        failed = scores.iloc[:1].assign(
            reply_class="failed", unscored="the call failed", precision_2=np.nan, recall_2=np.nan
        )
        scores = pd.concat([scores, failed])
        found = failure_causes(scores)
        assert found["cause"].tolist() == [
            NOTHING_LOST,
            "no board",
            "unreadable: a rank without eight squares",
            "side to move",
            "unreadable: no side to move",
            UNDEFINED,
        ]
        assert found["measure"].tolist() == ["", *["precision"] * 4, ""]
        assert found["gain"].tolist()[1:5] == [1.0] * 4
        assert found["differences"].tolist()[3] == 1

    def test_rows_are_computed_as_far_as_asked_for_and_equal_pairs_once(self):
        pairs = [(PAWN, BARE), (PAWN, BARE), (BARE, PAWN), (ROOK, ROOK)]
        causes = FailureCauses(scores_of(*pairs))
        assert causes.remaining() == 3
        assert causes.advance(np.array([0])) == 0
        assert causes.frame()["cause"].notna().tolist() == [True, True, False, True]
        assert causes.advance(seconds=0) == 0
        assert causes.frame()["cause"].notna().all()

    def test_estimated_scores_have_exact_causes(self):
        scores = scores_of((PAWN, BARE), method="stratified", samples=50, batches=2)
        assert failure_causes(scores)["cause"].tolist() == ["a piece missing"]

    def test_other_environments_have_the_differences_that_they_can_correct(self):
        """The hammer is missing."""
        true = (
            "Box 1 is empty. Box 2 contains the cup and the pen. Box 3 contains the hammer. "
            "Box 4 contains the coin and the lamp. The table is empty."
        )
        rows = [
            (true, true),
            (true, true.replace("contains the hammer", "is empty")),
            (true, "I cannot say."),
        ]
        boxes = wb.score(
            [{"true_state": one, "reply": other, "model": "mine"} for one, other in rows],
            "boxes",
            depth=2,
        )
        causes = failure_causes(boxes)
        assert causes["cause"].tolist()[0] == NOTHING_LOST
        assert causes["cause"].tolist()[1] == ONE_ERROR
        assert causes["cause"].tolist()[2] == "no state"

    def test_a_frame_without_scores_is_refused(self):
        with pytest.raises(InvalidArgumentError, match=r"score the replies first"):
            failure_causes(pd.DataFrame({"fen": [START]}))
        with pytest.raises(InvalidArgumentError, match=r"depth among \[1, 2\]"):
            failure_causes(scores_of((PAWN, BARE)), depth=7)


class TestRunBrowser:
    def test_causes_choose_rows_and_are_counted_whatever_causes_are_chosen(self):
        black = START.replace(" w ", " b ")
        table = RunBrowser(
            scores_of((START, START), (START, black), (START, "No."), (PAWN, BARE))
        ).table
        question = {"depth": 2, "distance": "levenshtein", "causes": ["no board"], "all": False}
        answer = table._answer_causes(question)
        assert answer == {
            "rows": 4,
            "left": 0,
            "pairs": 0,
            "causes": [
                ("a piece missing", 1), ("no board", 1), (NOTHING_LOST, 1), ("side to move", 1),
            ],
        }  # fmt: skip
        table.causes = ["side to move", "no board"]
        assert table.places.tolist() == [1, 2]
        table.show_all()
        assert len(table.places) == 4

    def test_what_takes_long_is_left_until_it_is_asked_for(self, monkeypatch):
        """Two pairs of boards are one too many here; with the rows of one filter there is one."""
        monkeypatch.setattr(run_browser, "_PAIRS_AT_ONCE", {True: 1, False: 0})
        table = RunBrowser(
            scores_of((START, START), (PAWN, BARE), (PAWN, BARE), (BARE, PAWN))
        ).table
        question = {"depth": 2, "distance": "levenshtein", "all": False}
        answer = table._answer_causes(question)
        assert answer == {"rows": 4, "left": 3, "pairs": 2, "causes": None}
        few = table._answer_causes({**question, "lasso": [1, 2]})
        assert few == {"rows": 2, "left": 0, "pairs": 0, "causes": [("a piece missing", 2)]}
        assert table._answer_causes({**question, "all": True})["left"] == 0

    def test_causes_are_of_the_depth_and_computed_only_for_rows_that_all_else_lets_through(self):
        """The pawn is missing either way, at depth 1 of the recall alone."""
        table = RunBrowser(scores_of((START, START), (PAWN, BARE), (BARE, PAWN))).table
        table.causes = ["a piece missing"]
        table.precision_range = [None, 0.5]
        assert table.places.tolist() == []
        table.precision_range = [None, None]
        assert table.places.tolist() == [1]
        table.depth = 1
        assert table.places.tolist() == [1]
        assert table._failure_causes().depth == 1
