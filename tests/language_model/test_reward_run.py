"""Run by `make test-training`, which installs the extra: `make setup` does not."""

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

from workbench.cli import main
from workbench.errors import InvalidArgumentError
from workbench.games.game_tables import bundled_games
from workbench.language_model.language_model import load_model
from workbench.language_model.network import board_logits, encode, softmax

pytest.importorskip("jax", reason="needs the extra train: run `make test-training`")

from workbench.language_model.training.batches import Batches
from workbench.language_model.training.reward_run import (
    RewardSettings,
    gradient,
    train_on_reward,
)

GAMES = bundled_games()[:40]


def settings(steps, **options):
    return RewardSettings(steps, positions=4, samples=4, plies=8, **options)


def clock_of_zero(texts, true):
    """A reward of a token of which the model is unsure; it is not whether the board is right."""
    return [float(text.split(" ")[4] == "0") for text in texts]


def test_the_measure_rises():
    model = load_model("tiny")
    run = train_on_reward(model, GAMES, clock_of_zero, settings(60, learning_rate=2e-3))
    assert np.mean(run.rewards[:3]) < 0.7
    assert np.mean(run.rewards[-10:]) > 0.95
    assert model.weights is not run.model.weights


def test_the_same_seed_gives_the_same_weights():
    model = load_model("tiny")
    one, two = (train_on_reward(model, GAMES, clock_of_zero, settings(2)) for _ in range(2))
    assert one.rewards == two.rewards
    for name, value in one.model.weights.items():
        assert np.array_equal(value, two.model.weights[name])


def test_a_reward_that_is_the_same_for_all_changes_nothing():
    model = load_model("tiny")
    run = train_on_reward(model, GAMES, lambda texts, true: [0.7] * len(texts), settings(3))
    assert run.rewards == pytest.approx([0.7] * 3)
    for name, value in run.model.weights.items():
        assert np.array_equal(value, model.weights[name])


def test_without_a_reward_the_true_boards_become_likelier():
    model = load_model("tiny")
    batch = Batches(
        [np.frombuffer(code, "<u2") for code in _codes(GAMES)]
    ).draw(np.random.default_rng(5), 8, 60, 8)  # fmt: skip

    def loss(weights):
        encoded = encode(np, weights, model.shape, batch.moves)[-1]
        logits = board_logits(np, weights, model.shape, encoded, batch.at, batch.tokens)
        shares = softmax(logits.astype(np.float64))
        return -np.log(np.take_along_axis(shares, batch.tokens[..., None], axis=-1)).mean()

    run = train_on_reward(
        model, GAMES, None, RewardSettings(30, 8, 8, 1e-3, 60)
    )  # fmt: skip
    assert np.isnan(run.rewards).all()
    assert loss(run.model.weights) < loss(model.weights)


def _codes(games):
    from workbench.games.game_tables import encode_moves

    return [encode_moves(game.moves) for game in games]


def test_the_gradient_is_the_one_of_finite_differences():
    """Of the sum of log-probabilities, weighted by advantages, along one direction."""
    model = load_model("tiny")
    generator = np.random.default_rng(3)
    batch = Batches([np.frombuffer(code, "<u2") for code in _codes(GAMES)]).draw(
        generator, 2, 12, 2
    )
    advantages = generator.normal(size=(2, 2)).astype(np.float32)
    arguments = (batch.moves, batch.at, batch.tokens, advantages)
    direction_of = gradient(model.shape, dict(model.weights), *arguments)

    def value(weights):
        wide = {name: each.astype(np.float64) for name, each in weights.items()}
        encoded = encode(np, wide, model.shape, batch.moves)[-1]
        logits = board_logits(np, wide, model.shape, encoded, batch.at, batch.tokens)
        picked = np.take_along_axis(softmax(logits), batch.tokens[..., None], axis=-1)
        return -(np.log(picked[..., 0]).sum(axis=-1) * advantages).mean()

    for name in ("output", "encoder.0.self.query", "leave.square"):
        direction = generator.normal(size=model.weights[name].shape)
        step = 1e-4 * direction
        ends = [{**model.weights, name: model.weights[name] + sign * step} for sign in (1, -1)]
        slope = (value(ends[0]) - value(ends[1])) / 2e-4
        assert float((np.asarray(direction_of[name]) * direction).sum()) == pytest.approx(
            slope, rel=0.02
        )


def test_rewards_must_be_finite_and_as_many_as_boards():
    model = load_model("tiny")
    for reward in (lambda texts, true: [np.nan] * len(texts), lambda texts, true: [1.0]):
        with pytest.raises(InvalidArgumentError, match="finite numbers"):
            train_on_reward(model, GAMES, reward, settings(1))
    with pytest.raises(InvalidArgumentError, match="2 samples"):
        RewardSettings(samples=1)


def test_the_command_writes_weights_that_can_be_asked(tmp_path):
    arguments = ["train", "--size", "tiny", "--reward", "f_1", "--steps", "10", "-o", str(tmp_path)]
    result = CliRunner().invoke(main, arguments)
    assert result.exit_code == 0, result.output
    model = load_model(str(tmp_path / "tiny-f_1.npz"))
    assert model.description["reward"] == "f_1"
    assert len(model.write_states([["e2e4"]])) == 1
    assert len(pd.read_csv(tmp_path / "tiny-f_1.csv")) == 10
    again = CliRunner().invoke(main, arguments)
    assert again.exit_code == 2
    assert "--restart" in again.output
    unknown = CliRunner().invoke(main, [*arguments[:4], "levenshtein", *arguments[5:]])
    assert unknown.exit_code != 0
    assert "reward: expected" in unknown.output
