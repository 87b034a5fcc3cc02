from importlib import import_module

import pytest

import workbench
from workbench.errors import WorkbenchError
from workbench.rewards import state_rewards

reasoning_gym = pytest.importorskip("reasoning_gym", reason="needs the extra reasoning-gym")
# It registers the dataset.
import_module("workbench.rewards.reasoning_gym_states")


@pytest.mark.parametrize("environment", ["chess", "othello"])
def test_answers_have_their_rewards(environment):
    rows = reasoning_gym.create_dataset("world_state", size=5, seed=2, environment=environment)
    assert len(rows) == 5
    true = workbench.positions(5, environment, seed=2)["true_state"].tolist()
    assert [row["answer"] for row in rows] == true
    other = true[1:] + true[:1]
    scores = [rows.score_answer(text, row) for text, row in zip(other, rows, strict=True)]
    assert scores == state_rewards(other, true, environment)
    assert [rows.score_answer(row["answer"], row) for row in rows] == [1.0] * 5
    assert [rows.score_answer(answer, rows[0]) for answer in (None, "", "none")] == [0.0] * 3


def test_it_can_be_part_of_a_composite():
    from reasoning_gym.composite import DatasetSpec

    specs = [
        DatasetSpec(name="world_state", weight=1, config={"measure": "exact_match", "size": 5}),
        DatasetSpec(name="n_queens", weight=1, config={}),
    ]
    mixed = reasoning_gym.create_dataset("composite", size=6, seed=1, datasets=specs)
    sources = {row["metadata"]["source_dataset"] for row in mixed}
    assert sources == {"world_state", "n_queens"}
    for row in mixed:
        if row["metadata"]["source_dataset"] == "world_state":
            assert mixed.score_answer(row["answer"], row) == 1


@pytest.mark.parametrize("options", [{"environment": "chss"}, {"measure": "p"}, {"depth": 0}])
def test_wrong_settings_are_refused(options):
    with pytest.raises(WorkbenchError):
        reasoning_gym.create_dataset("world_state", **options)
