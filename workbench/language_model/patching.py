"""Patches of hidden states: a vector is added to one state of each game, and the rest of the network runs again.

A patch that changes what the model writes as intended shows that the state is *used*; a probe shows only
that it can be read.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from workbench.errors import InvalidArgumentError
from workbench.language_model.language_model import LanguageModel, side_by_side
from workbench.language_model.network import (
    encode,
    move_logits,
    promotion_logits,
    softmax,
    target_logits,
    write_boards,
)
from workbench.language_model.vocabulary import read_moves

Vectors = NDArray[np.float32]
Integers = NDArray[np.int64]

_PROMOTIONS: Final = 5


@dataclass(frozen=True, slots=True)
class EncodedGames:
    """Games that a model has read side by side.

    Attributes:
        model: The model.
        hidden: After the moves' own vectors, each layer, and normalised; each of shape (games, n, width),
            where row 0 is the start and row t the state after ply t.
        last: The last ply of each game, shape (games,).
    """

    model: LanguageModel
    hidden: list[Vectors]
    last: Integers

    def patched(self, layer: int, plies: Integers, vectors: Vectors) -> Vectors:
        """Add a vector to the state of a ply of each game, and encode from there on.

        Args:
            layer: After how many layers, 0 (the moves' own vectors) to all of them.
            plies: Shape (games,), 0 (the start) to the game's last.
            vectors: Shape (games, width); zeros change nothing.

        Returns:
            The states that decoder and move head read, shape (games, n, width).
        """
        shape = self.model.shape
        if not 0 <= layer <= shape.layers:
            raise InvalidArgumentError(
                f"layer: expected 0 to {shape.layers}, the layers of {self.model.name}, got {layer!r}"
            )
        if np.shape(plies) != self.last.shape or not ((plies >= 0) & (plies <= self.last)).all():
            raise InvalidArgumentError(
                f"plies: expected one of each of {len(self.last)} games, 0 to its last, got "
                f"{plies!r:.80}"
            )
        states = self.hidden[layer].copy()
        states[np.arange(len(states)), plies] += vectors
        encoded: Vectors = encode(np, self.model.weights, shape, None, states, layer)[-1]
        return encoded

    def boards(self, encoded: Vectors) -> Integers:
        """Return the tokens that the decoder writes after the last ply, shape (games, SLOTS)."""
        return write_boards(self.model.weights, self.model.shape, encoded, self.last)

    def next_moves(self, encoded: Vectors) -> "NextMoves":
        """Return the distribution over the next move after the last ply."""
        return NextMoves(self.model, encoded[np.arange(len(encoded)), self.last])


def encode_games(model: LanguageModel, games: Sequence[Sequence[str]]) -> EncodedGames:
    """Read games of moves in UCI side by side; those of like lengths are quickest."""
    moves, last = side_by_side([read_moves(game) for game in games])
    return EncodedGames(model, encode(np, model.weights, model.shape, moves), last)


class NextMoves:
    """The distributions over all moves, of any legality, that the move head gives states."""

    def __init__(self, model: LanguageModel, states: Vectors) -> None:
        """Read ``states``, shape (rows, width), as the decoder reads them."""
        self._weights, self._states = model.weights, states
        leaving = softmax(move_logits(np, self._weights, states))
        every = np.arange(leaving.shape[1])
        entering = softmax(target_logits(np, self._weights, states[:, None], every))
        self._pairs = leaving[..., None] * entering

    def probabilities(self, rows: Integers, moves: Integers) -> Vectors:
        """Return the probability of moves, each (square left, entered, promotion), shape (n, 3), in rows."""
        start, end, promotion = moves.T
        shares = self._promotions(rows, start, end)[np.arange(len(rows)), promotion]
        probabilities: Vectors = self._pairs[rows, start, end] * shares
        return probabilities

    def likeliest(self) -> Integers:
        """Return the likeliest move of each row, shape (rows, 3)."""
        flat = self._pairs.reshape(len(self._pairs), -1)
        # The best promotion of a pair has at least its equal share of the pair's probability.
        rows, pairs = np.nonzero(flat * _PROMOTIONS >= flat.max(axis=1, keepdims=True))
        start, end = np.divmod(pairs, self._pairs.shape[2])
        joint = flat[rows, pairs][:, None] * self._promotions(rows, start, end)
        best = joint.max(axis=1)
        # Stable, so that of equal ones the first wins.
        order = np.lexsort((-best, rows))
        first = order[np.unique(rows[order], return_index=True)[1]]
        return np.stack([start[first], end[first], joint[first].argmax(axis=1)], axis=1)

    def _promotions(self, rows: Integers, start: Integers, end: Integers) -> Vectors:
        logits = promotion_logits(np, self._weights, self._states[rows], start, end)
        shares: Vectors = softmax(logits)
        return shares


def class_means(
    model: LanguageModel,
    games: Iterable[Sequence[str]],
    labels: Iterable[Integers],
    values: int,
    lags: Sequence[int] = (0,),
) -> Vectors:
    """Return the mean state after plies of each label.

    Args:
        model: The model.
        games: Moves in UCI.
        labels: Of each game, one a ply, in range(values).
        values: The number of labels.
        lags: How many plies after the labelled one the states are taken.

    Returns:
        Shape (lags, layers + 2, values, width), NaN for a label that no ply has.
    """
    sums = np.zeros((len(lags), model.shape.layers + 2, values, model.shape.width))
    counts = np.zeros((len(lags), 1, values, 1))
    for moves, of_game in zip(games, labels, strict=True):
        states = model.hidden_states(moves)[:, 1:]
        marks = np.eye(values, dtype=np.float32)[of_game]
        for place, lag in enumerate(lags):
            followed = marks[: max(len(marks) - lag, 0)]
            sums[place] += followed.T @ states[:, lag:]
            counts[place, 0, :, 0] += followed.sum(axis=0)
    with np.errstate(invalid="ignore"):
        return (sums / counts).astype(np.float32)
