"""RunBrowser: what the page gets, what it asks, and the pair that a row opens."""

import numpy as np
import pandas as pd
import pytest

from workbench.errors import InvalidArgumentError, TableError
from workbench.explore.run.run_browser import RunBrowser
from workbench.explore.run.run_columns import (
    filter_choices,
    page_columns,
)
from workbench.explore.run.run_files import Replies, load_run
from workbench.explore.run.run_table import run_table
from workbench.metrics import Metric, metric_registry
from workbench.scoring import ScoringParameters, scores_schema
from workbench.scoring.score_tables import read_scores, score
from workbench.tables.parquet_tables import PREDICTIONS, write_table

HOSTILE = "<img src=x onerror=alert(1)><script>alert(2)</script>"
EVERYTHING = {
    "sort_by": "",
    "descending": False,
    "sets": [],
    "models": [],
    "settings": [],
    "groups": [],
    "classes": [],
    "wrong_fields": [],
    "flags": [],
    "text": "",
    "reply_text": "",
    "distance_range": [None, None],
    "precision_range": [None, None],
    "metric_ranges": {},
    "lasso": [],
    "disagreement": "",
}


@pytest.fixture
def scores(predictions):
    return score(predictions, ScoringParameters(depth=2))


@pytest.fixture
def browser(scores, predictions):
    predictions.loc[1, "reply"] = HOSTILE
    found = RunBrowser(scores, predictions)
    found.sent = []
    found.table.send = lambda content, buffers=None: found.sent.append(content)
    return found


def ask(browser, kind, **message):
    browser.table.answer(browser.table, {"kind": kind, "serial": "s", **message})
    return browser.sent[-1]


def ask_rows(browser):
    browser.sent = []
    browser.table.send = lambda content, buffers=None: browser.sent.append(content)
    return ask(browser, "rows", **browser.table.questions()["rows"])


def decoded(column):
    if column["kind"] == "number":
        return np.frombuffer(column["values"], "<f8")
    codes = np.frombuffer(column["codes"], f"<i{column['width']}")
    return [None if code < 0 else column["levels"][code] for code in codes]


class TestColumns:
    def test_the_page_gets_every_row_of_every_column(self, scores):
        run = run_table(scores)
        page = page_columns(run)
        by_name = {column["name"]: column for column in page["columns"]}
        assert page["count"] == 6
        shown = [column["name"] for column in page["columns"] if column["shown"]]
        assert shown == [
            "position_id", "precision", "recall", "edit_distance", "reply_class", "group",
            "disagreement", "f", "board_accuracy", "remark",
        ]  # fmt: skip
        assert decoded(by_name["position_id"]) == list(scores["position_id"])
        assert decoded(by_name["reply_class"]) == [
            "valid",
            "valid",
            "ill-formed",
            "unreadable",
            "without a FEN",
            "valid",
        ]
        assert decoded(by_name["remark"])[2] == (
            "White has no king; a castling right without king and rook in place"
        )
        assert decoded(by_name["group"]) == ["5", "5", "5", "6", "6", "6"]
        np.testing.assert_array_equal(
            decoded(by_name["precision"]), scores["precision_2"].to_numpy()
        )
        assert by_name["precision"]["label"] == "p_2"
        assert by_name["edit_distance"]["digits"] == 0

    def test_what_the_plot_needs_comes_with_columns_that_do_not_show_it(self, scores):
        page = page_columns(run_table(scores), ["ply"])
        assert [column["name"] for column in page["columns"] if column["shown"]] == ["ply"]
        assert {"edit_distance", "precision", "group"} <= {c["name"] for c in page["columns"]}
        with pytest.raises(InvalidArgumentError, match="'plys'"):
            page_columns(run_table(scores), ["plys"])

    def test_choices_count_every_row(self, scores):
        choices = filter_choices(run_table(scores))
        assert choices["models"] == [["by hand", 6, "by hand"]]
        assert choices["groups"] == [["5", 3, "5"], ["6", 3, "6"]]
        assert choices["classes"] == [
            ["valid", 2, "valid"],
            ["ill_formed", 1, "ill-formed"],
            ["unparseable", 1, "unreadable"],
            ["absent", 1, "without a FEN"],
            ["unscored", 1, "not scored"],
        ]
        assert choices["sets"] == [["none", 6, "none"]]
        assert choices["settings"] == [["default", 6, "default"]]
        # After 1. e4: pieces and side to move. Without a king: pieces. The broken one has 7 ranks.
        assert choices["wrong_fields"] == [
            ["placement", 3, "pieces"],
            ["side_to_move", 1, "side to move"],
        ]
        assert sorted(choices["flags"]) == [
            [
                "BAD_CASTLING_RIGHTS",
                1,
                "a castling right without king and rook in place",
            ],
            ["NO_WHITE_KING", 1, "White has no king"],
        ]

    def test_settings_are_in_the_order_of_their_numbers_in_filters_and_cells(self, scores):
        scores["setting"] = ["thinking=1024", "", "thinking=256", "", "thinking=0", ""]
        ordered = ["default", "thinking=0", "thinking=256", "thinking=1024"]
        run = run_table(scores)
        assert filter_choices(run)["settings"] == [
            [name, rows, name] for name, rows in zip(ordered, (3, 1, 1, 1), strict=True)
        ]
        columns = {column["name"]: column for column in page_columns(run)["columns"]}
        assert columns["setting"]["levels"] == ordered
        assert [columns[name]["shown"] for name in ("set", "setting")] == [False, True]
        assert decoded(columns["setting"])[:2] == ["thinking=1024", "default"]
        assert [
            column["shown"]
            for column in page_columns(run, ["set"])["columns"]
            if column["name"] in ("set", "setting")
        ] == [True, False]


