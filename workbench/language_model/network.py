"""The network: its random weights, an encoder of moves, a decoder that writes a board token by token, a head for the next move."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import ModuleType
from typing import Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from workbench.language_model.vocabulary import MOST_PLIES, SLOTS, SQUARES, TOKENS

Weights: TypeAlias = Mapping[str, Any]
FEED_FORWARD: Final = 4
_ALL: Final = 1e9
_SMALLEST: Final = 1e-6


@dataclass(frozen=True, slots=True)
class Shape:
    """The size of a network: layers of the encoder, blocks of the decoder."""

    width: int
    heads: int
    layers: int
    blocks: int


def weight_shapes(shape: Shape) -> dict[str, tuple[int, ...]]:
    """Return the names and shapes of a network's weights."""
    width = shape.width
    wide = FEED_FORWARD * width
    shapes: dict[str, tuple[int, ...]] = {
        "promotion": (5, width),
        "ply": (MOST_PLIES + 1, width),
        "token": (len(TOKENS) + 1, width),
        "slot": (SLOTS, width),
        "last": (width, width),
        "encoded": (width,),
        "written": (width,),
        "output": (width, len(TOKENS)),
        "move_from": (width, SQUARES),
        "move_left": (SQUARES, width),
        "move_to": (width, SQUARES),
        "move_entered": (SQUARES, width),
        "move_promotion": (width, 5),
    }
    for use in ("leave", "enter", "write"):
        shapes |= {f"{use}.rank": (9, width), f"{use}.file": (8, width)}
        shapes[f"{use}.square"] = (SQUARES + 1, width)
    for name in [f"encoder.{layer}" for layer in range(shape.layers)]:
        shapes |= _attention(f"{name}.self", shape) | _feed_forward(name, width, wide)
    for name in [f"decoder.{block}" for block in range(shape.blocks)]:
        shapes |= _attention(f"{name}.self", shape) | _attention(f"{name}.cross", shape)
        shapes |= _feed_forward(name, width, wide)
    return shapes


def _attention(name: str, shape: Shape) -> dict[str, tuple[int, ...]]:
    width = shape.width
    return {
        f"{name}.norm": (width,),
        f"{name}.query": (width, width),
        f"{name}.key_value": (width, 2 * width),
        f"{name}.out": (width, width),
    }


def _feed_forward(name: str, width: int, wide: int) -> dict[str, tuple[int, ...]]:
    return {
        f"{name}.norm": (width,),
        f"{name}.widen": (width, wide),
        f"{name}.narrow": (wide, width),
    }


def slopes(heads: int) -> Any:
    """Return each head's penalty for distance, shape (heads,); the first has none."""
    return np.array([0.0, *(2.0 ** -(2 + power) for power in range(1, heads))], np.float32)


def squares(weights: Weights, use: str, square: Any) -> Any:
    """Return the vectors of squares, 0 to 63, or 64 for none, in one use."""
    rank, file = square // 8, square % 8
    own = weights[f"{use}.square"][square]
    return weights[f"{use}.rank"][rank] + weights[f"{use}.file"][file] + own


def normal(xp: ModuleType, vectors: Any, scale: Any) -> Any:
    """Return vectors with root mean square 1, times a scale."""
    square = xp.mean(vectors * vectors, axis=-1, keepdims=True)
    return vectors * (scale / xp.sqrt(square + _SMALLEST))


