"""A trained model that reads the moves of games, its files of weights, and the bundled models by name."""

import json
import re
import zlib
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, Final
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray

from workbench.errors import InvalidArgumentError, TableError
from workbench.installation import RESOURCES
from workbench.language_model.network import (
    Shape,
    Weights,
    encode,
    move_logits,
    pick_tokens,
    promotion_logits,
    softmax,
    target_logits,
    weight_shapes,
    write_boards,
)
from workbench.language_model.vocabulary import (
    CLOCKS,
    MOST_PLIES,
    SLOTS,
    SQUARES,
    read_moves,
    spell,
    write_move,
)

BATCH: Final = 32
"""Games that are read at once. Sums are rounded by batch, so that it is fixed: a reply is the same
however many others are asked for, except where two tokens are equally likely to six digits."""

LEAST_PROBABILITY: Final = 0.005
"""A move with at least this probability counts as legal for the model."""


class LanguageModel:
    """A network with its weights.

    Attributes:
        name: As `workbench.language_model.language_model.load_model` takes it.
        description: How it was trained; see data/MODELS.md.
        shape: Its size.
        weights: Arrays by name, as `workbench.language_model.network.weight_shapes` lists them.
    """

    def __init__(self, name: str, weights: Weights, description: dict[str, Any]) -> None:
        """Keep the weights; ``description`` holds the fields of `Shape` as ``shape``."""
        self.name = name
        self.description = description
        self.shape = Shape(**description["shape"])
        self.weights = weights

    @property
    def training_games(self) -> int:
        """How many of the bundled games it was trained on: the first ones."""
        return int(self.description["games"])

    @property
    def names_moves(self) -> bool:
        """Whether the model was trained on the legal moves, and can be asked for next moves."""
        return bool(self.description.get("moves") == "legal")

    @property
    def parameters(self) -> int:
        """How many numbers were trained."""
        return sum(value.size for value in self.weights.values())

    def hidden_states(self, moves: Sequence[str]) -> NDArray[np.float32]:
        """Return what the encoder holds after the start and after each move.

        Returns:
            Shape (layers + 2, 1 + moves, width): the moves' own vectors, the result of each layer, and
            the last one normalised, which the decoder reads.
        """
        hidden = encode(np, self.weights, self.shape, read_moves(moves)[None])
        return np.concatenate(hidden)

    def write_states(
        self,
        games: Sequence[Sequence[str]],
        *,
        temperature: float = 0.0,
        seeds: Sequence[int] | None = None,
    ) -> list[str]:
        """Return what the model writes as the FEN after each game's moves; nothing is repaired."""
        if not 0 <= temperature < float("inf") or (temperature and seeds is None):
            raise InvalidArgumentError(
                "expected a temperature of at least 0, and seeds unless it is 0, "
                f"got {temperature!r} and {seeds!r}"
            )
        draws = None
        if temperature and seeds is not None:
            draws = np.stack([np.random.default_rng(seed).random(SLOTS) for seed in seeds])
        return self._written(games, temperature, draws)

    def write_certain_states(self, games: Sequence[Sequence[str]]) -> list[tuple[str, float]]:
        """Return what `write_states` does, each with the model's certainty of it.

        Returns:
            The texts, with the probability that the model gives to all that it writes but the clocks, in
            [0, 1]: the product of those of the tokens, each given the ones before it.
        """
        certainties = np.empty((len(games), SLOTS), np.float32)
        texts = self._written(games, 0.0, None, certainties)
        products = certainties[:, :CLOCKS].prod(axis=1, dtype=np.float64)
        return list(zip(texts, products.tolist(), strict=True))

    def _written(
        self,
        games: Sequence[Sequence[str]],
        temperature: float,
        draws: NDArray[np.float64] | None,
        certainties: NDArray[np.float32] | None = None,
    ) -> list[str]:
        read = [read_moves(moves) for moves in games]
        texts = [""] * len(read)
        # Alike in length, so that little is filled up.
        order = sorted(range(len(read)), key=lambda index: len(read[index]))
        for first in range(0, len(order), BATCH):
            batch = order[first : first + BATCH]
            moves, at = side_by_side([read[index] for index in batch])
            encoded = encode(np, self.weights, self.shape, moves)[-1]
            own = None if draws is None else draws[batch]
            certain = None if certainties is None else np.empty((len(batch), SLOTS), np.float32)
            tokens = write_boards(self.weights, self.shape, encoded, at, temperature, own, certain)
            if certainties is not None:
                certainties[batch] = certain
            for index, row in zip(batch, tokens.tolist(), strict=True):
                texts[index] = spell(row)
        return texts

    def write_states_along(self, moves: Sequence[str], plies: Sequence[int]) -> list[str]:
        """Return the FENs that `write_states` writes for the moves up to each of these plies.

        The game is read once for all of them: what is read of a move does not depend on later ones.
        """
        if not plies:
            return []
        encoded = encode(np, self.weights, self.shape, read_moves(moves[: max(plies)])[None])[-1]
        texts: list[str] = []
        for first in range(0, len(plies), BATCH):
            at = np.array(plies[first : first + BATCH])
            boards = np.repeat(encoded, len(at), axis=0)
            texts += map(spell, write_boards(self.weights, self.shape, boards, at).tolist())
        return texts

    def move_distribution(self, moves: Sequence[str]) -> NDArray[np.float32]:
        """Return the probability of each next move.

        Returns:
            Shape (64, 64, 5): by the squares left and entered, a1 to h8, and the promotion, as
            `workbench.language_model.vocabulary.read_moves` counts it; the sum is 1.
        """
        encoded = self.hidden_states(moves)[-1, -1]
        starts, ends = np.arange(SQUARES)[:, None], np.arange(SQUARES)[None]
        leaving = softmax(move_logits(np, self.weights, encoded))
        entering = softmax(target_logits(np, self.weights, encoded, starts[:, 0]))
        promoting = softmax(promotion_logits(np, self.weights, encoded, starts, ends))
        distribution: NDArray[np.float32] = leaving[:, None, None] * entering[..., None] * promoting
        return distribution

    def next_moves(
        self, moves: Sequence[str], least: float = LEAST_PROBABILITY
    ) -> dict[str, float]:
        """Return the next moves of at least this probability, the likeliest first."""
        if not 0 < least <= 1:
            raise InvalidArgumentError(f"least: expected a probability above 0, got {least!r}")
        distribution = self.move_distribution(moves)
        likely = {
            write_move(*place): float(distribution[tuple(place)])
            for place in np.argwhere(distribution >= least).tolist()
        }
        return dict(sorted(likely.items(), key=lambda item: -item[1]))

    def next_line(
        self, moves: Sequence[str], depth: int, *, temperature: float = 0.0, seed: int = 0
    ) -> list[str]:
        """Return the moves with which the model continues: the likeliest, or drawn ones, one by one."""
        generator = np.random.default_rng(seed)
        line: list[str] = []
        while len(line) < depth and len(moves) + len(line) <= MOST_PLIES:
            distribution = self.move_distribution([*moves, *line])
            logits = np.log(np.maximum(distribution.reshape(1, -1), np.finfo(np.float32).tiny))
            place = pick_tokens(logits, temperature, generator.random(1))[0]
            line.append(write_move(*map(int, np.unravel_index(place, distribution.shape))))
        return line


