"""Training on a reward: a model that writes boards is changed so that a measure of them rises.

The policy gradient of Williams (1992, doi:10.1007/BF00992696), with the mean reward of the boards
written at the same position as its baseline (Kool, van Hoof and Welling 2019), and each token drawn
from the model itself. The encoder and all other weights learn.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any, Final, TypeAlias

import jax
import jax.numpy as jnp
import numpy as np
import optax
from numpy.typing import NDArray

from workbench.errors import InvalidArgumentError
from workbench.games.game_tables import encode_moves
from workbench.games.pgn import Game
from workbench.language_model.language_model import LanguageModel
from workbench.language_model.network import SOFTMAX, Shape, board_logits, encode, write_boards
from workbench.language_model.training.batches import Batch, Batches
from workbench.language_model.vocabulary import SLOTS, spell
from workbench.seeds import derived_seed

Reward: TypeAlias = Callable[[Sequence[str], Sequence[str]], Sequence[float]]
"""Of the boards that a model writes and the true ones, as texts, one for each."""

SOFTMAX[jnp] = jax.nn.softmax

_LARGEST_GRADIENT: Final = 1.0


@dataclass(frozen=True, slots=True)
class RewardSettings:
    """A training on a reward.

    Attributes:
        steps: Of the optimiser, Adam, at least 1.
        positions: Read in each step, one a game.
        samples: Boards drawn at each position, at least 2.
        learning_rate: The same in all steps.
        plies: Positions are after 0 to so many plies of a game, each as often.
        own_share: The share of games that do not go on at random.
        seed: Of positions and draws.
    """

    steps: int = 150
    positions: int = 16
    samples: int = 8
    learning_rate: float = 1e-4
    plies: int = 104
    own_share: float = 0.5
    seed: int = 0

    def __post_init__(self) -> None:
        if self.steps < 1 or self.positions < 1 or self.samples < 2 or not self.learning_rate > 0:
            raise InvalidArgumentError(
                "expected at least 1 step, 1 position and 2 samples, and a learning rate above 0, got "
                f"{self!r}"
            )


@dataclass(frozen=True, slots=True)
class RewardRun:
    """A model after a training on a reward.

    Attributes:
        model: With its weights in single precision.
        rewards: The mean reward of the boards drawn in each step; NaN without a reward.
    """

    model: LanguageModel
    rewards: list[float]


def train_on_reward(
    model: LanguageModel,
    games: Sequence[Game],
    reward: Reward | None,
    settings: RewardSettings,
    *,
    look: Callable[[int, LanguageModel], object] | None = None,
    every: int = 50,
) -> RewardRun:
    """Train a model on the reward of the boards that it writes.

    Args:
        model: Where training starts; it is not changed.
        games: To draw positions from.
        reward: Its values must be finite; None learns the true boards instead, from as many boards a
            step at as many games: supervised training at the same cost.
        settings: Of the run.
        look: Called with the number of steps and the model before the first step and after each ``every``.
        every: Steps between two looks.

    Raises:
        InvalidArgumentError: If a reward is not finite, or there are not as many as boards.
    """
    codes = [np.frombuffer(encode_moves(game.moves), "<u2") for game in games]
    batches = Batches(codes, own_share=settings.own_share)
    optimizer = optax.chain(optax.clip_by_global_norm(_LARGEST_GRADIENT), optax.scale_by_adam())
    weights: Any = {name: jnp.asarray(value) for name, value in model.weights.items()}
    moments = optimizer.init(weights)
    gradient_of = jax.jit(partial(gradient, model.shape))
    rewards = []
    for step in range(settings.steps):
        if look and step % every == 0:
            look(step, _model(model, weights, settings))
        generator = np.random.default_rng(derived_seed(settings.seed, "reward", step))
        boards = settings.samples if reward is None else 1
        batch = batches.draw(generator, settings.positions, settings.plies, boards)
        if reward is None:
            at, tokens, advantages = batch.at, batch.tokens, np.ones(batch.at.shape)
            rewards.append(float("nan"))
        else:
            at, tokens, values = _drawn(model, weights, batch, reward, settings, generator)
            advantages = values - values.mean(axis=1, keepdims=True)
            rewards.append(float(values.mean()))
        direction = gradient_of(weights, batch.moves, at, tokens, advantages.astype(np.float32))
        updates, moments = optimizer.update(direction, moments, weights)
        weights = {
            name: value - settings.learning_rate * updates[name] for name, value in weights.items()
        }
    trained = _model(model, weights, settings)
    if look:
        look(settings.steps, trained)
    return RewardRun(trained, rewards)


def _drawn(
    model: LanguageModel,
    weights: Mapping[str, Any],
    batch: Batch,
    reward: Reward,
    settings: RewardSettings,
    generator: np.random.Generator,
) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.float64]]:
    """Return boards drawn at each position of a batch, as plies, tokens and rewards."""
    own = {name: np.asarray(value) for name, value in weights.items()}
    at = np.repeat(batch.at, settings.samples, axis=1)
    encoded = encode(np, own, model.shape, batch.moves)[-1]
    tokens = write_boards(
        own,
        model.shape,
        np.repeat(encoded, settings.samples, axis=0),
        at.reshape(-1).astype(np.int64),
        1.0,
        generator.random((at.size, SLOTS)),
    )
    texts = [spell(row) for row in tokens.tolist()]
    true = [spell(row) for row in batch.tokens[:, 0].tolist() for _ in range(settings.samples)]
    values = np.asarray(reward(texts, true), np.float64)
    if values.shape != (len(texts),) or not np.isfinite(values).all():
        raise InvalidArgumentError(
            f"reward: expected {len(texts)} finite numbers, got {values!r:.120}"
        )
    return at, tokens.reshape(*at.shape, SLOTS).astype(np.int32), values.reshape(at.shape)


def gradient(shape: Shape, weights: Any, moves: Any, at: Any, tokens: Any, advantages: Any) -> Any:
    """Return the gradient of the mean of minus log-probability of a board times its advantage.

    Args:
        shape: Of the network.
        weights: By name.
        moves: As in `workbench.language_model.training.batches.Batch`.
        at: Likewise, shape (games, boards).
        tokens: Likewise.
        advantages: Of the same shape as ``at``.
    """

    def loss(weights: Any) -> Any:
        encoded = encode(jnp, weights, shape, moves)[-1]
        logits = board_logits(jnp, weights, shape, encoded, at, tokens)
        by_token = optax.softmax_cross_entropy_with_integer_labels(logits, tokens)
        return (by_token.sum(axis=-1) * advantages).mean()

    return jax.grad(loss)(weights)


def _model(
    model: LanguageModel, weights: Mapping[str, Any], settings: RewardSettings
) -> LanguageModel:
    values = {name: np.asarray(value) for name, value in weights.items()}
    description = {**model.description, "trained_on_reward": asdict(settings)}
    return LanguageModel(model.name, values, description)
