"""The models of a run, and two of them compared: the numbers are those of the front door and of reports."""

import numpy as np
import pandas as pd
import pytest

import workbench as wb
from workbench.explore.run.model_rows import compare_two, model_rows, names_of, row_differences
from workbench.explore.run.row_choice import RowChoice, choose_rows
from workbench.explore.run.run_browser import RunBrowser
from workbench.explore.run.run_table import run_table, short_models, short_positions
from workbench.prediction import ReplyClass
from workbench.statistics.paired_tests import paired_comparisons

STATES = (
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1",
    "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2",
    "nonsense",
)


@pytest.fixture(scope="module")
def scores():
    """Three models of 24 positions in 8 games: one has two settings, one lacks positions."""
    generator = np.random.default_rng(7)
    rows = []
    models = (
        ("right", "", 0.8),
        ("thinking", "", 0.5),
        ("thinking", "high", 0.3),
        ("few", "", 0.4),
    )
    for model, setting, share in models:
        for position in range(12 if model == "few" else 24):
            reply = STATES[0] if generator.random() < share else STATES[generator.integers(1, 4)]
            rows.append(
                {
                    "fen": STATES[0], "reply": reply, "model": model, "setting": setting,
                    "position_id": f"p{position}", "game_id": f"game {position // 3}",
                    "group": 5 * (1 + position % 2),
                }
            )  # fmt: skip
    table = wb.score(rows, depth=2)
    failed = table.iloc[[0]].assign(
        position_id="failed", reply_class=str(ReplyClass.FAILED), unscored="the call failed",
        precision_2=np.nan, recall_2=np.nan, f_2=np.nan,
    )  # fmt: skip
    return pd.concat([table, failed], ignore_index=True)


@pytest.fixture(scope="module")
def run(scores):
    return run_table(scores)


def every(run):
    return np.arange(len(run.rows))


class TestModelRows:
    def test_numbers_are_those_of_the_summary(self, scores, run):
        answer = model_rows(run, every(run), every(run))
        rows = {row["name"]: row for row in answer["rows"]}
        assert list(rows) == ["few", "right", "thinking, default", "thinking, high"]
        summary = wb.summary(scores, ["model", "setting"], ["precision_2"])
        for line in summary.to_dict("records"):
            name = line["model"]
            if name == "thinking":
                name += f", {line['setting'] or 'default'}"
            row = rows[name]
            for ours, theirs in (("mean", ""), ("low", "_low"), ("high", "_high")):
                np.testing.assert_equal(row[ours], line[f"precision_2{theirs}"])
            assert row["counts"] == [line[each] for each, _ in answer["classes"]]
            assert (row["replies"], row["failed"]) == (line["replies"], line["failed"])
            assert row["games"] == line["games"]

    def test_a_part_of_the_recorded_replies_is_of_the_games_of_all(self):
        """Their positions name no game: a part alone would take each for a game of its own."""
        replies = wb.recorded_replies(models=["gpt-4o-2024-08-06"]).iloc[::4]
        scores = wb.score(replies, depth=1, jobs=1).drop(columns="game")
        part = run_table(scores)
        (row,) = model_rows(part, every(part), every(part))["rows"]
        summary = wb.summary(scores, metrics=["precision_1"]).iloc[0]
        assert row["games"] == summary["games"] < len(scores) / 2
        np.testing.assert_equal(row["low"], summary["precision_1_low"])

    def test_a_failed_call_is_counted_and_enters_no_number(self, run):
        right = next(
            row for row in model_rows(run, every(run), every(run))["rows"] if row["name"] == "right"
        )
        assert (right["failed"], right["replies"], sum(right["counts"])) == (1, 24, 24)
        own = run.rows[(run.rows["model"] == "right") & (run.rows["unscored"] == "")]
        assert right["readable"] == own["reply_class"].isin(["valid", "ill_formed"]).mean()

    def test_means_by_length(self, scores, run):
        answer = model_rows(run, every(run), every(run))
        assert answer["lengths"] == ["5", "10"]
        by_length = wb.summary(scores, ["model", "group"], ["precision_2"])
        right = by_length[by_length["model"] == "right"]["precision_2"]
        (row,) = (each for each in answer["rows"] if each["name"] == "right")
        np.testing.assert_allclose(row["by_length"], right, rtol=1e-12)

    def test_models_of_different_positions_are_not_alike(self, run):
        assert not model_rows(run, every(run), every(run))["alike"]
        both = choose_rows(run, RowChoice(models=["thinking"]))
        assert model_rows(run, both, both)["alike"]

    def test_rows_without_lengths_have_no_curve(self, scores):
        bare = run_table(scores.assign(group=pd.array([pd.NA] * len(scores), dtype="Int64")))
        answer = model_rows(bare, every(bare), every(bare))
        assert answer["lengths"] == []
        assert all(row["by_length"] == [] for row in answer["rows"])

    def test_no_rows_are_no_models(self, run):
        assert model_rows(run, [], [])["rows"] == []

    def test_a_model_with_failed_calls_alone_has_no_mean(self, scores):
        failed = run_table(scores.iloc[[-1]])
        (row,) = model_rows(failed, [0], [0])["rows"]
        assert (row["failed"], row["replies"]) == (1, 0)
        assert np.isnan([row["mean"], row["low"], row["readable"]]).all()


