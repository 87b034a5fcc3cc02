"""Recorded replies of real models: means known from an independent computation, and what is drawn."""

import pandas as pd
import pytest
from drawn import drawn_texts, faults

from workbench.answers import recorded_replies as module
from workbench.answers.recorded_replies import BASELINE, recorded_replies
from workbench.errors import InvalidArgumentError
from workbench.scoring import ScoringParameters
from workbench.studies.models import next_move, setting_effects
from workbench.studies.models.model_scores import Simulation, compare_models, compare_settings
from workbench.tables.parquet_tables import PREDICTIONS, write_table

FLASH = "gemini-2.5-flash-preview-04-17"
GPT_4O, GPT_4_1 = "gpt-4o-2024-08-06", "gpt-4.1-2025-04-14"
THINKING = {0: 0.694, 256: 0.485, 512: 0.558, 1024: 0.537, 2048: 0.566, 4096: 0.569, 8192: 0.575}
PARAMETERS = ScoringParameters(depth=4)


@pytest.fixture(scope="module")
def tables(tmp_path_factory):
    """A folder of tables; three models with the default setting, and one at seven budgets."""
    folder = tmp_path_factory.mktemp("recorded")
    replies = recorded_replies(settings=())
    three = replies["model"].isin([GPT_4_1, GPT_4O, BASELINE])
    few = replies[three | (replies["setting"] != "")]
    write_table(few, folder / "few.parquet", PREDICTIONS)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "_REPLIES", folder / "few.parquet")
        yield folder


def compared(tables, **options):
    return compare_models(tables, [], Simulation(), PARAMETERS, **options)


class TestComparedModels:
    @pytest.mark.slow
    def test_means_are_those_of_an_independent_computation(self, tables):
        data = compared(tables)
        means = data.scores.groupby("model")["precision_4"].mean().round(3)
        assert means.to_dict() == {GPT_4_1: 0.135, BASELINE: 0.017}

    def test_a_model_with_few_replies_is_left_out_and_named(self, tables):
        data = compared(tables)
        assert "left out: gpt-4o-2024-08-06 (200)" in data.describe()
        assert data.subject == "1 model and the baseline on World Cup games"
        assert data.scores["game"].nunique() == 20
        every = compared(tables, least_replies=1)
        gpt_4o = every.scores[every.scores["model"] == GPT_4O]
        assert round(gpt_4o["precision_4"].mean(), 3) == 0.379
        assert "left out" not in every.describe()

    def test_given_predictions_take_precedence(self, tables):
        path = str(tables / "few.parquet")
        data = compare_models(tables, path, Simulation(), PARAMETERS, replies="simulated")
        assert data.subject == ""
        assert GPT_4O in set(data.scores["model"])

    def test_a_setting_keeps_the_replies_of_a_model_apart(self, tables):
        data = compare_models(tables, str(tables / "few.parquet"), Simulation(), PARAMETERS)
        names = {f"{FLASH}, thinking={budget}" for budget in THINKING}
        assert set(data.scores["model"]) == {GPT_4_1, GPT_4O, BASELINE, *names}
        budget = data.scores[data.scores["model"] == f"{FLASH}, thinking=256"]
        assert set(budget["setting"]) == {"thinking=256"}

    @pytest.mark.parametrize(
        ("options", "words"),
        [({"replies": "real"}, "'recorded' or 'simulated'"), ({"least_replies": 1001}, "1001")],
    )
    def test_what_cannot_be_compared_is_refused(self, tables, options, words):
        with pytest.raises(InvalidArgumentError, match=words):
            compared(tables, **options)


@pytest.fixture(scope="module")
def table(tables):
    data = compare_settings(tables, [], PARAMETERS)
    return setting_effects.compute_budgets(data.scores)


