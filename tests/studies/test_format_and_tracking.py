"""Format apart from tracking: a table worked by hand, an audit's counts of recorded replies, and the drawings."""

import math

import chess
import pandas as pd
import pytest
from drawn import faults
from prediction_rows import prediction_row

from workbench.answers.recorded_replies import recorded_replies
from workbench.errors import InvalidArgumentError
from workbench.scoring import ScoringParameters, score_predictions
from workbench.studies.models import format_and_tracking
from workbench.tables.parquet_tables import PREDICTIONS

START = chess.STARTING_FEN
LOWER = START.replace("PPPPPPPP", "pppppppp").replace("RNBQKBNR", "rnbqkbnr")
O4_MINI, O3_MINI = "o4-mini-2025-04-16", "o3-mini-2025-01-31"


def predictions(replies):
    """A predictions table: one reply to each of as many positions, of two lengths."""
    rows = [
        prediction_row(index, START, reply, group=10 + 10 * (index % 2))
        for index, reply in enumerate(replies)
    ]
    return pd.DataFrame(rows).reindex(columns=PREDICTIONS.names)


def scored(replies, depth=2, **options):
    scores = score_predictions(predictions(replies), ScoringParameters(depth=depth, **options))
    return scores.assign(game=scores["game_id"])


@pytest.fixture(scope="module")
def thirds():
    """Sixty replies: a third right, a third in lower case, a third unreadable."""
    return scored([START, LOWER, "I lost track."] * 20)


def test_a_third_unreadable_and_a_third_in_lower_case(thirds):
    table = format_and_tracking.compute(thirds, depth=2)
    assert table["length"].tolist() == ["10", "20", "all"]
    row = table.iloc[-1]
    assert (row["replies"], row["readable_replies"], row["valid_replies"]) == (60, 40, 20)
    assert row["case_replies"] == 20
    # Boards all in lower case have no white piece: White, to move, has no move there.
    assert row["mean"] == pytest.approx(1 / 3)
    assert row["mean_readable"] == pytest.approx(1 / 2)
    assert row["mean_valid"] == 1
    assert row["mean_in_true_case"] == pytest.approx(2 / 3)
    assert row["right"] == pytest.approx(1 / 3)
    assert row["right_ignoring_case"] == pytest.approx(2 / 3)
    assert row["right_without_clocks"] == pytest.approx(1 / 3)
    assert row["readable"] == pytest.approx(2 / 3)


def test_the_sentence_names_format_and_not_tracking(thirds):
    row = format_and_tracking.compute(thirds, depth=2).iloc[-1]
    words = format_and_tracking.format_words(row)
    assert words == (
        "40 of 60 replies can be read; over these mean p_2 is 0.500; 20 differ from the true FEN in "
        "the letter case of pieces alone: with these in the right case mean p_2 over all replies is "
        "0.667"
    )
    nothing = format_and_tracking.compute(scored(["No idea."] * 3), depth=2).iloc[-1]
    assert math.isnan(nothing["mean_readable"])
    assert format_and_tracking.format_words(nothing).startswith("none of 3 replies can be read")


def test_the_policy_holds_for_boards_in_the_right_case():
    """A board whose case is mended, but which still cannot arise, stays the sink under that policy."""
    bare = LOWER.replace(" w KQkq", " b KQkq").replace("RNBQ", "rnbq")
    replies = [LOWER, bare]
    for policy, mended in (("as_is", [1.0, 1.0]), ("sink", [1.0, 1.0])):
        rows = scored(replies, ill_formed=policy)
        values = format_and_tracking._with_case(rows, 1)["in_true_case"]
        # With the other side to move no line is shared, but the board can arise.
        assert values.tolist() == pytest.approx([mended[0], 0.0])
    assert scored([LOWER], ill_formed="sink")["precision_1"].tolist() == [0.0]


def test_replies_that_are_no_states_have_no_letter_case():
    rows = scored([START, "nothing"]).drop(
        columns=["exact_match_placement", "exact_match_position"]
    )
    rows = rows.assign(exact_match=float("nan"), predicted_state=None)
    row = format_and_tracking.compute(rows, depth=2).iloc[-1]
    assert row["case_replies"] == 0
    assert math.isnan(row["right"])
    assert row["mean"] == pytest.approx(1 / 2)


def test_a_depth_that_was_not_scored_is_refused(thirds):
    with pytest.raises(InvalidArgumentError, match="precision_9"):
        format_and_tracking.compute(thirds, depth=9)


@pytest.fixture(scope="module")
def recorded():
    replies = recorded_replies(models=[O4_MINI, O3_MINI])
    scores = score_predictions(replies.reindex(columns=PREDICTIONS.names), ScoringParameters())
    # The games are not looked at here: only means and counts are.
    return format_and_tracking.compute(scores.assign(game=scores["position_id"]))


def test_the_counts_of_an_independent_audit(recorded):
    """Of o4-mini's boards most are right ignoring letter case; its valid boards get worse."""
    rows = recorded[recorded["model"] == O4_MINI].set_index("length")
    by_length = rows.drop(index="all")
    assert by_length["right_ignoring_case"].tolist() == [0.9, 0.865, 0.82, 0.875, 0.935]
    assert by_length["mean_valid"].round(3).tolist() == [0.967, 0.964, 0.97, 0.92, 0.909]
    assert round(rows.loc["all", "mean"], 3) == 0.386


def test_the_mean_is_the_product_of_its_parts(recorded):
    products = recorded["readable"] * recorded["mean_readable"]
    assert products.tolist() == pytest.approx(recorded["mean"].tolist(), abs=1e-12)
    assert (recorded["mean_in_true_case"] >= recorded["mean"]).all()


@pytest.mark.parametrize("draw", [format_and_tracking.draw, format_and_tracking.draw_overall])
def test_nothing_is_cut_off_or_hidden(recorded, thirds, draw):
    one = format_and_tracking.compute(thirds, depth=2)
    no_length = format_and_tracking.compute(thirds.assign(group=0), depth=2)
    of_one = recorded[recorded["model"] == O4_MINI]
    many = pd.concat([of_one.assign(model=f"a model named {name}") for name in range(16)])
    for table in (recorded, one, no_length, many):
        assert faults(draw(table, "note", "subject")) == []
