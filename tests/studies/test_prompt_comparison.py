"""Prompts paired by position, and answers to the same question, against values by hand."""

import math

import numpy as np
import pandas as pd
import pytest
from scipy.stats import t as student

from workbench.errors import InvalidArgumentError
from workbench.statistics.paired_tests import holm, mcnemar
from workbench.studies.models import answer_spread, setting_effects


def answers(prompt, values, sample=0, model="a model"):
    """Rows of scores by hand: p_1 by position; a value of 1 is an exact match."""
    return pd.DataFrame(
        [
            {
                "position_id": position,
                "game": f"game of {position}",
                "model": model,
                "prompt": prompt,
                "sample": sample,
                "predicted_state": f"said {value}",
                "exact_match": value == 1,
                "precision_1": value,
                "unscored": "",
                "reply_class": "valid",
            }
            for position, value in values.items()
        ]
    )


class TestTests:
    def test_mcnemar_is_the_binomial_test_of_the_discordant(self):
        assert mcnemar(10, 0) == pytest.approx(2 / 2**10)
        assert mcnemar(3, 5) == mcnemar(5, 3) == pytest.approx(2 * 93 / 256)
        assert mcnemar(4, 4) == 1.0
        assert math.isnan(mcnemar(0, 0))

    def test_holm_steps_down(self):
        assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
        adjusted = holm([math.nan, 0.6, 0.7])
        assert math.isnan(adjusted[0])
        assert adjusted[1:] == [1.0, 1.0]


class TestComparison:
    def test_pairs_are_counted_on_the_positions_that_both_answered(self):
        scores = pd.concat(
            [
                answers("direct", {"a": 1, "b": 0.5, "c": 0.2, "d": 0.3}),
                answers("drawn", {"a": 0.4, "b": 1, "c": 1, "e": 1}),
            ]
        )
        table = setting_effects.compute_prompts(scores, depth=1)
        reference, drawn = (row for _, row in table.iterrows())
        assert (reference["prompt"], reference["pairs"]) == ("direct", 0)
        assert math.isnan(reference["difference"])
        assert (drawn["positions"], drawn["pairs"]) == (4, 3)
        assert (drawn["only_here"], drawn["only_reference"]) == (2, 1)
        assert drawn["mcnemar"] == drawn["holm"] == 1.0
        assert drawn["difference"] == pytest.approx((-0.6 + 0.5 + 0.8) / 3)
        assert drawn["exact_match"] == pytest.approx(0.75)
        assert reference["precision"] == pytest.approx(0.5)

    def test_pairing_finds_a_small_difference_that_the_spread_would_hide(self):
        easy = np.random.default_rng(0).random(200) * 0.9
        scores = pd.concat(
            [
                answers("one", {f"p{i}": value for i, value in enumerate(easy)}),
                answers(
                    "other",
                    {f"p{i}": value + 0.01 + 0.005 * (-1) ** i for i, value in enumerate(easy)},
                ),
            ]
        )
        row = setting_effects.compute_prompts(scores, depth=1).iloc[1]
        # Half of the differences are 0.015, half 0.005.
        half = student.ppf(0.975, 199) * 0.005 / math.sqrt(199)
        assert row["difference_low"] == pytest.approx(0.01 - half, abs=1e-6)
        assert row["difference_high"] == pytest.approx(0.01 + half, abs=1e-6)
        assert row["precision_high"] - row["precision_low"] > 0.05
        assert math.isnan(row["mcnemar"])

    def test_the_first_answer_is_tested_and_the_mean_compared(self):
        scores = pd.concat(
            [
                answers("one", {"a": 0.0}),
                answers("other", {"a": 0.5}, sample=1),
                answers("other", {"a": 1.0}, sample=0),
            ]
        )
        row = setting_effects.compute_prompts(scores, depth=1).iloc[1]
        assert (row["only_here"], row["answers"]) == (1, 2)
        assert row["difference"] == pytest.approx(0.75)

    def test_a_reference_is_chosen_and_each_model_compared_by_itself(self):
        scores = pd.concat(
            [
                answers(prompt, {"a": value}, model=model)
                for model in ("x", "y")
                for prompt, value in (("one", 0.1), ("other", 0.4))
            ]
        )
        table = setting_effects.compute_prompts(scores, depth=1, reference="other")
        assert table["model"].tolist() == ["x", "x", "y", "y"]
        assert table["prompt"].tolist() == ["other", "one", "other", "one"]
        assert table["difference"].tolist()[1::2] == pytest.approx([-0.3, -0.3])

    def test_the_title_says_what_is_compared(self):
        scores = pd.concat([answers("one", {"a": 1}), answers("other", {"a": 0.5})])
        table = setting_effects.compute_prompts(scores, depth=1)
        spread = answer_spread.compute(scores.assign(prompt="one"), depth=1)
        for figure, words in (
            (
                setting_effects.draw_prompts(table),
                "a model: the same positions under several prompts",
            ),
            (
                setting_effects.draw_prompts(table, subject="trackers"),
                "trackers: the same positions under",
            ),
            (answer_spread.draw(spread), "a model: the same question asked again"),
            (answer_spread.draw(spread, subject="trackers"), "trackers: the same question"),
        ):
            assert figure._suptitle.get_text().startswith(words)

    def test_a_model_without_the_reference_has_no_pairs(self):
        scores = pd.concat(
            [answers("one", {"a": 1}, model="x"), answers("other", {"a": 1}, model="y")]
        )
        table = setting_effects.compute_prompts(scores, depth=1)
        assert table["pairs"].tolist() == [0, 0]
        figure = setting_effects.draw_prompts(table)
        words = [text.get_text() for text in figure.axes[2].texts]
        assert words == ["reference", "no pairs"]

    def test_an_unknown_reference_is_refused(self):
        with pytest.raises(InvalidArgumentError, match="'none such'"):
            setting_effects.compute_prompts(
                answers("one", {"a": 1}), depth=1, reference="none such"
            )

    def test_the_figure_names_prompts_and_test(self):
        scores = pd.concat([answers("one", {"a": 0, "b": 0}), answers("other", {"a": 1, "b": 0.5})])
        figure = setting_effects.draw_prompts(setting_effects.compute_prompts(scores, depth=1))
        labels = [label.get_text() for label in figure.axes[0].get_yticklabels()]
        assert labels == ["one", "other"]
        assert figure.axes[2].texts[1].get_text() == "1 : 0 of 2, p = 1"


