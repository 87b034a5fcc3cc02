"""Positions of random episodes, in every environment."""

import pandas as pd
import pytest

from workbench.answers.model_replies import simulate
from workbench.environments.registry import environment_named, environment_names
from workbench.episodes import sample_positions
from workbench.errors import InvalidArgumentError
from workbench.scoring import ScoringParameters, score
from workbench.tables.parquet_tables import POSITIONS, read_table, write_table
from workbench.tasks import task_names


@pytest.mark.parametrize("name", environment_names())
def test_the_actions_lead_to_the_true_state(name, tmp_path):
    environment = environment_named(name)
    positions = sample_positions(environment, (1, 3), 4, seed=1)
    assert positions["group"].tolist() == [1] * 4 + [3] * 4
    assert positions["position_id"].is_unique
    for row in positions.to_dict("records"):
        assert len(environment.split_moves(row["moves"])) == row["ply"]
        assert row["ply"] == row["group"] * environment.actions_per_group
        reached = environment.replay(row["initial_state"], row["moves"])
        assert reached == environment.read_state(row["true_state"])
    write_table(positions, tmp_path / "positions.parquet", POSITIONS)
    pd.testing.assert_frame_equal(
        read_table(tmp_path / "positions.parquet", POSITIONS), positions, check_dtype=False
    )
    again = sample_positions(environment, (3,), 4, seed=1).reset_index(drop=True)
    pd.testing.assert_frame_equal(again, positions[4:].reset_index(drop=True))


MEASURED = {
    "state": ["precision_1", "precision_2", "recall_1", "recall_2"],
    "actions": ["precision_1", "recall_1"],
    "continuation": ["precision_1", "precision_2"],
}


@pytest.mark.parametrize("name", environment_names())
@pytest.mark.parametrize("task", task_names())
def test_a_tracker_without_slips_is_right_in_every_task(name, task):
    positions = sample_positions(environment_named(name), (2,), 3, seed=0)
    replies = simulate(positions, rate=0, seed=0, task=task, depth=2)
    scores = score(replies, ScoringParameters(depth=2))
    assert (scores["unscored"] == "").all()
    assert scores["reply_class"].tolist() == ["valid"] * 3
    values = scores[["precision_1", "precision_2", "recall_1", "recall_2"]]
    assert (values.isna() | (values == 1)).all(axis=None)
    # A task need measure no more than one of both at depth 1; these are known.
    measured = MEASURED.get(task, values.columns[values.notna().all()].tolist())
    assert {"precision_1", "recall_1"} & set(measured)
    assert values.columns[values.notna().all()].tolist() == measured


@pytest.mark.parametrize(
    ("groups", "per_group", "seed"),
    [((), 1, 0), ((0,), 1, 0), ((2, 2), 1, 0), ((1,), 0, 0), ((1,), 1, -1)],
)
def test_what_cannot_be_drawn_is_refused(groups, per_group, seed):
    with pytest.raises(InvalidArgumentError, match="expected"):
        sample_positions(environment_named("boxes"), groups, per_group, seed)