def side_by_side(
    games: Sequence[NDArray[np.uint8]],
) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """Return games as one array, filled up at their ends, and the place of each one's last move."""
    at = np.array([len(game) - 1 for game in games])
    moves = np.zeros((len(games), 1 + at.max(), 3), np.uint8)
    for row, game in zip(moves, games, strict=True):
        row[: len(game)] = game
    return moves, at


_DESCRIPTION: Final = "description"
_UNREADABLE: Final = (OSError, EOFError, BadZipFile, zlib.error, ValueError, KeyError, TypeError)


def write_weights(path: Path, weights: Weights, description: dict[str, Any]) -> None:
    """Write weights, rounded to half precision, and what is to be known about them."""
    arrays = {name: np.asarray(value, np.float16) for name, value in sorted(weights.items())}
    text = np.frombuffer(json.dumps(description, sort_keys=True).encode(), np.uint8)
    np.savez_compressed(path, **{_DESCRIPTION: text}, **arrays)  # type: ignore[arg-type]


def read_weights(path: Path) -> tuple[dict[str, NDArray[np.float32]], dict[str, Any]]:
    """Read what `write_weights` wrote."""
    try:
        with np.load(path) as file:
            description = json.loads(bytes(file[_DESCRIPTION]).decode())
            shapes = weight_shapes(Shape(**description["shape"]))
            weights = {name: file[name].astype(np.float32) for name in shapes}
    except _UNREADABLE as error:
        raise TableError(
            f"{path}: expected the weights of a language model, got {error}; install the package "
            "again, or train with `workbench train --restart`"
        ) from error
    for name, expected in shapes.items():
        if weights[name].shape != expected:
            raise TableError(f"{path}: {name}: expected {expected}, got {weights[name].shape}")
    return weights, description


NAMES: Final = ("tiny", "small", "medium", "player")
TRAINING_GAMES: Final = 2000
"""Models other than player were trained on the bundled games with lower numbers than this, on no others."""
PLAYER: Final = "player"
"""The model that was trained to name legal moves as well."""
PLAYER_GAMES: Final = 10_000
"""Player was trained on the bundled games with lower numbers than this."""

_SUFFIX: Final = ".npz"
_FOLDER: Final = RESOURCES / "data" / "models"


def model_names() -> tuple[str, ...]:
    """Return the names of all bundled models: the finished ones, then the checkpoints by step."""
    steps = [int(re.sub(r"\D", "", path.stem)) for path in _FOLDER.glob("small@*.npz")]
    return (*NAMES, *(f"small@{step}" for step in sorted(steps)))


def load_model(name: str) -> LanguageModel:
    """Load a bundled model, or one of one's own by the file of its weights."""
    path = weights_path(name)
    # A file of one's own may be trained again in the same session.
    return _load(path, path.stat().st_mtime_ns if path.exists() else 0)


@lru_cache(maxsize=4)
def _load(path: Path, changed: int) -> LanguageModel:
    del changed
    return LanguageModel(path.stem, *read_weights(path))


def is_model(name: str) -> bool:
    """Return whether this is a bundled model, or names a file of weights that ``workbench train`` wrote."""
    return name in model_names() or name.endswith(_SUFFIX)


def weights_path(name: str) -> Path:
    """Return the file of a bundled model, or the one that is named."""
    if not is_model(name):
        raise InvalidArgumentError(
            f"model: expected one of {', '.join(model_names())}, or a file *{_SUFFIX} that `workbench "
            f"train` wrote, got {name!r:.80}"
        )
    return _FOLDER / f"{name}{_SUFFIX}" if name in model_names() else Path(name)
