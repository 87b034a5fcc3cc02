"""Hands: what makes a bundled model believe that another piece stands on a square, or a piece on another square.

A hand adds a vector to the hidden state of the ply that brought a piece: the mean state after moves of the
piece intended less that after moves of the piece written, or the same of the squares that moves end on.
`workbench.studies.language_models.hand_trials` measures the means, and how often a hand works.
"""

import base64
import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from workbench.installation import RESOURCES
from workbench.language_model.language_model import LanguageModel, model_names, weights_path

PIECES: Final = "PNBRQKpnbrqk"
"""The pieces in the order of their means; squares are in the order a1 to h8."""
PIECE: Final = "piece"
"""The kind of a hand that puts another piece on a square."""
SQUARE: Final = "square"
"""The kind of a hand that moves a piece to another square."""

HANDS_PATH: Final = RESOURCES / "data" / "models" / "hands.json"
_HALF: Final = np.dtype("<f2")


@dataclass(frozen=True, slots=True)
class Hand:
    """How one kind of belief of a model is changed.

    Attributes:
        layer: The state after so many layers is patched; 0 is the moves' own vectors.
        strength: What the difference of means is multiplied by.
        means: The mean state after moves of each of `PIECES`, shape (12, width), or after moves to each
            square, shape (64, width), in half precision.
        trials: How often it works, by the names of `hand_trials.summary`.
    """

    layer: int
    strength: float
    means: NDArray[np.float16]
    trials: Mapping[str, Any]

    def vectors(self, former: Any, other: Any) -> NDArray[np.float32]:
        """Return what is added to states, shape (n, width).

        Args:
            former: The rows of the means of what is written, shape (n,).
            other: Those of what is intended.
        """
        means = self.means.astype(np.float32)
        added: NDArray[np.float32] = np.float32(self.strength) * (means[other] - means[former])
        return added

    def as_json(self) -> dict[str, Any]:
        """Return the fields as JSON holds them: ``means`` little-endian in base64."""
        return {
            "layer": self.layer,
            "strength": self.strength,
            "means": base64.b64encode(self.means.astype(_HALF).tobytes()).decode(),
            "trials": dict(self.trials),
        }


@cache
def _entries() -> dict[str, dict[str, Any]]:
    entries: dict[str, dict[str, Any]] = json.loads(HANDS_PATH.read_text(encoding="utf-8"))
    return entries


def hands_of(model: LanguageModel) -> dict[str, Hand]:
    """Return the hands of a bundled model, by `PIECE` and `SQUARE`.

    There are none for a model of one's own, whose means were not measured.
    """
    entries = _entries().get(model.name) if model.name in model_names() else None
    if entries is None:
        return {}
    hands = {}
    for kind in (PIECE, SQUARE):
        entry = entries[kind]
        means = np.frombuffer(base64.b64decode(entry["means"]), _HALF)
        shaped = means.reshape(-1, model.shape.width)
        hands[kind] = Hand(entry["layer"], entry["strength"], shaped, entry["trials"])
    return hands


def weights_hash(name: str) -> str:
    """Return the hash of a bundled model's weights, by which a hand is held to them."""
    return sha256(weights_path(name).read_bytes()).hexdigest()
