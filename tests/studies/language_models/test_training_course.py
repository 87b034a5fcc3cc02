"""What the bundled models read in training: lengths of games, by the settings that their files state."""

import pytest

from workbench.language_model.training.training_settings import TrainingSettings
from workbench.studies.language_models.checkpoint_scores import course, training_table


@pytest.fixture(scope="module")
def schedule():
    return course(["small@142", "small@283", "small"])


def test_the_longest_game_read_so_far_is_that_of_all_steps(schedule):
    settings = TrainingSettings.of_size("small")
    lengths = [settings.plies_at(step) for step in range(settings.steps)]
    run = schedule[~schedule["branch"]]
    assert run["step"].tolist() == list(range(1, 3401))
    for plies in (100, 128, 200):
        first = 1 + next(step for step, length in enumerate(lengths) if length >= plies)
        assert run[run["plies"] >= plies]["step"].min() == first
    assert run[run["plies"] == 200]["step"].min() == 470


def test_a_branch_reads_games_of_later_steps(schedule):
    branches = schedule[schedule["branch"]].groupby("of")
    assert branches["plies"].max().to_dict() == {"small@142": 32, "small@283": 72}
    assert branches["step"].agg(["min", "max"]).loc["small@283"].tolist() == [283, 311]
    assert branches["learning_rate"].last().eq(0).all()


def test_models_are_described_with_the_longest_game_that_they_read():
    table = training_table(["small@283", "small@567", "small"]).set_index("model")
    assert table["longest_plies"].to_dict() == {"small@283": 72, "small@567": 200, "small": 200}
    assert table.loc["small@283", ["step", "cooled_steps", "parameters"]].tolist() == [
        283,
        28,
        293376,
    ]
