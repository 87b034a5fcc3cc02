"""Files of weights: half-precision arrays and a description, in one .npz."""

import json
import zlib
from pathlib import Path
from typing import Any, Final
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray

from workbench.errors import TableError
from workbench.language_model.network import Shape, Weights, weight_shapes

_DESCRIPTION: Final = "description"
_UNREADABLE: Final = (OSError, EOFError, BadZipFile, zlib.error, ValueError, KeyError, TypeError)


def write_weights(path: Path, weights: Weights, description: dict[str, Any]) -> None:
    """Write weights, rounded to half precision, and what is to be known about them.

    Args:
        path: Ends in ``.npz``.
        weights: By name.
        description: JSON; ``shape`` holds the fields of `Shape`.
    """
    arrays = {name: np.asarray(value, np.float16) for name, value in sorted(weights.items())}
    text = np.frombuffer(json.dumps(description, sort_keys=True).encode(), np.uint8)
    np.savez_compressed(path, **{_DESCRIPTION: text}, **arrays)  # type: ignore[arg-type]


def read_weights(path: Path) -> tuple[dict[str, NDArray[np.float32]], dict[str, Any]]:
    """Read what `write_weights` wrote.

    Returns:
        The weights in single precision, and the description.

    Raises:
        TableError: If the file is none of weights.
    """
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
