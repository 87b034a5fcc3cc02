"""A language model as a page holds it: its size and its weights in half precision, as text."""

import base64
from dataclasses import asdict
from typing import Any

import numpy as np

from workbench.drawing.reply_words import FLAG_WORDS
from workbench.explore.explorer_settings import ExplorerSettings
from workbench.language_model.hands import hands_of
from workbench.language_model.language_model import LanguageModel
from workbench.language_model.network import weight_shapes
from workbench.language_model.vocabulary import TOKENS


def model_content(model: LanguageModel) -> dict[str, Any]:
    """Return what network.js is made from.

    Returns:
        ``name``; ``names_moves``; ``shape``, the fields of `workbench.language_model.network.Shape`; ``sizes``, the shapes
        of the weights by name; ``weights``, all of them in that order as little-endian half precision
        in base64; ``hands``, of each kind what `workbench.language_model.hands.Hand.as_json` has, None without any.
    """
    hands = {kind: hand.as_json() for kind, hand in hands_of(model).items()}
    sizes = weight_shapes(model.shape)
    halves = np.concatenate([model.weights[name].astype("<f2").ravel() for name in sizes])
    return {
        "name": model.name,
        "names_moves": model.names_moves,
        "shape": asdict(model.shape),
        "sizes": {name: list(size) for name, size in sizes.items()},
        "weights": base64.b64encode(halves.tobytes()).decode(),
        "hands": hands or None,
    }


def twin_words() -> dict[str, Any]:
    """Return what model_twin.js is told besides questions, but for ``scoring``: its words, tokens and budget."""
    return {
        "flag_words": dict(FLAG_WORDS),
        "exact_budget": ExplorerSettings().exact_budget,
        "tokens": list(TOKENS),
    }