class TestFiles:
    def test_scores_and_replies_are_read_from_parquet(self, scores, predictions, tmp_path):
        parameters = ScoringParameters(depth=2)
        write_table(scores, tmp_path / "s.parquet", scores_schema(parameters))
        write_table(predictions, tmp_path / "p.parquet", PREDICTIONS)
        assert list(read_scores(tmp_path / "s.parquet").columns) == list(scores.columns)
        browser = RunBrowser(str(tmp_path / "s.parquet"), tmp_path / "p.parquet")
        assert browser.pair.layout.display == "none", "no row is chosen"
        browser.open_row(1)
        assert browser.pair.layout.display is None
        assert browser.pair.reply == predictions["reply"][1]

    def test_a_file_that_is_none_is_named(self, tmp_path):
        (tmp_path / "no.parquet").write_text("no")
        for name in ("no.parquet", "missing.parquet"):
            with pytest.raises(TableError, match=name):
                read_scores(tmp_path / name)

    def test_a_prediction_that_stands_twice_is_refused(self, predictions):
        twice = predictions.iloc[[0, 1, 0]]
        with pytest.raises(TableError, match="the first in row 2"):
            Replies(twice)
        with pytest.raises(TableError, match="reply"):
            Replies(predictions.drop(columns="reply"))

    def test_missing_moves_and_replies_are_said_to_be_missing(self, scores, predictions):
        row = scores.iloc[0]
        assert Replies(predictions).find(row)[2] == ""
        assert "without its predictions" in Replies(None).find(row)[2]
        assert "has no such row" in Replies(predictions.iloc[1:]).find(row)[2]
        predictions["reply"] = None
        moves, reply, said = Replies(predictions).find(row)
        assert (moves, reply) == ("1. e4", None)
        assert said == "The predictions table has no reply here."

    def test_the_simulated_run_is_named_so_and_has_all_its_rows(self):
        scores, predictions = load_run(replies="simulated", per_group=2, rates=(0.0, 0.2), depth=1)
        assert len(scores) == len(predictions) == 2 * 5 * 2
        assert scores["model"].str.startswith("simulated").all()
        faultless = scores[scores["model"] == "simulated-tracker rate=0"]
        assert (faultless["precision_1"] == 1).all()

    @pytest.mark.slow
    def test_the_recorded_run_has_the_replies_that_are_chosen(self):
        scores, predictions = load_run(models=["gpt-4o-2024-08-06"])
        assert len(scores) == len(predictions) == 200
        assert set(scores["set"]) == {"world_cup"}
        # From an independent computation.
        assert scores["precision_4"].mean() == pytest.approx(0.379, abs=5e-4)
        scores, _ = load_run(settings=["thinking=0", "thinking=8192"], depth=1)
        assert scores.groupby("setting").size().to_dict() == {
            "thinking=0": 100,
            "thinking=8192": 100,
        }

    def test_replies_are_recorded_or_simulated(self):
        with pytest.raises(InvalidArgumentError, match="'recorded' or 'simulated', got 'real'"):
            load_run(replies="real")
        scores, _ = load_run(replies="simulated", per_group=1, rates=(0.2,), depth=1)
        assert set(scores["model"]) == {"simulated-tracker rate=0.2"}