class TestSpread:
    @pytest.fixture
    def scores(self):
        """Position a: 0 and 1; position b: 1 and 1; position c: asked once."""
        return pd.concat(
            [
                answers("one", {"a": 0, "b": 1, "c": 0.5}),
                answers("one", {"a": 1, "b": 1}, sample=1),
            ]
        )

    def test_the_answers_to_a_position_are_described(self, scores):
        table = answer_spread.compute(scores, depth=1).set_index("position_id")
        assert table["answers"].to_dict() == {"a": 2, "b": 2, "c": 1}
        assert table["different"].to_dict() == {"a": 2, "b": 1, "c": 1}
        assert table["right"].to_dict() == {"a": 1, "b": 2, "c": 0}
        assert table.loc["a", ["least", "most", "mean", "variance"]].tolist() == [0, 1, 0.5, 0.5]
        assert math.isnan(table.loc["c", "variance"])

    def test_the_spread_is_split_within_and_between(self, scores):
        """Mean variance 1/4; of the means' variance 1/8 all is the answers' own, 1/4 / 2."""
        row = answer_spread.summarise(answer_spread.compute(scores, depth=1)).iloc[0]
        assert (row["positions"], row["repeated"], row["same"]) == (3, 2, 0.5)
        assert (row["always"], row["sometimes"], row["never"]) == (0.5, 0.5, 0.0)
        assert row["within"] == pytest.approx(0.5)
        assert row["between"] == pytest.approx(0.0)
        assert row["share_within"] == pytest.approx(1.0)

    def test_the_parts_are_those_that_the_answers_were_drawn_with(self):
        """Means with deviation 0.2, answers about them with 0.1; 1,500 positions of 4 answers."""
        generator = np.random.default_rng(2)
        means = generator.normal(0.5, 0.2, size=1500)
        scores = pd.concat(
            [
                answers("one", dict(enumerate(means + generator.normal(0, 0.1, 1500))), sample)
                for sample in range(4)
            ]
        )
        row = answer_spread.summarise(answer_spread.compute(scores, depth=1)).iloc[0]
        assert row["within"] == pytest.approx(0.1, rel=0.06)
        assert row["between"] == pytest.approx(0.2, rel=0.08)
        assert row["share_within"] == pytest.approx(0.2, rel=0.15)

    def test_nothing_asked_twice_is_said_and_undefined(self):
        table = answer_spread.compute(answers("one", {"a": 1, "b": 0}), depth=1)
        row = answer_spread.summarise(table).iloc[0]
        assert row["repeated"] == 0
        assert math.isnan(row["within"])
        assert math.isnan(row["same"])
        (words,) = answer_spread.draw(table).axes[0].texts
        assert words.get_text() == "each position was asked once"

    def test_panels_that_are_too_many_are_counted(self, scores):
        many = pd.concat([scores.assign(prompt=f"prompt {index}") for index in range(7)])
        figure = answer_spread.draw(answer_spread.compute(many, depth=1))
        assert len(figure.axes) == 6
        assert "1 panels not drawn" in figure._supxlabel.get_text()
        with pytest.raises(InvalidArgumentError, match="precision_2"):
            answer_spread.compute(scores, depth=2)
