"""Writing boards token by token, with the keys and values of earlier slots kept."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from workbench.language_model.network import (
    Shape,
    Weights,
    attend,
    feed_forward,
    join_heads,
    keys_values,
    normal,
    queries,
    recency,
    slot_vectors,
    split_heads,
)
from workbench.language_model.vocabulary import SLOTS, TOKENS


def write_boards(
    weights: Weights,
    shape: Shape,
    encoded: NDArray[np.float32],
    at: NDArray[np.int64],
    temperature: float = 0.0,
    draws: NDArray[np.float64] | None = None,
) -> NDArray[np.int64]:
    """Write boards, each token given the ones before it.

    Args:
        weights: As `workbench.language_model.network.weight_shapes` says.
        shape: The network's.
        encoded: The last of `workbench.language_model.network.encode`, shape (boards, n, width).
        at: The ply asked about in each, shape (boards,).
        temperature: 0 for the likeliest token each time, else tokens are drawn.
        draws: Uniform in [0, 1), shape (boards, SLOTS); needed if the temperature is not 0.

    Returns:
        Shape (boards, SLOTS).
    """
    boards = len(encoded)
    slots = slot_vectors(np, weights)
    last = encoded[np.arange(boards), at] @ weights["last"]
    across = [
        _Across(weights, shape, f"decoder.{b}.cross", encoded, at) for b in range(shape.blocks)
    ]
    within = [_Within(weights, shape, f"decoder.{b}.self", boards) for b in range(shape.blocks)]
    tokens = np.full((boards, SLOTS), len(TOKENS), np.int64)
    before = tokens[:, 0].copy()
    for slot in range(SLOTS):
        vectors = weights["token"][before] + slots[slot] + last
        for block in range(shape.blocks):
            vectors = vectors + within[block].step(vectors, slot)
            vectors = vectors + across[block].step(vectors)
            vectors = vectors + feed_forward(np, weights, f"decoder.{block}", vectors)
        logits = normal(np, vectors, weights["written"]) @ weights["output"]
        before = chosen_tokens(logits, temperature, None if draws is None else draws[:, slot])
        tokens[:, slot] = before
    return tokens


def chosen_tokens(
    logits: NDArray[Any], temperature: float, draws: NDArray[Any] | None
) -> NDArray[Any]:
    """Return the likeliest token of each row, or one that is drawn.

    Args:
        logits: Shape (rows, tokens).
        temperature: 0 for the likeliest.
        draws: Uniform in [0, 1), shape (rows,); needed if the temperature is not 0.
    """
    if draws is None or temperature == 0:
        return np.asarray(logits.argmax(axis=-1))
    scaled = (logits - logits.max(axis=-1, keepdims=True)).astype(np.float64) / temperature
    summed = np.exp(scaled).cumsum(axis=-1)
    return np.asarray((summed[:, :-1] <= draws[:, None] * summed[:, -1:]).sum(axis=-1))


class _Within:
    """Attention to the slots written so far."""

    def __init__(self, weights: Weights, shape: Shape, name: str, boards: int) -> None:
        self._weights, self._shape, self._name = weights, shape, name
        part = shape.width // shape.heads
        self._key = np.empty((boards, shape.heads, SLOTS, part), np.float32)
        self._value = np.empty_like(self._key)
        self._bias = recency(np, shape.heads, np.arange(SLOTS), SLOTS)

    def step(self, vectors: NDArray[Any], slot: int) -> Any:
        own = normal(np, vectors, self._weights[f"{self._name}.norm"])
        heads = self._shape.heads
        query = split_heads((own @ self._weights[f"{self._name}.query"])[:, None], heads)
        key, value = keys_values(np, self._weights, self._name, own[:, None], heads)
        self._key[:, :, slot], self._value[:, :, slot] = key[:, :, 0], value[:, :, 0]
        seen = slice(slot + 1)
        bias = self._bias[:, slot : slot + 1, seen]
        given = attend(np, query, self._key[:, :, seen], self._value[:, :, seen], bias)
        return join_heads(given)[:, 0] @ self._weights[f"{self._name}.out"]


class _Across:
    """Attention to the plies."""

    def __init__(
        self, weights: Weights, shape: Shape, name: str, encoded: NDArray[Any], at: NDArray[Any]
    ) -> None:
        self._weights, self._shape, self._name = weights, shape, name
        self._key, self._value = keys_values(np, weights, name, encoded, shape.heads)
        self._bias = recency(np, shape.heads, at[:, None], encoded.shape[1])

    def step(self, vectors: NDArray[Any]) -> Any:
        query = queries(np, self._weights, self._name, vectors[:, None], self._shape.heads)
        given = attend(np, query, self._key, self._value, self._bias)
        return join_heads(given)[:, 0] @ self._weights[f"{self._name}.out"]
