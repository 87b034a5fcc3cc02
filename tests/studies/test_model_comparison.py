"""Models side by side: the table by hand, ranks, examples and flags, and the figures drawn."""

import math

import chess
import pandas as pd
import pytest

from workbench.drawing.appearance import new_figure
from workbench.environments.chess.board_picture import draw_board
from workbench.environments.registry import environment_named
from workbench.errors import InvalidArgumentError
from workbench.prediction import different_elements
from workbench.scoring import ScoringParameters, score_predictions
from workbench.studies.models import model_ranks, model_summary

START = chess.STARTING_FEN
AFTER_E4 = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1"
WRONG_SIDE = START.replace(" w ", " b ")
WITHOUT_A_PAWN = START.replace("PPPPPPPP", "PPPPPPP1")


@pytest.fixture
def scores(predictions):
    scored = score_predictions(predictions, ScoringParameters(depth=2))
    return scored.assign(game=scored["game_id"], prompt="")


def answers(model, rows):
    """Rows of scores by hand: position, edit distance, p_1, and the board that was said."""
    return pd.DataFrame(
        [
            {
                "position_id": position,
                "game": f"game of {position}",
                "ply": 0,
                "model": model,
                "sample": 0,
                "true_state": START,
                "predicted_state": fen,
                "reply_class": "valid",
                "status": "",
                "unscored": "",
                "levenshtein": distance,
                "precision_1": precision,
                "recall_1": precision,
            }
            for position, distance, precision, fen in rows
        ]
    )


@pytest.fixture
def swapped():
    """Nearer is nearer in edits and farther in p_1; few answered one position of three."""
    return pd.concat(
        [
            answers("nearer", [("a", 1, 0.0, WRONG_SIDE), ("b", 1, 0.4, WRONG_SIDE),
                               ("c", 9, 0.5, AFTER_E4)]),
            answers("precise", [("a", 4, 0.9, WITHOUT_A_PAWN), ("b", 4, 0.5, WITHOUT_A_PAWN),
                                ("c", 9, 0.6, AFTER_E4)]),
            answers("few", [("a", 0, 1.0, START)]),
        ],
        ignore_index=True,
    )  # fmt: skip


class TestSummary:
    def test_counts_and_means_are_those_by_hand(self, scores):
        table = model_summary.compute(scores, depth=2).set_index("length")
        assert list(table.index) == ["5", "6", "all"]
        row = table.loc["all"]
        assert (row["count"], row["games"], row["unscored"]) == (6, 5, 1)
        assert (row["valid"], row["ill_formed"], row["unparseable"], row["absent"]) == (3, 1, 1, 1)
        # p_2 of the five rows that are scored: 1, 0, 20/21, 0, 0; one text is right.
        assert row["precision"] == pytest.approx((1 + 20 / 21) / 5)
        assert row["exact_match"] == pytest.approx(0.2)
        assert row["precision_low"] < row["precision"] < row["precision_high"]
        # Without the absent reply the mean distance is lower: its distance is the whole text.
        distances = scores.loc[scores["unscored"] == "", "levenshtein"]
        assert row["levenshtein"] == pytest.approx(distances.mean())
        assert row["levenshtein_found"] == pytest.approx(distances.iloc[:4].mean())

    def test_half_depth_is_that_of_the_mean_curve(self, scores):
        """Both curves are flat: 1, 1 and 20/21, 20/21 of five rows, so p_1 = p_2 < 1/2."""
        row = model_summary.compute(scores, depth=2).iloc[-1]
        mean = (1 + 20 / 21) / 5
        assert row["half_depth"] == pytest.approx(math.log(2) / -math.log(mean))

    def test_a_depth_that_is_not_there_is_refused(self, scores):
        with pytest.raises(InvalidArgumentError, match="precision_3"):
            model_summary.compute(scores, depth=3)

    def test_the_figure_says_what_it_does_not_draw(self, scores):
        table = model_summary.compute(scores, depth=2)
        figure = model_summary.draw(table, "note")
        assert figure.axes[0].get_ylabel() == "mean $p_{2}$ (logarithmic)"
        (label,) = figure.axes[0].get_legend().get_texts()
        assert label.get_text() == "by hand (6)"
        # Group 6 holds two replies without a board: its mean is 0.
        assert "1 mean below 0.0001 is not drawn" in figure._supxlabel.get_text()


