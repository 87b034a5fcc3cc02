"""A run's rows: what is chosen, in which order, what is counted, and where the measures disagree."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.errors import InvalidArgumentError, TableError
from workbench.explore.run.failure_causes import depths_of
from workbench.explore.run.row_choice import (
    Facets,
    RowChoice,
    choose_rows,
    restricted_numbers,
)
from workbench.explore.run.run_files import Replies
from workbench.explore.run.run_table import (
    ReplyTexts,
    count_classes,
    disagreement,
    run_table,
    undefined_rows,
)
from workbench.scoring import ScoringParameters
from workbench.scoring.score_tables import score

NAN = float("nan")


@pytest.fixture
def scores(predictions):
    """Six rows: right, one ply off, a king short, broken, absent, unreadable truth."""
    return score(predictions, ScoringParameters(depth=2))


@pytest.fixture
def run(scores):
    return run_table(scores)


def chosen(run, **choice):
    return list(choose_rows(run, RowChoice(**choice)))


def test_the_deepest_measures_are_taken_unless_another_depth_is_asked_for(scores):
    assert depths_of(scores) == [1, 2]
    assert run_table(scores).depth == 2
    at_one = run_table(scores, depth=1)
    assert at_one.rows["precision"].equals(scores["precision_1"].rename("precision"))
    with pytest.raises(InvalidArgumentError, match=r"depth among \[1, 2\].*got 3"):
        run_table(scores, depth=3)
    with pytest.raises(InvalidArgumentError, match="'edits'"):
        run_table(scores, distance="edits")


FACET_CHOICES = [
    {},
    {"classes": ["valid"]},
    {"wrong_fields": ["placement"], "classes": ["valid"]},
    {"flags": ["NO_WHITE_KING"]},
    {"precision_range": (0.5, None)},
    {"wrong_fields": ["side_to_move"], "models": ["gpt-test"], "text": "a"},
]


@pytest.mark.parametrize("choice", FACET_CHOICES)
def test_a_facet_counts_what_its_value_alone_would_show(run, choice):
    counts = Facets(run).counts(RowChoice(**choice))
    assert counts.keys() == {
        "sets", "models", "settings", "groups", "classes", "wrong_fields", "flags",
    }  # fmt: skip
    assert counts["classes"]
    assert counts["flags"]
    for trait, values in counts.items():
        for value, count in values.items():
            assert count == len(chosen(run, **{**choice, trait: [value]})), (trait, value)


def test_facets_have_no_counts_where_causes_are_not_computed(run):
    counts = Facets(run).counts(RowChoice(causes=["side to move"]))
    assert all(values == {} for values in counts.values())


def test_replies_are_chosen_by_a_wrong_field_and_by_a_flag(run, scores):
    # After 1. e4: pieces and side; a king short: pieces; seven ranks: pieces. Without a FEN: none.
    assert chosen(run, wrong_fields=["placement"]) == [1, 2, 3]
    assert chosen(run, wrong_fields=["side_to_move"]) == [1]
    assert chosen(run, wrong_fields=["placement", "side_to_move"], classes=["valid"]) == [1]
    assert chosen(run, wrong_fields=["castling"]) == []
    with pytest.raises(InvalidArgumentError, match="correct_turn"):
        chosen(run, wrong_fields=["turn"])
    assert chosen(run, flags=["NO_WHITE_KING"]) == [2]
    assert chosen(run, flags=["NO_BLACK_KING", "BAD_CASTLING_RIGHTS"]) == [2]
    # A flag is a whole word of the column.
    assert chosen(run, flags=["WHITE_KING"]) == []


def test_replies_are_searched_as_plain_text_in_any_case(scores, predictions):
    predictions.loc[[0, 1], "reply"] = ["The BOARD is a.c (stra\u00dfe)", "<b>abc</b>\x00"]
    run = run_table(scores, replies=Replies(predictions).texts(scores))
    for wanted, rows in [
        ("board is", [0]),
        ("a.c", [0]),
        ("STRASSE", [0]),
        ("<B>", [1]),
        ("\x00", [1]),
        ("cannot say", [4]),
        ("no such text", []),
    ]:
        assert chosen(run, reply_text=wanted) == rows
    assert chosen(run, reply_text="a", classes=["valid"]) == [0, 1]


def test_the_fen_stands_for_a_reply_that_is_not_kept(scores, predictions):
    assert chosen(run_table(scores), reply_text="RNBQ1BNR w") == [2]
    predictions["reply"] = None
    run = run_table(scores, replies=Replies(predictions).texts(scores))
    assert not run.replies.kept
    assert chosen(run, reply_text="RNBQ1BNR W") == [2]
    assert chosen(run, reply_text="say") == []


def test_a_long_reply_is_cut_with_its_length_around_what_was_found():
    texts = ReplyTexts(["short", "x" * 600_000 + "Needle" + "y" * 400_000, None], ["", "", ""])
    assert texts.excerpt(0) == {
        "length": 5,
        "skipped": 0,
        "before": "",
        "match": "",
        "after": "short",
    }
    head = texts.excerpt(1)
    assert (head["length"], head["skipped"], head["after"]) == (1_000_006, 0, "x" * 2000)
    found = texts.excerpt(1, "nEEDLE")
    assert (found["skipped"], found["match"]) == (599_500, "Needle")
    assert found["before"] == "x" * 500
    assert found["after"] == "y" * (2000 - 506)
    end = ReplyTexts(["z" * 5000 + "end"], [""]).excerpt(0, "END")
    assert (end["before"], end["match"], end["after"]) == ("z" * 1997, "end", "")
    assert texts.excerpt(2) is None


def test_a_table_that_is_none_of_scores_is_refused(scores):
    with pytest.raises(TableError, match="levenshtein_to_empty"):
        run_table(scores.drop(columns="levenshtein_to_empty"))
    with pytest.raises(InvalidArgumentError, match=r"depth among \[\]"):
        run_table(scores.drop(columns=["precision_1", "precision_2"]))


def test_an_absent_reply_has_no_edit_distance_of_its_own(run, scores):
    assert list(scores["reply_class"].iloc[:5]) == [
        "valid",
        "valid",
        "ill_formed",
        "unparseable",
        "absent",
    ]
    assert scores["levenshtein"].iloc[4] > 0
    assert list(run.rows["edit_distance"].isna()) == [False] * 4 + [True, True]
    assert run.rows["edit_distance"].iloc[2] == 1


def test_choices_restrict_and_nothing_restricts_nothing(run, scores):
    assert chosen(run) == [0, 1, 2, 3, 4, 5]
    assert chosen(run, classes=["valid"]) == [0, 1]
    assert chosen(run, classes=["ill_formed", "unscored"]) == [2, 5]
    assert chosen(run, groups=["6"]) == chosen(run, groups=[6]) == [3, 4, 5]
    assert chosen(run, models=["another"]) == []
    assert chosen(run, settings=["default"], sets=["none"]) == [0, 1, 2, 3, 4, 5]
    apart = run_table(
        scores.assign(
            set=["world_cup", "random_games"] * 3, setting=["thinking=0"] + [""] * 4 + [None]
        )
    )
    assert chosen(apart, sets=["random_games"]) == [1, 3, 5]
    assert chosen(apart, settings=["default"]) == chosen(apart, settings=[""]) == [1, 2, 3, 4]
    assert chosen(apart, settings=["none", "thinking=0"]) == [0, 5]
    assert chosen(run, text="GAME003") == [3]
    assert chosen(run, distance_range=(1, None), classes=["ill_formed"]) == [2]
    assert chosen(run, distance_range=(None, 1)) == [0, 2]
    assert chosen(run, precision_range=(1, 1)) == [0]
    assert chosen(run, precision_range=(0, 0)) == [1, 3, 4]


@pytest.mark.parametrize(
    ("choice", "said"),
    [
        ({"distance_range": (5, 2)}, "5 to 2"),
        ({"precision_range": (0.5,)}, "two ends"),
        ({"disagreement": "far"}, "'far'"),
        ({"classes": ["broken"]}, "'broken'"),
    ],
)
def test_a_choice_out_of_range_is_refused(choice, said):
    with pytest.raises(InvalidArgumentError, match=said):
        RowChoice(**choice)


def test_sorting_keeps_equal_rows_in_order_and_undefined_ones_last(run):
    rising = list(choose_rows(run, RowChoice(), "edit_distance"))
    falling = list(choose_rows(run, RowChoice(), "edit_distance", descending=True))
    assert rising[:2] == [0, 2]
    assert falling[3] == 0
    assert rising[4:] == falling[4:] == [4, 5]
    assert list(choose_rows(run, RowChoice(), "precision"))[:3] == [1, 3, 4]
    by_class = list(choose_rows(run, RowChoice(classes=["valid", "absent"]), "reply_class", True))
    assert by_class == [4, 0, 1]
    with pytest.raises(InvalidArgumentError, match="'distance'"):
        choose_rows(run, RowChoice(), "distance")


@pytest.mark.slow
@given(
    st.lists(st.one_of(st.none(), st.integers(0, 5)), min_size=1, max_size=30),
    st.booleans(),
)
def test_sorting_is_what_sorted_does_with_undefined_values_set_apart(values, descending):
    rows = pd.DataFrame({"value": pd.Series(values, dtype=float)})
    run = run_table_of(rows)
    defined = [place for place, value in enumerate(values) if value is not None]
    undefined = [place for place, value in enumerate(values) if value is None]
    expected = sorted(defined, key=lambda place: values[place], reverse=descending)
    if descending:
        expected = sorted(defined, key=lambda place: -values[place])
    assert list(choose_rows(run, RowChoice(), "value", descending)) == expected + undefined


def run_table_of(rows):
    from workbench.explore.run.run_table import RunTable

    return RunTable(rows, 2, "levenshtein", ReplyTexts([], []))


def test_disagreement_of_a_worked_example():
    # By distance: 1, 2, 9 at places 1, 2, 3; by p: 0.1 is farthest. Row 3 is right by both.
    distance = pd.Series([1.0, 2.0, 9.0, 0.0, NAN])
    precision = pd.Series([0.1, 0.5, 0.9, 1.0, 0.3])
    found = disagreement(distance, precision)
    assert found.iloc[:4].tolist() == pytest.approx([2 / 3, 0.0, -2 / 3, 0.0])
    assert np.isnan(found.iloc[4])


def test_rows_that_tie_share_their_place():
    found = disagreement(pd.Series([3.0, 3.0]), pd.Series([0.2, 0.4]))
    assert found.tolist() == pytest.approx([0.25, -0.25])


pairs = st.lists(
    st.tuples(st.integers(0, 6), st.sampled_from([0.0, 0.25, 0.5, 1.0])), min_size=1, max_size=25
)


@pytest.mark.slow
@given(pairs)
def test_disagreement_sums_to_nothing_and_turns_with_the_measures(rows):
    distance = pd.Series([float(row[0]) for row in rows])
    precision = pd.Series([row[1] for row in rows])
    found = disagreement(distance, precision)
    assert found.sum() == pytest.approx(0, abs=1e-9)
    assert found.abs().max() < 1
    # Only the order counts: any stretched distance gives the same.
    assert disagreement(distance**3, precision).tolist() == pytest.approx(found.tolist())


@pytest.mark.slow
@given(pairs, st.integers(1, 20))
def test_rows_right_by_both_do_not_move_the_others(rows, right):
    distance = pd.Series([float(row[0]) for row in rows])
    precision = pd.Series([row[1] for row in rows])
    more = disagreement(
        pd.concat([distance, pd.Series([0.0] * right)], ignore_index=True),
        pd.concat([precision, pd.Series([1.0] * right)], ignore_index=True),
    )
    assert more.iloc[: len(rows)].tolist() == pytest.approx(
        disagreement(distance, precision).tolist()
    )


def test_the_two_questions_take_the_two_ends(run):
    # Ranked: one ply off (distance d, p 0), a king short (1, high), broken (p 0).
    near_far = chosen(run, disagreement="near_far")
    far_near = chosen(run, disagreement="far_near")
    assert not set(near_far) & set(far_near)
    assert 0 not in near_far + far_near
    found = run.rows["disagreement"]
    assert all(found[near_far] >= 0.25)
    assert all(found[far_near] <= -0.25)


def test_every_row_is_counted_in_its_class(run):
    places = choose_rows(run, RowChoice(classes=["valid", "absent"]))
    counts = count_classes(run, places)
    assert counts == {
        "valid": (2, 2),
        "ill_formed": (0, 1),
        "unparseable": (0, 1),
        "absent": (1, 1),
        "unscored": (0, 1),
    }
    assert sum(every for _, every in counts.values()) == len(run.rows)


def test_rows_that_cannot_take_part_are_named(run):
    every = choose_rows(run, RowChoice())
    said = undefined_rows(run, every, [])
    assert [sentence.split(" shown ")[0] for sentence in said] == ["1 row", "1 row"]
    assert "empty text" in said[0]
    assert "true FEN" in said[1]
    choice = RowChoice(disagreement="near_far")
    (left_out,) = undefined_rows(run, choose_rows(run, choice), restricted_numbers(choice))
    assert left_out == "2 rows of the run not shown because of undefined disagreement."
    assert undefined_rows(run, [0, 1], []) == []


def test_a_failed_call_is_a_class_of_its_own(predictions):
    failed = predictions["reply_class"] == "absent"
    rows = predictions.assign(
        reply_class=predictions["reply_class"].mask(failed, "failed"),
        reason=predictions["reason"].mask(failed, "call failed: 500"),
    )
    run = run_table(score(rows, ScoringParameters(depth=2)))
    every = choose_rows(run, RowChoice())
    counts = count_classes(run, every)
    assert (counts["failed"], counts["absent"], counts["unscored"]) == ((1, 1), (0, 0), (1, 1))
    assert chosen(run, classes=["failed"]) == [4]
    said = undefined_rows(run, every, [])
    assert "1 row shown without a reply: the call failed." in said
    assert not [sentence for sentence in said if "empty text" in sentence]