class TestQuestions:
    def test_rows_are_chosen_sorted_and_counted(self, browser):
        answer = ask(
            browser, "rows", **{**EVERYTHING, "classes": ["valid"], "sort_by": "precision"}
        )
        assert answer["order"] == [1, 0]
        assert answer["classes"]["valid"] == [2, 2]
        assert answer["classes"]["without a FEN"] == [0, 1]
        assert answer["definition"] == ""

    def test_a_question_states_its_definition(self, browser):
        answer = ask(browser, "rows", **{**EVERYTHING, "disagreement": "near_far"})
        assert "25% of the ranking" in answer["definition"]
        assert "p_2 puts farther off" in answer["definition"]
        assert answer["notes"]

    def test_what_fails_is_said(self, browser):
        answer = ask(browser, "rows", **{**EVERYTHING, "distance_range": [5, 2]})
        assert answer["kind"] == "failed"
        assert "5 to 2" in answer["message"]
        assert isinstance(browser.table.last_error, InvalidArgumentError)

    @pytest.mark.parametrize("row", [-1, 6, "0", None])
    def test_a_row_that_is_not_there_is_refused(self, browser, row):
        assert ask(browser, "open", row=row)["kind"] == "failed"
        assert browser.table.opened == {}


class TestOpening:
    def test_a_row_opens_as_a_pair_with_moves_and_reply_as_they_came(self, browser, scores):
        assert ask(browser, "open", row=1)["kind"] == "open"
        pair = browser.pair
        assert (pair.true_fen, pair.predicted_fen) == tuple(
            scores.loc[1, ["true_state", "predicted_state"]]
        )
        assert (pair.depth, pair.terminal, pair.ill_formed) == (2, "absorb", "as_is")
        assert (pair.reply, pair.moves) == (HOSTILE, "1. e4")
        assert browser.table.opened["row"] == 1
        assert ["p_2", f"{scores['precision_2'][1]:.4f}"] in browser.table.opened["facts"]

    def test_the_pair_measures_what_the_table_holds(self, browser, scores):
        browser.open_row(2)
        precision = browser.pair.compare()["profile"]["precision"]
        assert [each["value"] for each in precision] == pytest.approx(
            list(scores.loc[2, ["precision_1", "precision_2"]])
        )

    def test_the_line_of_another_pair_does_not_stay(self, browser):
        browser.open_row(0)
        browser.pair.line = ["e2e4"]
        browser.open_row(2)
        assert browser.pair.line == []

    def test_a_reply_that_is_no_state_opens_as_none(self, browser):
        for row in (3, 4):
            browser.open_row(row)
            assert browser.pair.predicted_fen == ""
        assert ["edit distance", "none"] in browser.table.opened["facts"]

    def test_a_true_board_that_cannot_be_read_opens_as_text_without_a_pair(self, browser, scores):
        browser.open_row(2)
        assert browser.pair.layout.display is None
        assert ask(browser, "open", row=5)["row"] == 5
        opened = browser.table.opened
        assert (opened["row"], opened["true_board"]) == (5, "")
        assert opened["true_fen"] == scores["true_state"][5] == "no board"
        assert opened["true_words"].startswith("The true FEN cannot be read: there is 1 rank")
        assert browser.pair.layout.display == "none"
        browser.open_row(2)
        assert browser.pair.layout.display is None


