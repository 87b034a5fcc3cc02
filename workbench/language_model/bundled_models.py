"""The bundled language models: their names, their files, and the games they were not trained on.

``tiny``, ``small`` and ``medium`` are three sizes; ``small@STEP`` is ``small`` as it was after so many
steps of training. data/MODELS.md describes them.
"""

import re
from functools import lru_cache
from pathlib import Path
from typing import Final

from workbench.errors import InvalidArgumentError
from workbench.language_model.language_model import LanguageModel
from workbench.language_model.weight_files import read_weights
from workbench.resources import RESOURCES

SIZES: Final = ("tiny", "small", "medium")
TRAINING_GAMES: Final = 2000
"""The models were trained on the bundled games with lower numbers than this, on no others."""

_FOLDER: Final = RESOURCES / "data" / "models"


def model_names() -> tuple[str, ...]:
    """Return the names of all bundled models: the sizes, then the checkpoints by step."""
    steps = [_step(path) for path in _FOLDER.glob("small@*.npz")]
    return (*SIZES, *(f"small@{step}" for step in sorted(steps)))


@lru_cache(maxsize=4)
def load_model(name: str) -> LanguageModel:
    """Load a bundled model.

    Args:
        name: One of `model_names`.

    Raises:
        InvalidArgumentError: If there is no such model.
        TableError: If its file cannot be read.
    """
    weights, description = read_weights(weights_path(name))
    return LanguageModel(name, weights, description)


def weights_path(name: str) -> Path:
    """Return the file of a bundled model.

    Args:
        name: One of `model_names`.

    Raises:
        InvalidArgumentError: If there is no such model.
    """
    if name not in model_names():
        raise InvalidArgumentError(
            f"model: expected one of {', '.join(model_names())}, got {name!r:.80}"
        )
    return _FOLDER / f"{name}.npz"


def _step(path: Path) -> int:
    return int(re.sub(r"\D", "", path.stem))
