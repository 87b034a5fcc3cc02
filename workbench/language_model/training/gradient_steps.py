"""The loss, its gradient, and a step of AdamW: what of the training needs jax and optax."""

import os
from collections.abc import Callable
from typing import Any, Final, NamedTuple

# XLA shares loops among as many threads as there are cores, and their number changes the rounding.
# The bundled weights were made with two. Read when jax first computes, so it is set before.
os.environ.setdefault("PJRT_NPROC", "2")

import jax
import jax.numpy as jnp
import numpy as np
import optax
from numpy.typing import NDArray

from workbench.language_model.network import (
    SOFTMAX,
    Shape,
    Weights,
    encode,
    move_logits,
    promotion_logits,
    target_logits,
    written,
)
from workbench.language_model.training.batches import Batch
from workbench.language_model.training.first_weights import first_weights
from workbench.language_model.vocabulary import SLOTS

SOFTMAX[jnp] = jax.nn.softmax

_MOVE_SHARE: Final = 0.02
"""The weight of the loss of the next move, beside that of the boards."""
_COUNTER_WEIGHT: Final = 3.0
"""Of half-move clock and move number, which are two of 69 tokens and hard to learn."""
_LARGEST_GRADIENT: Final = 1.0
_SECOND_MOMENT: Final = 0.98
_ONE_THREAD: Final = {"xla_cpu_multi_thread_eigen": False}
"""Products of matrices, as for the bundled weights: several threads add up in another order."""


class Losses(NamedTuple):
    """Mean cross-entropy in nats: of a token of a board, and of a next move."""

    boards: float
    moves: float


class Learner:
    """Weights and the state of the optimiser; a step changes both."""

    def __init__(self, shape: Shape, seed: int, weight_decay: float) -> None:
        """Begin with random weights."""
        self._shape = shape
        self.weights: Any = jax.tree.map(jnp.asarray, first_weights(shape, seed))
        decayed = {name: value.ndim > 1 for name, value in self.weights.items()}
        self._optimizer = optax.chain(
            optax.clip_by_global_norm(_LARGEST_GRADIENT),
            optax.scale_by_adam(b2=_SECOND_MOMENT),
            optax.add_decayed_weights(weight_decay, decayed),
        )
        self._moments = self._optimizer.init(self.weights)
        self._step = jax.jit(self._stepped, compiler_options=_ONE_THREAD)

    def step(self, batch: Batch, rate: float) -> Losses:
        """Take one step, and return the losses before it."""
        self.weights, self._moments, losses = self._step(
            self.weights,
            self._moments,
            jnp.float32(rate),
            batch.moves,
            batch.at,
            batch.tokens,
            batch.next_counts,
        )
        return Losses(*map(float, losses))

    def state(self) -> list[NDArray[Any]]:
        """Return everything that a resumed training needs."""
        return [np.asarray(leaf) for leaf in jax.tree.leaves((self.weights, self._moments))]

    def restore(self, state: list[NDArray[Any]]) -> None:
        """Go back to what `state` returned."""
        structure = jax.tree.structure((self.weights, self._moments))
        self.weights, self._moments = jax.tree.unflatten(structure, map(jnp.asarray, state))

    def _stepped(self, weights: Any, moments: Any, rate: Any, *batch: Any) -> Any:
        gradient = jax.grad(_loss, has_aux=True)
        direction, losses = gradient(weights, self._shape, *batch)
        updates, moments = self._optimizer.update(direction, moments, weights)
        moved = jax.tree.map(lambda value, update: value - rate * update, weights, updates)
        return moved, moments, losses


def _loss(
    weights: Weights, shape: Shape, moves: Any, at: Any, tokens: Any, counts: Any
) -> tuple[Any, tuple[Any, Any]]:
    encoded = encode(jnp, weights, shape, moves)[-1]
    cross_entropy: Callable[..., Any] = optax.softmax_cross_entropy_with_integer_labels
    by_token = cross_entropy(written(jnp, weights, shape, encoded, at, tokens), tokens)
    token_weights = np.ones(SLOTS, np.float32)
    token_weights[-2:] = _COUNTER_WEIGHT
    before, following = encoded[:, :-1], moves[:, 1:].astype(jnp.int32)
    start, end, promotion = following[..., 0], following[..., 1], following[..., 2]
    by_move = (
        cross_entropy(move_logits(jnp, weights, before), start)
        + cross_entropy(target_logits(jnp, weights, before, start), end)
        + cross_entropy(promotion_logits(jnp, weights, before, start, end), promotion)
    )
    of_moves = (by_move * counts).sum() / jnp.maximum(counts.sum(), 1)
    total = (by_token * token_weights).mean() + _MOVE_SHARE * of_moves
    return total, (by_token.mean(), of_moves)