class TestTwoModels:
    def test_the_difference_is_that_of_reports(self, scores, run):
        compared = compare_two(run, every(run), every(run), "few", "right")
        rows = scores[scores["unscored"] == ""]
        pairs = paired_comparisons(rows, "precision_2", within=(-1, 1))
        pair = pairs[pairs[["model", "other"]].isin(["few", "right"]).all(axis=1)].iloc[0]
        sign = 1 if pair["model"] == "few" else -1
        assert compared["difference"] == pytest.approx(sign * pair["difference"], abs=1e-9)
        ends = sorted(sign * pair[name] for name in ("low", "high"))
        assert [compared["low"], compared["high"]] == pytest.approx(ends, abs=1e-9)
        assert (compared["positions"], compared["games"]) == (pair["positions"], pair["games"])
        better = (pair["better"], pair["worse"])[::sign]
        assert (compared["better"], compared["worse"]) == tuple(better)

    def test_lengths_add_up_to_the_whole(self, run):
        compared = compare_two(run, every(run), every(run), "few", "right")
        lengths = compared["by_length"]
        assert [each["length"] for each in lengths] == ["5", "10"]
        weighted = sum(each["positions"] * each["difference"] for each in lengths)
        assert weighted / compared["positions"] == pytest.approx(compared["difference"])

    def test_a_chosen_length_leaves_the_others_to_choose(self, scores):
        table = RunBrowser(scores).table
        question = {**table.questions()["rows"], "models": ["few", "right"]}
        whole = table._answer_rows(question)["pair"]
        part = table._answer_rows({**question, "groups": ["5"]})["pair"]
        assert part["by_length"] == whole["by_length"]
        assert part["difference"] == pytest.approx(whole["by_length"][0]["difference"])
        assert part["positions"] == 6
        rows = table._answer_models({**table.questions()["models"], "groups": ["5"]})["rows"]
        assert [row["replies"] for row in rows] == [6, 12, 12, 12]
        assert all(len(row["by_length"]) == 2 for row in rows)

    def test_models_without_a_common_position_have_no_difference(self, run):
        rows = run.rows
        apart = rows["model"].eq("few") | ~rows["position_id"].isin(
            rows["position_id"][rows["model"] == "few"]
        )
        compared = compare_two(run, np.flatnonzero(apart), np.flatnonzero(apart), "few", "right")
        assert compared["positions"] == 0
        assert np.isnan(compared["difference"])
        assert compared["by_length"] == []

    def test_rows_are_sorted_by_where_one_beats_the_other(self, scores):
        table = RunBrowser(scores).table
        table.models = ["few", "right"]
        table.sort_by, table.descending = "difference", True
        rows = table.run.rows.iloc[table.places]
        means = rows.pivot_table("precision", "position_id", "model", "mean")
        expected = (means["few"] - means["right"]).reindex(rows["position_id"]).to_numpy()
        common = ~np.isnan(expected)
        assert common.sum() == 24
        assert (np.diff(expected[common]) <= 0).all()
        assert not common[24:].any(), "positions of one model alone come last"
        sent = table._answer_rows({**table.questions()["rows"]})
        np.testing.assert_allclose(sent["pair"]["differences"], expected, atol=1e-4)
        table.models = ["few"]
        assert table._answer_rows({**table.questions()["rows"]})["pair"] is None

    def test_the_difference_is_of_two_models_only(self, run):
        for models in ([], ["few"], ["few", "thinking"]):
            assert row_differences(run, every(run), names_of(run, models)).isna().all()
        names = names_of(run, ["thinking"])
        assert row_differences(run, every(run), names).notna().sum() == 48


class TestNames:
    def test_a_choice_names_a_model_or_one_of_its_settings(self, run):
        settings = ["thinking, default", "thinking, high"]
        assert names_of(run, ["thinking", "few"]) == [*settings, "few"]
        assert names_of(run, ["thinking, high", "thinking", "no such"]) == settings[::-1]
        chosen = run.rows.iloc[choose_rows(run, RowChoice(models=["thinking, high"]))]
        assert set(chosen["setting"]) == {"high"}
        assert len(chosen) == 24

    def test_a_lasso_restricts_the_rows(self, run):
        choice = RowChoice(lasso=[3, 5, 30], models=["right"])
        assert list(choose_rows(run, choice)) == [3, 5]

    def test_releases_are_left_out_where_the_name_stays_the_only_one(self):
        names = [
            "gpt-4.1-2025-04-14", "o3-2025-04-16", "o3-mini-2025-01-31", "gemini-2.0-flash-001",
            "gemini-2.5-flash-preview-04-17, default", "gemini-2.5-flash-preview-04-17, thinking=0",
            "chessgpt-base-v1-q4_k_m.gguf", "gpt-4o-2024-05-13", "gpt-4o-2024-08-06", "mine-7",
        ]  # fmt: skip
        assert list(short_models(names).values()) == [
            "gpt-4.1", "o3", "o3-mini", "gemini-2.0-flash", "gemini-2.5-flash, default",
            "gemini-2.5-flash, thinking=0", "chessgpt-base", *names[7:],
        ]  # fmt: skip

    def test_short_positions_are_parts_of_the_ids_and_differ(self):
        names = ["half1_2-0a1b2c3d", "half1_2-0a9b2c3d", "half2_2-0a1b2c3d"]
        short = short_positions(names)
        assert list(short.values()) == ["1_2-0a1", "1_2-0a9", "2_2-0a1"]
        assert all(part in name for name, part in short.items())
        assert short_positions(["half1-0a1b2c3d"]) == {"half1-0a1b2c3d": "1"}
        own = ["game-1", "half1-0a1b2c3d"]
        assert list(short_positions(own).values()) == own