class TestTraits:
    def test_rows_shown_follow_the_traits(self, browser, scores):
        browser.table.classes = ["valid"]
        browser.table.sort_by = "edit_distance"
        browser.table.descending = True
        assert list(browser.shown["position_id"]) == list(scores["position_id"].iloc[[1, 0]])

    def test_another_depth_changes_columns_and_the_open_pair_takes_it(self, browser, scores):
        browser.table.depth = 1
        by_name = {column["name"]: column for column in browser.table.data["columns"]}
        assert by_name["precision"]["label"] == "p_1"
        np.testing.assert_array_equal(
            decoded(by_name["precision"]), scores["precision_1"].to_numpy()
        )
        browser.open_row(2)
        assert browser.pair.depth == 1

    def test_marks_show_the_models_where_there_are_several(self, browser, scores):
        assert browser.table.mark_by == "group"
        assert RunBrowser(scores.assign(model=list("aabbcc"))).table.mark_by == "model"

    def test_another_distance_is_shown(self, browser, scores):
        browser.table.distance = "levenshtein_placement"
        shown = browser.table.run.rows["edit_distance"].iloc[:4]
        assert shown.tolist() == scores["levenshtein_placement"].iloc[:4].tolist()

    def test_every_metric_of_the_scores_is_an_axis_and_has_a_range(self, browser, scores):
        offered = dict(browser.table.choices["axes"])
        assert list(offered)[:4] == ["edit_distance", "precision", "recall", "f"]
        assert (offered["precision"], offered["recall"], offered["precision_1"]) == (
            "p_2", "r_2", "p_1",
        )  # fmt: skip
        assert {"board_accuracy", "exact_match", "levenshtein_placement"} <= set(offered)
        assert not {"levenshtein", "precision_2", "ply", "disagreement", "model"} & set(offered)
        browser.table.x_axis, browser.table.y_axis = "exact_match", "recall"
        columns = {column["name"]: column for column in browser.table.data["columns"]}
        assert decoded(columns["exact_match"])[:2].tolist() == [1.0, 0.0]
        assert columns["exact_match"]["range"] == [0.0, 1.0]
        browser.table.metric_ranges = {"board_accuracy": [0.99, None], "exact_match": [None, 0.5]}
        expected = (scores["board_accuracy"] >= 0.99) & ~scores["exact_match"].astype(bool)
        assert list(browser.shown.index) == list(scores.index[expected])
        browser.table.show_all()
        assert len(browser.shown) == len(scores)
        with pytest.raises(InvalidArgumentError, match="expected a metric of the scores of"):
            browser.table.x_axis = "model"
        with pytest.raises(InvalidArgumentError, match="'ply'"):
            browser.table.metric_ranges = {"ply": [1, 2]}

    def test_a_metric_of_ones_own_is_an_axis_and_has_a_range(self, scores, monkeypatch):
        class Doubt(Metric):
            name = title = "doubt"
            range = (0.0, float("inf"))
            digits = 2

        known = metric_registry.metrics
        monkeypatch.setattr(
            metric_registry, "metrics", lambda *given: {**known(*given), "doubt": Doubt()}
        )
        browser = RunBrowser(scores.assign(doubt=[0.5, 1.5, 2.5, None, None, 3.5]))
        assert ["doubt", "doubt"] in browser.table.choices["axes"]
        browser.table.y_axis = "doubt"
        (column,) = (each for each in browser.table.data["columns"] if each["name"] == "doubt")
        assert (column["digits"], column["range"], column["shown"]) == (2, [0.0, None], False)
        browser.table.metric_ranges = {"doubt": [1, 3]}
        assert list(browser.shown.index) == [1, 2]
        answer = ask_rows(browser)
        assert "2 rows of the run not shown because of undefined doubt." in answer["notes"]

    @pytest.mark.parametrize(
        ("trait", "value"), [("depth", 3), ("distance_range", [1]), ("precision_range", ["a", 1])]
    )
    def test_values_out_of_range_are_refused(self, browser, trait, value):
        with pytest.raises(InvalidArgumentError):
            setattr(browser.table, trait, value)


@pytest.mark.slow
def test_predictions_of_an_earlier_version_are_upgraded_as_a_frame_too(predictions, scores):
    added = ["environment", "initial_state", "task", "predicted_actions"]
    earlier = predictions.drop(columns=added).rename(
        columns={"true_state": "true_fen", "predicted_state": "predicted_fen"}
    )
    found, present = RunBrowser(scores, earlier), RunBrowser(scores, predictions)
    assert found.open_first()
    assert present.open_first()
    assert found.table.opened == present.table.opened
    pd.testing.assert_frame_equal(score(earlier, ScoringParameters(depth=2)), scores)
    # Of the present version one column alone is missing: nobody knows what it said.
    with pytest.raises(TableError, match=r"\['task'\] are missing"):
        score(predictions.drop(columns="task"), ScoringParameters(depth=2))


def test_the_first_row_shown_is_opened_if_there_is_one(browser):
    browser.table.text = browser.shown["position_id"].iloc[1]
    assert browser.open_first()
    assert browser.table.opened["row"] == browser.shown.index[0]
    opened = dict(browser.table.opened)
    browser.table.text = "no such position"
    assert not browser.open_first()
    assert browser.table.opened == opened