class TestThinking:
    def test_means_are_those_of_an_independent_computation(self, table):
        means = table.set_index("budget")["precision"].round(3)
        assert means.to_dict() == THINKING
        assert set(table["model"]) == {FLASH}

    def test_counts_are_those_of_the_card(self, table):
        """data/REPLIES.md counts the classes of the benchmark's logs."""
        counts = table.set_index("budget")[["valid", "ill_formed", "unparseable", "absent"]]
        assert counts.loc[0].tolist() == [65, 26, 5, 4]
        assert counts.loc[8192].tolist() == [31, 45, 20, 4]
        assert (table["ill_formed_share"] * 100).tolist() == pytest.approx(table["ill_formed"])

    def test_differences_are_paired_with_the_smallest_budget(self, table):
        assert table["pairs"].tolist() == [0, *[100] * 6]
        first, last = table.iloc[0], table.iloc[-1]
        for name in setting_effects.MEASURES:
            assert last[f"{name}_difference"] == pytest.approx(last[name] - first[name])
            assert last[f"{name}_difference_low"] < last[f"{name}_difference_high"]
        gained = last["only_here"] - last["only_reference"]
        assert gained / 100 == pytest.approx(last["exact_match"] - first["exact_match"])

    def test_the_figure_can_be_read_and_says_what_differs(self, table):
        figure = setting_effects.draw_budgets(table, "note")
        assert faults(figure) == []
        said = "\n".join(text.get_text() for text in drawn_texts(figure)).replace("\n", " ")
        assert f"{FLASH}: the same 100 positions at every budget" in said
        lower = "exact match is lower at 256, 512, 1024, 2048, 4096, 8192"
        assert lower in setting_effects.verdict(table)
        # What was found belongs into the text of the notebook.
        assert lower not in said

    def test_replies_without_the_setting_are_refused(self, tables):
        with pytest.raises(InvalidArgumentError, match="temperature=VALUE"):
            compare_settings(tables, [], PARAMETERS, name="temperature")
        rows = compare_settings(tables, [], PARAMETERS).scores
        with pytest.raises(InvalidArgumentError, match="repeated"):
            setting_effects.compute_budgets(pd.concat([rows, rows]))


def replies_of(model, values, **changes):
    """Rows of scores by hand: p_1 of two games at each length; p_2 is its square."""
    rows = [
        {
            "model": model, "group": length, "game": f"{length}-{game}", "unscored": "",
            "reply_class": "valid", "precision_1": value, "precision_2": value**2, **changes,
        }
        for length, value in values.items()
        for game in range(2)
    ]  # fmt: skip
    return pd.DataFrame(rows)


class TestNextMove:
    def test_the_verdict_is_on_the_worst_length(self):
        scores = pd.concat(
            [
                replies_of("near", {10: 1.0, 20: 0.9}),
                replies_of("far", {10: 1.0, 20: 0.8}),
                replies_of("unclear", {10: 1.0}).assign(precision_1=[0.8, 1.0]),
                replies_of(BASELINE, {10: 0.1}),
            ]
        )
        table = next_move.compute(scores, depth=2)
        said = table.groupby("model")["verdict"].first().to_dict()
        assert said == {
            "near": "near one",
            "far": "not near one",
            "unclear": "undecided",
            BASELINE: "not near one",
        }
        row = table[(table["model"] == "far") & (table["length"] == 20)].iloc[0]
        assert (row["count"], row["games"]) == (2, 2)
        assert (row["next"], row["line"]) == pytest.approx((0.8, 0.64))
        words = next_move.verdict(table)
        assert "1 of 3 models (near; at its worst length 0.900)" in words
        assert "undecided: unclear (0.900); not near one: 1, at their worst lengths 0.800" in words

    def test_replies_without_a_board_count_nothing_or_are_left_out(self):
        half = replies_of("m", {10: 1.0}, reply_class="absent").assign(precision_1=0.0)
        scores = pd.concat([replies_of("m", {10: 1.0}), half])
        row = next_move.compute(scores, depth=2).iloc[0]
        assert (row["next"], row["next_of_boards"]) == (0.5, 1.0)
        assert (row["count"], row["boards"]) == (4, 2)
        assert (row["verdict"], row["verdict_of_boards"]) == ("not near one", "near one")

    @pytest.mark.parametrize("options", [{"depth": 3}, {"depth": 2, "near": 1.0}])
    def test_what_cannot_be_compared_is_refused(self, options):
        with pytest.raises(InvalidArgumentError, match="precision_1"):
            next_move.compute(replies_of("m", {10: 1.0}), **options)

    @pytest.mark.slow
    def test_the_figure_of_many_models_can_be_read(self):
        """Longer names than any recorded one, and a model with one length, drawn last."""
        names = [f"organisation/a-long-name-of-a-model-{number}" for number in range(8)]
        scores = [replies_of(name, {10: 1.0, 20: 0.5, 50: 0.3}) for name in names]
        scores.append(replies_of("short", {10: 1.0}))
        table = next_move.compute(pd.concat(scores), depth=2)
        figure = next_move.draw(table, "note", "nine models")
        assert faults(figure) == []
        assert [axes.get_title() for axes in figure.axes if axes.axison][-1].startswith("short\n")
        assert "near one? nine models" in figure._suptitle.get_text()