def split_heads(vectors: Any, heads: int) -> Any:
    """Return (..., n, width) as (..., heads, n, width / heads)."""
    *outer, count, width = vectors.shape
    return vectors.reshape(*outer, count, heads, width // heads).swapaxes(-3, -2)


def join_heads(vectors: Any) -> Any:
    """Undo `split_heads`."""
    *outer, heads, count, part = vectors.shape
    return vectors.swapaxes(-3, -2).reshape(*outer, count, heads * part)


def softmax(scores: Any) -> Any:
    """Return the softmax along the last axis."""
    raised = scores - scores.max(axis=-1, keepdims=True)
    np.exp(raised, out=raised)
    raised /= raised.sum(axis=-1, keepdims=True)
    return raised


SOFTMAX: Final[dict[ModuleType, Callable[[Any], Any]]] = {np: softmax}
"""By array module: the one of numpy would be differentiated slowly."""


def times(vectors: Any, matrix: Any) -> Any:
    """Return vectors, shape (..., n), times a matrix, shape (n, m), as one product."""
    flat = vectors.reshape(-1, vectors.shape[-1]) @ matrix
    return flat.reshape(*vectors.shape[:-1], matrix.shape[-1])


def attend(xp: ModuleType, query: Any, key: Any, value: Any, bias: Any) -> Any:
    """Return scaled dot-product attention; the arrays end in (heads, n, width / heads)."""
    scores = query @ key.swapaxes(-1, -2)
    scores *= np.float32(query.shape[-1] ** -0.5)
    scores += bias
    return SOFTMAX[xp](scores) @ value


def recency(xp: ModuleType, heads: int, at: Any, plies: int) -> Any:
    """Return the bias by distance from indices (..., n), and against what comes later."""
    distance = (at[..., None] - xp.arange(plies)).astype(np.float32)
    later = xp.where(distance < 0, np.float32(_ALL), np.float32(0))
    return (
        -slopes(heads)[:, None, None] * xp.abs(distance)[..., None, :, :] - later[..., None, :, :]
    )


def keys_values(xp: ModuleType, weights: Weights, name: str, vectors: Any, heads: int) -> Any:
    """Return the keys and values of an attention, each as `split_heads` does."""
    both = times(vectors, weights[f"{name}.key_value"])
    key, value = xp.split(both, 2, axis=-1)
    return split_heads(key, heads), split_heads(value, heads)


def queries(xp: ModuleType, weights: Weights, name: str, vectors: Any, heads: int) -> Any:
    """Return the queries of an attention."""
    own = normal(xp, vectors, weights[f"{name}.norm"])
    return split_heads(times(own, weights[f"{name}.query"]), heads)


def feed_forward(xp: ModuleType, weights: Weights, name: str, vectors: Any) -> Any:
    """Return what the feed-forward layer adds to vectors."""
    wide = times(normal(xp, vectors, weights[f"{name}.norm"]), weights[f"{name}.widen"])
    return times(xp.maximum(wide, 0), weights[f"{name}.narrow"])


def self_attention(
    xp: ModuleType, weights: Weights, name: str, vectors: Any, heads: int, bias: Any
) -> Any:
    """Return what self-attention adds to vectors."""
    own = normal(xp, vectors, weights[f"{name}.norm"])
    query = split_heads(times(own, weights[f"{name}.query"]), heads)
    key, value = keys_values(xp, weights, name, own, heads)
    return times(join_heads(attend(xp, query, key, value, bias)), weights[f"{name}.out"])


def encode(
    xp: ModuleType,
    weights: Weights,
    shape: Shape,
    moves: Any,
    states: Any = None,
    first: int = 0,
) -> list[Any]:
    """Return the hidden states of the encoder: before the first layer, after each, and normalised.

    ``moves`` are as `workbench.language_model.vocabulary.read_moves` gives them, as integers, shape
    (games, n, 3); games may be filled up at their end with anything. With ``states``, shape (games, n,
    width), they are not read: the encoder goes on from these states after ``first`` layers.

    Returns:
        ``layers + 2`` arrays of shape (games, n, width), less those before ``first``; each row depends
        on the plies up to its own.
    """
    vectors = states
    if vectors is None:
        moves = moves.astype(np.int32)
        vectors = (
            squares(weights, "leave", moves[..., 0])
            + squares(weights, "enter", moves[..., 1])
            + weights["promotion"][moves[..., 2]]
            + weights["ply"][: moves.shape[-2]]
        )
    hidden = [vectors]
    count = vectors.shape[-2]
    bias = recency(xp, shape.heads, xp.arange(count), count)
    for layer in range(first, shape.layers):
        name = f"encoder.{layer}"
        vectors = vectors + self_attention(xp, weights, f"{name}.self", vectors, shape.heads, bias)
        vectors = vectors + feed_forward(xp, weights, name, vectors)
        hidden.append(vectors)
    return [*hidden, normal(xp, vectors, weights["encoded"])]


def slot_vectors(xp: ModuleType, weights: Weights) -> Any:
    """Return the vectors of the slots of a written board, shape (SLOTS, width)."""
    order = np.arange(SQUARES).reshape(8, 8)[::-1].reshape(-1)
    of_squares = squares(weights, "write", order)
    return xp.concatenate([weights["slot"][:SQUARES] * 0 + of_squares, weights["slot"][SQUARES:]])


def board_logits(
    xp: ModuleType, weights: Weights, shape: Shape, encoded: Any, at: Any, tokens: Any
) -> Any:
    """Return the logits of all tokens of written boards, given the tokens before each.

    ``encoded`` is the last of `encode`, ``at`` has the plies asked about, shape (games, boards), and
    ``tokens`` the shape (games, boards, SLOTS).

    Returns:
        Shape (games, boards, SLOTS, tokens).
    """
    before = xp.concatenate([xp.full_like(tokens[..., :1], len(TOKENS)), tokens[..., :-1]], axis=-1)
    last = xp.take_along_axis(encoded, at[..., None], axis=-2) @ weights["last"]
    vectors = weights["token"][before] + slot_vectors(xp, weights) + last[..., None, :]
    plies = encoded.shape[-2]
    for block in range(shape.blocks):
        name = f"decoder.{block}"
        bias = recency(xp, shape.heads, xp.arange(SLOTS), SLOTS)
        vectors = vectors + self_attention(xp, weights, f"{name}.self", vectors, shape.heads, bias)
        name_across = f"{name}.cross"
        query = queries(xp, weights, name_across, vectors, shape.heads)
        key, value = keys_values(xp, weights, name_across, encoded, shape.heads)
        # The boards of a game look at the same plies: one product for all of them.
        games, boards, heads, slots, part = query.shape
        query = query.swapaxes(1, 2).reshape(games, heads, boards * slots, part)
        of_rows = xp.repeat(at, SLOTS, axis=-1)
        bias = recency(xp, shape.heads, of_rows, plies)
        values = join_heads(attend(xp, query, key, value, bias)).reshape(vectors.shape)
        vectors = vectors + times(values, weights[f"{name_across}.out"])
        vectors = vectors + feed_forward(xp, weights, name, vectors)
    return times(normal(xp, vectors, weights["written"]), weights["output"])


def move_logits(xp: ModuleType, weights: Weights, encoded: Any) -> Any:
    """Return the logits of the square that the next move leaves, shape (..., SQUARES)."""
    return encoded @ weights["move_from"]


def target_logits(xp: ModuleType, weights: Weights, encoded: Any, start: Any) -> Any:
    """Return the logits of the square entered, given the square left; shape (..., SQUARES)."""
    return xp.maximum(encoded + weights["move_left"][start], 0) @ weights["move_to"]


def promotion_logits(xp: ModuleType, weights: Weights, encoded: Any, start: Any, end: Any) -> Any:
    """Return the logits of the promotion, given the squares; shape (..., 5)."""
    vectors = encoded + weights["move_left"][start] + weights["move_entered"][end]
    return xp.maximum(vectors, 0) @ weights["move_promotion"]


def first_weights(shape: Shape, seed: int) -> dict[str, NDArray[np.float32]]:
    """Return the weights with which training begins."""
    generator = np.random.default_rng(seed)
    depth = 2 * (shape.layers + shape.blocks)
    weights = {}
    for name, size in weight_shapes(shape).items():
        if name == "ply":
            values = _waves(*size)
        elif len(size) == 1:
            values = np.ones(size)
        else:
            values = generator.normal(size=size) * _scale(name, size[0], depth)
        weights[name] = values.astype(np.float32)
    return weights


def _scale(name: str, inputs: int, depth: int) -> float:
    if name.endswith((".out", ".narrow")):
        return float((inputs * depth) ** -0.5)
    if name.startswith(("encoder.", "decoder.")):
        return float(inputs**-0.5)
    if name in {"last", "output", "move_from", "move_to", "move_promotion"}:
        return float(0.3 * inputs**-0.5)
    return 0.1 if name == "slot" else 0.5


def _waves(plies: int, width: int) -> NDArray[np.float64]:
    """Sines of periods from 2 to 512 plies: neighbours are alike, and parity is plain."""
    turn = np.arange(plies)[:, None] * np.pi / 2.0 ** np.linspace(0, 8, width // 2)
    return 0.5 * np.concatenate([np.sin(turn + 0.5), np.cos(turn + 0.5)], axis=-1)


def write_boards(
    weights: Weights,
    shape: Shape,
    encoded: NDArray[np.float32],
    at: NDArray[np.int64],
    temperature: float = 0.0,
    draws: NDArray[np.float64] | None = None,
    certainties: NDArray[np.float32] | None = None,
) -> NDArray[np.int64]:
    """Write boards, each token given the ones before it.

    ``encoded`` has the shape (boards, n, width), ``at`` the ply asked about in each, and ``draws``,
    uniform in [0, 1) and needed with a temperature, the shape (boards, SLOTS). ``certainties``, of that
    shape too, is filled with the probability that the model gives to each token it writes.
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
        before = pick_tokens(logits, temperature, None if draws is None else draws[:, slot])
        tokens[:, slot] = before
        if certainties is not None:
            certainties[:, slot] = softmax(logits)[np.arange(boards), before]
    return tokens


def pick_tokens(
    logits: NDArray[Any], temperature: float, draws: NDArray[Any] | None
) -> NDArray[Any]:
    """Return the likeliest token of each row, or one that is drawn."""
    if draws is None or temperature == 0:
        return np.asarray(logits.argmax(axis=-1))
    scaled = (logits - logits.max(axis=-1, keepdims=True)).astype(np.float64) / temperature
    summed = np.exp(scaled).cumsum(axis=-1)
    return np.asarray((summed[:, :-1] <= draws[:, None] * summed[:, -1:]).sum(axis=-1))


class _Within:
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
        past = slice(slot + 1)
        bias = self._bias[:, slot : slot + 1, past]
        values = attend(np, query, self._key[:, :, past], self._value[:, :, past], bias)
        return join_heads(values)[:, 0] @ self._weights[f"{self._name}.out"]


class _Across:
    def __init__(
        self, weights: Weights, shape: Shape, name: str, encoded: NDArray[Any], at: NDArray[Any]
    ) -> None:
        self._weights, self._shape, self._name = weights, shape, name
        self._key, self._value = keys_values(np, weights, name, encoded, shape.heads)
        self._bias = recency(np, shape.heads, at[:, None], encoded.shape[1])

    def step(self, vectors: NDArray[Any]) -> Any:
        query = queries(np, self._weights, self._name, vectors[:, None], self._shape.heads)
        values = attend(np, query, self._key, self._value, self._bias)
        return join_heads(values)[:, 0] @ self._weights[f"{self._name}.out"]