class TestRanks:
    def test_models_that_change_places_are_found(self, swapped):
        table = model_ranks.compute(swapped, depth=1, resamples=50)
        most = table[table["ranking"] == model_ranks.MOST_POSITIONS].set_index("model")
        assert set(most.index) == {"nearer", "precise"}
        assert most["distance_rank"].to_dict() == {"nearer": 1.0, "precise": 2.0}
        assert most["precision_rank"].to_dict() == {"nearer": 2.0, "precise": 1.0}
        assert most["moved"].to_dict() == {"nearer": -1.0, "precise": 1.0}
        assert most["distance"].to_dict() == pytest.approx({"nearer": 11 / 3, "precise": 17 / 3})
        # In every game "precise" has the larger p_1: no resample can say otherwise.
        assert most.loc["precise", ["precision_rank_low", "precision_rank_high"]].tolist() == [1, 1]

    def test_all_models_are_ranked_where_all_have_answered(self, swapped):
        table = model_ranks.compute(swapped, depth=1, resamples=50)
        every = table[table["ranking"] == model_ranks.ALL_MODELS].set_index("model")
        assert every["positions"].unique().tolist() == [1]
        assert every["distance_rank"].to_dict() == {"few": 1.0, "nearer": 2.0, "precise": 3.0}
        assert every["precision_rank"].to_dict() == {"few": 1.0, "precise": 2.0, "nearer": 3.0}
        # One game has no other to be drawn in its place.
        assert every["distance_rank_low"].isna().all()

    def test_repeated_answers_count_as_one_position(self, swapped):
        again = swapped[swapped["model"] == "nearer"].assign(sample=1, levenshtein=100)
        table = model_ranks.compute(pd.concat([swapped, again]), depth=1, resamples=10)
        means = table[table["ranking"] == model_ranks.MOST_POSITIONS].set_index("model")["distance"]
        assert means["nearer"] == pytest.approx((11 / 3 + 100) / 2)

    def test_a_single_model_has_no_rank_and_the_figure_says_so(self, swapped):
        table = model_ranks.compute(swapped[swapped["model"] == "few"], depth=1)
        assert table.empty
        (words,) = model_ranks.draw(table).axes[0].texts
        assert words.get_text() == "no two models have answered the same positions"
        assert model_ranks.find_examples(swapped, table, depth=1).empty

    def test_the_figure_has_a_panel_a_ranking(self, swapped):
        figure = model_ranks.draw(model_ranks.compute(swapped, depth=1, resamples=50))
        assert [axes.get_title() for axes in figure.axes] == [
            "2 models (1 with fewer left out): 3 positions of 3 games",
            "3 models: 1 positions of 1 games",
        ]


class TestExamples:
    def test_the_largest_gap_of_the_pair_that_changes_places_is_chosen(self, swapped):
        ranks = model_ranks.compute(swapped, depth=1, resamples=10)
        table = model_ranks.find_examples(swapped, ranks, depth=1)
        assert len(table) == 1
        row = table.iloc[0]
        assert row["position_id"] == "a"
        assert (row["near_model"], row["precise_model"]) == ("nearer", "precise")
        assert (row["near_distance"], row["precise_distance"]) == (1, 4)
        # "a" and "b" are opposed; at "c" the distances are equal.
        assert (row["disagreements"], row["both"], row["swapped"]) == (2, 3, True)

    def test_replies_that_are_no_board_are_no_examples(self, swapped):
        ranks = model_ranks.compute(swapped, depth=1, resamples=10)
        unread = swapped.assign(
            reply_class=swapped["reply_class"].mask(swapped["position_id"] == "a", "unparseable")
        )
        assert model_ranks.find_examples(unread, ranks, depth=1)["position_id"].tolist() == ["b"]

    @pytest.mark.slow
    def test_the_figure_says_which_field_is_wrong(self, swapped):
        ranks = model_ranks.compute(swapped, depth=1, resamples=10)
        figure = model_ranks.draw_examples(
            model_ranks.find_examples(swapped, ranks, depth=1), depth=1
        )
        true, near, precise = figure.axes
        assert true.get_xlabel().startswith("White to move; castling KQkq\n")
        assert near.get_xlabel() == "Black to move (wrong); castling KQkq"
        assert precise.get_title() == "precise\n4 edits, $p_{1}$ = 0.9, $r_{1}$ = 0.9"
        assert (
            model_ranks.draw_examples(model_ranks.find_examples(swapped, ranks.iloc[:0])).axes == []
        )


class TestFlags:
    def test_a_board_counts_once_under_each_of_its_flags(self):
        table = model_summary.compute_flags(
            pd.DataFrame(
                {
                    "model": ["one", "one", "one", "one", "other"],
                    "reply_class": ["ill_formed", "ill_formed", "valid", "absent", "valid"],
                    "status": ["NO_WHITE_KING TOO_MANY_KINGS", "NO_WHITE_KING", "", "", ""],
                }
            )
        )
        counts = table.set_index(["model", "flag"])["count"]
        assert counts["one"].to_dict() == {"ANY": 2, "NO_WHITE_KING": 2, "TOO_MANY_KINGS": 1}
        assert counts["other"].to_dict() == {"ANY": 0, "NO_WHITE_KING": 0, "TOO_MANY_KINGS": 0}
        assert table.loc[table["flag"] == "ANY", "share"].tolist() == [0.5, 0.0]

    def test_the_figure_is_drawn_with_and_without_such_boards(self, scores):
        figure = model_summary.draw_flags(model_summary.compute_flags(scores))
        labels = [label.get_text() for label in figure.axes[0].get_xticklabels()]
        # A king that is gone cannot castle either.
        assert labels == [
            "anything",
            "a castling right without king and rook in place",
            "White has no king",
        ]
        well = model_summary.compute_flags(scores[scores["reply_class"] == "valid"])
        assert well["share"].tolist() == [0.0]
        assert len(model_summary.draw_flags(well).axes[0].get_xticklabels()) == 1


class TestBoardPicture:
    def test_every_piece_is_drawn_and_squares_that_differ_are_marked(self):
        _, (axes,) = new_figure()
        named = environment_named("chess")
        start, after = named.read_state(START), named.read_state(AFTER_E4)
        differing = different_elements(named.elements(start), named.elements(after))
        assert differing == {"e2", "e4", "side_to_move"}
        named.draw(axes, start, differing)
        assert len(axes.texts) == 32
        assert len(axes.patches) == 64
        lines = [line for part in axes.collections for line in part.get_segments()]
        assert {tuple(line.mean(axis=0).astype(int)) for line in lines} == {(4, 1), (4, 3)}

    def test_no_board_is_said_to_be_none(self):
        _, (axes,) = new_figure()
        draw_board(axes, "")
        assert [text.get_text() for text in axes.texts] == ["no board"]
