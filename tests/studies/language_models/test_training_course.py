"""What the bundled models read in training: lengths of games, by the settings that their files state."""

import chess
import pytest

from workbench.episodes import EpisodeSample
from workbench.games import cut_games, random_games
from workbench.language_model.training.training_settings import TrainingSettings
from workbench.scoring import ScoringParameters
from workbench.studies.language_models.checkpoint_scores import (
    course,
    scores_of_start,
    training_table,
)


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


def test_the_baseline_writes_the_whole_start():
    positions = cut_games(list(random_games(4, 12, seed=1)), groups=(2,), per_group=2, seed=0)
    scores = scores_of_start(positions.positions, ScoringParameters(depth=1))
    assert set(scores["predicted_state"]) == {chess.STARTING_FEN}
    positions = EpisodeSample("boxes", per_group=1).positions
    scores = scores_of_start(positions, ScoringParameters(depth=1))
    assert scores["predicted_state"].tolist() == positions["initial_state"].tolist()
