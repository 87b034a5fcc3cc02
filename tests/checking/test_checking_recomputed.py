"""Scores that are wrong are found by computing them again: text metrics, p and r, boards."""

import pytest
from click.testing import CliRunner

from workbench.answers.model_replies import simulate
from workbench.checking import check_table
from workbench.checking.recomputation import SAMPLE_ROWS
from workbench.cli import main
from workbench.games.cut import cut_games
from workbench.games.synthetic_boards import random_games
from workbench.scoring import ScoringParameters, scores_schema
from workbench.scoring.score_tables import score_file
from workbench.tables.parquet_tables import (
    POSITIONS,
    PREDICTIONS,
    read_provenance,
    read_table,
    write_table,
)

THREE = ScoringParameters(depth=3)


@pytest.fixture(scope="module")
def predictions():
    games = list(random_games(40, 20, 5))
    positions = cut_games(games, groups=(2, 6), per_group=15, seed=0).positions
    return simulate(positions, rate=0.1, seed=1)


@pytest.fixture(scope="module")
def scores_path(predictions, tmp_path_factory):
    folder = tmp_path_factory.mktemp("scores")
    source, out = folder / "predictions.parquet", folder / "scores.parquet"
    write_table(predictions, source, PREDICTIONS, {"stage": "by hand"})
    score_file(source, out, THREE)
    return out


@pytest.fixture
def altered(scores_path, tmp_path):
    """Check a copy of the scores after a change."""

    def checking(change, **options):
        frame = read_table(scores_path, scores_schema(THREE))
        changed = change(frame)
        path = tmp_path / "scores.parquet"
        write_table(
            frame if changed is None else changed,
            path,
            scores_schema(THREE),
            read_provenance(scores_path),
        )
        return check_table(path, **options)

    return checking


def counts(report):
    return {oddity.what: oddity.count for oddity in report.oddities}


def test_right_scores_are_sound_and_the_report_says_what_was_computed(scores_path):
    report = check_table(scores_path, sample=7)
    assert report.sound
    assert report.facts["computed again"] == {
        "text metrics": 30, "p and r, m = 2": 30, "p and r, m = 3": 7,
    }  # fmt: skip
    assert check_table(scores_path, sample=None).facts["computed again"]["p and r, m = 3"] == 30


def test_inverted_exact_matches(altered):
    def invert(frame):
        frame["exact_match"] = ~frame["exact_match"].astype(bool)

    assert counts(altered(invert)) == {"exact_match does not match its FENs": 30}


@pytest.mark.parametrize("column", ["levenshtein", "levenshtein_position", "levenshtein_placement"])
def test_a_wrong_distance(altered, column):
    def add_one(frame):
        frame.loc[3, column] += 1

    assert counts(altered(add_one)) == {f"{column} does not match its FENs": 1}


def test_a_wrong_number_of_wrong_squares(altered):
    def add_one(frame):
        frame.loc[3, "wrong_squares"] += 1

    assert counts(altered(add_one)) == {"wrong_squares contradicts board_accuracy": 1}


def test_swapped_precision_and_recall_are_found_without_a_sample(altered):
    differing = []

    def swap(frame):
        for depth in (1, 2, 3):
            names = [f"precision_{depth}", f"recall_{depth}"]
            differing.append(int((frame[names[0]] - frame[names[1]]).abs().gt(1e-9).sum()))
            frame[names] = frame[names[::-1]].to_numpy()

    found = counts(altered(swap, sample=0))
    assert differing[0] > 0
    assert found["precision_1 does not match its boards"] == differing[0]
    assert found["recall_2 does not match its boards"] == differing[1]


def test_one_wrong_p(altered):
    def lower(depth):
        def change(frame):
            frame.loc[frame["precision_3"].gt(0).idxmax(), f"precision_{depth}"] *= 0.999

        return change

    assert "precision_2 does not match its boards" in counts(altered(lower(2), sample=0))
    found = counts(altered(lower(3), sample=None))
    assert found["precision_3 does not match its boards"] == 1


def test_the_sample_is_the_seed_s(altered):
    def lower(frame):
        frame["precision_3"] *= 0.999

    def rows(seed):
        report = altered(lower, sample=4, seed=seed)
        return [o.examples for o in report.oddities if o.what.endswith("match its boards")]

    assert rows(1) == rows(1)
    assert rows(1) != rows(2)


def test_the_same_boards_have_p_1_and_r_1(altered):
    def lower(frame):
        frame.loc[frame["exact_match"].astype(bool).idxmax(), "recall_3"] = 0.5

    assert counts(altered(lower, sample=0)) == {
        "recall_3 is not 1 though the boards are the same": 1,
        "f_3 does not follow from its columns": 1,
        "recall_mean does not follow from its columns": 1,
        "f_mean does not follow from its columns": 1,
    }


def test_an_estimate_is_drawn_again_from_its_seed(predictions, tmp_path):
    source, out = tmp_path / "predictions.parquet", tmp_path / "scores.parquet"
    parameters = ScoringParameters(depth=2, method="branch", samples=20, batches=4, seed=9)
    write_table(predictions, source, PREDICTIONS, {"stage": "by hand"})
    score_file(source, out, parameters)
    assert check_table(out).sound
    frame = read_table(out, scores_schema(parameters))
    place = frame["precision_2"].between(0.01, 0.99).idxmax()
    frame.loc[place, "precision_2"] -= 0.001
    write_table(frame, out, scores_schema(parameters), read_provenance(out))
    assert counts(check_table(out)) == {
        "precision_2 does not match its boards": 1,
        "f_2 does not follow from its columns": 1,
        "f_2_standard_error does not follow from its columns": 1,
    }


def test_many_boards_under_one_id(predictions, tmp_path):
    rows = predictions.copy()
    rows["position_id"], rows["sample"] = "one", range(len(rows))
    path = tmp_path / "predictions.parquet"
    write_table(rows, path, PREDICTIONS, {"stage": "by hand"})
    (found,) = check_table(path).oddities
    assert found.what == "1 position_id have several true boards"
    assert found.examples[0].startswith("one: 'r")


def test_a_group_that_does_not_fit_the_ply(predictions, tmp_path):
    path = tmp_path / "positions.parquet"
    positions = predictions[POSITIONS.names].copy()
    positions.loc[0, "group"] = 40
    positions.loc[1, "group"] = 1
    write_table(positions, path, POSITIONS, {"stage": "by hand"})
    assert counts(check_table(path)) == {"ply lies outside the group": 2}


def test_a_failed_call_has_no_reply(predictions, tmp_path):
    path = tmp_path / "predictions.parquet"
    rows = predictions.copy()
    gone = {"predicted_state": None, "reply_class": "failed", "reason": "call failed: 500"}
    for place in (0, 1):
        rows.loc[place, list(gone)] = list(gone.values())
    rows.loc[0, "reply"] = None
    write_table(rows, path, PREDICTIONS, {"stage": "by hand"})
    assert counts(check_table(path)) == {"reply_class is failed though there is a reply": 1}


def test_the_command_s_sample(scores_path):
    result = CliRunner().invoke(main, ["check", str(scores_path), "--all"])
    assert result.exit_code == 0, result.output
    assert "computed again: text metrics 30, p and r, m = 2 30, p and r, m = 3 30" in result.stdout
    assert f"[default: {SAMPLE_ROWS}]" in CliRunner().invoke(main, ["check", "--help"]).output
