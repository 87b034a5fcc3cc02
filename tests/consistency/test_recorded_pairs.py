"""The pairs in recorded replies, and consistency beside truth by model."""

import numpy as np
import pandas as pd
import pytest

from workbench.answers.model_replies import simulate
from workbench.answers.recorded_replies import recorded_replies
from workbench.consistency.calibration import between_models, with_controls, within_models
from workbench.consistency.recorded import by_model, recorded_pairs
from workbench.environments.registry import environment_named
from workbench.errors import TableError
from workbench.scoring import ScoringParameters


@pytest.fixture(scope="module")
def pairs():
    """Of two models, the pairs of the World Cup set at a small depth."""
    names = ["o3-2025-04-16", "gpt-4.1-2025-04-14", "starting_board"]
    table = recorded_pairs(recorded_replies(models=names), parameters=ScoringParameters(1))
    return with_controls(environment_named("chess"), table)


@pytest.mark.slow
def test_the_recorded_pairs_are_those_a_half_move_apart(pairs):
    in_time = pairs[pairs["relation"] == "next_action"]
    assert in_time.groupby("model").size().tolist() == [969] * 3
    # The same positions from several games are one question asked again.
    assert (pairs["relation"] == "repeat").sum() == 3 * 14
    assert in_time["game_id"].nunique() == 18
    one, other = (in_time[f"{side}_actions"].str.split().str.len() for side in ("first", "second"))
    assert (one + 1 == other).all()


@pytest.mark.slow
def test_an_answer_that_never_changes_is_consistent_only_with_itself(pairs):
    table = by_model(pairs).set_index(["relation", "model"])
    assert table.loc[("next_action", "starting_board"), "consistency"] == pytest.approx(
        0, abs=0.001
    )
    assert table.loc[("repeat", "starting_board"), "consistency"] == 1
    assert table.loc[("repeat", "starting_board"), "truth"] < 0.5


@pytest.mark.slow
def test_models_are_ranked_as_by_truth(pairs):
    table = by_model(pairs)
    in_time = table[table["relation"] == "next_action"]
    assert in_time["model"].tolist() == ["o3-2025-04-16", "gpt-4.1-2025-04-14", "starting_board"]
    assert in_time["truth"].is_monotonic_decreasing
    ranks = between_models(pairs, resamples=50).set_index(["relation", "measure"])
    assert ranks.loc[("next_action", "consistency"), "rho"] == pytest.approx(1)
    assert ranks.loc[("next_action", "consistency"), ["models", "games"]].tolist() == [3, 18]
    within = within_models(pairs).set_index(["relation", "model"])["rho"]
    assert within["next_action", "o3-2025-04-16"] > 0.9
    assert (
        np.isnan(within["next_action", "starting_board"])
        or within["next_action", "starting_board"] < 0.5
    )


@pytest.mark.slow
def test_shuffled_pairs_are_less_consistent(pairs):
    in_time = pairs[(pairs["relation"] == "next_action") & (pairs["model"] == "o3-2025-04-16")]
    assert in_time["shuffled"].mean() < in_time["consistency"].mean() / 2
    assert (in_time["valid_answers"] <= in_time["readable_answers"]).all()


def test_replies_without_a_pair_are_refused():
    replies = recorded_replies(models=["o3-2025-04-16"])
    with pytest.raises(TableError, match="two positions of one game"):
        recorded_pairs(replies.tail(1))


def test_transpositions_among_recorded_replies_are_pairs():
    environment = environment_named("chess")
    lines = ["g1f3 g8f6 b1c3", "b1c3 g8f6 g1f3", "g1f3 g8f6 d2d4"]
    rows = recorded_replies(models=["o3-2025-04-16"]).head(3)
    table = rows.assign(
        moves=lines,
        position_id=list("abc"),
        game_id=list("abc"),
        set="own",
        true_state=[environment.state_text(environment.replay("", line)) for line in lines],
    )
    replies = simulate(table, rate=0, seed=0)
    pairs = recorded_pairs(replies)
    assert pairs["relation"].tolist() == ["transposition"]
    assert pairs.loc[0, ["first_actions", "second_actions"]].tolist() == lines[:2]
    assert pairs["consistency"].tolist() == [1]


def test_within_a_model_lengths_alone_are_the_control():
    truth = np.array([1, 1, 0.5, 0.5])
    rows = pd.DataFrame(
        {
            "relation": "next_action",
            "model": "a",
            "setting": "",
            "ply": [1, 1, 9, 9],
            "readable": 1.0,
        }
    ).assign(truth=truth, consistency=truth)
    row = within_models(rows).iloc[0]
    assert row["rho"] == pytest.approx(1)
    # Shuffled within a length nothing changes: length explains all of it.
    assert row["rho_length"] == pytest.approx(1)
