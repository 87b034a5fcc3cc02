import pandas as pd
import pytest

import workbench
from workbench.errors import InvalidArgumentError
from workbench.studies.language_models.reward_training import (
    BEFORE,
    COLUMNS,
    MEASURES,
    REWARDS,
    bundled,
    compute,
    draw,
    draw_curves,
    draw_examples,
    drawn_rewards,
    reward_examples,
    reward_runs,
)


def runs(values, measure="f_4"):
    """After 10 plies each value; after 20 plies a tenth more; before 0.5 and 0.6."""
    rows = [
        (reward, seed, 150, plies, measure, value + (plies == 20) / 10)
        for reward, of_seeds in values.items()
        for seed, value in enumerate(of_seeds)
        for plies in (10, 20)
    ]
    rows += [(BEFORE, 0, 0, plies, measure, 0.5 + (plies == 20) / 10) for plies in (10, 20)]
    return pd.DataFrame(rows, columns=list(COLUMNS))


def test_the_change_is_against_the_model_before():
    # Changes of 0.1, 0.2 and 0.3: mean 0.2, standard error 0.1 / sqrt(3); t of 2 degrees is 4.3027.
    (row,) = compute(runs({"f_4": [0.6, 0.7, 0.8]})).to_dict("records")
    assert row["mean"] == pytest.approx(0.2)
    assert row["low"] == pytest.approx(0.2 - 4.302653 * 0.1 / 3**0.5)
    assert (row["seeds"], row["reward"], row["measure"]) == (3, "f_4", "f_4")


def test_two_rewards_are_compared_seed_by_seed():
    table = runs({"f_4": [0.6, 0.8], "random": [0.5, 0.7]})
    (row,) = compute(table, against="random").to_dict("records")
    assert row["mean"] == pytest.approx(0.1)
    assert row["low"] == pytest.approx(0.1)
    assert row["high"] == pytest.approx(0.1)


def test_plies_are_chosen():
    table = runs({"f_4": [0.6, 0.6]})
    table.loc[(table["plies"] == 20) & (table["reward"] == "f_4"), "value"] = 0.0
    (row,) = compute(table, [10]).to_dict("records")
    assert row["mean"] == pytest.approx(0.1)
    with pytest.raises(InvalidArgumentError, match="30"):
        compute(table, [30])
    with pytest.raises(InvalidArgumentError, match="random"):
        compute(table, against="random")


def test_the_bundled_table_has_the_model_before_once_and_means_of_ten_steps():
    measures = [
        (reward, seed, step, 10, "f_4", 0.5 + step / 1000)
        for reward in ("f_4", "random")
        for seed in (0, 1)
        for step in (0, 50)
    ]
    rewards = [("f_4", 0, step, 0, "reward", float(step)) for step in range(20)]
    table = bundled(pd.DataFrame([*measures, *rewards], columns=list(COLUMNS)))
    assert len(table[table["reward"] == BEFORE]) == 1
    assert table[table["plies"] == 0]["value"].tolist() == [4.5, 14.5]
    assert table[table["plies"] == 0]["step"].tolist() == [10, 20]
    assert len(table) == 1 + 4 + 2


def test_the_bundled_runs_are_forty_of_five_seeds():
    table = reward_runs()
    boards = table[(table["plies"] > 0) & (table["reward"] != BEFORE)]
    assert set(boards["reward"]) == set(REWARDS)
    assert set(boards["measure"]) == set(MEASURES)
    assert (boards.groupby("reward")["seed"].nunique() == 5).all()
    assert (boards.groupby(["reward", "seed", "measure"])["step"].nunique() == 3).all()
    assert (compute(table)["seeds"] == 5).all()


def test_the_figures_name_what_is_optimised():
    table = reward_runs()
    first = draw(compute(table), "note").subfigs[0].axes[0]
    assert [label.get_text() for label in first.get_yticklabels()][-1] == "random numbers"
    legend = draw_curves(table).subfigs[0].legends[0]
    assert len(legend.get_texts()) == len(REWARDS)


def test_the_examples_are_boards_that_gain_precision_and_lose_recall():
    examples = reward_examples()
    assert len(examples) == 6
    assert (examples["precision_4_after"] > examples["precision_4_before"]).all()
    assert (examples["recall_4_after"] < examples["recall_4_before"]).all()
    row = examples.iloc[0]
    assert workbench.compare(row["true_state"], row["reply_after"]).precision[3] == pytest.approx(
        row["precision_4_after"], abs=1e-6
    )
    assert len(draw_examples(examples).axes) == 6


def test_the_drawn_boards_gain_what_is_rewarded():
    drawn = drawn_rewards(reward_runs())
    assert list(drawn.index) == [name for name in REWARDS if name != "supervised"]
    assert drawn.loc["precision_4", "last"] > drawn.loc["precision_4", "first"]
